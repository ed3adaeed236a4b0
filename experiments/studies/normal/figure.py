"""The figure of the study of the normal law: mean error by the number of ideals."""

from typing import TYPE_CHECKING

from prum.experiments.report.curves import SOFT, Drawing
from prum.experiments.studies.drawing import drawn, legend, points, tidy
from prum.experiments.studies.normal.study import LAWS, NAMES
from prum.experiments.studies.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def normal(study: Study) -> Drawing:
    """Return mean error over m, a line for each law, on logarithmic axes."""

    def fill(figure: "Figure") -> None:
        axes = figure.add_axes((0.11, 0.12, 0.87, 0.76), facecolor="none")
        for number, law in enumerate(LAWS):
            rows = [row for row in study.rows if (row["law"], row["error"]) == (law, "pmf")]
            points(axes, [row["m"] for row in rows], rows, "mean", "", number, NAMES[law])
        tidy(axes, study.options["sizes"], "m, pages looked for")
        axes.set_title("mean error", loc="left", fontsize=9, color=SOFT, pad=7)
        legend(figure, axes)

    return drawn(fill, 520, 300)
