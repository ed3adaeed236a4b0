"""Laws that are closest to numbers: ranges, power laws, tails, and what pages are linked to."""

import numpy as np

from prum.simulator.model.arrays import Floats

# What the dials allow.
_MOST_DEGREE, _MOST_EXPONENT = 1_000, 10.0
# Quantiles of degrees that may be the least and the most of a power law.
_LEAST_DEGREES, _MOST_DEGREES = np.linspace(0.005, 0.5, 20), np.linspace(0.75, 0.995, 12)
# Quantiles by which laws are compared with values.
_SHARES, _FINE_SHARES = ((np.arange(number) + 0.5) / number for number in (100, 200))


def uniform_range(values: Floats, least: int) -> list[int]:
    """Return the ends of the uniform law of whole numbers that is closest by Wasserstein.

    Of ranges between quantiles of the values, none of which lies below `least`.

    >>> uniform_range(np.array([2.0, 3, 4, 5, 6]), 1)
    [2, 6]
    """
    quantiles = np.quantile(values, np.linspace(0, 1, 65)).round()
    ends = np.unique(np.maximum(quantiles, least)).astype(int).tolist()
    ranges = ([low, high] for low in ends for high in ends if high >= low)
    return min(ranges, key=lambda ends: apart(values, uniform(*ends)))


def tail_of(median: float, spread: float, ends: list[int]) -> Floats:
    """Return 100 quantiles of the lognormal law of numbers from the first end to the second."""
    from scipy.stats import norm

    drawn = median * np.exp(spread * norm.ppf(_SHARES))
    return np.clip(np.floor(drawn + 0.5), ends[0], ends[1])


def uniform(low: int, high: int) -> Floats:
    """Return 100 quantiles of the uniform law of whole numbers from low to high."""
    return np.asarray(low + np.floor(_SHARES * (high - low + 1)))


def apart(values: Floats, quantiles: Floats) -> float:
    """Return how far a law's 100 quantiles are from those of values: Wasserstein's distance."""
    own = np.quantile(values, _SHARES, method="inverted_cdf")
    return float(np.abs(quantiles - own).mean())


def power_range(degrees: Floats) -> tuple[int, int, float]:
    """Return least, most and exponent of the power law that is closest by Wasserstein.

    Of laws between quantiles of the degrees, the exponent by maximum likelihood (`power_exponent`).
    """
    own = np.quantile(degrees, _FINE_SHARES, method="inverted_cdf")
    lows, highs = (
        np.unique(np.quantile(degrees, shares, method="inverted_cdf")).astype(int).tolist()
        for shares in (_LEAST_DEGREES, _MOST_DEGREES)
    )
    ranges = (
        (min(low, _MOST_DEGREE), min(max(high, low, 1), _MOST_DEGREE))
        for low in lows
        for high in highs
    )
    laws = ((*ends, power_exponent(degrees, *ends)) for ends in ranges)

    def off(law: tuple[int, int, float]) -> float:
        least, most, exponent = law
        weights = np.maximum(np.arange(least, most + 1), 1) ** -exponent
        quantiles = least + np.searchsorted(np.cumsum(weights) / weights.sum(), _FINE_SHARES)
        return float(np.abs(quantiles - own).mean())

    return min(laws, key=off)


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

    return float(minimize_scalar(loss, bounds=(0, _MOST_EXPONENT), method="bounded").x)


def popularity_slope(degrees: Floats) -> float:
    """Return -slope of log in-degree over log rank, by least squares, of degrees of 1 or more."""
    top = np.sort(degrees[degrees >= 1])[::-1]
    # The steps of small numbers bend the line: it goes by the upper half.
    top = top[: max(len(top) // 2, 2)]
    if len(top) < 2:
        return 0.0
    slope = np.polyfit(np.log(np.arange(1, len(top) + 1)), np.log(top), 1)[0]
    return float(np.clip(-slope, 0, 0.99))
