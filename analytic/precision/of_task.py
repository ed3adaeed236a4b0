"""A task and a way of browsing: reach, PRUM, the law of C(r), and the exact value if any."""

from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from prum.analytic.precision.blocks import NewLaw
from prum.analytic.precision.independent import exact
from prum.analytic.precision.laws.law import law_of
from prum.analytic.precision.published import CountLaw, normal_counts, prum
from prum.analytic.precision.questions import CONSULTED, ConsultedLaw, value
from prum.analytic.precision.reach import (
    MatrixLike,
    check_size,
    checked_reach,
    checked_recall,
    checked_unranked,
)
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.precision.seen import changes
from prum.simulator.model import ListCosts, Navigation, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import costs_of_list
from prum.simulator.model.tied import check_untied

if TYPE_CHECKING:
    from scipy import sparse


def reach_matrix(task: Task, navigation: Navigation) -> "sparse.csr_array":
    """Return P(l_i -> x) of a task, shape (o, t), sparse; column x is ``task.ideals[x]``.

    For `Independent` and `Coupled` the table's own probabilities; for `Walk` the probability that
    the path from the entry visits the ideal. `Browsing` multiplies them by what PRUM can take:
    the mean over users, the factor of the rank, the factor of users who have seen nothing yet, and
    the mean over r of the factor of need. A ranked ideal has 1 at its rank, the second occurrence
    of an element nothing.

    `Mixture`: the shares' mean of the types' P(l_i -> x), which is 1 where that of all of them is.

    `Tied`: the mean over the orders of tied elements; PRUM takes these one by one.

    `Covering`: what each rank alone shows of a span in the mean (`whole`: the probability that it
    shows all of it); nothing for a chunk that one above is, under another id.

    >>> from prum.simulator.model import Independent
    >>> task = Task(["c", "a", "c"], ["a"], 2)
    >>> reach_matrix(task, Independent({("c", "a"): 0.4})).toarray().tolist()
    [[0.4], [1.0], [0.0]]
    """
    return law_of(task, navigation).reach()


def reach_factors(task: Task, navigation: Navigation) -> Floats:
    """Return what P(l_i -> x) is multiplied by in `reach_matrix`, shape (o,); the mean of types."""
    return law_of(task, navigation).factors()


def prum_of(
    task: Task,
    navigation: Navigation,
    *,
    counts: CountLaw = "poisson-binomial",
    costs: ListCosts | None = None,
) -> PrecisionRecall:
    """Return PRUM of a task: from its P(x -> y), whatever dependence the navigation has.

    For all but `Independent` this is the noisy-or summary of what is visited, not the joint law.
    `Tied`: E[CL(r)] and E[C(r)] are the means over orders of what PRUM says given the order.

    >>> from prum.simulator.model import Independent
    >>> prum_of(Task(["c", "a"], ["a"], 2), Independent({("c", "a"): 0.4}))
    PrecisionRecall(PRUM, t = 1: precision .6250)
    """
    return _by_reach(task, navigation, "prum", counts, costs)


def independent_of(
    task: Task,
    navigation: Navigation,
    *,
    counts: CountLaw = "poisson-binomial",
    costs: ListCosts | None = None,
) -> PrecisionRecall:
    """Return what would be exact if every visit were independent, with the same P(x -> y).

    From what `prum_of` knows, but without its Hypothesis 2.3: the two differ by that alone. With
    normal counts by `normal_counts`.

    >>> from prum.simulator.model import Walk
    >>> independent_of(Task(["c", "a"], ["a"], 2), Walk({("c", "a"): 0.4}))
    PrecisionRecall(exact, t = 1: precision .6250)
    """
    return _by_reach(task, navigation, "exact", counts, costs)


def check_orders(task: Task, navigation: Navigation) -> None:
    """Raise InputError where PRUM of all orders of what a `Tied` task ties is out of reach."""
    law: Any = law_of(task, navigation)
    law.check_orders()


