"""What the benchmarks run: tasks, a vectorised NumPy sampler, a straightforward closed form."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from prum.simulator.model import Independent, Links, Task, Walk

Floats = NDArray[np.float64]


def flat_task(num_ranked: int, num_ideals: int) -> tuple[Task, Independent]:
    """Return a list whose every rank leads to every ideal, with probabilities up to .01.

    1,000 ranks show a user nearly all ideals, 100 ranks about 40 of 100; u is 1,000 more than t.
    """
    rng = np.random.default_rng(0)
    ranking = [f"d{i}" for i in range(num_ranked)]
    ideals = [f"i{x}" for x in range(num_ideals)]
    sources = [element for element in ranking for _ in ideals]
    reach = rng.random(num_ranked * num_ideals) * 0.01
    links = Links.from_columns(sources, ideals * num_ranked, reach)
    return Task(ranking, ideals, num_ranked + num_ideals + 1000), Independent(links)


def graph_task(num_nodes: int = 10_000, num_links: int = 10) -> tuple[Task, Walk]:
    """Return one entry to a random graph that a walk leaves with probability .05 at every page.

    A walk takes 20 random numbers on average: 19 moves and the stop. 10 pages are ideal.
    """
    rng = np.random.default_rng(0)
    sources = np.repeat(np.arange(num_nodes), num_links)
    targets = np.concatenate(
        [rng.choice(num_nodes - 1, num_links, replace=False) for _ in range(num_nodes)]
    )
    targets += targets >= sources
    names = [f"page{i}" for i in range(num_nodes)]
    links = Links.from_columns(
        [names[i] for i in sources],
        [names[i] for i in targets],
        np.full(len(sources), 0.95 / num_links),
    )
    return Task(names[:1], names[1:11], num_nodes), Walk(links)


def web(num_pages: int, num_links: int, seed: int = 0) -> tuple[list[str], Walk]:
    """Return pages and links between them that a walk follows with .85 in all from every page.

    Numbers of links from a page, at least one, and the popularity of pages fall by power laws: the
    share of pages with more than d links falls as d^-1.5, that of pages k times as popular as the
    mean as k^-2 or so. Pages that lead to many and pages that many lead to are independent.
    """
    rng = np.random.default_rng(seed)
    weights = rng.pareto(1.5, num_pages) + 1
    weights *= 1.02 * num_links / weights.sum()
    degrees = np.minimum(weights.astype(np.int64) + 1, num_pages // 10)
    sources = np.repeat(np.arange(num_pages), degrees)
    by_popularity = rng.permutation(num_pages)
    targets = by_popularity[(num_pages * rng.random(len(sources)) ** 2).astype(np.int64)]
    pairs = np.unique(sources * num_pages + targets)
    pairs = pairs[pairs // num_pages != pairs % num_pages]
    # Evenly fewer, to the wanted number.
    pairs = np.sort(rng.permutation(pairs)[:num_links])
    sources, targets = np.divmod(pairs, num_pages)
    counts = np.bincount(sources, minlength=num_pages)
    names = [f"page{number}" for number in range(num_pages)]
    links = Links.from_columns(
        [names[k] for k in sources.tolist()],
        [names[k] for k in targets.tolist()],
        0.85 / counts[sources],
    )
    return names, Walk(links)


class NumpySampler:
    """Independent navigation drawn with whole-array operations, as one would write it in NumPy.

    One uniform number for each user and ideal is inverted by `searchsorted`; ideals not seen get
    random places behind the list, all of a user's again as long as two coincide; a sort of each
    user's ranks and places gives C(r), a cumulative sum over those that differ CL(r). It adds up
    what `simulate` adds up.
    """

    def __init__(self, cumulative: list[Floats], num_ranked: int, num_unranked: int) -> None:
        self.cumulative, self.num_ranked, self.num_unranked = cumulative, num_ranked, num_unranked

    @classmethod
    def of(cls, task: Task, navigation: Independent) -> Self:
        ranks, ideals, probabilities = navigation.reach(task)
        reach = np.zeros((task.num_ranked, task.num_ideals))
        reach[ranks, ideals] = probabilities
        seen = 1 - np.cumprod(1 - reach, axis=0)
        columns = [np.ascontiguousarray(column) for column in seen.T]
        return cls(columns, task.num_ranked, task.num_unranked)

    def run(self, num_users: int, rng: np.random.Generator, *, sampled: bool) -> Floats:
        """Return the sums of C, CL, C^2, CL^2, C CL, the ratio and its square; shape (7, t)."""
        t = len(self.cumulative)
        total = np.zeros((7, t))
        # Chunks that fit the second cache, the fastest of several sizes tried.
        chunk = max(1, 65_536 // t)
        for begin in range(0, num_users, chunk):
            users = min(chunk, num_users - begin)
            ranks = np.empty((users, t), dtype=np.int32)
            for x, numbers in enumerate(rng.random((t, users))):
                ranks[:, x] = np.searchsorted(self.cumulative[x], numbers, side="right") + 1
            total += self._sums(ranks, rng, sampled)
        return total

    def _sums(self, ranks: NDArray[np.int32], rng: np.random.Generator, sampled: bool) -> Floats:
        o, u, t = self.num_ranked, self.num_unranked, ranks.shape[1]
        if sampled:
            consulted = self._placed(ranks, rng)
            new = np.ones(consulted.shape, dtype=np.int32)
            new[:, 1:] = consulted[:, 1:] != consulted[:, :-1]
            leading = np.cumsum(new, axis=1)
            c = consulted.astype(np.float64)
        else:
            ranks.sort(axis=1)
            given = ranks <= o
            new = given.astype(np.int32)
            new[:, 1:] &= ranks[:, 1:] != ranks[:, :-1]
            found = given.sum(axis=1, keepdims=True)
            further = np.maximum(np.arange(1, t + 1) - found, 0)
            leading = np.cumsum(new, axis=1) + further
            c = np.where(given, ranks, o + further * ((u + 1) / (t - found + 1)))
        ratio = leading / c
        return np.stack(
            [
                c.sum(axis=0),
                leading.sum(axis=0),
                np.einsum("ur,ur->r", c, c),
                np.einsum("ur,ur->r", leading, leading),
                np.einsum("ur,ur->r", c, leading),
                ratio.sum(axis=0),
                np.einsum("ur,ur->r", ratio, ratio),
            ]
        )

    def _placed(self, ranks: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
        o = self.num_ranked
        consulted = np.empty_like(ranks)
        left = np.arange(len(ranks))
        while len(left):
            keys = ranks[left]
            unseen = keys > o
            keys[unseen] = rng.integers(
                o + 1, o + self.num_unranked + 1, np.count_nonzero(unseen), dtype=np.int32
            )
            keys.sort(axis=1)
            consulted[left] = keys
            same = ((keys[:, 1:] == keys[:, :-1]) & (keys[:, 1:] > o)).any(axis=1)
            left = left[same]
        return consulted


def dense_reach(num_ranked: int, num_ideals: int) -> Floats:
    """Return P(l_i -> x), every pair positive, up to .05."""
    return np.random.default_rng(0).random((num_ranked, num_ideals)) * 0.05


def sparse_reach(num_ranked: int, num_ideals: int, per_ideal: int) -> sparse.coo_array:
    """Return P(l_i -> x) with so many positive entries for each ideal, uniform on [0, 1]."""
    rng = np.random.default_rng(0)
    ranks = np.concatenate(
        [rng.choice(num_ranked, per_ideal, replace=False) for _ in range(num_ideals)]
    )
    ideals = np.repeat(np.arange(num_ideals), per_ideal)
    return sparse.coo_array((rng.random(len(ranks)), (ranks, ideals)), (num_ranked, num_ideals))


def joint_law(num_ranked: int, num_ideals: int) -> Floats:
    """Return P(N_i subset of A) for all A, as `exact_joint` takes it."""
    reach = dense_reach(num_ranked, num_ideals)
    within = np.ones((num_ranked, 1))
    for x in range(num_ideals):
        within = np.concatenate((within * (1 - reach[:, x : x + 1]), within), axis=1)
    return within


def exact_by_scipy(reach: Floats, unranked: int) -> tuple[Floats, Floats]:
    """Return E[CL(r)] and E[C(r)] with two laws of scipy.stats.poisson_binom for each rank.

    One is the law of F_i. The other is that of F_{i-1} = F_i = s, the coefficients of
    prod_x (a_x z + b_x), a_x = P(x in S_{i-1}), b_x = P(x not in S_i): prod_x (a_x + b_x) times a
    Poisson-binomial law with a_x / (a_x + b_x).
    """
    o, t = reach.shape
    unseen = np.concatenate((np.ones((1, t)), np.cumprod(1 - reach, axis=0)))
    counts = np.arange(t + 1)
    consulted, leading = np.zeros(t), np.zeros(t)
    law = stats.poisson_binom(1 - unseen[0]).pmf(counts)
    for i in range(1, o + 1):
        consulted += np.cumsum(law)[:-1]
        seen = 1 - unseen[i - 1]
        both = seen + unseen[i]
        stays = both.prod() * stats.poisson_binom(seen / both).pmf(counts)
        leading += np.cumsum(law - stays)[:-1]
        law = stats.poisson_binom(1 - unseen[i]).pmf(counts)
    for r in range(1, t + 1):
        s = np.arange(r)
        leading[r - 1] += (law[:r] * (r - s)).sum()
        consulted[r - 1] += (law[:r] * (r - s) * (unranked + 1) / (t - s + 1)).sum()
    return leading, consulted


def exact_by_numpy(reach: Floats, unranked: int) -> tuple[Floats, Floats]:
    """Return E[CL(r)] and E[C(r)] by whole-array operations, an ideal at a time for all ranks.

    The laws of F_i, and the coefficients of F_{i-1} = F_i = s as in `exact_by_scipy`, are products
    of factors a + b z, one for each ideal: multiplied from the highest coefficient down, in place.
    """
    t = reach.shape[1]
    unseen = np.concatenate((np.ones((1, t)), np.cumprod(1 - reach, axis=0)))

    def products(one: Floats, more: Floats) -> Floats:
        # Coefficients are rows, so that each operation runs over neighbours in memory.
        laws = np.zeros((t + 1, len(one)))
        laws[0] = 1
        for x in range(t):
            raised = laws[: x + 1] * more[:, x]
            laws[: x + 1] *= one[:, x]
            laws[1 : x + 2] += raised
        return laws.T

    laws = products(unseen, 1 - unseen)
    stays = products(unseen[1:], 1 - unseen[:-1])
    consulted = laws[:-1].sum(axis=0).cumsum()[:-1]
    leading = (laws[:-1] - stays).sum(axis=0).cumsum()[:-1]
    s, r = np.arange(t), np.arange(1, t + 1)
    missing = np.maximum(r[:, None] - s, 0) * laws[-1, :-1]
    leading += missing.sum(axis=1)
    consulted += (missing * (unranked + 1) / (t - s + 1)).sum(axis=1)
    return leading, consulted
