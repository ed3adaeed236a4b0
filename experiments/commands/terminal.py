"""Standard output as tables are printed on it: a terminal, or plain text of a fixed width."""

import errno
import os
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from prum.simulator.model.errors import printable

PLAIN_WIDTH = 110
# Where what is left out for want of width is to be had.
ALL_SHOWN = "a wider window or a pipe shows all, --csv FILE has all scores"
_ANY_WIDTH = 10_000


class _Console(Console):
    """A console that prints texts as they are, and leaves a reader who went away to the caller."""

    def print(self, *objects: Any, **settings: Any) -> None:
        super().print(*map(literal, objects), **settings)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class _Table(Table):
    """A table whose cells are texts as they are."""

    def add_row(self, *cells: Any, **settings: Any) -> None:
        super().add_row(*map(literal, cells), **settings)


def standard_output(plain_width: int = PLAIN_WIDTH) -> Console:
    """Return a console on standard output, of a fixed width where that is no terminal."""
    console = _Console(highlight=False)
    return console if console.is_terminal else _Console(highlight=False, width=plain_width)


def new_table(title: str, *columns: str) -> Table:
    """Return an empty table; numbers stand to the right."""
    table = _Table(
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


def print_within(console: Console, table: Table, optional: Sequence[str]) -> None:
    """Print a table without as many of its optional columns as there is no room for, and say so.

    They go in their order; what is no terminal gets all of them.
    """
    whole = console.options.update(width=_ANY_WIDTH, max_width=_ANY_WIDTH)
    left_out = list[str]()
    for name in optional if console.is_terminal else ():
        if Measurement.get(console, whole, table).maximum <= console.width:
            break
        table.columns = [column for column in table.columns if str(column.header) != name]
        left_out.append(name)
    console.print(table)
    if left_out:
        note = f"left out at this width: {', '.join(left_out)} ({ALL_SHOWN})\n"
        console.print(note, markup=False)


def literal(content: Any, style: str = "") -> Any:
    """Return a text without marks of style, emoji and control characters, but for line ends.

    Ids come from files: what rich would take for its marks is a part of them.
    """
    if not isinstance(content, str):
        return content
    return Text("\n".join(map(printable, content.split("\n"))), style)
