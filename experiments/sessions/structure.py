"""What is drawn of a session, and said of its steps; and where a long session is cut."""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from prum.simulator.model import Links, Task
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import shown
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


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a session, with one sentence and drawn at once.

    Parameters
    ----------
    sentence
        What happened.
    rank
        The rank of the element that is being consulted.
    events
        An element consulted and itself seen, several unnamed elements after the list, one element
        navigated to, or the end; empty if steps are left out.
    new
        Whether something new was seen.
    found
        How many ideals the user has seen so far.
    """

    sentence: str
    rank: int
    events: tuple[Event, ...]
    new: bool
    found: int


def sentences(task: Task, session: Session, wanted: int | None = None) -> list[str]:
    """Return what a user did: a sentence for each element consulted or seen, and for the end.

    `wanted` is the number of ideals that the user wants, if that is known.

    >>> c, end = Event(1, "consult", 1, "c"), Event(1, "stop", 1, "c")
    >>> see = Event(1, "see", 1, "a", "c", ideal=True, new=True)
    >>> session = Session(0, 1, (c, Event(1, "see", 1, "c"), see, end), "found")
    >>> for sentence in sentences(Task(["c"], ["a", "b"], 3), session):
    ...     print(sentence)
    At 1 s the user consults c (rank 1), which is not ideal.
    From c they see a, an ideal they had not seen: 1 of the 2 there are.
    The user stops: they have found what they wanted, after 1 element, which led to something new.
    """
    return [step.sentence for step in steps(task, session, wanted)]


def steps(task: Task, session: Session, wanted: int | None = None) -> list[Step]:
    """Return the steps of a user; consulting an element and seeing it are one step."""
    all_steps, clock, num_seen = list[Step](), "", 0
    for events in _together(session.events):
        first, last = events[0], events[-1]
        num_seen += sum(event.new for event in events)
        judged = _judged(last, _count(num_seen, wanted, task.num_ideals))
        at = f"At {seconds(first.time)} "
        is_later = at != clock
        if _is_unnamed(first):
            text = at + _unnamed(first, last)
        elif first.action == "consult":
            after = ", after the list" if first.rank > task.num_ranked else ""
            text = f"{at}the user consults {name(first.element)} (rank {first.rank:,}{after})"
            if len(events) > 1:
                is_same = seconds(last.time) == seconds(first.time)
                text += "" if is_same else f"; at {seconds(last.time)} they have seen it"
                text += judged
        elif first.action == "see":
            start = at.rstrip() * is_later
            if first.origin:
                start += f"{', f' if start else 'F'}rom {name(first.origin)}{',' * is_later}"
            text = f"{start} they see {name(first.element)}".lstrip() + judged
        else:
            start = at if is_later else ""
            text = f"{start}the user stops: {_REASONS[session.reason]}, {_after(session)}"
        clock = f"At {seconds(last.time)} "
        new = any(event.new for event in events)
        all_steps.append(Step(f"{text[0].upper()}{text[1:]}.", first.rank, events, new, num_seen))
    return all_steps


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


def _count(num_seen: int, wanted: int | None, all_ideals: int) -> str:
    if wanted is None:
        if all_ideals == 1:
            return "the only one there is"
        return f"{num_seen:,} of the {all_ideals:,} there are"
    if num_seen > wanted:
        return f"{num_seen:,}, more than the {wanted:,} they want"
    return "the one they want" if wanted == 1 else f"{num_seen:,} of the {wanted:,} they want"


def _after(session: Session) -> str:
    """Return after how many elements the user stopped, and how many led to something new."""
    consulted, leading = session.consulted, session.leading
    if consulted == 0:
        return "before they consult an element"
    if consulted == 1:
        return f"after 1 element, which led to {'something' if leading else 'nothing'} new"
    which = {0: "none", consulted: "all"}.get(leading, f"{leading:,}")
    return f"after {consulted:,} elements, {which} of which led to something new"


PITCH, HEIGHT = 38.0, 26.0
_INDENT, _LAYER_GAP = 34.0, 84.0
_CELL, _MARGIN, _MOST_CELLS = 7.7, 20.0, 18
# Trees deeper than this are drawn without the ancestors that hold one branch only.
_DEEPEST = 8
# More links than that hide the moves.
_MOST_LINKS = 400


@dataclass(frozen=True, slots=True)
class Node:
    """An element in its place: left edge, middle line, width; layers do not overlap."""

    element: str
    x: float
    y: float
    width: float
    layer: int = 0

    @property
    def right(self) -> float:
        """Right edge."""
        return self.x + self.width


@dataclass(frozen=True, slots=True)
class DrawnStructure:
    """The elements drawn, and which of them belong together.

    Parameters
    ----------
    nodes
        Element -> its place.
    edges
        Parent and child, or source and target.
    is_tree
        Which of both.
    is_cut
        Whether ancestors are left out.
    """

    nodes: Mapping[str, Node]
    edges: tuple[tuple[str, str], ...]
    is_tree: bool
    is_cut: bool = False


def tree(elements: Elements, shown: Iterable[str], *, x: float, y: float) -> DrawnStructure:
    """Return a tree of some elements and their ancestors, each in a row of its own.

    Elements that are not in the table stand below it, on their own.
    """
    wanted = list(dict.fromkeys(shown))
    known = {element for element in wanted if element in elements.code}
    above = {element: elements.ancestors(element) for element in known}
    drawn = known.union(*above.values())
    is_deep = max((len(ancestors) for ancestors in above.values()), default=0) > _DEEPEST
    if is_deep:
        drawn = known | _branching(drawn, elements)
    order = sorted(drawn, key=elements.number)
    parent = {
        element: next(
            (ancestor for ancestor in elements.ancestors(element) if ancestor in drawn), None
        )
        for element in order
    }
    depth: dict[str, int] = {}
    for element, over in parent.items():
        depth[element] = 0 if over is None else depth[over] + 1
    rows = [*order, *(element for element in wanted if element not in known)]
    nodes = {
        element: Node(
            element, x + _INDENT * depth.get(element, 0), y + PITCH * row, width(label(element))
        )
        for row, element in enumerate(rows)
    }
    edges = tuple((over, element) for element, over in parent.items() if over is not None)
    return DrawnStructure(nodes, edges, is_tree=True, is_cut=is_deep)


def _branching(drawn: set[str], elements: Elements) -> set[str]:
    """Return the elements with two branches or more among those drawn."""
    num_children: dict[str, int] = {}
    for element in drawn:
        over = elements.parents[elements.number(element)]
        if over >= 0:
            num_children[elements.ids[over]] = num_children.get(elements.ids[over], 0) + 1
    return {element for element, number in num_children.items() if number > 1}


def graph(
    links: Links | None,
    consulted: Mapping[str, float],
    moves: Sequence[tuple[str, str]],
    *,
    x: float,
    y: float,
) -> DrawnStructure:
    """Return a graph in layers: consulted elements at their height, then as far as the user went.

    `moves` are origin and element, in order; each origin is consulted or has been
    moved to before.
    """
    layer = dict.fromkeys(consulted, 0)
    height = dict(consulted)
    origins: dict[str, list[str]] = {}
    for origin, element in moves:
        if element not in consulted:
            layer.setdefault(element, layer.get(origin, 0) + 1)
            origins.setdefault(element, []).append(origin)
    layers = [
        [element for element in layer if layer[element] == number]
        for number in range(max(layer.values(), default=-1) + 1)
    ]
    nodes: dict[str, Node] = {}
    for number, members in enumerate(layers):
        if number:
            height.update(_spread(members, origins, height, y))
        widest = max(width(label(element)) for element in members)
        for element in members:
            nodes[element] = Node(element, x, height[element], width(label(element)), number)
        x += widest + _LAYER_GAP
    return DrawnStructure(nodes, _edges(links, nodes), is_tree=False)


def _spread(
    members: list[str], origins: Mapping[str, list[str]], height: Mapping[str, float], top: float
) -> dict[str, float]:
    """Return heights near those of the origins, a row apart."""

    def wish(element: str) -> float:
        known = [height[origin] for origin in origins[element] if origin in height]
        return sum(known) / len(known) if known else top

    order = sorted(members, key=wish)
    placed = list[float]()
    for element in order:
        placed.append(max(wish(element), placed[-1] + PITCH if placed else top))
    excess = (sum(placed) - sum(map(wish, order))) / len(order)
    shift = min(excess, placed[0] - top)
    return {element: y - shift for element, y in zip(order, placed, strict=True)}


def _edges(links: Links | None, nodes: Mapping[str, Node]) -> tuple[tuple[str, str], ...]:
    """Return the links between the nodes, none if there are too many to be told apart."""
    if links is None:
        return ()
    edges = list[tuple[str, str]]()
    for source in nodes:
        number = bisect_left(links.elements, source)
        if number == len(links.elements) or links.elements[number] != source:
            continue
        span = slice(int(links.starts[number]), int(links.starts[number + 1]))
        reached = zip(links.targets[span].tolist(), links.probabilities[span].tolist(), strict=True)
        targets = (links.elements[target] for target, probability in reached if probability > 0)
        edges += [(source, target) for target in targets if target in nodes]
    return tuple(edges) if len(edges) <= _MOST_LINKS else ()


def label(element: str) -> str:
    """Return an id that fits into a box: what is too long loses its middle.

    >>> label("c"), label("article[1]/body[1]/section[3]")
    ('c', 'article…section[3]')
    """
    text = element if element.isprintable() else name(element)
    if _cells(text) <= _MOST_CELLS:
        return text
    head, tail = text[:_MOST_CELLS], text[-_MOST_CELLS:]
    while _cells(head) > _MOST_CELLS // 2 - 2:
        head = head[:-1]
    while _cells(tail) > _MOST_CELLS // 2 + 1:
        tail = tail[1:]
    return f"{head}…{tail}"


def width(text: str) -> float:
    """Return the width of a box around a text."""
    return max(HEIGHT, _CELL * _cells(text) + _MARGIN - _CELL * (_cells(text) == 1))


def _cells(text: str) -> int:
    """Return the width of a text in narrow letters: those of East Asia are wide."""
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


FIRST, LAST, MOVES = 12, 6, 12


@dataclass(frozen=True, slots=True)
class Cut:
    """The steps that are shown.

    Parameters
    ----------
    steps
        In order; a step without events stands for those left out there.
    ranks
        The consulted ranks that are drawn, as first and last rank of each step.
    gap
        The first and the last rank left out, or None.
    """

    steps: tuple[Step, ...]
    ranks: tuple[tuple[int, int], ...]
    gap: tuple[int, int] | None


def cut(steps: Sequence[Step], *, first: int = FIRST, last: int = LAST, moves: int = MOVES) -> Cut:
    """Return the steps to draw; a single rank or move is never left out alone."""
    groups: list[list[Step]] = []
    for step in steps:
        is_new_rank = any(event.action == "consult" for event in step.events)
        if is_new_rank or not groups:
            groups.append([])
        groups[-1].append(step)
    end = [groups[-1].pop()] if groups and is_end(groups[-1][-1]) else []
    groups = [group for group in groups if group]
    left_out = groups[first : len(groups) - last] if len(groups) > first + last + 1 else []
    drawn, kept = list[tuple[int, int]](), list[Step]()
    for number, group in enumerate(groups):
        if left_out and first <= number < len(groups) - last:
            if number == first:
                kept.append(_rest_of_ranks(left_out))
            continue
        drawn.append((group[0].rank, _last_rank(group)))
        kept += group if len(group) <= moves + 2 else [*group[: moves + 1], _rest(group, moves)]
    gap = (left_out[0][0].rank, _last_rank(left_out[-1])) if left_out else None
    return Cut((*kept, *end), tuple(drawn), gap)


def is_end(step: Step) -> bool:
    """Return whether the user stops in a step."""
    return any(event.action == "stop" for event in step.events)


def _last_rank(group: list[Step]) -> int:
    return group[-1].events[-1].rank


def _rest(group: list[Step], moves: int) -> Step:
    """Return the step that stands for the later moves from one consulted element."""
    rest = group[moves + 1 :]
    text = f"{len(rest):,} more moves from there are left out{_new_in(rest)}."
    return Step(text, rest[-1].rank, (), any(step.new for step in rest), rest[-1].found)


def _rest_of_ranks(groups: list[list[Step]]) -> Step:
    rest = [step for group in groups for step in group]
    text = f"Ranks {rest[0].rank:,} to {_last_rank(rest):,} are left out{_new_in(rest)}."
    return Step(text, rest[-1].rank, (), any(step.new for step in rest), rest[-1].found)


def _new_in(rest: list[Step]) -> str:
    new = sum(step.new for step in rest)
    what = {0: "nothing new", 1: "1 new ideal"}.get(new, f"{new:,} new ideals")
    return f"; they led to {what}"
