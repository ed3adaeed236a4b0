"""URE as a mean: over the estimates of many systems, or over the judgements of several people."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.adm.measures import checked_estimates
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array, whole_number


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """URE as a mean.

    Attributes
    ----------
    ure
        In [0, 1], shape (n,).
    error
        Its standard error s / sqrt(number), nan for fewer than two estimates; shape (n,).
    number
        How many estimates there are of each document, shape (n,).
    """

    ure: Floats
    error: Floats
    number: np.ndarray[tuple[int, ...], np.dtype[np.int64]]

    def __post_init__(self) -> None:
        for array in (self.ure, self.error, self.number):
            array.setflags(write=False)


@dataclass(frozen=True, slots=True, eq=False)
class Assessor:
    """What one person says about the documents.

    Parameters
    ----------
    judgements
        One for each document, nan or None for what they have not judged; shape (n,).
    categories
        How many categories they chose from: judgements are 0 .. N - 1, and k counts k / (N - 1); 2
        for binary judgements. None if they gave numbers in [0, 1].

    Raises
    ------
    InputError
        for judgements that are not on that scale, and fewer than 2 categories.

    >>> Assessor([0, 2, 3], categories=4).estimates.round(2).tolist()
    [0.0, 0.67, 1.0]
    """

    judgements: ArrayLike
    categories: int | None = None

    def __post_init__(self) -> None:
        remedy = "give a judgement for each document, nan for none"
        values = real_array("judgements", self.judgements, remedy=remedy, shape=("n",))
        rule, most, fits = "lie in [0, 1]", 1, np.ones(len(values), dtype=np.bool_)
        if self.categories is not None:
            most = -1 + whole_number(
                "categories", self.categories, least=2, remedy="count the categories"
            )
            rule, fits = f"be a whole number from 0 to {most}", values == np.floor(values)
        valid = np.isnan(values) | (fits & (values >= 0) & (values <= most))
        remedy = "correct it, or the number of categories"
        check_each("judgement", values, valid, rule, remedy=remedy, place="document {}")
        values.setflags(write=False)
        object.__setattr__(self, "judgements", values)

    @property
    def estimates(self) -> Floats:
        """The judgements in [0, 1], nan where there is none; shape (n,)."""
        values = np.asarray(self.judgements, dtype=np.float64)
        scaled: Floats = values / (1 if self.categories is None else self.categories - 1)
        return scaled


def pooled_ure(estimates: ArrayLike) -> Pooled:
    """Return URE as the mean of the SREs of many systems (Mizzaro 2001, section 4.2).

    No one judges. The standard error says how far the mean would vary with other systems of the
    same kind, not how far all of them are wrong together.

    Parameters
    ----------
    estimates
        SRE in [0, 1], shape (systems, n); 0 for what a system does not retrieve.

    Raises
    ------
    InputError
        for values outside [0, 1], another shape, and no system.

    >>> pool = pooled_ure([[1, 0.5], [0.5, 0.5]])
    >>> pool.ure.tolist(), pool.error.tolist()
    ([0.75, 0.5], [0.25, 0.0])
    """
    remedy = "give a row for each system"
    values = real_array("estimates", estimates, remedy=remedy)
    if values.ndim != 2 or not values.size:
        raise InputError("estimates", values.shape, "have shape (systems, n)", remedy=remedy)
    for system, row in enumerate(values):
        checked_estimates(f"SRE of system {system + 1}", row)
    return _mean_of(values)


def assessed_ure(assessors: Sequence[Assessor]) -> Pooled:
    """Return URE as the mean over assessors, each on their own scale (Mizzaro 2001, section 4.2).

    Binary judgements averaged are the share of assessors for whom the document is relevant.

    Raises
    ------
    InputError
        for no assessor, different numbers of documents, and a document that nobody has judged.

    >>> three = [Assessor([1, 0], 2), Assessor([1, 2], 3), Assessor([0.25, None])]
    >>> pool = assessed_ure(three)
    >>> pool.ure.tolist(), pool.number.tolist()
    ([0.5833333333333334, 0.5], [3, 2])
    """
    if not assessors:
        raise InputError("assessors", [], "be at least one", remedy="ask somebody")
    rows = [assessor.estimates for assessor in assessors]
    lengths = [len(row) for row in rows]
    if len(set(lengths)) > 1 or not lengths[0]:
        raise InputError(
            "assessors",
            lengths,
            "have as many documents each",
            remedy="give nan for what is not judged",
        )
    values = np.stack(rows)
    nobody = np.flatnonzero(np.isnan(values).all(axis=0))
    if nobody.size:
        raise InputError(
            "judgements",
            "none",
            "be at least one for each document",
            remedy="leave the document out, or have it judged",
            place=f"document {nobody[0] + 1}",
        )
    return _mean_of(values)


def _mean_of(values: Floats) -> Pooled:
    known = ~np.isnan(values)
    number = known.sum(axis=0, dtype=np.int64)
    mean = np.where(known, values, 0).sum(axis=0) / number
    squares = np.where(known, (values - mean) ** 2, 0).sum(axis=0)
    error = np.full(len(mean), np.nan)
    several = number > 1
    error[several] = np.sqrt(squares[several] / (number[several] - 1) / number[several])
    return Pooled(np.minimum(mean, 1), error, number)
