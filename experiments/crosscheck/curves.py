"""Curves of a cross-check, and their drawing: PRUM dashed, exact solid, simulated dots and band.

The band is that of the verdict: it holds the exact line wherever simulated means agree with it.
Other approximations are dotted, in colours of their own. Curves hold no text of the user's but
their names, which are plain.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from prum.analytic.precision.result import ELEVEN_LEVELS
from prum.experiments.crosscheck.tables import CheckedList
from prum.experiments.frame.drawing import INK, PRUM, RULE, SIMULATED, Drawing, drawn
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.view import Figure, Gallery
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# Colours of approximations that were given (Okabe and Ito): none is PRUM's or the simulation's.
OTHERS = ("#009e73", "#cc79a7", "#8a6d00", "#7b4fb5")
# Points: a drawing among others, and one that has the page to itself.
_AMONG_OTHERS, _ALONE = 245, 320
_MOST_DOTS = 60
# Differences below are rounding.
_LEAST_LIMIT = 1e-6
# Points: page units of a drawing, from its bottom.
_LEFT, _RIGHT = 44, 10
_LOWER, _LOWER_HEIGHT, _UPPER, _UPPER_HEIGHT, _LEGEND = 30, 76, 132, 120, 42
# The legend: names in a line, points of a line.
_KEYS, _LINE = 3, 16


@dataclass(frozen=True, slots=True)
class Curves:
    """Three values of precision over x; `low` and `high` are the ends of the simulation's band.

    x is the recall level of a mean over topics, or r of a single list. `exact` is None where it
    is unknown for some topic; `others` are approximations that were given, by name.
    """

    x: Floats
    prum: Floats
    exact: Floats | None
    simulated: Floats
    low: Floats
    high: Floats
    others: Mapping[str, Floats]

    @property
    def base(self) -> Floats:
        """What differences are taken from: exact, else simulated."""
        return self.simulated if self.exact is None else self.exact

    @property
    def limit(self) -> float:
        """The largest distance from `base` of approximations and of the ends of the band."""
        lines = (self.prum, self.simulated, self.low, self.high, *self.others.values())
        off = [np.abs(np.where(np.isfinite(line), line - self.base, 0)).max() for line in lines]
        return float(max(*off, _LEAST_LIMIT))

    def __str__(self) -> str:
        where = "recall level 0 to 1" if self.x[0] == 0 else f"r = 1 to {len(self.x)}"
        lines = {"PRUM": self.prum, **self.others, "exact": self.exact, "simulated": self.simulated}
        told = (
            f"{name} {shown(float(line[0]), '.5f')} to {shown(float(line[-1]), '.5f')}"
            for name, line in lines.items()
            if line is not None and not np.isnan(line).any()
        )
        return f"{where}: {', '.join(told)}"


def curves_of(cases: Sequence[CheckedList]) -> Curves:
    """Return the curves of one system: precision(r) of its list, or the mean over its topics.

    The mean is of interpolated precision at eleven recall levels, and so are the ends of the band:
    where all hold, so do their means.
    """
    lines: dict[str, list[Floats]] = {
        "prum": [case.prum.precision for case in cases],
        "simulated": [case.simulated.precision for case in cases],
        "low": [case.judged.low for case in cases],
        "high": [case.judged.high for case in cases],
    }
    others = {name: [case.claims[name].precision for case in cases] for name in cases[0].claims}
    exact = [case.exact.precision for case in cases if case.exact]
    x = np.array(ELEVEN_LEVELS)
    mean: Callable[[Sequence[Floats]], Floats] = _mean
    if len(cases) == 1:
        x, mean = np.arange(1.0, cases[0].prum.num_ideals + 1), lambda of: of[0]
    return Curves(
        x,
        exact=mean(exact) if len(exact) == len(cases) else None,
        others={name: mean(of) for name, of in others.items()},
        **{name: mean(of) for name, of in lines.items()},
    )


def _mean(lists: Sequence[Floats]) -> Floats:
    """Return the mean of interpolated precision over lists."""
    interpolated: Floats = np.mean([one[_attained(one)] for one in lists], axis=0)
    return interpolated


def _attained(precision: Floats) -> list[int]:
    """Return where precision is highest from each recall level on.

    >>> _attained(np.array([0.5, 0.75])) == [1] * 11
    True
    """
    size = len(precision)
    levels = [min(max(math.ceil(level * size - 1e-9), 1), size) - 1 for level in ELEVEN_LEVELS]
    return [start + int(np.argmax(np.nan_to_num(precision[start:], nan=-1))) for start in levels]


def gallery(curves: Mapping[str, Curves], heading: str, caption: str, prefix: str) -> Gallery:
    """Return the drawings of some curves by name, all on one scale; see `draw`."""
    limit = max((one.limit for one in curves.values()), default=1.0)
    width = _ALONE if len(curves) == 1 else _AMONG_OTHERS
    figures = (
        Figure(
            name,
            f"Precision of {name}, {one}",
            partial(draw, one, prefix=f"{prefix}{number}", limit=limit, width=width),
        )
        for number, (name, one) in enumerate(curves.items())
    )
    return Gallery(heading, caption, tuple(figures))


def draw(curves: Curves, *, prefix: str, limit: float, width: int = _AMONG_OTHERS) -> Drawing:
    """Return precision over x, and below it what PRUM and simulation differ from the exact value.

    `prefix`: begins the ids inside, so that drawings can stand in one page; `limit`: how far the
    lower scale goes, up and down; `width`: in points.
    """
    # Lines of the legend beyond the first.
    height = _UPPER + _UPPER_HEIGHT + _LEGEND + _LINE * -(-len(curves.others) // _KEYS)

    def fill(figure: "Canvas") -> None:
        inner = (width - _LEFT - _RIGHT) / width
        upper, lower = (
            figure.add_axes((_LEFT / width, low / height, inner, tall / height), facecolor="none")
            for low, tall in ((_UPPER, _UPPER_HEIGHT), (_LOWER, _LOWER_HEIGHT))
        )
        _draw_lines(upper, curves, np.zeros_like(curves.x))
        upper.set(ylim=(0, 1.02), title="precision")
        upper.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
        upper.tick_params(labelbottom=False)
        _draw_lines(lower, curves, curves.base)
        lower.set_ylim(-1.1 * limit, 1.1 * limit)
        lower.locator_params(axis="y", nbins=3)
        lower.ticklabel_format(axis="y", scilimits=(-3, 3))
        lower.set_title(f"difference from {'simulated' if curves.exact is None else 'exact'}")
        lower.set_xlabel("recall level" if curves.x[0] == 0 else "r, ideals wanted", labelpad=3)
        figure.legend(
            *upper.get_legend_handles_labels(),
            loc="upper left",
            bbox_to_anchor=(0, 1),
            ncols=_KEYS,
            borderaxespad=0,
            borderpad=0,
            handlelength=2,
            handletextpad=0.5,
            columnspacing=1.2,
        )

    return drawn(fill, width, height, prefix)


def _draw_lines(axes: "Axes", curves: Curves, base: Floats) -> None:
    from matplotlib.ticker import MaxNLocator

    x, simulated = curves.x, curves.simulated - base
    if np.isfinite(curves.low + curves.high).all():
        axes.fill_between(
            x,
            curves.low - base,
            curves.high - base,
            facecolor=SIMULATED,
            alpha=0.25,
            linewidth=0,
        )
    if curves.exact is not None:
        axes.plot(x, curves.exact - base, color=INK, label="exact")
    axes.plot(
        x,
        curves.prum - base,
        color=PRUM,
        dashes=(3.2, 2.2),
        dash_capstyle="butt",
        label="PRUM",
    )
    axes.plot(
        x,
        simulated,
        "o",
        color=SIMULATED,
        markersize=3.4,
        markeredgewidth=0,
        markevery=math.ceil(len(x) / _MOST_DOTS),
        clip_on=False,
        label="simulated",
    )
    for number, (name, line) in enumerate(curves.others.items()):
        axes.plot(x, line - base, ":", color=OTHERS[number % len(OTHERS)], linewidth=2, label=name)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    if x[0] == 0:
        axes.set_xlim(-0.03, 1.03)
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1], ["0", ".2", ".4", ".6", ".8", "1"])
    else:
        room = max(0.25, 0.03 * len(x))
        axes.set_xlim(1 - room, len(x) + room)
        axes.xaxis.set_major_locator(MaxNLocator(12 if len(x) <= 12 else 6, integer=True))
