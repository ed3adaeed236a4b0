"""Compatibility: how much a list overlaps, rank by rank, with the ideal one nearest to it."""

from collections.abc import Iterable, Mapping

import numpy as np

from prum.analytic.ranked.ranks import checked_ids
from prum.simulator.model import InputError
from prum.simulator.model.errors import proportion


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

    Raises
    ------
    InputError
        if a grade is negative or not finite, p is outside (0, 1), or an id is empty or no text.

    >>> compatibility(["b", "a", "x"], {"a": 1, "b": 1})
    1.0
    >>> round(compatibility(["x", "a"], {"a": 1, "b": 1}, p=0.5), 4)
    0.1667
    """
    persistence = proportion("p", p, remedy="give .95, say", open_interval=True)
    listed = checked_ids("ranking", ranking)
    names, values = checked_ids("grades", grades), np.array(list(grades.values()), dtype=float)
    bad = np.flatnonzero(~((values >= 0) & np.isfinite(values)))
    if bad.size:
        raise InputError(
            f"grade of {names[bad[0]]!r}", float(values[bad[0]]),
            "be a finite number of at least 0", remedy="make negative grades 0",
        )  # fmt: skip
    ranks: dict[str, int] = {}
    for rank, element in enumerate(listed):
        ranks.setdefault(element, rank)
    wanted = [element for element, grade in grades.items() if grade > 0]
    ideal = sorted(wanted, key=lambda element: (-grades[element], ranks.get(element, len(listed))))
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
        return overlap / _total(persistence, depth)
    return overlap / float(weights @ np.minimum(np.arange(1, depth + 1), len(ideal)))


def _total(p: float, depth: int) -> float:
    """Return 1 + p + .. + p^(depth - 1)."""
    return (1 - p**depth) / (1 - p)
