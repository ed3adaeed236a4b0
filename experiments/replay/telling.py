"""The verb `replay`: what one simulated user does on one list of a campaign, step by step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prum.experiments.replay.cutting import cut
from prum.experiments.replay.wording import sentences, steps
from prum.experiments.views.encoding import json_text
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Elements, Links, Task
from prum.simulator.model.costs import Costs
from prum.simulator.model.errors import chosen_name
from prum.simulator.model.rule_names import rule_of
from prum.simulator.model.stopping import Rule, stopping_on
from prum.simulator.sessions.session import play
from prum.simulator.sessions.trace import Session
from prum.simulator.tables.files import readable


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Replay:
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
    arguments
        The options, as plain data.
    command
        The command line that repeats it, if there is one.
    """

    task: Task
    session: Session
    wanted: int | None
    campaign: str
    system: str
    topic: str
    structure: Elements | Links
    arguments: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""

    @property
    def sentences(self) -> list[str]:
        """A sentence for each step."""
        return sentences(self.task, self.session, self.wanted)

    def to_json(self) -> str:
        """Return all of it as JSON."""
        session = self.session
        content = {
            "user": session.user,
            "seed": session.seed,
            "reason": session.reason,
            "consulted": session.consulted,
            "leading": session.leading,
            "found": list(session.found),
            "seconds": session.seconds,
            "events": [event._asdict() for event in session.events],
            "system": self.system,
            "topic": self.topic,
            "sentences": self.sentences,
            "command": self.command,
            "arguments": self.arguments,
        }
        return json_text(content)

    def to_html(self) -> str:
        """Return a page that draws each step: one HTML document that needs nothing else.

        Raises
        ------
        InputError
            if jinja2 is not installed.
        """
        from prum.experiments.replay.page import page

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


def replay(
    campaign: Campaign,
    *,
    topic: str | None = None,
    system: str | None = None,
    seed: int = 1,
    user: int = 0,
    want: int | None = None,
    stop: Sequence[str | Rule] = (),
    costs: Costs | None = None,
) -> Replay:
    """Return what one simulated user does on a list, as `prum replay` does.

    With the costs and rules of a logged simulation it is that session, its times from 0 on.

    Parameters
    ----------
    campaign
        As `read_campaign` returns it.
    topic, system
        Which list, if there are several.
    seed, user
        Which of the users that the seed makes, from 0.
    want
        The user stops when so many ideals are seen, or all if there are fewer; all, if no other
        rule is given.
    stop
        Rules of stopping, by name or as they are; the first that applies counts.
    costs
        How long actions take; by default 1 s for each consulted element and nothing else.

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
    arguments = {
        "topic": topic, "system": system, "seed": seed, "user": user, "want": want,
        "stop": [rule if isinstance(rule, str) else repr(rule) for rule in stop],
        "costs": None if costs is None else repr(costs),
    }  # fmt: skip
    topic = chosen_name("topic", topic, campaign.ideals)
    system = chosen_name("system", system, campaign.runs)
    task, navigation = campaign.task(system, topic), campaign.navigation_on(topic)
    rules = [rule_of(rule) if isinstance(rule, str) else rule for rule in stop]
    stopping = stopping_on(task.num_ideals, wanted=want, rules=rules)
    return Replay(
        task=task,
        session=play(task, navigation, user=user, seed=seed, stopping=stopping, costs=costs),
        wanted=stopping.wanted,
        campaign=campaign.name,
        system=system,
        topic=topic,
        structure=navigation.links if campaign.elements is None else campaign.elements,
        arguments=arguments,
    )
