"""Run simulations: many blocks of users on several threads, to a number or to a precision."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from prum.simulator.model import InputError, ListCosts, Navigation, Task
from prum.simulator.model.arrays import Counts
from prum.simulator.model.browsing import browsing_of
from prum.simulator.model.costs import costs_of_list
from prum.simulator.model.errors import proportion, whole_number
from prum.simulator.model.process import MOST_THREADS, own_processors
from prum.simulator.model.tied import check_untied
from prum.simulator.sampling.simulation import Simulation, UserRange
from prum.simulator.sampling.streams import BLOCK, LARGEST_SEED, MOST_USERS
from prum.simulator.sampling.sums import CostSums, CountSums, empty_sums, tally_sums
from prum.simulator.sampling.tally import Tally
from prum.simulator.sampling.ways.samplers import Sampler, compiled

Unranked = Literal["sampled", "expected"]

# Numbers held at once for a chunk of users, about as many as a processor's second cache takes.
_CHUNK_CELLS = 1 << 17
# Chunks are multiples of the users that `kernels` handles at once.
_TILE = 128


def simulate(
    task: Task,
    navigation: Navigation,
    *,
    num_users: int | None = None,
    seed: int,
    costs: ListCosts | None = None,
    half_width: float | None = None,
    recall: Sequence[int] | None = None,
    confidence: float = 0.95,
    max_users: int = 100_000_000,
    unranked: Unranked = "sampled",
    first_user: int = 0,
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Simulation:
    """Simulate users of a ranked list and return their means, with standard errors.

    Every user steps down the list, browses the context of each consulted element and stops at r
    ideals seen, for every r = 1 .. t at once (Hypothesis 2.1); after the list they draw unranked
    elements at random without replacement. The same seed gives the same users to every list for
    the same ideals. The result is bit-identical for any number of threads.

    Parameters
    ----------
    num_users
        Users to simulate; or give `half_width`.
    seed
        A whole number in [0, 2^64).
    costs
        What ranks cost, and an element behind the list: then what users consulted, and what of it
        led to something new, are costs, not numbers of elements. They are rounded to whole steps
        (`ListCosts.stepped`), so that sums are exact. Not where users browse by their `need`.
    half_width, recall, confidence, max_users
        Instead of `num_users`: simulate until the half-width of precision's confidence interval
        is at most `half_width` at each recall value of `recall` (all of 1 .. t by default), or
        `max_users` are simulated. This is checked after 1, 2, 4, ... blocks of 16,384 users.
    unranked
        "sampled": draw the unranked part. "expected": take the expected number of draws after s
        ideals in the list, (r - s) (u + 1) / (t - s + 1); less variance, no ratios of single users,
        no C(r) beyond the list.
    first_user
        Number of the first user: to go on where an earlier run of the same seed stopped, and add
        the two, or to see a single user.
    threads
        Number of threads; all processors of this process by default.
    progress
        Called with the number of users done since the last call.

    Raises InputError for arguments that are out of range or contradict each other.

    >>> from prum.simulator import Independent, Task, simulate
    >>> task = Task(["c", "d", "a", "b"], ["a", "b"], 4)
    >>> browsing = Independent(
    ...     {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    ... )
    >>> simulate(task, browsing, num_users=100_000, seed=1)
    Simulation(100,000 users of seed 1, t = 2: precision .6916±.0010 .6461±.0006)
    """
    if not isinstance(task, Task):
        remedy = "give Task(ranking, ideals, collection_size)"
        raise InputError("task", task, "be a Task", remedy=remedy)
    seed = checked_seed(seed)
    first_user = whole_number(
        "first_user", first_user, least=0, most=MOST_USERS, remedy="leave it out to begin at 0"
    )
    checked_unranked(unranked)
    workers = checked_threads(threads)
    costs = checked_costs(task, navigation, costs)
    sampler = compiled(task, navigation)
    run = _Run(sampler, navigation, seed, costs, progress, workers, unranked)
    if (num_users is None) == (half_width is None):
        rule, remedy = "be one given and one not", "say how many users, or how narrow an interval"
        raise InputError("num_users and half_width", (num_users, half_width), rule, remedy=remedy)

    if num_users is not None:
        return run.simulation(first_user, run.users(first_user, checked_users(num_users)))
    recalls = _recall(recall, task.num_ideals)
    width = proportion("half_width", half_width, open_interval=True, remedy="give .001, say")
    most = whole_number(
        "max_users", max_users, least=BLOCK, most=MOST_USERS, remedy=f"allow a block of {BLOCK}"
    )
    proportion("confidence", confidence, open_interval=True, remedy="give .95 for 95 percent")
    tally = run.users(first_user, BLOCK)
    while True:
        simulation = run.simulation(first_user, tally)
        look = next_look(tally.num_users, most)
        if look is None or simulation.widest(recalls, confidence) <= width:
            return simulation
        tally += run.users(first_user + tally.num_users, look - tally.num_users)


def simulate_by(
    sampler: Sampler,
    navigation: Navigation,
    *,
    num_users: int,
    seed: int,
    costs: ListCosts | None = None,
) -> Simulation:
    """Return the means of users of any sampler, as `simulate` does of its own; on one thread."""
    seed = checked_seed(seed)
    count = checked_users(num_users)
    costs = checked_costs(sampler.task, navigation, costs)
    run = _Run(sampler, navigation, seed, costs, None)
    return run.simulation(0, run.users(0, count))


def next_look(num_users: int, max_users: int) -> int | None:
    """Return after how many users a sequential run checks its error again, None at the end.

    It does so after 1, 2, 4, ... blocks, and when no other block is allowed.

    >>> [next_look(users, 60_000) for users in (0, 16_384, 20_000, 32_768, 49_152)]
    [16384, 32768, 32768, 49152, None]
    """
    most = max_users // BLOCK * BLOCK
    blocks = num_users // BLOCK
    look = min(BLOCK << blocks.bit_length(), most)
    return look if look > num_users else None


@dataclass
class _Run:
    """The blocks of one seed's users, computed on threads and added up."""

    sampler: Sampler
    navigation: Navigation
    seed: int
    costs: ListCosts | None
    progress: Callable[[int], object] | None
    threads: int = 1
    unranked: Unranked = "sampled"

    def __post_init__(self) -> None:
        task = self.sampler.task
        self.sampled = self.unranked == "sampled"
        self.steps = None if self.costs is None else self.costs.in_steps(task.num_unranked)

    def simulation(self, first: int, tally: Tally) -> Simulation:
        """Return the tally of users from `first` on as a simulation."""
        task = self.sampler.task
        return Simulation(
            tally,
            (UserRange(self.seed, first, tally.num_users),),
            task.key,
            self.navigation.key,
            task.num_ranked,
            task.num_unranked,
            self.unranked,
            self.costs,
        )

    def kind(self) -> CountSums:
        """Return what is summed."""
        task = self.sampler.task
        return CountSums(task) if self.steps is None else CostSums(self.steps)

    def users(self, first: int, count: int) -> Tally:
        """Return the tally of users `first` .. `first + count - 1`."""
        blocks = range(first // BLOCK, -(-(first + count) // BLOCK))
        shares = [blocks[start :: self.threads] for start in range(min(self.threads, len(blocks)))]

        def work(share: range) -> Tally:
            return self._blocks(
                (
                    number,
                    max(0, first - number * BLOCK),
                    min(BLOCK, first + count - number * BLOCK),
                )
                for number in share
            )

        if len(shares) == 1:
            return work(shares[0])
        with ThreadPoolExecutor(len(shares)) as pool:
            total, *tallies = pool.map(work, shares)
        for tally in tallies:
            total += tally
        return total

    def _blocks(self, blocks: Iterable[tuple[int, int, int]]) -> Tally:
        """Return the tally of users `first` .. `end - 1` of each block (number, first, end)."""
        t = self.sampler.task.num_ideals
        kind = self.kind()
        all_sums, all_ends = (table.astype(object) for table in empty_sums(kind, t))
        num_users = 0
        chunk = max(1, _CHUNK_CELLS // (t * _TILE)) * _TILE
        room = np.empty(2 * t * min(chunk, BLOCK), dtype=np.int32)
        for number, first, end in blocks:
            block = self.sampler.block(self.seed, number, sampled=self.sampled)
            # A block's users are drawn in order, so those before the first are drawn and dropped.
            for begin in range(0, first, chunk):
                block.draw(*_halves(room, min(chunk, first - begin), t))
            sums, ends = empty_sums(kind, t)
            for begin in range(first, end, chunk):
                consulted, leading = _halves(room, min(chunk, end - begin), t)
                block.draw(consulted, leading)
                kind.add(consulted, leading, sums, ends)
            all_sums += sums
            all_ends += ends
            num_users += end - first
            if self.progress is not None:
                self.progress(end - first)
        unranked = None if self.sampled else self.sampler.task.num_unranked
        return Tally(num_users, tally_sums(kind, all_sums, all_ends, unranked))


def _halves(room: Counts, num_users: int, t: int) -> tuple[Counts, Counts]:
    """Return room for C(r) and CL(r) of some users, in column order."""
    size = num_users * t
    return (
        room[:size].reshape((-1, t), order="F"),
        room[size : 2 * size].reshape((-1, t), order="F"),
    )


def checked_costs(task: Task, navigation: Navigation, costs: ListCosts | None) -> ListCosts | None:
    """Return what a list costs, in whole steps.

    Raise InputError unless there is a cost for each rank; where users browse by their need, so that
    CL(r) is not known from C(1) .. C(r).
    """
    if costs is None:
        return None
    costs = costs_of_list(costs, task.num_ranked)
    check_no_need(task, navigation, "costs")
    check_untied(navigation, "costs")
    return costs.stepped(task.num_unranked)


def check_no_need(task: Task, navigation: Navigation, what: str) -> None:
    """Raise InputError where users browse by their need: who wants r ideals is then a user apart.

    CL(r), or `what` else is made of C(1) .. C(r), is not known from them.
    """
    browsed = [way for way in navigation.types or (navigation,) if "need" in way.turned]
    if any(len({*browsing_of(way).needed(task.num_ideals)}) > 1 for way in browsed):
        rule = "be left out where users browse by their need"
        raise InputError(what, "given", rule, remedy=f"leave out {what}, or need")


def checked_seed(seed: object) -> int:
    """Return `seed` as an int; InputError unless it is a whole number in [0, 2^64)."""
    return whole_number(
        "seed", seed, least=0, most=LARGEST_SEED, remedy="give a whole number below 2^64"
    )


def checked_users(num_users: object, *, least: int = 1) -> int:
    """Return a number of users as an int; InputError unless it is a whole number in range."""
    remedy = "say how many users"
    return whole_number("num_users", num_users, least=least, most=MOST_USERS, remedy=remedy)


def checked_unranked(unranked: object) -> None:
    """Raise InputError unless this is what `simulate` knows."""
    if not (isinstance(unranked, str) and unranked in get_args(Unranked)):
        raise InputError(
            "unranked", unranked, f"be one of {get_args(Unranked)}", remedy="leave it out to sample"
        )


def checked_threads(threads: int | None) -> int:
    """Return the number of threads, all processors of this process for None.

    Raise InputError if it is not a whole number from 1 to 1024.
    """
    if threads is None:
        return own_processors()
    return whole_number(
        "threads", threads, least=1, most=MOST_THREADS, remedy="leave it out to use all"
    )


def _recall(recall: Sequence[int] | None, num_ideals: int) -> list[int]:
    if recall is None:
        return list(range(1, num_ideals + 1))
    if not isinstance(recall, Iterable):
        raise InputError("recall", recall, "be several recall values", remedy=f"write [{recall}]")
    values = [
        whole_number(
            "recall", r, least=1, most=num_ideals, remedy="give recall values between 1 and t"
        )
        for r in recall
    ]
    if not values:
        raise InputError("recall", (), "name a recall value", remedy="leave it out for all")
    return values
