"""The comparisons that hold together: all pairs of systems, or each beside a baseline."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from prum.experiments.statistics.multiplicity import simultaneous
from prum.experiments.statistics.tests import mean_and_error
from prum.simulator.model.arrays import Floats, Ints


class Comparison(NamedTuple):
    """One system less another: as `Compared` has it, for a single pair."""

    difference: float
    error: float
    low: float
    high: float
    p: float
    adjusted: float


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A stand-in."""

    difference: Floats
    error: Floats
    low: Floats
    high: Floats
    p: Floats
    adjusted: Floats
    critical: float


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Comparisons of systems, by number, that hold together at one level.

    `pairs`, shape (comparisons, 2), are all pairs of systems, the smaller number first; or each
    system and the baseline.
    """

    num_systems: int
    baseline: int | None
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

    def places(self) -> tuple[Ints, Ints]:
        """Return the first and the last place that each system can have, 1 the best.

        A system comes after all that are better, and before all that are worse. Beside a baseline
        what is between two others follows from what is between each of them and the baseline.
        """
        low, high = self._ends()
        better, worse = (high < 0).sum(axis=1), (low > 0).sum(axis=1)
        return 1 + better, self.num_systems - worse

    def _ends(self) -> tuple[Floats, Floats]:
        """Return the ends of the difference between any two systems, (systems, systems)."""
        low = np.zeros((self.num_systems, self.num_systems))
        first, second = self.pairs.T
        low[first, second], low[second, first] = self.compared.low, -self.compared.high
        if self.baseline is not None:
            low = low[:, [self.baseline]] + low[[self.baseline], :]
            np.fill_diagonal(low, 0)
        return low, -low.T


def family_of(
    values: Floats, baseline: int | None, *, method: str, level: float, seed: int
) -> Family:
    """Return the comparisons of systems by their scores, (systems, topics)."""
    num = len(values)
    if baseline is None:
        pairs = np.stack(np.triu_indices(num, 1), axis=1)
    else:
        others = np.delete(np.arange(num), baseline)
        pairs = np.stack([others, np.full(num - 1, baseline)], axis=1)
    del method, level, seed
    difference, error = mean_and_error(values[pairs[:, 0]] - values[pairs[:, 1]])
    freedom = np.full(len(pairs), float(values.shape[1]))
    low, high, p, adjusted = simultaneous(difference, error, freedom)
    family = Compared(difference, error, low, high, p, adjusted, np.nan)
    return Family(num, baseline, pairs, family)
