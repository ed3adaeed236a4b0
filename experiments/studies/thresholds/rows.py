"""Rows of the study of thresholds, and values with intervals to put into them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from prum.experiments.statistics.intervals import deviation_interval, mean_interval
from prum.simulator.model.arrays import Floats


class Valued(NamedTuple):
    """A number, the ends of its interval if it has one, and of how many queries it is, if known."""

    value: float
    low: float | None = None
    high: float | None = None
    queries: int | None = None


class Quantity(NamedTuple):
    """What a row says, whatever it is said of; None is no value, or no interval."""

    part: str
    level: str
    measure: str
    quantity: str
    value: float | None
    low: float | None
    high: float | None
    queries: int | None


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

    @classmethod
    def of(cls, quantity: Quantity) -> "ThresholdsRow":
        """Return the row of a quantity, of simulated queries."""
        return cls(*quantity[:-1])


@dataclass(frozen=True, slots=True)
class RunRow(ThresholdsRow):
    """The same of a run, of two runs (`run` and `other`), or of all of them (none is named).

    `topics` is the number of topics on which the value rests.
    """

    run: str
    other: str
    topics: int | None


def row(part: str, level: str, measure: str, quantity: str, valued: Valued) -> Quantity:
    """Return a quantity; what is missing or not finite is None."""
    value, low, high = (
        None if x is None or not np.isfinite(x) else float(x)
        for x in (valued.value, valued.low, valued.high)
    )
    return Quantity(part, level, measure, quantity, value, low, high, valued.queries)


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
    if not known.size:
        return Valued(np.nan, queries=0)
    mean, low, high = mean_interval(known)
    return Valued(mean, low, high, len(known))


def deviation_of(values: Floats) -> Valued:
    """Return the standard deviation of what is known of normal values with its interval."""
    known = values[~np.isnan(values)]
    return Valued(*deviation_interval(known), len(known))
