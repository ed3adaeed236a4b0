"""The study of hypotheses on the terminal."""

from collections.abc import Mapping
from typing import Any

from prum.experiments.commands.terminal import new_table, standard_output
from prum.experiments.studies.hypotheses.study import (
    CAUSES,
    PLAIN,
    setting_of,
    settings_of,
    simulated,
)
from prum.experiments.studies.study import WrittenStudy
from prum.experiments.studies.wording import number

_SOME_LEVELS = (0.1, 0.5, 1.0)


def print_hypotheses(study: WrittenStudy) -> None:
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
                    f"tau-b {_known(row['tau_b'])}{_ends(row['tau_b_interval'])}, "
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


def _known(value: float | None) -> str:
    """Return a tau, or that it has no value: all systems are tied."""
    return "none (all are tied)" if value is None else number(value, 3)


def _ends(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" ({interval[0]:.2f} to {interval[1]:.2f})"
