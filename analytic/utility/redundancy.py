"""Redundancy: what is left of the gain of a relevant document after others like it."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.laws import StoppingLaw
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import proportion, real_array

# F of the first, second, ... relevant document: takes 1, 2, ..., returns as many numbers.
Redundancy: TypeAlias = Callable[[Floats], ArrayLike] | StoppingLaw


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

    Raises
    ------
    InputError
        for negative relevance; factors outside [0, 1] or rising; a law for fewer relevant documents
        than there are.

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
    """Return F(r) for r = 1 .. `most`.

    Raises InputError as `fresh_gains`.
    """
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
