"""Views on the terminal: tables as wide as it is, and what standard output can take."""

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table as Grid
from rich.text import Text

from prum.experiments.frame.view import Table, View
from prum.simulator.model.errors import printable

PLAIN_WIDTH = 110


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


# Between two columns of a grid, as its box has it.
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
        _print_grids(console, table)
    console.print("\n".join(view.notes), markup=False, soft_wrap=True)


def _print_led(console: Console, view: View, tables: Iterable[Table]) -> None:
    """Print the answer, tables, as grids where they are wider than a terminal, and the rest."""
    is_plain = not console.is_terminal
    # Names may hold line ends: a sentence is a line.
    console.print(printable(view.headline), soft_wrap=is_plain)
    for table in tables:
        lines = table.lines(ruled=True, width_of=cell_len)
        console.print()
        console.print(literal(table.label, "italic"), soft_wrap=is_plain)
        if is_plain or max(map(cell_len, lines)) <= console.width:
            console.print("\n".join(["", *lines]), soft_wrap=True)
        else:
            _print_grids(console, table)
        if table.legend:
            console.print("\n".join(["", *map(printable, table.legend)]), soft_wrap=is_plain)
    for sentences in (view.sentences, view.notes):
        if sentences:
            console.print("\n".join(["", *map(printable, sentences)]), soft_wrap=is_plain)


def _print_grids(console: Console, table: Table) -> None:
    """Print a table, in as many parts side by side as the width asks for."""
    rows = list(_cells(table))
    for columns in _parted(table, rows, console.width):
        console.print(_grid(table, rows, columns))


def _cells(table: Table) -> Iterator[list[str]]:
    """Yield the texts of each row with their signs."""
    for number, row in enumerate(table.rows):
        signs = [marks.signs[number] if marks.signs else "" for marks in table.marks]
        yield [
            f"{text} {sign}".rstrip() if sign else text
            for text, sign in zip(row, signs or [""] * len(row), strict=True)
        ]


def _parted(table: Table, rows: Sequence[Sequence[str]], width: int) -> Iterator[list[int]]:
    """Yield the columns of each part; what stands left at the beginning heads every part."""
    widths = [
        max(map(len, (heading, *(row[at] for row in rows)))) + _BETWEEN
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


def _grid(table: Table, rows: Sequence[Sequence[str]], columns: list[int]) -> Grid:
    grid = new_table("")
    for at in columns:
        side: JustifyMethod = "left" if table.left[at] else "right"
        # A name is folded where it has no room, never cut.
        grid.add_column(literal(table.columns[at]), justify=side, overflow="fold")
    for number, row in enumerate(rows):
        if number in table.starts:
            grid.add_section()
        grid.add_row(*(row[at] for at in columns))
    return grid
