"""ADM, the average distance between what system and user estimate; its variants and baselines."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, proportion, real_array, whole_number

About = Literal["zero", "mean"]


def adm(sre: ArrayLike, ure: ArrayLike, *, size: int | None = None) -> float:
    """Return the Average Distance Measure, in [0, 1] (Mizzaro 2001, equation 1).

        ADM = 1 - sum_d |SRE(d) - URE(d)| / |D|

    Parameters
    ----------
    sre, ure
        System and user relevance estimates in [0, 1], shape (n,).
    size
        |D|, at least n; n if none is given. Documents that are not listed have SRE = URE = 0, and
        so distance 0.

    Raises
    ------
    InputError
        for values outside [0, 1], different lengths, no document, and a size below n.

    >>> adm([1, 0.4, 0.6, 0, 0.3], [0.8, 0.6, 0.4, 0.2, 0.1])  # IRS2 of Table 1
    0.8
    """
    system, user, count = checked_pair(sre, ure, size)
    return 1 - float(np.abs(system - user).sum()) / count


def adm_categories(
    sre: ArrayLike,
    ure: ArrayLike,
    relevance_categories: int,
    retrieval_categories: int,
    *,
    size: int | None = None,
) -> float:
    """Return ADM_N^M, of N categories of relevance and M of retrieval, in [0, 1] (section 4.1).

    ADM of estimates rounded to equally spaced values, see `categorised`: URE to N of them, SRE to
    M. ADM_2^2 is 1 - (A + D) / |D|, the share of right decisions at thresholds of 1/2. ADM_N^M is
    at most 1 / (2 (N - 1)) + 1 / (2 (M - 1)) from ADM.

    Parameters
    ----------
    sre, ure, size
        As in `adm`.
    relevance_categories, retrieval_categories
        N and M, at least 2.

    Raises
    ------
    InputError
        as `adm`; for fewer than 2 categories.

    >>> adm_categories([0.9, 0.5, 0.5, 0.1, 0.2], [0.8, 0.6, 0.4, 0.2, 0.1], 2, 2)
    0.8
    """
    system, user, count = checked_pair(sre, ure, size)
    apart = categorised(system, retrieval_categories) - categorised(user, relevance_categories)
    return 1 - float(np.abs(apart).sum()) / count


def categorised(estimates: ArrayLike, categories: int) -> Floats:
    """Return estimates rounded to N categories with the values k / (N - 1), k = 0 .. N - 1.

    To the nearest, and up from halfway: k = floor(v (N - 1) + 1/2). So both outer categories are
    half as wide as the inner ones, [0, 1 / (2 (N - 1))) and [1 - 1 / (2 (N - 1)), 1]; with N = 2
    what is at least 1/2 counts as 1.

    Raises
    ------
    InputError
        for values outside [0, 1], and fewer than 2 categories.

    >>> categorised([0.24, 0.25, 0.5, 0.75], 3).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    values = checked_estimates("estimates", estimates)
    steps = whole_number("categories", categories, least=2, remedy="give at least two") - 1
    return np.floor(values * steps + 0.5) / steps


def adm_deviation(
    sre: ArrayLike, ure: ArrayLike, *, size: int | None = None, about: About = "zero"
) -> float:
    """Return 1 less a standard deviation in place of the mean distance (Mizzaro 2001, section 5).

    The paper names the variant without a formula. With e(d) = SRE(d) - URE(d) and means over D:

        zero    1 - sqrt(mean of e^2)                 the deviation from the ideal line; in [0, 1]
        mean    1 - sqrt(mean of (e - mean of e)^2)   the spread about the mean error; in [0, 1]

    The first is the default: it takes the place of the sum of distances, is 1 only if all estimates
    agree, and is at most ADM. The second forgives estimates that are all too high by the same.

    Parameters
    ----------
    sre, ure, size
        As in `adm`; e = 0 for documents that are not listed.
    about
        "zero" or "mean".

    Raises
    ------
    InputError
        as `adm`; for another word for `about`.

    >>> adm_deviation([0.75, 0.25], [0.5, 0.5]), adm_deviation([0.75, 0.5], [0.5, 0.25])
    (0.75, 0.75)
    >>> adm_deviation([0.75, 0.5], [0.5, 0.25], about="mean")
    1.0
    """
    system, user, count = checked_pair(sre, ure, size)
    if about not in ("zero", "mean"):
        raise InputError("about", about, "be zero or mean", remedy="name what deviates from what")
    errors = system - user
    centre = 0.0 if about == "zero" else float(errors.sum()) / count
    unlisted = (count - len(errors)) * centre**2
    return 1 - float(np.sqrt((float(((errors - centre) ** 2).sum()) + unlisted) / count))


def checked_estimates(thing: str, values: ArrayLike) -> Floats:
    """Return a copy of the estimates of some documents, read-only, shape (n,).

    Raise InputError if they are no list of numbers in [0, 1].

    >>> checked_estimates("SRE", [0, 0.5]).tolist()
    [0.0, 0.5]
    """
    remedy = "give an estimate for each document"
    checked = real_array(thing, values, remedy=remedy, shape=("n",))
    valid, remedy = (checked >= 0) & (checked <= 1), "calibrate the estimates"
    check_each(thing, checked, valid, "lie in [0, 1]", remedy=remedy, place="document {}")
    checked.setflags(write=False)
    return checked


