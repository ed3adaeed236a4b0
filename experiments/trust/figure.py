"""The figure of `trust`: by recall value PRUM, the users tried, and bounds over all dependences."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.frame.drawing import PRUM as PRUM_COLOUR
from prum.experiments.frame.drawing import SIMULATED, SOFT, Drawing, paneled
from prum.experiments.frame.numbers import shortened
from prum.experiments.trust.answer import worst_first
from prum.experiments.trust.of_list import PRUM
from prum.experiments.trust.orders import TrustOrders
from prum.simulator.model.errors import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS, _NAME = 2, 40
# Up to so many recall values each has a tick; up to so many they are as far from each other.
_TICKED, _MOST_LINEAR = 10, 30
_TICKS = (1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def drawn_systems(numbers: TrustOrders) -> tuple[str, ...]:
    """Return the systems that are drawn: those whose order fares worst, or the only one."""
    if not numbers.pairs:
        return numbers.ranked[:1]
    worst = worst_first(numbers.pairs)[0]
    return worst.system, worst.other


def figure(numbers: TrustOrders) -> Drawing:
    """Return a panel for each of these systems."""
    sizes = sorted(entry.num_ideals for entry in numbers.lists.values())
    recall = np.arange(1, sizes[len(sizes) // 2] + 1)
    systems = drawn_systems(numbers)
    titles = shortened(map(printable, systems), _NAME)
    panels = [
        partial(_panel, numbers=numbers, system=system, title=title, recall=recall.tolist())
        for system, title in zip(systems, titles, strict=True)
    ]
    return paneled(
        panels, columns=_COLUMNS, tall=260, has_legend=True, share="both", prefix="trust"
    )


def _panel(
    axes: "Axes", *, numbers: TrustOrders, system: str, title: str, recall: list[int]
) -> None:
    within = slice(1, len(recall) + 1)
    prum = numbers.curves[system, PRUM].mean[within]
    low, high = (end[within] for end in numbers.bound_curve(system))
    # Means are of the topics with such users: what counts is by how much PRUM errs on them. Where
    # users are too few there is no error, and nothing in its place.
    errors = [numbers.curves[system, name].error[within] for name in numbers.active]
    tried = np.array([prum - error for error in errors])
    axes.fill_between(
        recall, low, high, color=SOFT, alpha=0.22, linewidth=0, label="any dependence (bounds)"
    )
    axes.fill_between(
        recall,
        np.nanmin(tried, axis=0),
        np.nanmax(tried, axis=0),
        color=SIMULATED,
        alpha=0.35,
        linewidth=0,
        label="users tried",
    )
    axes.plot(
        recall,
        prum,
        color=PRUM_COLOUR,
        label="PRUM",
        marker="o" if len(recall) < 8 else "",
        markersize=4,
    )
    axes.set_title(title)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("r", labelpad=2, color=SOFT)
    if len(recall) > _MOST_LINEAR:
        axes.set_xscale("log")
    steps = [r for r in _TICKS if r <= recall[-1]]
    axes.set_xticks(recall if len(recall) <= _TICKED else steps, minor=False)
    axes.set_xticks([], minor=True)
    axes.xaxis.set_major_formatter("{x:g}")
