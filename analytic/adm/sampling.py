"""ADM from a sample of judged documents: what is retrieved, or drawn, alike or not, at random."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.adm.measures import checked_estimates, checked_pair, checked_size
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, real_array, whole_number


@dataclass(frozen=True, slots=True)
class Estimated:
    """ADM estimated from a sample.

    Attributes
    ----------
    adm
        The estimate.
    error
        Its estimated standard error; nan if the sample does not tell.
    """

    adm: float
    error: float


class SampleDesign(ABC):
    """A way to choose which of the listed documents are judged (Mizzaro 2001, section 4.2).

    Parameters
    ----------
    sre
        SRE of all documents listed, in [0, 1], shape (n,).
    size
        |D|, at least n; n if none is given. Documents that are not listed have SRE = URE = 0, and
        are not judged. To have any document drawn, list it with SRE 0.

    Raises
    ------
    InputError
        for SREs outside [0, 1], a size out of range, and what a design says of its own.
    """

    __slots__ = ()

    sre: ArrayLike
    size: int | None
    _may_repeat: ClassVar[bool] = False

    def estimate(self, judged: ArrayLike, ure: ArrayLike) -> Estimated:
        """Return the estimate of ADM, and its standard error, nan if the sample does not tell.

        Parameters
        ----------
        judged
            The numbers of the documents judged, from 0, as often as drawn, shape (m,).
        ure
            What was judged of them, shape (m,).

        Raises
        ------
        InputError
            for numbers or UREs that do not fit the design.
        """
        chosen, apart = _sampled(self, judged, ure)
        return self._estimate(chosen, apart)

    def variance(self, ure: ArrayLike) -> float:
        """Return the estimate's variance, given URE of all documents listed, shape (n,).

        Raises
        ------
        InputError
            for UREs outside [0, 1], or not one for each document.
        """
        return self._variance(*population(self.sre, ure, self.size))

    def _check(self) -> Floats:
        sre = checked_estimates("SRE", self.sre)
        checked_size(self.size, len(sre))
        object.__setattr__(self, "sre", sre)
        return sre

    @property
    def _count(self) -> int:
        return checked_size(self.size, len(np.asarray(self.sre)))

    @property
    @abstractmethod
    def _num_drawn(self) -> int | None:
        """How many documents have to be judged; any number if None."""

    @abstractmethod
    def _estimate(self, chosen: Ints, apart: Floats) -> Estimated:
        """Return the estimate from the distances of the documents chosen."""

    @abstractmethod
    def _variance(self, apart: Floats, count: int) -> float:
        """Return the variance from the distances of all documents listed, and |D|."""


@dataclass(frozen=True, slots=True, eq=False)
class _OfNumber(SampleDesign):
    """Judge m documents, of whatever estimates."""

    sre: ArrayLike
    num_judged: int
    size: int | None = None

    def __post_init__(self) -> None:
        most, remedy = len(self._check()), "say how many documents are judged"
        number = whole_number("num_judged", self.num_judged, least=1, most=most, remedy=remedy)
        object.__setattr__(self, "num_judged", number)

    @property
    def _num_drawn(self) -> int:
        return self.num_judged


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedOnly(_OfNumber):
    """Judge what is retrieved first, the documents of highest SRE (Mizzaro 2001, section 4.2).

    Of equal SREs the first in the list. The estimate is 1 less the mean distance of those judged.
    It is biased unless documents further down are as far off on average.

    Parameters
    ----------
    sre, size
        As of every `SampleDesign`.
    num_judged
        m, from 1 to n.

    >>> design = RetrievedOnly([0.9, 0.1, 0.5, 0.3], 2)
    >>> design.judged.tolist()
    [0, 2]
    >>> design.estimate([0, 2], [0.4, 0.5])
    Estimated(adm=0.75, error=nan)
    """

    @property
    def judged(self) -> Ints:
        """The numbers of the documents to judge, shape (m,)."""
        return np.argsort(-np.asarray(self.sre), kind="stable")[: self.num_judged]

    def _estimate(self, chosen: Ints, apart: Floats) -> Estimated:
        if not np.isin(chosen, self.judged).all():
            raise InputError(
                "judged",
                chosen.tolist(),
                "be the documents of highest SRE",
                remedy="judge the documents the design names",
            )
        return Estimated(1 - float(apart.mean()), float("nan"))

    def _variance(self, apart: Floats, count: int) -> float:  # noqa: ARG002 - others draw
        return 0.0

    def bias(self, ure: ArrayLike) -> float:
        """Return estimate - ADM, the mean distance of all documents less that of those judged.

        Parameters
        ----------
        ure
            URE of all documents listed, shape (n,).

        Raises
        ------
        InputError
            for UREs outside [0, 1], or not one for each document.
        """
        apart, count = population(self.sre, ure, self.size)
        return float(apart.sum()) / count - float(apart[self.judged].mean())


@dataclass(frozen=True, slots=True, eq=False)
class SimpleRandom(_OfNumber):
    """Judge m of the n listed documents, drawn uniformly without replacement (section 4.2).

    With N = |D|, distances d and their means over the sample d', over the list d'':

        estimate    1 - (n / N) d'
        variance    (n / N)^2 (1 - m / n) S^2 / m,    S^2 = sum_d (d - d'')^2 / (n - 1)

    It is unbiased, and so is the estimated variance, with the sample's S^2 for the list's.

    Parameters
    ----------
    sre, size
        As of every `SampleDesign`.
    num_judged
        m, from 1 to n.

    >>> design = SimpleRandom([0.5, 0.5, 0.5, 0.5], 2)
    >>> design.variance([0, 0.5, 0.5, 1])
    0.020833333333333332
    >>> design.estimate([0, 1], [0, 0.5])
    Estimated(adm=0.75, error=0.1767766952966369)
    """

    def _estimate(self, chosen: Ints, apart: Floats) -> Estimated:  # noqa: ARG002 - all alike
        n = len(np.asarray(self.sre))
        share = n / self._count
        variance = variance_of_mean(apart, self.num_judged, n)
        return Estimated(1 - share * float(apart.mean()), share * float(np.sqrt(variance)))

    def _variance(self, apart: Floats, count: int) -> float:
        return (len(apart) / count) ** 2 * variance_of_mean(apart, self.num_judged, len(apart))


def population(sre: ArrayLike, ure: ArrayLike, size: int | None) -> tuple[Floats, int]:
    """Return the distance of each document listed, shape (n,), and |D|.

    Raise InputError as `checked_pair`.
    """
    system, user, count = checked_pair(sre, ure, size)
    return np.abs(system - user), count


def _sampled(design: SampleDesign, judged: ArrayLike, ure: ArrayLike) -> tuple[Ints, Floats]:
    """Return the numbers of the documents judged and their distances, shape (m,) each."""
    sre, number = np.asarray(design.sre), design._num_drawn
    remedy = "give the numbers of the documents judged, from 0"
    values = real_array("judged", judged, remedy=remedy)
    if values.ndim != 1 or (number is not None and len(values) != number):
        wanted = "m" if number is None else number
        raise InputError("judged", values.shape, f"have shape ({wanted},)", remedy=remedy)
    if not (np.isin(values, np.arange(len(sre)))).all():
        raise InputError(
            "judged", values.tolist(), f"be whole numbers below {len(sre)}", remedy=remedy
        )
    chosen = values.astype(np.int64)
    if not design._may_repeat and len(np.unique(chosen)) < len(chosen):
        raise InputError("judged", chosen.tolist(), "be distinct", remedy=remedy)
    user = checked_estimates("URE", ure)
    if user.shape != chosen.shape:
        raise InputError(
            "URE", user.shape, f"have shape {chosen.shape}, as judged", remedy="judge each of them"
        )
    return chosen, np.abs(sre[chosen] - user)


def variance_of_mean(numbers: Floats, drawn: int, n: int) -> float:
    """Return the variance of the mean of `drawn` of n numbers, drawn without replacement.

    Known from all of them, or estimated from those drawn; nan if one alone does not tell.
    """
    if drawn == n:
        return 0.0
    spread = float(numbers.var(ddof=1)) if len(numbers) > 1 else float("nan")
    return (1 - drawn / n) * spread / drawn


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
