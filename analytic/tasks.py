"""Which closed form a task and a way of browsing admit, and its value."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from prum.analytic.coupled import coupled_within
from prum.analytic.exact_values import exact, exact_joint
from prum.analytic.mixtures import exact_beta, exact_mixture, scaled_reach
from prum.analytic.precision_recall import PrecisionRecall
from prum.analytic.published import Counts, prum
from prum.analytic.walks import reach_from, watched, within_from
from prum.simulator.model import (
    Beta,
    Copula,
    Coupled,
    Independent,
    InputError,
    Links,
    Navigation,
    Population,
    Task,
    Walk,
)
from prum.simulator.model.population import own_entries

Floats = NDArray[np.float64]

# Subsets of ideals times ranks that an exact value of walks may take: some seconds, 512 MiB.
_MOST_JOINT_CELLS = 1 << 26
_MOST_JOINT_IDEALS = 16


def reach_matrix(task: Task, navigation: Navigation) -> "sparse.csr_array":
    """Return P(l_i -> x) of a task, shape (o, t), sparse; column x is ``task.ideals[x]``.

    For `Independent` and `Coupled` the table's own probabilities; for `Population` their mean over
    users; for `Walk` the probability that the path from the entry visits the ideal. A ranked
    ideal has 1 at its rank, the second occurrence of an element nothing.

    >>> task = Task(["c", "a", "c"], ["a"], 2)
    >>> reach_matrix(task, Independent({("c", "a"): 0.4})).toarray().tolist()
    [[0.4], [1.0], [0.0]]
    """
    shape = (task.num_ranked, task.num_ideals)
    if isinstance(navigation, Independent | Coupled | Population):
        ranks, ideals, probabilities = navigation.reach(task)
        return sparse.coo_array((probabilities, (ranks, ideals)), shape=shape).tocsr()
    return sparse.csr_array(_walked(task, navigation)[0])


def prum_of(
    task: Task, navigation: Navigation, *, counts: Counts = "poisson-binomial"
) -> PrecisionRecall:
    """Return PRUM of a task: from its P(x -> y), whatever dependence the navigation has.

    For all but `Independent` this is the noisy-or summary of what is visited, not the joint law.

    >>> prum_of(Task(["c", "a"], ["a"], 2), Independent({("c", "a"): 0.4}))
    PrecisionRecall(PRUM, t = 1: precision .6250)
    """
    return prum(reach_matrix(task, navigation), task.num_unranked, counts=counts)


def closed_form(task: Task, navigation: Navigation) -> PrecisionRecall | None:
    """Return the exact value where the navigation admits one, else None.

    `Independent`: `exact`, always. `Population`: `exact_mixture` or `exact_beta`. `Coupled` and
    `Walk`: `exact_joint`, up to 16 ideals and 2^26 rows times subsets.

    >>> closed_form(Task(["c", "a"], ["a"], 2), Walk({("c", "a"): 0.4}))
    PrecisionRecall(exact joint, t = 1: precision .6250)
    """
    if isinstance(navigation, Coupled) and navigation.is_independent:
        navigation = navigation.navigation
    if isinstance(navigation, Independent):
        return exact(reach_matrix(task, navigation), task.num_unranked)
    if isinstance(navigation, Population):
        return _of_population(task, navigation)
    t = task.num_ideals
    if t > _MOST_JOINT_IDEALS or task.num_ranked << t > _MOST_JOINT_CELLS:
        return None
    if isinstance(navigation, Coupled):
        coupling = navigation.coupling
        rule = coupling.rho if isinstance(coupling, Copula) else coupling
        within = coupled_within(reach_matrix(task, navigation), rule)
        return exact_joint(within, task.num_unranked)
    _, first, between = _walked(task, navigation)
    within = within_from(first, between)
    # The second occurrence of an element leads nowhere new.
    within[_repeated(task)] = 1
    return exact_joint(within, task.num_unranked)


def _of_population(task: Task, population: Population) -> PrecisionRecall:
    """Return the exact value of users who differ: a mixture over their factors."""
    reach = reach_matrix(task, population.navigation)
    ranks, ideals, _ = population.navigation.reach(task)
    own = own_entries(task, ranks, ideals)
    where = sparse.coo_array((own[own], (ranks[own], ideals[own])), shape=reach.shape).tocsr()
    law = population.propensity
    if isinstance(law, Beta):
        return exact_beta(reach, task.num_unranked, law.a, law.b, own=where)
    reaches = [scaled_reach(reach, factor, own=where) for factor in law.factors]
    return exact_mixture(reaches, law.weights, task.num_unranked)


def _walked(task: Task, navigation: Navigation) -> tuple[Floats, Floats, Floats]:
    """Return reach, shape (o, t), and the watched walk: H at the ranks, K; see `walks`."""
    if not isinstance(navigation, Walk):
        raise InputError(
            "navigation",
            navigation,
            "be Independent, Coupled or Walk",
            remedy="wrap your links in one",
        )
    links = navigation.links
    first_of_all, between = _watched(links, task.ideals)
    first = np.zeros((task.num_ranked, task.num_ideals))
    own = {ideal: x for x, ideal in enumerate(task.ideals)}
    for rank, element in enumerate(task.ranking):
        if element in own:
            first[rank, own[element]] = 1
        elif element in links.code:
            first[rank] = first_of_all[links.code[element]]
    reach = reach_from(first, between)
    reach[_repeated(task)] = 0
    return reach, first, between


@lru_cache(maxsize=4)
def _watched(links: Links, ideals: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Return H for every element of the links and K; kept for the next list of the same topic."""
    n = len(links.elements)
    unlinked = [ideal for ideal in ideals if ideal not in links.code]
    size = n + len(unlinked)
    starts = np.append(links.starts, np.full(len(unlinked), links.starts[-1]))
    moves = sparse.csr_array((links.probabilities, links.targets, starts), shape=(size, size))
    row = {ideal: n + k for k, ideal in enumerate(unlinked)}
    rows = np.array([links.code.get(ideal, row.get(ideal)) for ideal in ideals])
    return watched(moves, np.arange(size), rows)


def _repeated(task: Task) -> NDArray[np.bool_]:
    """Return which ranks hold an element that stands higher up already."""
    seen: set[str] = set()
    repeated = np.zeros(task.num_ranked, dtype=np.bool_)
    for rank, element in enumerate(task.ranking):
        repeated[rank] = element in seen
        seen.add(element)
    return repeated
