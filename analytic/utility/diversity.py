"""Users who differ in what they want: intents, gains that fade as these are served, preferences.

Relevance is 0 or 1 by intent and rank, shape (I, n), or (I, m) of all judged documents.
"""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.laws import STATIC, StoppingLaw, checked_shares, stopping
from prum.analytic.utility.measures import EffortFunction, accumulate
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number

Sample = Literal["one", "all"]
# F of the first, second, ... relevant document: takes 1, 2, ..., returns as many numbers.
Redundancy: TypeAlias = Callable[[Floats], ArrayLike] | StoppingLaw
# What a sum of gains is divided by: the most at each rank, or the greedy ideal ranking's.
Ideal = Literal["possible", "greedy"]


def novelty(
    discount: str,
    ranked: ArrayLike,
    judged: ArrayLike | None = None,
    *,
    over: Ideal | None = None,
    alpha: float = 0.5,
    beta: float = 0.5,
    cutoff: int | None = None,
    probabilities: ArrayLike | None = None,
) -> float:
    """Return sum_k F(k) sum_i rel_ik (1 - alpha)^(relevant to i above k), or its share of the most.

    ======== ================ =================== =================
    discount F(k)             over "possible"     over "greedy"
    ======== ================ =================== =================
    DCG      1 / log2(k + 1)  alpha-DCG           alpha-nDCG
    RR       1 / k            ERR-IA              nERR-IA
    RBP      beta^(k - 1)     NRBP                nNRBP
    ======== ================ =================== =================

    of ndeval, the program of the TREC Web track (Clarke et al. 2008 and 2009, Chapelle et al.
    2009). It is I times the intent-aware M2 of Carterette's distribution over `fresh_gains`,
    intents equally likely. "possible" is the sum of a ranking of documents relevant to every intent
    to the same cut-off, I sum_k F(k) (1 - alpha)^(k-1); that of NRBP is endless, I / (1 - (1 -
    alpha) beta). ndeval leaves out this division at the cut-off 1, where it prints the number of
    intents served. "greedy" is the ideal ranking: to each rank the document of the largest gain
    there, the first of several in the order given; ndeval takes the last by id, so give documents
    by descending id. The best ranking is NP-hard to find (Carterette 2009), and the greedy one may
    be worse: then values above 1 are possible. Where 1 - alpha is no power of two, sums that tie
    are told apart by their last bits: give intents in the order of ndeval's qrels.

    Parameters
    ----------
    discount
        "DCG", "RR" or "RBP".
    ranked
        0 or 1 by intent and rank, shape (I, n); intents that no document is relevant to left out.
    judged
        The same for all judged documents, those in the list included, shape (I, m); for "greedy".
    over
        What to divide by; nothing by default.
    alpha
        Share of interest in an intent that is lost with each document, in [0, 1].
    beta
        Share of users who go on to the next rank, in (0, 1); of RBP.
    cutoff
        Ranks that count, of both rankings; all by default. For "possible" it must be given, but
        not of RBP.
    probabilities
        P(i|q), nonnegative with sum 1, shape (I,): intent i counts I P(i|q) times in every sum, in
        that of the greedy ranking, too, which is made by these gains. Equal ones by default.

    Returns
    -------
    float
        At least 0; 0 if nothing is relevant.

    Raises InputError for other shapes, relevance other than 0 or 1, alpha or beta out of range,
    cutoff < 1, a cutoff or judgements that are missing, probabilities that do not sum to 1.

    >>> round(novelty("RBP", [[1, 1], [0, 1]], over="possible"), 4)
    0.6562
    """
    if discount not in STATIC:
        rule = f"be one of {', '.join(STATIC)}"
        raise InputError("discount", discount, rule, remedy="name one")
    rows = binary("ranked", ranked)
    beta = proportion("beta", beta, remedy="give .5, say", open_interval=True)
    if cutoff is not None:
        cutoff = whole_number("cutoff", cutoff, least=1, remedy="leave it out for all ranks")
    weights = intent_weights(probabilities, len(rows))
    gained = _gained(discount, rows[:, :cutoff], weights, alpha, beta)
    if over is None:
        return gained
    if over == "greedy":
        pool = binary("judged", () if judged is None else judged)
        if len(pool) != len(rows):
            rule, remedy = f"be {len(rows)}, as ranked", "give a row for each intent"
            raise InputError("number of intents judged", len(pool), rule, remedy=remedy)
        best = greedy(pool, alpha, length=cutoff, probabilities=weights / len(weights))
        most = _gained(discount, pool[:, best], weights, alpha, beta)
    elif over == "possible" and discount == "RBP":
        most = len(rows) * (1 / (1 - (1 - alpha) * beta))
    elif over == "possible":
        if cutoff is None:
            rule = f'be given for {discount} over "possible"'
            raise InputError("cutoff", None, rule, remedy="give the number of ranks that count")
        most = len(rows) * _gained(discount, np.ones((1, cutoff)), np.ones(1), alpha, beta)
    else:
        raise InputError("over", over, "be possible or greedy", remedy="name one")
    return gained / most if most > 0 else 0.0


