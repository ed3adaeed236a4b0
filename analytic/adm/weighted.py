"""ADM from documents drawn with unequal probabilities: Hansen-Hurwitz and Horvitz-Thompson."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.adm.sampling import Estimated, SampleDesign
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, real_array, whole_number


@dataclass(frozen=True, slots=True, eq=False)
class HansenHurwitz(SampleDesign):
    """Judge m documents drawn independently, with replacement, each with probability p.

    With N = |D| and distances d:

        estimate    1 - (1 / (m N)) sum_{draws} d / p
        variance    (sum_d d^2 / p - (sum_d d)^2) / (m N^2)

    Hansen and Hurwitz (1943). Unbiased whatever p > 0; least variance where p is proportional to d,
    which is not known beforehand. The estimate is not cut to [0, 1]. The estimated variance, that
    of d / (p N) in the sample with divisor m - 1, over m, is unbiased.

    Parameters
    ----------
    sre, size
        As of every `SampleDesign`.
    weights
        p up to a factor, positive and finite, shape (n,); a function of SRE, say.
    num_draws
        m, at least 1.

    >>> design = HansenHurwitz([0.75, 0.25], [3, 1], 2)
    >>> design.probabilities.tolist(), design.variance([0, 0])  # p is proportional to the distance
    ([0.75, 0.25], 0.0)
    >>> design.estimate([0, 0], [0, 0])
    Estimated(adm=0.5, error=0.0)
    """

    sre: ArrayLike
    weights: ArrayLike
    num_draws: int
    size: int | None = None
    _may_repeat: ClassVar[bool] = True

    def __post_init__(self) -> None:
        weights = _checked_weights("weights", self.weights, len(self._check()))
        whole_number("num_draws", self.num_draws, least=1, remedy="say how often to draw")
        object.__setattr__(self, "weights", weights)

    @property
    def probabilities(self) -> Floats:
        """P of one draw, shape (n,)."""
        weights = np.asarray(self.weights, dtype=np.float64)
        p: Floats = weights / weights.sum()
        return p

    @property
    def _num_drawn(self) -> int:
        return self.num_draws

    def _estimate(self, chosen: Ints, apart: Floats) -> Estimated:
        totals = apart / self.probabilities[chosen] / self._count
        m = self.num_draws
        error = float(totals.std(ddof=1) / np.sqrt(m)) if m > 1 else float("nan")
        return Estimated(1 - float(totals.mean()), error)

    def _variance(self, apart: Floats, count: int) -> float:
        p = self.probabilities
        # sum p (d / p - total)^2, without the cancellation.
        return float(p @ (apart / p - apart.sum()) ** 2) / (self.num_draws * count**2)


@dataclass(frozen=True, slots=True, eq=False)
class HorvitzThompson(SampleDesign):
    """Judge each document with its own probability pi, independently.

    With N = |D| and distances d:

        estimate              1 - (1 / N) sum_{judged} d / pi
        variance              (1 / N^2) sum_d d^2 (1 - pi) / pi
        estimated variance    (1 / N^2) sum_{judged} d^2 (1 - pi) / pi^2

    Horvitz and Thompson (1952), with independent draws, so that the number of documents judged is
    random, of mean sum pi. Estimate and estimated variance are unbiased; the estimate is not cut to
    [0, 1], and is 1 if nothing was judged.

    Parameters
    ----------
    sre, size
        As of every `SampleDesign`.
    inclusion
        pi, in (0, 1], shape (n,); see `inclusion_of`.

    >>> design = HorvitzThompson([0.5, 0.5], [1, 0.5])
    >>> design.variance([0, 0])
    0.0625
    >>> design.estimate([0, 1], [0, 0])
    Estimated(adm=0.25, error=0.3535533905932738)
    """

    sre: ArrayLike
    inclusion: ArrayLike
    size: int | None = None

    def __post_init__(self) -> None:
        inclusion = _checked_weights("inclusion", self.inclusion, len(self._check()), most=1.0)
        object.__setattr__(self, "inclusion", inclusion)

    @property
    def _num_drawn(self) -> None:
        return None

    def _estimate(self, chosen: Ints, apart: Floats) -> Estimated:
        inclusion = np.asarray(self.inclusion)
        totals = apart / inclusion[chosen] / self._count
        variance = float(totals**2 @ (1 - inclusion[chosen]))
        return Estimated(1 - float(totals.sum()), float(np.sqrt(variance)))

    def _variance(self, apart: Floats, count: int) -> float:
        inclusion = np.asarray(self.inclusion)
        return float(apart**2 @ ((1 - inclusion) / inclusion)) / count**2


def inclusion_of(weights: ArrayLike, expected: float) -> Floats:
    """Return pi = min(1, c w), with c such that `expected` documents are judged on average.

    Parameters
    ----------
    weights
        w, positive and finite, shape (n,).
    expected
        In (0, n].

    Raises
    ------
    InputError
        for weights that are not positive and finite, or an expectation out of range.

    >>> inclusion_of([1, 1, 8], 2).tolist()
    [0.5, 0.5, 1.0]
    """
    w = _checked_weights("weights", weights, None)
    n = len(w)
    if not 0 < expected <= n:
        raise InputError(
            "expected", expected, f"lie in (0, {n}]", remedy="say how many to judge on average"
        )
    certain = np.zeros(n, dtype=np.bool_)
    while True:
        rest = expected - certain.sum()
        pi = np.where(certain, 1.0, rest * w / (w[~certain].sum() or 1.0))
        over = (pi >= 1) & ~certain
        if not over.any():
            return pi
        certain |= over


def _checked_weights(thing: str, weights: ArrayLike, n: int | None, most: float = np.inf) -> Floats:
    rule = "be positive and finite" if most == np.inf else f"lie in (0, {most:g}]"
    remedy = "give a number for each document"
    checked = real_array(thing, weights, remedy=remedy, shape=("n" if n is None else n,))
    valid = (checked > 0) & np.isfinite(checked) & (checked <= most)
    remedy = "let each document have a chance; what is never drawn biases the estimate"
    check_each(thing, checked, valid, rule, remedy=remedy, place="document {}")
    checked.setflags(write=False)
    return checked
