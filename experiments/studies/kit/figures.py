"""A study's figure from a data frame: a panel for each part, a line for each name over x."""

from functools import partial
from typing import Any

from prum.experiments.frame import drawing as d


def lined(
    frame: Any,
    *,
    panel: str,
    line: str,
    x: str,
    y: str,
    name: str,
    columns: int = 2,
    log: str = "",
    has_legend: bool = False,
) -> d.Drawing:
    """Return panels of lines through the points of a data frame, in the order of its rows.

    Parameters
    ----------
    panel, line
        The columns that tell panels and the lines of each apart.
    x, y
        The columns of numbers; a row without a y is no point.
    name
        That of the horizontal axis.
    columns
        Panels side by side.
    log
        The axes that are logarithmic: "x", "y", "xy" or none.
    has_legend
        Whether all panels have the lines of the first, named once at the top.
    """

    def draw(title: str, rows: Any, axes: Any) -> None:
        points = rows[rows[y].notna()]
        named = {
            key: dict(zip(own[x].tolist(), own[y].tolist(), strict=True))
            for key, own in points.groupby(line, sort=False)
        }
        d.curves(axes, named)
        axes.set_title(title)
        axes.set_xlabel(name, labelpad=3)
        if "x" in log:
            d.powers(axes, sorted(points[x].unique().tolist()))
        if "y" in log:
            axes.set_yscale("log")
        if not has_legend:
            axes.legend(labelspacing=0.25)

    panels = [partial(draw, title, rows) for title, rows in frame.groupby(panel, sort=False)]
    return d.paneled(panels, columns=columns, tall=260, has_legend=has_legend)
