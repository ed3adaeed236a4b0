"""Precision and recall without browsing: standard, Raghavan's, of sets, of lists judged in part."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.ranked.ranks import TiedRanking, checked_ids, ranks_of
from prum.simulator.model import InputError, Task
from prum.simulator.model.errors import amount, whole_number


def checked_ideals(ideals: Iterable[str]) -> dict[str, float]:
    """Return each distinct ideal with the relevance 1.

    Raise InputError if there is no ideal, or an id is empty or no text.
    """
    relevance = dict.fromkeys(checked_ids("ideals", ideals), 1.0)
    if not relevance:
        raise InputError(
            "ideals", (), "hold at least one element", remedy="leave out topics without ideals"
        )
    return relevance


def standard_precision_recall(ranking: Iterable[str], ideals: Iterable[str]) -> PrecisionRecall:
    """Return precision at each recall value as TREC computes it: only the list counts.

    precision(r) = r / l_r with l_r the rank of the r-th ideal; 0 where the list holds fewer
    (consulted is then infinite: the list never gets there). An ideal that stands in the list twice
    is found once and consulted twice.

    Raises InputError if there is no ideal, or an id is empty or no text.

    >>> standard_precision_recall(["c", "d", "a", "b"], ["a", "b"]).precision.round(3).tolist()
    [0.333, 0.5]
    """
    missing = set(checked_ideals(ideals))
    t = len(missing)
    consulted = np.full(t, np.inf)
    listed = checked_ids("ranking", ranking)
    for rank in [rank for rank, element in enumerate(listed, start=1) if element in missing]:
        if listed[rank - 1] in missing:
            consulted[t - len(missing)] = rank
            missing.remove(listed[rank - 1])
    return PrecisionRecall(np.arange(1, t + 1), consulted, method="standard")


def raghavan(ranking: TiedRanking, ideals: Iterable[str], unranked: int) -> PrecisionRecall:
    """Return Raghavan's precision of a list, tied ranks or not, followed by u unranked elements.

    precision(r) = r / (r + j + i s / (k + 1)) (Raghavan, Jung and Bollmann 1989; equation 19 of
    Piwowarski, Gallinari and Dupret 2007): j non-ideal elements stand before the last rank
    consulted, s ideals are wanted from it, and it holds i non-ideal and k ideal elements in random
    order. The unranked part is the last rank. Equal to PRUM without browsing where no ranks are
    tied (appendix B). ``consulted`` - r is Cooper's (1968) expected search length.

    Parameters
    ----------
    ranking
        Ids, best first; a list, tuple, set or frozenset of ids is one rank. An ideal that stands on
        two ranks is found on the first and counts as non-ideal on the second; a rank that holds
        nothing is passed over.
    ideals
        The ideal elements, t distinct ones.
    unranked
        u, the number of unranked elements, the ideals outside the list among them.

    Raises InputError if there is no ideal, u cannot hold the ideals outside the list, an id is
    empty or no text, or an element stands twice on one rank.

    >>> raghavan(["a"], ["b", "c"], 99).precision.round(4).tolist()
    [0.0291, 0.0296]
    >>> raghavan([["a", "x", "b"]], ["a", "b"], 0).precision.tolist()
    [0.75, 0.75]
    """
    relevance = checked_ideals(ideals)
    r = np.arange(1.0, len(relevance) + 1)
    before, within = ranks_of(ranking, relevance, unranked).search(r)
    return PrecisionRecall(r, r + before + within, method="Raghavan")


def without_browsing(task: Task) -> PrecisionRecall:
    """Return Raghavan's precision of a task: what its list is worth to a user who never browses.

    >>> without_browsing(Task(["c", "d", "a", "b"], ["a", "b"], 4)).precision.round(3).tolist()
    [0.333, 0.5]
    """
    return raghavan(task.ranking, task.ideals, task.num_unranked)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a list has retrieved: its elements, the ideals among them, and all ideals.

    As trec_eval's measures of sets (set_P, set_relative_P, set_recall, set_F, set_map). An empty
    list has 0 throughout.

    >>> result = retrieved(["c", "a", "d", "b"], ["a", "b", "e"])
    >>> result.precision, round(result.recall, 4), round(result.f(), 4)
    (0.5, 0.6667, 0.5714)
    """

    elements: int
    found: int
    ideals: int

    @property
    def precision(self) -> float:
        """Ideals retrieved over elements retrieved; in [0, 1]."""
        return self.found / self.elements if self.elements else 0.0

    @property
    def relative_precision(self) -> float:
        """Precision over the highest of a list so long; in [0, 1]."""
        most = min(self.elements, self.ideals)
        return self.found / most if most else 0.0

    @property
    def recall(self) -> float:
        """Ideals retrieved over all ideals; in [0, 1]."""
        return self.found / self.ideals

    @property
    def average_precision(self) -> float:
        """Precision times recall: AP if every ideal retrieved had the list's precision."""
        return self.precision * self.recall

    def f(self, beta: float = 1.0) -> float:
        """Return (β + 1) P R / (β P + R), the harmonic mean of precision and recall at β = 1.

        β is how much recall matters beside precision, as trec_eval 10 has it; van Rijsbergen's
        formula has β² in its place.

        Raises InputError if β is negative or not finite.

        >>> Retrieved(4, 2, 3).f(4.0) == 5 * 2 / (4 * 3 + 4)
        True
        """
        weight = amount("beta", beta, remedy="give 1, say")
        below = weight * self.ideals + self.elements
        return (weight + 1) * self.found / below if self.found else 0.0


