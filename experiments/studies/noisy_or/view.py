"""The view of the study of Hypothesis 2.3."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from prum.experiments.frame.drawing import (
    LEAST,
    Drawing,
    colour,
    mark,
    paneled,
    points,
    tidy,
)
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View, interval
from prum.experiments.studies.kit.quantities import attributes, with_half
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.noisy_or.study import (
    NoisyOrDesign,
    NoisyOrFindings,
    NoisyOrRow,
    WorstTask,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NoisyOrResult = StudyResult[NoisyOrDesign, NoisyOrRow, NoisyOrFindings]

# PRUM may exceed the exact value by this.
ROUNDING = 1e-12
_COLUMNS = 3
# What is printed as 0 to four decimals.
_PRINTED = 0.5e-4
_POINTS: tuple[Column[NoisyOrRow], ...] = (
    Column("t", lambda row: row.t, left=True),
    Column("density", lambda row: row.density, "g", left=True),
    Column("strength", lambda row: row.strength, "g", left=True),
    *attributes(exact=".5f"),
    *with_half("largest", "largest", ".5f"),
    *with_half("mean", "mean", ".5f"),
    *with_half("at r = t", "last", ".5f"),
    *attributes(worst=".5f"),
    Column("its r", lambda row: row.worst_r),
)


def view(result: NoisyOrResult) -> View:
    """Return errors by t, density and strength, and the worst task."""
    design, worst, highest = result.design, result.found.worst, result.found.highest
    largest = max(result.rows, key=lambda row: row.largest)
    ends = largest.largest, largest.largest_low, largest.largest_high
    values = {
        "design": design,
        "num_tasks": len(result.rows) * design.draws,
        "largest": largest,
        "largest_error": interval(*ends, ".4f"),
        "worst": worst,
        "worst_prum": worst.prum[worst.r - 1],
        "worst_exact": worst.exact[worst.r - 1],
        "below": (
            "and equals it to four decimals"
            if abs(worst.error) < _PRINTED
            else f"and at most {abs(worst.error):.4f} below it"
        ),
        "highest": shown(highest, ".1e"),
        # Only a wrong program would break the bound.
        "place": "never above" if highest <= ROUNDING else f"by up to {highest:.1g} above",
    }
    label = "Largest error of PRUM over the number of ideals, by density and strength"
    return Story.beside(__package__).view(
        (_curves(worst), _errors(result)), values, figure=(label, lambda: _figure(result))
    )


def _errors(result: NoisyOrResult) -> Table:
    """Return the errors at each point of the design."""
    tasks = f"{result.design.draws:,} random tasks for each point of the design"
    label = f"PRUM minus the exact precision, mean over {tasks}"
    return Table.of(label, result.rows, _POINTS, parts=lambda row: row.t)


def _curves(worst: WorstTask) -> Table:
    """Return both values of precision at each r of the worst task."""
    columns: list[Column[tuple[int, float, float]]] = [
        Column("r", lambda at: at[0], left=True),
        Column("PRUM", lambda at: at[1], ".5f"),
        Column("exact", lambda at: at[2], ".5f"),
        Column("difference", lambda at: at[1] - at[2], ".5f"),
    ]
    curves = zip(range(1, worst.t + 1), worst.prum, worst.exact, strict=True)
    return Table.of("The worst task, by r", curves, columns, detail=True)


def _figure(result: NoisyOrResult) -> Drawing:
    """Return the largest error over t, a panel for each density, a line for each strength."""

    def panel(axes: "Axes", density: float) -> None:
        for place, strength in enumerate(result.design.strengths):
            at = density, strength
            rows = [row for row in result.rows if (row.density, row.strength) == at]
            t = [row.t for row in rows]
            means = [row.largest for row in rows]
            ends = [(row.largest_low, row.largest_high) for row in rows]
            points(axes, t, means, ends, place, f"strength {strength:g}")
            worst = [max(-row.worst, LEAST) for row in rows]
            (hollow,) = axes.plot(t, worst, mark(place), color=colour(place))
            hollow.set(markerfacecolor="none", markersize=4.5, markeredgewidth=0.8)
        tidy(axes, result.design.ideals, "t, pages looked for")
        axes.set_title(f"density {density:g}")
        axes.set_ylim(*_limits(result.rows))

    return paneled(
        [partial(panel, density=density) for density in result.design.densities],
        columns=_COLUMNS,
        tall=240,
        has_legend=True,
        share="y",
    )


def _limits(rows: Sequence[NoisyOrRow]) -> tuple[float, float]:
    """Return the ends of the scale; errors below 1e-7 are nothing to anybody."""
    low = max(min(row.largest for row in rows) / 2, 1e-7)
    return low, max(max(-row.worst for row in rows) * 1.5, low * 10)
