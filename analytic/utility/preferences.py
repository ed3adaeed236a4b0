"""Preference judgements: the two-stage process whose expectations are M2, M4 and Kendall's tau."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.laws import StoppingLaw
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array

Sample = Literal["one", "all"]


def preference_utility(
    law: StoppingLaw, preferred: ArrayLike, *, sample: Sample = "one", itself: bool = True
) -> float:
    """Return how many preferred documents a user meets (Carterette 2011, section 5.2).

    A user's rank k has probability P(k). Of the documents at ranks 1 .. k one is drawn uniformly,
    or all are taken, and each that is preferred to the document at k counts 1:

        one    sum_k P(k) (1/k) sum_{j <= k} preferred[j, k]
        all    sum_k P(k) sum_{j <= k} preferred[j, k]

    The paper says "above k" and that with binary relevance, A preferred to B if A is relevant, the
    expectations are exactly M4 (f(k) = 1/k) and M2. They are if k itself is among the documents
    drawn, and so preferred to itself if relevant: sum_{j <= k} rel_j = R_k. This is the default.
    Drawn strictly above k, j < k, with `itself` False, "all" is M2 - M1, and "one" is
    sum_{k > 1} P(k) R_{k-1} / (k - 1). A strict preference, which has zeros on its diagonal, gives
    the same in "all" either way.

    For a strict total order, P(k) = 1/n and C concordant pairs out of n (n - 1) / 2, "all" is
    E = C / n, so that Kendall's tau = 4 C / (n (n - 1)) - 1 = 4 E / (n - 1) - 1. It is proportional
    to tau, as the paper says, if discordant pairs count -1: E = tau (n - 1) / 2. With "one",
    `itself` False and P uniform on 2 .. n, 2 E - 1 is tau_AP of Yilmaz, Aslam and Robertson (2008).

    Parameters
    ----------
    law
        P(k), k = 1 .. n.
    preferred
        1 where the document at rank j is preferred to that at rank k, entry [j, k] from 0, else 0;
        or any weight, -1 for pairs in the wrong order, say. Shape (n, n), or (n, n + 1): the last
        column is what a user who goes on behind the list compares with. "all" counts it with the
        law's remainder, as M2 does; of which documents "one" would be drawn there is not known.
    sample
        "one" or "all".
    itself
        Whether the document at k is among those drawn.

    Raises
    ------
    InputError
        for a wrong shape, weights that are not finite, or an unknown `sample`.

    >>> law = StoppingLaw.of([0.5, 0.25])
    >>> preferred = preferred_if_relevant([0, 1])
    >>> [preference_utility(law, preferred, sample=drawn) for drawn in ("one", "all")]  # M4, M2
    [0.125, 0.5]
    """
    n = len(law.mass)
    weights = checked_preferences(preferred, n)
    if sample not in ("one", "all"):
        raise InputError("sample", sample, "be one or all", remedy="say what is drawn")
    counted = np.triu(weights[:, :n], 0 if itself else 1).sum(axis=0)
    if sample == "all":
        behind = law.remainder * float(weights[:, n:].sum())
        return float(law.mass @ counted) + behind
    drawn_from = np.arange(n) + (1 if itself else 0)
    return float(law.mass @ (counted / np.maximum(drawn_from, 1)))


def preferred_if_relevant(relevance: ArrayLike) -> Floats:
    """Return the relation "A is preferred to B if A is relevant", shape (n, n + 1).

    Entry [j, k] is rel_j for all k; a document is preferred to itself if it is relevant. The last
    column stands for documents behind the list.

    Raises InputError for relevance that is not a sequence of finite numbers.

    >>> preferred_if_relevant([0, 1]).tolist()
    [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    """
    remedy = "give the relevance of each rank"
    gains = real_array("relevance", relevance, remedy=remedy)
    if gains.ndim != 1 or not np.isfinite(gains).all():
        raise InputError("relevance", gains.tolist(), "be a list of finite numbers", remedy=remedy)
    return np.repeat(gains[:, np.newaxis], len(gains) + 1, axis=1)


def checked_preferences(preferred: ArrayLike, n: int) -> Floats:
    """Return the matrix if it has shape (n, n) or (n, n + 1) and finite entries."""
    remedy = "give a row and a column for each rank"
    weights = real_array("preferred", preferred, remedy=remedy)
    if weights.shape not in ((n, n), (n, n + 1)):
        rule = f"have shape ({n}, {n}) or ({n}, {n + 1})"
        raise InputError("preferred", weights.shape, rule, remedy=remedy)
    valid, remedy = np.isfinite(weights), "give 0 for no preference"
    check_each("preferred", weights, valid, "be finite", remedy=remedy, place="ranks {} and {}")
    return weights
