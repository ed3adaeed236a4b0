"""Bounds on a score from bounds on what each of its documents is worth."""

import numpy as np
from numpy.typing import NDArray

from prum.analytic.utility.accumulation import efforts
from prum.analytic.utility.documents import DocumentPool, Documents
from prum.analytic.utility.measures import UtilityScore
from prum.analytic.utility.over_theta import mean_products

Floats = NDArray[np.float64]


def envelope(
    score: UtilityScore,
    ranked: Documents,
    pool: DocumentPool,
    unjudged: NDArray[np.int64],
    levels: Documents,
) -> tuple[float, float]:
    """Return numbers the score cannot leave, however the unjudged documents are judged.

    Each P(k), gain, and for the normalised score the best ranking's value, takes its lowest or its
    highest value by itself: as score and best rise with each of them, the truth lies between.
    """
    u = len(unjudged)
    low, high = (
        Documents(np.full(u, bound(levels.gains)), np.full(u, bound(levels.stops)))
        for bound in (np.min, np.max)
    )
    pools = pool.joined(low), pool.joined(high)
    lists = tuple(ranked.replaced(unjudged, others) for others in (low, high))
    lowest, highest = _between(score, lists, pools)
    if not score.normalised:
        return lowest, highest
    lengths = [score.best_length(len(ranked), each) for each in pools]
    worst, best = (
        _between(score, tuple(each.best(n) for each in pools), pools)[end]
        for end, n in enumerate(lengths)
    )
    proper = score.effort is None and (score.distribution, score.model) != ("ERR", "M2")
    ceiling = 1.0 if proper else np.inf
    return (
        lowest / best if best > 0 else 0.0,
        min(highest / worst, ceiling) if worst > 0 else ceiling,
    )


def _between(
    score: UtilityScore, lists: tuple[Documents, ...], pools: tuple[DocumentPool, ...]
) -> tuple[float, float]:
    """Return bounds on the value of a ranking between two, its pool being between two."""
    low, high = (score.counted(ranked) for ranked in lists)
    masses = _masses(score, low, high, pools)
    # Users who have not stopped above rank k look at it.
    viewing = [
        np.maximum(1 - np.concatenate(([0.0], mass.cumsum()))[:-1], 0.0) for mass in masses[::-1]
    ]
    f = efforts(score.effort, len(low))
    lowest, highest = (
        _accumulated(score.model, mass, view, documents.gains, f)
        for mass, view, documents in zip(masses, viewing, (low, high), strict=True)
    )
    return lowest, highest


def _accumulated(model: str, mass: Floats, viewing: Floats, gains: Floats, f: Floats) -> float:
    # Bounds on P and on F are no law: what is lowest of one belongs to what is highest elsewhere.
    if model == "M2":
        return float(gains @ viewing)
    worth = {"M1": gains, "M3": f, "M4": f * gains.cumsum()}[model]
    return float(worth @ mass)


def _masses(
    score: UtilityScore, low: Documents, high: Documents, pools: tuple[DocumentPool, ...]
) -> tuple[Floats, Floats]:
    """Return the lowest and the highest P(k) of each rank."""
    if score.static:
        mass = score.law(low, pools[0]).mass
        return mass, mass
    if score.distribution == "ERR":
        return _products(low.checked_stops(), high), _products(high.checked_stops(), low)
    if score.distribution == "RRR":
        return (
            mean_products(low.gains, high.gains, 1, 1)[0],
            mean_products(high.gains, low.gains, 1, 1)[0],
        )
    least, most = (pool.total() for pool in pools)
    lowest = low.gains / most if most else low.gains
    # g / (g + the others) rises with g; the others sum to at least `least` without this document.
    others = least - low.gains + high.gains
    return lowest, np.divide(high.gains, others, out=np.zeros(len(others)), where=others > 0)


def _products(own: Floats, before: Documents) -> Floats:
    mass: Floats = own * np.concatenate(([1.0], np.cumprod(1 - before.stops)))[:-1]
    return mass
