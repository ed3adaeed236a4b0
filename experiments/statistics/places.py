"""Simultaneous intervals of ranks, from simultaneous intervals of differences between systems."""

import numpy as np

from prum.experiments.statistics.simultaneous import Compared
from prum.simulator.model.arrays import Ints


def places(num_systems: int, pairs: Ints, family: Compared) -> tuple[Ints, Ints]:
    """Return the first and the last place that each system can have, 1 the best.

    A system comes after all that are better, and before all that are worse, by their intervals. If
    these hold all their differences at once, so do all places, and systems that are truly equal
    have every place that they share: from 1 + the number of better systems to the number that are
    no worse (Al Mohamad, Goeman and van Zwet 2021). So the chance that all are right is that of
    `family`. Those tied with the best are those whose first place is 1.

    >>> from prum.experiments.statistics import compared
    >>> values = np.random.default_rng(1).normal(size=(3, 20)) + np.array([[0.0], [3.0], [3.1]])
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> [x.tolist() for x in places(3, pairs, compared(values, pairs))]
    [[3, 1, 1], [3, 2, 2]]
    """
    first, second = pairs.T
    above, below = family.low > 0, family.high < 0

    def count(systems: Ints) -> Ints:
        return np.bincount(systems, minlength=num_systems).astype(np.int64)

    better = count(second[above]) + count(first[below])
    worse = count(first[above]) + count(second[below])
    return 1 + better, num_systems - worse
