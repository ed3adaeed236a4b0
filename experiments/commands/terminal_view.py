"""A view on the terminal: its tables, parted where they are too wide, its notes and the answer."""

from collections.abc import Iterable, Iterator

from rich.console import Console, JustifyMethod
from rich.table import Table as Grid

from prum.experiments.commands.table_width import fitted
from prum.experiments.commands.terminal import ALL_SHOWN, literal, new_table, standard_output
from prum.experiments.views.view import Table, View
from prum.simulator.model.errors import printable

# Between two columns, as the box of a grid has it.
_BETWEEN = 3
_PLAIN_WIDTH = 120


def print_view(view: View) -> None:
    """Print tables but for details, notes and headline to standard output."""
    console = standard_output(_PLAIN_WIDTH)
    tables = [table for table in view.tables if not table.detail]
    if view.leads:
        _print_led(console, view, tables)
        return
    for table in tables:
        console.print(literal(table.label, "italic"), soft_wrap=True)
        for columns in _parted(table, console.width):
            console.print(_grid(table, columns))
    console.print("\n".join([*view.notes, view.headline]), markup=False, soft_wrap=True)


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
