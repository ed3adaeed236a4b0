"""Simulated users on the terminal."""

import math
from collections.abc import Sequence

from prum.experiments.commands.terminal import new_table, standard_output
from prum.experiments.sessions.running import SystemResult
from prum.experiments.sessions.settings import Settings
from prum.experiments.sessions.summary import REASONS, Estimate


def print_results(results: Sequence[SystemResult], settings: Settings) -> None:
    """Print what users did on each system of each campaign, and why they stopped."""
    console = standard_output()
    for campaign in dict.fromkeys(result.campaign for result in results):
        of_campaign = [result for result in results if result.campaign == campaign]
        done = new_table(
            f"{campaign}: means over sessions; precision = E[CL] / E[C], a ratio of means",
            "system", "sessions", "C", "±", "CL", "±", "ideals", "±", "precision", "±",
        )  # fmt: skip
        reasons = [
            reason
            for reason in REASONS
            if any(result.summary.estimate(reason).value > 0 for result in of_campaign)
        ]
        time = new_table(
            f"{campaign}: time of a session, and why it ended, by shares",
            "system", "seconds", "±", "ideals/min", "±", *reasons,
        )  # fmt: skip
        for result in of_campaign:
            of = result.summary.estimate
            done.add_row(
                result.system,
                f"{result.summary.num_sessions:,}",
                *_cells(of("consulted"), 3),
                *_cells(of("leading"), 4),
                *_cells(of("ideals"), 4),
                *_cells(of("precision"), 5),
            )
            minutes = of("minutes")
            time.add_row(
                result.system,
                *_cells(Estimate(60 * minutes.value, 60 * minutes.error), 2),
                *_cells(of("ideals_per_minute"), 4),
                *(f"{of(reason).value:.4f}" for reason in reasons),
            )
        console.print(done)
        console.print(time)
    first = settings.first_user
    console.print(
        f"±: one standard error, over users. {settings.num_users:,} users of each system, from "
        f"number {first} on, seed {settings.seed}.",
        markup=False,
        soft_wrap=True,
    )


def _cells(estimate: Estimate, digits: int) -> tuple[str, str]:
    """Return a number and its standard error, a dash for what is none."""
    return _number(estimate.value, digits), _number(estimate.error, digits)


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"
