"""The result of `referee`: a distance for each metric, and what can be said of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from prum.experiments.frame.numbers import shown
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import Column, Figure, Table, View
from prum.experiments.logs.log_summary import not_kept
from prum.experiments.sessions.sides import CANNOT_TELL
from prum.experiments.statistics.tests import holm

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from prum.experiments.frame.drawing import Drawing

_CAPTION = (
    "Distance of simulated from real sessions (point), and up to which distance so many sessions "
    "may fail to show a difference (line); blue: differs"
)
DIFFERS, NOT_SEEN = "differs", "no difference seen"


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A metric of real and simulated sessions.

    Parameters
    ----------
    name, about
        As of `Metric`.
    distance, p
        As of `DistanceTest`.
    adjusted
        p by Holm's method over all metrics.
    detectable
        The distance that so many sessions show with probability .8, if all metrics are tested.
    real, simulated
        How many sessions have data.
    verdict
        "differs", "no difference seen" or "cannot tell".
    """

    name: str
    about: str
    distance: float
    p: float | None
    adjusted: float | None
    detectable: float
    real: int
    simulated: int
    verdict: str


def verdicts(values: Sequence[float | None], level: float) -> tuple[list[float | None], list[str]]:
    """Return p-values adjusted by Holm's method, and what each says at a level.

    >>> verdicts([0.01, None, 0.4], 0.05)
    ([0.02, None, 0.4], ['differs', 'cannot tell', 'no difference seen'])
    """
    adjusted = holm(values)
    words = [
        CANNOT_TELL if value is None else DIFFERS if value <= level else NOT_SEEN
        for value in adjusted
    ]
    return adjusted, words


class RefereeValues(TypedDict):
    """What the JSON of a referee holds."""

    level: float
    metrics: list[Annotated[dict[str, Any], MetricRow]]
    lost: dict[str, dict[str, int]]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RefereeResult(Result):
    """How far simulated sessions are from real ones.

    Attributes
    ----------
    rows
        One for each metric.
    level
        The chance of any false difference.
    lost
        What was not kept of either log.
    arguments, command
        As `Result` has them.
    """

    rows: tuple[MetricRow, ...]
    level: float
    lost: tuple[dict[str, int], dict[str, int]]

    kind = "referee"

    def of(self, verdict: str) -> list[str]:
        """Return the names of metrics of which this is said."""
        return [row.name for row in self.rows if row.verdict == verdict]

    @property
    def status(self) -> int:
        """1 where the sessions differ, else 0."""
        return int(bool(self.of(DIFFERS)))

    @property
    def headline(self) -> str:
        """The answer in a sentence."""
        differs, same = self.of(DIFFERS), self.of(NOT_SEEN)
        tested = len(differs) + len(same)
        rate = f"false alarm rate {self.level:g} in all"
        if differs:
            names = ", ".join(differs)
            return f"Simulated sessions differ from real ones in {names} ({tested} tested, {rate})."
        if same:
            return (
                f"No difference of simulated and real sessions was seen ({tested} tested, {rate})."
            )
        return "Cannot tell: there are too few sessions for any difference to be seen."

    def view(self) -> View:
        """Return the answer, what would have been seen, and the table."""
        return View(
            title="Simulated sessions beside real ones",
            headline=self.headline,
            story=(),
            sentences=(*self._power(), *(line for one in self.lost for line in not_kept(one))),
            tables=(Table.of("Distances of simulated from real sessions", self.rows, _COLUMNS),),
            figures=(Figure(_CAPTION, f"Distances by {len(self.rows)} metrics.", self._draw),),
            leads=True,
            holds=not self.of(DIFFERS),
            notes=(
                "can show: the distance that so many sessions show with probability .8",
                "distance: of action types the Jensen-Shannon divergence in bits, of scores the "
                "mean difference over systems, of orders a share of pairs; else the largest "
                "difference of the two distribution functions",
                "p: of sessions drawn alike, by permuting them, adjusted for all metrics",
            ),
        )

    def _draw(self) -> "Drawing":
        """Draw each distance on the stretch of those that so many sessions may hide."""
        from prum.experiments.frame.drawing import SIMULATED, SOFT, height, paneled, rows

        def fill(axes: "Axes") -> None:
            rows(
                axes,
                [(row.name, 0, row.distance, row.detectable) for row in self.rows],
                [SIMULATED if row.verdict == DIFFERS else SOFT for row in self.rows],
            )
            axes.set_xlabel("distance")

        return paneled([fill], columns=1, tall=height(len(self.rows)), prefix="referee")

    def _power(self) -> list[str]:
        lines = list[str]()
        if same := [row for row in self.rows if row.verdict == NOT_SEEN]:
            told = ", ".join(f"{row.name} {shown(row.detectable, '.3f')}" for row in same)
            lines.append(f"Distances that would have been seen with probability .8: {told}.")
        few = self.of(CANNOT_TELL)
        if few and len(few) < len(self.rows):
            lines.append(f"Too few sessions to tell of {', '.join(few)}.")
        return lines

    def values(self) -> RefereeValues:
        """Return a record for each metric, and what was not kept of the logs."""
        return {
            "level": self.level,
            "metrics": [asdict(row) for row in self.rows],
            "lost": {"real": self.lost[0], "sim": self.lost[1]},
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each metric."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows])


_COLUMNS: list[Column[MetricRow]] = [
    Column("metric", lambda row: row.name, left=True),
    Column("real", lambda row: row.real, ",d"),
    Column("simulated", lambda row: row.simulated, ",d"),
    Column("distance", lambda row: row.distance, ".4f"),
    Column("can show", lambda row: row.detectable, ".4f"),
    Column("p", lambda row: row.adjusted, ".2g"),
    Column("verdict", lambda row: row.verdict, left=True),
]
