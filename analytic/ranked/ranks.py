"""Ranked lists whose ranks may be tied, what stands on each rank, and how far a user looks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.reach import checked_unranked
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, check_id, proportion, real_array

_Item = TypeVar("_Item")

# The best first; elements given together share a rank, and are consulted in random order.
TiedRanking: TypeAlias = "Iterable[str | list[str] | tuple[str, ...] | set[str] | frozenset[str]]"

# Sums of relevance (thirds, say) may lie a rounding below the recall value they reach.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class TiedRanks:
    """What stands on each rank, the unranked part being the last one; arrays of shape (ranks,).

    ``sizes`` counts the elements; ``relevance`` is the sum of the relevance of those that stand on
    no rank before.
    """

    sizes: Floats
    relevance: Floats

    def search(self, recall: Floats) -> tuple[Floats, Floats]:
        """Return j and i s / (k + 1) of equation (19) for positive recall values, of their shape.

        j is the irrelevance (size - relevance) before the last rank consulted, l_r, the first
        where the relevance from the top reaches r; i the irrelevance and k the relevance on it;
        s = r - the relevance before it.
        """
        reached = np.cumsum(self.relevance)
        # The sum over all ranks may be a rounding below r itself.
        last = np.minimum(np.searchsorted(reached, recall * (1 - ROUNDING)), len(self.sizes) - 1)
        before = np.concatenate(([0.0], reached))[last]
        irrelevance = self.sizes - self.relevance
        j = np.concatenate(([0.0], np.cumsum(irrelevance)))[last]
        return j, irrelevance[last] * (recall - before) / (self.relevance[last] + 1)


def ranks_of(ranking: TiedRanking, relevance: Mapping[str, float], unranked: int) -> TiedRanks:
    """Return what stands on the ranks of a list and in the unranked part behind it.

    An element that stands on two ranks is consulted twice; the second time it is irrelevant. A rank
    that holds nothing is passed over. What is relevant and not in the list is unranked.

    Raise InputError for a ranking that is one text, an id that is empty or no text, an element that
    stands twice on one rank, and if `unranked` elements cannot hold the relevant ones outside the
    list.

    >>> ranks = ranks_of(["a", ["b", "c"], "a"], {"a": 1.0, "c": 0.5, "d": 1.0}, 7)
    >>> ranks.sizes.tolist(), ranks.relevance.tolist()
    ([1.0, 2.0, 1.0, 7.0], [1.0, 0.5, 0.0, 1.0])
    """
    sizes, worths, listed_before = list[float](), list[float](), set[str]()
    for position, rank in enumerate(_several("ranking", ranking), start=1):
        tied = rank if isinstance(rank, list | tuple | set | frozenset) else (rank,)
        for element in tied:
            check_id("ranked element", element, place=f"rank {position}")
        distinct = set(tied)
        if len(distinct) < len(tied):
            raise InputError(
                "tied elements",
                rank,
                "name each element once: copies in random order are no elements of their own",
                remedy="drop the second mention",
                place=f"rank {position}",
            )
        sizes.append(len(tied))
        worths.append(
            sum(relevance.get(element, 0.0) for element in tied if element not in listed_before)
        )
        listed_before |= distinct
    outside = [
        value for element, value in relevance.items() if value > 0 and element not in listed_before
    ]
    u = checked_unranked(unranked, len(outside))
    return TiedRanks(read_only([*sizes, u]), read_only([*worths, sum(outside)]))


def checked_ids(thing: str, ids: Iterable[str]) -> tuple[str, ...]:
    """Return several ids, in their order."""
    checked = tuple(_several(thing, ids))
    # Looks at the types of all; seldom are they looked at one by one, which is slow.
    if not ({*map(type, checked)} <= {str} and all(checked)):
        for position, element in enumerate(checked, start=1):
            check_id(f"element {position} of {thing}", element)
    return checked


def checked_relevance(relevance: Mapping[str, float]) -> dict[str, float]:
    """Return the relevance of elements if it lies in [0, 1] and something is relevant."""
    checked = {
        check_id("relevant element", element): proportion(
            f"relevance of {element!r}", value, remedy="quantise the assessments"
        )
        for element, value in relevance.items()
    }
    if not any(checked.values()):
        raise InputError(
            "relevance", {}, "be positive for at least one element", remedy="leave out the topic"
        )
    return checked


def checked_levels(levels: ArrayLike) -> Floats:
    """Return recall levels if they lie in (0, 1]."""
    checked = real_array("levels", levels, remedy="give recall levels")
    valid, remedy = (checked > 0) & (checked <= 1), "give recall levels, not recall values"
    check_each("level {}", checked, valid, "be positive and at most 1", remedy=remedy)
    return checked


def checked_values(values: ArrayLike, num_ideals: int) -> Floats:
    """Return v(x) of each ideal, shape (t,), if finite, not negative, and not all 0."""
    remedy = "give one number for each ideal"
    checked = real_array("values", values, remedy=remedy, shape=(num_ideals,))
    valid, rule = (checked >= 0) & np.isfinite(checked), "be a finite number of at least 0"
    check_each("values[{}]", checked, valid, rule, remedy="give what the ideal is worth")
    if not checked.any():
        raise InputError("values", values, "not all be 0", remedy="leave out the topic")
    return checked


def hundred_levels() -> Floats:
    """Return the recall levels .01, .02, ..., 1."""
    return np.arange(1, 101) / 100


def read_only(values: ArrayLike) -> Floats:
    """Return numbers as an array of floats of their own that nobody can write to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _several(thing: str, values: Iterable[_Item]) -> Iterable[_Item]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(thing, values, "be a sequence of ids", remedy="give a list of texts")
    return values
