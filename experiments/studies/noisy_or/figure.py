"""The figure of the study of Hypothesis 2.3: errors by the number of ideals."""

from typing import TYPE_CHECKING, Any

from prum.experiments.report.drawing import (
    LEAST,
    SOFT,
    Drawing,
    colour,
    drawn,
    legend,
    mark,
    points,
    tidy,
)
from prum.experiments.studies.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = 3


def noisy_or(study: Study) -> Drawing:
    """Return the largest error over t, a panel for each density, a line for each strength."""
    densities, strengths = study.options["densities"], study.options["strengths"]
    columns = min(len(densities), _COLUMNS)
    lines = -(-len(densities) // columns)
    # Points from the page's edge; a panel's step right and down.
    width, height, left, top, down = 620, 24 + 204 * lines, 46, 50, 204
    right = (width - left) // columns

    def fill(figure: "Figure") -> None:
        first: Any = None
        for number, density in enumerate(densities):
            line, column = divmod(number, columns)
            box = (
                (left + column * right) / width,
                1 - (top + line * down + 140) / height,
                (right - 22) / width,
                140 / height,
            )
            axes = figure.add_axes(box, facecolor="none", sharey=first)
            first = first or axes
            for place, strength in enumerate(strengths):
                rows = [
                    row
                    for row in study.rows
                    if (row["density"], row["strength"]) == (density, strength)
                ]
                t = [row["t"] for row in rows]
                name = f"strength {strength:g}"
                means = [row["largest"] for row in rows]
                ends = [(row["largest_low"], row["largest_high"]) for row in rows]
                points(axes, t, means, ends, place, name)
                worst = [max(-row["worst"], LEAST) for row in rows]
                axes.plot(
                    t, worst, mark(place), color=colour(place), markerfacecolor="none",
                    markersize=4.5, markeredgewidth=0.8, linestyle="none",
                )  # fmt: skip
            tidy(axes, study.options["ideals"], "t, pages looked for")
            axes.set_title(f"density {density:g}", loc="left", fontsize=9, color=SOFT, pad=7)
            if column:
                axes.tick_params(labelleft=False)
        first.set_ylim(*_limits(study))
        legend(figure, first)

    return drawn(fill, width, height)


def _limits(study: Study) -> tuple[float, float]:
    """Return the ends of the scale; errors below 1e-7 are nothing to anybody."""
    least = min(float(row["largest"]) for row in study.rows)
    most = max(-float(row["worst"]) for row in study.rows)
    low = max(least / 2, 1e-7)
    return low, max(most * 1.5, low * 10)
