"""Diversity: measures of users with different intents, ERR-IA and subtopic recall."""

from collections.abc import Sequence

from numpy.typing import ArrayLike

from prum.analytic.utility.accumulation import EffortFunction, accumulate
from prum.analytic.utility.distributions import stopping
from prum.analytic.utility.fading import binary, by_intent, intent_weights
from prum.analytic.utility.laws import StoppingLaw, checked_shares
from prum.simulator.model import InputError
from prum.simulator.model.errors import check_each, whole_number


def intent_aware(
    model: str,
    laws: StoppingLaw | Sequence[StoppingLaw],
    gains: ArrayLike,
    probabilities: ArrayLike,
    *,
    effort: EffortFunction | None = None,
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
    rows = by_intent("gains", gains)
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
    documents relevant to every intent has at the same cut-off: `novelty` of RR over "possible".

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
    relevance = by_intent("judgements", judgements)
    valid, place = (relevance >= 0) & (relevance <= 1), "intent {}, rank {}"
    remedy = "divide grades by the highest"
    check_each("relevance", relevance, valid, "lie in [0, 1]", remedy=remedy, place=place)
    laws = [stopping("ERR", row, theta=theta, gain=float) for row in relevance]
    return intent_aware("M3", laws, relevance, probabilities)


def subtopic_recall(
    ranked: ArrayLike, *, cutoff: int | None = None, probabilities: ArrayLike | None = None
) -> float:
    """Return the share of intents that a document of the list is relevant to; in [0, 1].

    S-recall of Zhai, Cohen and Lafferty (2003); ndeval's strec, of the intents that some judged
    document is relevant to.

    Parameters
    ----------
    ranked
        0 or 1 by intent and rank, shape (I, n).
    cutoff
        Ranks that count; all by default.
    probabilities
        P(i|q), nonnegative with sum 1, shape (I,): then it is the probability that the user's
        intent is served. Equal ones by default.

    Raises
    ------
    InputError
        for another shape, relevance other than 0 or 1, cutoff < 1, or probabilities that do not sum
        to 1.

    >>> subtopic_recall([[0, 1], [0, 0]]), subtopic_recall([[0, 1], [0, 0]], cutoff=1)
    (0.5, 0.0)
    """
    rows = binary("ranked", ranked)
    if cutoff is not None:
        cutoff = whole_number("cutoff", cutoff, least=1, remedy="leave it out for all ranks")
    weights = intent_weights(probabilities, len(rows))
    return float((weights * rows[:, :cutoff].any(axis=1)).mean())
