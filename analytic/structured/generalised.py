"""GRP: Raghavan's precision where elements are relevant to a degree."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.ranked.ranks import (
    ROUNDING,
    TiedRanking,
    TiedRanks,
    checked_levels,
    checked_relevance,
    hundred_levels,
    ranks_of,
)
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array


@dataclass(frozen=True, slots=True, eq=False)
class GeneralisedPrecisionRecall:
    """Precision at any recall value, a sum of relevance in (0, total].

    Parameters
    ----------
    ranks
        Size and relevance of each rank, the unranked part last.
    total
        The recall base: the sum of all relevance, in the list and outside it.
    """

    ranks: TiedRanks
    total: float

    def precision(self, recall: ArrayLike) -> Floats:
        """Return r / (r + j + i s / (k + 1)) for recall values r, of their shape; in (0, 1].

        Equation (19) with the terms of appendix C.1 of Piwowarski, Gallinari and Dupret (2007).
        A rank whose relevance reaches r but for rounding reaches it.

        Raises InputError for a recall value outside (0, total].

        >>> grp(["a", "b"], {"a": 0.5, "b": 1.0}, 0).precision([0.5, 1.5]).tolist()
        [0.75, 0.75]
        """
        r = real_array("recall", recall, remedy="give recall values")
        valid = (r > 0) & (r <= self.total * (1 + ROUNDING))
        rule = f"be positive and at most {self.total}, the sum of all relevance"
        remedy = "use at_levels for recall levels"
        check_each("recall value {}", r, valid, rule, remedy=remedy)
        before, within = self.ranks.search(r)
        return np.asarray(r / (r + before + within))

    def at_levels(self, levels: ArrayLike) -> Floats:
        """Return precision(level * total) for recall levels in (0, 1], of their shape.

        Raises InputError for a level outside (0, 1].

        >>> grp(["a", "b"], {"a": 0.5, "b": 1.0}, 0).at_levels(1).tolist()
        0.75
        """
        return self.precision(checked_levels(levels) * self.total)

    @property
    def average(self) -> float:
        """Mean of precision over the recall levels .01, .02, ..., 1."""
        return float(self.at_levels(hundred_levels()).mean())


def grp(
    ranking: TiedRanking, relevance: Mapping[str, float], unranked: int
) -> GeneralisedPrecisionRecall:
    """Return generalised precision recall of a list followed by u unranked elements.

    Raghavan's formula where an element x counts for q(x) ideal and 1 - q(x) non-ideal elements
    (Kazai 2003; appendix C.1 of Piwowarski, Gallinari and Dupret 2007). With q in {0, 1} it is
    `raghavan` at whole recall values.

    Parameters
    ----------
    ranking
        Ids, best first; a list, tuple, set or frozenset of ids is one rank. An element that stands
        on two ranks has relevance 0 on the second; a rank that holds nothing is passed over.
    relevance
        q(x) in [0, 1]; 0 where none is given.
    unranked
        u, the number of unranked elements, what is relevant and outside the list among them.

    Raises
    ------
    InputError
        if q leaves [0, 1] or is 0 everywhere, u cannot hold what is relevant outside the list, an
        id is empty or not a text, or an element stands twice on one rank.

    >>> relevance = {"a": 0.75, "b": 0.75, "c": 1.0}
    >>> [round(float(grp(list(ranking), relevance, 3).at_levels(1)), 3)      # section 4.2.1
    ...  for ranking in ("cba", "abc")]
    [0.875, 0.833]
    """
    q = checked_relevance(relevance)
    return GeneralisedPrecisionRecall(ranks_of(ranking, q, unranked), sum(q.values()))
