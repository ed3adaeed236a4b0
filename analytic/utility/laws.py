"""Stopping laws: with which probability a user's last rank is k, or none in the list.

Of one kind of users, of several, and of a population whose patience theta has a Beta law; and the
six distributions RBP, DCG and RR by rank, ERR, AP and RRR by relevance.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.mixtures import beta_nodes
from prum.analytic.utility.documents import (
    Documents,
    Gain,
    documents_of,
    gains_of,
    pool_of,
    relevant_of,
)
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number

# Probabilities that sum to this much above 1 do so by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class StoppingLaw:
    """P(k), the probability that a user stops at rank k (Carterette 2011, section 2).

    Parameters
    ----------
    mass
        P(k) for k = 1 .. n, shape (n,).
    remainder
        1 - sum_k P(k), the share of users who do not stop inside the list.

    >>> law = StoppingLaw.of([0.5, 0.25])
    >>> law.viewing.tolist(), law.remainder
    ([1.0, 0.5], 0.25)
    """

    mass: Floats
    remainder: float

    @property
    def viewing(self) -> Floats:
        """F(k) = P(K >= k) for k = 1 .. n, who look at rank k, shape (n,); F(1) = 1.

        Counts those who stop behind the list, unlike the sum to n in section 2.2.
        """
        return self.mass[::-1].cumsum()[::-1] + self.remainder

    @classmethod
    def of(cls, mass: ArrayLike) -> "StoppingLaw":
        """Return the law of probabilities of your own; what they lack to 1 is the remainder.

        Raises InputError for a P(k) that is negative or not finite, or a sum above 1 by more than
        rounding.

        >>> StoppingLaw.of([0.25, 0.25, 0.25])
        StoppingLaw(n = 3: P .2500 .2500 .2500, remainder .2500)
        """
        checked = real_array("mass", mass, remedy="give P(k) for each rank", shape=("n",))
        valid, rule = (checked >= 0) & np.isfinite(checked), "be a finite number of at least 0"
        check_each("P(k)", checked, valid, rule, remedy="give probabilities", place="rank {}")
        total = math.fsum(checked)
        if total > 1 + ROUNDING:
            remedy = "divide by the sum, or cut the list"
            raise InputError("sum of P(k)", total, "be at most 1", remedy=remedy)
        return law(checked, max(1 - total, 0.0))

    def __repr__(self) -> str:
        shown = " ".join(f"{p:.4f}".removeprefix("0") for p in self.mass[:6])
        more = " ..." if len(self.mass) > 6 else ""
        rest = f"{self.remainder:.4f}".removeprefix("0")
        return f"StoppingLaw(n = {len(self.mass)}: P {shown}{more}, remainder {rest})"


def law(mass: Floats, remainder: float) -> StoppingLaw:
    """Return the law of probabilities known to be right, of which it keeps a copy."""
    mass = np.array(mass, dtype=np.float64)
    mass.setflags(write=False)
    return StoppingLaw(mass, float(remainder))


def mixed_stopping(laws: Iterable[StoppingLaw], weights: ArrayLike) -> StoppingLaw:
    """Return the law of a population of which a share weights[j] stops by laws[j].

    P(k) = sum_j w_j P_j(k), and the remainder likewise: section 3.4 of Carterette (2011) with
    finitely many kinds of users.

    Parameters
    ----------
    laws
        At least one, all for the same number of ranks.
    weights
        Nonnegative, with sum 1.

    Raises InputError if laws differ in length, or weights are no distribution over them.

    >>> mixed_stopping([StoppingLaw.of([1, 0]), StoppingLaw.of([0, 0.5])], [0.5, 0.5])
    StoppingLaw(n = 2: P .5000 .2500, remainder .2500)
    """
    several = list(laws)
    if not several:
        raise InputError("laws", several, "be at least one", remedy="give stopping laws")
    lengths = sorted({len(each.mass) for each in several})
    if len(lengths) > 1:
        remedy = "make all laws for one list"
        raise InputError("ranks of the laws", lengths, "be equally many", remedy=remedy)
    remedy = "give one weight for each law"
    shares = checked_shares("weights", weights, len(several), remedy=remedy)
    mass = shares @ np.array([each.mass for each in several])
    return law(mass, float(shares @ [each.remainder for each in several]))


def checked_shares(thing: str, values: ArrayLike, number: int, *, remedy: str) -> Floats:
    """Return values if they are a distribution over so many things."""
    shares = real_array(thing, values, remedy=remedy, shape=(number,))
    if not (shares >= 0).all() or abs(shares.sum() - 1) > ROUNDING:
        rule, remedy = "be nonnegative with sum 1", "divide them by their sum"
        raise InputError(thing, shares.tolist(), rule, remedy=remedy)
    return shares


def beta_stopping(
    name: str,
    relevance: ArrayLike | None = None,
    *,
    a: float = 1.0,
    b: float = 1.0,
    n: int | None = None,
    gain: Gain = "binary",
    highest: float | None = None,
) -> StoppingLaw:
    """Return the stopping law of users whose theta in "RBP" or "ERR" is drawn from Beta(a, b).

    RBP: P(k) = B(a + 1, b + k - 1) / B(a, b), and B(a, b + n) / B(a, b) go on behind the list.
    ERR: the same with R_k in place of k at relevant ranks, and 0 elsewhere. The uniform density,
    a = b = 1, gives RR and RRR (Carterette 2011, section 3.4). With graded gains,

        P(k) = E[theta g_k prod_{i<k} (1 - theta g_i)],

    a polynomial in theta, by a Gauss-Jacobi rule that is exact for its degree.

    Parameters
    ----------
    name
        "RBP" or "ERR".
    relevance
        Grades by rank, shape (n,), nan where unjudged; ERR only.
    a, b
        Positive; the mean of theta is a / (a + b).
    n
        Number of ranks, for RBP.
    gain, highest
        As in `gains_of`; gains in [0, 1].

    Raises InputError for an unknown name, a or b that is not positive and finite, relevance or n
    missing, bad grades, or a gain above 1.

    >>> beta_stopping("RBP", n=3)
    StoppingLaw(n = 3: P .5000 .1667 .0833, remainder .2500)
    >>> beta_stopping("ERR", [0, 1, 1], a=2, b=1)
    StoppingLaw(n = 3: P .0000 .6667 .1667, remainder .1667)
    """
    for thing, value in (("a", a), ("b", b)):
        if not 0 < value < np.inf:
            raise InputError(thing, value, "be positive and finite", remedy="1 is uniform")
    if name == "RBP":
        n = whole_number("n", n, least=0, remedy="give the number of ranks")
        return law(*_geometric(n, a, b))
    if name != "ERR":
        raise InputError("name", name, "be RBP or ERR", remedy="the others have no theta")
    if relevance is None:
        raise InputError("relevance", None, "be given for ERR", remedy="give grades by rank")
    return over_theta(gains_of(relevance, gain, highest=highest), a, b)


def over_theta(gains: Floats, a: float, b: float) -> StoppingLaw:
    """Return E[theta g_k prod_{i<k} (1 - theta g_i)] and E[prod_i (1 - theta g_i)] over Beta(a, b).

    Raises InputError for a gain above 1.

    >>> over_theta(np.array([0.5, 1.0]), 1, 1)          # 1/4, 1/2 - 1/6; 1/4 are left
    StoppingLaw(n = 2: P .2500 .3333, remainder .4167)
    """
    rule = "be at most 1, where theta times gain is a probability"
    remedy = "divide the gains by the highest"
    check_each("gain", gains, gains <= 1, rule, remedy=remedy, place="rank {}")
    mass = np.zeros(len(gains))
    relevant = np.flatnonzero(gains)
    worth = gains[relevant]
    if (worth == 1).all():
        mass[relevant], remainder = _geometric(len(worth), a, b)
        return law(mass, remainder)
    # m nodes are exact to degree 2 m - 1.
    nodes, weights = _nodes(a, b, len(worth) // 2 + 1)
    going_on = np.cumprod(1 - nodes[:, None] * worth, axis=1)
    reached = np.concatenate((np.ones((len(nodes), 1)), going_on), axis=1)
    mass[relevant] = (weights * nodes) @ reached[:, :-1] * worth
    return law(mass, float(weights @ reached[:, -1]))


# Lists of one number of relevant documents share them.
_nodes = lru_cache(maxsize=256)(beta_nodes)


def _geometric(n: int, a: float, b: float) -> tuple[Floats, float]:
    """Return E[theta (1 - theta)^(k-1)] for k = 1 .. n, and E[(1 - theta)^n].

    By ratios of successive Beta functions, none of which can underflow alone.
    """
    i = np.arange(n)
    going_on = np.concatenate(([1.0], np.cumprod((b + i) / (a + b + i))))
    return going_on[:-1] * a / (a + b + i), float(going_on[-1])


STATIC = ("RBP", "DCG", "RR")
DYNAMIC = ("ERR", "AP", "RRR")


def stopping(
    name: str,
    relevance: ArrayLike | None = None,
    num_relevant: int | ArrayLike | None = None,
    *,
    n: int | None = None,
    theta: float | Gain = 0.5,
    base: float = 2.0,
    gain: Gain = "binary",
    highest: float | None = None,
) -> StoppingLaw:
    """Return one of the six stopping distributions (Carterette 2011, section 3).

    ==== ============================== ============================
    name P(k)                           remainder
    ==== ============================== ============================
    RBP  (1 - theta)^(k-1) theta        (1 - theta)^n
    DCG  1/log(k+b-1) - 1/log(k+b)      1/log(n+b), log to base b
    RR   1 / (k (k+1))                  1 / (n+1)
    ERR  rel_k (1-theta)^(R_k-1) theta  (1-theta)^R_n
    AP   rel_k / R                      (R - R_n) / R
    RRR  rel_k / (R_k (R_k+1))          1 / (R_n + 1)
    ==== ============================== ============================

    With graded gains, ERR is theta_k prod_{i<k} (1 - theta_i), theta_i that of the grade at rank i.
    This is a distribution, as in Chapelle et al. (2009); the product over grades printed in
    section 5.1 is none. AP is g_k over the sum of all gains; RRR is the mixture of ERR with
    theta_i = theta g_i over uniform theta.

    Parameters
    ----------
    name
        "RBP", "DCG", "RR", "ERR", "AP" or "RRR".
    relevance
        Grades by rank, shape (n,); nan where unjudged, which counts as not relevant. The first
        three need it for its length only.
    num_relevant
        R, or the grades of all judged documents, for AP. If R is 0, nobody stops.
    n
        Number of ranks, if `relevance` is not given.
    theta
        In (0, 1): the probability to stop, which the paper calls patience; 1 - theta is the
        persistence of Moffat and Zobel. In ERR theta_i is theta times the gain, or, if theta is a
        gain function, what that says of the grade.
    base
        b > 1 of DCG.
    gain, highest
        What grades are worth, as in `gains_of`.

    Raises InputError for an unknown name, theta outside (0, 1), base <= 1, bad grades, a theta_i
    above 1, more relevant documents in the list than R, or what the distribution needs missing.

    >>> stopping("RRR", [1, 0, 1])
    StoppingLaw(n = 3: P .5000 .0000 .1667, remainder .3333)
    >>> stopping("RBP", n=2, theta=0.2)
    StoppingLaw(n = 2: P .2000 .1600, remainder .6400)
    """
    check_name(name)
    if relevance is None:
        if name in DYNAMIC:
            rule = f"be given for {name}, which depends on it"
            raise InputError("relevance", None, rule, remedy="give grades by rank")
        ranks = whole_number("n", n, least=0, remedy="give the number of ranks, or relevance")
        return static_law(name, ranks, *parameters(name, theta, base))
    scales = documents_of(relevance, num_relevant, gain, theta, highest)
    if n is not None and n != len(scales.grades):
        rule = f"be {len(scales.grades)}, as many as grades"
        raise InputError("n", n, rule, remedy="leave it out")
    pool = pool_of(scales, num_relevant)
    return law_of(name, scales.ranked, pool, *parameters(name, theta, base))


def check_name(name: str) -> None:
    """Raise InputError if this is none of the six distributions."""
    if name not in STATIC + DYNAMIC:
        rule = f"be one of {', '.join(STATIC + DYNAMIC)}"
        raise InputError("distribution", name, rule, remedy="name one")


def parameters(name: str, theta: float | Gain, base: float) -> tuple[float, float]:
    """Return theta of RBP, nan where it is a gain function, and the base of DCG.

    Raises InputError for theta outside (0, 1), or a gain function for another distribution than
    ERR; base <= 1.
    """
    if not 1 < base < np.inf:
        raise InputError("base", base, "be finite and above 1", remedy="2 is usual")
    if name != "RBP" and (isinstance(theta, str | Mapping) or callable(theta)):
        return np.nan, base
    remedy = "give the probability to stop"
    return proportion("theta", theta, remedy=remedy, open_interval=True), base


def law_of(
    name: str, ranked: Documents, pool: Documents | None, theta: float, base: float
) -> StoppingLaw:
    """Return the stopping law of one ranking."""
    gains, stops = ranked
    if name in STATIC:
        return static_law(name, len(gains), theta, base)
    if name == "ERR":
        thing, rule = "theta times gain", "be at most 1, a probability"
        remedy = "divide the gains by the highest, or give theta by grade"
        check_each(thing, stops, stops <= 1, rule, remedy=remedy, place="rank {}")
        reached = np.append(1.0, np.cumprod(1 - stops))
        return law(stops * reached[:-1], reached[-1])
    if name == "RRR":
        return over_theta(gains, 1, 1)
    total = float(relevant_of(pool)[0].sum())
    if total == 0:
        return law(np.zeros(len(gains)), 1.0)
    return law(gains / total, max(total - float(gains.sum()), 0.0) / total)


def static_law(name: str, n: int, theta: float, base: float) -> StoppingLaw:
    """Return the stopping law of a distribution that does not look at relevance."""
    k = np.arange(1.0, n + 1)
    if name == "RBP":
        return law((1 - theta) ** (k - 1) * theta, (1 - theta) ** n)
    if name == "RR":
        return law(1 / (k * (k + 1)), 1 / (n + 1))
    viewing = np.log(base) / np.log(np.arange(n + 1) + base)
    return law(viewing[:-1] - viewing[1:], viewing[-1])
