"""Expected scores of lists whose elements are ideal with known probabilities, independently.

Elements are ideal with probabilities p_i; M of them are. Measures that divide by M need
expectations of 1/M: 1/M = int_0^1 u^(M-1) du, and E[u^M] = G(u) = prod (1 - p_i + p_i u).
"""

from functools import cached_property
from math import ceil, log

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.mixtures import legendre_nodes
from prum.analytic.precision.seen import poisson_binomial
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import check_each, real_array

# An error of the integral, relative to 1, that rounding hides.
_HIDDEN = 1e-17
# Terms of a law that nothing notices.
NOTHING = 1e-18
# Radii of Bernstein ellipses that are tried.
_RADII = 1 + np.geomspace(0.01, 30, 80)


def log_generating(values: Floats, counts: Ints, u: Floats) -> Floats:
    """Return log G(u) of distinct probabilities and how many elements have each; u > 0."""
    return np.asarray(counts @ np.log1p(np.multiply.outer(values, u - 1)), dtype=np.float64)


def nodes_for(values: Floats, counts: Ints) -> tuple[Floats, Floats]:
    """Return nodes and weights on [0, 1] that integrate E[X u^(M-1)], for any 0 <= X <= M.

    Such an integrand is a polynomial of degree m - 1 with coefficients of at least 0, so that
    ceil(m / 2) nodes of Gauss and Legendre are exact. Fewer do for large m: on the ellipse around
    [0, 1] whose axes sum to rho / 2, its size is at most its value at the far end z, G'(z), and N
    nodes err by at most 64/15 G'(z) rho^(-2 N) / (1 - rho^-2) / 2 (Trefethen 2008, theorem 4.5).
    The least N for which this is below 1e-17 is taken.
    """
    num = int(counts.sum())
    far = 0.5 + (_RADII + 1 / _RADII) / 4
    slope = (counts * values) @ (1 / (1 + np.multiply.outer(values, far - 1)))
    size = log_generating(values, counts, far) + np.log(np.maximum(slope, 1e-300))
    bound = size + log(32 / 15) - np.log1p(-(_RADII**-2.0))
    enough = float(((bound - log(_HIDDEN)) / (2 * np.log(_RADII))).min())
    return legendre_nodes(max(1, min(ceil(num / 2), ceil(enough))))


def others_pmf(probabilities: Floats, values: Floats) -> tuple[int, Floats]:
    """Return the first count s and P(M' = s), P(M' = s + 1), ...: M' counts all elements but one.

    Row d, shape (values, counts), leaves out one whose probability is values[d] > 0. With f the law
    of all, f(k) = (1 - v) f'(k) + v f'(k - 1): solved upwards for v <= 1/2 and downwards for
    others, so that errors shrink. Terms below 1e-18 at either end are left out.
    """
    law = poisson_binomial(probabilities)
    there = np.flatnonzero(law > NOTHING)
    first, last = max(int(there[0]) - 1, 0), int(there[-1])
    law = law[first : last + 1]
    rows = np.zeros((len(values), len(law)))
    low = values <= 0.5
    before = np.zeros(int(low.sum()))
    v = values[low]
    for count, p in enumerate(law.tolist()):
        before = (p - v * before) / (1 - v)
        rows[low, count] = before
    after = np.zeros(int((~low).sum()))
    v = values[~low]
    for count in range(len(law) - 1, 0, -1):
        after = (law[count] - (1 - v) * after) / v
        rows[~low, count - 1] = after
    return first, rows


