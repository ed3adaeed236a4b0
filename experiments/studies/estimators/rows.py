"""The rows of the study: a number with its interval, and what it is of; and rows looked up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prum.experiments.statistics.intervals import Interval
from prum.experiments.studies.kit.quantities import QuantityTable, known

# Numbers by quantity, each alone or with the ends of its interval.
Values = Mapping[str, float | Interval]


@dataclass(frozen=True, slots=True)
class EstimatorsRow:
    """A number, and the ends of its interval if it has one; None is no value.

    `group` is what was measured, `subject` of what, `method` by what, `at` how many (topics, ranks
    of a pool, trials, users), `quantity` which number.
    """

    group: str
    subject: str
    method: str
    at: float | None
    quantity: str
    value: float | None
    low: float | None
    high: float | None

    @property
    def half(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


class EstimatorRows(QuantityTable[EstimatorsRow]):
    """Rows, to add to and to look up."""

    def add(
        self,
        group: str,
        subject: str,
        method: str,
        values: Values,
        *,
        at: float | None = None,
    ) -> None:
        """Add numbers."""
        self.rows += [
            EstimatorsRow(group, subject, method, at, quantity, *known(value))
            for quantity, value in values.items()
        ]

    def levels(self, group: str, **what: Any) -> list[float]:
        """Return the levels of a group, ascending."""
        return sorted({row.at for row in self.of(group, **what) if row.at is not None})
