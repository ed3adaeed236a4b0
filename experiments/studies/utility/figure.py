"""Figure 1 of Carterette (2011): where people stop, and how far they look, beside users."""

from typing import TYPE_CHECKING

from prum.experiments.report.drawing import INK, PRUM, SIMULATED, SOFT, Drawing, drawn
from prum.experiments.studies.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINES = (("static", ("RBP", "DCG", "RR")), ("dynamic", ("ERR", "AP", "RRR")))
_COLUMNS = (("stopping", "stopped", "P(k), stopping"), ("viewing", "viewed", "F(k), viewing"))
_COLOURS = (PRUM, INK, SIMULATED)
_MARKS = ("o", "s", "^")


def laws(study: Study) -> Drawing:
    """Return four panels: static and dynamic distributions, stopping and viewing."""
    found = study.found["laws"]

    def fill(figure: "Figure") -> None:
        for line, (kind, names) in enumerate(_LINES):
            for column, (law, users, label) in enumerate(_COLUMNS):
                box = (0.07 + 0.5 * column, 0.57 - 0.48 * line, 0.42, 0.35)
                axes = figure.add_axes(box, facecolor="none")
                for number, name in enumerate(names):
                    ranks = range(1, len(found[name][law]) + 1)
                    axes.plot(
                        ranks, found[name][law], "-", color=_COLOURS[number], linewidth=1,
                        label=name,
                    )  # fmt: skip
                    axes.plot(
                        ranks, found[name][users], _MARKS[number], color=_COLOURS[number],
                        markersize=2.5, markeredgewidth=0,
                    )  # fmt: skip
                axes.set_title(f"{kind}: {label}", loc="left", fontsize=9, color=SOFT, pad=7)
                axes.set_xlabel("k, rank", color=SOFT)
                axes.legend(frameon=False, fontsize=8, loc="upper right", labelcolor=INK)

    return drawn(fill, 620, 440)
