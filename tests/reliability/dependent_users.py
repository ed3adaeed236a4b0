"""Users whose visits depend on each other, enumerated: what precision truly is for them.

A user is in one of h states. Between two ranks the state stays with probability `stays`, or is
drawn anew. In a state, consulting an element shows a set of ideals by a law of its own. So visits
from one element depend on each other by that law, those from different elements by the state; and
P(x -> y) is the same at every rank. Nothing here uses `prum.analytic` or `prum.simulator`: the
truth is summed over all states and sets of ideals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Users:
    """Users of one topic.

    Parameters
    ----------
    shares
        P(state), shape (h,).
    stays
        P(a user keeps the state between two ranks).
    sees
        Element -> P(set of ideals seen from it, given the state), shape (h, 2^t); bit x of a set is
        ideal x. An ideal sees itself; other elements that are left out see nothing.
    """

    shares: Floats
    stays: float
    sees: Mapping[str, Floats]

    @property
    def num_sets(self) -> int:
        """2^t."""
        return next(iter(self.sees.values())).shape[1]

    def reach(self, element: str) -> Floats:
        """Return P(element -> x) of each ideal x, in the mean over users; shape (t,)."""
        law = self.shares @ self.sees[element]
        sets = np.arange(self.num_sets)
        t = self.num_sets.bit_length() - 1
        return np.array([law[(sets >> x) & 1 == 1].sum() for x in range(t)])

    def independent(self) -> "Users":
        """Return users with the same P(x -> y) and independent visits."""
        sees = {element: tossed(self.reach(element)[np.newaxis]) for element in self.sees}
        return Users(np.ones(1), 1.0, sees)

    def precision(self, ranking: Sequence[str], unranked: int) -> Floats:
        """Return E[CL(r)] / E[C(r)], r = 1 .. t, of a list and so many elements behind it."""
        leading, consulted = self.counts(ranking, unranked)
        return np.asarray(leading / consulted)

    def counts(self, ranking: Sequence[str], unranked: int) -> tuple[Floats, Floats]:
        """Return E[CL(r)] and E[C(r)], r = 1 .. t.

        P(state, set S seen so far) is carried from rank to rank. Behind the list, unseen ideals
        stand anywhere: k more of m unseen ones take k (u + 1) / (m + 1) elements, and each leads.
        """
        num = self.num_sets
        sizes, is_new, order, starts = _unions(num)
        t = num.bit_length() - 1
        wanted = np.arange(1, t + 1)
        open_ = (sizes[np.newaxis] < wanted[:, np.newaxis]).astype(np.float64)  # (t, 2^t)
        leading, consulted = np.zeros((2, t))
        at = np.zeros((len(self.shares), num))
        at[:, 0] = self.shares
        for element in ranking:
            at = self.stays * at + (1 - self.stays) * self.shares[:, None] * at.sum(axis=0)
            consulted += open_ @ at.sum(axis=0)
            if element not in self.sees:
                continue
            law = self.sees[element]
            leading += open_ @ ((at.T @ law) * is_new).sum(axis=1)
            both = (at[:, :, None] * law[:, None, :]).reshape(len(at), -1)
            at = np.add.reduceat(both[:, order], starts, axis=1)
        end = at.sum(axis=0)
        more = np.maximum(wanted[:, np.newaxis] - sizes[np.newaxis], 0)
        leading += more @ end
        consulted += (more * (unranked + 1) / (t - sizes + 1)) @ end
        return leading, consulted

    def drawn(
        self, ranking: Sequence[str], unranked: int, *, num_users: int, seed: int
    ) -> tuple[Floats, Floats]:
        """Return CL(r) and C(r) of users who are followed one by one, shape (users, t) each."""
        rng = np.random.default_rng(seed)
        t = self.num_sets.bit_length() - 1
        leading, consulted = np.zeros((2, num_users, t))
        for user in range(num_users):
            state, seen = rng.choice(len(self.shares), p=self.shares), 0
            led, all_ = list[int](), list[int]()
            for element in ranking:
                if rng.random() >= self.stays:
                    state = rng.choice(len(self.shares), p=self.shares)
                law = self.sees.get(element)
                new = 0 if law is None else int(rng.choice(self.num_sets, p=law[state])) & ~seen
                seen |= new
                led.append(int(new > 0))
                all_.append(seen.bit_count())
            # Behind the list nobody browses, and ideals that were seen lead to nothing new.
            left = [x for x in range(t) if not seen >> x & 1]
            for element in rng.permutation([*left, *[-1] * (unranked - len(left))]):
                new = 0 if element < 0 else 1 << int(element)
                seen |= new
                led.append(int(new > 0))
                all_.append(seen.bit_count())
            for r in range(1, t + 1):
                depth = next(place for place, count in enumerate(all_, 1) if count >= r)
                consulted[user, r - 1], leading[user, r - 1] = depth, sum(led[:depth])
        return leading, consulted


@cache
def _unions(num: int) -> tuple[Ints, Floats, Ints, Ints]:
    """Return sizes of sets, whether set N has more than S, and how pairs (S, N) sort by union."""
    sets = np.arange(num)
    sizes = np.array([one.bit_count() for one in range(num)])
    union = (sets[:, None] | sets[None, :]).ravel()
    is_new = (sets[None, :] & ~sets[:, None] != 0).astype(np.float64)
    order = np.argsort(union, kind="stable")
    return sizes, is_new, order, np.searchsorted(union[order], sets)


def tossed(probabilities: Floats) -> Floats:
    """Return the law of the set seen where visits are independent in each state.

    >>> tossed(np.array([[0.5, 0.2]])).round(3).tolist()
    [[0.4, 0.4, 0.1, 0.1]]
    """
    law = np.ones((len(probabilities), 1))
    for column in probabilities.T:
        law = np.hstack([law * (1 - column[:, None]), law * column[:, None]])
    return law
