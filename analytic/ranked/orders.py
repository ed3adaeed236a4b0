"""Measures of a whole order: on the path of Mizzaro (2001, section 2), or by preferences."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.reach import checked_unranked
from prum.analytic.ranked.classical import checked_ideals
from prum.analytic.ranked.ranks import TiedRanking, checked_ids
from prum.analytic.ranked.scores import checked_grades
from prum.analytic.utility.diversity import Sample, preference_utility
from prum.analytic.utility.laws import StoppingLaw
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import whole_number


def normalised_recall(ranking: Iterable[str], ideals: Iterable[str], unranked: int) -> float:
    """Return Rocchio's normalised recall, in [0, 1]; elements outside the list in random order.

        1 - (E sum_i r_i - sum_i i) / (n (N - n)),    i = 1 .. n

    with r_i the ranks of the n ideals among all N elements: 1 if they come first, 0 if last, 1/2
    on average over all orders. An element counts where it stands first in the list. If all elements
    are ideal, every order has 1.

    Parameters
    ----------
    ranking, ideals
        Ids.
    unranked
        Number of elements outside the list.

    Raises InputError if there is no ideal, or `unranked` cannot hold those outside the list.

    >>> normalised_recall(["x", "a"], ["a"], 1), normalised_recall([], ["a"], 4)
    (0.5, 0.5)
    """
    ideal_ranks, lacking, size = _places(ranking, ideals, unranked)
    n, listed = len(ideal_ranks) + lacking, size - unranked
    total = float(ideal_ranks.sum()) + lacking * (listed + (unranked + 1) / 2)
    most = n * (size - n)
    return 1 - (total - n * (n + 1) / 2) / most if most else 1.0


def normalised_precision(ranking: Iterable[str], ideals: Iterable[str], unranked: int) -> float:
    """Return Rocchio's normalised precision, in [0, 1], as `normalised_recall` but by log ranks.

        1 - (E sum_i ln r_i - ln n!) / ln (N choose n)

    >>> normalised_precision(["a", "x"], ["a"], 1)
    1.0
    """
    ideal_ranks, lacking, size = _places(ranking, ideals, unranked)
    n, listed = len(ideal_ranks) + lacking, size - unranked
    total = float(np.log(ideal_ranks).sum())
    if lacking:
        total += lacking * (math.lgamma(size + 1) - math.lgamma(listed + 1)) / unranked
    best = math.lgamma(n + 1)
    most = math.lgamma(size + 1) - best - math.lgamma(size - n + 1)
    return min(max(1 - (total - best) / most, 0.0), 1.0) if size > n else 1.0


def _places(
    ranking: Iterable[str], ideals: Iterable[str], unranked: int
) -> tuple[Floats, int, int]:
    """Return the ranks of the ideals found, how many are not, and the number of elements."""
    worths = checked_ideals(ideals)
    listed = tuple(dict.fromkeys(checked_ids("ranking", ranking)))
    ideal_ranks = np.array(
        [rank for rank, x in enumerate(listed, start=1) if x in worths], np.float64
    )
    lacking = len(worths) - len(ideal_ranks)
    return ideal_ranks, lacking, len(listed) + checked_unranked(unranked, lacking)


def sliding_ratio(
    ranking: Iterable[str], grades: Mapping[str, float], cutoff: int | None = None
) -> float:
    """Return Pollack's sliding ratio: the gain of the first ranks over that of the best order's.

    sum_{i <= k} g(x_i) / sum_{i <= k} g(best_i), in [0, 1]; an element counts once. Gains of at
    least 0, 0 where none is given. Without a cut-off k is the length of the list, at least 1.

    Raises InputError for a negative gain, gains that are all 0, and a cut-off below 1.

    >>> sliding_ratio(["b", "a"], {"a": 0.8, "b": 0.4}, 1), sliding_ratio(["b", "a"], {"a": 1}, 2)
    (0.5, 1.0)
    """
    listed = checked_ids("ranking", ranking)
    best = np.sort(checked_grades("gain", grades))[::-1]
    if not best.any():
        raise InputError("gains", grades, "not all be 0", remedy="leave out the topic")
    k = max(len(listed), 1) if cutoff is None else cutoff
    k = whole_number("cutoff", k, least=1, remedy="give a rank")
    gained = sum(grades.get(element, 0.0) for element in dict.fromkeys(listed[:k]))
    return min(gained / float(best[:k].sum()), 1.0)


def ndpm(ranking: TiedRanking, grades: Mapping[str, float]) -> float:
    """Return Yao's (1995) distance from a user's preferences, in [0, 1]: 0 is best.

        ndpm = (2 C- + Ct) / (2 C)

    Of the C pairs of judged elements of which one has the higher grade, the list has C- the wrong
    way round and Ct tied. What it lacks is tied behind it; elements that are not judged, and pairs
    of equal grades, do not count. It is (1 - gamma) / 2 of Goodman and Kruskal's gamma where
    nothing is tied.

    Raises InputError if no element has a higher grade than another.

    >>> ndpm(["a", "b", "c"], {"a": 2, "b": 1, "c": 0}), ndpm([("a", "b")], {"a": 1, "b": 0})
    (0.0, 0.5)
    """
    place = dict[str, int]()
    for position, rank in enumerate(ranking):
        for element in (rank,) if isinstance(rank, str) else rank:
            place.setdefault(element, position)
    by_grade: dict[float, list[int]] = {}
    for element, grade in grades.items():
        by_grade.setdefault(grade, []).append(place.get(element, len(grades) + len(place)))
    levels = [np.sort(by_grade[grade]) for grade in sorted(by_grade)]
    pairs = wrong = 0
    for number, upper in enumerate(levels):
        for lower in levels[:number]:
            pairs += 2 * len(upper) * len(lower)
            # Twice what stands below a lower grade, and once what is tied with it.
            wrong += int(np.searchsorted(lower, upper, "left").sum())
            wrong += int(np.searchsorted(lower, upper, "right").sum())
    if not pairs:
        remedy = "judge elements of more than one grade"
        raise InputError("preferences", 0, "be at least 1", remedy=remedy)
    return wrong / pairs


@dataclass(frozen=True, slots=True)
class PreferenceCounts:
    """What a list does with preferences: numbers of pairs.

    Parameters
    ----------
    kept
        The preferred element stands above the other one, which may not stand in the list at all.
    reversed
        The other one stands above.
    tied
        Both stand on one rank, or neither is in the list.
    missing
        How many of the tied are not in the list.

    >>> counts = preference_counts(["a", "b"], [("a", "b"), ("c", "b"), ("c", "d")])
    >>> counts.recall, counts.precision, counts.distance
    (0.3333333333333333, 0.5, 0.5)
    """

    kept: int
    reversed: int
    tied: int
    missing: int

    @property
    def total(self) -> int:
        """Number of preferences."""
        return self.kept + self.reversed + self.tied

    @property
    def recall(self) -> float:
        """Share of all preferences that are kept, in [0, 1]: rpref, trec_eval's prefs_simp."""
        return self.kept / self.total

    @property
    def precision(self) -> float:
        """Share of those with an element in the list that are kept: ppref, prefs_simp_imp.

        0 if there is none.
        """
        listed = self.total - self.missing
        return self.kept / listed if listed else 0.0

    @property
    def distance(self) -> float:
        """Yao's (1995) ndpm of these preferences alone, in [0, 1]; 0 is best."""
        return (2 * self.reversed + self.tied) / (2 * self.total)


