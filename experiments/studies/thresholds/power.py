"""Variation of measures over queries, and the queries needed to tell which system is better."""

from collections.abc import Iterator
from functools import cache

import numpy as np
from scipy.stats import norm

from prum.experiments.statistics.intervals import Interval, percentiles, student_factor
from prum.experiments.statistics.proportions import wilson
from prum.experiments.studies.thresholds.model import MEASURES
from prum.experiments.studies.thresholds.rows import (
    ThresholdsRow,
    deviation_of,
    mean_of,
    row,
    with_values,
)
from prum.simulator.model.arrays import Floats

LEVEL, POWER = 0.05, 0.8
NUMBERS = (5, 10, 20, 50, 100)
_RESAMPLES = 500
_MOST = 5_000


def variances(systems: Floats) -> Iterator[ThresholdsRow]:
    """Yield how scores vary over queries and over systems; shape (systems, queries, measures)."""
    for number, measure in enumerate(MEASURES):
        values = systems[:, :, number]
        known = with_values(values)
        middle = known[len(known) // 2]
        missing = float(np.isnan(values).any(axis=0).mean())
        yield row("variance", "", measure, "mean", mean_of(middle))
        yield row("variance", "", measure, "sd over queries", deviation_of(middle))
        over = float(known.mean(axis=1).std(ddof=1))
        yield row("variance", "", measure, "sd over systems", over)
        yield row("variance", "", measure, "no value", missing)


def powers(better: Floats, worse: Floats, rng: np.random.Generator) -> Iterator[ThresholdsRow]:
    """Yield what a paired t-test needs and does; scores have the shape (queries, measures).

    Experiments are samples with replacement of the queries. Queries without a value are asked and
    then left out: numbers of queries count them.
    """
    for number, measure in enumerate(MEASURES):
        apart = better[:, number] - worse[:, number]
        known = apart[~np.isnan(apart)]
        share = len(known) / len(apart)
        yield row("power", "", measure, "difference", mean_of(known))
        yield row("power", "", measure, "sd of differences", deviation_of(known))
        yield row("power", "", measure, "queries, formula", _by_formula(known, share, rng))
        simulated = _by_simulation(known, share, rng)
        yield row("power", "", measure, "queries, simulated", simulated)
        for count in NUMBERS:
            power = power_of(known, max(2, round(count * share)), rng)
            yield row("power", str(count), measure, "power", power)


def needed_queries(mean: float, deviation: float) -> float:
    """Return ((z_.975 + z_.8) sd / mean)^2, the queries for power .8 of a paired test at .05.

    >>> round(needed_queries(0.1, 0.2), 1)
    31.4
    """
    return (_quantiles() * deviation / mean) ** 2 if mean else np.inf


@cache
def _quantiles() -> float:
    return float(norm.ppf(1 - LEVEL / 2) + norm.ppf(POWER))


def power_of(apart: Floats, count: int, rng: np.random.Generator) -> Interval:
    """Return the share of samples in which a t-test finds the mean positive, with its interval.

    The test is two-sided; a significant difference in the wrong direction is no success. Wilson's
    interval.
    """
    samples = rng.choice(apart, (_RESAMPLES, count))
    error = samples.std(axis=1, ddof=1) / np.sqrt(count)
    wins = np.count_nonzero(samples.mean(axis=1) > student_factor(count - 1) * error)
    low, high = wilson(np.array(wins), np.array(_RESAMPLES))
    return wins / _RESAMPLES, float(low), float(high)


def _by_formula(apart: Floats, share: float, rng: np.random.Generator) -> Interval:
    resampled = rng.choice(apart, (_RESAMPLES, len(apart)))
    count, *counts = (
        needed_queries(float(values.mean()), float(values.std(ddof=1))) / share
        for values in (apart, *resampled)
    )
    low, high = percentiles(np.array(counts)) or (np.nan, np.nan)
    return count, low, high


def _by_simulation(apart: Floats, share: float, rng: np.random.Generator) -> float:
    """Return the least number of queries with simulated power .8, by halving; nan above 5,000."""
    low, high = 1, 2
    while power_of(apart, high, rng)[0] < POWER:
        low, high = high, high * 2
        if high > _MOST:
            return np.nan
    while high - low > 1:
        middle = (low + high) // 2
        if power_of(apart, middle, rng)[0] < POWER:
            low = middle
        else:
            high = middle
    return high / share
