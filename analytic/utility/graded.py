"""Graded kin of average precision: GAP, NCU and Q, and EBU of users who click and leave."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.documents import checked_grades
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import amount, check_each, proportion, real_array

Stop = Literal["uniform", "graded", "rank-biased"]
Ratio = Literal["precision", "blended"]


def graded_average_precision(
    grades: ArrayLike, judged: ArrayLike, thresholds: ArrayLike, *, cutoff: int | None = None
) -> float:
    """Return GAP (Robertson, Kanoulas and Yilmaz 2010), in [0, 1].

    A user is content with grade j or higher with probability g_j. GAP is the expectation of
    R_j AP_j, over that of R_j, the number of elements that contents them:

        sum_j g_j sum_n [i_n >= j] C_j(n) / n  /  sum_j g_j R_j

    with i_n the grade at rank n and C_j(n) the elements of grade j or higher to there. It is AP
    where there is one grade above 0.

    Parameters
    ----------
    grades, judged
        Of at least 0, by rank and of all judged elements, those of the list among them.
    thresholds
        g_1 .. g_c, probabilities; only their ratios matter.
    cutoff
        Only so many ranks count in the numerator.

    Raises InputError for a grade that is negative or not finite; thresholds that are, or are all 0;
    if no judged element contents anybody.

    >>> round(graded_average_precision([1, 2], [2, 1], [0.5, 0.5]), 6)
    0.833333
    """
    remedy = "give the probability of each threshold"
    shares = real_array("thresholds", thresholds, remedy=remedy, shape=("c",))
    fine = np.isfinite(shares) & (shares >= 0)
    check_each("threshold", shares, fine, "be at least 0", remedy=remedy, place="grade {}")
    ranked = np.nan_to_num(checked_grades("ranked", grades))[:cutoff]
    worths = np.nan_to_num(checked_grades("judged", judged))
    levels = np.arange(1, len(shares) + 1)[:, np.newaxis]
    most = float(shares @ (worths >= levels).sum(axis=1))
    if not most:
        rule, remedy = "content some user", "leave out the topic"
        raise InputError("judged grades", worths.tolist(), rule, remedy=remedy)
    content = ranked >= levels
    precision = content.cumsum(axis=1) / np.arange(1, len(ranked) + 1)
    return float(shares @ (content * precision).sum(axis=1)) / most


def cumulated_utility(
    gains: ArrayLike,
    judged: ArrayLike,
    *,
    stop: Stop = "graded",
    ratio: Ratio = "blended",
    beta: float = 1.0,
    gamma: float = 0.95,
    cutoff: int | None = None,
) -> float:
    """Return normalised cumulative utility, NCU (Sakai and Robertson 2008): E[utility at the stop].

    Users stop at relevant elements alone, those of gain above 0: each of the R with the same
    probability ("uniform"), in proportion to its gain ("graded"), or to gamma^(C - 1), the C-th in
    the list ("rank-biased"). Who stops at none in the list has 0. At rank k they have precision
    C / k, or the blended ratio (C + beta G) / (k + beta G*), with G the gain to there and G* that
    of the best list. NCU with "uniform" and "precision" is AP, with "blended" Q.

    Parameters
    ----------
    gains, judged
        Of at least 0, by rank and of all judged elements, those of the list among them.
    stop, ratio
        As above; with `ratio` "precision" and a law over grades it is M4 of Carterette (2011).
    beta
        The weight of gains, at least 0: 0 makes the blended ratio precision.
    gamma
        In (0, 1]; 1 is "uniform".
    cutoff
        Only so many ranks count.

    Raises InputError for a gain that is negative or not finite, another `stop` or `ratio`, `beta`
    or `gamma` out of bounds; if no judged element gains anything.

    >>> cumulated_utility([0, 1, 2], [2, 1], stop="uniform", ratio="precision") == (1/2 + 2/3) / 2
    True
    """
    ranked = np.nan_to_num(checked_grades("ranked", gains))
    worths = np.nan_to_num(checked_grades("judged", judged))
    best = np.sort(worths[worths > 0])[::-1]
    if not len(best):
        rule, remedy = "not all be 0", "leave out the topic"
        raise InputError("judged gains", worths.tolist(), rule, remedy=remedy)
    relevant = ranked > 0
    seen = relevant.cumsum()
    mass = _masses(stop, ranked, best, gamma)
    ranks = np.arange(1.0, len(ranked) + 1)
    if ratio == "precision":
        reached: Floats = seen / ranks
    elif ratio == "blended":
        beta = amount("beta", beta, remedy="give the weight of gains")
        most = np.append(best, np.zeros(max(len(ranked) - len(best), 0))).cumsum()[: len(ranked)]
        reached = (seen + beta * ranked.cumsum()) / (ranks + beta * most)
    else:
        rule = "be precision or blended"
        raise InputError("ratio", ratio, rule, remedy="choose one")
    return float(mass[:cutoff] @ reached[:cutoff])


def _masses(stop: Stop, ranked: Floats, best: Floats, gamma: float) -> Floats:
    """Return P(k), the probability to stop at each rank."""
    relevant = ranked > 0
    if stop == "uniform":
        return relevant / len(best)
    masses: Floats
    if stop == "graded":
        masses = ranked / best.sum()
        return masses
    if stop != "rank-biased":
        rule = "be uniform, graded or rank-biased"
        raise InputError("stop", stop, rule, remedy="choose one")
    remedy = "give the persistence from one relevant element to the next"
    if not 0 < amount("gamma", gamma, positive=True, remedy=remedy) <= 1:
        raise InputError("gamma", gamma, "be at most 1", remedy=remedy)
    masses = relevant * gamma ** np.maximum(relevant.cumsum() - 1, 0)
    return masses / float((gamma ** np.arange(len(best))).sum())


def browsing_utility(
    relevance: ArrayLike,
    *,
    click: tuple[float, float],
    leave: tuple[float, float],
    cutoff: int | None = None,
) -> float:
    """Return expected browsing utility, EBU (Yilmaz, Shokouhi, Craswell and Robertson 2010).

    Users go down the list, click an element with probability P(C), gain its relevance, and leave
    with P(L) if they clicked:

        sum_k rel_k P(C_k) prod_{j < k} (1 - P(C_j) P(L_j))

    Parameters
    ----------
    relevance
        In [0, 1] by rank.
    click, leave
        P(C) and P(L) of elements of relevance 0 and 1; between them on a straight line.
    cutoff
        Only so many ranks count.

    Raises InputError for relevance or a probability outside [0, 1].

    >>> browsing_utility([0, 1, 1], click=(0.5, 1), leave=(0, 0.5))
    1.5
    """
    remedy = "give relevance in [0, 1]"
    ranked = real_array("relevance", relevance, remedy=remedy, shape=("n",))
    fine = (ranked >= 0) & (ranked <= 1)
    check_each("relevance", ranked, fine, "lie in [0, 1]", remedy=remedy, place="rank {}")
    ends = [
        [proportion(thing, value, remedy="give a probability") for value in pair]
        for thing, pair in (("click", click), ("leave", leave))
    ]
    clicked, left = (low + (high - low) * ranked for low, high in ends)
    viewed = np.append(1.0, np.cumprod(1 - clicked * left))[: len(ranked)]
    return float((ranked * clicked * viewed)[:cutoff].sum())
