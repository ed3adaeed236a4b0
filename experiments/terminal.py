"""Standard output as tables are printed on it: a terminal, or plain text of a fixed width."""

from rich import box
from rich.console import Console
from rich.table import Table

PLAIN_WIDTH = 110


class _Console(Console):
    """A console that leaves a reader who went away to the caller."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def standard_output(plain_width: int = PLAIN_WIDTH) -> Console:
    """Return a console on standard output, of a fixed width where that is no terminal."""
    console = _Console(highlight=False)
    return console if console.is_terminal else _Console(highlight=False, width=plain_width)


def new_table(title: str, *columns: str) -> Table:
    """Return an empty table; numbers stand to the right."""
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for column in columns:
        table.add_column(column, justify="left" if column in ("system", "topic") else "right")
    return table
