"""The figure of `trust`: PRUM's error under each dependence, by recall value."""

import math
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.trust.of_list import INDEPENDENT, PRUM
from prum.experiments.trust.result import TrustResult
from prum.experiments.views.drawing import INK, RULE, SOFT, Drawing, drawn
from prum.experiments.views.shortening import shortened
from prum.simulator.model.errors import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _PANEL, _HEAD = 560, 150, 40
_MOST_SYSTEMS, _COLUMNS, _NAME = 6, 2, 40
# Colours that people who see few of them tell apart (Okabe and Ito 2008), and dashes.
_COLOURS = ("#777777", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#111111")
_DASHES = ("-", "--", "-.", ":")


def figure(result: TrustResult) -> Drawing:
    """Return a panel for each of the best systems, with a line for each dependence."""
    systems = [place.system for place in result.decisions[PRUM].ranked[:_MOST_SYSTEMS]]
    columns = min(len(systems), _COLUMNS)
    rows = math.ceil(len(systems) / columns)
    height = _HEAD + rows * (_PANEL + 30)
    sizes = sorted(one.num_ideals for one in result.lists.values())
    recall = np.unique(
        np.geomspace(1, sizes[len(sizes) // 2], num=40).round().astype(np.int64)
    ).tolist()
    errors = [result.mean_errors(r) for r in recall]

    titles = shortened(map(printable, systems), _NAME)

    def fill(drawing: "Figure") -> None:
        axes = drawing.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for place, panel in enumerate(axes.flat):
            if place >= len(systems):
                panel.set_visible(False)
                continue
            number = result.systems.index(systems[place])
            lines = {name: [float(row[name][number]) for row in errors] for name in result.names}
            _panel(panel, recall, lines)
            panel.set_title(
                titles[place], loc="left", fontsize=9, color=INK,
                parse_math=False,
            )  # fmt: skip
        handles, labels = axes.flat[0].get_legend_handles_labels()
        drawing.legend(
            handles, labels, loc="upper left", ncols=4, frameon=False, borderaxespad=0,
            borderpad=0, handlelength=3,
        )  # fmt: skip
        drawing.subplots_adjust(
            left=0.1, right=0.99, top=1 - (_HEAD + 18) / height, bottom=30 / height,
            wspace=0.08, hspace=0.3,
        )  # fmt: skip

    return drawn(fill, _WIDTH, height, "trust")


def _panel(axes: "Axes", recall: list[int], lines: dict[str, list[float]]) -> None:
    axes.axhline(0, color=RULE, linewidth=0.8)
    for number, (name, values) in enumerate(lines.items()):
        width = 1.0 if name == INDEPENDENT else 1.5
        axes.plot(
            recall, values, color=_COLOURS[number % len(_COLOURS)], label=name, linewidth=width,
            linestyle=_DASHES[number % len(_DASHES)], marker="o" if len(recall) < 8 else "",
            markersize=3,
        )  # fmt: skip
    axes.set_xlabel("r", labelpad=2, color=SOFT)
    if len(recall) > 8:
        axes.set_xscale("log")
    else:
        axes.set_xticks(recall)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
