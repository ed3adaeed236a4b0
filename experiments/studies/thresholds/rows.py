"""Rows of the study of thresholds, and values with intervals to put into them."""

from dataclasses import dataclass

import numpy as np

from prum.experiments.statistics.intervals import deviation_interval, mean_interval
from prum.simulator.model.arrays import Floats

Valued = tuple[float, float | None, float | None]


@dataclass(frozen=True, slots=True)
class ThresholdsRow:
    """A quantity of a measure, or of a design of samples, at a level of a part of the study.

    `low` and `high` end its interval; None is no value, or no interval.
    """

    part: str
    level: str
    measure: str
    quantity: str
    value: float | None
    low: float | None
    high: float | None


def row(part: str, level: str, measure: str, quantity: str, valued: Valued) -> ThresholdsRow:
    """Return a row; what is missing or not finite is None."""
    value, low, high = (None if x is None or not np.isfinite(x) else float(x) for x in valued)
    return ThresholdsRow(part, level, measure, quantity, value, low, high)


def with_values(scores: Floats) -> Floats:
    """Return the columns in which no number is missing, (n, columns); a column of nan if none is.

    >>> with_values(np.array([[1, np.nan], [2, 3]])).tolist()
    [[1.0], [2.0]]
    """
    known = scores[:, ~np.isnan(scores).any(axis=0)]
    return known if known.size else np.full((len(scores), 1), np.nan)


def mean_of(values: Floats) -> Valued:
    """Return the mean of what is known of `values` with its interval."""
    known = values[~np.isnan(values)]
    return mean_interval(known) if known.size else (np.nan, None, None)


def deviation_of(values: Floats) -> Valued:
    """Return the standard deviation of what is known of normal values with its interval."""
    return deviation_interval(values[~np.isnan(values)])