def _by_reach(
    task: Task, navigation: Navigation, of: NewLaw, counts: CountLaw, costs: ListCosts | None
) -> PrecisionRecall:
    """Return what `prum` or `exact` sums, of tied elements the mean over their orders."""
    law: Any = law_of(task, navigation)
    if navigation.is_tied:
        if costs is not None:
            check_untied(navigation, "costs")
        if counts == "normal":
            check_untied(navigation, "normal counts")
        result: PrecisionRecall = law.of_reach(value(None), of)
        return result
    if of == "prum":
        return prum(law.reach(), task.num_unranked, counts=counts, costs=costs)
    exactly = normal_counts if counts == "normal" else exact
    return exactly(law.reach(), task.num_unranked, costs=costs)


def closed_form(
    task: Task, navigation: Navigation, *, costs: ListCosts | None = None
) -> PrecisionRecall | None:
    """Return the exact value where the way of browsing admits one, else None.

    `Independent`: `exact`, always. `Coupled` and `Walk`: `exact_joint`, up to 16 ideals and 2^26
    ranks times subsets. `Covering`: as `exact`, from the union of what chunks show; a mixture given
    the openings that show parts of two spans, up to 12 of them. `Tied`: the ratio of the means over
    orders of E[CL] and E[C], where up to 12 elements of a group show an ideal. `Mixture`: where all
    types have one, the ratio of the shares' means of E[CL] and E[C]. What `Browsing` adds:

    population
        a mixture over types, or quadrature over the factor, of the values given the factor; up to
        2^22 ranks times subsets. Not `OneFactor` on a `Walk`, and not where quadrature does not
        settle: exclusive visits have corners where their probabilities come to sum to 1.
    fading, documents
        other probabilities at each rank.
    satiation
        `exact_joint` with a row for each number of ideals seen: up to 16 ideals and 2^26 of these
        rows times subsets.
    need
        the value of each factor, at the recall values that it belongs to.
    unranked
        `exact_joint` with the unranked elements, up to 1000 that may show something; not
        together with fading, documents or satiation, where their order matters.

    With `costs`, all is counted in what ranks cost, as by `exact`.

    >>> from prum.simulator.model import Walk
    >>> closed_form(Task(["c", "a"], ["a"], 2), Walk({("c", "a"): 0.4}))
    PrecisionRecall(exact joint, t = 1: precision .6250)
    """
    if costs is not None:
        check_untied(navigation, "costs")
    return law_of(task, navigation).answer(value(costs_of_list(costs, task.num_ranked)))


def consulted_law(task: Task, navigation: Navigation) -> ConsultedLaw | None:
    """Return the law of C(r), r = 1 .. t, where `closed_form` has a value, else None.

    None, too, of types that browse from different numbers of unranked elements.
    """
    return law_of(task, navigation).answer(CONSULTED)


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

    Raises InputError as `exact`, for r outside 1 .. t, and for o + u, or t of them, above
    100,000,000.

    >>> consulted_pmf([[0.5], [1.0]], 0, 1).tolist()
    [0.0, 0.5, 0.5]
    >>> from prum.simulator.model import Walk
    >>> task = Task(["c", "a", "b"], ["a", "b"], 3)
    >>> consulted_pmf(task, Walk({("c", "a"): 0.5, ("a", "b"): 0.5})).tolist()
    [[0.0, 0.5, 0.5, 0.0], [0.0, 0.25, 0.375, 0.375]]
    """
    if not isinstance(reach, Task):
        entries = checked_reach(reach)
        recall = np.array([checked_recall(cast("int", r), entries.num_ideals)])
        change = changes(entries)
        u = checked_unranked(cast("int", unranked), int(np.count_nonzero(change.unseen)))
        return ConsultedLaw.of_changes(change, u, recall).pmf(0)
    task, navigation = reach, cast("Navigation", unranked)
    level = None if r is None else checked_recall(r, task.num_ideals)
    of_task = consulted_law(task, navigation)
    if of_task is None:
        return None
    if level is not None:
        return of_task.pmf(level - 1)
    size = task.num_ranked + task.num_unranked
    check_size("t (o + u), the probabilities of all laws", task.num_ideals * size)
    return np.stack([of_task.pmf(n) for n in range(task.num_ideals)])
