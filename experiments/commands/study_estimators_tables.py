"""The study of estimators on the terminal."""

from prum.experiments.commands.terminal import new_table, standard_output
from prum.experiments.studies.estimators.wording import tables, told
from prum.experiments.studies.study import WrittenStudy


def print_estimators(study: WrittenStudy) -> None:
    """Print a table for each part, and what to hold against the numbers."""
    console = standard_output()
    console.print(f"{told(study)}\n", markup=False, soft_wrap=True)
    for one in tables(study):
        table = new_table(one.label, *one.columns)
        for column in table.columns[: one.num_left]:
            column.justify, column.no_wrap = "left", True
        for row in one.rows:
            table.add_row(*row)
        console.print(table)
    console.print("\n".join(study.found["notes"]), markup=False, soft_wrap=True)
