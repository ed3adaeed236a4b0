"""What a session that is known finds, and what it costs until r ideals are seen."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields

import numpy as np

from prum.simulator.model import InputError, Rest, SearchStep
from prum.simulator.model.arrays import Floats

# Sums of costs that a budget just covers differ by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SearchEffort:
    """Expectations over the users of a question, each an array for r = 1 .. t.

    Attributes
    ----------
    reached
        How likely r ideals are seen in the session, within the budget.
    found
        E[new ideals that the session shows until r are seen, or it ends]; the last consultation
        may show more than are wanted.
    spent
        E[what that costs].
    new
        E[new ideals until r are seen]: those of the session, and what the rest of the collection
        adds where it has an end.
    cost
        E[cost until r ideals are seen], that of the rest included; infinite where it may have none.

    The value of r is the ratio of the last two.
    """

    reached: Floats
    found: Floats
    spent: Floats
    new: Floats
    cost: Floats

    @property
    def value(self) -> Floats:
        """E[new ideals] / E[cost], for each r; NaN where nothing is new for nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.new / self.cost

    @classmethod
    def mean(cls, efforts: Iterable["SearchEffort"]) -> "SearchEffort":
        """Return the expectations over several users, each as likely as the others."""
        own = list(efforts)
        means = {
            one.name: np.mean([getattr(effort, one.name) for effort in own], axis=0)
            for one in fields(cls)
        }
        return cls(**means)


def session_effort(
    consultations: Iterable[SearchStep],
    ideals: Collection[str],
    *,
    shown: int | None = None,
    rest: Rest | None = None,
) -> SearchEffort:
    """Return what one user finds and pays, whose consultations are known.

    Let consultation j cost c_j and show n_j ideals for the first time, F be their sum, and J(r) the
    first j by which r are seen. If F >= r, new = n_1 + .. + n_J(r) and cost = c_1 + .. + c_J(r): an
    element that comes again costs again and shows nothing new.

    If F < r, k = r - F more are looked for in the rest of the collection, u elements in random
    order that hold t - F ideals. The k-th of these stands at place k (u + 1) / (t - F + 1) in the
    mean (as behind a list, PRUM's equation 16), and new = r. In an endless collection cost is
    infinite, and new = F; with a budget B, cost = B.

    With a budget the session ends before the consultation that would cost more in all than B.

    Parameters
    ----------
    consultations
        In their order.
    ideals
        Those of the question, t >= 1.
    shown
        Elements that are not ideal, in the session's lists; by default those consulted.
    rest
        What comes after the session; by default a collection without end.

    Raises
    ------
    InputError
        without ideals, and for a collection that is too small.

    >>> lists = [SearchStep(1, ("x",)), SearchStep(1, ("x",)), SearchStep(1, ("a",))]
    >>> effort = session_effort(lists, ("a", "b"), rest=Rest(size=4))
    >>> effort.cost.tolist(), effort.value.round(4).tolist()
    ([3.0, 4.5], [0.3333, 0.4444])
    """
    wanted, rest = frozenset(ideals), rest or Rest()
    if not wanted:
        raise InputError("ideals", (), "hold at least one element", remedy="leave the question out")
    t, seen, others = len(wanted), set[str](), set[str]()
    # By r - 1: what was paid and seen when the session had shown r.
    paid, news = list[float](), list[int]()
    total = 0.0
    for cost, elements in consultations:
        if rest.budget is not None and total + cost > rest.budget * (1 + ROUNDING):
            break
        total += cost
        others.update(set(elements) - wanted)
        seen |= wanted.intersection(elements)
        reached = len(seen) - len(paid)
        paid += [total] * reached
        news += [len(seen)] * reached
    found, missing = len(seen), t - len(seen)
    more = np.arange(1.0, missing + 1)
    after: Floats = np.full(missing, np.inf if rest.budget is None else rest.budget)
    gained: Floats = np.full(missing, float(found))
    if rest.size is not None:
        u = rest.unseen(len(others) if shown is None else shown, found, t)
        after = total + rest.cost * more * (u + 1) / (missing + 1)
        gained = found + more
    return SearchEffort(
        reached=np.array([1.0] * found + [0.0] * missing),
        found=np.array([*news, *[found] * missing], dtype=np.float64),
        spent=np.array([*paid, *[total] * missing]),
        new=np.array([*news, *gained], dtype=np.float64),
        cost=np.array([*paid, *after], dtype=np.float64),
    )
