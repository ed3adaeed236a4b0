"""The figure of `trust`: PRUM's error under each dependence, by recall value."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.trust.numbers import TrustNumbers
from prum.experiments.trust.of_list import INDEPENDENT
from prum.experiments.views.drawing import RULE, SOFT, Drawing, paneled
from prum.experiments.views.shortening import shortened
from prum.simulator.model.errors import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_SYSTEMS, _COLUMNS, _NAME = 6, 2, 40
# Colours that people who see few of them tell apart (Okabe and Ito 2008), and dashes.
_COLOURS = ("#777777", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#111111")
_DASHES = ("-", "--", "-.", ":")


def figure(numbers: TrustNumbers) -> Drawing:
    """Return a panel for each of the best systems, with a line for each dependence."""
    systems = numbers.ranked[:_MOST_SYSTEMS]
    sizes = sorted(one.num_ideals for one in numbers.lists.values())
    recall = np.unique(
        np.geomspace(1, sizes[len(sizes) // 2], num=40).round().astype(np.int64)
    ).tolist()
    errors = [numbers.mean_errors(r) for r in recall]

    def panel(axes: "Axes", system: str, title: str) -> None:
        at = numbers.systems.index(system)
        lines = {name: [float(row[name][at]) for row in errors] for name in numbers.names}
        _panel(axes, recall, lines)
        axes.set_title(title)

    titles = shortened(map(printable, systems), _NAME)
    panels = [
        partial(panel, system=system, title=title)
        for system, title in zip(systems, titles, strict=True)
    ]
    return paneled(
        panels, columns=_COLUMNS, tall=220, has_legend=True, share="both", prefix="trust"
    )


def _panel(axes: "Axes", recall: list[int], lines: dict[str, list[float]]) -> None:
    axes.axhline(0, color=RULE, linewidth=0.8)
    for number, (name, values) in enumerate(lines.items()):
        width = 1.0 if name == INDEPENDENT else 1.5
        axes.plot(
            recall,
            values,
            color=_COLOURS[number % len(_COLOURS)],
            label=name,
            linewidth=width,
            linestyle=_DASHES[number % len(_DASHES)],
            marker="o" if len(recall) < 8 else "",
            markersize=3,
        )
    axes.set_xlabel("r", labelpad=2, color=SOFT)
    if len(recall) > 8:
        axes.set_xscale("log")
    else:
        axes.set_xticks(recall)