def preference_counts(
    ranking: TiedRanking, preferences: Sequence[tuple[str, str]], cutoff: int | None = None
) -> PreferenceCounts:
    """Return how many preferences a list keeps (Carterette, Bennett, Chickering and Dumais 2008).

    Parameters
    ----------
    ranking
        Ids, best first; several that are given together are tied. One that stands twice counts
        where it stands first.
    preferences
        Pairs (preferred, other); each counts as often as it is given.
    cutoff
        Only so many ranks count.

    Raises InputError if there is no preference; for a cut-off below 1.

    >>> preference_counts(["a", "b"], [("a", "b"), ("c", "b"), ("c", "d")], cutoff=1)
    PreferenceCounts(kept=1, reversed=0, tied=2, missing=2)
    """
    preferred, other, missing = _held_places(ranking, preferences, cutoff)
    return PreferenceCounts(
        kept=int((preferred < other).sum()),
        reversed=int((preferred > other).sum()),
        tied=int((preferred == other).sum()),
        missing=int(((preferred == missing) & (other == missing)).sum()),
    )


def preference_score(
    law: StoppingLaw,
    ranking: Iterable[str],
    preferences: Sequence[tuple[str, str]],
    *,
    sample: Sample = "all",
) -> float:
    """Return how many elements preferred to their last one users meet (Carterette 2011, 5.2).

    `preference_utility` of the preferences between the elements of a list: users stop at rank k
    with the law's P(k), and count those above k, or one drawn of these, that are preferred to the
    element at k. Who goes on behind the list, or stops at an element that stands there a second
    time, counts nothing.

    Raises InputError as `preference_counts`, and if the law has another number of ranks than the
    list.

    >>> law = StoppingLaw.of([0.5, 0.25, 0.25])
    >>> preference_score(law, ["a", "b", "c"], [("a", "c"), ("b", "c"), ("b", "a")])
    0.5
    """
    listed = checked_ids("ranking", ranking)
    preferred, other, missing = _held_places(listed, preferences, None)
    both = (preferred < missing) & (other < missing)
    matrix: Floats = np.zeros((len(listed),) * 2)
    np.add.at(matrix, (preferred[both], other[both]), 1.0)
    return preference_utility(law, matrix, sample=sample, itself=False)


def _held_places(
    ranking: TiedRanking, preferences: Sequence[tuple[str, str]], cutoff: int | None
) -> tuple[Ints, Ints, int]:
    """Return where both elements of each pair stand, from 0, and the place of what is missing."""
    if not len(preferences):
        remedy = "say which element is preferred to which"
        raise InputError("preferences", 0, "be at least 1", remedy=remedy)
    if cutoff is not None:
        cutoff = whole_number("cutoff", cutoff, least=1, remedy="give a rank")
    place = dict[str, int]()
    ranks = list(ranking)[:cutoff]
    for position, rank in enumerate(ranks):
        for element in (rank,) if isinstance(rank, str) else rank:
            place.setdefault(element, position)
    pairs = np.array([[place.get(x, len(ranks)) for x in pair] for pair in preferences])
    return pairs[:, 0], pairs[:, 1], len(ranks)
