"""Users who stop at a rank, in six ways: what is tossed, and when."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import Beta, InputError
from prum.simulator.model.arrays import Floats, Ints, Words
from prum.simulator.model.errors import proportion, real_array
from prum.simulator.sampling.streams import FACTORS, stream, uniform
from prum.simulator.sampling.ways.stepwise import factors_of

COUPLINGS = ("independent", "exclusive", "comonotone")
DISTRIBUTIONS = ("RBP", "DCG", "RR", "ERR", "AP", "RRR")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StoppingUsers:
    """Users of one kind as the sampler reads them; made by `stopping_users`.

    Attributes
    ----------
    starts, ideals, chances
        Visits by rank, those of rank k from starts[k] to starts[k + 1]: to which ideal, and
        P(l_k -> x).
    together
        How visits from a rank are coupled: one of `COUPLINGS`, by number.
    gains
        g_x of each ideal.
    satisfying, leaving
        Factors of a user's theta: P(a new ideal satisfies the user), shape (t,), and P(the user
        stops after a rank), shape (n,).
    wanting
        Cumulated weights of the one ideal that a user wants; empty if users want no single ideal.
    keeping
        P(still interested in the next ideal) by ideals found.
    efforts
        f(k) by rank.
    theta
        Theta of all users, or its law.
    """

    starts: Ints
    ideals: Ints
    chances: Floats
    together: int
    gains: Floats
    satisfying: Floats
    leaving: Floats
    wanting: Floats
    keeping: Floats
    efforts: Floats
    theta: float | Beta

    @property
    def num_ranks(self) -> int:
        """The length of the list."""
        return len(self.leaving)

    def draw(self, state: Words, thetas: Floats) -> tuple[Floats, Ints]:
        """Return values of users by the four models, shape (users, 4), and their last ranks, or 0.

        Takes its random numbers from `state`, which it changes.
        """
        from prum.simulator.sampling.kernels import draw_stops

        values, ranks = np.empty((len(thetas), 4)), np.empty(len(thetas), dtype=np.int64)
        draw_stops(state, self, thetas, values, ranks)
        return values, ranks

    def thetas(self, seed: int, block: int, size: int) -> Floats:
        """Return the theta of each user of a block."""
        if not isinstance(self.theta, Beta):
            return np.full(size, float(self.theta))
        numbers = uniform(stream(seed, (), block, FACTORS), size)
        return factors_of(self.theta, numbers)


def stopping_users(
    distribution: str,
    reach: ArrayLike,
    *,
    theta: float | Beta = 0.5,
    base: float = 2.0,
    gains: ArrayLike | None = None,
    keeping: ArrayLike | None = None,
    effort: Callable[[Floats], ArrayLike] | None = None,
    together: str = "independent",
) -> StoppingUsers:
    """Return users who stop by one of the six distributions of Carterette (2011).

    ==== ================================================================================
    RBP  after each rank a user stops with probability theta
    RR   the same, theta uniform on (0, 1), drawn once for each user
    DCG  a user goes on from rank k with probability log(k + b - 1) / log(k + b)
    ERR  each new ideal satisfies a user with probability theta g_x: they stop there
    RRR  the same, theta uniform on (0, 1), drawn once for each user
    AP   a user wants one ideal, x with probability g_x / sum g, and stops on seeing it
    ==== ================================================================================

    Users who are never stopped go through the whole list.

    Parameters
    ----------
    distribution
        "RBP", "DCG", "RR", "ERR", "AP" or "RRR".
    reach
        P(l_k -> x), shape (n, t): each visit is tossed once. For users who do not browse, 1
        where rank k holds relevant document x; a column of zeros is a document not in the list.
    theta
        In (0, 1), for all users; or Beta(a, b), from which each user draws theirs. Of RBP and ERR.
    base
        b > 1 of DCG.
    gains
        g_x >= 0, shape (t,); 1 by default. At most 1 for ERR and RRR.
    keeping
        The probability, shape (t,), that a user who has found n = 0, 1, .. ideals is interested in
        the next; once lost, interest does not come back, and there is no further gain. 1 by
        default. With F(1) and F(n + 1) / F(n) the redundancy discount is F.
    effort
        f, from the ranks 1 .. n to as many numbers; 1 / k by default.
    together
        "independent": visits from a rank are tossed separately. "exclusive", "comonotone": by one
        random point, as in `Coupled`; visits of probability 1 are always made.

    Raises
    ------
    InputError
        for another distribution or coupling, probabilities outside [0, 1], theta outside (0, 1),
        base <= 1, gains that are negative or too large, and arrays of another shape.

    >>> stopping_users("AP", [[0, 0], [1, 0]]).wanting.tolist()
    [1.0, 2.0]
    """
    if distribution not in DISTRIBUTIONS:
        rule = f"be one of {', '.join(DISTRIBUTIONS)}"
        raise InputError("distribution", distribution, rule, remedy="name one")
    if together not in COUPLINGS:
        raise InputError(
            "together", together, f"be one of {', '.join(COUPLINGS)}", remedy="leave it out"
        )
    rows = _probabilities("reach", reach)
    if rows.ndim != 2:
        raise InputError("reach", rows.shape, "have shape (n, t)", remedy="give a matrix")
    n, t = rows.shape
    satisfies = distribution in ("ERR", "RRR")
    worth = shaped("gains", np.ones(t) if gains is None else gains, (t,))
    most = 1.0 if satisfies else np.finfo(np.float64).max
    if not ((worth >= 0) & (worth <= most)).all():
        raise InputError(
            "gains", worth.tolist(), f"lie in [0, {most:g}]", remedy="divide them by the highest"
        )
    leaving, patience = np.zeros(n), theta
    if distribution in ("RBP", "RR"):
        leaving[:] = 1
    if distribution in ("RR", "RRR"):
        patience = Beta(1, 1)
    elif not isinstance(theta, Beta):
        patience = proportion(
            "theta", theta, remedy="give a probability or Beta(a, b)", open_interval=True
        )
    if not 1 < base < math.inf:
        raise InputError("base", base, "be finite and above 1", remedy="2 is usual")
    ranks = np.arange(1.0, n + 1)
    if distribution == "DCG":
        leaving, patience = 1 - np.log(ranks + base - 1) / np.log(ranks + base), 1.0
    visited = np.nonzero(rows)
    return StoppingUsers(
        starts=np.searchsorted(visited[0], np.arange(n + 1)).astype(np.int64),
        ideals=visited[1].astype(np.int64),
        chances=rows[visited],
        together=COUPLINGS.index(together),
        gains=worth,
        satisfying=worth if satisfies else np.zeros(t),
        leaving=leaving,
        wanting=worth.cumsum() if distribution == "AP" and worth.any() else np.empty(0),
        keeping=np.ones(t)
        if keeping is None
        else shaped("keeping", _probabilities("keeping", keeping), (t,)),
        efforts=shaped("effort", 1 / ranks if effort is None else effort(ranks), (n,)),
        theta=patience,
    )


def _probabilities(thing: str, values: ArrayLike) -> Floats:
    array = real_array(thing, values, remedy="give probabilities")
    if not ((array >= 0) & (array <= 1)).all():
        raise InputError(thing, array.tolist(), "lie in [0, 1]", remedy="give probabilities")
    return array


def shaped(thing: str, values: object, shape: tuple[int, ...]) -> Floats:
    """Return values as floats if they are finite and of a shape; InputError otherwise."""
    array = real_array(thing, values, remedy="give one number for each")
    if array.shape != shape or not np.isfinite(array).all():
        rule = f"be finite numbers of shape {shape}"
        raise InputError(thing, array.tolist(), rule, remedy="give one number for each")
    return array
