"""The law under test of each list, how many users it asks for, and the verdict on them.

At each r three tests share one family-wise level with all others of a cross-check, by Bonferroni's
inequality: of E[CL(r)] and of E[C(r)], whose ratio is precision, and of the spread of C(r), on
which the others rest. `prum.experiments.crosscheck.inequalities` has what they stand on.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.inequalities import (
    Law,
    detectable,
    half_width,
    p_of_mean,
    p_of_sample,
    p_of_spread,
    thresholds,
    users_for,
)
from prum.simulator.model import ListCosts, Navigation, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.simulation import Simulation

TESTS = 3
# Users whom nobody will simulate.
_NEVER = 2.0**50


class Ends(NamedTuple):
    """The least and the most that C(r) can be, whatever links say, and the range of CL(r)."""

    least: Floats
    most: Floats
    leading: Floats

    @classmethod
    def of(cls, task: Task, navigation: Navigation, costs: ListCosts | None = None) -> "Ends":
        """Return them, shape (t,).

        Of o ranks, repeats among them, and u elements behind them C(r) is o + u - (t - r) at most,
        or, where r ideals stand in the list, the rank of the r-th. CL(r) is from 1 to r, or from
        the cheapest element's cost to r times the dearest's.

        >>> from prum.simulator import Independent
        >>> nobody = Independent({})
        >>> Ends.of(Task(["x", "a"], ["a", "b"], 10), nobody).most.tolist()
        [2.0, 10.0]
        """
        r, o, u = np.arange(1, task.num_ideals + 1), task.num_ranked, task.num_unranked
        each = ListCosts.units(o) if costs is None else costs
        most = each.total(0) + each.unranked * np.maximum(u - (task.num_ideals - r), 0)
        # Users who consult an ideal see it; of chunks and of tied elements the list does not say.
        if navigation.reading is None and not navigation.is_tied:
            first = {x: rank for rank, x in reversed(list(enumerate(task.ranking, 1)))}
            ranks = np.sort([first[x] for x in task.ideals if x in first]).astype(np.int64)
            most[: len(ranks)] = each.before()[ranks]
        least = float(each.ranked[0] if o else each.unranked)
        prices = np.append(each.ranked, [each.unranked] * bool(u or not o))
        return cls(np.full(most.shape, least), most, r * prices.max() - prices.min())


def law_of(exact: PrecisionRecall | None, ends: Ends) -> Law | None:
    """Return the law of C(r) as far as tests need it; None where it is unknown."""
    if exact is None or exact.consulted_deviation is None:
        return None
    return Law(exact.consulted, exact.consulted_deviation**2, ends.least, ends.most)


def users_of(
    laws: list[Law | None], share: float, level: float, *, least: int, most: int
) -> list[int]:
    """Return how many users each list gets, so that such a share of E[C(r)] is detectable."""
    exact_laws = [law for law in laws if law is not None]
    if not exact_laws:
        return [least] * len(laws)
    rows = Law(*(np.concatenate(of) for of in zip(*exact_laws, strict=True)))
    lacking = detectable(rows, least, level) > share * rows.mean
    needed = np.full(lacking.shape, float(least))
    needed[lacking] = users_for(Law(*(of[lacking] for of in rows)), share, level, most=most)
    edges = np.cumsum([len(law.mean) for law in exact_laws])[:-1]
    of_known = iter([min(float(of.max()), most) for of in np.split(needed, edges)])
    return [least if law is None else int(max(next(of_known), least)) for law in laws]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one list, shape (t,) at each r; NaN where no law is known.

    `p` are those of E[CL], E[C] and the spread of C, shape (3, t). `low` and `high` are the ends of
    what precision can be if each mean is within its own threshold. `detectable` is the share of
    E[C] that would have been found with probability .8; `needed` the users that would do where the
    verdict is "unresolved".
    """

    p: Floats
    low: Floats
    high: Floats
    detectable: Floats
    needed: Floats
    verdicts: list[str]

    @classmethod
    def of(
        cls,
        exact: PrecisionRecall | None,
        simulated: Simulation,
        ends: Ends,
        *,
        level: float,
        share: float,
        confidence: float = 0.95,
    ) -> "Judgement":
        """Return it, each test at `level`; without a law the asymptotic interval of precision.

        "disagrees" where a p is below the level; else "unresolved" where an error of `share` of
        E[C] is not detectable; else "agrees".
        """
        law, t, n = law_of(exact, ends), simulated.num_ideals, simulated.num_users
        if law is None or exact is None:
            unknown = np.full(t, np.nan)
            low, high = simulated.interval(confidence)
            return cls(np.full((TESTS, t), np.nan), low, high, unknown, unknown, [NO_LAW] * t)
        variances = [
            n * error**2 if n > 1 else np.zeros(t)
            for error in (simulated.leading_error, simulated.consulted_error)
        ]
        p = np.stack(
            [
                p_of_sample(exact.leading, ends.leading, simulated.leading, variances[0], n),
                p_of_mean(law, simulated.consulted, n),
                p_of_spread(law, simulated.consulted, variances[1], n),
            ]
        )
        if simulated.unranked == "expected":
            p[2] = 1.0  # users stray less than the law says, and are meant to
        shown = detectable(law, n, level) / law.mean
        verdicts = np.select([(p < level).any(axis=0), shown > share * _UP], VERDICTS[1:], "agrees")
        is_open = verdicts == "unresolved"
        needed = np.full(t, np.nan)
        few = Law(*(of[is_open] for of in law))
        needed[is_open] = users_for(few, share, level, most=_NEVER)
        above, below = thresholds(law, n, level)
        half = half_width(ends.leading, variances[0], n, level)
        # An engine may have a C that no user can have.
        least, most = (
            np.maximum(end, law.least)
            for end in (simulated.consulted - above, simulated.consulted + below)
        )
        low = np.maximum(simulated.leading - half, 0) / most
        high = np.minimum((simulated.leading + half) / least, 1)
        return cls(p, low, high, shown, needed, verdicts.tolist())


NO_LAW = "no closed form"
VERDICTS = ("agrees", "disagrees", "unresolved")
# What plans round.
_UP = 1 + 1e-6
