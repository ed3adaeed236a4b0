"""The figure of the study of estimators: rankings, coverage, power and recovered probabilities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from prum.experiments.logs.trials import EVERY, TURN
from prum.experiments.statistics.bootstrap import METHODS
from prum.experiments.statistics.intervals import CONFIDENCE
from prum.experiments.statistics.tests import T
from prum.experiments.studies.estimators.resampling import LEVEL, MEAN
from prum.experiments.studies.estimators.scoring import EstimatorRows, EstimatorsRow
from prum.experiments.views.drawing import SOFT, Drawing, curves, paneled, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Names of lines, and their rows.
_Lines = Sequence[tuple[str, list[EstimatorsRow]]]


@dataclass(frozen=True, slots=True)
class _Panel:
    """A panel: the group of rows it takes, its lines, where the legend is, a level that is drawn.

    Shares run from 0 to 1; errors have a logarithmic axis.
    """

    title: str
    group: str
    lines: Callable[[EstimatorRows], _Lines]
    along: str = "topics"
    legend: Literal["lower right", "lower left", "upper left"] = "lower right"
    level: float | None = None
    kind: Literal["", "shares", "errors"] = ""

    def draw(self, axes: "Axes", rows: EstimatorRows) -> None:
        """Draw a line for each name, over the levels of its rows."""
        if self.level is not None:
            axes.axhline(self.level, color=SOFT, linewidth=0.8)
        lines = {
            name: {
                row.at: row.value
                for row in sorted(own, key=lambda row: row.at or 0)
                if row.at is not None and row.value is not None
            }
            for name, own in self.lines(rows)
        }
        curves(axes, lines)
        levels = sorted({at for line in lines.values() for at in line})
        axes.legend(loc=self.legend, labelspacing=0.25)
        tidy(axes, levels, self.along, y="log" if self.kind == "errors" else "linear")
        if self.kind == "shares":
            axes.set_ylim(-0.02, 1.02)
        axes.set_title(self.title)


def _topics(rows: EstimatorRows) -> _Lines:
    names = rows.names("topics", "method", quantity="tau-b")
    return [(name, rows.of("topics", method=name, quantity="tau-b")) for name in names]


def _coverage(rows: EstimatorRows) -> _Lines:
    what = {"subject": MEAN, "quantity": "coverage"}
    return [(name, rows.of("coverage", method=name, **what)) for name in METHODS]


def _power(rows: EstimatorRows) -> _Lines:
    labels = reversed(rows.names("power", "subject"))
    what = {"method": T, "quantity": "power"}
    return [(label, rows.of("power", subject=label, **what)) for label in labels]


def _recovery(rows: EstimatorRows) -> _Lines:
    lines = [
        (name, rows.of("links", subject=way, quantity=quantity))
        for name, way, quantity in (
            ("its turn came", TURN, "rmse"),
            ("every consultation", EVERY, "rmse"),
            ("binomial law", EVERY, "binomial rmse"),
        )
    ]
    return [(name, line) for name, line in lines if line]


_PANELS = (
    _Panel("Kendall’s tau-b with the true ranking", "topics", _topics),
    _Panel("coverage of 95 % intervals of a mean", "coverage", _coverage, level=CONFIDENCE),
    _Panel(
        "power of the paired t test by true difference",
        "power",
        _power,
        legend="upper left",
        level=LEVEL,
        kind="shares",
    ),
    _Panel(
        "error of P(x → y) from the log",
        "links",
        _recovery,
        along="trials, at least",
        legend="lower left",
        kind="errors",
    ),
)


def has_panels(rows: EstimatorRows) -> bool:
    """Return whether the data allow any panel."""
    return any(rows.of(panel.group) for panel in _PANELS)


def panels(rows: EstimatorRows) -> Drawing:
    """Return the panels that the data allow, two in a line."""
    chosen = [partial(panel.draw, rows=rows) for panel in _PANELS if rows.of(panel.group)]
    return paneled(chosen, columns=2, tall=280)
