"""The study of utility on the terminal."""

from prum.experiments.studies.study import Study
from prum.experiments.studies.utility.wording import HEADER, NOTES, parts_of, summary
from prum.experiments.terminal import new_table, standard_output


def print_utility(study: Study) -> None:
    """Print closed forms beside simulated means, a table for each part."""
    console = standard_output()
    for part, rows in parts_of(study).items():
        table = new_table(part, *HEADER)
        for column in (*table.columns[:3], table.columns[-1]):
            column.justify = "left"
        for row in rows:
            table.add_row(*row)
        console.print(table)
    console.print("\n".join((*NOTES, summary(study))), markup=False, soft_wrap=True)
