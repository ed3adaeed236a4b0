"""Curves of a cross-check, and their drawing: PRUM dashed, exact solid, simulated dots and band.

They hold no text of the user's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.analytic.precision.result import ELEVEN_LEVELS, PrecisionRecall, mean_over_topics
from prum.experiments.crosscheck.result import CheckedList
from prum.experiments.statistics.intervals import CONFIDENCE, normal_factor
from prum.experiments.views.drawing import INK, PRUM, RULE, SIMULATED, Drawing, drawn
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Points: a drawing among others, and one that has the page to itself.
AMONG_OTHERS, ALONE = 245, 320
_MOST_DOTS = 60
# Differences below are rounding.
_LEAST_LIMIT = 1e-6
# Points: page units of a drawing, from its bottom.
_LEFT, _RIGHT = 44, 10
_LOWER, _LOWER_HEIGHT, _UPPER, _UPPER_HEIGHT, _HEIGHT = 30, 76, 132, 120, 270


@dataclass(frozen=True, slots=True)
class Curves:
    """Three values of precision over x; `half` is half the width of the simulation's interval.

    x is the recall level of a mean over topics, or r of a single list. `exact` is None where it
    is unknown for some topic.
    """

    x: Floats
    prum: Floats
    exact: Floats | None
    simulated: Floats
    half: Floats

    @property
    def base(self) -> Floats:
        """What differences are taken from: exact, else simulated."""
        return self.simulated if self.exact is None else self.exact

    @property
    def limit(self) -> float:
        """The largest distance from `base` of PRUM and of the ends of the interval."""
        simulated = np.abs(self.simulated - self.base) + np.nan_to_num(self.half, posinf=0)
        return float(max(np.abs(self.prum - self.base).max(), simulated.max(), _LEAST_LIMIT))


def curves_of(cases: Sequence[CheckedList]) -> Curves:
    """Return the curves of one system: of its list, or the mean over its topics.

    One case gives precision(r) at each r. Several give interpolated precision at eleven recall
    levels averaged over topics, with the interval that the draw of users leaves (topics are
    simulated independently).
    """
    if len(cases) == 1:
        (case,) = cases
        return Curves(
            np.arange(1.0, case.prum.num_ideals + 1),
            case.prum.precision,
            None if case.exact is None else case.exact.precision,
            case.simulated.precision,
            case.simulated.interval(CONFIDENCE)[1] - case.simulated.precision,
        )
    exact = [case.exact for case in cases if case.exact is not None]
    points = [_interpolated(case.simulated) for case in cases]
    values = np.array([value for value, _ in points])
    errors = np.array([error for _, error in points])
    return Curves(
        np.array(ELEVEN_LEVELS),
        mean_over_topics(case.prum for case in cases),
        mean_over_topics(exact) if len(exact) == len(cases) else None,
        values.mean(axis=0),
        normal_factor() * np.sqrt((errors**2).sum(axis=0)) / len(cases),
    )


def _interpolated(simulated: Simulation) -> tuple[Floats, Floats]:
    """Return interpolated precision at the eleven levels and its error where it is attained."""
    result = PrecisionRecall(simulated.leading, simulated.consulted)
    values = result.eleven_points()
    # A value is the precision at some r past its level; at the last such r it is attained.
    attained = [int(np.flatnonzero(result.precision == value)[-1]) for value in values]
    return values, simulated.precision_error[attained]


def draw(curves: Curves, *, prefix: str, limit: float, width: int = AMONG_OTHERS) -> Drawing:
    """Return precision over x, and below it what PRUM and simulation differ from the exact value.

    Parameters
    ----------
    prefix
        Begins the ids inside, so that drawings can stand in one page.
    limit
        How far the lower scale goes, up and down.
    width
        In points.
    """

    def fill(figure: "Figure") -> None:
        inner = (width - _LEFT - _RIGHT) / width
        upper = figure.add_axes(
            (_LEFT / width, _UPPER / _HEIGHT, inner, _UPPER_HEIGHT / _HEIGHT), facecolor="none"
        )
        lower = figure.add_axes(
            (_LEFT / width, _LOWER / _HEIGHT, inner, _LOWER_HEIGHT / _HEIGHT), facecolor="none"
        )
        _draw_precision(upper, curves)
        _draw_difference(lower, curves, limit)

    return drawn(fill, width, _HEIGHT, prefix)


def _draw_precision(axes: "Axes", curves: Curves) -> None:
    _draw_lines(axes, curves, np.zeros_like(curves.x))
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
    axes.tick_params(labelbottom=False)
    _name(axes, "precision")


def _draw_difference(axes: "Axes", curves: Curves, limit: float) -> None:
    _draw_lines(axes, curves, curves.base)
    axes.set_ylim(-1.1 * limit, 1.1 * limit)
    tick = _round_below(limit)
    axes.set_yticks([-tick, 0, tick], [f"−{_short(tick)}", "0", f"+{_short(tick)}"])
    _name(axes, f"difference from {'simulated' if curves.exact is None else 'exact'}")
    is_level = curves.x[0] == 0
    axes.set_xlabel("recall level" if is_level else "r, ideals wanted", labelpad=3)


def _draw_lines(axes: "Axes", curves: Curves, base: Floats) -> None:
    from matplotlib.ticker import MaxNLocator

    x, simulated = curves.x, curves.simulated - base
    if np.isfinite(curves.half).all():
        axes.fill_between(
            x,
            simulated - curves.half,
            simulated + curves.half,
            facecolor=SIMULATED,
            alpha=0.25,
            linewidth=0,
        )
    if curves.exact is not None:
        axes.plot(x, curves.exact - base, color=INK)
    axes.plot(x, curves.prum - base, color=PRUM, dashes=(3.2, 2.2), dash_capstyle="butt")
    axes.plot(
        x,
        simulated,
        "o",
        color=SIMULATED,
        markersize=3.4,
        markeredgewidth=0,
        markevery=math.ceil(len(x) / _MOST_DOTS),
        clip_on=False,
    )
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
        if len(x) <= 12:
            axes.set_xticks(x, [f"{r:.0f}" for r in x])
        else:
            ticks = MaxNLocator(6, integer=True).tick_values(1, len(x))
            axes.set_xticks([tick for tick in ticks if 1 <= tick <= len(x)])


def _name(axes: "Axes", text: str) -> None:
    axes.set_title(text)


def _round_below(limit: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten that is not above `limit`."""
    power = 10.0 ** math.floor(math.log10(limit))
    return max((step * power for step in (1, 2, 5) if step * power <= limit), default=power)


def _short(number: float) -> str:
    """Return a round number in at most five characters.

    >>> _short(0.002), _short(0.5), _short(2e-6)
    ('.002', '.5', '2e−6')
    """
    exponent = math.floor(math.log10(number) + 1e-9)
    if exponent < -4:
        return f"{number / 10.0**exponent:.0f}e−{-exponent}"
    return f"{number:.{-exponent}f}".removeprefix("0") if exponent < 0 else f"{number:g}"
