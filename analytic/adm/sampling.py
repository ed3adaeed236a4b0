"""ADM from a sample of judged documents: what is retrieved, or drawn at random."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.adm.measures import checked_estimates, checked_pair, checked_size
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import real_array, whole_number


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

    Raises
    ------
    InputError
        as `checked_pair`.
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
