"""Sampler of users whose visits from one entry point depend on each other."""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from prum.simulator.model import Task
from prum.simulator.model.arrays import Counts, Floats, Ints
from prum.simulator.model.navigation import Copula, Coupled
from prum.simulator.sampling.streams import CONTEXTS, users_key
from prum.simulator.sampling.ways.independent import FirstSeen
from prum.simulator.sampling.ways.samplers import KernelBlock, KernelSampler, Sampler

# Beyond this |z| all probabilities round to 0.
FAR = 8.5
# Below this probability of getting so far, the count of contexts begins anew.
_SMALL = 2.0**-500
# Tables hold the subsets of at most so many ideals, and at most so many in all contexts together.
_MOST_IDEALS = 10
_MOST_SUBSETS = 1 << 21
_MOST_NODES = 1024
_MOST_CELLS, _LEAST_CELLS, _CELL_ENTRIES = 64, 8, 1 << 22
# Guide entries per outcome, about: a look-up is seldom more than one too early.
_BUCKETS = 4
_MOST_BUCKETS = 1 << 19
_ONE = 1023 << 52


class _Law(NamedTuple):
    """The outcomes of each context, what can be seen in it, without the outcome "nothing"."""

    counts: Ints  # outcomes of each context
    shares: Floats  # P(this or an earlier outcome of the context)
    seen: Ints  # the list of places seen; ~k: what is seen in cell k
    lists: Ints  # where a list begins and ends in `places`, shape (lists, 2); the last is empty
    places: Ints  # places among a context's ideals