def greedy(
    judged: ArrayLike,
    alpha: float,
    *,
    length: int | None = None,
    probabilities: ArrayLike | None = None,
) -> Ints:
    """Return the greedy ideal ranking of `novelty`: places of documents in `judged`, best first.

    Of the first `length` ranks, all by default; for intents that are equally likely by default.

    Raises InputError for relevance other than 0 or 1, alpha outside [0, 1], or probabilities that
    do not sum to 1.

    >>> greedy([[1, 1, 0], [0, 1, 0], [0, 0, 1]], 0.5).tolist()
    [1, 2, 0]
    """
    pool = binary("judged", judged)
    kept = 1 - proportion("alpha", alpha, remedy="give the share of interest that is lost")
    left = np.ones(pool.shape[1], dtype=np.bool_)
    interest = intent_weights(probabilities, len(pool))
    order = np.empty(min(pool.shape[1], pool.shape[1] if length is None else length), np.int64)
    for rank in range(len(order)):
        # Intent after intent, as the sums are made by others: ties hang on the last bit.
        gains = (interest[:, None] * pool).sum(axis=0)
        best = int(np.argmax(np.where(left, gains, -1.0)))
        order[rank] = best
        left[best] = False
        interest *= np.where(pool[:, best] > 0, kept, 1.0)
    return order


def by_intent(thing: str, values: ArrayLike) -> Floats:
    """Return numbers by intent and rank, shape (I, n)."""
    remedy = "give a row for each intent, equally long"
    rows = real_array(thing, values, remedy=remedy, shape=("I", "n"))
    if not len(rows):
        raise InputError(thing, rows.shape, "have shape (I, n), I >= 1", remedy=remedy)
    return rows


def intent_weights(probabilities: ArrayLike | None, number: int) -> Floats:
    """Return I P(i|q) of each of I intents: 1 if they are equally likely."""
    if probabilities is None:
        return np.ones(number)
    remedy = "give P(i|q) for each intent"
    return number * checked_shares("probabilities", probabilities, number, remedy=remedy)


def binary(thing: str, values: ArrayLike) -> Floats:
    """Return relevance by intent and rank, 0 or 1, shape (I, n)."""
    rows = by_intent(thing, values)
    valid, place = (rows == 0) | (rows == 1), "intent {}, document {}"
    remedy = "say from which grade on"
    check_each(f"{thing} relevance", rows, valid, "be 0 or 1", remedy=remedy, place=place)
    return rows


def _gained(discount: str, relevance: Floats, weights: Floats, alpha: float, beta: float) -> float:
    law = stopping(discount, n=relevance.shape[1], theta=1 - beta)
    gains = fresh_gains(relevance, geometric(alpha))
    return sum(
        float(weight) * accumulate("M2", law, row)
        for weight, row in zip(weights, gains, strict=True)
    )


def geometric(alpha: float) -> Redundancy:
    """Return F(r) = (1 - alpha)^(r - 1): each relevant document leaves 1 - alpha of the interest.

    As Clarke et al. (2008) define alpha-nDCG; Carterette (2011) writes alpha^(r - 1).

    Raises InputError for alpha outside [0, 1].

    >>> np.asarray(geometric(0.25)(np.array([1, 2]))).tolist()
    [1.0, 0.75]
    """
    kept = 1 - proportion("alpha", alpha, remedy="give the share of interest that is lost")

    def discount(count: Floats) -> Floats:
        return np.asarray(kept ** (count - 1), dtype=np.float64)

    return discount


