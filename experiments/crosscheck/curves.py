"""The figure of a cross-check: curves of systems.

PRUM is dashed, the exact value solid, the simulation dots and a band, which is that of the verdict:
it holds the exact line wherever simulated means agree with it. Other approximations are dotted, in
colours of their own.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from prum.analytic.precision.result import ELEVEN_LEVELS
from prum.experiments.crosscheck.tables import CheckedList
from prum.experiments.frame.drawing import (
    INK,
    PRUM,
    SIMULATED,
    Drawing,
    paneled,
)
from prum.experiments.frame.numbers import shown
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours of approximations that were given (Okabe and Ito): none is PRUM's or the simulation's.
OTHERS = ("#009e73", "#cc79a7", "#8a6d00", "#7b4fb5")
_MOST_DOTS = 60
# Differences below are rounding.
_LEAST_LIMIT = 1e-6
# Points: the height of a panel.
_TALL = 250


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
        parts = (
            f"{name} {shown(float(line[0]), '.5f')} to {shown(float(line[-1]), '.5f')}"
            for name, line in lines.items()
            if line is not None and not np.isnan(line).any()
        )
        return f"{where}: {', '.join(parts)}"


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
    interpolated: Floats = np.mean([line[_attained(line)] for line in lists], axis=0)
    return interpolated


def _attained(precision: Floats) -> list[int]:
    """Return where precision is highest from each recall level on.

    >>> _attained(np.array([0.5, 0.75])) == [1] * 11
    True
    """
    size = len(precision)
    levels = [min(max(math.ceil(level * size - 1e-9), 1), size) - 1 for level in ELEVEN_LEVELS]
    return [start + int(np.argmax(np.nan_to_num(precision[start:], nan=-1))) for start in levels]


def draw_curves(curves: Mapping[str, Curves], prefix: str) -> Drawing:
    """Return precision of each system, and beside it, on a finer scale, the distances from exact.

    `prefix` begins the ids inside, so that drawings can stand in one page.
    """
    limit = 1.1 * max(of.limit for of in curves.values())
    panels: list[Callable[[Axes], None]] = []
    for system, of in curves.items():
        name = f"{system}: " if len(curves) > 1 else ""
        panels += [
            partial(_precision, of, f"{name}precision"),
            partial(_differences, of, limit, name),
        ]
    return paneled(panels, columns=2, tall=_TALL, has_legend=True, prefix=prefix)


def _precision(curves: Curves, title: str, axes: "Axes") -> None:
    _draw_lines(axes, curves, np.zeros_like(curves.x))
    axes.set(ylim=(0, 1.02), title=title)
    axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])


def _differences(curves: Curves, limit: float, name: str, axes: "Axes") -> None:
    _draw_lines(axes, curves, curves.base)
    axes.set_ylim(-limit, limit)
    axes.locator_params(axis="y", nbins=3)
    axes.ticklabel_format(axis="y", scilimits=(-3, 3))
    of = "simulated" if curves.exact is None else "exact"
    axes.set_title(f"{name}difference from {of}")


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
    axes.set_xlabel("recall level" if x[0] == 0 else "r, ideals wanted", labelpad=3)
    if x[0] == 0:
        axes.set_xlim(-0.03, 1.03)
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1], ["0", ".2", ".4", ".6", ".8", "1"])
    else:
        room = max(0.25, 0.03 * len(x))
        axes.set_xlim(1 - room, len(x) + room)
        axes.xaxis.set_major_locator(MaxNLocator(12 if len(x) <= 12 else 6, integer=True))
