"""Estimates of relevance, checked: by the system (SRE) and by the user (URE), in [0, 1]."""

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import real_array, whole_number


def checked_estimates(thing: str, values: ArrayLike) -> Floats:
    """Return a copy of the estimates of some documents, read-only, shape (n,).

    Raises
    ------
    InputError
        if they are no list of numbers in [0, 1].

    >>> checked_estimates("SRE", [0, 0.5]).tolist()
    [0.0, 0.5]
    """
    checked = real_array(thing, values, remedy="give an estimate for each document")
    if checked.ndim != 1:
        raise InputError(
            thing, checked.shape, "have shape (n,)", remedy="give an estimate for each document"
        )
    bad = np.flatnonzero(~((checked >= 0) & (checked <= 1)))
    if bad.size:
        raise InputError(
            thing, float(checked[bad[0]]), "lie in [0, 1]", remedy="calibrate the estimates",
            place=f"document {bad[0] + 1}",
        )  # fmt: skip
    checked.setflags(write=False)
    return checked


def checked_pair(
    sre: ArrayLike, ure: ArrayLike, size: int | None = None
) -> tuple[Floats, Floats, int]:
    """Return SRE and URE of the same documents, shape (n,), and |D|, n if none is given.

    Raises
    ------
    InputError
        for values outside [0, 1], different lengths, no document, and a size below n.

    >>> sre, ure, size = checked_pair([1, 0], [0.5, 0], 10)
    >>> len(sre), len(ure), size
    (2, 2, 10)
    """
    system, user = checked_estimates("SRE", sre), checked_estimates("URE", ure)
    if system.shape != user.shape:
        raise InputError(
            "URE", user.shape, f"have shape {system.shape}, as SRE",
            remedy="give both estimates of each document",
        )  # fmt: skip
    return system, user, checked_size(size, len(user))


def checked_size(size: int | None, num_listed: int) -> int:
    """Return |D|, the number of documents in the database, `num_listed` if none is given.

    Raises
    ------
    InputError
        if it is no whole number, or below the number of documents listed, and if none is.

    >>> checked_size(None, 3)
    3
    """
    whole_number("number of documents", num_listed, least=1, remedy="list some documents")
    return whole_number(
        "size", num_listed if size is None else size, least=num_listed,
        remedy="count all documents of the database",
    )  # fmt: skip
