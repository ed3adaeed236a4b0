"""Simulated users who stop at a rank, and the values they have by then: stopping as a process.

The probability of a rank is never computed. Users decide rank by rank, or ideal by ideal, whether
to go on; each visit of their browsing is tossed once.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import Beta, InputError
from prum.simulator.model.arrays import Floats, Ints, Words
from prum.simulator.model.errors import proportion, real_array
from prum.simulator.sampling.sampler import checked_seed, checked_users
from prum.simulator.sampling.streams import BLOCK, FACTORS, PREFERENCES, STOPS, stream, uniform
from prum.simulator.sampling.ways.stepwise import factors_of

DISTRIBUTIONS = ("RBP", "DCG", "RR", "ERR", "AP", "RRR")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StoppingUsers:
    """Users of one kind as the sampler reads them; made by `stopping_users`.

    Attributes
    ----------
    starts, ideals, chances
        Visits by rank, those of rank k from starts[k] to starts[k + 1]: to which ideal, and
        P(l_k -> x).
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

    >>> stopping_users("AP", [[0, 0], [1, 0]]).wanting.tolist()
    [1.0, 2.0]
    """
    if distribution not in DISTRIBUTIONS:
        rule = f"be one of {', '.join(DISTRIBUTIONS)}"
        raise InputError("distribution", distribution, rule, remedy="name one")
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


Draw = Callable[[int, int], tuple[Floats, Ints]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stops:
    """Means over users, with standard errors.

    Attributes
    ----------
    num_users, seed
        Number of users, and their seed.
    mean, error, skewness
        The mean value by each of the four models, shape (4,), M1 first, or of a preference process,
        shape (1,); its standard error, infinite for one user; and the skewness of the mean.
    stopped
        How many users stop at each rank, shape (n,); the others did not stop in the list.
    """

    num_users: int
    seed: int
    mean: Floats
    error: Floats
    skewness: Floats
    stopped: Ints

    def __post_init__(self) -> None:
        for array in (self.mean, self.error, self.skewness, self.stopped):
            array.setflags(write=False)

    def __repr__(self) -> str:
        shown = " ".join(
            f"{value:.4f}±{error:.4f}".replace("0.", ".")
            for value, error in zip(self.mean, self.error, strict=True)
        )
        return f"Stops({self.num_users:,} users of seed {self.seed}: {shown})"


def simulate_stops(
    users: StoppingUsers | Sequence[StoppingUsers],
    *,
    num_users: int,
    seed: int,
    probabilities: ArrayLike | None = None,
) -> Stops:
    """Simulate users who stop, and return mean values by all four models at once.

    M1: the gain of what is new at the last rank; M2: all gains up to there; M3: f of the last rank;
    M4: all gains times f. Users who do not stop in the list have all its gains in M2, else 0.

    Parameters
    ----------
    users
        Users of one kind, or one kind for each intent, on lists of one length.
    num_users
        At least 1; memory does not grow with them.
    seed
        A whole number in [0, 2^64).
    probabilities
        P(i|q), by which each user draws their kind; needed for several kinds.

    >>> from prum.simulator.sampling.measured.stops import stopping_users
    >>> users = stopping_users("AP", [[0, 0], [1, 0]])           # half of them find what they want
    >>> simulate_stops(users, num_users=10_000, seed=1)
    Stops(10,000 users of seed 1: .4903±.0050 1.0000±.0000 .2452±.0025 .2452±.0025)
    """
    seed = checked_seed(seed)
    kinds = [users] if isinstance(users, StoppingUsers) else list(users)
    shares = _shares(probabilities, kinds)
    thetas = [kind.thetas for kind in kinds]

    def draw(block: int, size: int) -> tuple[Floats, Ints]:
        state = stream(seed, (), block, STOPS)
        if len(kinds) == 1:
            return kinds[0].draw(state, thetas[0](seed, block, size))
        kind_of = np.searchsorted(shares.cumsum() / shares.sum(), uniform(state, size), "right")
        values, ranks = np.empty((size, 4)), np.empty(size, dtype=np.int64)
        for number, kind in enumerate(kinds):
            of_kind = kind_of == number
            values[of_kind], ranks[of_kind] = kind.draw(
                state, thetas[number](seed, block, size)[of_kind]
            )
        return values, ranks

    return _means(draw, kinds[0].num_ranks, num_users, seed)


def simulate_preferences(
    users: StoppingUsers,
    preferred: ArrayLike,
    *,
    sample: Literal["one", "all"] = "one",
    itself: bool = True,
    num_users: int,
    seed: int,
) -> Stops:
    """Simulate users who stop, draw a document not below, and count it if it is preferred.

    The two-stage process of Carterette (2011, section 5.2): of the documents at ranks 1 .. K a user
    draws one, uniformly, or takes all, and adds preferred[j, K] of each.

    Parameters
    ----------
    users
        Users of one kind.
    preferred
        Entry [j, k]: how much the document at rank j is preferred to that at rank k; shape (n, n),
        or (n, n + 1), the last column for users who stop behind the list, counted by "all" alone.
    sample
        "one" or "all".
    itself
        Whether the document at K may be drawn; without it, nothing is drawn at rank 1.
    """
    seed, n = checked_seed(seed), users.num_ranks
    weights = real_array("preferred", preferred, remedy="give a row and a column for each rank")
    if weights.shape not in ((n, n), (n, n + 1)):
        thing, rule = "preferred", f"have shape ({n}, {n}) or ({n}, {n + 1})"
        raise InputError(thing, weights.shape, rule, remedy="give a row and a column for each rank")
    if sample not in ("one", "all"):
        raise InputError("sample", sample, "be one or all", remedy="choose one")
    # By last rank; rank 0 is that of users who stop behind the list.
    num_drawn_from = np.maximum(np.arange(n + 1) - (0 if itself else 1), 0)
    totals = np.array([weights[:m, k - 1].sum() for k, m in enumerate(num_drawn_from.tolist())])
    totals[0] = weights[:, n:].sum()

    def draw(block: int, size: int) -> tuple[Floats, Ints]:
        _, ranks = users.draw(stream(seed, (), block, STOPS), users.thetas(seed, block, size))
        if sample == "all":
            return totals[ranks, np.newaxis], ranks
        counted = np.zeros(size)
        drawn_from = num_drawn_from[ranks]
        some = drawn_from > 0
        numbers = uniform(stream(seed, (), block, PREFERENCES), size)[some]
        drawn = (numbers * drawn_from[some]).astype(np.int64)
        counted[some] = weights[drawn, ranks[some] - 1]
        return counted[:, np.newaxis], ranks

    return _means(draw, n, num_users, seed)


def _means(draw: Draw, n: int, num_users: int, seed: int) -> Stops:
    """Draw users block by block, and return means with errors from their first three moments."""
    count = checked_users(num_users)
    stopped = np.zeros(n + 1, dtype=np.int64)
    shift, sums = np.empty(0), np.zeros((3, 0))
    for block, begin in enumerate(range(0, count, BLOCK)):
        values, ranks = draw(block, min(BLOCK, count - begin))
        stopped += np.bincount(ranks, minlength=n + 1)
        if not block:
            # A value that all users have in common has no variance.
            shift, sums = values[0].copy(), np.zeros((3, values.shape[1]))
        values -= shift
        sums += np.stack([(values**power).sum(axis=0) for power in (1, 2, 3)])
    first, second, third = sums / count
    variance = np.maximum(second - first**2, 0)
    error = np.sqrt(variance / (count - 1)) if count > 1 else np.full(len(shift), np.inf)
    moment = third - 3 * first * second + 2 * first**3
    skewness = np.zeros(len(shift))
    np.divide(moment, variance**1.5 * count**0.5, out=skewness, where=variance > 0)
    return Stops(count, seed, shift + first, error, skewness, stopped[1:])


def _shares(probabilities: ArrayLike | None, kinds: Sequence[StoppingUsers]) -> Floats:
    lengths = {kind.num_ranks for kind in kinds}
    if len(lengths) != 1:
        rule, remedy = "be one number", "give at least one kind of user, and all of them one list"
        raise InputError("lengths of the users' lists", sorted(lengths), rule, remedy=remedy)
    if probabilities is None and len(kinds) == 1:
        return np.ones(1)
    shares = shaped("probabilities", probabilities, (len(kinds),))
    if not (shares >= 0).all() or abs(shares.sum() - 1) > 1e-9:
        rule = "be nonnegative with sum 1"
        raise InputError("probabilities", shares.tolist(), rule, remedy="divide them by their sum")
    return shares
