"""What ADM is without any knowledge: random estimates, and the same estimate for all documents."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.adm.measures import checked_estimates, checked_size
from prum.simulator.model.errors import proportion


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
