"""GRP, precision where elements are relevant to a degree, and GRPng, by text new to the user."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.ranked.ranks import (
    ROUNDING,
    TiedRanking,
    TiedRanks,
    checked_ids,
    checked_levels,
    checked_relevance,
    hundred_levels,
    ranks_of,
    read_only,
)
from prum.simulator.model import Assessment, Elements, InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.assessments import checked_assessment, on_unit_scale
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

    Raises InputError if q leaves [0, 1] or is 0 everywhere, u cannot hold what is relevant outside
    the list, an id is empty or not a text, or an element stands twice on one rank.

    >>> relevance = {"a": 0.75, "b": 0.75, "c": 1.0}
    >>> [round(float(grp(list(ranking), relevance, 3).at_levels(1)), 3)      # section 4.2.1
    ...  for ranking in ("cba", "abc")]
    [0.875, 0.833]
    """
    q = checked_relevance(relevance)
    return GeneralisedPrecisionRecall(ranks_of(ranking, q, unranked), sum(q.values()))


@dataclass(frozen=True, slots=True, eq=False)
class GRPng:
    """Precision and recall after each rank; arrays of shape (o,).

    Parameters
    ----------
    found
        The recall value, sum of q(exh) times the unseen share: never more than `total`, but it can
        exceed the number of ideals, and depends on the order of nested elements.
    precision
        Share of what has been seen that is specific, in [0, 1]; 0 while nothing has been seen.
    total
        The recall base: the sum of q(exh) over all assessed elements.
    """

    found: Floats
    precision: Floats
    total: float

    @property
    def recall(self) -> Floats:
        """found / total, in [0, 1], shape (o,)."""
        return self.found / self.total

    def at_levels(self, levels: ArrayLike) -> Floats:
        """Return precision at the first rank whose recall reaches each level; 0 if none does.

        Raises InputError for a level outside (0, 1].
        """
        first = np.searchsorted(self.recall, checked_levels(levels) * (1 - ROUNDING))
        return np.append(self.precision, 0.0)[first]

    @property
    def average(self) -> float:
        """Mean of precision over the recall levels .01, .02, ..., 1."""
        return float(self.at_levels(hundred_levels()).mean())


def grp_ng(
    ranking: Iterable[str], assessments: Mapping[str, Assessment], elements: Elements
) -> GRPng:
    """Return GRPng of a list: an element counts by the share of it that is new.

    recall after rank n = sum_{i<=n} q(exh(x_i)) unseen(x_i) / length(x_i) / sum_x q(exh(x)), the
    second sum over all assessed elements, and precision = sum_{i<=n} q(spec(x_i)) unseen(x_i) /
    sum_{i<=n} unseen(x_i), with q = 0, 1/3, 2/3, 1 (Gövert and others 2003; appendix C.2 of
    Piwowarski, Gallinari and Dupret 2007). unseen(x_i) is the length of x_i that no element before
    it covers; siblings that overlap cover each other's text too. (For the list c, b, a of section
    4.2.1 the paper prints precision .65 with the unseen share in place of q(spec); it is .722.)

    Parameters
    ----------
    ranking
        Ids, best first. The second time an element stands there nothing of it is unseen.
    assessments
        What is not assessed is E0S0.
    elements
        The table of all elements named. An element of length 0 has nothing to be seen: it adds to
        no sum over ranks, but stays in the recall base.

    Raises InputError for an element that is not in the table, a bad assessment, and if no element
    is assessed above E0S0.

    >>> tree = Elements({"a": (None, 100), "b": ("a", 10)})
    >>> near = {"a": Assessment(2, 2), "b": Assessment(2, 2)}
    >>> [grp_ng(list(order), near, tree).found.round(3).tolist() for order in ("ba", "ab")]
    [[0.667, 1.267], [0.667, 0.667]]
    """
    judged = {
        elements.number(element): checked_assessment(marks, place=f"assessment of {element!r}")
        for element, marks in assessments.items()
    }
    total = sum(on_unit_scale(marks.exhaustivity) for marks in judged.values())
    if not total:
        rule = "be above E0S0 for at least one element"
        raise InputError("assessments", {}, rule, remedy="leave out the topic")
    ranked = [elements.number(element) for element in checked_ids("ranking", ranking)]
    seen: dict[int, tuple[list[float], list[float]]] = {}
    exhaustive, specific, unseen = np.zeros((3, len(ranked)))
    for rank, number in enumerate(ranked):
        begin = float(elements.starts[number])
        end = begin + float(elements.lengths[number])
        if end == begin:
            continue
        marks = judged.get(number, Assessment(0, 0))
        unseen[rank] = _see(seen.setdefault(int(elements.documents[number]), ([], [])), begin, end)
        exhaustive[rank] = on_unit_scale(marks.exhaustivity) * unseen[rank] / (end - begin)
        specific[rank] = on_unit_scale(marks.specificity) * unseen[rank]
    text = unseen.cumsum()
    precision = np.divide(specific.cumsum(), text, out=np.zeros(len(ranked)), where=text > 0)
    return GRPng(read_only(exhaustive.cumsum()), read_only(precision), total)


def _see(seen: tuple[list[float], list[float]], begin: float, end: float) -> float:
    """Add an interval to the sorted disjoint ones, and return how much of it they left free."""
    begins, ends = seen
    first, after = bisect_left(ends, begin), bisect_right(begins, end)
    unseen, reached = 0.0, begin
    for begin_seen, end_seen in zip(begins[first:after], ends[first:after], strict=True):
        unseen += max(begin_seen - reached, 0.0)
        reached = max(reached, end_seen)
    unseen += max(end - reached, 0.0)
    begins[first:after] = [min([begin, *begins[first:after]])]
    ends[first:after] = [max(end, reached)]
    return unseen


def overlap(ranking: Iterable[str], elements: Elements) -> float:
    """Return the share of retrieved elements that contain or lie in another retrieved element.

    INEX's set-based overlap, in [0, 1]; 0 for an empty list. A repeated element counts once, and
    siblings do not contain each other, however their intervals lie.

    Parameters
    ----------
    ranking
        Ids; their order does not matter.
    elements
        The table of all elements named.

    Raises InputError for an element that is not in the table.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10), "d": (None, 10)})
    >>> overlap(["c", "d", "a"], tree)
    0.6666666666666666
    """
    retrieved = elements.numbers(checked_ids("ranking", ranking))
    if not retrieved.size:
        return 0.0
    afters = elements.afters[retrieved]
    nested = np.zeros(len(retrieved), dtype=np.bool_)
    nested[:-1] = retrieved[1:] < afters[:-1]
    nested[1:] |= retrieved[1:] < np.maximum.accumulate(afters)[:-1]
    return float(nested.mean())
