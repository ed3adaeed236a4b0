"""Stopping distributions: with which probability a user's last rank is k, or none in the list."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array

# Probabilities that sum to this much above 1 do so by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class StoppingLaw:
    """P(k), the probability that a user stops at rank k (Carterette 2011, section 2).

    Parameters
    ----------
    mass
        P(k) for k = 1 .. n, shape (n,).
    remainder
        1 - sum_k P(k), the share of users who do not stop inside the list.

    >>> law = StoppingLaw.of([0.5, 0.25])
    >>> law.viewing.tolist(), law.viewing_beyond
    ([1.0, 0.5], 0.25)
    """

    mass: Floats
    remainder: float

    @property
    def viewing(self) -> Floats:
        """F(k) = P(K >= k) for k = 1 .. n, who look at rank k, shape (n,); F(1) = 1.

        Counts those who stop behind the list, unlike the sum to n in section 2.2.
        """
        return self.mass[::-1].cumsum()[::-1] + self.remainder

    @property
    def viewing_beyond(self) -> float:
        """F(n + 1), the share of users who look behind the list: the remainder."""
        return self.remainder

    @classmethod
    def of(cls, mass: ArrayLike) -> "StoppingLaw":
        """Return the law of probabilities of your own; what they lack to 1 is the remainder.

        Raises InputError for a P(k) that is negative or not finite, or a sum above 1 by more than
        rounding.

        >>> StoppingLaw.of([0.25, 0.25, 0.25])
        StoppingLaw(n = 3: P .2500 .2500 .2500, remainder .2500)
        """
        checked = real_array("mass", mass, remedy="give P(k) for each rank", shape=("n",))
        valid, rule = (checked >= 0) & np.isfinite(checked), "be a finite number of at least 0"
        check_each("P(k)", checked, valid, rule, remedy="give probabilities", place="rank {}")
        total = math.fsum(checked)
        if total > 1 + ROUNDING:
            remedy = "divide by the sum, or cut the list"
            raise InputError("sum of P(k)", total, "be at most 1", remedy=remedy)
        return law(checked, max(1 - total, 0.0))

    def __repr__(self) -> str:
        shown = " ".join(f"{p:.4f}".removeprefix("0") for p in self.mass[:6])
        more = " ..." if len(self.mass) > 6 else ""
        rest = f"{self.remainder:.4f}".removeprefix("0")
        return f"StoppingLaw(n = {len(self.mass)}: P {shown}{more}, remainder {rest})"


def law(mass: Floats, remainder: float) -> StoppingLaw:
    """Return the law of probabilities known to be right, of which it keeps a copy."""
    mass = np.array(mass, dtype=np.float64)
    mass.setflags(write=False)
    return StoppingLaw(mass, float(remainder))


def mixed_stopping(laws: Iterable[StoppingLaw], weights: ArrayLike) -> StoppingLaw:
    """Return the law of a population of which a share weights[j] stops by laws[j].

    P(k) = sum_j w_j P_j(k), and the remainder likewise: section 3.4 of Carterette (2011) with
    finitely many kinds of users.

    Parameters
    ----------
    laws
        At least one, all for the same number of ranks.
    weights
        Nonnegative, with sum 1.

    Raises
    ------
    InputError
        if laws differ in length, or weights are no distribution over them.

    >>> mixed_stopping([StoppingLaw.of([1, 0]), StoppingLaw.of([0, 0.5])], [0.5, 0.5])
    StoppingLaw(n = 2: P .5000 .2500, remainder .2500)
    """
    several = list(laws)
    if not several:
        raise InputError("laws", several, "be at least one", remedy="give stopping laws")
    lengths = sorted({len(each.mass) for each in several})
    if len(lengths) > 1:
        remedy = "make all laws for one list"
        raise InputError("ranks of the laws", lengths, "be equally many", remedy=remedy)
    remedy = "give one weight for each law"
    shares = checked_shares("weights", weights, len(several), remedy=remedy)
    mass = shares @ np.array([each.mass for each in several])
    return law(mass, float(shares @ [each.remainder for each in several]))


def checked_shares(thing: str, values: ArrayLike, number: int, *, remedy: str) -> Floats:
    """Return values if they are a distribution over so many things."""
    shares = real_array(thing, values, remedy=remedy, shape=(number,))
    if not (shares >= 0).all() or abs(shares.sum() - 1) > ROUNDING:
        rule, remedy = "be nonnegative with sum 1", "divide them by their sum"
        raise InputError(thing, shares.tolist(), rule, remedy=remedy)
    return shares
