"""Which orders of systems, and which decisions over topics, survive which dependence."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from prum.experiments.compare.decision import Decision, Verdict
from prum.experiments.trust.of_list import PRUM

if TYPE_CHECKING:
    from prum.experiments.trust.result import TrustResult

Standing = Literal["kept", "turns", "undecided", "level"]

# Equal but for rounding, and for the large collection that stands for an endless one.
_ALIKE = 1e-8


class DifferenceUnder(NamedTuple):
    """A difference of two systems' means: PRUM's, or under a dependence.

    `low` and `high` end its interval over topics, of the whole family; `half` is how far it may be
    off for these topics, by users and quadrature; `topics` how many have a value.
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
        from bounds of either list, which is conservative: no users may have both.
    turned, extremes_turned
        The dependences that turn the order; those that are extreme stand apart.
    undecided
        Those under which the difference is not larger than what it may be off, or users are too
        few for a value on some topic.
    changed
        The dependences under which the decision over topics is another one than by PRUM.
    partial
        Those without a value on some topic, of which this is not known.
    """

    system: str
    other: str
    under: Mapping[str, DifferenceUnder]
    bound_low: float
    bound_high: float
    turned: tuple[str, ...]
    extremes_turned: tuple[str, ...]
    undecided: tuple[str, ...]
    changed: tuple[str, ...]
    partial: tuple[str, ...]

    @property
    def by_prum(self) -> DifferenceUnder:
        """The difference by PRUM."""
        return self.under[PRUM]

    @property
    def standing(self) -> Standing:
        """What becomes of the order under the dependences of the table.

        "turns": under one of them; else "undecided": under one of them; "kept": under each, by more
        than the difference may be off; "level" if PRUM has no order.
        """
        if self.by_prum.difference <= _ALIKE:
            return "level"
        if self.turned or self.extremes_turned:
            return "turns"
        return "undecided" if self.undecided else "kept"

    @property
    def is_kept_by_bounds(self) -> bool:
        """Whether bounds keep PRUM's order under any dependence between visits from one element."""
        return self.bound_low > 0

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest difference under the dependences of the table."""
        differences = [
            row.difference for name, row in self.under.items() if name != PRUM and row.topics
        ]
        return min(differences), max(differences)


def survivals(result: "TrustResult") -> Iterator[PairSurvival]:
    """Yield what survives of every pair, or of each system beside the baseline, by PRUM's ranking.

    An order is that of means over the topics where both have such users; it is turned if the
    difference has the other sign there than PRUM's, by more than it may be off.
    """
    ranked = [place.system for place in result.decisions[PRUM].ranked]
    baseline = result.question.baseline
    for system, other in combinations(ranked, 2):
        if baseline in (None, system, other):
            yield _survival(result, system, other)


def _survival(result: "TrustResult", system: str, other: str) -> PairSurvival:
    first, second = result.systems.index(system), result.systems.index(other)
    values = result.scores.values[first] - result.scores.values[second]
    under: dict[str, DifferenceUnder] = {}
    turned, extremes, undecided = list[str](), list[str](), list[str]()
    changed, partial = list[str](), list[str]()
    for number, name in enumerate(result.scores.measures):
        there = ~np.isnan(values[:, number])
        if name in result.decisions:
            low, high, verdict = _decided(result.decisions[name], system, other)
        else:
            low, high, verdict = float("nan"), float("nan"), "no test"
        difference = float(values[there, number].mean()) if there.any() else np.nan
        # The same users consult both lists: their errors may add.
        topics = [topic for topic, has in zip(result.topics, there, strict=True) if has]
        half = sum(result.half_of_mean(one, name, topics) for one in (system, other))
        under[name] = DifferenceUnder(difference, low, high, verdict, half, int(there.sum()))
        if name == PRUM:
            continue
        if result.num_topics(name) < len(result.topics):
            partial.append(name)
        elif verdict != under[PRUM].verdict:
            changed.append(name)
        by_prum = float(values[there, 0].mean()) if there.any() else np.nan
        if abs(by_prum) <= _ALIKE:
            continue
        is_missing = any(result.num_missing(one, name) for one in (system, other))
        if is_missing or abs(difference) <= max(half, _ALIKE):
            undecided.append(name)
        elif difference * by_prum < 0:
            (extremes if name in result.extremes else turned).append(name)
    low_bounds, high_bounds = result.bounds
    return PairSurvival(
        system, other, under,
        float((low_bounds[first] - high_bounds[second]).mean()),
        float((high_bounds[first] - low_bounds[second]).mean()),
        tuple(turned), tuple(extremes), tuple(undecided), tuple(changed), tuple(partial),
    )  # fmt: skip


def _decided(decision: Decision, system: str, other: str) -> tuple[float, float, Verdict]:
    """Return the ends of the interval, and the verdict, without a sentence."""
    numbers = decision.systems.index(system), decision.systems.index(other)
    row = decision.compared.of(*numbers)
    return row.low, row.high, decision.verdict(row.low, row.high)
