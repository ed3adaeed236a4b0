"""ADM from what is to be had: URE of many systems or judges, scores of any scale, and samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.adm.measures import checked_pair
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, real_array, whole_number

METHODS = ("min-max", "rank")


def calibrated(method: str, scores: ArrayLike) -> Floats:
    """Return scores as estimates in [0, 1], for ADM to compare with URE, shape (n,).

    ========== ===================================================== ================
    method     estimate of a score x                                 all scores equal
    ========== ===================================================== ================
    min-max    (x - least) / (greatest - least)                      1/2
    rank       1 - (rank - 1) / n, mean rank of equal scores         (n + 1) / (2 n)
    ========== ===================================================== ================

    Parameters
    ----------
    method
        One of `METHODS`.
    scores
        Finite numbers, greater for more relevant, shape (n,).

    Raises InputError for another method, scores that are not finite, and no score.

    >>> calibrated("min-max", [2, 3, 6]).tolist()
    [0.0, 0.25, 1.0]
    >>> calibrated("rank", [7, 3, 3, 1]).tolist()
    [1.0, 0.625, 0.625, 0.25]
    """
    remedy = "give a score for each document"
    x = real_array("scores", scores, remedy=remedy, shape=("n",))
    check_each("score", x, np.isfinite(x), "be finite", remedy=remedy, place="document {}")
    if method not in METHODS:
        raise InputError("method", method, f"be one of {', '.join(METHODS)}", remedy="name one")
    if not x.size:
        raise InputError("scores", [], "be at least one", remedy=remedy)
    if method == "min-max":
        low, high = float(x.min()), float(x.max())
        if low == high:
            return np.full(len(x), 0.5)
        # Halved, so that no difference of finite scores is infinite.
        return np.clip((x / 2 - low / 2) / (high / 2 - low / 2), 0, 1)
    ascending, n = np.sort(x), len(x)
    above = n - np.searchsorted(ascending, x, side="right")
    above_or_equal = n - np.searchsorted(ascending, x, side="left")
    rank = (above + above_or_equal + 1) / 2
    return 1 - (rank - 1) / n


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
    number: Ints


def pooled_ure(estimates: ArrayLike, categories: Sequence[int | None] | None = None) -> Pooled:
    """Return URE as the mean over systems, or over judges with scales of their own (section 4.2).

    Mizzaro (2001) takes the mean SRE of many systems where nobody judges. The standard error says
    how far the mean would vary with other systems of the same kind, not how far all of them are
    wrong together. Binary judgements averaged are the share of judges for whom the document is
    relevant.

    Parameters
    ----------
    estimates
        A row for each system or judge, shape (k, n): numbers in [0, 1], 0 for what a system does
        not retrieve, nan or None for what a judge has not judged.
    categories
        How many categories each judge chose from, shape (k,): their judgements are 0 .. N - 1, and
        k counts k / (N - 1); 2 for binary judgements, None for numbers in [0, 1].

    Raises InputError for another shape, judgements that are not on the scale, fewer than 2
    categories, and a document that nobody has judged.

    >>> pool = pooled_ure([[1, 0.5], [0.5, 0.5]])
    >>> pool.ure.tolist(), pool.error.tolist()
    ([0.75, 0.5], [0.25, 0.0])
    >>> pooled_ure([[1, 0], [1, 2], [0.25, None]], [2, 3, None]).ure.round(4).tolist()
    [0.5833, 0.5]
    """
    remedy = "give a row for each system or judge"
    values = real_array("estimates", estimates, remedy=remedy, shape=("k", "n"))
    if not values.size:
        raise InputError("estimates", values.shape, "have shape (k, n)", remedy=remedy)
    most = np.ones((len(values), 1))
    if categories is not None:
        if len(categories) != len(values):
            rule = f"be {len(values)}, as rows"
            raise InputError("numbers of categories", len(categories), rule, remedy=remedy)
        for row, number in enumerate(categories):
            if number is not None:
                remedy = "count the categories"
                most[row] = whole_number("categories", number, least=2, remedy=remedy) - 1
                whole = np.isnan(values[row]) | (values[row] % 1 == 0)
                rule, remedy = "be a whole number", "correct it, or give None"
                check_each("judgement", values[row], whole, rule, remedy=remedy)
    judged = ~np.isnan(values)
    valid, place = ~judged | ((values >= 0) & (values <= most)), "row {}, document {}"
    rule, remedy = "lie on the scale", "correct it, or the number of categories"
    check_each("estimate", values, valid, rule, remedy=remedy, place=place)
    number = judged.sum(axis=0, dtype=np.int64)
    rule, remedy = "be at least 1", "leave the document out, or have it judged"
    counts, place = number.astype(np.float64), "document {}"
    check_each("number of judgements", counts, number > 0, rule, remedy=remedy, place=place)
    values = values / most
    mean = np.where(judged, values, 0).sum(axis=0) / number
    squares = np.where(judged, (values - mean) ** 2, 0).sum(axis=0)
    error = np.full(len(mean), np.nan)
    several = number > 1
    error[several] = np.sqrt(squares[several] / (number[several] - 1) / number[several])
    return Pooled(np.minimum(mean, 1), error, number)


class Estimated(NamedTuple):
    """ADM estimated from a sample, and its standard error; nan if the sample does not tell."""

    adm: float
    error: float


def sampled_adm(
    sre: ArrayLike, ure: ArrayLike, bounds: ArrayLike = (), *, size: int | None = None
) -> Estimated:
    """Return ADM estimated from documents drawn at random, in ranges of SRE (section 4.2).

    Stratum h, a range of SRE, has n_h documents, of which m_h were drawn without replacement and
    judged. With N = |D| and the mean distance d'_h of those drawn:

        estimate    1 - sum_h (n_h / N) d'_h
        variance    sum_h (n_h / N)^2 (1 - m_h / n_h) S_h^2 / m_h

    S_h^2 is the variance of the stratum's distances, with divisor n_h - 1. The estimate is
    unbiased, and so is the estimated variance, with the sample's S_h^2. Without bounds there is one
    stratum: a simple random sample of the list.

    Parameters
    ----------
    sre
        SRE of all documents listed, in [0, 1], shape (n,).
    ure
        URE of those drawn, nan or None for the others, shape (n,).
    bounds
        b_1 < b_2 < .. in (0, 1): the strata are [0, b_1), [b_1, b_2), .., [b_last, 1].
    size
        |D|, at least n; n if none is given. Documents that are not listed have SRE = URE = 0, and
        are not judged.

    Raises InputError for estimates outside [0, 1] or of different lengths, bounds out of order, a
    size below n, and a stratum that holds documents of which none is judged.

    >>> sampled_adm([0.5, 0.5, 0.5, 0.5], [0, 0.5, None, None])
    Estimated(adm=0.75, error=0.1767766952966369)
    """
    values = real_array("URE", ure, remedy="give nan for what is not judged", shape=("n",))
    judged = ~np.isnan(values)
    system, user, count = checked_pair(sre, np.where(judged, values, 0), size)
    remedy = "give where one range of SRE ends and the next begins"
    limits = real_array("bounds", bounds, remedy=remedy)
    if limits.ndim != 1 or not (np.diff(np.concatenate(([0.0], limits, [1.0]))) > 0).all():
        raise InputError("bounds", limits.tolist(), "rise strictly within (0, 1)", remedy=remedy)
    strata = np.searchsorted(limits, system, side="right")
    sizes = np.bincount(strata, minlength=len(limits) + 1)
    distances = np.abs(system - user)
    total = variance = 0.0
    for h in np.flatnonzero(sizes):
        drawn = distances[judged & (strata == h)]
        if not len(drawn):
            remedy = "draw from each stratum that holds documents"
            raise InputError("judged", 0, "be at least 1", remedy=remedy, place=f"stratum {h + 1}")
        share = sizes[h] / count
        total += share * float(drawn.mean())
        if len(drawn) < sizes[h]:
            spread = drawn.var(ddof=1) if len(drawn) > 1 else np.nan
            variance += share**2 * (1 - len(drawn) / sizes[h]) * spread / len(drawn)
    return Estimated(1 - float(total), float(np.sqrt(variance)))
