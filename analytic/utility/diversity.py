"""Novelty and diversity: measures of users with different intents; alpha-nDCG and ERR-IA."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.accumulation import Effort, accumulate
from prum.analytic.utility.distributions import stopping
from prum.analytic.utility.laws import StoppingLaw, checked_shares
from prum.analytic.utility.redundancy import fresh_gains, geometric
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number


def intent_aware(
    model: str,
    laws: StoppingLaw | Sequence[StoppingLaw],
    gains: ArrayLike,
    probabilities: ArrayLike,
    *,
    effort: Effort | None = None,
) -> float:
    """Return sum_i P(i|q) M_i: a measure's mean over intents (Carterette 2011, section 5.3).

    M_i is `accumulate` of the model over P(k|i) and the gains for intent i.

    Parameters
    ----------
    model
        "M1" .. "M4", or their words.
    laws
        P(k|i): a law for each of I intents, or one for all of them. Dynamic laws are those of each
        intent's own judgements, as of `stopping`.
    gains
        By intent and rank, shape (I, n); with redundancy discounted, those of `fresh_gains`: the
        M2 of these is sum_i P(i|q) sum_k U_ik P(k|i). M1 sees the last document only; discounted
        or not, it accumulates nothing.
    probabilities
        P(i|q), nonnegative with sum 1, shape (I,).
    effort
        f of M3 and M4, as in `accumulate`.

    Raises
    ------
    InputError
        for probabilities that do not sum to 1, another number of laws, and what `accumulate`
        refuses.

    >>> home, reading = stopping("RBP", n=2, theta=0.9), stopping("RBP", n=2, theta=0.1)
    >>> round(intent_aware("M2", [home, reading], [[0, 1], [0, 1]], [0.5, 0.5]), 10)
    0.5
    """
    rows = _by_intent("gains", gains)
    remedy = "give P(i|q) for each intent"
    shares = checked_shares("probabilities", probabilities, len(rows), remedy=remedy)
    each = [laws] * len(rows) if isinstance(laws, StoppingLaw) else list(laws)
    if len(each) != len(rows):
        rule = f"be 1 or {len(rows)}, as intents"
        raise InputError("number of laws", len(each), rule, remedy="give a law for each intent")
    return sum(
        float(share) * accumulate(model, law, row, effort=effort)
        for share, law, row in zip(shares, each, rows, strict=True)
    )


def err_ia(judgements: ArrayLike, probabilities: ArrayLike, *, theta: float = 0.5) -> float:
    """Return ERR-IA: expected reciprocal rank, intent by intent; in [0, 1).

    sum_i P(i|q) sum_k theta_ik prod_{j<k} (1 - theta_ij) / k, theta_ik = theta rel_ik: M3 of
    ERR's distribution (Carterette 2011, section 5.3, after Chapelle et al. 2009). The evaluation
    program of the TREC Web track divides this, with equally likely intents, by what a ranking of
    documents relevant to every intent has at the same cut-off, theta sum_k (1 - theta)^(k-1) / k.

    Parameters
    ----------
    judgements
        rel_ik in [0, 1] by intent and rank, shape (I, n).
    probabilities
        P(i|q), nonnegative with sum 1, shape (I,).
    theta
        In (0, 1).

    Raises
    ------
    InputError
        for probabilities that do not sum to 1, relevance outside [0, 1], theta outside (0, 1).

    >>> err_ia([[1, 0], [0, 1]], [0.5, 0.5])
    0.375
    """
    relevance = _by_intent("judgements", judgements)
    valid, place = (relevance >= 0) & (relevance <= 1), "intent {}, rank {}"
    remedy = "divide grades by the highest"
    check_each("relevance", relevance, valid, "lie in [0, 1]", remedy=remedy, place=place)
    laws = [stopping("ERR", row, theta=theta, gain=float) for row in relevance]
    return intent_aware("M3", laws, relevance, probabilities)


def alpha_ndcg(
    ranked: ArrayLike, judged: ArrayLike, *, alpha: float = 0.5, cutoff: int | None = None
) -> float:
    """Return alpha-nDCG (Clarke et al. 2008): DCG of fresh gains over that of an ideal ranking.

    The gain of rank k is sum_i rel_ik (1 - alpha)^(relevant to i above k), its discount
    1 / log2(k + 1): I times the intent-aware M2 of DCG's distribution over `fresh_gains`, intents
    equally likely. The ideal ranking is greedy: to each rank the document of the largest gain
    there, the first of several in the order given. The evaluation program of the TREC Web track
    takes the last by id: for its values give documents by descending id. The best ranking is
    NP-hard to find (Carterette 2009), and the greedy one may be worse: then values above 1 are
    possible.

    Parameters
    ----------
    ranked
        0 or 1 by intent and rank, shape (I, n).
    judged
        The same for all judged documents, those in the list included, shape (I, m).
    alpha
        In [0, 1].
    cutoff
        Ranks that count; all of both rankings by default.

    Returns
    -------
    float
        0 if nothing is relevant.

    Raises
    ------
    InputError
        for other shapes, relevance other than 0 or 1, alpha outside [0, 1], or cutoff < 1.

    >>> alpha_ndcg([[0, 1], [0, 1]], [[0, 1], [0, 1]])
    0.6309297535714574
    """
    rows, pool = _binary("ranked", ranked), _binary("judged", judged)
    if len(rows) != len(pool):
        rule, remedy = f"be {len(rows)}, as ranked", "give a row for each intent"
        raise InputError("number of intents judged", len(pool), rule, remedy=remedy)
    longest = max(rows.shape[1], pool.shape[1], 1)
    if cutoff is not None:
        longest = whole_number("cutoff", cutoff, least=1, remedy="leave it out for all ranks")
    best = greedy(pool, alpha)[:longest]
    highest = _alpha_dcg(pool[:, best], alpha)
    return _alpha_dcg(rows[:, :longest], alpha) / highest if highest > 0 else 0.0


def greedy(judged: ArrayLike, alpha: float) -> Ints:
    """Return the greedy ideal ranking of alpha-nDCG: places of documents in `judged`, best first.

    Raises InputError for relevance other than 0 or 1, or alpha outside [0, 1].

    >>> greedy([[1, 1, 0], [0, 1, 0], [0, 0, 1]], 0.5).tolist()
    [1, 2, 0]
    """
    pool = _binary("judged", judged)
    kept = 1 - proportion("alpha", alpha, remedy="give the share of interest that is lost")
    left = np.ones(pool.shape[1], dtype=np.bool_)
    interest = np.ones(len(pool))
    order = np.empty(pool.shape[1], dtype=np.int64)
    for rank in range(len(order)):
        best = int(np.argmax(np.where(left, interest @ pool, -1.0)))
        order[rank] = best
        left[best] = False
        interest *= np.where(pool[:, best] > 0, kept, 1.0)
    return order


def _alpha_dcg(relevance: Floats, alpha: float) -> float:
    law = stopping("DCG", n=relevance.shape[1])
    return sum(accumulate("M2", law, row) for row in fresh_gains(relevance, geometric(alpha)))


def _by_intent(thing: str, values: ArrayLike) -> Floats:
    """Return numbers by intent and rank, shape (I, n); InputError for a wrong shape."""
    remedy = "give a row for each intent, equally long"
    rows = real_array(thing, values, remedy=remedy, shape=("I", "n"))
    if not len(rows):
        raise InputError(thing, rows.shape, "have shape (I, n), I >= 1", remedy=remedy)
    return rows


def _binary(thing: str, values: ArrayLike) -> Floats:
    rows = _by_intent(thing, values)
    valid, place = (rows == 0) | (rows == 1), "intent {}, document {}"
    remedy = "say from which grade on"
    check_each(f"{thing} relevance", rows, valid, "be 0 or 1", remedy=remedy, place=place)
    return rows
