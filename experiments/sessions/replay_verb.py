"""The verb `replay`: what one simulated user does on one list of a campaign, step by step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from prum.experiments.frame.result import Result
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.sessions.drawing import page
from prum.experiments.sessions.replay_design import REPLAY, ReplayDesign
from prum.experiments.sessions.structure import cut, sentences, steps
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Elements, InputError, Links, Task
from prum.simulator.model.errors import chosen_name
from prum.simulator.model.stopping import rule_of, stopping_on
from prum.simulator.sessions.session import play
from prum.simulator.sessions.trace import Event, Session
from prum.simulator.tables.files import readable

if TYPE_CHECKING:
    import pandas as pd


class ReplayValues(TypedDict):
    """What the JSON of a user's session holds."""

    user: int
    seed: int
    reason: str
    consulted: int
    leading: int
    found: Sequence[int]
    seconds: float
    events: list[Annotated[dict[str, Any], Event]]
    system: str
    topic: str
    sentences: Sequence[str]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Replay(Result):
    """A user's session, in words, as data and as a page.

    Attributes
    ----------
    task, session
        The list, and what the user did on it.
    wanted
        How many ideals the user wants, if that is known.
    campaign, system, topic
        Where the list stands.
    structure
        What the user browses: the elements that were given, or the links.
    arguments, command
        As `Result` has them.
    """

    task: Task
    session: Session
    wanted: int | None
    campaign: str
    system: str
    topic: str
    structure: Elements | Links

    kind = "replay"

    @property
    def sentences(self) -> list[str]:
        """A sentence for each step."""
        return sentences(self.task, self.session, self.wanted)

    def view(self) -> View:
        """Return the sentences, and a table of what the user did."""
        session = self.session
        who = f"User {session.user:,} of seed {session.seed:,}"
        columns: list[Column[Event]] = [
            Column("seconds", lambda event: event.time, "g"),
            Column("action", lambda event: event.action, left=True),
            Column("rank", lambda event: event.rank, "d"),
            Column("element", lambda event: event.element, left=True),
            Column("from", lambda event: event.origin, left=True),
            Column("new ideals", lambda event: int(event.new), "d"),
        ]
        sentences = self.sentences
        return View(
            title=f"{who}, step by step",
            headline=f"{who}: {sentences[-1] if sentences else ''}".rstrip(": "),
            story=(),
            tables=(Table.of("What the user did", session.events, columns),),
            sentences=tuple(sentences),
            leads=True,
        )

    def values(self) -> ReplayValues:
        """Return what the user did and found, as data and in sentences."""
        session = self.session
        return {
            "user": session.user,
            "seed": session.seed,
            "reason": session.reason,
            "consulted": session.consulted,
            "leading": session.leading,
            "found": session.found,
            "seconds": session.seconds,
            "events": [event._asdict() for event in session.events],
            "system": self.system,
            "topic": self.topic,
            "sentences": self.sentences,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each event, as `Event`."""
        import pandas as pd

        return pd.DataFrame(self.session.events)

    def to_html(self) -> str:
        """Return a page that draws each step: one HTML document that needs nothing else.

        Raises
        ------
        InputError
            if jinja2 is not installed.
        """
        return page(
            self.task,
            self.session,
            structure=self.structure,
            wanted=self.wanted,
            place=readable(f"{self.campaign}, system {self.system}, topic {self.topic}"),
            command=self.command,
        )

    @property
    def folded(self) -> list[str]:
        """The sentences of a long session, as its page has them: those in the middle in one."""
        told = steps(self.task, self.session, self.wanted)
        return [step.sentence for step in cut(told).steps]

    def __repr__(self) -> str:
        return "\n".join(self.folded)


@REPLAY.function
def replay(design: ReplayDesign) -> Replay:
    """Return what one simulated user does on a list, as `prum simulate --user` does.

    With the costs and rules of a logged simulation it is that session, its times from 0 on.

    Raises
    ------
    InputError
        for a topic or system that is not there or not chosen, a rule that is none, and as `play`.

    >>> from prum.simulator import web_example
    >>> replay(web_example(), seed=1, user=5, want=1)
    At 1 s the user consults c (rank 1), which is not ideal.
    From c they see b, an ideal they had not seen: the one they want.
    The user stops: they have found what they wanted, after 1 element, which led to something new.
    """
    campaign = design.campaign
    if not isinstance(campaign, Campaign):
        remedy = "give what read_campaign returns"
        raise InputError("campaign", campaign, "be a Campaign", remedy=remedy)
    topic = chosen_name("topic", design.topic, campaign.ideals)
    system = chosen_name("system", design.system, campaign.runs)
    task, navigation = campaign.task(system, topic), campaign.navigation_on(topic)
    stops = design.stop if isinstance(design.stop, list | tuple) else [design.stop]
    rules = [rule_of(rule) if isinstance(rule, str) else rule for rule in stops]
    stopping = stopping_on(task.num_ideals, wanted=design.want, rules=rules)
    return Replay(
        task=task,
        session=play(
            task,
            navigation,
            user=design.user,
            seed=design.seed,
            stopping=stopping,
            costs=design.times(),
        ),
        wanted=stopping.wanted,
        campaign=campaign.name,
        system=system,
        topic=topic,
        structure=navigation.links if campaign.elements is None else campaign.elements,
    )
