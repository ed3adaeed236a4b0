"""Measures of preference judgements: which pairs of elements a list puts in the user's order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from prum.analytic.ranked.ranks import TiedRanking, checked_ids
from prum.analytic.utility.accumulation import Sample, preference_utility
from prum.analytic.utility.laws import StoppingLaw
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import whole_number


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

    Raises
    ------
    InputError
        if there is no preference; for a cut-off below 1.

    >>> preference_counts(["a", "b"], [("a", "b"), ("c", "b"), ("c", "d")], cutoff=1)
    PreferenceCounts(kept=1, reversed=0, tied=2, missing=2)
    """
    preferred, other, missing = _places(ranking, preferences, cutoff)
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

    Raises
    ------
    InputError
        as `preference_counts`, and if the law has another number of ranks than the list.

    >>> law = StoppingLaw.of([0.5, 0.25, 0.25])
    >>> preference_score(law, ["a", "b", "c"], [("a", "c"), ("b", "c"), ("b", "a")])
    0.5
    """
    listed = checked_ids("ranking", ranking)
    preferred, other, missing = _places(listed, preferences, None)
    both = (preferred < missing) & (other < missing)
    matrix: Floats = np.zeros((len(listed),) * 2)
    np.add.at(matrix, (preferred[both], other[both]), 1.0)
    return preference_utility(law, matrix, sample=sample, itself=False)


def _places(
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
    at = np.array([[place.get(x, len(ranks)) for x in pair] for pair in preferences])
    return at[:, 0], at[:, 1], len(ranks)
