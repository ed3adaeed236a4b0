"""The figure of the study of estimators: rankings, coverage, power and recovered probabilities."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from prum.experiments.logs.trials import EVERY, TURN
from prum.experiments.statistics.bootstrap import METHODS
from prum.experiments.statistics.intervals import CONFIDENCE
from prum.experiments.statistics.tests import T
from prum.experiments.studies.estimators.coverage import MEAN
from prum.experiments.studies.estimators.power import LEVEL
from prum.experiments.studies.estimators.rows import EstimatorRows, EstimatorsRow
from prum.experiments.views.drawing import INK, PRUM, SIMULATED, SOFT, Drawing, paneled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOOKS = (
    (PRUM, "o", "-"),
    (INK, "s", "--"),
    (SIMULATED, "^", "-"),
    (SOFT, "D", ":"),
    (PRUM, "v", ":"),
    (SIMULATED, "P", "--"),
)


def has_panels(rows: EstimatorRows) -> bool:
    """Return whether the data allow any panel."""
    return any(rows.of(group) for _, group, _ in _PANELS)


def panels(rows: EstimatorRows) -> Drawing:
    """Return the panels that the data allow, two in a line."""

    def panel(axes: "Axes", title: str, draw: Callable[[EstimatorRows, "Axes"], None]) -> None:
        draw(rows, axes)
        axes.set_title(title)

    chosen = [
        partial(panel, title=title, draw=draw) for title, group, draw in _PANELS if rows.of(group)
    ]
    return paneled(chosen, columns=2, tall=280)


def _lines(
    axes: "Axes",
    groups: Sequence[tuple[str, list[EstimatorsRow]]],
    where: Literal["lower right", "lower left", "upper left"] = "lower right",
) -> None:
    """Draw a line for each name, over the levels of its rows."""
    levels: set[float] = set()
    for number, (name, rows) in enumerate(groups):
        colour, mark, dash = _LOOKS[number % len(_LOOKS)]
        points = sorted(
            (row.at, row.value) for row in rows if row.at is not None and row.value is not None
        )
        levels |= {at for at, _ in points}
        axes.plot(
            [at for at, _ in points],
            [value for _, value in points],
            dash,
            marker=mark,
            color=colour,
            markersize=3.5,
            linewidth=1,
            label=name,
        )
    _ticks(axes, sorted(levels))
    axes.legend(loc=where, labelspacing=0.25)


def _ticks(axes: "Axes", levels: Sequence[float]) -> None:
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    axes.set_xticks(list(levels), [f"{level:g}" for level in levels])
    axes.xaxis.set_minor_locator(NullLocator())


def _logarithmic(axes: "Axes") -> None:
    """Give the ordinate a logarithmic scale with ticks that people read."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def _topics(rows: EstimatorRows, axes: "Axes") -> None:
    _lines(
        axes,
        [
            (name, rows.of("topics", method=name, quantity="tau-b"))
            for name in rows.names("topics", "method", quantity="tau-b")
        ],
    )
    axes.set_xlabel("topics", labelpad=3)


def _coverage(rows: EstimatorRows, axes: "Axes") -> None:
    axes.axhline(CONFIDENCE, color=SOFT, linewidth=0.8)
    _lines(
        axes,
        [
            (name, rows.of("coverage", subject=MEAN, method=name, quantity="coverage"))
            for name in METHODS
        ],
    )
    axes.set_xlabel("topics", labelpad=3)


def _power(rows: EstimatorRows, axes: "Axes") -> None:
    axes.axhline(LEVEL, color=SOFT, linewidth=0.8)
    _lines(
        axes,
        [
            (label, rows.of("power", subject=label, method=T, quantity="power"))
            for label in reversed(rows.names("power", "subject"))
        ],
        "upper left",
    )
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("topics", labelpad=3)


def _recovery(rows: EstimatorRows, axes: "Axes") -> None:
    groups = [
        (name, rows.of("links", subject=way, quantity=quantity))
        for name, way, quantity in (
            ("its turn came", TURN, "rmse"),
            ("every consultation", EVERY, "rmse"),
            ("binomial law", EVERY, "binomial rmse"),
        )
    ]
    _lines(axes, [(name, line) for name, line in groups if line], "lower left")
    _logarithmic(axes)
    axes.set_xlabel("trials, at least", labelpad=3)


# Title, the group of rows it takes, and what draws it.
_PANELS: tuple[tuple[str, str, Callable[[EstimatorRows, "Axes"], None]], ...] = (
    ("Kendall’s tau-b with the true ranking", "topics", _topics),
    ("coverage of 95 % intervals of a mean", "coverage", _coverage),
    ("power of the paired t test by true difference", "power", _power),
    ("error of P(x → y) from the log", "links", _recovery),
)
