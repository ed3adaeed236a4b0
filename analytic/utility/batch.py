"""All measures of the grid for many rankings at once, from the ranks of relevant documents."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.laws import STATIC, Parameters, parameters, static_law
from prum.analytic.utility.measures import MEASURES
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import check_each, real_array, whole_number

# Entries of a block of lists: its floats fit into a processor's cache.
_BLOCK = 1 << 16
_OUTSIDE = "count those outside the list too"


def utilities(
    names: Iterable[str],
    relevance: ArrayLike,
    num_relevant: ArrayLike,
    *,
    lengths: ArrayLike | None = None,
    theta: float = 0.5,
    base: float = 2.0,
    cutoff: int | None = None,
    normalised: bool = False,
) -> Floats:
    """Return measures of many rankings with binary relevance, shape (L, number of names).

    Each is what `utility` says of the ranking alone. With the j-th relevant document at rank k_j,
    every dynamic measure of `MEASURES` is sum_j c_j / k_j, c_j free of ranks, and every static one
    sum_j w(k_j) - v R_n, w and v free of relevance: two products of matrices for all lists.

    Parameters
    ----------
    names
        Names out of `MEASURES`.
    relevance
        0 or 1 by list and rank, shape (L, n); bool is fastest.
    num_relevant
        R of each list, shape (L,).
    lengths
        How many ranks of its row a list has, shape (L,), n if not given. The others must be 0.
        Only RBAP, DAG and RAP, and what is normalised, see the difference.
    theta, base, cutoff, normalised
        As in `utility`.

    Raises InputError for an unknown name, a wrong shape, relevance other than 0 and 1, R below the
    relevant documents in the list, one of them behind the list's length, theta outside (0, 1), base
    <= 1, cutoff < 1.

    >>> utilities(["AP", "SumRR"], [[1, 0, 1], [0, 0, 1]], [2, 1]).round(4).tolist()
    [[0.8333, 1.3333], [0.3333, 0.3333]]
    """
    measures = list(names)
    for name in measures:
        if name not in MEASURES:
            rule = f"be one of {', '.join(MEASURES)}"
            raise InputError("measure", name, rule, remedy="name a measure")
    settings = parameters("RBP", theta, base)
    rows, R, last = _checked(relevance, num_relevant, lengths)
    n = rows.shape[1]
    best_lengths = np.maximum(last, R)
    if cutoff is not None:
        K = whole_number("cutoff", cutoff, least=1, remedy="leave it out for the whole list")
        rows, last, best_lengths = rows[:, :K], np.minimum(last, K), np.minimum(best_lengths, K)
        n = min(n, K)
    longest = max(n, int(best_lengths.max(initial=0)) if normalised else 0)
    static = [name for name in measures if MEASURES[name][0] in STATIC]
    dynamic = [name for name in measures if name not in static]
    weights, beyond = _static_weights(static, longest, settings)
    # c_j, AP's without 1 / R, a column for each measure.
    j = np.arange(1.0, longest + 1)[:, np.newaxis]
    by_count, shares = np.ones((longest, len(dynamic))), np.ones((len(R), len(dynamic)))
    for column, (distribution, model) in enumerate(MEASURES[name] for name in dynamic):
        if distribution == "AP":
            shares[:, column] = 1 / np.maximum(R, 1)
        else:
            mass = theta * (1 - theta) ** (j - 1) if distribution == "ERR" else 1 / (j * (j + 1))
            by_count[:, column] = mass[:, 0]
        if model == "M4":
            by_count[:, column] *= j[:, 0]
    of_static, of_dynamic = _sums(rows, weights[:n], by_count)
    of_static -= np.count_nonzero(rows, axis=1)[:, None] * beyond[last]
    of_dynamic *= shares
    if normalised:
        m = np.minimum(R, best_lengths)
        best_static = _cumulated(weights)[m] - m[:, None] * beyond[best_lengths]
        best_dynamic = _cumulated(by_count / j)[m] * shares
        of_static, of_dynamic = (
            np.divide(value, best, out=np.zeros_like(value), where=best > 0)
            for value, best in ((of_static, best_static), (of_dynamic, best_dynamic))
        )
    columns = {name: of_static[:, i] for i, name in enumerate(static)}
    columns |= {name: of_dynamic[:, i] for i, name in enumerate(dynamic)}
    return np.array([columns[name] for name in measures]).reshape(len(measures), len(R)).T


def _sums(rows: Flags, by_rank: Floats, by_count: Floats) -> tuple[Floats, Floats]:
    """Return sum_j w(k_j) and sum_j c_j / k_j for each list, shapes (L, static), (L, dynamic)."""
    total, n = rows.shape
    of_static = np.empty((total, by_rank.shape[1]))
    of_dynamic = np.empty((total, by_count.shape[1]))
    step = max(_BLOCK // max(n, 1), 1)
    for start in range(0, total, step):
        block = rows[start : start + step]
        of_static[start : start + step] = block.astype(np.float64) @ by_rank
        if not by_count.shape[1]:
            continue
        lists, ranks = np.nonzero(block)
        counts = np.bincount(lists, minlength=len(block))
        ordinal = np.arange(len(lists)) - np.repeat(np.cumsum(counts) - counts, counts)
        reciprocals = np.zeros((len(block), int(counts.max(initial=0))))
        reciprocals[lists, ordinal] = 1 / (ranks + 1)
        of_dynamic[start : start + step] = reciprocals @ by_count[: reciprocals.shape[1]]
    return of_static, of_dynamic


def _static_weights(names: list[str], n: int, settings: Parameters) -> tuple[Floats, Floats]:
    """Return w(k) for k = 1 .. n, and v after each length 0 .. n, a column for each measure.

    M4 of a list of length o is sum_{k<=o} R_k P(k) / k = sum_j (w(k_j) - w(o + 1)), w(k) being
    the sum of P(i) / i from k on.
    """
    weights, beyond = np.zeros((n, len(names))), np.zeros((n + 1, len(names)))
    for column, name in enumerate(names):
        distribution, model = MEASURES[name]
        law = static_law(distribution, n, settings)
        if model == "M4":
            average = law.mass / np.arange(1, n + 1)
            weights[:, column] = beyond[:n, column] = average[::-1].cumsum()[::-1]
        else:
            weights[:, column] = law.mass if model == "M1" else law.viewing
    return weights, beyond


def _cumulated(weights: Floats) -> Floats:
    return np.concatenate((np.zeros((1, weights.shape[1])), weights.cumsum(axis=0)))


def _checked(
    relevance: ArrayLike, num_relevant: ArrayLike, lengths: ArrayLike | None
) -> tuple[Flags, Ints, Ints]:
    rows = np.asarray(relevance)
    if rows.dtype != np.bool_:
        numbers = real_array("relevance", relevance, remedy="give 0 or 1 by list and rank")
        rows, remedy = numbers == 1, "use utility for graded relevance"
        check_each("relevance", numbers, rows | (numbers == 0), "be 0 or 1", remedy=remedy)
    if rows.ndim != 2:
        remedy = "give a row for each list"
        raise InputError("relevance", rows.shape, "have shape (L, n)", remedy=remedy)
    total, n = rows.shape
    R = _counts("num_relevant", num_relevant, total)
    last = np.full(total, n) if lengths is None else _counts("lengths", lengths, total)
    in_list = np.count_nonzero(rows, axis=1)
    few = np.flatnonzero(in_list > R)
    if few.size:
        rule, remedy = f"be at least {in_list[few[0]]}, those in the list", _OUTSIDE
        place = f"list {few[0] + 1}"
        raise InputError("num_relevant", int(R[few[0]]), rule, remedy=remedy, place=place)
    if lengths is not None:
        ends = np.where(in_list > 0, n - np.argmax(rows[:, ::-1], axis=1), 0) if n else in_list
        wrong = np.flatnonzero((last < ends) | (last > n))
        if wrong.size:
            rule, remedy = f"lie in {ends[wrong[0]]} .. {n}", "count the ranks of each list"
            place = f"list {wrong[0] + 1}"
            raise InputError("lengths", int(last[wrong[0]]), rule, remedy=remedy, place=place)
    return rows, R, last


def _counts(thing: str, values: ArrayLike, total: int) -> Ints:
    remedy = "give one number for each list"
    checked = real_array(thing, values, remedy=remedy, shape=(total,))
    valid, rule = (checked >= 0) & (checked % 1 == 0), "be a whole number of at least 0"
    check_each(thing, checked, valid, rule, remedy="count documents", place="list {}")
    return checked.astype(np.int64)
