"""The probabilities that PRUM is derived from, one by one: equations (1) and (5) to (8).

Equation numbers are those of Piwowarski, Gallinari and Dupret (2007). Arrays have a row for each
number i = 0 .. o of consulted ranks and a column for each ideal, or for each s = 0 .. t.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.independent import expected_draws
from prum.analytic.precision.joint import joint_counts
from prum.analytic.precision.laws.law import law_of
from prum.analytic.precision.questions import LawQuestion
from prum.analytic.precision.reach import MatrixLike, check_size, checked_reach, checked_unranked
from prum.analytic.precision.seen import Changes, changes, count_law
from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, real_array, whole_number

NewLaw = Literal["prum", "exact"]


def seen_probability(reach: MatrixLike) -> Floats:
    """Return P(x in S_i), the probability that ideal x was seen within i ranks, i = 0 .. o.

    Equations (1) and (6): P(x in S_i) = 1 - prod_{j <= i} (1 - P(l_j -> x)). Needs Hypotheses 2.1,
    since no r stands in it, and 2.2, by which ranks are independent.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), as for `exact`.

    Returns
    -------
    array of shape (o + 1, t)
        in [0, 1]; row 0 is 0, and no column falls.

    Raises InputError for a reach that is no matrix of probabilities, or o t above 100,000,000.

    >>> seen_probability([[0.4], [0.9], [0.2]]).ravel().round(3).tolist()     # Fig. 4
    [0.0, 0.4, 0.94, 0.952]
    """
    return _seen(changes(checked_reach(reach)))[0]


def _seen(change: Changes) -> tuple[Floats, Floats]:
    """Return P(x in S_i) and P(x not in S_i), which both keep their digits."""
    size = (change.num_ranked + 1, change.num_ideals)
    check_size("(o + 1) t, the probabilities of seen ideals", size[0] * size[1])
    seen, unseen = np.zeros(size), np.ones(size)
    seen[_rows(change), change.ideals] = change.seen_after
    unseen[_rows(change), change.ideals] = change.unseen_after
    return np.maximum.accumulate(seen, axis=0), np.minimum.accumulate(unseen, axis=0)


def _rows(change: Changes) -> Ints:
    """Return the rank of each entry, counted from 1."""
    return np.repeat(change.ranks + 1, np.diff(change.starts))


def found_pmf(reach: MatrixLike, *, unseen: int | None = None) -> Floats:
    """Return P(F_i = s), the law of the number of ideals seen within i ranks, i = 0 .. o.

    Equations (7) and (11): the sum over all sets A of s ideals of
    prod_{x in A} P(x in S_i) prod_{x not in A} P(x not in S_i). Needs Hypotheses 2.1 and 2.2, by
    which the events x in S_i are independent.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), as for `exact`.
    unseen
        The column of an ideal x: then P(F_i = s given x not in S_i), which by the same hypotheses
        is equation (7) with x left out (below 8, A.2).

    Returns
    -------
    array of shape (o + 1, t + 1); (o + 1, t) given `unseen`
        for s = 0, 1, ..; each row sums to 1.

    Raises InputError as `seen_probability`, and for an `unseen` that is no column.

    >>> found_pmf([[0.5, 0.5], [0.0, 1.0]]).tolist()
    [[1.0, 0.0, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
    >>> found_pmf([[0.5, 0.5], [0.0, 1.0]], unseen=0).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    """
    both = np.stack(_seen(changes(checked_reach(reach))))
    if unseen is not None:
        remedy = "give the column of an ideal, from 0"
        column = whole_number("unseen", unseen, least=0, most=both.shape[2] - 1, remedy=remedy)
        both = np.delete(both, column, axis=2)
    check_size("(o + 1) (t + 1), the law of F_i", both.shape[1] * (both.shape[2] + 1))
    return np.stack([count_law(*rows) for rows in zip(*both, strict=True)])


def new_probability(reach: MatrixLike, *, of: NewLaw = "prum") -> Floats:
    """Return P(F_i > s given F_{i-1} = s): rank i shows something new to who has seen s ideals.

    "prum", equations (8) and (12): 1 - prod_x (1 - q_x), q_x =
    (P(x in S_i) - P(x in S_{i-1})) P(F_{i-1} = s given x not in S_{i-1}) / P(F_{i-1} = s), the
    probability that x is seen first at rank i. Needs Hypotheses 2.1, 2.2 and 2.3, by which these
    are independent given s. "exact": without 2.3; `exact` says how. It is never smaller, and
    equal at s = 0.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), as for `exact`.
    of
        "prum" or "exact".

    Returns
    -------
    array of shape (o, t + 1)
        row i - 1 is that of rank i, by s = 0 .. t; NaN where P(F_{i-1} = s) = 0.

    Raises InputError as `found_pmf`, and for another `of`.

    >>> new_probability([[0.4, 0.4], [0.6, 0.4]]).round(4).tolist()
    [[0.64, nan, nan], [0.76, 0.44, 0.0]]
    >>> new_probability([[0.4, 0.4], [0.6, 0.4]], of="exact").round(4).tolist()
    [[0.64, nan, nan], [0.76, 0.5, 0.0]]
    """
    if of not in get_args(NewLaw):
        raise InputError("of", of, f"be one of {get_args(NewLaw)}", remedy='"exact" if in doubt')
    return counts_and_new(changes(checked_reach(reach)), of)[1]


def counts_and_new(change: Changes, of: NewLaw) -> tuple[Floats, Floats]:
    """Return P(F_i = s), as `found_pmf`, and P(F_i > s given F_{i-1} = s), as `new_probability`."""
    both, rows = np.stack(_seen(change), axis=1), _rows(change)
    check_size("(o + 1) (t + 1), the law of F_i", len(both) * (change.num_ideals + 1))
    counts = np.stack([count_law(*each) for each in both])
    counted = counts[:-1]
    new = np.where(counted > 0, 0.0, np.nan)
    for i in np.unique(rows):
        here = np.flatnonzero(rows == i)
        ideals, first, unseen = change.ideals[here], change.first[here], change.unseen_after[here]
        new[i - 1] = finds_more(both[i - 1], counted[i - 1], ideals, first, unseen, of)
    return counts, new


def finds_more(
    before: Floats, law: Floats, ideals: Ints, first: Floats, unseen_after: Floats, of: NewLaw
) -> Floats:
    """Return P(F_i > s given F_{i-1} = s), s = 0 .. t, of a rank that changes some ideals.

    `before` is P(x in S_{i-1}) and P(x not in S_{i-1}), `law` that of F_{i-1}; of these ideals
    `first` is the probability that they are seen first at rank i, `unseen_after` that they are not
    seen by then.
    """
    if of == "prum":
        nothing_new = np.ones_like(law)
        for x, at_first in zip(ideals, first, strict=True):
            # Who has seen all t ideals has seen x.
            without = np.append(count_law(*np.delete(before, x, axis=1)), 0.0)
            nothing_new *= 1 - np.minimum(_over(at_first * without, law), 1)
    else:
        same = before.copy()
        same[1, ideals] = unseen_after
        either = same.sum(axis=0)
        nothing_new = _over(either.prod() * count_law(*_over(same, either)), law)
    return np.where(law > 0, 1 - np.minimum(nothing_new, 1), np.nan)


def _over(above: Floats, below: Floats) -> Floats:
    """Return the quotient, 0 where what is below is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def precision_parts(counts: ArrayLike, new: ArrayLike, unranked: int) -> Floats:
    """Return the parts (a), (b), (c) and (d) of equation (5) for r = 1 .. t, put together.

    precision(r) = (a + b) / (c + d), sums over s < r:

    (a) sum over i = 1 .. o of P(F_{i-1} = s) P(F_i > s given F_{i-1} = s): consulted ranks that
    lead to a previously unseen ideal (17);
    (b) P(F_o = s) (r - s): ideals found behind the list (18);
    (c) sum over i = 1 .. o of P(F_{i-1} = s): consulted ranks (14);
    (d) P(F_o = s) (r - s) (1 + (u - (t - s)) / (t - s + 1)): elements consulted behind the list
    (16), of which the list's ideals that are unseen must be among the u.

    Equation (4) has each of them over o + u. They need no hypothesis but those of `counts` and
    `new` and that nobody browses behind the list. The attribute `parts` of `PrecisionRecall` has
    them as each closed form computes them itself, at any size.

    Parameters
    ----------
    found
        P(F_i = s), shape (o + 1, t + 1), as from `found_pmf`, or a law of one's own.
    new
        P(F_i > s given F_{i-1} = s), shape (o, t + 1), as from `new_probability`. What it is where
        P(F_{i-1} = s) = 0 does not count.
    unranked
        u, at least the number of ideals that may be unseen after the list.

    Returns
    -------
    array of shape (4, t)
        a, b, c, d.

    Raises InputError for shapes that do not belong together, a value outside [0, 1], u too small.

    >>> reach = [[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]   # Table III
    >>> a, b, c, d = precision_parts(found_pmf(reach), new_probability(reach), 0)
    >>> ((a + b) / (c + d)).round(4).tolist()
    [0.6914, 0.6356]
    """
    remedy = "give P(F_i = s) for i = 0 .. o and s = 0 .. t, and P(F_i > s ..) for i = 1 .. o"
    law = real_array("found", counts, remedy=remedy, shape=("o + 1", "t + 1"))
    if min(law.shape) < 1 or law.shape[1] < 2:
        raise InputError("shape of found", law.shape, "have a row and two columns", remedy=remedy)
    chances = np.asarray(new, dtype=np.float64)
    if chances.shape != (law.shape[0] - 1, law.shape[1]):
        rule = f"be {(law.shape[0] - 1, law.shape[1])}"
        raise InputError("shape of new", chances.shape, rule, remedy=remedy)
    chances = np.where(law[:-1] > 0, chances, 0)
    for name, values in (("found", law), ("new", chances)):
        valid = (values >= 0) & (values <= 1)
        check_each(f"{name}[{{}}]", values.ravel(), valid.ravel(), "lie in [0, 1]", remedy=remedy)
    last = law[-1]
    t = len(last) - 1
    u = checked_unranked(unranked, t - int(np.flatnonzero(last)[0]) if last.any() else t)
    behind = np.cumsum(np.cumsum(last[:-1]))
    leading = np.cumsum((law[:-1] * chances).sum(axis=0)[:-1])
    consulted = np.cumsum(law[:-1].sum(axis=0)[:-1])
    return np.stack([leading, behind, consulted, expected_draws(last, u, 1)])


@dataclass(frozen=True, slots=True, eq=False)
class ByRank:
    """What users who want r = 1 .. t ideals do at each rank; arrays of shape (o, t).

    Attributes
    ----------
    consulted
        P(rank i is consulted) = P(F_{i-1} < r), equation (14); in [0, 1].
    leading
        P(rank i is consulted and leads to a previously unseen ideal) =
        sum over s < r of P(F_{i-1} = s) P(F_i > s given F_{i-1} = s), equation (17).
    """

    consulted: Floats
    leading: Floats

    @classmethod
    def of_counts(cls, counts: Floats, leading: Floats) -> "ByRank":
        """Return them from P(F_i = s), i = 0 .. o, and P(F_{i-1} = s, F_i > s), i = 1 .. o."""
        sums = (np.cumsum(law, axis=1)[:, :-1] for law in (counts[:-1], leading))
        return cls(*(np.clip(values, 0, 1) for values in sums))

    @classmethod
    def of_changes(cls, change: Changes, of: NewLaw) -> "ByRank":
        """Return them where ideals are seen independently; by Hypothesis 2.3 if `of` is "prum"."""
        counts, new = counts_and_new(change, of)
        return cls.of_counts(counts, counts[:-1] * np.nan_to_num(new))

    @classmethod
    def mixed(cls, shares: Iterable[tuple[float, "ByRank"]]) -> "ByRank":
        """Return what a population does of which each share does what is known."""
        parts = list(shares)
        return cls(
            sum(share * part.consulted for share, part in parts),  # type: ignore[arg-type]
            sum(share * part.leading for share, part in parts),  # type: ignore[arg-type]
        )

    @classmethod
    def picked(cls, parts: Sequence["ByRank"]) -> "ByRank":
        """Return the one whose n-th r is that of the n-th part."""
        names = ("consulted", "leading")
        columns = ([getattr(part, name)[:, n] for n, part in enumerate(parts)] for name in names)
        return cls(*(np.stack(each, axis=1) for each in columns))

    def change(self, other: "ByRank") -> float:
        """Return the largest difference of probabilities."""
        pairs = ((self.consulted, other.consulted), (self.leading, other.leading))
        return max(float(np.abs(a - b).max(initial=0)) for a, b in pairs)


def by_rank(task: Task, navigation: Navigation) -> ByRank | None:
    """Return P(rank is consulted) and P(rank leads to something new), for each rank and r.

    They are exact, and known where `closed_form` is, else None. Summed over ranks they are the
    parts (c) and (a) of equation (5).

    Raises InputError for an object that is not a navigation, or (o + 1)(t + 1) above 100,000,000.

    >>> from prum.simulator.model import Independent
    >>> task = Task(["c", "d"], ["a", "b"], 4)
    >>> links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    >>> found = by_rank(task, Independent(links))
    >>> found.consulted.round(4).tolist(), found.leading.round(4).tolist()
    ([[1.0, 1.0], [0.36, 0.84]], [[0.64, 0.64], [0.2736, 0.5136]])
    """
    return law_of(task, navigation).answer(_QUESTION)


def prum_by_rank(task: Task, navigation: Navigation) -> ByRank:
    """Return the same by Hypotheses 2.1 to 2.3, from P(l_i -> x) alone: equations (8) and (14).

    What `leading` and `consulted` gain where r grows by one has equation (8) for s = r - 1 as its
    quotient. Raises as `by_rank`.

    >>> from prum.simulator.model import Independent
    >>> task = Task(["c", "d"], ["a", "b"], 4)
    >>> links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    >>> prum_by_rank(task, Independent(links)).leading.round(4).tolist()
    [[0.64, 0.64], [0.2736, 0.4848]]
    """
    law: Any = law_of(task, navigation)
    if navigation.is_tied:
        of_orders: ByRank = law.of_reach(_QUESTION, "prum")
        return of_orders
    return ByRank.of_changes(changes(checked_reach(law.reach())), "prum")


_QUESTION = LawQuestion[ByRank](
    lambda change, _: ByRank.of_changes(change, "exact"),
    lambda counts, leading, *_: ByRank.of_counts(counts, leading),
    lambda within, *_: ByRank.of_counts(*joint_counts(within)[:2]),
    mixed=ByRank.mixed,
    picked=ByRank.picked,
    change=ByRank.change,
)
