"""Accumulation: what a user who stops at a rank has by then, or met of what is preferred."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.laws import StoppingLaw
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array

Sample = Literal["one", "all"]
# f(k) of all ranks at once: takes the ranks 1 .. n, returns as many numbers.
EffortFunction: TypeAlias = Callable[[Floats], ArrayLike]

MODELS = ("M1", "M2", "M3", "M4")
_WORDS = dict(zip(("utility", "total utility", "effort", "average utility"), MODELS, strict=True))


def accumulate(
    model: str, law: StoppingLaw, gains: ArrayLike, *, effort: EffortFunction | None = None
) -> float:
    """Return what users of a stopping law have, by one of four models (Carterette 2011, section 2).

    ===== =================== ============================ ==============================
    model also                formula                      expectation of
    ===== =================== ============================ ==============================
    M1    "utility"           sum_k g_k P(k)               the last document's gain (1)
    M2    "total utility"     sum_k g_k F(k)               all gains on the way (2)
    M3    "effort"            sum_k f(k) P(k)              f at the last rank (3)
    M4    "average utility"   sum_k f(k) G_k P(k)          all gains on the way times f (4)
    ===== =================== ============================ ==============================

    with G_k = g_1 + .. + g_k and k = 1 .. n. Users who go on behind the list find nothing new
    there: M2 is sum_k G_k P(k) + G_n F(n + 1), the cut-off identity of section 3.3. In M1, M3 and
    M4 they have nothing.

    Parameters
    ----------
    model
        "M1" .. "M4", or the words above.
    law
        P(k), for as many ranks as there are gains.
    gains
        g_k, shape (n,); rel_k in the paper.
    effort
        f, from the ranks to as many numbers; f(k) = 1/k if none is given: M3 is the expected
        reciprocal of the last rank, M4 expected precision.

    Raises
    ------
    InputError
        for an unknown model, gains that are not finite or not as many as the law's ranks, and
        efforts that are not one finite number for each rank.

    >>> law = StoppingLaw.of([0.5, 0.25])
    >>> [accumulate(model, law, [0, 1]) for model in MODELS]
    [0.25, 0.5, 0.625, 0.125]
    """
    kind = model_of(model)
    mass = law.mass
    remedy = "give a gain for each rank of the law"
    g = real_array("gains", gains, remedy=remedy, shape=mass.shape)
    remedy = "count what is unjudged as 0"
    check_each("gain", g, np.isfinite(g), "be finite", remedy=remedy, place="rank {}")
    if kind == "M1":
        return float(g @ mass)
    if kind == "M2":
        return float(g @ law.viewing)
    f = efforts(effort, len(mass))
    return float((f if kind == "M3" else f * g.cumsum()) @ mass)


def efforts(effort: EffortFunction | None, n: int) -> Floats:
    """Return f(k) for k = 1 .. n.

    Raises InputError if f does not give one finite number for each rank.
    """
    ranks = np.arange(1.0, n + 1)
    if effort is None:
        return 1 / ranks
    remedy = "return one number for each rank"
    f = real_array("effort", effort(ranks), remedy=remedy)
    if f.shape != ranks.shape or not np.isfinite(f).all():
        raise InputError("effort", f.tolist(), f"be {n} finite numbers", remedy=remedy)
    return f


def model_of(name: str) -> str:
    """Return "M1" .. "M4" of a model's name.

    Raises InputError for an unknown name.

    >>> model_of("total utility")
    'M2'
    """
    if name in MODELS:
        return name
    if name not in _WORDS:
        rule = f"be one of {', '.join((*MODELS, *_WORDS))}"
        raise InputError("model", name, rule, remedy="name a model")
    return _WORDS[name]


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
        raise InputError("sample", sample, "be one or all", remedy="choose one")
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
