"""The study of realism on the terminal."""

from prum.experiments.commands.terminal import new_table, standard_output
from prum.experiments.studies.realism.wording import (
    CHANGES,
    FITS,
    SAMPLES,
    change_cells,
    distance_cells,
    distance_columns,
    fit_cells,
    headline,
    labels,
    notes,
    sample_cells,
    verdict,
)
from prum.experiments.studies.study import WrittenStudy


def print_realism(study: WrittenStudy) -> None:
    """Print samples, distances, what was fitted, and what to hold against them."""
    console = standard_output()

    def show(title: str, columns: tuple[str, ...], rows: list[list[str]], num_left: int) -> None:
        table = new_table(title, *columns)
        for column in table.columns[:num_left]:
            column.justify = "left"
        for row in rows:
            table.add_row(*row)
        console.print(table)

    for label in labels(study):
        show(f"Samples, A and {label}", SAMPLES, sample_cells(study, label), 1)
        show(
            f"Distances of A and {label}",
            distance_columns(study, label),
            distance_cells(study, label),
            2,
        )
    lines = [verdict(study, label) for label in labels(study)]
    if study.found["fit"] is not None:
        show("Dials", CHANGES, change_cells(study), 4)
        show("Distances before and after", FITS, fit_cells(study), 1)
        lines = [headline(study)]
    console.print("\n".join([*lines, *notes(study)]), markup=False, soft_wrap=True)