class UncertainIdeals:
    """The elements of a topic, each ideal with a probability, independently of the others.

    Its methods return expected scores in [0, 1] (`dcg`: in units of a gain) of a list, exact to
    rounding: each is that of `prum.analytic.ranked` or of `utility` with binary gains, averaged
    over all sets of ideals, 0 for the empty set. An expected score is not the score of
    probabilities put in as grades. A list has the row numbers of its elements, best first, and -1
    for what cannot be ideal, as an element that stands in it a second time; it is cut at
    `rank`, if one is given.

    Parameters
    ----------
    probabilities
        p_i, that element i is ideal, shape (m,); elements outside a list are among them.
    is_judged
        Which elements were judged, for `bpref`, shape (m,); by default all.

    Raises InputError for a probability outside [0, 1], or shapes that differ.

    >>> topic = UncertainIdeals([0.9, 0.5, 0.2])
    >>> round(topic.precision([0, 1], rank=2), 4), round(topic.average_precision([0, 1]), 4)
    (0.7, 0.8475)
    """

    def __init__(self, probabilities: ArrayLike, is_judged: ArrayLike | None = None) -> None:
        remedy = "give one probability for each element"
        given = real_array("probabilities", probabilities, remedy=remedy, shape=("m",))
        rule, remedy = "lie in [0, 1]", "write it like 0.25"
        inside = (given >= 0) & (given <= 1)
        check_each("probability", given, inside, rule, remedy=remedy, place="element {}")
        judged = np.ones(len(given), dtype=np.bool_)
        if is_judged is not None:
            judged = np.asarray(is_judged, dtype=np.bool_)
        if judged.shape != given.shape:
            rule = f"be {given.shape}"
            raise InputError("shape of is_judged", judged.shape, rule, remedy="flag each element")
        self.probabilities: Floats = given
        self.is_judged: Flags = judged
        positive = given > 0
        # Elements that cannot be ideal have no row; of the others, one row for each probability.
        self._values: Floats = np.unique(given[positive])
        self._row = np.searchsorted(self._values, given)
        self._row[~positive] = -1
        self._counts: Ints = np.bincount(self._row[positive], minlength=len(self._values))
        self._bpref_table: Floats = np.zeros((0, 0))

    def precision(self, listed: ArrayLike, rank: int) -> float:
        """Return E[P@k]: sum of p over the first k ranks, over k."""
        return float(self._along(listed, rank).sum()) / rank

    def recall(self, listed: ArrayLike, rank: int | None = None) -> float:
        """Return E[R@k] = sum_i p_i int_0^1 G(u) / (1 - p_i + p_i u) du over the first k ranks."""
        ranks, rows = self._ranked(listed, rank)
        return float(self._shares[rows].sum()) if len(ranks) else 0.0

    def success(self, listed: ArrayLike, rank: int) -> float:
        """Return P(an ideal on the first k ranks) = 1 - prod (1 - p_i)."""
        return float(1 - np.prod(1 - self._along(listed, rank)))

    def reciprocal_rank(self, listed: ArrayLike, rank: int | None = None) -> float:
        """Return E[RR] = sum_i p_i / i prod_(k < i) (1 - p_k)."""
        return self.err(listed, rank, stop=1.0)

    def err(self, listed: ArrayLike, rank: int | None = None, *, stop: float) -> float:
        """Return E[ERR] = sum_i s p_i / i prod_(k < i) (1 - s p_k), s the chance that an ideal
        satisfies the user (Chapelle et al. 2009, with expectations of its recursion).
        """
        satisfied = stop * self._along(listed, rank)
        reached = np.concatenate([[1.0], np.cumprod(1 - satisfied)[:-1]])
        return float(
            (satisfied * reached[: len(satisfied)]) @ (1 / np.arange(1, len(satisfied) + 1))
        )

    def rbp(self, listed: ArrayLike, rank: int | None = None, *, p: float) -> float:
        """Return E[RBP] = (1 - p) sum_i p_i p^(i-1), p the persistence."""
        along = self._along(listed, rank)
        return float((1 - p) * (along @ p ** np.arange(len(along))))

    def dcg(self, listed: ArrayLike, rank: int | None = None) -> float:
        """Return E[DCG] = sum_i p_i / log2(i + 1)."""
        along = self._along(listed, rank)
        return float(along @ _discounts(len(along)))

    def ndcg(self, listed: ArrayLike, rank: int | None = None) -> float:
        """Return E[nDCG@k] of gains 0 and 1.

        sum_i p_i d_i E[1 / IDCG(min(M_i + 1, k))], d_i = 1 / log2(i + 1), M_i the number of the
        others that are ideal: a Poisson-binomial law that leaves i out.
        """
        ranks, rows = self._ranked(listed, rank)
        if not len(ranks):
            return 0.0
        if rank not in self._ideal_gains:
            first, pmf = self._others
            most = first + pmf.shape[1] + 1
            best = np.cumsum(_discounts(most))
            if rank is not None:
                best[rank:] = best[min(rank, most) - 1]
            self._ideal_gains[rank] = pmf @ (1 / best[first : first + pmf.shape[1]])
        worth = self._values * self._ideal_gains[rank]
        return float(worth[rows] @ _discounts(int(ranks[-1]))[ranks - 1])

    def r_precision(self, listed: ArrayLike) -> float:
        """Return E[precision at rank M] = sum_i p_i sum_(m >= i) P(M_i = m - 1) / m."""
        ranks, rows = self._ranked(listed, None)
        first, _ = self._others
        inside = ranks <= first + self._tails.shape[1]
        tail = np.maximum(ranks[inside] - 1 - first, 0)
        return float((self._values[rows[inside]] * self._tails[rows[inside], tail]).sum())

    def average_precision(self, listed: ArrayLike, rank: int | None = None) -> float:
        """Return E[AP] = int_0^1 G(u) sum_i a_i(u) / i (1 + u sum_(k < i) a_k(u)) du.

        a_i(u) = p_i / (1 - p_i + p_i u). AP is 1/M sum_i x_i / i sum_(k <= i) x_k with x_i whether
        rank i is ideal; 1/M is int u^(M-1) du, and E[x_i x_k u^M] = G(u) u^2 a_i a_k for i != k.
        """
        ranks, rows = self._ranked(listed, rank)
        if not len(ranks):
            return 0.0
        shares, nodes, weights = self._integral
        a = shares[rows]
        above = np.cumsum(a, axis=0)
        above -= a
        above *= nodes
        above += 1
        return float((1 / ranks) @ np.einsum("ij,ij->i", a, above * weights))

    def bpref(self, listed: ArrayLike) -> float:
        """Return E[bpref], as trec_eval 10; M ideals among J judged ones, the rest judged none.

        sum_i p_i E[(1 - min(c - A, M) / min(J - M, M)) / M], M = 1 + A + B: A of the c judged
        elements above i are ideal, B of all other judged ones, both Poisson-binomial.
        """
        every = np.asarray(listed, dtype=np.int64)
        every = every[every >= 0]
        every = every[self.is_judged[every]]
        outside = self.is_judged.copy()
        outside[every] = False
        p = self.probabilities[every]
        law = poisson_binomial(self.probabilities[outside])
        there = np.flatnonzero(law > NOTHING)
        behind: list[_Law] = [(int(there[0]), law[there[0] : there[-1] + 1])]
        for value in p[:0:-1].tolist():
            behind.append(_with(*behind[-1], value))
        total, above = 0.0, (0, np.ones(1))
        for number, (value, others) in enumerate(
            zip(p.tolist(), reversed(behind[: len(p)]), strict=True)
        ):
            if value > 0:
                total += value * float(
                    above[1] @ self._preferred(number, above, others) @ others[1]
                )
            above = _with(*above, value)
        return total

    def _preferred(self, number: int, above: "_Law", others: "_Law") -> Floats:
        """Return (1 - min(n, M) / min(J - M, M)) / M, n the `number` of judged elements above less
        those of them that are ideal, by how many above, and others, are ideal.

        It depends on n and M alone: a table of these, read along its diagonals.
        """
        judged = int(self.is_judged.sum())
        if len(self._bpref_table) <= number:
            size = min(judged, 2 * number + 64)
            ideals = np.maximum(np.arange(judged + 1), 1)
            none = np.arange(size, -1, -1)[:, None]
            least = np.maximum(np.minimum(judged - ideals, ideals), 1)
            self._bpref_table = (1 - np.minimum(none, ideals) / least) / ideals
        table = self._bpref_table
        (a, of), (b, by) = above, others
        first = (len(table) - 1 - number + a) * table.shape[1] + 1 + a + b
        step = table.strides[1]
        return np.lib.stride_tricks.as_strided(
            table.ravel()[first:], (len(of), len(by)), (table.strides[0] + step, step)
        )

    def _along(self, listed: ArrayLike, rank: int | None) -> Floats:
        """Return the probability of each rank, 0 where nothing can be ideal."""
        rows = np.asarray(listed, dtype=np.int64)[:rank]
        return np.where(rows >= 0, self.probabilities[rows], 0.0) if len(rows) else np.zeros(0)

    def _ranked(self, listed: ArrayLike, rank: int | None) -> tuple[Ints, Ints]:
        """Return the ranks, from 1, of what can be ideal, and the row of its probability."""
        rows = np.asarray(listed, dtype=np.int64)[:rank]
        if not len(rows) or not len(self._values):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        rows = np.where(rows >= 0, self._row[rows], -1)
        places = np.flatnonzero(rows >= 0)
        return places + 1, rows[places]

    @cached_property
    def _integral(self) -> tuple[Floats, Floats, Floats]:
        """a of each probability at each node, the nodes u, and the weights times G(u)."""
        nodes, weights = nodes_for(self._values, self._counts)
        shares = self._values[:, None] / (1 + np.multiply.outer(self._values, nodes - 1))
        return shares, nodes, weights * np.exp(log_generating(self._values, self._counts, nodes))

    @cached_property
    def _shares(self) -> Floats:
        """E[x_i / M] for each probability."""
        shares, _, weights = self._integral
        return shares @ weights

    @cached_property
    def _others(self) -> tuple[int, Floats]:
        positive = self.probabilities[self.probabilities > 0]
        return others_pmf(positive, self._values)

    @cached_property
    def _tails(self) -> Floats:
        """E[1 / M, M > s] given that one with each probability is ideal, for s = first, ..."""
        first, pmf = self._others
        parts = pmf / np.arange(first + 1, first + 1 + pmf.shape[1])
        return np.ascontiguousarray(np.cumsum(parts[:, ::-1], axis=1)[:, ::-1])

    @cached_property
    def _ideal_gains(self) -> dict[int | None, Floats]:
        return {}


def _discounts(num: int) -> Floats:
    return 1 / np.log2(np.arange(2, num + 2))


# The first count of a law that something notices, and the probabilities from there on.
_Law = tuple[int, Floats]


def _with(first: int, law: Floats, p: float) -> _Law:
    """Return the law of a count and one more that is ideal with probability p."""
    longer = np.empty(len(law) + 1)
    longer[-1] = 0
    np.multiply(law, 1 - p, out=longer[:-1])
    longer[1:] += p * law
    low, high = int(longer[0] <= NOTHING), int(longer[-1] <= NOTHING)
    return first + low, longer[low : len(longer) - high]
