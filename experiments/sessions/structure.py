"""What is drawn of a session: the structure of elements, and where a long session is cut."""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from prum.experiments.sessions.wording import Step, name
from prum.simulator.model import Links
from prum.simulator.model.elements import Elements

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
    end = [groups[-1].pop()] if groups and _is_end(groups[-1][-1]) else []
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


def _is_end(step: Step) -> bool:
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
