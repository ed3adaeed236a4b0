"""The comparisons that hold together: all pairs of systems, or each beside a baseline."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from prum.experiments.statistics.maxima import bonferroni_critical
from prum.experiments.statistics.simultaneous import Compared, compared, places
from prum.simulator.model.arrays import Floats, Ints


class Comparison(NamedTuple):
    """One system less another, as `Compared` has it."""

    difference: float
    error: float
    low: float
    high: float
    p: float
    adjusted: float


@dataclass(frozen=True, slots=True, eq=False)
class ComparedPairs:
    """Comparisons of systems, by number, that hold together at one level.

    `pairs`, shape (comparisons, 2), are all pairs of systems, the smaller number first; or each
    system and the baseline.
    """

    num_systems: int
    num_topics: int
    baseline: int | None
    level: float
    pairs: Ints
    compared: Compared

    def of(self, system: int, other: int) -> Comparison:
        """Return `system` less `other`, which have to be a pair of the family, either way round."""
        first, second = system, other
        if self.baseline is None:
            is_turned = system > other
            first, second = sorted((system, other))
            at = first * (2 * self.num_systems - first - 1) // 2 + second - first - 1
        else:
            is_turned = system == self.baseline
            first = other if is_turned else system
            at = first - (first > self.baseline)
        c = self.compared
        difference, error, low, high, p, adjusted = (
            float(column[at]) for column in (c.difference, c.error, c.low, c.high, c.p, c.adjusted)
        )
        if is_turned:
            difference, low, high = -difference, -high, -low
        return Comparison(difference, error, low, high, p, adjusted)

    @property
    def critical(self) -> float:
        """Half an interval in standard errors; of Holm's method before anything is rejected."""
        if self.compared.critical == self.compared.critical:
            return self.compared.critical
        return bonferroni_critical(len(self.pairs), self.num_topics, self.level)

    def places(self) -> tuple[Ints, Ints]:
        """Return the first and the last place that each system can have, 1 the best.

        Beside a baseline, what is between two other systems follows from what is between each of
        them and the baseline: their intervals, added, hold whenever these do.
        """
        if self.baseline is None:
            return places(self.num_systems, self.pairs, self.compared)
        low, high = np.zeros(self.num_systems), np.zeros(self.num_systems)
        low[self.pairs[:, 0]], high[self.pairs[:, 0]] = self.compared.low, self.compared.high
        pairs = _all_pairs(self.num_systems)
        first, second = pairs.T
        between = replace(
            self.compared, low=low[first] - high[second], high=high[first] - low[second]
        )
        return places(self.num_systems, pairs, between)


def family_of(
    values: Floats, baseline: int | None, *, method: str, level: float, seed: int
) -> ComparedPairs:
    """Return the comparisons of systems by their scores, (systems, topics)."""
    num = len(values)
    if baseline is None:
        pairs = _all_pairs(num)
    else:
        others = np.delete(np.arange(num), baseline)
        pairs = np.stack([others, np.full(num - 1, baseline)], axis=1)
    family = compared(values, pairs, method=method, level=level, seed=seed)
    return ComparedPairs(num, values.shape[1], baseline, level, pairs, family)


def _all_pairs(num: int) -> Ints:
    return np.stack(np.triu_indices(num, 1), axis=1)
