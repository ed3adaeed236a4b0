"""The study of stops on the terminal."""

from prum.experiments.studies.stops.wording import COLUMNS, cells, left_out, legend, title, told
from prum.experiments.studies.study import Study
from prum.experiments.terminal import new_table, standard_output


def print_stops(study: Study) -> None:
    """Print the fits to each reading, what they say of RR, and what to hold against them."""
    console = standard_output()
    for reading in study.found["readings"]:
        table = new_table(title(reading), *COLUMNS)
        for column in table.columns[:2]:
            column.justify = "left"
        for row in cells(study, reading):
            table.add_row(*row)
        console.print(table)
        console.print(" ".join(told(reading)) + "\n", markup=False, soft_wrap=True)
    lines = [*left_out(study), *legend(study)]
    console.print("\n".join(lines), markup=False, soft_wrap=True)
