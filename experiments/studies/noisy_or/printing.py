"""The study of Hypothesis 2.3 on the terminal."""

from prum.experiments.studies.study import Study
from prum.experiments.terminal import new_table, standard_output


def print_noisy_or(study: Study) -> None:
    """Print PRUM's errors by t, density and strength, and where it is furthest off."""
    console = standard_output()
    table = new_table(
        f"PRUM less the exact precision, {study.options['draws']:,} random tasks each: "
        "mean over tasks",
        "t", "density", "strength", "exact", "largest", "± 95 %", "mean", "± 95 %", "at r = t",
        "± 95 %", "worst",
    )  # fmt: skip
    before = None
    for row in study.rows:
        if before not in (None, row["t"]):
            table.add_section()
        before = row["t"]
        table.add_row(
            str(row["t"]),
            f"{row['density']:g}",
            f"{row['strength']:g}",
            f"{row['exact']:.4f}",
            *(
                cell
                for name in ("largest", "mean", "last")
                for cell in (f"{row[name]:.5f}", f"{row[f'{name}_high'] - row[name]:.5f}")
            ),
            f"{row['worst']:.5f}",
        )
    console.print(table)
    worst = study.found["worst"]
    r = worst["r"]
    console.print(
        "Largest, mean: of |PRUM − exact| over r = 1 .. t of a task. Worst: PRUM − exact where it "
        "is furthest off, of all tasks and r.\n"
        f"Worst task: t = {worst['t']}, density {worst['density']:g}, strength "
        f"{worst['strength']:g}, draw {worst['draw']}, r = {r}: PRUM {worst['prum'][r - 1]:.5f}, "
        f"exact {worst['exact'][r - 1]:.5f}. Largest PRUM − exact: {study.found['highest']:.1e}.",
        markup=False,
        soft_wrap=True,
    )
