"""The study of thresholds on the terminal."""

from prum.experiments.studies.study import Study
from prum.experiments.studies.thresholds.claims import verdicts
from prum.experiments.studies.thresholds.wording import NOTES, tables
from prum.experiments.terminal import new_table, standard_output


def print_thresholds(study: Study) -> None:
    """Print each part's table, then what holds of the paper's claims."""
    console = standard_output()
    for told in tables(study):
        table = new_table(told.title, *told.header)
        for column in table.columns[: told.num_left]:
            column.justify = "left"
        for row in told.rows:
            table.add_row(*row)
        console.print(table)
    lines = [*NOTES, "", *verdicts(study)]
    console.print("\n".join(lines), markup=False, soft_wrap=True)
