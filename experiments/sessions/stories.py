"""What one simulated user does, in sentences and as entries of a log."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from prum.experiments.sessions.result import Settings
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Task
from prum.simulator.model.errors import chosen_name, shown, whole_number
from prum.simulator.sampling.streams import MOST_USERS
from prum.simulator.sessions.crowd import Entry
from prum.simulator.sessions.trace import Event, Session

_LONGEST = 60
_REASONS = {
    "found": "they have found what they wanted",
    "persistence": "they do not care to go on",
    "rank": "they go no further down",
    "fruitless": "too many elements in a row led to nothing new",
    "budget": "their time is up",
    "patience": "their patience runs out",
    "end": "there is nothing left",
}


@dataclass(frozen=True, slots=True, repr=False)
class UserStory:
    """What one simulated user does on a list.

    Parameters
    ----------
    system
        Whose list it is.
    sentences
        One for each element consulted or seen, and for the end; its repr.
    entries
        The same as a log has it, in seconds from its beginning.
    """

    system: str
    sentences: tuple[str, ...]
    entries: tuple[Entry, ...]

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


def story(
    campaign: Campaign,
    settings: Settings,
    user: int,
    *,
    system: str | None = None,
    topic: str | None = None,
) -> UserStory:
    """Return what a user does on one list, as among all users of these settings.

    Parameters
    ----------
    settings
        Of the users; when they come and how many topics they take matter to nobody's session.
    user
        The number of the user, from 0.
    system, topic
        Which list, if there are several.

    >>> from prum.experiments.sessions import Settings
    >>> from prum.simulator.collections.examples import example_campaign
    >>> story(example_campaign("web"), Settings(1, seed=1, wanted=1), user=5)
    At 1 s the user consults c (rank 1), which is not ideal.
    From c they see b, an ideal they had not seen: the one they want.
    The user stops: they have found what they wanted, after 1 element, which led to something new.
    """
    whole_number("user", user, least=0, most=MOST_USERS, remedy="give a number")
    topic = chosen_name("topic", topic, campaign.ideals)
    system = chosen_name("system", system, campaign.runs)
    task = campaign.task(system, topic)
    alone = replace(settings, arrivals=None, queries_each=None, pause=None)
    (session,) = replace(alone, detail="every").traffic(campaign, system, (topic,)).sessions(user)
    return UserStory(
        system,
        tuple(sentences(task, session, settings.stopping(task).wanted)),
        tuple(alone.traffic(campaign, system, (topic,)).entries(range(user, user + 1))),
    )


def sentences(task: Task, session: Session, goal: int | None = None) -> list[str]:
    """Return what a user did: a sentence for each element consulted or seen, and for the end.

    `goal` is the number of ideals that the user wants, if that is known.

    >>> c, end = Event(1, "consult", 1, "c"), Event(1, "stop", 1, "c")
    >>> see = Event(1, "see", 1, "a", "c", ideal=True, new=True)
    >>> session = Session(0, 1, (c, Event(1, "see", 1, "c"), see, end), "found")
    >>> for sentence in sentences(Task(["c"], ["a", "b"], 3), session):
    ...     print(sentence)
    At 1 s the user consults c (rank 1), which is not ideal.
    From c they see a, an ideal they had not seen: 1 of the 2 there are.
    The user stops: they have found what they wanted, after 1 element, which led to something new.
    """
    lines, clock, num_seen = list[str](), "", 0
    for events in _together(session.events):
        first, last = events[0], events[-1]
        num_seen += sum(event.new for event in events)
        judged = _judged(last, _count(num_seen, goal, task.num_ideals))
        moment = f"At {seconds(first.time)} "
        is_later = moment != clock
        if _is_unnamed(first):
            text = moment + _unnamed(first, last)
        elif first.action == "consult":
            after = ", after the list" if first.rank > task.num_ranked else ""
            text = f"{moment}the user consults {name(first.element)} (rank {first.rank:,}{after})"
            if len(events) > 1:
                is_same = seconds(last.time) == seconds(first.time)
                text += "" if is_same else f"; at {seconds(last.time)} they have seen it"
                text += judged
        elif first.action == "see":
            start = moment.rstrip() * is_later
            if first.origin:
                start += f"{', f' if start else 'F'}rom {name(first.origin)}{',' * is_later}"
            text = f"{start} they see {name(first.element)}".lstrip() + judged
        else:
            start = moment if is_later else ""
            text = f"{start}the user stops: {_REASONS[session.reason]}, {_after(session)}"
        clock = f"At {seconds(last.time)} "
        lines.append(f"{text[0].upper()}{text[1:]}.")
    return lines


def name(element: str) -> str:
    """Return an element's id for a sentence: in quotes where it could be misread.

    >>> name("page0017"), name("the cat"), name("a\\nb"), name("it's"), name("x,")
    ('page0017', "'the cat'", "'a\\\\nb'", "it's", "'x,'")
    """
    is_plain = element.isprintable() and " " not in element and len(element) <= _LONGEST
    is_plain = is_plain and element[:1] not in "\"'(" and element[-1:] not in "\"'.,;:!?)"
    return element if is_plain else shown(element)


def seconds(time: float) -> str:
    """Return a time for a sentence.

    >>> seconds(12.44), seconds(3.0), seconds(4711.08)
    ('12.4 s', '3 s', '4,711.1 s')
    """
    return f"{f'{time:,.1f}'.removesuffix('.0')} s"


def _together(events: tuple[Event, ...]) -> Iterator[tuple[Event, ...]]:
    """Yield the events of each step, those of a consulted element or of unnamed ones together."""
    start = 0
    for end in range(1, len(events) + 1):
        last, then = events[end - 1], events[end] if end < len(events) else None
        if then is not None and last.action == "consult":
            is_itself = then.action == "see" and not then.origin and then.element == last.element
            if is_itself or (_is_unnamed(last) and _is_unnamed(then)):
                continue
        yield events[start:end]
        start = end


def _is_unnamed(event: Event) -> bool:
    return event.action == "consult" and not event.element


def _unnamed(first: Event, last: Event) -> str:
    """Return the sentence for consulting elements that no file names."""
    if first == last:
        return (
            f"the user consults another element (rank {first.rank:,}, after the list): nothing new"
        )
    until = f"until {seconds(last.time)} " if last.time > first.time else ""
    many = f"{last.rank - first.rank + 1:,} other elements"
    ranks = f"ranks {first.rank:,} to {last.rank:,}, after the list"
    return f"the user begins to consult {many} ({ranks}) {until}: nothing new".replace(" :", ":")


def _judged(event: Event, count: str) -> str:
    if not event.ideal:
        return ", which is not ideal"
    return (
        f", an ideal they had not seen: {count}" if event.new else ", an ideal they had seen before"
    )


def _count(num_seen: int, goal: int | None, all_ideals: int) -> str:
    if goal is None:
        if all_ideals == 1:
            return "the only one there is"
        return f"{num_seen:,} of the {all_ideals:,} there are"
    if num_seen > goal:
        return f"{num_seen:,}, more than the {goal:,} they want"
    return "the one they want" if goal == 1 else f"{num_seen:,} of the {goal:,} they want"


def _after(session: Session) -> str:
    """Return after how many elements the user stopped, and how many led to something new."""
    consulted, leading = session.consulted, session.leading
    if consulted == 0:
        return "before they consult an element"
    if consulted == 1:
        return f"after 1 element, which led to {'something' if leading else 'nothing'} new"
    which = {0: "none", consulted: "all"}.get(leading, f"{leading:,}")
    return f"after {consulted:,} elements, {which} of which led to something new"
