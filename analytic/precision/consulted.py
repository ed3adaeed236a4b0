"""The law of C(r) and its quantiles, of a reach or of a task and a way of browsing."""

from typing import cast, overload

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.of_task import consulted_law
from prum.analytic.precision.questions import ConsultedLaw
from prum.analytic.precision.reach import (
    MatrixLike,
    check_size,
    checked_reach,
    checked_recall,
    checked_unranked,
)
from prum.analytic.precision.seen import changes
from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, proportion, real_array


@overload
def consulted_pmf(reach: MatrixLike, unranked: int, r: int) -> Floats: ...
@overload
def consulted_pmf(task: Task, navigation: Navigation, /, r: int | None = None) -> Floats | None: ...
def consulted_pmf(
    reach: "MatrixLike | Task", unranked: int | Navigation, r: int | None = None
) -> Floats | None:
    """Return P(C(r) = c) for c = 0 .. o + u.

    Of a reach and u, under Hypotheses 2.1 and 2.2; or of a task and a navigation, whatever
    dependence that has, where `closed_form` has a value. Within the list P(C(r) > i) =
    P(F_i < r); beyond it each s = F_o < r adds a negative hypergeometric law, or, where users
    browse from unranked elements, each of these that may show something. Hypothesis 2.3 plays no
    part.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t); or the task.
    unranked
        u; or the navigation of the task.
    r
        The recall value, 1 .. t; with a task it may be left out, for all.

    Returns
    -------
    array of shape (o + u + 1,); (t, o + u + 1) if r is left out, index 0 for r = 1; of a task,
    None where there is no closed form, and of types that browse from different numbers of unranked
    elements

    Raises
    ------
    InputError
        as `exact`, for r outside 1 .. t, and for o + u, or t of them, above 100,000,000.

    >>> consulted_pmf([[0.5], [1.0]], 0, 1).tolist()
    [0.0, 0.5, 0.5]
    >>> from prum.simulator.model import Walk
    >>> task = Task(["c", "a", "b"], ["a", "b"], 3)
    >>> consulted_pmf(task, Walk({("c", "a"): 0.5, ("a", "b"): 0.5})).tolist()
    [[0.0, 0.5, 0.5, 0.0], [0.0, 0.25, 0.375, 0.375]]
    """
    if not isinstance(reach, Task):
        return _independent(reach, cast("int", unranked), cast("int", r)).pmf(0)
    task, navigation = reach, cast("Navigation", unranked)
    wanted = None if r is None else checked_recall(r, task.num_ideals)
    of_task = consulted_law(task, navigation)
    if of_task is None:
        return None
    if wanted is not None:
        return of_task.pmf(wanted - 1)
    size = task.num_ranked + task.num_unranked
    check_size("t (o + u), the probabilities of all laws", task.num_ideals * size)
    return np.stack([of_task.pmf(n) for n in range(task.num_ideals)])


def _independent(reach: MatrixLike, unranked: int, r: int) -> ConsultedLaw:
    entries = checked_reach(reach)
    wanted = np.array([checked_recall(r, entries.num_ideals)])
    change = changes(entries)
    u = checked_unranked(unranked, int(np.count_nonzero(change.unseen)))
    return ConsultedLaw.of_changes(change, u, wanted)


def consulted_quantile(reach: MatrixLike, unranked: int, r: int, probability: float) -> int:
    """Return the smallest c with P(C(r) <= c) >= probability: .5 for the median depth.

    Raises
    ------
    InputError
        as `exact`, for r outside 1 .. t, and for a probability outside (0, 1).

    >>> consulted_quantile([[0.5], [0.5], [1.0]], 0, 1, 0.95)
    3
    """
    remedy = "give .5 for the median"
    level = proportion("probability", probability, open_interval=True, remedy=remedy)
    return _independent(reach, unranked, r).quantile(0, level)


def consulted_quantiles(
    task: Task, navigation: Navigation, probabilities: ArrayLike
) -> Ints | None:
    """Return the smallest c with P(C(r) <= c) >= each probability, for r = 1 .. t.

    So many elements are enough for that share of the users: .5 gives the median, .9 where nine
    users in ten are done. From the law of `consulted_pmf`, whose part behind the list is searched
    by halves: time O(t^3 log u) and no memory for it, however large the collection.

    Parameters
    ----------
    probabilities
        Shape (k,), each in (0, 1).

    Returns
    -------
    array of whole numbers, shape (k, t); None where there is no closed form

    Raises
    ------
    InputError
        for a probability outside (0, 1) or none.

    >>> from prum.simulator.model import Walk
    >>> task = Task(["c", "a", "b"], ["a", "b"], 1_000_000)
    >>> consulted_quantiles(task, Walk({("c", "a"): 0.5, ("a", "b"): 0.5}), [0.5, 0.9]).tolist()
    [[1, 2], [2, 3]]
    """
    remedy = "give .5 for the median"
    levels = real_array("probabilities", probabilities, remedy=remedy, shape=("k",))
    if not levels.size:
        raise InputError("probabilities", (), "hold a number", remedy=remedy)
    valid = (levels > 0) & (levels < 1)
    check_each("probabilities[{}]", levels, valid, "lie in (0, 1)", remedy=remedy)
    law = consulted_law(task, navigation)
    if law is None:
        return None
    each = range(task.num_ideals)
    return np.array([[law.quantile(n, float(p)) for n in each] for p in levels], dtype=np.int64)
