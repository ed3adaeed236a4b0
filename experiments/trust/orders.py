"""What becomes of the order of two systems: kept, turned or undecided under each dependence.

PRUM's difference is known. That under a dependence is exact, or may be off by simulation and
quadrature: the order is kept or turned only where the difference is larger than that, at a level
that holds for all pairs and dependences at once. Bounds decide without any of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from prum.experiments.compare.decision import Decision, Verdict
from prum.experiments.trust.numbers import TrustNumbers
from prum.experiments.trust.of_list import PRUM
from prum.simulator.model.arrays import Floats

Standing = Literal["kept", "turns", "undecided", "level"]

# Equal but for rounding, and for the large collection that stands for an endless one.
_ALIKE = 1e-8


@dataclass(frozen=True, slots=True)
class DifferenceUnder:
    """A difference of two systems' means: PRUM's, or under a dependence.

    `low` and `high` end its interval over topics, of the whole family; `half` is how far it may be
    off for these topics, by users (all simulated differences of pairs together) and quadrature;
    `topics` how many have a value.
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
        Between these lies the difference, whatever the dependence between all visits; from bounds
        of either list, which is conservative: no users may have both.
    fates
        Dependences, but those that are idle on all lists of both -> what becomes of the order.
    extremes
        The dependences that are extreme.
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
    fates: Mapping[str, Standing]
    extremes: tuple[str, ...]
    changed: tuple[str, ...]
    partial: tuple[str, ...]

    @property
    def by_prum(self) -> DifferenceUnder:
        """The difference by PRUM."""
        return self.under[PRUM]

    def _with(self, standing: Standing, *, is_extreme: bool | None = None) -> tuple[str, ...]:
        return tuple(
            name
            for name, fate in self.fates.items()
            if fate == standing and is_extreme in (None, name in self.extremes)
        )

    @property
    def turned(self) -> tuple[str, ...]:
        """The dependences that turn the order, but for those that are extreme."""
        return self._with("turns", is_extreme=False)

    @property
    def extremes_turned(self) -> tuple[str, ...]:
        """The extreme dependences that turn the order."""
        return self._with("turns", is_extreme=True)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Those under which the difference is no larger than it may be off, or is not known."""
        return self._with("undecided")

    @property
    def standing(self) -> Standing:
        """What becomes of the order under the dependences of the table.

        "turns": under one of them; else "undecided": under one of them; "kept": under each, by more
        than the difference may be off; "level" if PRUM has no order.
        """
        if self.by_prum.difference <= _ALIKE:
            return "level"
        if "turns" in self.fates.values():
            return "turns"
        return "undecided" if "undecided" in self.fates.values() else "kept"

    @property
    def is_kept_by_bounds(self) -> bool:
        """Whether bounds keep PRUM's order under any dependence between visits."""
        return self.bound_low > _ALIKE

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest difference under the dependences of the table."""
        differences = [
            row.difference for name, row in self.under.items() if name != PRUM and row.topics
        ]
        return min(differences), max(differences)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TrustOrders(TrustNumbers):
    """The numbers, and the orders of systems that follow from them."""

    @cached_property
    def pairs(self) -> tuple[PairSurvival, ...]:
        """What becomes of the order of each two systems, or of each beside the baseline.

        The higher by PRUM first. An order is that of means over the topics where both have such
        users; it is turned if the difference has the other sign there than PRUM's, by more than it
        may be off.
        """
        baseline = self.question.baseline
        pairs = [
            _Pair(self, (system, other))
            for system, other in combinations(self.ranked, 2)
            if baseline in (None, system, other)
        ]
        simulated = sum(half > 0 for pair in pairs for half, _ in pair.halves.values())
        factor = self.family_factor(simulated)
        return tuple(pair.survival(factor) for pair in pairs)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two systems, their differences under each dependence, and what these may be off."""

    numbers: TrustNumbers
    names: tuple[str, str]

    @cached_property
    def rows(self) -> list[int]:
        return [self.numbers.systems.index(system) for system in self.names]

    @cached_property
    def differences(self) -> Floats:
        first, second = (self.numbers.scores.values[row] for row in self.rows)
        differences: Floats = first - second
        return differences

    @cached_property
    def halves(self) -> dict[str, tuple[float, float]]:
        """Half an interval by users, and what quadrature leaves open."""
        halves = {}
        there = ~np.isnan(self.differences)
        for name, has_value in zip(self.numbers.scores.measures, there.T, strict=True):
            topics = np.array(self.numbers.topics, dtype=object)[has_value].tolist()
            # The same users consult both lists: their errors may add.
            parts = [self.numbers.curve(x, name, topics).off_in_mean for x in self.names]
            halves[name] = parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]
        return halves

    def survival(self, factor: float) -> PairSurvival:
        numbers = self.numbers
        bounds = self._ends(*numbers.bounds)
        under, fates = dict[str, DifferenceUnder](), dict[str, Standing]()
        named = {row.name: row for row in numbers.table}
        for number, name in enumerate(numbers.scores.measures):
            there = ~np.isnan(self.differences[:, number])
            drawn, summed = self.halves[name]
            row = under[name] = DifferenceUnder(
                _mean(self.differences[there, number]),
                *_decided(numbers.decisions.get(name), *self.names),
                factor * drawn + summed,
                int(there.sum()),
            )
            if name == PRUM or all(numbers.is_idle(system, name) for system in self.names):
                continue
            missing = any(numbers.num_missing(system, name) for system in self.names)
            if not (row.topics or missing):
                continue
            by_prum = _mean(self.differences[there, 0])
            fates[name] = _fate(row, by_prum, is_missing=missing)
            dependence = named.get(name)
            lacking = any(numbers.num_lacking(system, name) for system in self.names)
            if fates[name] == "undecided" and dependence and dependence.is_bound and not lacking:
                low, high = bounds
                # Bounds may prove what values leave open.
                fates[name] = "kept" if low > _ALIKE else "turns" if high < -_ALIKE else "undecided"
        partial = [name for name in numbers.names if numbers.num_topics(name) < len(numbers.topics)]
        changed = (name for name in numbers.names if under[name].verdict != under[PRUM].verdict)
        return PairSurvival(
            *self.names,
            under,
            *bounds,
            fates,
            extremes=numbers.extremes,
            changed=tuple(name for name in changed if name not in partial),
            partial=tuple(partial),
        )

    def _ends(self, low: Floats, high: Floats) -> tuple[float, float]:
        """Return the ends of the difference from those of either system's lists."""
        first, second = self.rows
        return float((low[first] - high[second]).mean()), float((high[first] - low[second]).mean())


def _fate(row: DifferenceUnder, by_prum: float, *, is_missing: bool) -> Standing:
    """Return what becomes of an order under one dependence."""
    if abs(by_prum) <= _ALIKE:
        return "level"
    if is_missing or not abs(row.difference) > max(row.half, _ALIKE):
        return "undecided"
    return "turns" if row.difference * by_prum < 0 else "kept"


def _decided(decision: Decision | None, system: str, other: str) -> tuple[float, float, Verdict]:
    """Return the ends of the interval, and the verdict, without a sentence."""
    if decision is None:
        return float("nan"), float("nan"), "no test"
    numbers = decision.systems.index(system), decision.systems.index(other)
    row = decision.compared.of(*numbers)
    low, high = float(row.low), float(row.high)
    return low, high, decision.verdict(low, high)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")
