"""Studies on the terminal."""

from collections.abc import Mapping
from typing import Any

from prum.experiments.studies.hypotheses import (
    CAUSES,
    PLAIN,
    setting_of,
    settings_of,
    simulated,
)
from prum.experiments.studies.normal import ERRORS, LAWS, NAMES, PAPER_ERROR, PAPER_SIZE
from prum.experiments.studies.study import Study
from prum.experiments.studies.wording import number
from prum.experiments.terminal import new_table, standard_output

_SOME_LEVELS = (0.1, 0.5, 1.0)
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


def print_hypotheses(study: Study) -> None:
    """Print PRUM's error by cause, and how it ranks systems, for each setting."""
    console = standard_output()
    found = study.found
    for setting in settings_of(study):
        rows = [row for row in study.rows if setting_of(row) == setting]
        table = new_table(
            f"PRUM less the true precision, by cause, mean over recall: {'; '.join(setting)}",
            "cause", "alone", "± 95 %", "share", "± 95 %",
            *(f"share at {level:g}" for level in _SOME_LEVELS),
        )  # fmt: skip
        table.columns[0].justify = "left"
        for cause in (*CAUSES, "total"):
            if cause == "total":
                table.add_section()
            mine = {row["recall"]: row for row in rows if row["cause"] == cause}
            table.add_row(
                PLAIN[cause],
                *(cell for name in ("alone", "share") for cell in _with_half(mine["mean"], name)),
                *(number(mine[level]["share"], 5) for level in _SOME_LEVELS),
            )
        console.print(table)
        for row in found["rankings"]:
            if row["cause"] == "total" and setting_of(row) == setting:
                console.print(
                    f"Ranking of {found['num_systems']} systems by PRUM beside the true one: "
                    f"tau {row['tau']:.3f}{_ends(row['tau_interval'])}, "
                    f"tau AP {row['tau_ap']:.3f}{_ends(row['tau_ap_interval'])}; the best system "
                    f"changes with probability {row['best_changes']:.3f} (over topics).\n",
                    soft_wrap=True,
                )
    console.print(
        "Alone: only this is not as PRUM assumes. Share: of the error with all present, mean over "
        "the orders in which they may come (Shapley). PRUM is told the true P(x -> y) throughout. "
        f"Intervals are over {found['num_topics']} topics. {simulated(found)}",
        markup=False,
        soft_wrap=True,
    )


def _with_half(row: Mapping[str, Any], name: str) -> tuple[str, str]:
    high = row[f"{name}_high"]
    return number(row[name], 5), "-" if high is None else number(high - row[name], 5)


def _ends(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" ({interval[0]:.2f} to {interval[1]:.2f})"


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
