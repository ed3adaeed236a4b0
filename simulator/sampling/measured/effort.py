"""Simulated users for measures of effort: every visit tossed, values, fewest elements.

The users of `simulate` are drawn from the law of what a list leads to. Here every visit is tossed,
and what a user did and could have done is counted. `simulate_ranks` counts who consults each rank.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Independent, InputError, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints, Words
from prum.simulator.model.errors import amount
from prum.simulator.sampling.sampler import check_no_need, checked_seed, checked_users, simulate_by
from prum.simulator.sampling.streams import BLOCK, EFFORTS, users_key
from prum.simulator.sampling.ways.samplers import KernelBlock, KernelSampler, compiled

# Bits behind the point of a share, as in `kernels`, which is slow to load.
_BITS = 40
_HALF_BITS = 20
# A level counts as reached if this share of all value is missing: sums of values are rounded.
LEVEL_TOLERANCE = 1e-9
# Sets that the search for the fewest elements of one user may try.
MOST_STEPS = 1_000_000
# Users whose ranks are held at once.
_PORTION = 512


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Effort:
    """What simulated users saw, and for how much effort: means with standard errors.

    Arrays over r have shape (t,), index 0 is r = 1; those over ranks (o,), index 0 is rank 1.

    Attributes
    ----------
    num_users, seed
        Number of users, and their seed.
    leading, consulted, precision
        Means of CL(r) and C(r), and the first over the second; as in `Simulation`.
    recall
        Mean share of all value that users have seen after each rank.
    effort_precision
        Mean of 1(level r / t reached within the list) x (fewest elements that reach it) / (ranks
        consulted to reach it).
    leading_error, consulted_error, precision_error, recall_error, effort_precision_error
        Standard errors; infinite for one user. For precision by the delta method.
    values
        Value of each ideal, in the order of ``task.ideals``.
    task_key, navigation_key, version
        What else it takes to get the same numbers again.
    """

    num_users: int
    seed: int
    leading: Floats
    leading_error: Floats
    consulted: Floats
    consulted_error: Floats
    precision: Floats
    precision_error: Floats
    recall: Floats
    recall_error: Floats
    effort_precision: Floats
    effort_precision_error: Floats
    values: tuple[float, ...]
    task_key: str
    navigation_key: str
    version: str

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if isinstance(array := getattr(self, name), np.ndarray):
                array.setflags(write=False)

    def __repr__(self) -> str:
        shown = " ".join(f"{value:.4f}".replace("0.", ".") for value in self.effort_precision[:4])
        more = " ..." if len(self.effort_precision) > 4 else ""
        return (
            f"Effort({self.num_users:,} users of seed {self.seed}, "
            f"t = {len(self.effort_precision)}: effort precision {shown}{more})"
        )


def simulate_effort(
    task: Task,
    navigation: Independent,
    *,
    num_users: int,
    seed: int,
    values: Mapping[str, float] | None = None,
) -> Effort:
    """Simulate users of a ranked list, and the fewest elements each of them would have needed.

    A user tosses every visit of every element once, P(x -> y) each, independently; an ideal shows
    itself. They consult the list from its top, then the u unranked elements in random order,
    without browsing from them.

    A user reaches level r / t of the value of all ideals by elements that together show this share
    of it (1e-9 of it may be missing). The fewest elements of the collection that reach it are found
    exactly, by branch and bound, from the same tosses, and divided by the ranks consulted to reach
    it; the ratio is 0 if the list does not reach it. This is precision in the sense of least effort
    (Piwowarski and Dupret 2006), as the mean of the ratios of users.

    Parameters
    ----------
    num_users
        At least 1; memory does not grow with them.
    seed
        A whole number in [0, 2^64). The users are others than those of `simulate`.
    values
        Value of each ideal, positive; all are worth 1 by default. Kept to 2^-40 of their sum.

    >>> from prum.simulator import Independent, Task
    >>> task = Task(["d", "c"], ["a", "b"], 4)
    >>> certain = Independent({("c", "a"): 1, ("c", "b"): 1})
    >>> effort = simulate_effort(task, certain, num_users=100, seed=1)
    >>> effort.consulted.tolist(), effort.recall.tolist(), effort.effort_precision.tolist()
    ([2.0, 2.0], [0.0, 1.0], [0.5, 0.5])
    """
    sampler = Efforts(task, navigation, values)
    users = simulate_by(sampler, navigation, num_users=num_users, seed=seed)
    recall, recall_error = _means(sampler.seen, users.num_users, sampler.total)
    effort, effort_error = _means(sampler.effort, users.num_users, 1 << _BITS)
    means = ("leading", "consulted", "precision")
    return Effort(
        num_users=users.num_users,
        seed=users.users[0].seed,
        **{name: getattr(users, name) for mean in means for name in (mean, f"{mean}_error")},
        recall=recall,
        recall_error=recall_error,
        effort_precision=effort,
        effort_precision_error=effort_error,
        values=sampler.values,
        task_key=task.key,
        navigation_key=navigation.key,
        version=users.version,
    )


class EffortVisits:
    """What each element shows: for certain, and by visits that are tossed.

    Elements of the list come first, by first rank; then all others that are ideal or link to an
    ideal.
    """

    def __init__(self, task: Task, navigation: Independent) -> None:
        tossed: Independent | None = getattr(navigation, "tossed", None)
        if tossed is None:
            remedy = "give the links, each tossed on its own"
            raise InputError("navigation", navigation, "be Independent", remedy=remedy)
        shown = tossed.showing(task.ideals)
        elements = list(dict.fromkeys((*task.ranking, *shown.row_of)))
        if len(elements) > task.collection_size:
            rule = f"be at least {len(elements)} (ranked elements, ideals, and elements that"
            rule, remedy = f"{rule} lead to ideals)", "count every element of the collection"
            raise InputError("collection_size", task.collection_size, rule, remedy=remedy)
        numbers, columns, chances = shown.along(elements)
        visits, is_certain = np.stack([numbers, columns], axis=1), chances == 1
        certain, num_words = visits[is_certain], -(-task.num_ideals // 64)
        self.certain: Words = np.zeros((len(elements), num_words), dtype=np.uint64)
        bits = np.left_shift(np.uint64(1), (certain[:, 1] % 64).astype(np.uint64))
        np.bitwise_or.at(self.certain, (certain[:, 0], certain[:, 1] // 64), bits)
        self.tossed: Ints = np.ascontiguousarray(visits[~is_certain])
        self.chances: Floats = chances[~is_certain]
        number_of = {element: number for number, element in enumerate(elements)}
        self.ranking: Ints = np.array([number_of[x] for x in task.ranking], dtype=np.int64)


class Efforts(KernelSampler):
    """Sampler of the users of `simulate_effort`; keeps sums of what it has drawn."""

    purposes = (EFFORTS,)

    def __init__(
        self,
        task: Task,
        navigation: Independent,
        values: Mapping[str, float] | None = None,
    ) -> None:
        self.task, self.key = task, users_key(task)
        self.visits = EffortVisits(task, navigation)
        self.values = (1.0,) * task.num_ideals if values is None else _values(values, task)
        largest = max(self.values)
        shares = np.array([value / largest for value in self.values])
        shares /= shares.sum()
        # No value is lost, however small it is beside the others.
        self.weights: Ints = np.maximum(np.rint(shares * 2**_BITS), 1).astype(np.int64)
        self.total = int(self.weights.sum())
        t = task.num_ideals
        missing = round(self.total * LEVEL_TOLERANCE)
        self.levels: Ints = np.array([-(-r * self.total // t) - missing for r in range(1, t + 1)])
        self.heaviest: Ints = np.argsort(-self.weights, kind="stable")
        # The weight of each subset of 8 neighbouring ideals, shape (bytes, 256).
        padded = np.zeros((-(-t // 8), 8), dtype=np.int64)
        padded.reshape(-1)[:t] = self.weights
        sets = np.arange(256)[:, None] >> np.arange(8) & 1
        self.worths = np.ascontiguousarray(padded @ sets.T)
        self.seen, self.effort = _no_sums(task.num_ranked), _no_sums(t)

    def draw(self, block: KernelBlock) -> None:
        """Draw the next users of a block; their unranked part is always sampled."""
        from prum.simulator.sampling.kernels import add_fixed

        sums = [np.zeros(of.shape, dtype=np.int64) for of in (self.seen, self.effort)]
        for begin in range(0, block.consulted.shape[1], _PORTION):
            for values, added in zip(self.users(block, begin), sums, strict=True):
                add_fixed(values, added)
        self.seen += sums[0]
        self.effort += sums[1]

    def users(self, block: KernelBlock, begin: int) -> tuple[Ints, Ints]:
        """Draw a portion of the next users, from number `begin` of them on.

        Return what they saw by rank, and by r, in 2^-40, their ratios of effort: users in columns.
        """
        from prum.simulator.sampling.kernels import draw_efforts

        size = min(_PORTION, block.consulted.shape[1] - begin)
        seen = np.empty((self.task.num_ranked, size), dtype=np.int64)
        effort = np.empty((self.task.num_ideals, size), dtype=np.int64)
        if draw_efforts(self.visits, self, seen, effort, begin, MOST_STEPS, block) < size:
            thing = "steps of the search for a user's fewest elements"
            rule = f"be at most {MOST_STEPS:,}"
            remedy = "give fewer ideals or links; for C, CL and precision alone use simulate"
            raise InputError(thing, f"more than {MOST_STEPS:,}", rule, remedy=remedy)
        return seen, effort


def _values(values: object, task: Task) -> tuple[float, ...]:
    """Return the value of each ideal."""
    remedy = "give {ideal: value} for the ideals of the task"
    if not isinstance(values, Mapping):
        raise InputError("values", values, "be a mapping", remedy=remedy)
    for element in values:
        if element not in task.ideals:
            raise InputError("element with a value", element, "be an ideal", remedy=remedy)
    return tuple(
        amount(f"value of {ideal!r}", values.get(ideal), positive=True, remedy=remedy)
        for ideal in task.ideals
    )


def _no_sums(size: int) -> NDArray[np.object_]:
    return np.zeros((size, 4), dtype=np.int64).astype(object)


def _means(sums: NDArray[Any], num_users: int, unit: int) -> tuple[Floats, Floats]:
    """Return means and standard errors, in units of `unit`, from the sums of `add_fixed`."""
    totals, upper, product, lower = sums.T
    squares = (upper << 2 * _HALF_BITS) + (product << _HALF_BITS + 1) + lower
    means = np.array([total / (num_users * unit) for total in totals], dtype=np.float64)
    if num_users < 2:
        return means, np.full(len(means), np.inf)
    below = num_users**2 * (num_users - 1) * unit**2
    variances = [
        (num_users * square - total**2) / below
        for total, square in zip(totals, squares, strict=True)
    ]
    return means, np.sqrt(np.array(variances, dtype=np.float64))


# Numbers held at once for a chunk of users, and the users that kernels handle at once.
_CHUNK_CELLS, _TILE = 1 << 20, 128


@dataclass(frozen=True, slots=True, eq=False)
class UsersByRank:
    """How many of `num_users` did what at each rank, by r = 1 .. t; arrays of shape (o, t).

    Attributes
    ----------
    num_users
        Number of users.
    consulted
        Users who want r ideals and consult rank i.
    leading
        Those of them to whom rank i shows a previously unseen ideal.
    """

    num_users: int
    consulted: Ints
    leading: Ints


def simulate_ranks(task: Task, navigation: Navigation, *, num_users: int, seed: int) -> UsersByRank:
    """Count what simulated users do at each rank; they are those of `simulate` with this seed.

    >>> from prum.simulator import Independent, Task
    >>> task = Task(["c", "a"], ["a"], 2)
    >>> found = simulate_ranks(task, Independent({("c", "a"): 1}), num_users=10, seed=1)
    >>> found.consulted.ravel().tolist(), found.leading.ravel().tolist()
    ([10, 0], [10, 0])
    """
    seed, count = checked_seed(seed), checked_users(num_users)
    sampler = compiled(task, navigation)
    check_no_need(task, navigation, "by rank")
    o, t = task.num_ranked, task.num_ideals
    # Users by the rank where they stop, o + 1 for behind the list; and by where ideal r is new.
    stopped, new = (np.zeros((t, o + 2), dtype=np.int64) for _ in range(2))
    chunk = max(1, _CHUNK_CELLS // (t * _TILE)) * _TILE
    for number, first in enumerate(range(0, count, BLOCK)):
        block = sampler.block(seed, number, sampled=True)
        size = min(BLOCK, count - first)
        for begin in range(0, size, chunk):
            shape = (min(chunk, size - begin), t)
            consulted, leading = (np.empty(shape, dtype=np.int32, order="F") for _ in range(2))
            block.draw(consulted, leading)
            before = np.zeros(shape[0], dtype=np.int32)
            for r, depth in enumerate(np.minimum(consulted, o + 1).T):
                stopped[r] += np.bincount(depth, minlength=o + 2)
                # The r-th ideal is new at a rank with those that are seen there together once.
                new[r] += np.bincount(depth[depth > before], minlength=o + 2)
                before = depth
    reached = count - np.cumsum(stopped, axis=1)[:, :o]
    return UsersByRank(count, reached.T, np.cumsum(new, axis=0)[:, 1 : o + 1].T)
