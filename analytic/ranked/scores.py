"""One number for a list without browsing: AP, nDCG, compatibility, precision down to a rank."""

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.ranked.classical import checked_ideals, standard_precision_recall
from prum.analytic.ranked.ranks import checked_ids
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number

# What is added to level times t before the fraction is cut off, by versions 10 and 9 of trec_eval.
_ROUNDING = {"nearest": 0.5, "up": 0.9}


def average_precision(ranking: Iterable[str], ideals: Iterable[str]) -> float:
    """Return AP, in [0, 1]: the mean over the t ideals of r / l_r, 0 where the list lacks one.

    l_r is the rank of the r-th ideal (Harman 1993; trec_eval's map on a topic). It is the average
    of `standard_precision_recall`.

    Raises InputError if there is no ideal, or an id is empty or no text.

    >>> round(average_precision(["c", "d", "a", "b"], ["a", "b"]), 4)
    0.4167
    """
    return standard_precision_recall(ranking, ideals).average


def precision_at(ranking: Iterable[str], ideals: Iterable[str], rank: int) -> float:
    """Return P@k, in [0, 1]: the ideals on the first k ranks, over k.

    As trec_eval 10: a shorter list is filled with what is not ideal. An ideal that stands in the
    list twice counts once.

    Raises InputError as `average_precision`, or if the rank is no whole number of at least 1.

    >>> precision_at(["c", "d", "a", "b"], ["a", "b"], 3) == 1 / 3
    True
    """
    return _ideals_at(ranking, checked_ideals(ideals), rank) / rank


def recall_at(ranking: Iterable[str], ideals: Iterable[str], rank: int) -> float:
    """Return R@k, in [0, 1]: the ideals on the first k ranks, over all t.

    Raises InputError as `precision_at`.

    >>> recall_at(["c", "d", "a", "b"], ["a", "b"], 3)
    0.5
    """
    worths = checked_ideals(ideals)
    return _ideals_at(ranking, worths, rank) / len(worths)


def r_precision(ranking: Iterable[str], ideals: Iterable[str]) -> float:
    """Return precision, which is recall, at the rank t that is the number of ideals; in [0, 1].

    As trec_eval 10 (Buckley and Voorhees 2005).

    Raises InputError as `average_precision`.

    >>> r_precision(["c", "a", "d", "b"], ["a", "b"])
    0.5
    """
    worths = checked_ideals(ideals)
    return _ideals_at(ranking, worths, len(worths)) / len(worths)


def reciprocal_rank(ranking: Iterable[str], ideals: Iterable[str]) -> float:
    """Return 1 / the rank of the first ideal, 0 if the list has none; in [0, 1].

    Voorhees 1999. Carterette's RR is another measure, the sum over all ideals: SumRR of
    `prum.analytic.utility`.

    Raises InputError as `average_precision`.

    >>> reciprocal_rank(["c", "a", "d", "b"], ["a", "b"])
    0.5
    """
    worths = checked_ideals(ideals)
    ranks = enumerate(checked_ids("ranking", ranking), start=1)
    return next((1 / rank for rank, element in ranks if element in worths), 0.0)


def success_at(ranking: Iterable[str], ideals: Iterable[str], rank: int) -> float:
    """Return 1 if an ideal stands on the first k ranks, else 0; trec_eval's success.

    Raises InputError as `precision_at`.

    >>> success_at(["c", "d", "a"], ["a", "b"], 2), success_at(["c", "d", "a"], ["a", "b"], 3)
    (0.0, 1.0)
    """
    return float(_ideals_at(ranking, checked_ideals(ideals), rank) > 0)


def interpolated_precision(
    ranking: Iterable[str],
    ideals: Iterable[str],
    levels: ArrayLike,
    *,
    rounding: Literal["nearest", "up"] = "nearest",
) -> Floats:
    """Return precision at recall levels in [0, 1] as trec_eval 10 interpolates; in [0, 1].

    The largest precision(r) of `standard_precision_recall` from the recall value of the level on,
    where `PrecisionRecall.interpolated` has r >= level t.

    Parameters
    ----------
    ranking, ideals
        The list, best first, and what is ideal.
    levels
        Recall levels, shape (m,).
    rounding
        "nearest": r >= floor(level t + .5), as trec_eval 10; "up": r >= floor(level t + .9), as
        version 9, so that levels in (r, r + .1] over t take r itself. Both in floating point.

    Returns
    -------
    Floats, shape (m,)

    Raises InputError as `average_precision`, if a level is outside [0, 1], or for another rounding.

    >>> interpolated_precision(["a", "x", "b", "y"], ["a", "b"], [0.5, 0.7, 1]).round(4).tolist()
    [1.0, 1.0, 0.6667]
    """
    remedy = "give recall levels, not recall values"
    recall = real_array("levels", levels, remedy=remedy)
    valid = (recall >= 0) & (recall <= 1)
    check_each("level {}", recall, valid, "lie in [0, 1]", remedy=remedy)
    precision = standard_precision_recall(ranking, ideals).precision
    ceiling = np.maximum.accumulate(precision[::-1])[::-1]
    if rounding not in _ROUNDING:
        raise InputError("rounding", rounding, "be nearest or up", remedy="give one of the two")
    r = (recall * len(precision) + _ROUNDING[rounding]).astype(np.int64)
    interpolated: Floats = ceiling[np.maximum(r, 1) - 1]
    return interpolated


