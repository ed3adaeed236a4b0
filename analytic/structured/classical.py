"""Precision and recall without browsing: standard, and Raghavan's with the unranked part."""

from collections.abc import Iterable

import numpy as np

from prum.analytic.precision_recall import PrecisionRecall
from prum.analytic.reach import checked_unranked
from prum.simulator.model import InputError, Task


def _first_found(ranking: Iterable[str], ideals: Iterable[str]) -> tuple[list[int], int, int]:
    """Return the ranks (from 1) at which new ideals stand, o and t."""
    task_ideals = set(ideals)
    if not task_ideals:
        raise InputError(
            "ideals", (), "hold at least one element", remedy="leave out topics without ideals"
        )
    ranks, found, o = [], set(), 0
    for o, element in enumerate(ranking, start=1):
        if element in task_ideals and element not in found:
            found.add(element)
            ranks.append(o)
    return ranks, o, len(task_ideals)


def standard_precision_recall(ranking: Iterable[str], ideals: Iterable[str]) -> PrecisionRecall:
    """Return precision at each recall value as TREC computes it: only the list counts.

    precision(r) = r / l_r with l_r the rank of the r-th ideal; 0 where the list holds fewer
    (consulted is then infinite: the list never gets there).

    Raises
    ------
    InputError
        if there is no ideal.

    >>> standard_precision_recall(["c", "d", "a", "b"], ["a", "b"]).precision.round(3).tolist()
    [0.333, 0.5]
    """
    ranks, _, t = _first_found(ranking, ideals)
    consulted = np.full(t, np.inf)
    consulted[: len(ranks)] = ranks
    return PrecisionRecall(np.arange(1, t + 1), consulted, method="standard")


def raghavan(ranking: Iterable[str], ideals: Iterable[str], unranked: int) -> PrecisionRecall:
    """Return Raghavan's precision of a totally ordered list followed by u unranked elements.

    precision(r) = r / (r + j + i s / (k + 1)) (Raghavan, Jung and Bollmann 1989; equation 19): j
    ideals-less elements before the last rank consulted, s ideals wanted from it, i non-ideal and
    k ideal elements on it. A rank of the list holds one element; the last rank holds the u
    unranked ones. Equal to PRUM without browsing (appendix B).

    Raises
    ------
    InputError
        if there is no ideal or u cannot hold the ideals outside the list.

    >>> raghavan(["a"], ["b", "c"], 99).precision.round(4).tolist()
    [0.0291, 0.0296]
    """
    ranks, o, t = _first_found(ranking, ideals)
    found = len(ranks)
    u = checked_unranked(unranked, t - found)
    consulted = np.empty(t)
    consulted[:found] = ranks
    k = t - found
    s = np.arange(1, k + 1)
    consulted[found:] = o + s + (u - k) * s / (k + 1)
    return PrecisionRecall(np.arange(1, t + 1), consulted, method="Raghavan")


def without_browsing(task: Task) -> PrecisionRecall:
    """Return Raghavan's precision of a task: what its list is worth to a user who never browses.

    >>> without_browsing(Task(["c", "d", "a", "b"], ["a", "b"], 4)).precision.round(3).tolist()
    [0.333, 0.5]
    """
    return raghavan(task.ranking, task.ideals, task.num_unranked)
