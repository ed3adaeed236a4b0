"""Sums over users as compiled loops keep them, and a tally's whole numbers made of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Task
from prum.simulator.model.arrays import Counts, Ints
from prum.simulator.model.costs import CostSteps
from prum.simulator.sampling.tally import CONSULTED_BITS, RATIO, RATIO_BITS

Objects = NDArray[np.object_]


class CountSums:
    """Sums of what users consulted, and what of it led to something new: C(r) and CL(r).

    `listed` is what a whole list adds to the former, `behind` each element behind it.
    """

    num_rows, num_ended, behind = 10, 3, 1

    def __init__(self, task: Task) -> None:
        self.listed = task.num_ranked

    def add(self, consulted: Counts, leading: Counts, sums: Ints, ends: Ints) -> None:
        """Add users, given by C(r) and CL(r), to sums and ends."""
        from prum.simulator.sampling.kernels import add_counts

        add_counts(consulted.T, leading.T, sums, ends)

    def whole(self, sums: NDArray[Any]) -> Objects:
        """Return the seven rows of a tally as whole numbers, from a kernel's sums."""
        c, lead, low, high, lead_square, product, ratio = sums[:7].astype(object)
        upper_square, halves, lower_square = sums[7:].astype(object)
        half = 1 << RATIO_BITS // 2
        ratio_square = (upper_square * half + 2 * halves) * half + lower_square
        rows = [c, lead, low + high * 2**32, lead_square, product, ratio, ratio_square]
        return np.array(rows, dtype=object)

    def ended(self, ends: NDArray[Any]) -> Objects:
        """Return users, leading and its square by ideals seen at the end of the list."""
        return ends.astype(object)


class CostSums(CountSums):
    """The same of what elements cost, in steps."""

    num_rows, num_ended = 15, 5

    def __init__(self, steps: CostSteps) -> None:
        self.steps = steps
        self.listed, self.behind = int(steps.before[-1]), steps.unranked
        self._room = np.empty(0, dtype=np.int64)

    def add(self, consulted: Counts, leading: Counts, sums: Ints, ends: Ints) -> None:
        """Add users, as what their C(r) elements cost, and those that led."""
        from prum.simulator.sampling.kernels import add_costs, charge

        if self._room.size < 2 * consulted.size:
            self._room = np.empty(2 * consulted.size, dtype=np.int64)
        parts = self._room[: consulted.size], self._room[consulted.size : 2 * consulted.size]
        costs, led = (part.reshape(consulted.shape, order="F").T for part in parts)
        charge(consulted.T, leading.T, self.steps.before, self.steps.unranked, costs, led)
        add_costs(costs, led, sums, ends)

    def whole(self, sums: NDArray[Any]) -> Objects:
        """Return the rows of a tally."""
        cost, lead, ratio = sums[:3].astype(object)
        square, lead_square, ratio_square, product = (
            _product(sums[row : row + 3]) for row in (3, 6, 9, 12)
        )
        rows = [cost, lead, square, lead_square, product, ratio, ratio_square]
        return np.array(rows, dtype=object)

    def ended(self, ends: NDArray[Any]) -> Objects:
        """Return the three rows, the square as one number."""
        return np.array([*ends[:2].astype(object), _product(ends[2:])], dtype=object)


def _product(words: NDArray[Any]) -> Objects:
    """Return sums of products from those of upper halves, of one of each, and of lower halves."""
    from prum.simulator.sampling.kernels import COST_HALF_BITS

    half = 1 << COST_HALF_BITS
    high, middle, low = words.astype(object)
    product: Objects = (high * half + middle) * half + low
    return product


def empty_sums(kind: CountSums, t: int) -> tuple[Ints, Ints]:
    """Return room for a kernel's sums, and for those of users at the end of the list."""
    shapes = (kind.num_rows, t), (kind.num_ended, t)
    sums, ends = (np.zeros(shape, dtype=np.int64) for shape in shapes)
    return sums, ends


def tally_sums(
    kind: CountSums, sums: NDArray[Any], ends: NDArray[Any], unranked: int | None
) -> Objects:
    """Return a tally's sums from a kernel's: whole numbers of the tally's fixed points.

    Users without C(r) get the list and their expected draws of `unranked` elements, None where
    draws are sampled.
    """
    scale = 1 << CONSULTED_BITS
    whole = kind.whole(sums)
    whole[[0, 4]] *= scale
    whole[2] *= scale**2
    if unranked is not None:
        whole[:RATIO] += _expected(kind, kind.ended(ends), unranked)
    return whole


def _expected(kind: CountSums, ends: Objects, unranked: int) -> Objects:
    """Return what users who ended the list with s < r ideals add: it, and their expected draws."""
    t = ends.shape[1]
    scale = 1 << CONSULTED_BITS
    added = np.zeros((RATIO, t), dtype=object)
    for s in np.flatnonzero(ends[0]).tolist():
        users, lead, lead_square = ends[:, s]
        further = np.arange(1, t - s + 1)
        expected = np.rint(further * float((unranked + 1) * scale) / (t - s + 1))
        # What is summed and squared need not fit 64 bits.
        draws = np.array([int(number) for number in expected], dtype=object)
        consulted = kind.listed * scale + draws * kind.behind
        drawn = further.astype(object) * kind.behind
        added[2, s:] += users * consulted**2
        added[3, s:] += lead_square + 2 * lead * drawn + users * drawn**2
        added[4, s:] += (lead + users * drawn) * consulted
        added[0, s:] += users * consulted
        added[1, s:] += lead + users * drawn
    return added