def ndcg(ranking: Iterable[str], gains: Mapping[str, float], rank: int | None = None) -> float:
    """Return nDCG, in [0, 1]: the discounted gain of a list, over that of the best one.

    DCG(k) = sum of gain_i / log2(i + 1) over ranks i <= k (Järvelin and Kekäläinen 2002, with the
    discount and the linear gain of trec_eval); the best list has all elements by decreasing gain.
    An element that has no gain, or stands in the list a second time, is worth 0. If nothing has
    a gain, nDCG is 0.

    Parameters
    ----------
    gains
        Element -> gain, a grade, say: finite, at least 0. Its unit cancels.
    rank
        k, for both lists; by default their ends.

    Raises InputError if a gain is negative or not finite, an id is empty or no text, or the rank is
    no whole number of at least 1.

    >>> gains = {"a": 2, "b": 1}
    >>> round(ndcg(["b", "x", "a"], gains), 4), ndcg(["b", "x", "a"], gains, 1)
    (0.7602, 0.5)
    """
    top = None if rank is None else _checked_rank(rank)
    left = dict(zip(checked_ids("gains", gains), gains.values(), strict=True))
    values = checked_grades("gain", left)
    best = np.sort(values[values > 0])[::-1][:top]
    if not len(best):
        return 0.0
    listed = checked_ids("ranking", ranking)[:top]
    return _discounted(np.array([left.pop(x, 0.0) for x in listed])) / _discounted(best)


def _discounted(gains: Floats) -> float:
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())


def _ideals_at(ranking: Iterable[str], ideals: Mapping[str, float], rank: int) -> int:
    """Return the number of ideals on the first ranks."""
    return len(ideals.keys() & checked_ids("ranking", ranking)[: _checked_rank(rank)])


def _checked_rank(rank: int) -> int:
    return whole_number("rank", rank, least=1, remedy="give the number of ranks that count")


def compatibility(
    ranking: Iterable[str],
    grades: Mapping[str, float],
    *,
    p: float = 0.95,
    normalised: bool = True,
) -> float:
    """Return compatibility, in [0, 1]: rank-biased overlap with the ideal list nearest to a list.

    RBO is sum_i p^(i-1) |first i of both| / i over sum_i p^(i-1), i = 1 .. the length of the longer
    list (Clarke, Vtyurina and Smucker 2021; ir_measures' Compat). The ideal list has what has a
    positive grade, by descending grade; of equal ones those of the list first and in its order,
    which makes it the nearest. If nothing has a positive grade, it is 0. An element that stands in
    the list a second time adds nothing.

    ir_measures puts what was not retrieved at score 0: where scores of a run are negative its ideal
    list is not the nearest one.

    Parameters
    ----------
    grades
        Element -> grade, at least 0; what has none is not wanted.
    p
        Persistence, in (0, 1).
    normalised
        Whether to divide by the overlap of the ideal list with itself, cut to the same length.

    Raises InputError if a grade is negative or not finite, p is outside (0, 1), or an id is empty
    or no text.

    >>> compatibility(["b", "a", "x"], {"a": 1, "b": 1})
    1.0
    >>> round(compatibility(["x", "a"], {"a": 1, "b": 1}, p=0.5), 4)
    0.1667
    """
    persistence = proportion("p", p, remedy="give .95, say", open_interval=True)
    listed = checked_ids("ranking", ranking)
    checked_ids("grades", grades)
    checked_grades("grade", grades)
    ranks: dict[str, int] = {}
    for rank, element in enumerate(listed):
        ranks.setdefault(element, rank)
    positive = [element for element, grade in grades.items() if grade > 0]
    ideal = sorted(
        positive, key=lambda element: (-grades[element], ranks.get(element, len(listed)))
    )
    depth = max(len(listed), len(ideal))
    if not ideal:
        return 0.0
    weights = persistence ** np.arange(depth) / np.arange(1, depth + 1)
    places = {element: place for place, element in enumerate(ideal)}
    # An element is common to both lists from the later of its two ranks on.
    common = np.zeros(depth)
    for element, place in places.items():
        if element in ranks:
            common[max(place, ranks[element])] += 1
    overlap = float(weights @ common.cumsum())
    if not normalised:
        return overlap / ((1 - persistence**depth) / (1 - persistence))
    return overlap / float(weights @ np.minimum(np.arange(1, depth + 1), len(ideal)))


def checked_grades(thing: str, grades: Mapping[str, float]) -> Floats:
    """Return the grades if they are finite and at least 0."""
    values = np.array(list(grades.values()), dtype=np.float64)
    bad = np.flatnonzero(~((values >= 0) & np.isfinite(values)))
    if bad.size:
        raise InputError(
            f"{thing} of {list(grades)[bad[0]]!r}",
            float(values[bad[0]]),
            "be a finite number of at least 0",
            remedy="make negative grades 0",
        )
    return values
