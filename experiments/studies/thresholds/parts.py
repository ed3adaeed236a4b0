"""What is measured of P, R, E and ADM: answers to small and large errors, variation, power."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from prum.experiments.statistics.intervals import (
    Interval,
    deviation_interval,
    mean_interval,
    percentiles,
    student_factor,
)
from prum.experiments.statistics.proportions import wilson
from prum.experiments.studies.kit.quantities import known
from prum.experiments.studies.thresholds.model import MEASURES, THRESHOLD, scores
from prum.simulator.model.arrays import Floats

JITTERS = (0.01, 0.05, 0.1)
PUSHES = (0.25, 0.5, 1.0)
CUTS = tuple(round(0.3 + 0.05 * step, 2) for step in range(9))
FEW = 10
LEVEL, POWER = 0.05, 0.8
NUMBERS = (5, 10, 20, 50, 100)
_QUANTILES = float(norm.ppf(1 - LEVEL / 2) + norm.ppf(POWER))
_RESAMPLES = 500
_MOST = 5_000


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


# --- small errors that change much, and large ones that change nothing --------------------------


def jittered(
    sre: Floats,
    ure: Floats,
    draws: int,
    rng: np.random.Generator,
    advance: Callable[[], object],
) -> Iterator[ThresholdsRow]:
    """Yield how far measures move if each SRE does by a uniform number in [-e, e].

    What leaves [0, 1] is cut. Of each query the standard deviation and the range over jitters,
    averaged over queries, all and those with at most 10 relevant documents; and the standard
    deviation over jitters of the mean over queries.
    """
    few = (ure >= THRESHOLD).sum(axis=1) <= FEW
    for size in JITTERS:
        jitters = np.empty((draws, len(ure), len(MEASURES)))
        for draw in range(draws):
            moved = np.clip(sre + rng.uniform(-size, size, sre.shape), 0, 1)
            jitters[draw] = scores(moved, ure)
            advance()
        for number, measure in enumerate(MEASURES):
            values = jitters[:, :, number]
            # A query counts if all jitters give it a value.
            known = with_values(values)
            spread = values.std(axis=0, ddof=1)
            level = f"{size:g}"
            yield row("jitter", level, measure, "sd of a query", mean_of(spread))
            yield row("jitter", level, measure, "sd, few relevant", mean_of(spread[few]))
            yield row("jitter", level, measure, "range of a query", mean_of(np.ptp(values, axis=0)))
            yield row("jitter", level, measure, "sd of the mean", deviation_of(known.mean(axis=1)))


def moved_thresholds(sre: Floats, ure: Floats) -> Iterator[ThresholdsRow]:
    """Yield the range of measures while thresholds go from .3 to .7, by .05: either, or both."""
    for level, moves, limits in (("retrieved", 1, 0), ("relevant", 0, 1), ("both", 1, 1)):
        cuts = np.stack(
            [
                scores(sre, ure, cut if moves else THRESHOLD, cut if limits else THRESHOLD)
                for cut in CUTS
            ]
        )
        for number, measure in enumerate(MEASURES):
            known = with_values(cuts[:, :, number])
            ranges = mean_of(np.ptp(known, axis=0))
            yield row("threshold", level, measure, "range of a query", ranges)
            over = float(np.ptp(known.mean(axis=1)))
            yield row("threshold", level, measure, "range of the mean", over)


def pushed(sre: Floats, ure: Floats) -> Iterator[ThresholdsRow]:
    """Yield how measures change if SREs go away from URE, by a share of the room in a sector."""
    before = scores(sre, ure)
    for share in PUSHES:
        change = scores(pushed_estimates(sre, ure, share), ure) - before
        for number, measure in enumerate(MEASURES):
            yield row("push", f"{share:g}", measure, "change", mean_of(change[:, number]))


def pushed_estimates(sre: Floats, ure: Floats, share: float) -> Floats:
    """Return SREs moved away from URE by a share of the way to the end of their side of 1/2.

    >>> pushed_estimates(np.array([0.75, 0.25]), np.array([0.5, 0.5]), 1).tolist()
    [1.0, 0.0]
    """
    above, up = sre >= THRESHOLD, sre >= ure
    # The largest number that is not retrieved.
    below_cut = np.nextafter(THRESHOLD, 0)
    end = np.where(up, np.where(above, 1.0, below_cut), np.where(above, THRESHOLD, 0.0))
    moved = sre + share * (end - sre)
    return np.where(above, np.maximum(moved, THRESHOLD), np.minimum(moved, below_cut))


# --- variation over queries, and the queries that tell which system is better -------------------


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
    return (_QUANTILES * deviation / mean) ** 2 if mean else np.inf


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
