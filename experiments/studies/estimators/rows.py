"""The rows of the study: a number with its interval, and what it is of."""

import math
from dataclasses import dataclass, field
from typing import Any

from prum.experiments.statistics.intervals import Interval


@dataclass(slots=True)
class Rows:
    """Rows as they are found.

    `group` is what was measured, `subject` of what, `method` by what, `at` how many (topics, ranks
    of a pool, consultations), `quantity` which number.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)

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
        """Add a number, or a number with the ends of its interval."""
        three = value if isinstance(value, tuple) else (value, math.nan, math.nan)
        shown = [float(one) if math.isfinite(one) else None for one in three]
        self.rows.append(
            {
                "group": group, "subject": subject, "method": method, "at": at,
                "quantity": quantity, "value": shown[0], "low": shown[1], "high": shown[2],
            }
        )  # fmt: skip

    def of(self, group: str, **what: Any) -> list[dict[str, Any]]:
        """Return the rows of a group with these values."""
        return chosen(self.rows, group, **what)


def chosen(rows: Any, group: str, **what: Any) -> list[dict[str, Any]]:
    """Return the rows of a group with these values."""
    return [
        dict(row)
        for row in rows
        if row["group"] == group and all(row[name] == value for name, value in what.items())
    ]
