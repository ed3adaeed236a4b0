"""Measures of the whole order of a collection: on the path that Mizzaro (2001, section 2) tells."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from prum.analytic.precision.reach import checked_unranked
from prum.analytic.ranked.classical import checked_ideals
from prum.analytic.ranked.ranks import TiedRanking, checked_ids
from prum.analytic.ranked.scores import checked_grades
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
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

    Raises
    ------
    InputError
        if there is no ideal, or `unranked` cannot hold those outside the list.

    >>> normalised_recall(["x", "a"], ["a"], 1), normalised_recall([], ["a"], 4)
    (0.5, 0.5)
    """
    found, lacking, size = _places(ranking, ideals, unranked)
    n, listed = len(found) + lacking, size - unranked
    total = float(found.sum()) + lacking * (listed + (unranked + 1) / 2)
    most = n * (size - n)
    return 1 - (total - n * (n + 1) / 2) / most if most else 1.0


def normalised_precision(ranking: Iterable[str], ideals: Iterable[str], unranked: int) -> float:
    """Return Rocchio's normalised precision, in [0, 1], as `normalised_recall` but by log ranks.

        1 - (E sum_i ln r_i - ln n!) / ln (N choose n)

    >>> normalised_precision(["a", "x"], ["a"], 1)
    1.0
    """
    found, lacking, size = _places(ranking, ideals, unranked)
    n, listed = len(found) + lacking, size - unranked
    total = float(np.log(found).sum())
    if lacking:
        total += lacking * (math.lgamma(size + 1) - math.lgamma(listed + 1)) / unranked
    best = math.lgamma(n + 1)
    most = math.lgamma(size + 1) - best - math.lgamma(size - n + 1)
    return min(max(1 - (total - best) / most, 0.0), 1.0) if size > n else 1.0


def _places(
    ranking: Iterable[str], ideals: Iterable[str], unranked: int
) -> tuple[Floats, int, int]:
    """Return the ranks of the ideals found, how many are not, and the number of elements."""
    wanted = checked_ideals(ideals)
    listed = tuple(dict.fromkeys(checked_ids("ranking", ranking)))
    found = np.array([rank for rank, x in enumerate(listed, start=1) if x in wanted], np.float64)
    lacking = len(wanted) - len(found)
    return found, lacking, len(listed) + checked_unranked(unranked, lacking)


def sliding_ratio(
    ranking: Iterable[str], grades: Mapping[str, float], cutoff: int | None = None
) -> float:
    """Return Pollack's sliding ratio: the gain of the first ranks over that of the best order's.

    sum_{i <= k} g(x_i) / sum_{i <= k} g(best_i), in [0, 1]; an element counts once. Gains of at
    least 0, 0 where none is given. Without a cut-off k is the length of the list, at least 1.

    Raises
    ------
    InputError
        for a negative gain, gains that are all 0, and a cut-off below 1.

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

    Raises
    ------
    InputError
        if no element has a higher grade than another.

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
