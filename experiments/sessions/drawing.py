"""One user's session drawn, step by step, and the page that plays it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from prum.experiments.frame.html import check_installed, script_hash, template_page
from prum.experiments.sessions.structure import (
    HEIGHT,
    PITCH,
    Cut,
    DrawnStructure,
    Node,
    Step,
    cut,
    graph,
    is_end,
    label,
    name,
    seconds,
    steps,
    tree,
    width,
)
from prum.simulator.model import Links, Task
from prum.simulator.model.elements import Elements
from prum.simulator.sessions.trace import Session

_TOP, _GUTTER, _EDGE = 52.0, 130.0, 14.0
_NOT_CONSULTED = 3
_HEAD = 9.0

# Makes the structure from where the consulted elements stand, and where it begins.
Arrange = Callable[[dict[str, float], float, float], DrawnStructure]


@dataclass(frozen=True, slots=True)
class SessionDrawing:
    """An SVG drawing: its body, and its size in points."""

    body: str
    width: float
    height: float
    structure: DrawnStructure


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the list; `ranks` is the text before it, `step` the step that consults it."""

    ranks: str
    element: str
    y: float
    step: int | None = None


def draw(
    shown: Cut, ranking: Sequence[str], ideals: Sequence[str], arrange: Arrange
) -> SessionDrawing:
    """Return the drawing of what is shown of a session.

    What happens in step k, from 1, has the attribute data-step="k".
    """
    rows = list(_rows(shown, ranking))
    widest_rank = max((len(row.ranks) for row in rows), default=1)
    left = _EDGE + 56 + 8.2 * max(widest_rank, 4)
    boxes = max((width(label(row.element)) for row in rows if row.element), default=HEIGHT)
    heights: dict[str, float] = {}
    for row in rows:
        if row.step is not None and row.element:
            heights.setdefault(row.element, row.y)
    structure = arrange(heights, left + boxes + _GUTTER, _TOP)
    wanted = set(ideals)
    parts = [
        _heading(_EDGE, "found"),
        _heading(left - 12, "rank", "end"),
        _heading(left, "list"),
        _heading(left + boxes + _GUTTER, "document" if structure.is_tree else "elements"),
        *_structure_edges(structure),
        *_lines(rows, shown.steps, structure, left + boxes),
        *_moves(shown.steps, structure),
        *(_node(node, shown.steps, wanted) for node in structure.nodes.values()),
        *_list(rows, shown.steps, left, boxes),
    ]
    right = max((node.right for node in structure.nodes.values()), default=left + boxes)
    bows = (_clear(*ends, structure) - right for ends in _ends(shown.steps, structure))
    bow = max(bows, default=0.0)
    low = max([row.y for row in rows] + [node.y for node in structure.nodes.values()], default=_TOP)
    # Headings need room, too.
    return SessionDrawing(
        "\n".join(parts), round(right + max(bow, 70) + _EDGE), round(low + PITCH), structure
    )


def _rows(shown: Cut, ranking: Sequence[str]) -> Iterator[_Row]:
    """Yield the rows: consulted ranks and the gap between them, then the next few ranks."""
    consulted = {
        step.rank: (number, step.events[0].element)
        for number, step in enumerate(shown.steps, start=1)
        if step.events and step.events[0].action == "consult"
    }
    y, last = _TOP, 0
    for first, end in shown.ranks:
        if shown.gap is not None and last < shown.gap[0] <= first:
            yield _Row(f"{shown.gap[0]:,}–{shown.gap[1]:,}", "", y)
            y += PITCH
        number, element = consulted.get(first, (None, ""))
        yield _Row(f"{first:,}" if first == end else f"{first:,}–{end:,}", element, y, number)
        y, last = y + PITCH, end
    more = ranking[last : last + _NOT_CONSULTED]
    for rank, element in enumerate(more, start=last + 1):
        yield _Row(f"{rank:,}", element, y)
        y += PITCH
    if (rest := len(ranking) - last - len(more)) > 0:
        yield _Row(f"{rest:,} more", "", y)


def _heading(x: float, text: str, anchor: str = "start") -> str:
    return f'<text class="heading" x="{x:.1f}" y="20" text-anchor="{anchor}">{text}</text>'


