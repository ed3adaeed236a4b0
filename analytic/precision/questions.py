"""What is asked of a law: the value, or how many elements users consult.

Users who are alike see ideals independently, all ideals alike, or in sets of ideals with a joint
law. A question has an answer for each of these, and for users who differ the mixture of answers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Generic, TypeVar

import numpy as np

from prum.analytic.precision.independent import from_changes
from prum.analytic.precision.joint import exact_joint, joint_counts, of_counts
from prum.analytic.precision.mixtures import largest_change, mixture
from prum.analytic.precision.reach import check_size
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.precision.seen import Changes, fewer_than
from prum.simulator.model import ListCosts
from prum.simulator.model.arrays import Floats, Ints

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class ConsultedLaw:
    """P(C(r) > i) along the list, and what users still want after it, for k values of r.

    ``wanting[i, n]`` = P(C(r) > i) = P(F_i < r) for i = 0 .. o and the n-th r. Unranked elements
    come in random order. Where users do not browse from them, ``later[s, n]`` = P(F_o = s), and a
    user with s < r draws until the (r - s)-th of t - s ideals. Where they do, from `browsed` of
    them, ``later[k, n]`` is the probability that they have what they want at the k-th of these.
    """

    recall: Ints
    num_ideals: int
    unranked: int
    wanting: Floats
    later: Floats
    browsed: int | None = None

    @classmethod
    def of_changes(cls, change: Changes, unranked: int, recall: Ints) -> "ConsultedLaw":
        """Return the law for these r, where ideals are seen independently."""
        wanting, last = fewer_than(change, recall)
        later = np.repeat(last[:, np.newaxis], len(recall), axis=1)
        return cls(recall, change.num_ideals, unranked, wanting, later)

    @classmethod
    def of_counts(cls, counts: Floats, unranked: int) -> "ConsultedLaw":
        """Return the law from P(F_i = s), shape (o + 1, t + 1), without browsing after it."""
        t = counts.shape[1] - 1
        wanting = np.minimum(np.cumsum(counts, axis=1)[:, :-1], 1)
        later = np.repeat(counts[-1][:, np.newaxis], t, axis=1)
        return cls(np.arange(1, t + 1), t, unranked, wanting, later)

    @classmethod
    def of_browsed(cls, within: Floats, later: Floats, unranked: int) -> "ConsultedLaw":
        """Return the law of users who browse behind the list, of what `exact_joint` takes."""
        counts, _, still_wanting = joint_counts(within, later)
        plain = cls.of_counts(counts, unranked)
        stopped_at = np.maximum(-np.diff(still_wanting, axis=0, prepend=1.0), 0)
        return replace(plain, later=stopped_at, browsed=len(still_wanting) - 1)

    @classmethod
    def mixed(cls, shares: Iterable[tuple[float, "ConsultedLaw"]]) -> "ConsultedLaw":
        """Return the law of a population of which each share has a law."""
        parts = iter(shares)
        share, law = next(parts)
        wanting, later = share * law.wanting, share * law.later
        for share, law in parts:
            wanting += share * law.wanting
            later += share * law.later
        return replace(law, wanting=np.minimum(wanting, 1), later=later)

    @classmethod
    def picked(cls, laws: Sequence["ConsultedLaw"]) -> "ConsultedLaw":
        """Return the law whose n-th r is that of the n-th law."""
        each = range(len(laws))
        wanting = np.stack([laws[n].wanting[:, n] for n in each], axis=1)
        later = np.stack([laws[n].later[:, n] for n in each], axis=1)
        return replace(laws[0], wanting=wanting, later=later)

    @property
    def means(self) -> Floats:
        """E[C(r)], shape (k,)."""
        draws = []
        for n in range(len(self.recall)):
            needed, among, weights = self._after_list(n)
            draws.append((weights * needed * ((self.unranked + 1) / (among + 1))).sum())
        means: Floats = self.wanting[:-1].sum(axis=0) + np.array(draws)
        return means

    def _after_list(self, n: int) -> tuple[Ints, Ints, Floats]:
        """Return the shares of users who draw on until the k-th of K elements: k, K, shares."""
        if self.browsed is None:
            s = np.arange(self.recall[n] - 1, -1, -1)
            needed, among, weights = self.recall[n] - s, self.num_ideals - s, self.later[s, n]
        else:
            needed = np.arange(1, self.browsed + 1)
            among, weights = np.full(self.browsed, self.browsed), self.later[1:, n]
        some = weights > 0
        return needed[some], among[some], weights[some]

    def pmf(self, n: int) -> Floats:
        """Return P(C(r) = c), c = 0 .. o + u, for the n-th r.

        Raises InputError for o + u above 100,000,000.
        """
        o, u = len(self.wanting) - 1, self.unranked
        check_size("o + u, the elements whose number has a law", o + u)
        pmf = np.zeros(o + u + 1)
        pmf[1 : o + 1] = np.maximum(self.wanting[:-1, n] - self.wanting[1:, n], 0)
        for needed, among, weight in zip(*self._after_list(n), strict=True):
            pmf[o:] += weight * draws_pmf(int(needed), int(among), u)
        return pmf


def draws_pmf(needed: int, unseen: int, unranked: int) -> Floats:
    """Return P(J = j) for j = 0 .. u, J the draw that gives the k-th of K among u.

    P(J = j) = C(j-1, k-1) C(u-j, K-k) / C(u, K) for j = k .. u - K + k; computed outward from the
    largest term by ratios of neighbours, then scaled to sum to 1.

    >>> draws_pmf(1, 1, 3).tolist()
    [0.0, 0.3333333333333333, 0.3333333333333333, 0.3333333333333333]
    """
    k, K, u = needed, unseen, unranked
    pmf = np.zeros(u + 1)
    j = np.arange(k, u - K + k, dtype=np.float64)
    ratio = j / (j - k + 1) * ((u - j - K + k) / (u - j))
    top = int(np.searchsorted(-ratio, -1.0))
    terms = np.ones(len(ratio) + 1)
    np.cumprod(ratio[top:], out=terms[top + 1 :])
    terms[:top] = np.cumprod(1 / ratio[:top][::-1])[::-1]
    pmf[k : u - K + k + 1] = terms / terms.sum()
    return pmf


@dataclass(frozen=True)
class LawQuestion(Generic[T]):
    """What is asked of a law, with u elements unranked.

    Parameters
    ----------
    tossed
        The answer for changes of the list and u, where ideals are seen independently.
    counted
        For P(F_i = s), i = 0 .. o, P(F_{i-1} = s, F_i > s), i = 1 .. o, u, and the method's name.
    browsed
        For what `exact_joint` takes, in the list and behind it, and u.
    mixed
        For a population, given the share and the answer of each kind of users.
    picked
        The answer whose r-th value is that of the r-th of t answers.
    change
        How far two answers by quadrature are apart.
    mixable
        Whether there is a mixture of some answers.
    remembered
        Keeps the answers at nodes that orders of quadrature share, if there is room.
    """

    tossed: Callable[[Changes, int], T]
    counted: Callable[[Floats, Floats, int, str], T]
    browsed: Callable[[Floats, Floats, int], T]
    mixed: Callable[[Iterable[tuple[float, T]]], T]
    picked: Callable[[Sequence[T]], T]
    change: Callable[[T, T], float]
    mixable: Callable[[Sequence[T]], bool] = bool
    remembered: Callable[[Callable[[float], T]], Callable[[float], T]] = lambda answer_at: answer_at


def value(costs: ListCosts | None) -> LawQuestion[PrecisionRecall]:
    """Return the question for E[CL(r)] and E[C(r)], in what ranks cost."""
    return LawQuestion(
        lambda change, u: from_changes(change, u, costs=costs, method="exact"),
        partial(of_counts, costs=costs),
        lambda within, later, u: exact_joint(within, u, later=later, costs=costs),
        mixed=lambda shares: mixture(*reversed([*zip(*shares, strict=True)])),
        picked=_picked,
        change=largest_change,
        remembered=cache,
    )


def _picked(results: Sequence[PrecisionRecall]) -> PrecisionRecall:
    def each(name: str) -> Floats:
        return np.array([getattr(result, name)[r] for r, result in enumerate(results)])

    parts = [x.parts[:, r] for r, x in enumerate(results) if x.parts is not None]
    return PrecisionRecall(
        each("leading"),
        each("consulted"),
        method="exact by need",
        unit=results[0].unit,
        consulted_deviation=each("consulted_deviation"),
        consulted_skewness=each("consulted_skewness"),
        parts=np.stack(parts, axis=1) if len(parts) == len(results) else None,
    )


def _change(coarse: ConsultedLaw, fine: ConsultedLaw) -> float:
    means = np.abs(coarse.means - fine.means) / fine.means
    return float(max(means.max(), np.abs(coarse.wanting - fine.wanting).max()))


# For the law of C(r), r = 1 .. t; of long lists it is large.
CONSULTED = LawQuestion[ConsultedLaw](
    lambda change, u: ConsultedLaw.of_changes(change, u, np.arange(1, change.num_ideals + 1)),
    lambda counts, _, u, __: ConsultedLaw.of_counts(counts, u),
    ConsultedLaw.of_browsed,
    mixed=ConsultedLaw.mixed,
    picked=ConsultedLaw.picked,
    change=_change,
    mixable=lambda laws: len({law.browsed for law in laws}) == 1,
)
