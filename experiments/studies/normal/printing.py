"""The study of the normal law on the terminal."""

from prum.experiments.studies.normal.study import ERRORS, LAWS, NAMES, PAPER_ERROR, PAPER_SIZE
from prum.experiments.studies.study import Study
from prum.experiments.terminal import new_table, standard_output

_MEANS = {"pmf": "P(F = s)", "cdf": "P(F ≤ s)"}


def print_normal(study: Study) -> None:
    """Print the errors of each law by m, their slopes, and the readings of appendix A.1."""
    console = standard_output()
    draws = study.options["draws"]
    slopes = {(slope["law"], slope["error"]): slope for slope in study.found["slopes"]}
    for error in ERRORS:
        table = new_table(
            f"Largest absolute error over s of {_MEANS[error]}, mean over {draws:,} draws",
            "m", *(column for law in LAWS for column in (NAMES[law], "± 95 %")),
        )  # fmt: skip
        for m in study.options["sizes"]:
            means = {
                row["law"]: row for row in study.rows if (row["m"], row["error"]) == (m, error)
            }
            table.add_row(
                str(m),
                *(
                    cell
                    for law in LAWS
                    for cell in (
                        f"{means[law]['mean']:.4g}",
                        f"{means[law]['high'] - means[law]['mean']:.1g}",
                    )
                ),
            )
        chosen = [slopes.get((law, error)) for law in LAWS]
        if any(chosen):
            table.add_section()
            cells = [
                cell
                for slope in chosen
                for cell in (
                    (f"{slope['slope']:.4f}", f"{slope['high'] - slope['slope']:.4f}")
                    if slope
                    else ("-", "-")
                )
            ]
            table.add_row("slope", *cells)
        console.print(table)
    if slopes:
        some = next(iter(slopes.values()))
        console.print(
            f"Slope: of log error on log m, m = {some['least_m']} to {some['greatest_m']}.\n"
        )
    if study.found["conventions"]:
        table = new_table(
            f"Readings of appendix A.1 at m = {PAPER_SIZE}, printed there: {PAPER_ERROR}",
            "largest absolute difference over s", "mean", "± 95 %", "largest draw",
        )  # fmt: skip
        table.columns[0].justify = "left"
        for one in study.found["conventions"]:
            table.add_row(
                one["convention"],
                f"{one['mean']:.5f}",
                f"{one['high'] - one['mean']:.5f}",
                f"{one['largest']:.5f}",
            )
        console.print(table)