def fresh_gains(relevance: ArrayLike, redundancy: Redundancy) -> Floats:
    """Return rel_j F(R_j), the gain of each rank with redundancy discounted, shape of `relevance`.

    Their cumulative sum is U_k = sum_{j<=k} rel_j F(R_j) (Carterette 2011, section 5.3), R_j the
    number of relevant documents to rank j.

    Parameters
    ----------
    relevance
        At least 0, shape (n,), or (I, n) by intent.
    redundancy
        F, from numbers of relevant documents to as many factors in [0, 1] that do not rise; or the
        law of the last relevant document that a user would look at: F(r) is then the probability
        that this is the r-th or a later one.

    Raises InputError for negative relevance; factors outside [0, 1] or rising; a law for fewer
    relevant documents than there are.

    >>> fresh_gains([1, 0, 1, 1], geometric(0.5)).tolist()
    [1.0, 0.0, 0.5, 0.25]
    """
    gains = real_array("relevance", relevance, remedy="give the relevance of each rank")
    if gains.ndim not in (1, 2) or not ((gains >= 0) & np.isfinite(gains)).all():
        rule, remedy = "be finite numbers of at least 0 by rank", "give 0 for what is not relevant"
        raise InputError("relevance", gains.tolist(), rule, remedy=remedy)
    count = (gains > 0).cumsum(axis=-1)
    factors = discounts(redundancy, int(count.max(initial=0)))
    return np.where(gains > 0, gains * np.append(0.0, factors)[count], 0.0)


def discounts(redundancy: Redundancy, most: int) -> Floats:
    """Return F(r) for r = 1 .. `most`."""
    if isinstance(redundancy, StoppingLaw):
        if len(redundancy.mass) < most:
            thing, rule = "ranks of the law of redundancy", f"be at least {most}"
            remedy = "give it as many as there are relevant documents"
            raise InputError(thing, len(redundancy.mass), rule, remedy=remedy)
        return redundancy.viewing[:most]
    remedy = "return F(1), F(2), ..."
    factors = real_array("redundancy", redundancy(np.arange(1.0, most + 1)), remedy=remedy)
    if (
        factors.shape != (most,)
        or not ((factors >= 0) & (factors <= 1)).all()
        or (np.diff(factors) > 0).any()
    ):
        rule = f"be {most} factors in [0, 1] that do not rise"
        raise InputError("redundancy", factors.tolist(), rule, remedy=remedy)
    return factors


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

    Raises InputError for probabilities that do not sum to 1, another number of laws, and what
    `accumulate` refuses.

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

    Raises InputError for another shape, relevance other than 0 or 1, cutoff < 1, or probabilities
    that do not sum to 1.

    >>> subtopic_recall([[0, 1], [0, 0]]), subtopic_recall([[0, 1], [0, 0]], cutoff=1)
    (0.5, 0.0)
    """
    rows = binary("ranked", ranked)
    if cutoff is not None:
        cutoff = whole_number("cutoff", cutoff, least=1, remedy="leave it out for all ranks")
    weights = intent_weights(probabilities, len(rows))
    return float((weights * rows[:, :cutoff].any(axis=1)).mean())


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

    Raises InputError for a wrong shape, weights that are not finite, or an unknown `sample`.

    >>> law = StoppingLaw.of([0.5, 0.25])
    >>> by_relevance = [[0, 0, 0], [1, 1, 1]]                    # of relevance 0, 1: M4 and M2
    >>> [preference_utility(law, by_relevance, sample=drawn) for drawn in ("one", "all")]
    [0.125, 0.5]
    """
    n = len(law.mass)
    remedy = "give a row and a column for each rank"
    weights = real_array("preferred", preferred, remedy=remedy)
    if weights.shape not in ((n, n), (n, n + 1)):
        rule = f"have shape ({n}, {n}) or ({n}, {n + 1})"
        raise InputError("preferred", weights.shape, rule, remedy=remedy)
    valid, remedy = np.isfinite(weights), "give 0 for no preference"
    check_each("preferred", weights, valid, "be finite", remedy=remedy, place="ranks {} and {}")
    if sample not in ("one", "all"):
        raise InputError("sample", sample, "be one or all", remedy="choose one")
    counted = np.triu(weights[:, :n], 0 if itself else 1).sum(axis=0)
    if sample == "all":
        behind = law.remainder * float(weights[:, n:].sum())
        return float(law.mass @ counted) + behind
    drawn_from = np.arange(n) + (1 if itself else 0)
    return float(law.mass @ (counted / np.maximum(drawn_from, 1)))