def _list(rows: list[_Row], steps: Sequence[Step], left: float, boxes: float) -> Iterator[str]:
    """Yield the rows of the list, consulted ones with the number of ideals found by then."""
    for row in rows:
        kind = "row consulted" if row.step is not None else "row"
        parts = [
            f'<text class="rank" x="{left - 12:.1f}" y="{row.y + 4.5:.1f}" text-anchor="end">'
            f"{row.ranks}</text>"
        ]
        if row.element:
            parts.append(_box(left, row.y, boxes, row.element, radius=3))
        yield f'<g class="{kind}"{_at(row.step)}>{"".join(parts)}</g>'
        if row.step is not None:
            number, num_seen = _last_step(steps, row.step)
            yield (
                f'<text class="found"{_at(number)} x="{_EDGE + 16:.1f}" y="{row.y + 4.5:.1f}" '
                f'text-anchor="middle">{num_seen:,}</text>'
            )


def _last_step(steps: Sequence[Step], number: int) -> tuple[int, int]:
    """Return the last step at the element consulted in step `number`, and what is found then."""
    rank = steps[number - 1].rank
    last = number
    while last < len(steps) and steps[last].rank == rank and not is_end(steps[last]):
        last += 1
    return last, steps[last - 1].found


def _lines(
    rows: list[_Row], steps: Sequence[Step], structure: DrawnStructure, x: float
) -> Iterator[str]:
    """Yield a thin line for each consulted element, and a thick one where it leads to new."""
    for row in rows:
        node = structure.nodes.get(row.element)
        if row.step is None or node is None:
            continue
        bend = x + _GUTTER * 0.45
        path = (
            f"M{x:.1f} {row.y:.1f}C{bend:.1f} {row.y:.1f} {bend:.1f} {node.y:.1f} "
            f"{x + _GUTTER * 0.9:.1f} {node.y:.1f}H{node.x + 2:.1f}"
        )
        yield f'<path class="line"{_at(row.step)} d="{path}"/>'
        last, _ = _last_step(steps, row.step)
        leads = [number for number in range(row.step, last + 1) if steps[number - 1].new]
        if leads:
            yield f'<path class="line new"{_at(leads[0])} d="{path}"/>'


def _structure_edges(structure: DrawnStructure) -> Iterator[str]:
    for source, target in structure.edges:
        start, end = structure.nodes[source], structure.nodes[target]
        if structure.is_tree:
            path = f"M{start.x + 13:.1f} {start.y:.1f}V{end.y - 6:.1f}q0 6 6 6H{end.x + 2:.1f}"
        else:
            path, _ = _route(start, end, structure, head=0)
        yield f'<path class="structure" d="{path}"/>'


def _moves(steps: Sequence[Step], structure: DrawnStructure) -> Iterator[str]:
    """Yield an arrow for each move."""
    for number, step in enumerate(steps, start=1):
        for event in step.events:
            if event.action != "see" or not event.origin:
                continue
            if event.origin in structure.nodes and event.element in structure.nodes:
                ends = structure.nodes[event.origin], structure.nodes[event.element]
                path, head = _route(*ends, structure)
                kind = "move new" if event.new else "move"
                yield (
                    f'<g class="{kind}"{_at(number)}><path d="{path}"/>'
                    f'<path class="head" d="{head}"/></g>'
                )


def _ends(steps: Sequence[Step], structure: DrawnStructure) -> Iterator[tuple[Node, Node]]:
    """Yield where moves and edges that may bow out begin and end."""
    pairs = [(event.origin, event.element) for step in steps for event in step.events]
    for source, target in [*pairs, *(() if structure.is_tree else structure.edges)]:
        if source in structure.nodes and target in structure.nodes:
            yield structure.nodes[source], structure.nodes[target]


def _clear(start: Node, end: Node, structure: DrawnStructure) -> float:
    """Return how far to the right an arc reaches that passes all nodes between."""
    low, high = sorted((start.y, end.y))
    layer = [node for node in structure.nodes.values() if node.layer == start.layer]
    between = (node.right for node in layer if low <= node.y <= high)
    return max(between, default=start.right) + 14 + min(0.22 * (high - low), 56)


def _route(
    start: Node, end: Node, structure: DrawnStructure, *, head: float = _HEAD
) -> tuple[str, str]:
    """Return a path from one node to another, and its arrow's head of this length."""
    if start.layer == end.layer:
        x, sign = _clear(start, end, structure), -1
        # Leaves and comes at different heights: of two arcs each has its own head.
        y1, y2 = start.y + 5, end.y - 5
        if start.y > end.y:
            y1, y2 = start.y - 5, end.y + 5
        tip = end.right + 1
        # A cubic goes three quarters of the way to its handles.
        reach = x + (x - (start.right + end.right) / 2) / 3
        bend1 = bend2 = reach
        begin = start.right
    else:
        sign = 1 if start.layer < end.layer else -1
        begin, tip = (start.right, end.x - 1) if sign > 0 else (start.x, end.right + 1)
        y1, y2 = start.y, end.y
        bend1, bend2 = begin + sign * 45, tip - sign * 55
    neck = tip - sign * (head - 2)
    path = f"M{begin:.1f} {y1:.1f}C{bend1:.1f} {y1:.1f} {bend2:.1f} {y2:.1f} {neck:.1f} {y2:.1f}"
    back = tip - sign * head
    return path, f"M{tip:.1f} {y2:.1f}L{back:.1f} {y2 - 4.5:.1f}V{y2 + 4.5:.1f}Z"


