"""Views on the terminal: tables as wide as it is, and what standard output can take."""

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table as Grid
from rich.text import Text

from prum.experiments.frame.numbers import shortened, widest
from prum.experiments.frame.view import Table, View
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


PLAIN_WIDTH = 110
# Where what is left out for want of width is to be had.
ALL_SHOWN = "a wider window or a pipe shows all, --csv FILE has all scores"


class _Console(Console):
    """A console that prints texts as they are, and leaves a reader who went away to the caller."""

    def print(self, *objects: Any, **settings: Any) -> None:
        super().print(*map(literal, objects), **settings)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class _Grid(Grid):
    """A table whose cells are texts as they are."""

    def add_row(self, *cells: Any, **settings: Any) -> None:
        super().add_row(*map(literal, cells), **settings)


def standard_output(plain_width: int = PLAIN_WIDTH) -> Console:
    """Return a console on standard output, of a fixed width where that is no terminal."""
    console = _Console(highlight=False)
    return console if console.is_terminal else _Console(highlight=False, width=plain_width)


def new_table(title: str, *columns: str) -> Grid:
    """Return an empty table; numbers stand to the right."""
    table = _Grid(
        title=literal(title, "table.title"),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
    )
    for column in columns:
        if column in ("system", "topic"):
            # A name is folded where it has no room, never cut.
            table.add_column(literal(column), justify="left", overflow="fold")
        else:
            table.add_column(literal(column), justify="right")
    return table


def literal(content: Any, style: str = "") -> Any:
    """Return a text without marks of style, emoji and control characters, but for line ends.

    Ids come from files: what rich would take for its marks is a part of them.
    """
    if not isinstance(content, str):
        return content
    return Text("\n".join(map(printable, content.split("\n"))), style)


# Between two columns, as the box of a grid has it.
_BETWEEN = 3
_PLAIN_WIDTH = 120


def print_view(view: View) -> None:
    """Print the headline, tables but for details, and notes to standard output."""
    console = standard_output(_PLAIN_WIDTH)
    tables = [table for table in view.tables if not table.detail]
    if view.leads:
        _print_led(console, view, tables)
        return
    console.print(f"{view.headline}\n", markup=False, soft_wrap=True)
    for table in tables:
        console.print(literal(table.label, "italic"), soft_wrap=True)
        for columns in _parted(table, console.width):
            console.print(_grid(table, columns))
    console.print("\n".join(view.notes), markup=False, soft_wrap=True)


def _print_led(console: Console, view: View, tables: Iterable[Table]) -> None:
    """Print the answer, tables as wide as the terminal or whole where it is none, and the rest."""
    is_plain = not console.is_terminal
    # Names may hold line ends: a sentence is a line.
    console.print(printable(view.headline), soft_wrap=is_plain)
    for table in tables:
        fit = fitted(table, None if is_plain else console.width)
        console.print()
        console.print(literal(table.label, "italic"), soft_wrap=is_plain)
        console.print("\n".join(["", *fit.lines]), soft_wrap=True)
        legend = [*table.legend, *([f"{fit.note} ({ALL_SHOWN})"] if fit.note else [])]
        if legend:
            console.print("\n".join(["", *map(printable, legend)]), soft_wrap=is_plain)
    for lines in (view.sentences, view.notes):
        if lines:
            console.print("\n".join(["", *map(printable, lines)]), soft_wrap=is_plain)


def _parted(table: Table, width: int) -> Iterator[list[int]]:
    """Yield the columns of each part; what stands left at the beginning heads every part."""
    widths = [
        max(map(len, (heading, *(row[at] for row in table.rows)))) + _BETWEEN
        for at, heading in enumerate(table.columns)
    ]
    heads = next((at for at, left in enumerate(table.left) if not left), len(widths)) or 1
    if sum(widths[:heads]) > width / 2:
        # Long texts are folded rather than said again and again; a table of texts alone is one.
        yield list(range(len(widths)))
        return
    part = list(range(heads))
    for at in range(heads, len(widths)):
        if len(part) > heads and sum(widths[column] for column in (*part, at)) > width:
            yield part
            part = list(range(heads))
        part.append(at)
    yield part


def _grid(table: Table, columns: list[int]) -> Grid:
    grid = new_table("")
    for at in columns:
        side: JustifyMethod = "left" if table.left[at] else "right"
        # A name is folded where it has no room, never cut.
        grid.add_column(literal(table.columns[at]), justify=side, overflow="fold")
    for number, row in enumerate(table.rows):
        if number in table.starts:
            grid.add_section()
        grid.add_row(*(row[at] for at in columns))
    return grid
