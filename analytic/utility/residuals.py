"""What unjudged documents may still change: the lowest and the highest score they allow."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.documents import (
    DocumentPool,
    Documents,
    Gain,
    Judgements,
    Scale,
    documents_of,
    pool_of,
)
from prum.analytic.utility.measures import UtilityMeasure, UtilityScore, score_of
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Ints

# Ways of judging that are tried one by one, some 0.1 ms each.
MOST_WAYS = 4096


def utility_bounds(
    name: UtilityMeasure,
    relevance: ArrayLike,
    num_relevant: int | ArrayLike | None = None,
    *,
    theta: float | Gain = 0.5,
    base: float = 2.0,
    gain: Gain = "binary",
    highest: float | None = None,
    cutoff: int | None = None,
    normalised: bool = False,
    beyond: bool = False,
) -> tuple[float, float]:
    """Return the lowest and the highest `utility` over all ways of judging the unjudged documents.

    What turns out relevant adds to R, or to the grades of judged documents. Documents outside the
    list stay as they are. Some way of judging attains each bound:

    - A static distribution, M1 to M4, not normalised: every document adds to the score by itself.
    - Two gains only: of all ways with the same number of relevant documents the ones at the top are
      best and those at the bottom worst, for both AP's R and the best ranking depend on the number
      only. That is one score for each number, twice.
    - More gains, ERR and RRR by M3, not normalised: more relevance ends the search earlier.
    - More gains elsewhere: all ways are tried, if they are no more than `MOST_WAYS`.

    Parameters
    ----------
    relevance
        The ranking's grades by rank, nan or None where unjudged.
    num_relevant
        As in `utility`, of documents that are judged.
    beyond
        Count the users who go on behind the list, or the cut-off, too, who may find the highest
        gain there: M1 with a static distribution only, since M2's sum over all ranks need not be
        finite. The residual of RBP (Moffat and Zobel 2008) is highest - lowest then.
    theta, base, gain, highest, cutoff, normalised
        As in `utility`. Unjudged documents may have each grade of a mapping; 0 or 1 with "binary";
        0, 1, 2 .. up to the highest with "linear" and "exponential"; with a function those seen.

    Returns
    -------
    tuple[float, float]
        (lowest, highest).

    Raises InputError for what `utility` refuses, `beyond` elsewhere, and for too many ways.

    >>> utility_bounds("RBP", [1, None, 0]), utility_bounds("RBP", [1, None, 0], beyond=True)
    ((0.5, 0.75), (0.5, 0.875))
    >>> low, high = utility_bounds("AP", [None, 1, None], 1)
    >>> round(low, 4), round(high, 4)
    (0.5, 1.0)
    """
    judgements = documents_of(relevance, num_relevant, gain, theta, highest)
    pool = pool_of(judgements, num_relevant)
    score = score_of(name, theta, base, None, cutoff, normalised)
    if beyond and not (score.static and score.model == "M1" and not normalised):
        rule = "be left out but for M1, static and not normalised"
        raise InputError("beyond", True, rule, remedy="count the list alone")
    levels = _levels(judgements)
    unjudged = np.flatnonzero(np.isnan(judgements.grades))
    low, high = np.inf, -np.inf
    for way in _ways(score, judgements.ranked, pool, unjudged, levels):
        others = levels.chosen(way)
        value = score.of(judgements.ranked.replaced(unjudged, others), pool.joined(others))
        low, high = min(low, value), max(high, value)
    if beyond:
        high += score.law(judgements.ranked, pool).remainder * float(levels.gains.max())
    return float(low), float(high)


def _levels(judgements: Judgements) -> Documents:
    """Return what an unjudged document may turn out to be, each once, a worthless one first."""
    scales = [judgements.gain]
    if isinstance(judgements.theta, Scale):
        scales.append(judgements.theta)
    grades = {float(grade) for scale in scales for grade in scale.levels}
    common = [g for g in grades if all(scale.worth(g) is not None for scale in scales)]
    kinds = judgements.documents(np.array(common), "unjudged")
    distinct = {(0.0, 0.0), *zip(kinds.gains.tolist(), kinds.stops.tolist(), strict=True)}
    return Documents(*np.array(sorted(distinct)).T)


def _ways(
    score: UtilityScore,
    ranked: Documents,
    pool: DocumentPool,
    unjudged: Ints,
    levels: Documents,
) -> Iterator[Ints]:
    """Return ways of judging with the lowest and the highest score among them.

    A way has the number of a level for each unjudged document, from the top of the list.
    """
    u, static = len(unjudged), score.static
    searches = score.model == "M3" and score.distribution in ("ERR", "RRR")
    if (static or searches) and not score.normalised:
        worth = levels.stops if score.distribution == "ERR" else levels.gains
        return (np.full(u, choice(worth)) for choice in (np.argmin, np.argmax))
    if _two_kinds(ranked, pool, levels):
        return _top_and_bottom(u)
    if (number := len(levels) ** u) > MOST_WAYS:
        rule, remedy = f"be at most {MOST_WAYS}", "take binary gains, or do not normalise"
        raise InputError("ways of judging what is unjudged", number, rule, remedy=remedy)
    return (np.array(way, np.int64) for way in product(range(len(levels)), repeat=u))


def _top_and_bottom(u: int) -> Iterator[Ints]:
    places = np.arange(u)
    for relevant in range(u + 1):
        yield (places < relevant).astype(np.int64)
        yield (places >= u - relevant).astype(np.int64)


def _two_kinds(ranked: Documents, pool: DocumentPool, levels: Documents) -> bool:
    """Return whether all relevant documents have one gain and one theta."""
    kinds = set[tuple[float, float]]()
    for documents in (ranked, pool.relevant, levels):
        if documents is not None:
            kinds |= set(zip(documents.gains.tolist(), documents.stops.tolist(), strict=True))
    return len(kinds - {(0.0, 0.0)}) <= 1 and len(levels) == 2
