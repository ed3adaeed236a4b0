"""Rows of the study of thresholds, and what of their values is known."""

import math
from dataclasses import dataclass

import numpy as np

from prum.experiments.statistics.intervals import Interval, deviation_interval, mean_interval
from prum.experiments.studies.kit.quantities import known
from prum.simulator.model.arrays import Floats


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

    @property
    def group(self) -> str:
        """The part."""
        return self.part


def row(
    part: str, level: str, measure: str, quantity: str, value: float | Interval
) -> ThresholdsRow:
    """Return the row of a number, or of one with its interval."""
    return ThresholdsRow(part, level, measure, quantity, *known(value))


def with_values(scores: Floats) -> Floats:
    """Return the columns in which no number is missing, (n, columns); a column of nan if none is.

    >>> with_values(np.array([[1, np.nan], [2, 3]])).tolist()
    [[1.0], [2.0]]
    """
    known = scores[:, ~np.isnan(scores).any(axis=0)]
    return known if known.size else np.full((len(scores), 1), np.nan)


def mean_of(values: Floats) -> Interval:
    """Return the mean of what is known of `values` with its interval."""
    known = values[~np.isnan(values)]
    return mean_interval(known) if known.size else (math.nan, math.nan, math.nan)


def deviation_of(values: Floats) -> Interval:
    """Return the standard deviation of what is known of normal values with its interval."""
    return deviation_interval(values[~np.isnan(values)])
