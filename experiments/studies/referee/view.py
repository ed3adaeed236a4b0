"""The view of the study of referees: power by deviation, and orders of systems."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.frame.drawing import Drawing, colour, mark, paneled
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View, interval
from prum.experiments.studies.kit.quantities import attributes
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.referee.study import (
    DEVIATIONS,
    LEVEL,
    METRICS,
    OrderRow,
    RefereeFindings,
    RefereeRow,
    RefereeStudyDesign,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RefereeStudyResult = StudyResult[RefereeStudyDesign, RefereeRow, RefereeFindings]


def view(result: RefereeStudyResult) -> View:
    """Return power by deviation and metric, and whether orders of systems are right."""
    design, found = result.design, result.found
    largest = max(design.sizes)
    best = [
        max(
            (row for row in result.rows if (row.deviation, row.size) == (deviation, largest)),
            key=lambda row: row.power,
        )
        for deviation in DEVIATIONS
    ]
    right = [row.right for row in found.orders]
    rate = found.alarms / found.tests if found.tests else 0.0
    values = {
        "alarms": found.alarms,
        "tests": found.tests,
        "rate": interval(rate, found.low, found.high, ".3f"),
        "sessions": design.sessions,
        "powers": ", ".join(f"{row.power:.2f} ({row.deviation}, by {row.metric})" for row in best),
        "least": f"{min(right):.2f}",
        "most": f"{max(right):.2f}",
        "tau": f"{found.tau:.2f}",
        "meaning": "less realistic users order systems worse"
        if found.tau < -0.5
        else "realism says little of orders",
    }
    return Story.beside(__package__).view(
        (
            Table.of("Power by deviation and metric", result.rows, _POWER),
            Table.of("Orders of systems", found.orders, _ORDERS),
        ),
        values,
        headline=(
            "headline" if found.tests else "headline without alarms",
            "orders alike" if np.isnan(found.tau) else "orders",
        ),
        story=("question",),
        figure=("Power of each metric over the size of four deviations", lambda: _figure(result)),
    )


_POWER: list[Column[RefereeRow]] = [
    *attributes("deviation", size="g"),
    *attributes("metric", distance=".4f"),
    Column("power", lambda row: interval(row.power, row.low, row.high, ".2f")),
]
_ORDERS: list[Column[OrderRow]] = [
    *attributes("deviation", size="g"),
    Column("mean distance", lambda row: row.distance, ".4f"),
    Column("right", lambda row: interval(row.right, row.low, row.high, ".3f")),
]


def _figure(result: RefereeStudyResult) -> Drawing:
    """Return power over the size, a panel for each deviation and a line for each metric."""

    def panel(deviation: str, axes: "Axes") -> None:
        for number, metric in enumerate(METRICS):
            rows = [
                row for row in result.rows if (row.deviation, row.metric) == (deviation, metric)
            ]
            axes.errorbar(
                [row.size for row in rows],
                [row.power for row in rows],
                [
                    [max(row.power - row.low, 0) for row in rows],
                    [max(row.high - row.power, 0) for row in rows],
                ],
                color=colour(number),
                marker=mark(number),
                markersize=4,
                label=metric,
            )
        axes.set_ylim(0, 1.02)
        axes.axhline(LEVEL, linewidth=0.6, color="grey")
        axes.set_xlabel("size", labelpad=3)
        axes.set_title(deviation)

    panels = [partial(panel, deviation) for deviation in DEVIATIONS]
    return paneled(panels, columns=2, tall=260, has_legend=True, share="y")
