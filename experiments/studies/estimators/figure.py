"""The figure of the study of estimators: rankings, coverage, power and recovered probabilities."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from prum.experiments.fitting.trials import EVERY, TURN
from prum.experiments.report.drawing import INK, PRUM, RULE, SIMULATED, SOFT, Drawing, drawn
from prum.experiments.statistics.bootstrap import METHODS
from prum.experiments.statistics.tests import T
from prum.experiments.studies.estimators.coverage import MEAN
from prum.experiments.studies.estimators.rows import chosen
from prum.experiments.studies.estimators.wording import names
from prum.experiments.studies.study import WrittenStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS = (
    (PRUM, "o", "-"),
    (INK, "s", "--"),
    (SIMULATED, "^", "-"),
    (SOFT, "D", ":"),
    (PRUM, "v", ":"),
    (SIMULATED, "P", "--"),
)
_WIDTH, _HEIGHT = 620, 250


def estimators(study: WrittenStudy) -> Drawing | None:
    """Return the panels that the data allow, two in a line; None if there is none."""
    panels = [panel for panel in _PANELS if panel[1](study)]
    if not panels:
        return None
    lines = (len(panels) + 1) // 2
    height = _HEIGHT * lines

    def fill(figure: "Figure") -> None:
        for place, (title, _, draw) in enumerate(panels):
            row, column = divmod(place, 2)
            box = (
                0.07 + 0.5 * column,
                1 - (row + 1) / lines + 44 / height,
                0.41,
                (_HEIGHT - 74) / height,
            )
            axes = figure.add_axes(box, facecolor="none")
            axes.set_title(title, fontsize=9, color=INK, loc="left")
            draw(study, axes)
            for side in ("top", "right", "left"):
                axes.spines[side].set_visible(False)
            axes.grid(axis="y", color=RULE, linewidth=0.6)
            axes.set_axisbelow(True)

    return drawn(fill, _WIDTH, height)


def _lines(
    axes: "Axes",
    some: Sequence[tuple[str, list[dict[str, Any]]]],
    where: Literal["lower right", "lower left", "upper left"] = "lower right",
) -> None:
    """Draw a line for each name, over the levels of its rows."""
    levels: set[float] = set()
    for number, (name, rows) in enumerate(some):
        colour, mark, dash = _LOOKS[number % len(_LOOKS)]
        rows = sorted((row for row in rows if row["value"] is not None), key=lambda row: row["at"])
        levels |= {row["at"] for row in rows}
        axes.plot(
            [row["at"] for row in rows],
            [row["value"] for row in rows],
            dash,
            marker=mark,
            color=colour,
            markersize=3.5,
            linewidth=1,
            label=name,
        )
    _ticks(axes, sorted(levels))
    axes.legend(frameon=False, fontsize=7.5, loc=where, labelcolor=INK, labelspacing=0.25)


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


def _topics(study: WrittenStudy, axes: "Axes") -> None:
    _lines(
        axes,
        [
            (name, chosen(study.rows, "topics", method=name, quantity="tau-b"))
            for name in names(study, "topics", quantity="tau-b")
        ],
    )
    axes.set_xlabel("topics", labelpad=3)


def _coverage(study: WrittenStudy, axes: "Axes") -> None:
    axes.axhline(0.95, color=SOFT, linewidth=0.8)
    _lines(
        axes,
        [
            (name, chosen(study.rows, "coverage", subject=MEAN, method=name, quantity="coverage"))
            for name in METHODS
        ],
    )
    axes.set_xlabel("topics", labelpad=3)


def _power(study: WrittenStudy, axes: "Axes") -> None:
    axes.axhline(0.05, color=SOFT, linewidth=0.8)
    _lines(
        axes,
        [
            (label, chosen(study.rows, "power", subject=label, method=T, quantity="power"))
            for label in reversed(names(study, "power", "subject"))
        ],
        "upper left",
    )
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("topics", labelpad=3)


def _recovery(study: WrittenStudy, axes: "Axes") -> None:
    some = [
        (name, [row for row in rows if row["at"] is not None])
        for name, rows in (
            ("its turn came", chosen(study.rows, "links", subject=TURN, quantity="rmse")),
            ("every consultation", chosen(study.rows, "links", subject=EVERY, quantity="rmse")),
            ("binomial law", chosen(study.rows, "links", subject=EVERY, quantity="binomial rmse")),
        )
    ]
    _lines(axes, [(name, rows) for name, rows in some if rows], "lower left")
    _logarithmic(axes)
    axes.set_xlabel("trials, at least", labelpad=3)


def _has(group: str) -> Callable[[WrittenStudy], bool]:
    return lambda study: bool(chosen(study.rows, group))


_PANELS: tuple[
    tuple[str, Callable[[WrittenStudy], bool], Callable[[WrittenStudy, "Axes"], None]], ...
] = (
    ("Kendall’s tau-b with the true ranking", _has("topics"), _topics),
    ("coverage of 95 % intervals of a mean", _has("coverage"), _coverage),
    ("power of the paired t test by true difference", _has("power"), _power),
    ("error of P(x → y) from the log", _has("links"), _recovery),
)
