"""All measures of the grid for many rankings at once, from the ranks of relevant documents."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.utility.laws import STATIC, law_of, parameters
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
    every measure of `MEASURES` is sum_j w(k_j) c_j - v R_n, w and v free of relevance and c free
    of ranks. A dynamic one has w(k) = 1 / k, and c_j is P(j), for M4 j P(j), of a list of nothing
    but relevant documents. Of a static one c_j = 1, and w(k) is P(k), F(k), or for M4 the sum of
    P(i) / i from k on, of which v is the part behind the list.

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
    best_lengths = np.maximum(last, R)
    if cutoff is not None:
        K = whole_number("cutoff", cutoff, least=1, remedy="leave it out for the whole list")
        rows, last, best_lengths = rows[:, :K], np.minimum(last, K), np.minimum(best_lengths, K)
    n, counts, best_counts = rows.shape[1], rows.sum(axis=1), np.minimum(R, best_lengths)
    longest = max(n, int(best_lengths.max(initial=0)) if normalised else 0)
    cells, ranks = [MEASURES[name] for name in measures], np.arange(1.0, longest + 1)
    # The laws of a list of nothing but relevant documents, of AP where they are one.
    relevant, single = np.stack((np.ones(longest), np.full(longest, theta))), np.ones((2, 1))
    laws = {name: law_of(name, relevant, single, *settings) for name in dict(cells)}
    static = np.array([distribution in STATIC for distribution, _ in cells], dtype=np.bool_)
    worth, beyond = np.empty((longest, len(cells))), np.zeros((longest + 1, len(cells)))
    for column, (distribution, model) in enumerate(cells):
        mass = laws[distribution].mass
        if model == "M4" and static[column]:
            beyond[:-1, column] = mass = (mass / ranks)[::-1].cumsum()[::-1]
        elif model == "M4":
            mass = mass * ranks
        worth[:, column] = laws[distribution].viewing if model == "M2" else mass
    table = np.empty((len(R), len(cells)))
    if static.any():
        by_rank, step = worth[:n, static], max(_BLOCK // max(n, 1), 1)
        for start in range(0, len(R), step):
            block = slice(start, start + step)
            table[block, static] = rows[block].astype(np.float64) @ by_rank
    if not static.all():
        lists, places = np.nonzero(rows)
        ordinals = np.arange(len(lists)) - np.repeat(np.cumsum(counts) - counts, counts)
        reciprocals = np.zeros((len(R), int(counts.max(initial=0))))
        reciprocals[lists, ordinals] = 1 / (places + 1)
        table[:, ~static] = reciprocals @ worth[: reciprocals.shape[1], ~static]
    table -= counts[:, np.newaxis] * beyond[last]
    if normalised:
        best = (worth / np.where(static, 1, ranks[:, np.newaxis])).cumsum(axis=0)
        most = np.pad(best, ((1, 0), (0, 0)))[best_counts]
        most -= best_counts[:, np.newaxis] * beyond[best_lengths]
        shares: Floats = np.divide(table, most, out=np.zeros_like(table), where=most > 0)
        return shares
    table[:, [distribution == "AP" for distribution, _ in cells]] /= np.maximum(R, 1)[:, np.newaxis]
    return table


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
