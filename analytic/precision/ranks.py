"""What happens at each rank: the probabilities that the sums over ranks of equation (5) add up."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.analytic.precision.blocks import NewLaw, counts_and_new
from prum.analytic.precision.joint import joint_counts
from prum.analytic.precision.laws.law import law_of
from prum.analytic.precision.questions import LawQuestion
from prum.analytic.precision.reach import checked_reach
from prum.analytic.precision.seen import Changes, changes
from prum.simulator.model import Navigation, Task
from prum.simulator.model.arrays import Floats


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

    Raises
    ------
    InputError
        for an object that is not a navigation, or (o + 1)(t + 1) above 100,000,000.

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
