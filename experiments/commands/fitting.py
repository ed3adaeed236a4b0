"""A table as lines of text no wider than a terminal: half widths, columns, middles of names go."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from prum.experiments.report.view import Table
from prum.simulator.model.errors import printable

# Between two columns.
_GAP = 2
# A name is not shortened below this, and may take this share of the width.
_LEAST_NAME, _SHARE = 9, 0.5


@dataclass(frozen=True, slots=True)
class Fitted:
    """Lines of a table, and the headings of the columns that were left out."""

    lines: tuple[str, ...]
    briefer: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    is_shortened: bool = False

    @property
    def note(self) -> str:
        """What is missing for want of width, or nothing."""
        parts = list(self.left_out)
        parts += [f"the ± of {_listed(self.briefer)}"] if self.briefer else []
        parts += ["the middles of long names"] if self.is_shortened else []
        return f"Too narrow for {_listed(parts)}" if parts else ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    texts: tuple[str, ...]
    briefs: tuple[str, ...]
    signs: tuple[str, ...]
    is_left: bool
    is_optional: bool

    @property
    def width(self) -> int:
        return _width((self.heading, *self.texts)) + self.sign_width

    @property
    def sign_width(self) -> int:
        widest = _width(self.signs)
        return widest + (widest > 0)

    def brief(self) -> "_Column":
        return self.with_texts(self.briefs)

    def with_texts(self, texts: tuple[str, ...]) -> "_Column":
        return _Column(self.heading, texts, (), self.signs, self.is_left, self.is_optional)

    def lines(self) -> list[str]:
        """Return heading and cells, all of one width."""
        signs = self.signs or ("",) * len(self.texts)
        width = self.width - self.sign_width
        cells = [(self.heading, ""), *zip(self.texts, signs, strict=True)]
        return [
            _padded(text, width, self.is_left) + _padded(sign, self.sign_width, False)
            for text, sign in cells
        ]


def fitted(table: Table, width: int | None) -> Fitted:
    """Return a table with marks as lines; None is any width.

    Half widths of optional columns go first, then names wider than half of it lose their middles,
    optional columns go from the right, the last half widths, and more middles of names.
    """
    columns = [
        _Column(
            printable(heading),
            tuple(printable(row[at]) for row in table.rows),
            marks.brief,
            marks.signs,
            table.left[at],
            marks.is_optional,
        )
        for at, (heading, marks) in enumerate(zip(table.columns, table.marks, strict=True))
    ]
    briefer, left_out = list[str](), list[str]()
    named = next((at for at, column in enumerate(columns) if column.is_left), None)
    wanted = columns[named].width if named is not None else 0

    def over() -> int:
        return 0 if width is None else _total(columns) - width

    def shorten(by: int, least: int) -> None:
        if named is None or by <= 0:
            return
        column = columns[named]
        names = max(_width(column.texts) - by, least)
        columns[named] = column.with_texts(shortened(column.texts, names))

    def to_brief(places: Iterable[int]) -> None:
        for at in places:
            if over() > 0 and columns[at].briefs != columns[at].texts and columns[at].briefs:
                briefer.append(columns[at].heading)
                columns[at] = columns[at].brief()

    optional = [at for at, column in enumerate(columns) if column.is_optional]
    if over() > 0:
        # All of them: of two columns side by side, both have them or none.
        for at in optional:
            if columns[at].briefs:
                briefer.append(columns[at].heading)
                columns[at] = columns[at].brief()
    if width is not None:
        shorten(over(), max(int(width * _SHARE), _LEAST_NAME))
    for at in reversed(optional):
        if over() > 0:
            left_out.insert(0, columns[at].heading)
            del columns[at]
    to_brief(at for at, column in enumerate(columns) if not column.is_optional)
    shorten(over(), _LEAST_NAME)
    parts = [column.lines() for column in columns]
    lines = [(" " * _GAP).join(cells).rstrip() for cells in zip(*parts, strict=True)]
    lines.insert(1, "─" * _total(columns))
    is_shortened = named is not None and columns[named].width < wanted
    briefer = [heading for heading in briefer if heading not in left_out]
    return Fitted(tuple(lines), tuple(briefer), tuple(left_out), is_shortened)


def shortened(names: tuple[str, ...], width: int) -> tuple[str, ...]:
    """Return names of at most so many columns, without their middles; equal names stay equal.

    Where they would be mixed up they keep what tells them apart, or are wider.

    >>> shortened(("a-long-name", "short"), 7)
    ('a-l…ame', 'short')
    >>> shortened(("runs-of-1-in-all", "runs-of-2-in-all"), 8)
    ('run…1…ll', 'run…2…ll')
    """
    distinct = tuple(dict.fromkeys(names))
    for limit in range(width, _width(distinct)):
        short = _apart(distinct, limit)
        if short is not None:
            new = dict(zip(distinct, short, strict=True))
            return tuple(map(new.__getitem__, names))
    return names


def _apart(names: tuple[str, ...], width: int) -> tuple[str, ...] | None:
    """Return distinct names cut to a width, or None if there is no such cut."""
    room = width - 1
    for head in sorted(range(room + 1), key=lambda size: abs(2 * size - room - 1)):
        short = tuple(_cut(name, width, head) for name in names)
        if len(set(short)) == len(names):
            return short
    return _apart_inside(names, width)


def _apart_inside(names: tuple[str, ...], width: int) -> tuple[str, ...] | None:
    """As `_apart`, for long names that begin and end alike: what is between them stays."""
    long = [name for name in names if cell_len(name) > width]
    begin, end = _common(long), _common([name[::-1] for name in long])[::-1]
    inside = [name[len(begin) : len(name) - len(end)] for name in long]
    room = width - 2 - _width(inside)
    if room < 0 or len(long) < 2:
        return None
    head = _start(begin, (room + 1) // 2)
    tail = _start(end[::-1], room // 2)[::-1]
    new = {
        name: f"{head}…{middle}…{tail}" for name, middle in zip(long, inside, strict=True)
    }
    short = tuple(new.get(name, name) for name in names)
    return short if len(set(short)) == len(names) else None


def _common(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    same = next((at for at, sign in enumerate(first) if sign != last[at]), len(first))
    # A name that is the beginning of another keeps its last sign.
    return first[: min(same, min(map(len, texts)) // 2)]


def _cut(name: str, width: int, head: int) -> str:
    if cell_len(name) <= width:
        return name
    return f"{_start(name, head)}…{_start(name[::-1], width - 1 - head)[::-1]}"


def _start(text: str, width: int) -> str:
    """Return as much of the beginning as fits."""
    taken = 0
    for at, sign in enumerate(text):
        taken += cell_len(sign)
        if taken > width:
            return text[:at]
    return text


def _width(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=0)


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + _GAP * (len(columns) - 1)


def _padded(text: str, width: int, is_left: bool) -> str:
    space = " " * (width - cell_len(text))
    return text + space if is_left else space + text
