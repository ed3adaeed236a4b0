"""Populations whose patience theta differs: Beta mixtures of the geometric distributions."""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.grades import Gain, gains_of
from prum.analytic.utility.laws import StoppingLaw, law
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, whole_number


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

    Raises
    ------
    InputError
        for an unknown name, a or b that is not positive and finite, relevance or n missing, bad
        grades, or a gain above 1.

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
    mass[relevant], remainder = mean_products(worth, worth, a, b)
    return law(mass, remainder)


def mean_products(own: Floats, before: Floats, a: float, b: float) -> tuple[Floats, float]:
    """Return E[theta own_k prod_{i<k} (1 - theta before_i)], and E[prod_i (1 - theta before_i)].

    >>> mean_products(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 1, 1)[0].round(4).tolist()
    [0.0, 0.3333]
    """
    # m nodes are exact to degree 2 m - 1; powers of two are shared by lists of about one length.
    nodes, weights = _rule(1 << (len(own) // 2).bit_length(), a, b)
    going_on = np.cumprod(1 - nodes[:, None] * before, axis=1)
    reached = np.concatenate((np.ones((len(nodes), 1)), going_on), axis=1)
    mass: Floats = (weights * nodes) @ reached[:, :-1] * own
    return mass, float(weights @ reached[:, -1])


def _geometric(n: int, a: float, b: float) -> tuple[Floats, float]:
    """Return E[theta (1 - theta)^(k-1)] for k = 1 .. n, and E[(1 - theta)^n].

    By ratios of successive Beta functions, none of which can underflow alone.
    """
    i = np.arange(n)
    going_on = np.concatenate(([1.0], np.cumprod((b + i) / (a + b + i))))
    return going_on[:-1] * a / (a + b + i), float(going_on[-1])


@cache
def _rule(m: int, a: float, b: float) -> tuple[Floats, Floats]:
    from scipy.special import roots_jacobi  # slow to load

    x, weights = roots_jacobi(m, b - 1, a - 1)
    return (x + 1) / 2, weights / weights.sum()
