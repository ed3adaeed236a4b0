"""Averages of a measure over queries."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.errors import real_array


@dataclass(frozen=True, slots=True)
class Average:
    """A measure's mean over queries.

    Attributes
    ----------
    mean
        nan if no query has a value.
    error
        Its standard error, nan for fewer than two queries.
    num_queries
        How many queries have a value.
    """

    mean: float
    error: float
    num_queries: int


def over_queries(values: ArrayLike) -> Average:
    """Return the mean of ADM_q, or of another measure, over queries (Mizzaro 2001, section 3).

    The standard error is s / sqrt(number of queries). Queries without a value count for nothing.

    Parameters
    ----------
    values
        One for each query, nan where the measure has none; shape (queries,).

    Raises
    ------
    InputError
        for values that are no list of numbers, no query, and an infinite value.

    >>> over_queries([0.9, 0.8, float("nan")])
    Average(mean=0.8500000000000001, error=0.04999999999999999, num_queries=2)
    """
    remedy = "give a value for each query"
    checked = real_array("values", values, remedy=remedy)
    if checked.ndim != 1 or not checked.size:
        raise InputError("values", checked.shape, "have shape (queries,)", remedy=remedy)
    bad = np.flatnonzero(np.isinf(checked))
    if bad.size:
        raise InputError(
            "values", float(checked[bad[0]]), "be finite or nan", remedy=remedy,
            place=f"query {bad[0] + 1}",
        )  # fmt: skip
    known = checked[~np.isnan(checked)]
    number = len(known)
    mean = float(known.mean()) if number else float("nan")
    error = float(known.std(ddof=1) / np.sqrt(number)) if number > 1 else float("nan")
    return Average(mean, error, number)
