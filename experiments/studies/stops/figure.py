"""The figure of the study of stops: Figure 2 of Carterette (2011) with laws fitted."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from prum.experiments.report.drawing import INK, PRUM, SIMULATED, SOFT, Drawing, drawn, legend
from prum.experiments.studies.stops.samples import BEYOND, EVERY, LAST, TOTALS
from prum.experiments.studies.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLES = {
    EVERY: "every click",
    LAST: "last click of a search",
    TOTALS: "totals",
    BEYOND: "totals, later ranks counted",
}
# A colour for each kind of law; without parameter dashed, fitted solid.
_LINES = {
    "RBP .5": (SIMULATED, "--"),
    "RBP": (SIMULATED, "-"),
    "DCG 2": (SOFT, "--"),
    "DCG": (SOFT, "-"),
    "RR": (PRUM, "--"),
    "Beta": (PRUM, "-"),
}
_LEAST_SHARE = 1e-4


def stops(study: Study) -> Drawing:
    """Return two panels for each reading: P(k) on a linear and on a logarithmic scale."""
    readings = study.found["readings"]
    width, top, down = 620, 62, 196
    height = top + down * len(readings) - 24

    def fill(figure: "Figure") -> None:
        first: Any = None
        for line, reading in enumerate(readings):
            bottom, tall = (height - top - line * down - 140) / height, 140 / height
            for left, scale in ((0.07, "linear"), (0.58, "log")):
                axes = figure.add_axes((left, bottom, 0.41, tall), facecolor="none")
                _panel(axes, reading, scale)
                first = first or axes
        legend(figure, first)

    return drawn(fill, width, height)


def _panel(axes: "Axes", reading: Mapping[str, Any], scale: str) -> None:
    # The cell of all later ranks is no rank.
    num_ranks = len(reading["counts"]) - (reading["beyond"] is not None)
    ranks = range(1, num_ranks + 1)
    for law, (colour, style) in _LINES.items():
        axes.plot(
            ranks, reading["fitted"][law][:num_ranks], color=colour, linestyle=style,
            linewidth=1.2, label=law,
        )  # fmt: skip
    share = reading["empirical"][:num_ranks]
    axes.plot(ranks, share, "o", color=INK, markersize=3.5, markeredgewidth=0, label="clicks")
    axes.set_yscale(scale)
    if scale == "log":
        least = min([one for one in share if one > 0], default=_LEAST_SHARE)
        axes.set_ylim(max(least / 10, _LEAST_SHARE), 1)
    else:
        axes.set_ylim(0, None)
        axes.set_title(_TITLES[reading["reading"]], loc="left", fontsize=9, color=SOFT, pad=7)
    axes.set_xticks(list(ranks)[:: max(1, num_ranks // 10)])
    axes.set_xlabel("k, rank", labelpad=3)
    axes.minorticks_off()
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
