"""Tied elements: the mean over the orders in which users meet them.

Given the order, everything is as without ties. What happens at a place of a group depends on which
elements of it stand above and which stands there. Let m of the g elements of a group show anything.
A given j of these m are what stands of them among the first k with probability
C(g - m, k - j) / C(g, k), and the next is each of the other g - k with the same probability. So no
order is gone through: the law is computed once for each set of the m, however many the others are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from prum.analytic.precision.blocks import NewLaw, finds_more
from prum.analytic.precision.joint import moebius, set_sizes
from prum.analytic.precision.laws.law import contexts_of
from prum.analytic.precision.questions import LawQuestion
from prum.analytic.precision.seen import count_law
from prum.simulator.model import InputError, Task, Tied
from prum.simulator.model.arrays import Floats, Ints

if TYPE_CHECKING:
    from scipy import sparse

T = TypeVar("T")

# Of a group, the elements that show anything: 2^12 sets of them, some seconds.
MOST_TIED = 12
_MOST_JOINT_IDEALS, _MOST_JOINT_CELLS = 16, 1 << 26


@dataclass(frozen=True, slots=True, eq=False)
class _Along:
    """A law along a list: what `start` says, what it is `after` a rank, and what comes of it.

    `count_law` is P(F = s); from that, too, `leading` is P(F = s, the rank shows something new).
    """

    start: Floats
    after: Callable[[Floats, int], Floats]
    count_law: Callable[[Floats], Floats]
    leading: Callable[[Floats, Floats, int], Floats]


class TiedLaw:
    """The law of users who meet tied elements in random order."""

    def __init__(self, task: Task, tied: Tied) -> None:
        self.task, self.tied = task, tied
        self.groups = tied.groups(task)
        self.contexts = contexts_of(task, tied.navigation)

    def reach(self) -> "sparse.csr_array":
        """Return the mean over orders of P(l_i -> x); it says less than PRUM takes."""
        from scipy import sparse

        sizes = np.bincount(self.groups)
        rows = np.repeat(np.arange(len(sizes)), sizes)
        shares = 1 / sizes[rows] if len(rows) else np.empty(0)
        columns = np.arange(len(rows))
        shape = (len(sizes), len(rows))
        means = sparse.csr_array((shares, (rows, columns)), shape=shape) @ self.contexts.reach
        return sparse.csr_array(means[self.groups])

    def factors(self) -> Floats:
        """Return ones: no dial is turned."""
        return np.ones(self.task.num_ranked)

    def answer(self, question: LawQuestion[T]) -> T | None:
        """Return the answer, if no group has more than 12 elements that show an ideal."""
        if self._largest() > MOST_TIED:
            return None
        if self.contexts.coupling == "independent" and not self.tied.navigation.is_walk:
            along = self._tossed("exact")
        else:
            t = self.task.num_ideals
            steps = self.task.num_ranked + (1 << self._largest()) * self._largest()
            if t > _MOST_JOINT_IDEALS or steps << t > _MOST_JOINT_CELLS:
                return None
            along = self._joint()
        return question.counted(*self._over_orders(along), self.task.num_unranked, "exact tied")

    def of_reach(self, question: LawQuestion[T], of: NewLaw) -> T:
        """Return the answer from P(x -> y) alone: of PRUM, or if visits were independent.

        Raise InputError if a group has more than 12 elements that show an ideal.
        """
        self.check_orders()
        counts, leading = self._over_orders(self._tossed(of))
        method = "PRUM tied" if of == "prum" else "exact tied"
        return question.counted(counts, leading, self.task.num_unranked, method)

    def check_orders(self) -> None:
        """Raise InputError if a group has more than 12 elements that show an ideal."""
        if (largest := self._largest()) > MOST_TIED:
            rule = f"be at most {MOST_TIED} in a group"
            remedy = "break these ties"
            raise InputError(
                "number of tied elements that show an ideal", largest, rule, remedy=remedy
            )

    def _showing(self) -> Ints:
        """Return the ranks that show anything."""
        return np.flatnonzero(np.diff(self.contexts.reach.indptr))

    def _largest(self) -> int:
        """Return how many of a group show anything, at most; alone an element has no order."""
        sizes = np.bincount(self.groups)
        showing = np.bincount(self.groups[self._showing()], minlength=len(sizes))
        return int(showing.max(initial=0, where=sizes > 1))

    def _tossed(self, of: NewLaw) -> _Along:
        """Return the law where ideals are seen independently; a state is seen, unseen by ideal."""
        reach, t = self.contexts.reach, self.task.num_ideals

        def row(rank: int) -> tuple[Ints, Floats]:
            visits = slice(*reach.indptr[rank : rank + 2])
            return reach.indices[visits].astype(np.int64), reach.data[visits]

        def after(state: Floats, rank: int) -> Floats:
            ideals, p = row(rank)
            out = state.copy()
            out[0, ideals] += state[1, ideals] * p
            out[1, ideals] *= 1 - p
            return out

        def counts(state: Floats) -> Floats:
            return count_law(*np.minimum(state, 1))

        def leading(state: Floats, law: Floats, rank: int) -> Floats:
            ideals, p = row(rank)
            unseen = state[1, ideals]
            more = finds_more(np.minimum(state, 1), law, ideals, unseen * p, unseen * (1 - p), of)
            return law * np.nan_to_num(more)

        return _Along(np.repeat([[0.0], [1.0]], t, axis=1), after, counts, leading)

    def _joint(self) -> _Along:
        """Return the law of sets; a state is P(S subset of A)."""
        t = self.task.num_ideals
        within = self.contexts.within(np.ones(self.task.num_ranked))
        size = set_sizes(t)

        def by_size(weights: Floats) -> Floats:
            return np.bincount(size, weights=weights, minlength=t + 1).astype(np.float64)

        def leading(state: Floats, law: Floats, rank: int) -> Floats:
            return np.maximum(law - by_size(moebius(state, t) * within[rank]), 0)

        return _Along(
            np.ones(1 << t),
            lambda state, rank: state * within[rank],
            lambda state: by_size(moebius(state, t)),
            leading,
        )

    def _over_orders(self, along: _Along) -> tuple[Floats, Floats]:
        """Return P(F_i = s), i = 0 .. o, and P(F_{i-1} = s, F_i > s), i = 1 .. o, over orders."""
        o, t = self.task.num_ranked, self.task.num_ideals
        counts, leading = np.zeros((o + 1, t + 1)), np.zeros((o, t + 1))
        showing, state = self._showing(), along.start
        edges = np.flatnonzero(np.diff(self.groups, prepend=-1, append=-1))
        for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            rows = showing[(showing >= begin) & (showing < end)].tolist()
            counted, new, state = _of_sets(along, state, rows)
            chances = _of_places(end - begin, len(rows))
            counts[begin:end] = chances @ counted
            left = end - begin - np.arange(end - begin)
            leading[begin:end] = chances @ new / left[:, np.newaxis]
        counts[-1] = along.count_law(state)
        return np.minimum(counts, 1), leading


def _of_sets(along: _Along, state: Floats, ranks: list[int]) -> tuple[Floats, Floats, Floats]:
    """Return sums over sets of j = 0 .. m of some ranks, of P(F = s) and of P(F = s, new next).

    Shape (m + 1, t + 1), the latter a sum over all ranks that may come next; and the law after all.
    """
    m = len(ranks)
    states = [state]
    for taken in range(1, 1 << m):
        last = taken.bit_length() - 1
        states.append(along.after(states[taken ^ 1 << last], ranks[last]))
    width = len(along.count_law(state))
    counts, new = np.zeros((2, m + 1, width))
    for taken, above in enumerate(states):
        law = along.count_law(above)
        counts[taken.bit_count()] += law
        for k, rank in enumerate(ranks):
            if not taken >> k & 1:
                new[taken.bit_count()] += along.leading(above, law, rank)
    return counts, new, states[-1]


def _of_places(g: int, m: int) -> Floats:
    """Return P(a given j of m elements are those of them among the first k of g), (g, m + 1).

    >>> _of_places(2, 1).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    from scipy.stats import hypergeom

    sets = np.array([comb(m, j) for j in range(m + 1)])
    k = np.arange(g)[:, np.newaxis]
    chances: Floats = hypergeom.pmf(np.arange(m + 1), g, m, k) / sets
    return chances


law = TiedLaw
