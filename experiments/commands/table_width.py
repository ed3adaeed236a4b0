"""A table as lines of text no wider than a terminal: half widths, columns, middles of names go."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from prum.experiments.views.shortening import shortened, widest
from prum.experiments.views.view import Table
from prum.simulator.model.errors import printable

# Between two columns.
_GAP = 2
# A name is not shortened below this, and may take this share of the width.
_LEAST_NAME, _SHARE = 9, 0.5


@dataclass(frozen=True, slots=True)
class FittedTable:
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
        return f"left out at this width: {_listed(parts)}" if parts else ""


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
        return widest((self.heading, *self.texts), cell_len) + self.sign_width

    @property
    def sign_width(self) -> int:
        signs = widest(self.signs, cell_len)
        return signs + (signs > 0)

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


def fitted(table: Table, width: int | None) -> FittedTable:
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
        names = max(widest(column.texts, cell_len) - by, least)
        columns[named] = column.with_texts(shortened(column.texts, names, cell_len))

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
    return FittedTable(tuple(lines), tuple(briefer), tuple(left_out), is_shortened)


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + _GAP * (len(columns) - 1)


def _padded(text: str, width: int, is_left: bool) -> str:
    space = " " * (width - cell_len(text))
    return text + space if is_left else space + text
