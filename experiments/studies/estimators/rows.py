"""The rows of the study: a number with its interval, and what it is of."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from prum.experiments.statistics.intervals import CONFIDENCE, mean_interval

Floats = NDArray[np.float64]
Interval = tuple[float, float, float]


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


def root_mean_square(values: Floats, noise: float = 0.0) -> Interval:
    """Return the root of the mean square with its interval; `noise` is the mean square of errors.

    The interval is Student's for the mean of squares, its ends' roots taken.

    >>> [round(end, 4) for end in root_mean_square(np.array([1.0, -1.0, 1.0, -1.0]))]
    [1.0, 1.0, 1.0]
    """
    mean, low, high = mean_interval(np.asarray(values, dtype=np.float64) ** 2)
    return root(mean - noise), root(low - noise), root(high - noise)


def root(value: float) -> float:
    """Return the root of what is 0 at least; NaN stays."""
    return math.sqrt(max(value, 0.0)) if not math.isnan(value) else math.nan


def clustered(values: Floats, clusters: NDArray[np.int64]) -> Interval:
    """Return the mean of values and its 95 % interval, where those of one cluster hang together.

    The sum over values by their number, two means of clusters: linearised, with Student's t by
    the number of clusters. Of clusters of one it is the interval of a mean.

    >>> [round(end, 4) for end in clustered(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 2]))]
    [2.0, -0.4841, 4.4841]
    """
    mean = float(values.mean()) if len(values) else math.nan
    _, own = np.unique(clusters, return_inverse=True)
    num = int(own.max()) + 1 if len(own) else 0
    if num < 2:
        return mean, math.nan, math.nan
    sums = np.bincount(own, values - mean)
    error = math.sqrt(float((sums**2).sum()) * num / (num - 1)) / len(values)
    half = float(stdtrit(num - 1, (1 + CONFIDENCE) / 2)) * error
    return mean, mean - half, mean + half
