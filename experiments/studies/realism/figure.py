"""The figure of the study of realism: empirical distribution functions, one panel a statistic."""

from typing import TYPE_CHECKING, Any

from prum.experiments.report.drawing import INK, PRUM, SIMULATED, SOFT, Drawing, drawn, legend
from prum.experiments.studies.realism.study import FIRST, FITTED, GIVEN, SECOND
from prum.experiments.studies.realism.wording import plain
from prum.experiments.studies.study import WrittenStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 3
_WIDTH, _TALL, _DOWN, _TOP, _LAST = 620, 92, 150, 48, 34
# Where the largest value is so many times the median, the axis is logarithmic.
_HEAVY = 20
_LINES: dict[str, dict[str, Any]] = {
    FIRST: {"color": INK, "linewidth": 1.6},
    SECOND: {"color": PRUM, "linewidth": 1.3, "linestyle": "--"},
    GIVEN: {"color": PRUM, "linewidth": 1.3, "linestyle": "--"},
    FITTED: {"color": SIMULATED, "linewidth": 1.3},
}


def shares(study: WrittenStudy) -> Drawing:
    """Return a panel for each statistic, with a line for each side."""
    curves = study.found["curves"]
    num_lines = -(-len(curves) // _COLUMNS)
    height = _TOP + _DOWN * num_lines - _LAST

    def fill(figure: "Figure") -> None:
        first: Any = None
        for number, (name, sides) in enumerate(curves.items()):
            line, column = divmod(number, _COLUMNS)
            bottom = (height - _TOP - line * _DOWN - _TALL) / height
            place = (0.045 + column * 0.33, bottom, 0.285, _TALL / height)
            axes = figure.add_axes(place, facecolor="none")
            _panel(axes, name, sides)
            first = first or axes
        legend(figure, first)

    return drawn(fill, _WIDTH, height)


def _panel(axes: "Axes", name: str, sides: dict[str, Any]) -> None:
    from matplotlib.ticker import MaxNLocator

    heavy = _is_heavy(sides)
    for label, (points, values) in sides.items():
        # A step up at each point, from 0 at the first.
        axes.step([points[0], *points], [0, *values], where="post", label=label, **_LINES[label])
    axes.set_title(plain(name), loc="left", fontsize=8, color=SOFT, pad=6)
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
    if heavy:
        # Zeros lie left of all on it.
        least = min(point for points, _ in sides.values() for point in points if point > 0)
        axes.set_xscale("symlog", linthresh=least)
        axes.set_xlim(left=0)
        axes.minorticks_off()
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5))
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _is_heavy(sides: dict[str, Any]) -> bool:
    """Return whether values spread over orders of magnitude, on either side."""
    for points, values in sides.values():
        median = next(p for p, share in zip(points, values, strict=True) if share >= 0.5)
        if points[0] < 0:
            return False
        if points[-1] > 1 and points[-1] > _HEAVY * median > 0:
            return True
    return False