def checked_pair(
    sre: ArrayLike, ure: ArrayLike, size: int | None = None
) -> tuple[Floats, Floats, int]:
    """Return SRE and URE of the same documents, shape (n,), and |D|, n if none is given.

    Raise InputError for values outside [0, 1], different lengths, no document, and a size below n.

    >>> sre, ure, size = checked_pair([1, 0], [0.5, 0], 10)
    >>> len(sre), len(ure), size
    (2, 2, 10)
    """
    system, user = checked_estimates("SRE", sre), checked_estimates("URE", ure)
    if system.shape != user.shape:
        raise InputError(
            "URE",
            user.shape,
            f"have shape {system.shape}, as SRE",
            remedy="give both estimates of each document",
        )
    return system, user, checked_size(size, len(user))


def checked_size(size: int | None, num_listed: int) -> int:
    """Return |D|, the number of documents in the database, `num_listed` if none is given.

    Raise InputError if it is no whole number, or below the number of documents listed, and if none
    is.

    >>> checked_size(None, 3)
    3
    """
    whole_number("number of documents", num_listed, least=1, remedy="list some documents")
    return whole_number(
        "size",
        num_listed if size is None else size,
        least=num_listed,
        remedy="count all documents of the database",
    )


@dataclass(frozen=True, slots=True)
class Chance:
    """ADM of random estimates.

    Attributes
    ----------
    mean, variance
        Over the estimates, given what the user estimates.
    """

    mean: float
    variance: float


@dataclass(frozen=True, slots=True)
class ConstantEstimate:
    """ADM of one estimate for all documents.

    Attributes
    ----------
    sre
        The estimate.
    adm
        What it gives.
    """

    sre: float
    adm: float


def random_adm(ure: ArrayLike, *, size: int | None = None) -> Chance:
    """Return mean and variance of ADM of random SREs (a question of Mizzaro 2001, section 5).

    For independent SREs, uniform on [0, 1], and u = URE(d), the distance has

        mean       a(u) = (u^2 + (1 - u)^2) / 2, from 1/4 (u = 1/2) to 1/2 (u = 0, 1)
        square     b(u) = (u^3 + (1 - u)^3) / 3
        E ADM   = 1 - sum_d a / |D|, from 1/2 to 3/4
        Var ADM = sum_d (b - a^2) / |D|^2

    Parameters
    ----------
    ure
        URE in [0, 1], shape (n,).
    size
        |D|, at least n; n if none is given. Documents that are not listed have URE = 0, and random
        SREs as all others.

    Raises
    ------
    InputError
        for values outside [0, 1], no document, and a size below n.

    >>> random_adm([0.5]), random_adm([0.5], size=2).mean
    (Chance(mean=0.75, variance=0.02083333333333333), 0.625)
    """
    user = checked_estimates("URE", ure)
    count = checked_size(size, len(user))
    mean = (user**2 + (1 - user) ** 2) / 2
    spread = (user**3 + (1 - user) ** 3) / 3 - mean**2
    unlisted = count - len(user)
    return Chance(
        1 - (float(mean.sum()) + unlisted / 2) / count,
        (float(spread.sum()) + unlisted / 12) / count**2,
    )


def constant_adm(ure: ArrayLike, sre: float, *, size: int | None = None) -> float:
    """Return ADM if all documents of the database have the same SRE, in [0, 1].

    1 - sum_d |c - URE(d)| / |D|.

    Parameters
    ----------
    ure
        URE in [0, 1], shape (n,).
    sre
        c, in [0, 1].
    size
        |D|, at least n; n if none is given. Documents that are not listed have URE = 0.

    Raises
    ------
    InputError
        for values outside [0, 1], no document, and a size below n.

    >>> constant_adm([1, 0.5], 0.5), constant_adm([1, 0.5], 0, size=6)
    (0.75, 0.75)
    """
    user = checked_estimates("URE", ure)
    count = checked_size(size, len(user))
    c = proportion("SRE", sre, remedy="give one estimate for all documents")
    return 1 - (float(np.abs(c - user).sum()) + (count - len(user)) * c) / count


def best_constant(ure: ArrayLike, *, size: int | None = None) -> ConstantEstimate:
    """Return the SRE that is best for all documents alike, the median of URE, and its ADM.

    Of an even number of documents, the mean of the two in the middle; any between them is as good.
    If most documents of a database are not relevant at all, it is 0, and ADM 1 - mean URE.

    Parameters
    ----------
    ure, size
        As in `constant_adm`.

    Raises
    ------
    InputError
        for values outside [0, 1], no document, and a size below n.

    >>> best_constant([0.75, 0.5, 0]), best_constant([0.75, 0.5, 0], size=10)
    (ConstantEstimate(sre=0.5, adm=0.75), ConstantEstimate(sre=0.0, adm=0.875))
    """
    user = np.sort(checked_estimates("URE", ure))
    count = checked_size(size, len(user))
    # Those not listed come first, all with the same 0.
    middle = np.array([(count - 1) // 2, count // 2]) - (count - len(user))
    c = float(np.concatenate(([0.0], user))[np.maximum(middle + 1, 0)].mean())
    return ConstantEstimate(c, constant_adm(user, c, size=size))