class ContextSampler(KernelSampler):
    """Coupled navigation: from one context in which the user sees something to the next.

    A context is an entry point with the ideals it may lead to, or a ranked ideal with itself. It
    has few outcomes: one of the ideals (exclusive), the most probable ideals up to some number
    (comonotone), one of the subsets (copula). The probabilities of subsets are integrals over the
    common factor. Where there are too many, an outcome is a cell of the factor, and visits are
    tossed conditional on the cell.
    """

    purposes = (CONTEXTS,)

    def __init__(self, task: Task, navigation: Coupled) -> None:
        self.task, self.navigation = task, navigation
        self.key = users_key(task)
        coupling = navigation.coupling
        self.rho = coupling.rho if isinstance(coupling, Copula) else 0.0
        copula = self.rho not in (0, 1)
        ranks, ideals, margins = navigation.reach(task)
        ideal_of = {ideal: x for x, ideal in enumerate(task.ideals)}
        element = np.array([ideal_of.get(name, -1) for name in task.ranking], dtype=np.int64)
        groups = 2 * ranks + (element[ranks] != ideals)
        # Laid out by ideal, or from the most probable on.
        by = -margins if not copula and coupling != "exclusive" else ideals
        order = np.lexsort((by, groups))
        self.ideals, margins = ideals[order].astype(np.int32), margins[order]
        listed, begins = np.unique(groups[order], return_index=True)
        self.ranks = (listed // 2 + 1).astype(np.int32)
        starts = np.append(begins, len(ideals)).astype(np.int64)
        self.starts = starts.astype(np.int32)
        self.normals, self.edges = np.empty(0), np.empty(0)
        self.highs, self.hazards = np.empty(0), np.empty(0)
        if coupling == "exclusive":
            law = _exclusive(margins, starts)
        elif not copula:
            law = _comonotone(margins, starts)
        elif _tabled(starts, self.rho):
            law = _subsets(margins, starts, self.rho)
        else:
            law = self._cells(margins)
        self.lists = law.lists.astype(np.int32)
        self.places = law.places.astype(np.int32)
        self._chain(law)

    def _chain(self, law: _Law) -> None:
        """Lay the contexts' outcomes end to end, each context's last being that nothing is seen.

        `levels[c]` is the probability of getting past the context before c, and `segments[c]` the
        outcomes from c to the end of the count to which this probability belongs.
        """
        ends = np.cumsum(law.counts)
        nothing = 1 - law.shares[ends - 1]
        level, levels = 1.0, [1.0]
        barriers: list[bool] = []
        for empty in nothing.tolist():
            level *= empty
            barriers.append(level < _SMALL)
            level = 1.0 if barriers[-1] else level
            levels.append(level)
        self.levels = np.array(levels)
        of_context = np.repeat(np.arange(len(law.counts)), law.counts)
        below = self.levels[of_context] * (1 - law.shares)
        last = np.where(barriers, 0.0, self.levels[1:])
        # After a context's own outcomes, and at the end of the list after all.
        self.below = np.append(np.insert(below, ends, last), 0.0)
        self.seen = np.append(np.insert(law.seen, ends, len(law.lists) - 1), 0)
        counts = np.append(law.counts + 1, 1)
        self.arrivals = np.repeat(np.append(np.arange(len(law.counts)), -1), counts)
        self.outcomes = np.stack(
            (self.below.view(np.int64), self.arrivals << 32 | self.seen & 0xFFFFFFFF), axis=1
        )
        behind, stops = np.cumsum(counts), np.flatnonzero([*barriers, True])
        end = behind[stops[np.searchsorted(stops, np.arange(len(counts)))]]
        self.segments = np.stack((behind - counts, end), axis=1)
        self.guide, self.buckets, self.shift = _guide(self.below, self.segments)

    def _cells(self, margins: Floats) -> _Law:
        """Return the law of the cell of the common factor, together with a visit.

        The probabilities are those at the cell's lower edge, so the law is too large: in some
        outcomes nothing is seen.
        """
        from scipy.special import ndtr, ndtri  # slow to load

        num = min(max(_CELL_ENTRIES // len(margins), _LEAST_CELLS), _MOST_CELLS)
        self.edges = np.linspace(-FAR, FAR, num + 1)
        self.normals = ndtri(margins)
        lower, upper = np.diff(ndtr(self.edges)), -np.diff(ndtr(-self.edges))
        masses = np.where(self.edges[:-1] < 0, lower, upper)
        self.highs = np.empty(len(margins) * (num + 1))
        self.hazards = np.empty_like(self.highs)
        shares = []
        for begin, end in pairwise(self.starts.tolist()):
            rows = slice(begin * (num + 1), end * (num + 1))
            highs = _visited(self.normals[begin:end], self.edges, self.rho)
            # Nobody passes a visit that is almost certain, up to e^-50 or so.
            hazards = np.cumsum(np.minimum(-np.log1p(-np.minimum(highs, 1 - 2**-53)), 50), axis=1)
            self.highs[rows], self.hazards[rows] = highs.ravel(), hazards.ravel()
            shares.append(np.cumsum(masses * -np.expm1(-hazards[:-1, -1])))
        count = len(self.ranks)
        return _Law(
            np.full(count, num),
            np.minimum(np.concatenate(shares), 1),
            np.tile(~np.arange(num), count),
            np.zeros((1, 2), dtype=np.int64),
            np.zeros(0, dtype=np.int64),
        )

    def draw(self, block: KernelBlock) -> None:
        """Draw the next users of a block."""
        from prum.simulator.sampling.kernels import contexts

        contexts(self, block)


def _exclusive(margins: Floats, starts: Ints) -> _Law:
    """Return the law of the stretches in which a point on the circle lies."""
    largest = int(np.diff(starts).max(initial=0))
    lists = [(k, k + 1) for k in range(largest)]
    places = list(range(largest))
    shares, seen = [], []
    for begin, end in pairwise(starts.tolist()):
        levels = np.cumsum(margins[begin:end])
        if levels[-1] <= 1 + 1e-12:
            shares.append(np.minimum(levels, 1))
            seen.append(np.arange(end - begin))
            continue
        # Between two neighbouring ends of stretches, in any turn, the same stretches are hit.
        cuts = np.unique(np.append(levels % 1, 1))
        shares.append(cuts)
        seen.append(len(lists) + np.arange(len(cuts)))
        for point in (cuts + np.append(0, cuts[:-1])) / 2:
            hit = np.searchsorted(levels, np.arange(point, levels[-1]), side="right").tolist()
            lists.append((len(places), len(places) + len(hit)))
            places += hit
    return _law(shares, seen, lists, places)


def _comonotone(margins: Floats, starts: Ints) -> _Law:
    """Return the law of how many of the most probable ideals are seen."""
    largest = int(np.diff(starts).max(initial=0))
    columns = [slice(begin, end) for begin, end in pairwise(starts.tolist())]
    return _law(
        [margins[column][::-1] for column in columns],
        [np.arange(column.stop - column.start)[::-1] for column in columns],
        [(0, count + 1) for count in range(largest)],
        list(range(largest)),
    )


def _law(
    shares: list[Floats], seen: list[Ints], lists: list[tuple[int, int]], places: list[int]
) -> _Law:
    return _Law(
        np.array([len(column) for column in shares], dtype=np.int64),
        np.concatenate([*shares, np.empty(0)]),
        np.concatenate([*seen, np.empty(0, dtype=np.int64)]),
        np.array([*lists, (0, 0)], dtype=np.int64),
        np.array(places, dtype=np.int64),
    )


def _tabled(starts: Ints, rho: float) -> bool:
    """Return whether the subsets' probabilities are worth computing."""
    sizes = np.diff(starts)
    largest = sizes.max(initial=0)
    return bool(
        largest <= _MOST_IDEALS
        and (2.0**sizes).sum() <= _MOST_SUBSETS
        and num_nodes(int(largest), rho) <= _MOST_NODES
    )


def num_nodes(num_ideals: int, rho: float) -> int:
    """Return at how many equally spaced values of the common factor integrals are to be taken.

    The trapezoidal rule errs by exp(-2 pi y / h) times the integrand's growth y off the real line:
    at most exp(y^2 / 2) for the normal density, and exp(y^2 rho / (2 (1 - rho))) for a visit. The
    best y makes that exp(-(2 pi / h)^2 / (2 growth)); it is to be e^-38, less than 2^-53.
    """
    growth = 1 + num_ideals * rho / (1 - rho)
    return 1 + math.ceil(2 * FAR * math.sqrt(76 * growth) / (2 * math.pi))


def _visited(normals: Floats, z: Floats, rho: float) -> Floats:
    """Return P(visit given the common factor) by factor and ideal."""
    from scipy.special import ndtr

    visited: Floats = ndtr((normals - math.sqrt(rho) * z[:, None]) / math.sqrt(1 - rho))
    return visited


def _subsets(margins: Floats, starts: Ints, rho: float) -> _Law:
    """Return the law of the subsets of a context's ideals, small ones first."""
    from scipy.special import ndtri

    sizes = np.diff(starts)
    largest = int(sizes.max(initial=0))
    z = np.linspace(-FAR, FAR, num_nodes(largest, rho))
    weights = np.exp(-z * z / 2)
    weights /= weights.sum()
    members = [[x for x in range(largest) if mask >> x & 1] for mask in range(1, 1 << largest)]
    ends = np.cumsum([len(subset) for subset in members], dtype=np.int64).tolist()
    order = np.array(sorted(range(len(members)), key=lambda k: len(members[k])), dtype=np.int64)
    shares, seen = [], []
    for begin, end in pairwise(starts.tolist()):
        visited = _visited(ndtri(margins[begin:end]), z, rho)
        half = (end - begin) // 2
        low, high = _products(visited[:, :half]), _products(visited[:, half:])
        law = ((high * weights) @ low.T).ravel()
        parts = order[order < len(law) - 1]
        shares.append(np.minimum(np.cumsum(law[parts + 1]), 1))
        seen.append(parts)
    return _law(
        shares,
        seen,
        list(zip([0, *ends[:-1]], ends, strict=True)) if ends else [],
        [x for subset in members for x in subset],
    )


def _products(visited: Floats) -> Floats:
    """Return P(exactly this subset is visited) by subset, as the bits of its number, and factor."""
    products = np.ones((1, len(visited)))
    for column in visited.T:
        products = np.concatenate((products * (1 - column), products * column))
    return products


def _guide(below: Floats, segments: Ints) -> tuple[Counts, Ints, int]:
    """Return the first outcome that each stretch of probabilities may mean.

    A stretch is the upper bits of a floating-point number's distance from 1, so stretches of small
    probabilities are small. Also returned: each context's first stretch and how many follow it,
    and how many bits are not upper ones.
    """
    ends, first, which = np.unique(segments[:, 1], return_index=True, return_inverse=True)
    begins = segments[first, 0]
    columns = [below[begin:end] for begin, end in zip(begins, ends, strict=True)]
    least = np.array([column[column > 0].min(initial=1.0) for column in columns])
    spans = _ONE - least.view(np.int64)
    num_buckets = min(_BUCKETS * len(below), _MOST_BUCKETS)
    shift = min(max(int(spans.sum(dtype=np.float64) / num_buckets), 1).bit_length(), 52)
    counts = (spans >> shift) + 2
    starts = np.cumsum(counts) - counts
    guide = []
    for begin, column, count in zip(begins, columns, counts.tolist(), strict=True):
        largest = (_ONE - (np.arange(count, dtype=np.int64) << shift)).view(np.float64)
        guide.append(begin + np.searchsorted(-column, -largest, side="right"))
    buckets = np.stack((starts[which], counts[which] - 1), axis=1)
    return np.concatenate(guide).astype(np.int32), buckets, shift


def sampler(task: Task, navigation: Coupled) -> Sampler:
    """Return the sampler of a task."""
    tossed = navigation.tossed
    return ContextSampler(task, navigation) if tossed is None else FirstSeen(task, tossed)
