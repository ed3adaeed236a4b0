"""Figures of a comparison: means with their intervals, and the places that systems can have."""

from pathlib import Path
from typing import TYPE_CHECKING

from prum.experiments.frame.drawing import (
    RULE,
    SIMULATED,
    SOFT,
    TEXT,
    check_suffix,
    figure_bytes,
    height,
    paneled,
    rows,
)
from prum.experiments.frame.files import check_packages
from prum.experiments.frame.numbers import shortened
from prum.experiments.frame.view import Figure, interval
from prum.simulator.model import InputError
from prum.simulator.model.errors import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from prum.experiments.compare.decision import Decision, Place

KINDS = ("intervals", "ranks")
_LEGEND = "● tied for the first place"
# Signs of a name beside its row, and beside its point.
_ROW_NAME, _POINT_NAME = 48, 24
# Inches: a row of a few systems and of many, and what axes and titles take.
_ROW, _CLOSE_ROW, _MARGIN = 0.24, 0.13, 0.9
_FEW = 40
# Rows of the figure that a page begins with.
_PAGE_ROWS = 20


def plot(decision: "Decision", kind: str = "intervals", axes: "Axes | None" = None) -> "Axes":
    """Draw a figure and return its axes; see `ComparisonResult.plot`.

    Raise InputError if there is no such kind, or no matplotlib.
    """
    check(kind)
    if axes is None:
        from matplotlib import pyplot

        _, axes = pyplot.subplots(figsize=_size(decision), layout="constrained")
    {"intervals": _intervals, "ranks": _ranks}[kind](decision, axes)
    return axes


def interval_figure(decision: "Decision") -> Figure:
    """Return the best systems with the intervals of their means, for a page."""
    some = decision.ranked[:_PAGE_ROWS]

    def fill(axes: "Axes") -> None:
        _rows(axes, [(place, place.low, place.mean, place.high) for place in some], _POINT_NAME)
        axes.tick_params(axis="both", labelsize=TEXT)
        axes.tick_params(axis="x", top=False, labeltop=False)
        axes.set_title("", loc="left")

    caption = f"Mean {decision.measure} with 95 % intervals"
    if len(some) < len(decision.ranked):
        caption += f", the first {len(some)} of {len(decision.ranked):,} systems"
    if any(place.is_tied_with_best for place in some[1:]):
        caption += "; blue: tied for the first place"
    label = "; ".join(
        f"{place.system} {interval(place.mean, place.low, place.high, '.4f')}" for place in some
    )
    tall = height(len(some))
    return Figure(caption, label, lambda: paneled([fill], columns=1, tall=tall, prefix="means"))


def figure_file(decision: "Decision", kind: str, path: str | Path) -> bytes:
    """Return a figure as a file of the type that the path names, the same bytes each time.

    Raise InputError as `plot` and `check_suffix`.
    """
    check_suffix(path)
    check(kind)

    def fill(figure: "Canvas") -> None:
        figure.set_layout_engine("constrained")
        plot(decision, kind, figure.subplots())

    return figure_bytes(fill, _size(decision), path)


def check(kind: str) -> None:
    """Raise InputError if there is no such figure, or no matplotlib."""
    if kind not in KINDS:
        raise InputError("figure", kind, f"be one of {', '.join(KINDS)}", remedy="choose one")
    check_packages("matplotlib", extra="report", use="draw figures")


def _size(decision: "Decision") -> tuple[float, float]:
    """Return width and height in inches."""
    num = len(decision.systems)
    return 6.8, _MARGIN + num * (_ROW if num <= _FEW else _CLOSE_ROW)


def _intervals(decision: "Decision", axes: "Axes") -> None:
    _rows(axes, [(place, place.low, place.mean, place.high) for place in decision.ranked])
    label = f"{printable(decision.measure)} on one topic"
    if decision.num_topics != 1:
        label = (
            f"mean {printable(decision.measure)} over {decision.num_topics:,} topics, "
            "95 % intervals"
        )
    axes.set_xlabel(label, parse_math=False)


def _ranks(decision: "Decision", axes: "Axes") -> None:
    from matplotlib.ticker import MaxNLocator

    _rows(axes, [(place, place.first, place.place, place.last) for place in decision.ranked])
    num = len(decision.systems)
    axes.set_xlim(1 - 0.02 * num, num + 0.02 * num)
    if num > 1:
        inner = MaxNLocator(nbins=8, integer=True).tick_values(1, num)
        axes.set_xticks(sorted({1, num, *(int(x) for x in inner if 1.06 * 1 < x < num * 0.94)}))
    confidence = f"{100 * (1 - decision.level):.4g} %"
    label = f"places by {printable(decision.measure)}, all at once with {confidence} confidence"
    axes.set_xlabel(label, parse_math=False)


def _rows(
    axes: "Axes", placed: "list[tuple[Place, float, float, float]]", name: int = _ROW_NAME
) -> None:
    """Draw a row for each system, the best at the top, from low to high by its middle."""
    num = len(placed)
    names = shortened([printable(place.system) for place, *_ in placed], name)
    rows(
        axes,
        [(short, *row[1:]) for short, row in zip(names, placed, strict=True)],
        [SIMULATED if place.is_tied_with_best else SOFT for place, *_ in placed],
        8 if num <= _FEW else 6,
    )
    # What stands between two dollars is no formula.
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", top=num > _FEW, labeltop=num > _FEW)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for spine in axes.spines.values():
        spine.set_color(SOFT)
    axes.set_axisbelow(True)
    axes.grid(axis="both", color=RULE, linewidth=0.5)
    if any(place.is_tied_with_best for place, *_ in placed[1:]):
        axes.set_title(_LEGEND, loc="left", color=SIMULATED, fontsize=8)
