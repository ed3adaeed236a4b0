"""The rows of the study: a number with its interval, and what it is of; and rows looked up."""

import math
from dataclasses import dataclass, field
from typing import Any

from prum.experiments.statistics.intervals import Interval


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


@dataclass(slots=True)
class Rows:
    """Rows, to add to and to look up."""

    rows: list[EstimatorsRow] = field(default_factory=list)

    def add(
        self,
        group: str,
        subject: str,
        method: str,
        quantity: str,
        value: float | Interval,
        *,
        at: float | None = None,
    ) -> None:
        """Add a number, or a number with the ends of its interval; what is not finite is None."""
        three = value if isinstance(value, tuple) else (value, math.nan, math.nan)
        numbers = (float(number) if math.isfinite(number) else None for number in three)
        self.rows.append(EstimatorsRow(group, subject, method, at, quantity, *numbers))

    def of(self, group: str, **what: Any) -> list[EstimatorsRow]:
        """Return the rows of a group with these values."""
        return [
            row
            for row in self.rows
            if row.group == group and all(getattr(row, name) == own for name, own in what.items())
        ]

    def row(self, group: str, **what: Any) -> EstimatorsRow | None:
        """Return the row with these values, if there is one."""
        return next(iter(self.of(group, **what)), None)

    def levels(self, group: str, **what: Any) -> list[float]:
        """Return the levels of a group, ascending."""
        return sorted({row.at for row in self.of(group, **what) if row.at is not None})

    def names(self, group: str, column: str = "method", **what: Any) -> list[str]:
        """Return the values of a column in a group, as they come first, without empty ones."""
        values = dict.fromkeys(getattr(row, column) for row in self.of(group, **what))
        return [name for name in values if name]
