"""Laws that are closest to numbers: ranges, power laws, tails, and what pages are linked to."""

import numpy as np

from prum.experiments.studies.study import Floats

# What the dials allow.
_MOST_DEGREE, _MOST_EXPONENT = 1_000, 10.0
# Quantiles of degrees that may be the least and the most of a power law.
_LEAST_DEGREES, _MOST_DEGREES = np.linspace(0.005, 0.5, 20), np.linspace(0.75, 0.995, 12)
# Quantiles by which laws are compared with values.
_SHARES = (np.arange(100) + 0.5) / 100


def uniform_range(values: Floats, least: int) -> list[int]:
    """Return the ends of the uniform law of whole numbers that is closest by Wasserstein.

    Of ranges between quantiles of the values, none of which lies below `least`.

    >>> uniform_range(np.array([2.0, 3, 4, 5, 6]), 1)
    [2, 6]
    """
    ends = np.unique(np.maximum(np.quantile(values, np.linspace(0, 1, 65)).round(), least))
    best, found = np.inf, [least, least]
    for low in ends.astype(int).tolist():
        for high in ends[ends >= low].astype(int).tolist():
            off = apart(values, uniform(low, high))
            if off < best:
                best, found = off, [low, high]
    return found


def tail_of(median: float, spread: float, ends: list[int]) -> Floats:
    """Return 100 quantiles of the lognormal law of numbers from the first end to the second."""
    from scipy.stats import norm

    drawn = median * np.exp(spread * norm.ppf(_SHARES))
    return np.clip(np.floor(drawn + 0.5), ends[0], ends[1])


def uniform(low: int, high: int) -> Floats:
    """Return 100 quantiles of the uniform law of whole numbers from low to high."""
    return np.asarray(low + np.floor(_SHARES * (high - low + 1)))


def apart(values: Floats, drawn: Floats) -> float:
    """Return how far quantiles of a law are from those of values: Wasserstein's distance."""
    own = np.quantile(values, _SHARES, method="inverted_cdf")
    return float(np.abs(drawn - own).mean())


def power_range(degrees: Floats) -> tuple[int, int, float]:
    """Return least, most and exponent of the power law that is closest by Wasserstein.

    Of laws between quantiles of the degrees, the exponent by maximum likelihood (`power_exponent`).
    """
    shares = (np.arange(200) + 0.5) / 200
    own = np.quantile(degrees, shares, method="inverted_cdf")
    lows, highs = (
        np.unique(np.quantile(degrees, some, method="inverted_cdf")).astype(int).tolist()
        for some in (_LEAST_DEGREES, _MOST_DEGREES)
    )
    best, found = np.inf, (0, 1, 0.0)
    for low in lows:
        for high in highs:
            least, most = min(low, _MOST_DEGREE), min(max(high, low, 1), _MOST_DEGREE)
            exponent = power_exponent(degrees, least, most)
            weights = np.maximum(np.arange(least, most + 1), 1) ** -exponent
            drawn = least + np.searchsorted(np.cumsum(weights) / weights.sum(), shares)
            apart = float(np.abs(drawn - own).mean())
            if apart < best:
                best, found = apart, (least, most, exponent)
    return found


def power_exponent(degrees: Floats, least: int, most: int) -> float:
    """Return the exponent e >= 0 by maximum likelihood, P(k) ~ max(k, 1)^-e from least to most.

    Degrees outside are left out.
    """
    from scipy.optimize import minimize_scalar

    inside = degrees[(degrees >= least) & (degrees <= most)]
    if least == most or not len(inside):
        return 0.0
    logs = np.log(np.maximum(np.arange(least, most + 1), 1))
    mean = float(np.log(np.maximum(inside, 1)).mean())

    def loss(exponent: float) -> float:
        weights = -exponent * logs
        top = weights.max()
        return exponent * mean + float(top + np.log(np.exp(weights - top).sum()))

    found = minimize_scalar(loss, bounds=(0, _MOST_EXPONENT), method="bounded")
    return float(found.x)


def popularity_slope(degrees: Floats) -> float:
    """Return -slope of log in-degree over log rank, by least squares, of degrees of 1 or more."""
    some = np.sort(degrees[degrees >= 1])[::-1]
    # The steps of small numbers bend the line: it goes by the upper half.
    some = some[: max(len(some) // 2, 2)]
    if len(some) < 2:
        return 0.0
    slope = np.polyfit(np.log(np.arange(1, len(some) + 1)), np.log(some), 1)[0]
    return float(np.clip(-slope, 0, 0.99))
