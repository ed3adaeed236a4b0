"""First two moments of probabilities that are Beta or Dirichlet, and of their sums."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from prum.experiments.fitting.dirichlet import Whole, group_shares, group_sums
from prum.simulator.model.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Mean and variance of quantities that are linear in a Beta or Dirichlet law.

    Parameters
    ----------
    mean, variance
        Of each quantity.
    whole
        The sum of the law's shapes: so many choices the law is worth.
    """

    mean: Floats
    variance: Floats
    whole: Floats

    @classmethod
    def of_beta(cls, a: Floats, b: Floats) -> Self:
        """Return the moments of Beta(a, b); a shape of 0 makes one side certain."""
        mean = a / (a + b)
        return cls(mean, mean * (1 - mean) / (a + b + 1), a + b)

    @classmethod
    def of_each(cls, shapes: Floats, groups: Whole, num_groups: int) -> Self:
        """Return the moments of each probability of each group's Dirichlet law."""
        whole = group_sums(shapes, groups, num_groups)[groups]
        mean = group_shares(shapes, groups, num_groups)
        return cls(mean, mean * (1 - mean) / (whole + 1), whole)

    @classmethod
    def of_sums(cls, shapes: Floats, slopes: Floats, groups: Whole, num_groups: int) -> Self:
        """Return the moments of each group's sum of slope times probability."""
        whole = group_sums(shapes, groups, num_groups)
        shares = group_shares(shapes, groups, num_groups)
        mean = group_sums(slopes * shares, groups, num_groups)
        spread = group_sums((slopes - mean[groups]) ** 2 * shares, groups, num_groups)
        return cls(mean, spread / (whole + 1), whole)

    def take(self, places: Ints) -> Self:
        """Return the moments at some places."""
        return type(self)(self.mean[places], self.variance[places], self.whole[places])

    def put(self, places: Ints, size: int) -> Self:
        """Return moments of `size` quantities: these at some places, elsewhere those of 0."""
        parts = np.zeros((3, size))
        parts[:, places] = self.mean, self.variance, self.whole
        return type(self)(*parts)

    @property
    def square(self) -> Floats:
        """The mean of the square."""
        return self.mean**2 + self.variance

    def known(self, more: NDArray[np.number[Any]]) -> Floats:
        """Return the mean of the square of what the mean will be after so many more choices.

        The mean after m choices more has the variance v m / (k + m), where k is `whole`.
        """
        share = np.where(more > 0, more / np.maximum(self.whole + more, 1e-300), 0.0)
        known: Floats = self.mean**2 + self.variance * share
        return known
