"""A view on the terminal: its tables, parted where they are too wide, its notes and the answer."""

from collections.abc import Iterator

from rich.console import Console, JustifyMethod
from rich.table import Table as Grid

from prum.experiments.commands.fitting import fitted
from prum.experiments.commands.terminal import literal, new_table, standard_output
from prum.experiments.report.view import Table, View

# Between two columns, as the box of a grid has it.
_BETWEEN = 3
_PLAIN_WIDTH = 120


def print_view(view: View) -> None:
    """Print tables but for details, sentences, notes and headline to standard output.

    A table with optional columns is fit to the width of the terminal, and whole where it is none.
    """
    console = standard_output(_PLAIN_WIDTH)
    if view.leads:
        console.print(f"{view.headline}\n", soft_wrap=True)
    for table in view.tables:
        if table.detail:
            continue
        console.print(literal(table.label, "italic"), soft_wrap=True)
        if any(marks.is_optional for marks in table.marks):
            _print_fitted(console, table)
            continue
        for columns in _parted(table, console.width):
            console.print(_grid(table, columns))
        for line in table.legend:
            console.print(line, soft_wrap=True)
    lines = "\n".join([*view.sentences, *view.notes, *(() if view.leads else (view.headline,))])
    if lines:
        console.print(lines, markup=False, soft_wrap=True)


def _print_fitted(console: Console, table: Table) -> None:
    fit = fitted(table, console.width if console.is_terminal else None)
    console.print("\n".join(["", *fit.lines, ""]), soft_wrap=True)
    for line in table.legend:
        console.print(line, soft_wrap=True)
    if fit.note:
        console.print(
            f"{fit.note} (a wider window or a pipe shows all, --csv FILE has all scores)",
            soft_wrap=True,
        )
    console.print(soft_wrap=True)


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
        grid.add_column(literal(table.columns[at]), justify=side)
    for number, row in enumerate(table.rows):
        if number in table.starts:
            grid.add_section()
        grid.add_row(*(row[at] for at in columns))
    return grid
