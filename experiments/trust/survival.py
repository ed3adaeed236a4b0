"""Which orders of systems, and which decisions over topics, survive which dependence."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from prum.experiments.compare.decision import Decision, Verdict
from prum.experiments.trust.of_list import PRUM
from prum.experiments.trust.result import TrustResult

Standing = Literal["whatever", "every", "but extremes", "turned", "level"]

# Means that rounding leaves of equal ones.
_ALIKE = 1e-12


class DifferenceUnder(NamedTuple):
    """A difference of two systems' means: PRUM's, or under a dependence.

    `low` and `high` end its interval over topics, of the whole family; `half` is half of that by
    users, for these topics; `topics` how many have a value.
    """

    difference: float
    low: float
    high: float
    verdict: Verdict
    half: float
    topics: int


@dataclass(frozen=True, slots=True)
class PairSurvival:
    """Two systems, the higher one by PRUM first, and what becomes of their order.

    Parameters
    ----------
    system, other
        The systems.
    under
        "PRUM", "independent" and dependences -> the difference.
    bound_low, bound_high
        Between these lies the difference, whatever the dependence between visits from one element;
        from bounds of either list, which is wider than need be: no users may have both.
    turned, extremes_turned
        The dependences that turn the order; those that are extreme stand apart.
    unsure
        Those of which users are too few to say.
    changed
        The dependences under which the decision over topics is another one than by PRUM.
    """

    system: str
    other: str
    under: Mapping[str, DifferenceUnder]
    bound_low: float
    bound_high: float
    turned: tuple[str, ...]
    extremes_turned: tuple[str, ...]
    unsure: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def by_prum(self) -> DifferenceUnder:
        """The difference by PRUM."""
        return self.under[PRUM]

    @property
    def standing(self) -> Standing:
        """How far the order holds.

        "whatever": under every dependence of the table, and by bounds under any between the visits
        from one element; "every": under every dependence of the table; "but extremes"; "turned" by
        one that is not extreme; "level" if PRUM has no order.
        """
        if self.by_prum.difference <= _ALIKE:
            return "level"
        if self.turned:
            return "turned"
        if self.extremes_turned:
            return "but extremes"
        return "whatever" if self.bound_low > 0 else "every"

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest difference under the dependences of the table."""
        differences = [row.difference for name, row in self.under.items() if name != PRUM]
        return min(differences), max(differences)


def survivals(result: TrustResult) -> Iterator[PairSurvival]:
    """Yield what survives of every pair, or of each system beside the baseline, by PRUM's ranking.

    An order is that of means over the topics where both have such users; it is turned if the
    difference has the other sign there than PRUM's, and is more than users leave open.
    """
    ranked = [place.system for place in result.decisions[PRUM].ranked]
    baseline = result.question.baseline
    for system, other in combinations(ranked, 2):
        if baseline in (None, system, other):
            yield _survival(result, system, other)


def _survival(result: TrustResult, system: str, other: str) -> PairSurvival:
    first, second = result.systems.index(system), result.systems.index(other)
    values = result.scores.values[first] - result.scores.values[second]
    halves = result.user_halves_of_means
    under: dict[str, DifferenceUnder] = {}
    turned, extremes, unsure, changed = list[str](), list[str](), list[str](), list[str]()
    for number, name in enumerate(result.scores.measures):
        if name not in result.decisions:
            continue
        there = ~np.isnan(values[:, number])
        difference = float(values[there, number].mean()) if there.any() else float("nan")
        half = float(np.hypot(halves[name][first], halves[name][second])) if name != PRUM else 0.0
        low, high, verdict = _decided(result.decisions[name], system, other)
        under[name] = DifferenceUnder(difference, low, high, verdict, half, int(there.sum()))
        by_prum = float(values[there, 0].mean()) if there.any() else float("nan")
        if name == PRUM or abs(by_prum) <= _ALIKE:
            continue
        if verdict != under[PRUM].verdict and there.all():
            changed.append(name)
        if half > 0 and abs(difference) <= half:
            unsure.append(name)
        elif difference * by_prum < 0 or abs(difference) <= _ALIKE:
            (extremes if name in result.extremes else turned).append(name)
    low_bounds, high_bounds = result.bounds
    return PairSurvival(
        system, other, under,
        float((low_bounds[first] - high_bounds[second]).mean()),
        float((high_bounds[first] - low_bounds[second]).mean()),
        tuple(turned), tuple(extremes), tuple(unsure), tuple(changed),
    )  # fmt: skip


def _decided(decision: Decision, system: str, other: str) -> tuple[float, float, Verdict]:
    """Return the ends of the interval, and the verdict, without a sentence."""
    numbers = decision.systems.index(system), decision.systems.index(other)
    row = decision.compared.of(*numbers)
    return row.low, row.high, decision.verdict(row.low, row.high)