def _node(node: Node, steps: Sequence[Step], ideals: set[str]) -> str:
    """Return a node, which is seen from some step on or never."""
    seen = next(
        (
            number
            for number, step in enumerate(steps, start=1)
            if any(event.element == node.element for event in step.events if event.action != "stop")
        ),
        None,
    )
    kind = "node" + " ideal" * (node.element in ideals) + " seen" * (seen is not None)
    box = _box(node.x, node.y, node.width, node.element, radius=HEIGHT / 2)
    return f'<g class="{kind}"{_at(seen)}>{box}</g>'


def _box(x: float, y: float, size: float, element: str, *, radius: float) -> str:
    """Return a box with an id in it; the whole id shows when it is pointed at."""
    short, whole = label(element), name(element)
    title = "" if short == element else f"<title>{escape(whole)}</title>"
    return (
        f'{title}<rect x="{x:.1f}" y="{y - HEIGHT / 2:.1f}" width="{size:.1f}" '
        f'height="{HEIGHT:.1f}" rx="{radius:.1f}"/><text x="{x + size / 2:.1f}" '
        f'y="{y + 4.5:.1f}" text-anchor="middle">{escape(short)}</text>'
    )


def _at(step: int | None) -> str:
    return "" if step is None else f' data-step="{step}"'


def page(
    task: Task,
    session: Session,
    *,
    structure: Elements | Links | None = None,
    wanted: int | None = None,
    place: str = "",
    command: str = "",
) -> str:
    """Return the page of a session.

    Parameters
    ----------
    structure
        What the user browses: trees of elements, drawn as such, or links.
    wanted
        How many ideals the user wants, if that is known.
    place
        Which list it is.
    command
        The command that makes this page.

    Raise InputError if jinja2 is not installed.
    """
    check_installed(is_drawn=False)
    all_steps = steps(task, session, wanted)
    shown = cut(all_steps)
    script = files("prum.experiments.sessions").joinpath("replay.js").read_text("utf-8")
    who = f"User {session.user:,} of seed {session.seed:,}"
    return template_page(
        "prum.experiments.sessions",
        "replay.html",
        {
            "title": f"{who}, step by step",
            "headline": all_steps[-1].sentence if all_steps else "",
            "label": f"{who}: their list and what they saw; the steps below say the same in words",
            "place": place,
            "wants": _wants(task, wanted),
            "drawing": _drawing(task, shown, structure),
            "sentences": [step.sentence for step in shown.steps],
            "gap": "" if shown.gap is None else f"{shown.gap[0]:,} to {shown.gap[1]:,}",
            "facts": _facts(session),
            "command": command,
            "script": script,
            "script_hash": script_hash(script),
        },
    )


def _drawing(task: Task, shown: Cut, structure: Elements | Links | None) -> SessionDrawing:
    events = [event for step in shown.steps for event in step.events if event.element]
    seen = [event.element for event in events if event.action != "stop"]
    moves = [(event.origin, event.element) for event in events if event.origin]

    def arrange(consulted: dict[str, float], x: float, y: float) -> DrawnStructure:
        if isinstance(structure, Elements):
            return tree(structure, seen, x=x, y=y)
        return graph(structure, consulted, moves, x=x, y=y)

    return draw(shown, task.ranking, task.ideals, arrange)


def _wants(task: Task, wanted: int | None) -> str:
    ideals = f"{task.num_ideals:,} ideal{'s' * (task.num_ideals > 1)}"
    if wanted is None:
        return f"There {'are' if task.num_ideals > 1 else 'is'} {ideals}."
    return f"They want {wanted:,} of {ideals}."


def _facts(session: Session) -> list[tuple[str, str]]:
    found = session.found
    shown = [f"{count:,}" for count in found]
    if len(shown) > 40:
        shown = [*shown[:20], "…", *shown[-5:]]
    return [
        ("elements consulted", f"{session.consulted:,}"),
        ("that led to something new", f"{session.leading:,}"),
        ("ideals found after each", ", ".join(shown) or "–"),
        ("time", seconds(session.seconds)),
    ]