def retrieved(ranking: Iterable[str], ideals: Iterable[str]) -> Retrieved:
    """Return what a list has retrieved; an element that stands in it twice is retrieved twice.

    An ideal counts as found once.

    Raises InputError if there is no ideal, or an id is empty or no text.

    >>> retrieved(["c", "a", "a"], ["a", "b"])
    Retrieved(elements=3, found=1, ideals=2)
    """
    worths = checked_ideals(ideals)
    listed = checked_ids("ranking", ranking)
    return Retrieved(len(listed), len(worths.keys() & listed), len(worths))


# By which trec_eval keeps estimated precision from 0 / 0.
_EPSILON = 1e-5


def judged_at(ranking: Iterable[str], judged: Iterable[str], rank: int | None = None) -> float:
    """Return the share of the first k elements that is judged, of all by default; in [0, 1].

    As ir_measures: of a list with fewer than k elements, the share of what it has. An empty list
    has 0.

    Raises InputError if an id is empty or no text, or the rank is no whole number of at least 1.

    >>> judged_at(["a", "x", "b", "y"], {"a", "b"}, 3) == 2 / 3
    True
    """
    judged_ids = set(checked_ids("judged", judged))
    top = checked_ids("ranking", ranking)
    if rank is not None:
        top = top[: whole_number("rank", rank, least=1, remedy="give the number of ranks")]
    return sum(element in judged_ids for element in top) / len(top) if top else 0.0


def accuracy(ranking: Iterable[str], ideals: Iterable[str], rank: int | None = None) -> float:
    """Return the chance that a listed ideal stands above another listed element; in [0, 1].

    Over all pairs of an ideal and an element that is none among the first k, all by default, as
    ir_measures; NaN without a pair. An element that stands in the list a second time is none.

    Raises InputError if an id is empty or no text, or the rank is no whole number of at least 1.

    >>> accuracy(["a", "x", "b", "y"], {"a", "b"})
    0.75
    """
    missing, top = set(checked_ids("ideals", ideals)), checked_ids("ranking", ranking)
    if rank is not None:
        top = top[: whole_number("rank", rank, least=1, remedy="give the number of ranks")]
    hits = others = below = 0
    for element in top:
        if element in missing:
            missing.discard(element)
            hits += 1
        else:
            others += 1
            below += hits
    return below / (hits * others) if hits * others else math.nan


def bpref(ranking: Iterable[str], ideals: Iterable[str], others: Iterable[str]) -> float:
    """Return bpref, in [0, 1]: how far judged ideals stand above judged elements that are none.

    1/t sum of 1 - min(n_x, t) / min(n, t) over the retrieved ideals x, n_x the retrieved others
    above x and n all of them (Buckley and Voorhees 2004, with the denominator of trec_eval). What
    nobody judged doesn't matter. An element that stands in the list a second time is passed over.

    Parameters
    ----------
    ideals
        The t ideal elements.
    others
        The n elements that were judged and are not ideal.

    Raises InputError if there is no ideal, an ideal is among the others, or an id is empty or no
    text.

    >>> bpref(["a", "x", "b", "?", "c"], ["a", "c", "d"], ["b", "e"]) == (1 + 1 / 2) / 3
    True
    """
    ideal_ids, judged = _judged(ideals, others)
    t, n = len(ideal_ids), len(judged) - len(ideal_ids)
    total, above = 0.0, 0
    for _, element in _distinct(ranking):
        if element in ideal_ids:
            total += 1 - min(above, t) / min(n, t) if above else 1.0
        elif element in judged:
            above += 1
    return total / t


def inferred_average_precision(
    ranking: Iterable[str],
    ideals: Iterable[str],
    others: Iterable[str],
    pooled: Iterable[str] = (),
) -> float:
    """Return infAP: average precision estimated from a judged sample of a pool; in [0, 1].

    1/t sum over the retrieved ideals, at ranks k, of

    1/k + (k-1)/k · (share of the k - 1 above that is in the pool) · (share of those judged that
    is ideal)

    (Yilmaz and Aslam 2006): what is not in the pool counts as not ideal, what is in it and was not
    judged as ideal as often as what was. Both counts of the last share are raised, by 1e-5 and by
    2e-5, as by trec_eval 10. An element that stands in the list a second time counts as outside
    the pool.

    Parameters
    ----------
    ideals, others
        The t ideal elements, and those that were judged and are not ideal.
    pooled
        Elements of the pool that were not judged; trec_eval's qrels have -1 for them.

    Raises InputError as `bpref`.

    >>> round(inferred_average_precision(["a", "?", "b"], ["a", "b"], ["c"], ["?"]), 4)
    1.0
    """
    ideal_ids, judged = _judged(ideals, others)
    pool = judged | set(checked_ids("pooled", pooled))
    total, ideal_above, judged_above, pooled_above = 0.0, 0, 0, 0
    for rank, element in _distinct(ranking):
        if element in ideal_ids:
            share = (ideal_above + _EPSILON) / (judged_above + 2 * _EPSILON)
            total += (1 + pooled_above * share) / rank
        ideal_above += element in ideal_ids
        judged_above += element in judged
        pooled_above += element in pool
    return total / len(ideal_ids)


def _judged(ideals: Iterable[str], others: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the ideals, and all that was judged."""
    ideal_ids, other_ids = set(checked_ideals(ideals)), set(checked_ids("others", others))
    for element in sorted(ideal_ids & other_ids):
        raise InputError("others", element, "not hold an ideal", remedy="leave out what is ideal")
    return ideal_ids, ideal_ids | other_ids


def _distinct(ranking: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield rank and element where it stands for the first time."""
    seen = set[str]()
    for rank, element in enumerate(checked_ids("ranking", ranking), start=1):
        if element not in seen:
            seen.add(element)
            yield rank, element
