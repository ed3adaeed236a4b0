"""What is measured of P, R, E and ADM on simulated queries, and of ADM from samples of documents.

Of query q the user's estimates (URE) of its documents are independent, Beta(3 m, 3 (1 - m)) with
m = m_q uniform on (.02, .18): most near 0, some 4 % above 1/2. A system's estimates (SRE) are wrong
on the scale of log odds, which keeps them in (0, 1):

    logit SRE(d) = logit URE(d) + s h_q i_q N(0, 1)

s is the dial, the system's error; h_q = exp(.4 N(0, 1)) how hard the query is, to all systems;
i_q = exp(.2 N(0, 1)) how it suits this one. Errors of documents and of systems are independent.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from prum.analytic.adm import adm
from prum.analytic.adm.sampling import (
    HansenHurwitz,
    HorvitzThompson,
    RetrievedOnly,
    SimpleRandom,
    inclusion_of,
)
from prum.analytic.adm.strata import Stratified, allocation, spreads_of, stratum_of
from prum.analytic.adm.thresholds import BAND
from prum.experiments.statistics.intervals import (
    Interval,
    deviation_interval,
    mean_interval,
    percentiles,
    root_interval,
    student_factor,
    wilson,
)
from prum.experiments.studies.kit.quantities import known
from prum.simulator.model.arrays import Flags, Floats, Ints

# Those of the paper's tables, and the two that it proposes in place of P and R.
PAPERS = ("P", "R", "E", "ADM")
BANDED = ("P'", "R'")
MEASURES = (*PAPERS, *BANDED)
THRESHOLD = 0.5

_MEANS = (0.02, 0.18)
_CONCENTRATION = 3.0
_HARDNESS = 0.4
_INTERACTION = 0.2
# Log odds of 0 and 1 are infinite.
_LEAST = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """Some queries.

    `ure`: user relevance estimates, shape (queries, documents); `hardness`: h_q, shape (queries,).
    """

    ure: Floats
    hardness: Floats

    def system(self, error: float, rng: np.random.Generator) -> Floats:
        """Return the SREs of a system with this error, shape (queries, documents)."""
        number = len(self.hardness)
        size = error * self.hardness * np.exp(_INTERACTION * rng.standard_normal(number))
        noise = rng.standard_normal(self.ure.shape)
        odds = logit(np.clip(self.ure, _LEAST, 1 - _LEAST))
        estimates: Floats = expit(odds + size[:, None] * noise)
        return estimates


def draw_queries(number: int, documents: int, rng: np.random.Generator) -> Queries:
    """Return independent queries over as many documents each."""
    means = rng.uniform(*_MEANS, (number, 1))
    ure = rng.beta(_CONCENTRATION * means, _CONCENTRATION * (1 - means), (number, documents))
    return Queries(ure, np.exp(_HARDNESS * rng.standard_normal(number)))


def scores(
    sre: Floats, ure: Floats, retrieved: float = THRESHOLD, relevant: float = THRESHOLD
) -> Floats:
    """Return `MEASURES`, shape (..., measures), of estimates, shape (..., documents).

    P is nan where nothing is retrieved, R where nothing is relevant, E = (P + R) / 2 where one of
    them is. P' and R' are the shares of what is retrieved, and relevant, in the band of estimates
    less than 1 - sqrt(2) / 2 from relevance.

    >>> scores(np.array([[0.9, 0.4]]), np.array([0.6, 0.5])).round(4).tolist()
    [[1.0, 0.5, 0.75, 0.8, 0.0, 0.5]]
    """
    shown, wanted = sre >= retrieved, ure >= relevant
    apart = np.abs(sre - ure)
    near = apart < BAND

    def share(part: Flags, whole: Flags) -> Floats:
        with np.errstate(invalid="ignore"):
            found: Floats = (part & whole).sum(axis=-1) / whole.sum(axis=-1)
        return found

    precision, recall = share(wanted, shown), share(shown, wanted)
    of_paper = precision, recall, (precision + recall) / 2, 1 - apart.sum(axis=-1) / sre.shape[-1]
    return np.stack([*of_paper, share(near, shown), share(near, wanted)], axis=-1)


JITTERS = (0.01, 0.05, 0.1)
PUSHES = (0.25, 0.5, 1.0)
CUTS = tuple(round(0.3 + 0.05 * step, 2) for step in range(9))
FEW = 10
LEVEL, POWER = 0.05, 0.8
NUMBERS = (5, 10, 20, 50, 100)
_QUANTILES = float(norm.ppf(1 - LEVEL / 2) + norm.ppf(POWER))
_RESAMPLES = 500
_MOST = 5_000


def row(part: str, level: str, measure: str, quantity: str, value: float | Interval) -> Any:
    """Return a quantity of a measure, or of a design of samples, at a level of a part of the study.

    `low` and `high` end its interval; None is no value, or no interval.
    """
    names = dict(zip(("value", "low", "high"), known(value), strict=True))
    return SimpleNamespace(part=part, level=level, measure=measure, quantity=quantity, **names)


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
) -> Iterator[Any]:
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


def moved_thresholds(sre: Floats, ure: Floats) -> Iterator[Any]:
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


def pushed(sre: Floats, ure: Floats) -> Iterator[Any]:
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


def variances(systems: Floats) -> Iterator[Any]:
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


def powers(better: Floats, worse: Floats, rng: np.random.Generator) -> Iterator[Any]:
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


SAMPLED = (10, 50, 100)
BOUNDS = (0.05, 0.2, 0.5)
# Weights are SRE + this: what the system takes for irrelevant may be drawn, too.
_OFFSET = 0.05
# Samples are drawn for so many queries at most.
_MOST_QUERIES = 20


def estimates(
    sre: Floats,
    ure: Floats,
    draws: int,
    rng: np.random.Generator,
    advance: Callable[[], object],
) -> Iterator[Any]:
    """Yield bias and root mean squared error of estimates of ADM, in simulation and theory.

    Over up to 20 queries and `draws` samples of each. Neyman's allocation takes the spreads of
    distances over all queries for known.
    """
    sre, ure = sre[:_MOST_QUERIES], ure[:_MOST_QUERIES]
    spreads = spreads_of(sre.ravel(), ure.ravel(), BOUNDS)
    for number in SAMPLED:
        if number > sre.shape[1]:
            break
        designs = [_designs(*query, number, spreads) for query in zip(sre, ure, strict=True)]
        for name in designs[0]:
            errors, bias, variance = np.empty((draws, len(sre))), [], []
            for query, (system, user) in enumerate(zip(sre, ure, strict=True)):
                design, draw, off = designs[query][name]
                true = adm(system, user)
                for number_drawn in range(draws):
                    judged = draw(rng)
                    errors[number_drawn, query] = design.estimate(judged, user[judged]).adm - true
                bias.append(off)
                variance.append(0.0 if isinstance(design, RetrievedOnly) else design.variance(user))
            advance()
            squared = np.array(bias) ** 2 + variance
            # Samples are independent, queries are what they are.
            values: dict[str, float | Interval] = {
                "bias, simulated": mean_of(errors.mean(axis=1)),
                "bias, theory": float(np.mean(bias)),
                "error, simulated": root_interval(mean_interval((errors**2).mean(axis=1))),
                "error, theory": float(np.sqrt(squared.mean())),
            }
            for quantity, value in values.items():
                yield row("sample", str(number), name, quantity, value)


def _designs(sre: Floats, ure: Floats, number: int, spreads: Floats) -> dict[str, Any]:
    """Return each estimator with its way to draw, and its bias."""
    n, weights = len(sre), sre + _OFFSET
    top = RetrievedOnly(sre, number)
    hurwitz = HansenHurwitz(sre, weights, number)
    thompson = HorvitzThompson(sre, inclusion_of(weights, number))
    inclusion = np.asarray(thompson.inclusion)
    return {
        "retrieved only": (top, lambda _: top.judged, top.bias(ure)),
        "random": (
            SimpleRandom(sre, number),
            lambda rng: rng.choice(n, number, replace=False),
            0.0,
        ),
        "stratified, proportional": _stratified(sre, number, None),
        "stratified, Neyman": _stratified(sre, number, spreads),
        "weighted, Hansen-Hurwitz": (
            hurwitz,
            lambda rng: rng.choice(n, number, p=hurwitz.probabilities),
            0.0,
        ),
        "weighted, Horvitz-Thompson": (
            thompson,
            lambda rng: np.flatnonzero(rng.random(n) < inclusion),
            0.0,
        ),
    }


def _stratified(sre: Floats, number: int, spreads: Floats | None) -> Any:
    of = stratum_of(sre, BOUNDS)
    sizes = np.bincount(of, minlength=len(BOUNDS) + 1)
    drawn = allocation(sizes, number, spreads)
    strata = [np.flatnonzero(of == h) for h in range(len(sizes))]

    def draw(rng: np.random.Generator) -> Ints:
        pairs = zip(strata, drawn, strict=True)
        return np.concatenate([rng.choice(all_of, m, replace=False) for all_of, m in pairs if m])

    return Stratified(sre, BOUNDS, drawn), draw, 0.0
