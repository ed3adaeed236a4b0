"""Random numbers by name, the same on every machine and with every version of NumPy."""

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from prum.simulator.generation.portable import normal_quantile
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints, Words
from prum.simulator.model.task import content_key

_MOST_BOUND = 2**32


class Draws:
    """The stream of random numbers that belongs to a seed and some names.

    It is SFC64, seeded with the seed and the SHA-256 of the names' canonical JSON: streams of
    different names are independent, and 1 is another name than "1". Only raw numbers come from
    NumPy, whose distributions may change with its version; the rest is computed here in whole
    numbers and portable floats.

    `seed`: a whole number from 0. `names`: what the numbers are for.

    >>> Draws(1, "topic", 7).below(100, 5).tolist()
    [13, 94, 19, 8, 50]
    >>> Draws(1, "topic", 8).below(100, 5).tolist()
    [48, 52, 61, 91, 30]
    """

    def __init__(self, seed: int, *names: str | int) -> None:
        digest = bytes.fromhex(content_key(list(names)))
        words = tuple(int(word) for word in np.frombuffer(digest, dtype=">u4"))
        self._bits = np.random.SFC64(np.random.SeedSequence(seed, spawn_key=words))

    def _raw(self, shape: tuple[int, ...]) -> Words:
        raw: Words = self._bits.random_raw(math.prod(shape))
        return raw.reshape(shape)

    def units(self, *shape: int) -> Floats:
        """Return numbers from the open interval (0, 1): odd multiples of 2^-53, equally likely.

        An even multiple would need a bit that a float does not have, or be 0 or 1.
        """
        return ((self._raw(shape) >> 12).astype(np.float64) + 0.5) * 2.0**-52

    def below(self, bound: int | Ints, *shape: int) -> Ints:
        """Return whole numbers from 0 to below a bound, which may be an array of bounds.

        Each is the whole part of bound x / 2^64 for a raw x. Its probability differs from 1 / bound
        by less than 2^-64: at the largest bound, one part in 2^32.
        """
        if np.size(bound) and not (np.min(bound) >= 1 and np.max(bound) <= _MOST_BOUND):
            rule, remedy = f"be from 1 to {_MOST_BOUND}", "draw below a smaller number"
            raise InputError("bound of random numbers", bound, rule, remedy=remedy)
        bounds = np.asarray(bound, dtype=np.uint64)
        raw = self._raw(shape or bounds.shape)
        carry = ((raw & 0xFFFFFFFF) * bounds) >> 32
        return (((raw >> 32) * bounds + carry) >> 32).astype(np.int64)

    def normals(self, *shape: int) -> Floats:
        """Return standard normal numbers, by inversion; none is beyond 8.3."""
        return normal_quantile(self.units(*shape))

    def picks(self, weights: Sequence[float] | Floats, *shape: int) -> Ints:
        """Return places of `weights`, each with a probability proportional to its weight.

        Probabilities are rounded to multiples of 2^-53.

        >>> Draws(1, "grades").picks([0, 2, 1, 0], 6).tolist()
        [2, 1, 2, 1, 1, 2]
        """
        sums = list(accumulate(float(weight) for weight in weights))
        if not (sums and 0 < sums[-1] < math.inf and min(weights) >= 0):
            rule = "be at least 0, finite, and not all 0"
            raise InputError("weights", weights, rule, remedy="give each case its share")
        thresholds = np.array([int(part / sums[-1] * 2**53) for part in sums], dtype=np.uint64)
        return np.searchsorted(thresholds, self._raw(shape) >> 11, side="right").astype(np.int64)

    def subset(self, n: int, k: int) -> Ints:
        """Return k different whole numbers below n, sorted; all subsets are equally likely.

        Memory grows with k.

        >>> Draws(1, "places").subset(10_000_000, 3).tolist()
        [3857517, 6392301, 8555289]
        """
        if not 0 <= k <= n:
            rule = f"be from 0 to {n}, the number there are"
            raise InputError("size of a subset", k, rule, remedy="ask for fewer")
        if 2 * k > n:
            kept = np.ones(n, dtype=np.bool_)
            kept[self.subset(n, n - k)] = False
            return np.flatnonzero(kept)
        subset = np.empty(0, dtype=np.int64)
        while len(subset) < k:  # so many more draws cannot be too many
            subset = np.unique(np.concatenate((subset, self.below(n, k - len(subset)))))
        return subset

    def order(self, n: int) -> Ints:
        """Return the numbers below n in a random order; all orders are equally likely.

        >>> Draws(1, "order").order(5).tolist()
        [1, 3, 4, 0, 2]
        """
        return np.argsort(self._raw((n,)), kind="stable").astype(np.int64)
