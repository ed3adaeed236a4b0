"""The figure of the study of thresholds: spread by e, and power by the number of queries."""

from typing import TYPE_CHECKING

from prum.experiments.report.drawing import INK, PRUM, SIMULATED, SOFT, Drawing, drawn, legend, mark
from prum.experiments.studies.study import Study
from prum.experiments.studies.thresholds.power import NUMBERS, POWER
from prum.experiments.studies.thresholds.scoring import MEASURES
from prum.experiments.studies.thresholds.spreads import JITTERS
from prum.experiments.studies.thresholds.wording import Found

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = (INK, SIMULATED, SOFT, PRUM)


def spreads_and_powers(study: Study) -> Drawing:
    """Return three panels: spread over jitters, the same in gaps, and power by queries."""
    found = Found(study)
    levels = [f"{size:g}" for size in JITTERS]

    def fill(figure: "Figure") -> None:
        panels = [
            figure.add_axes((0.06 + 0.33 * place, 0.15, 0.26, 0.62), facecolor="none")
            for place in range(3)
        ]
        for number, measure in enumerate(MEASURES):
            spread = [found.value("jitter", level, measure, "sd of a query") for level in levels]
            gap = found.value("power", "", measure, "difference")
            shares = [found.value("power", str(n), measure, "power") for n in NUMBERS]
            lines = (
                (JITTERS, spread),
                (JITTERS, [one / gap for one in spread]),
                (NUMBERS, shares),
            )
            for axes, (x, y) in zip(panels, lines, strict=True):
                axes.plot(
                    x, y, mark(number) + "-", color=_COLOURS[number], markersize=4, linewidth=1.2,
                    label=measure, clip_on=False,
                )  # fmt: skip
        panels[2].axhline(POWER, color=SOFT, linewidth=0.8, linestyle=":")
        titles = ("sd of a query", "in gaps of two systems", "power")
        names = ("e, how far estimates move", "e, how far estimates move", "queries")
        for axes, title, name in zip(panels, titles, names, strict=True):
            axes.set_title(title, loc="left", fontsize=9, color=SOFT, pad=7)
            axes.set_xlabel(name, labelpad=3)
            axes.set_ylim(bottom=0)
            for side in ("top", "right", "left"):
                axes.spines[side].set_visible(False)
        legend(figure, panels[0])

    return drawn(fill, 620, 240)
