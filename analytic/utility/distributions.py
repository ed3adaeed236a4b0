"""The six stopping distributions: RBP, DCG and RR by rank, ERR, AP and RRR by relevance."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.documents import DocumentPool, Documents, Gain, documents_of, pool_of
from prum.analytic.utility.laws import StoppingLaw, law, over_theta
from prum.simulator.model import InputError
from prum.simulator.model.errors import proportion, whole_number

STATIC = ("RBP", "DCG", "RR")
DYNAMIC = ("ERR", "AP", "RRR")


@dataclass(frozen=True, slots=True)
class Parameters:
    """What stopping distributions are drawn with: theta of RBP, the base of DCG."""

    theta: float
    base: float


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

    Raises
    ------
    InputError
        for an unknown name, theta outside (0, 1), base <= 1, bad grades, a theta_i above 1, more
        relevant documents in the list than R, or what the distribution needs missing.

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
        return static_law(name, ranks, parameters(name, theta, base))
    scales = documents_of(relevance, num_relevant, gain, theta, highest)
    if n is not None and n != len(scales.ranked):
        rule = f"be {len(scales.ranked)}, as many as grades"
        raise InputError("n", n, rule, remedy="leave it out")
    pool = pool_of(scales, num_relevant)
    return law_of(name, scales.ranked, pool, parameters(name, theta, base))


def check_name(name: str) -> None:
    """Raise InputError if this is none of the six distributions."""
    if name not in STATIC + DYNAMIC:
        rule = f"be one of {', '.join(STATIC + DYNAMIC)}"
        raise InputError("distribution", name, rule, remedy="name one")


def parameters(name: str, theta: float | Gain, base: float) -> Parameters:
    """Return theta and base if they suit a distribution.

    Raises InputError for theta outside (0, 1), or a gain function for another distribution than
    ERR; base <= 1.
    """
    if not 1 < base < np.inf:
        raise InputError("base", base, "be finite and above 1", remedy="2 is usual")
    if name != "RBP" and (isinstance(theta, str | Mapping) or callable(theta)):
        return Parameters(np.nan, base)
    checked = proportion("theta", theta, remedy="give the probability to stop", open_interval=True)
    return Parameters(checked, base)


def law_of(name: str, ranked: Documents, pool: DocumentPool, settings: Parameters) -> StoppingLaw:
    """Return the stopping law of one ranking."""
    if name in STATIC:
        return static_law(name, len(ranked), settings)
    gains = ranked.gains
    if name == "ERR":
        going_on = np.cumprod(1 - ranked.checked_stops())
        reached = np.concatenate(([1.0], going_on))
        return law(ranked.stops * reached[:-1], float(reached[-1]))
    if name == "RRR":
        return over_theta(gains, 1, 1)
    total = pool.total()
    if total == 0:
        return law(np.zeros(len(gains)), 1.0)
    return law(gains / total, max(total - float(gains.sum()), 0.0) / total)


def static_law(name: str, n: int, settings: Parameters) -> StoppingLaw:
    """Return the stopping law of a distribution that does not look at relevance."""
    k = np.arange(1.0, n + 1)
    if name == "RBP":
        theta = settings.theta
        return law((1 - theta) ** (k - 1) * theta, (1 - theta) ** n)
    if name == "RR":
        return law(1 / (k * (k + 1)), 1 / (n + 1))
    base = settings.base
    viewing = np.log(base) / np.log(np.arange(n + 1) + base)
    return law(viewing[:-1] - viewing[1:], float(viewing[-1]))
