"""xCG: cumulated gain where elements contain each other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.ranked.ranks import (
    ROUNDING,
    checked_ids,
    checked_levels,
    checked_relevance,
    read_only,
)
from prum.simulator.model import Elements, InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.assessments import best_on_each_path
from prum.simulator.model.elements import TOLERANCE
from prum.simulator.model.errors import proportion, whole_number


@dataclass(frozen=True, slots=True, eq=False)
class XCG:
    """Gains along a list, and those of the best list.

    Parameters
    ----------
    gains
        What the element at each rank gains, in [0, 1], shape (o,).
    best
        Cumulated gain of the best list, the ideals, after each of its ranks, shape (t,).
    """

    gains: Floats
    best: Floats

    @property
    def cumulated(self) -> Floats:
        """xCG(n) for n = 1 .. o, shape (o,)."""
        return self.gains.cumsum()

    @property
    def normalised(self) -> Floats:
        """xCG(n) over what the best list has gained at n, for n = 1 .. o, shape (o,).

        Past its end the best list keeps its total. At least 0; above 1 where near misses or
        overlap gain more than the ideals do.
        """
        ranks = np.arange(len(self.gains))
        return self.cumulated / self.best[np.minimum(ranks, len(self.best) - 1)]

    def at(self, n: int) -> float:
        """Return xCG(n); past the end of the list its last value, 0 for an empty list.

        Raises InputError if n is not a whole number of at least 1.
        """
        rank = whole_number("n", n, least=1, remedy="give a rank")
        return float(self.gains[:rank].sum())

    def normalised_at(self, n: int) -> float:
        """Return xCG(n) over what the best list has gained at n; either keeps its total.

        Raises InputError as `at`.

        >>> result = xcg(["a"], {"b": 1.0, "c": 1.0, "a": 1.0}, ideals=["b", "c"])
        >>> result.normalised.tolist(), result.normalised_at(2)         # section 4.2.2
        ([1.0], 0.5)
        """
        gained = self.at(n)
        return gained / float(self.best[min(n, len(self.best)) - 1])

    def gain_recall_at(self, n: int) -> float:
        """Return gain-recall: xCG(n) over all that the best list gains (Kazai and Lalmas 2005).

        Raises InputError as `at`.

        >>> xcg(["b", "x", "a"], {"a": 1.0, "b": 0.5, "c": 0.5}).gain_recall_at(3)
        0.75
        """
        return self.at(n) / float(self.best[-1])

    def effort_precision(self, levels: ArrayLike) -> Floats:
        """Return effort-precision at levels of gain-recall in (0, 1], of their shape.

        The rank at which the best list has gained this share of its total, over the rank at which
        the list has (Kazai and Lalmas 2005); 0 where it never does. A level that is reached but for
        rounding is reached. At least 0; above 1 where near misses gain more than the ideals do.

        Raises InputError for a level outside (0, 1].

        >>> result = xcg(["b", "x", "a", "c"], {"a": 1.0, "b": 0.5, "c": 0.5})
        >>> result.effort_precision([0.5, 0.75, 1]).round(4).tolist()
        [0.3333, 0.6667, 0.75]
        """
        goals = checked_levels(levels) * self.best[-1] * (1 - ROUNDING)
        ideal = np.searchsorted(self.best, goals) + 1
        ranks = np.searchsorted(self.cumulated, goals) + 1
        precision: Floats = np.where(ranks <= len(self.gains), ideal / ranks, 0.0)
        return precision

    @property
    def natural_levels(self) -> Floats:
        """Gain-recall of the best list after each rank at which it gains, shape (at most t,)."""
        levels: Floats = np.unique(self.best) / self.best[-1]
        return levels

    @property
    def average_effort_precision(self) -> float:
        """MAep: mean of effort-precision over the `natural_levels`.

        Where each ideal gains 1 and nothing else anything, it is average precision. Kazai and
        Lalmas take the ranks at which the list itself gains; these may be more than the ideals.

        >>> result = xcg(["b", "x", "a", "c"], {"a": 1.0, "b": 0.5, "c": 0.5})
        >>> round(result.average_effort_precision, 4)
        0.5833
        """
        return float(self.effort_precision(self.natural_levels).mean())


def xcg(
    ranking: Iterable[str],
    relevance: Mapping[str, float],
    elements: Elements | None = None,
    *,
    alpha: float = 1.0,
    ideals: Iterable[str] = (),
) -> XCG:
    """Return cumulated gain of a list of elements that may contain each other.

    xCG(n) = sum_{k<=n} rv(x_k) (Kazai, Lalmas and de Vries 2004; appendix C.3 of Piwowarski,
    Gallinari and Dupret 2007), where rv(x) is

    - (1 - alpha) q(x) if x or what contains it was ranked before,
    - alpha sum_y rv(y) length(y) / length(x) + (1 - alpha) q(x), y the children of x, if only
      something that x contains was; rv(y) is what the same rules give y at this rank,
    - q(x) otherwise,

    cut to what is left below each ideal that contains x: the gains of all that an ideal y contains
    never sum to more than q(y). The cut is made on gains of listed elements, not inside the sum.

    Parameters
    ----------
    ranking
        Ids, best first. An element that stands there again gains (1 - alpha) q(x).
    relevance
        q(x) in [0, 1]; 0 where none is given.
    elements
        The table of all elements named; None if no element contains another. An element of length
        0 gains nothing from its children.
    alpha
        In [0, 1], how little seeing something again is worth.
    ideals
        The recall base. The best list is the ideals, the most relevant first (of equally relevant
        ones the deepest, then the first in document order), and gains by the same rules. If none
        are given, they are `best_on_each_path`; without `elements`, all that is relevant.

    Raises InputError if q or alpha leaves [0, 1], q is 0 everywhere or for an ideal, an element is
    not in the table, or siblings overlap (the sum over children would count text twice).

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10)})
    >>> near = {"a": 0.75, "b": 0.75, "c": 1.0}
    >>> xcg(["c", "b", "a"], near, tree).cumulated.tolist()                   # section 4.2.1
    [1.0, 1.0, 1.0]
    >>> xcg(["a", "b", "c"], near, tree, alpha=0.5).cumulated.tolist()
    [0.75, 1.125, 1.625]
    """
    ranked, base = checked_ids("ranking", ranking), checked_ids("ideals", ideals)
    named = checked_relevance(relevance)
    share = proportion("alpha", alpha, remedy="give a coefficient")
    if elements is None:
        tree = Elements(dict.fromkeys((*ranked, *named, *base), (None, 0)))
    else:
        tree = elements
        _check_siblings(tree)
    q = np.zeros(len(tree))
    for element, value in named.items():
        q[tree.number(element)] = value
    basis = tree.numbers(base or best_on_each_path(named, tree))
    if not q[basis].all():
        worthless = tree.ids[basis[np.argmin(q[basis])]]
        thing, remedy = f"relevance of ideal {worthless!r}", "assess it, or leave it out"
        raise InputError(thing, 0.0, "be positive", remedy=remedy)
    basis = basis[np.lexsort((basis, -tree.depths[basis], -q[basis]))]
    lists = [tree.number(element) for element in ranked], basis.tolist()
    gains, best = (_gains(numbers, q, tree, share, set(basis.tolist())) for numbers in lists)
    return XCG(read_only(gains), read_only(np.cumsum(best)))


def _gains(
    ranked: list[int], q: Floats, tree: Elements, alpha: float, ideals: set[int]
) -> list[float]:
    """Return what each element of a list gains, all by their numbers."""
    left = {ideal: float(q[ideal]) for ideal in ideals}
    inner = np.flatnonzero(tree.parents >= 0)
    untouched = np.zeros(len(tree))
    np.add.at(untouched, tree.parents[inner], q[inner] * tree.lengths[inner])
    seen = set[int]()
    # The children of each element that have been seen or contain what has.
    touched = defaultdict[int, list[int]](list)

    def rv(x: int) -> float:
        below, pending = list[int](), [x]
        while pending:
            y = pending.pop()
            below.append(y)
            if y not in seen:
                pending.extend(touched.get(y, ()))
        value = dict[int, float]()
        # Children have larger numbers than what contains them.
        for y in sorted(below, reverse=True):
            again = (1 - alpha) * float(q[y])
            if y in seen:
                value[y] = again
            elif y not in touched:
                value[y] = float(q[y])
            elif not tree.lengths[y]:
                value[y] = again
            else:
                parts = touched[y]
                changed = sum((value[z] - q[z]) * tree.lengths[z] for z in parts)
                sum_of_children = max(float(untouched[y] + changed), 0.0)
                value[y] = alpha * sum_of_children / float(tree.lengths[y]) + again
        return value[x]

    gains = list[float]()
    for x in ranked:
        path = [x]
        while (above := int(tree.parents[path[-1]])) >= 0:
            path.append(above)
        gain = rv(x) if seen.isdisjoint(path) else (1 - alpha) * float(q[x])
        above_ideals = [y for y in path[1:] if y in ideals]
        gain = min([gain, *(left[y] for y in above_ideals)])
        for y in above_ideals:
            left[y] = max(left[y] - gain, 0.0)
        gains.append(gain)
        if x not in seen and x not in touched:
            for child, parent in pairwise(path):
                linked = parent in seen or parent in touched
                touched[parent].append(child)
                if linked:
                    break
        seen.add(x)
    return gains


def _check_siblings(tree: Elements) -> None:
    inner = np.flatnonzero((tree.parents >= 0) & (tree.lengths > 0))
    # Document order keeps siblings sorted by start; a stable sort brings them together.
    inner = inner[np.argsort(tree.parents[inner], kind="stable")]
    before, after = inner[:-1], inner[1:]
    ends = tree.starts[before] + tree.lengths[before]
    overlap = ends * (1 - TOLERANCE) > tree.starts[after]
    wrong = np.flatnonzero(overlap & (tree.parents[before] == tree.parents[after]))
    if wrong.size:
        first, second = (tree.ids[numbers[wrong[0]]] for numbers in (before, after))
        rule = f"not lie after the start of its sibling {second!r}"
        remedy = "use a measure that takes overlapping siblings, such as GRPng or PRUM"
        raise InputError(f"end of {first!r}", float(ends[wrong[0]]), rule, remedy=remedy)
