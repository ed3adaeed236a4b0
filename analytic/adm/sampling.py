"""ADM from a sample of judged documents: what is retrieved, or drawn at random."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prum.analytic.adm.estimates import Floats, checked_estimates, checked_pair, checked_size
from prum.simulator.model import InputError
from prum.simulator.model.errors import real_array, whole_number

Ints = NDArray[np.int64]


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


@dataclass(frozen=True, slots=True, eq=False)
class RetrievedOnly:
    """Judge what is retrieved first, the documents of highest SRE (Mizzaro 2001, section 4.2).

    Of equal SREs the first in the list. The estimate is 1 less the mean distance of those judged.
    It is biased unless documents further down are as far off on average.

    Parameters
    ----------
    sre
        SRE of all documents listed, in [0, 1], shape (n,).
    num_judged
        m, from 1 to n.
    size
        |D|, at least n; n if none is given. Documents that are not listed have SRE = URE = 0.

    Raises
    ------
    InputError
        for SREs outside [0, 1], m or a size out of range.

    >>> design = RetrievedOnly([0.9, 0.1, 0.5, 0.3], 2)
    >>> design.judged.tolist()
    [0, 2]
    >>> design.estimate([0, 2], [0.4, 0.5])
    Estimated(adm=0.75, error=nan)
    """

    sre: ArrayLike
    num_judged: int
    size: int | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def judged(self) -> Ints:
        """The numbers of the documents to judge, shape (m,)."""
        return np.argsort(-np.asarray(self.sre), kind="stable")[: self.num_judged]

    def estimate(self, judged: ArrayLike, ure: ArrayLike) -> Estimated:
        """Return the estimate from the UREs of the documents judged; its error is never known.

        Raises
        ------
        InputError
            for numbers or UREs that do not fit the design.
        """
        chosen, apart = sampled(np.asarray(self.sre), judged, ure, self.num_judged)
        if not np.isin(chosen, self.judged).all():
            raise InputError(
                "judged", chosen.tolist(), "be the documents of highest SRE",
                remedy="judge the documents the design names",
            )  # fmt: skip
        return Estimated(1 - float(apart.mean()), float("nan"))

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
class SimpleRandom:
    """Judge m of the n listed documents, drawn uniformly without replacement (section 4.2).

    With N = |D|, distances d and their means over the sample d', over the list d'':

        estimate    1 - (n / N) d'
        variance    (n / N)^2 (1 - m / n) S^2 / m,    S^2 = sum_d (d - d'')^2 / (n - 1)

    It is unbiased, and so is the estimated variance, with the sample's S^2 for the list's.

    Parameters
    ----------
    sre
        SRE of all documents listed, in [0, 1], shape (n,).
    num_judged
        m, from 1 to n.
    size
        |D|, at least n; n if none is given. Documents that are not listed have SRE = URE = 0, and
        are not drawn. To have any document drawn, list it with SRE 0.

    Raises
    ------
    InputError
        for SREs outside [0, 1], m or a size out of range.

    >>> design = SimpleRandom([0.5, 0.5, 0.5, 0.5], 2)
    >>> design.variance([0, 0.5, 0.5, 1])
    0.020833333333333332
    >>> design.estimate([0, 1], [0, 0.5])
    Estimated(adm=0.75, error=0.1767766952966369)
    """

    sre: ArrayLike
    num_judged: int
    size: int | None = None

    def __post_init__(self) -> None:
        _check(self)

    def estimate(self, judged: ArrayLike, ure: ArrayLike) -> Estimated:
        """Return estimate and standard error, nan for one document of several.

        Parameters
        ----------
        judged
            The numbers of the documents drawn, from 0, shape (m,).
        ure
            What was judged of them, shape (m,).

        Raises
        ------
        InputError
            for numbers or UREs that do not fit the design.
        """
        sre = np.asarray(self.sre)
        _, apart = sampled(sre, judged, ure, self.num_judged)
        share = len(sre) / checked_size(self.size, len(sre))
        variance = variance_of_mean(apart, self.num_judged, len(sre))
        return Estimated(1 - share * float(apart.mean()), share * float(np.sqrt(variance)))

    def variance(self, ure: ArrayLike) -> float:
        """Return the estimate's variance, given URE of all documents listed, shape (n,).

        Raises
        ------
        InputError
            for UREs outside [0, 1], or not one for each document.
        """
        apart, count = population(self.sre, ure, self.size)
        return (len(apart) / count) ** 2 * variance_of_mean(apart, self.num_judged, len(apart))


def _check(design: RetrievedOnly | SimpleRandom) -> None:
    sre = checked_estimates("SRE", design.sre)
    checked_size(design.size, len(sre))
    number = whole_number(
        "num_judged", design.num_judged, least=1, most=len(sre),
        remedy="say how many documents are judged",
    )  # fmt: skip
    object.__setattr__(design, "sre", sre)
    object.__setattr__(design, "num_judged", number)


def population(sre: ArrayLike, ure: ArrayLike, size: int | None) -> tuple[Floats, int]:
    """Return the distance of each document listed, shape (n,), and |D|.

    Raises
    ------
    InputError
        as `checked_pair`.
    """
    system, user, count = checked_pair(sre, ure, size)
    return np.abs(system - user), count


def sampled(
    sre: Floats, judged: ArrayLike, ure: ArrayLike, number: int | None, *, again: bool = False
) -> tuple[Ints, Floats]:
    """Return the numbers of the documents judged and their distances, shape (m,) each.

    Parameters
    ----------
    number
        How many there have to be; any if none is given.
    again
        Whether a document may be drawn more than once.

    Raises
    ------
    InputError
        for numbers that are not of documents, or twice the same, as many as there have to be, and
        UREs that are not one in [0, 1] for each.
    """
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
    if not again and len(np.unique(chosen)) < len(chosen):
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
