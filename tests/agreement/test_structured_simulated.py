"""Closed forms of the measures PRUM is compared with, against users simulated visit by visit.

Every measure that says who its users are is compared with them on random small tasks: Raghavan's
precision and Cooper's search length, T2I, generalised recall, PRUM and its exact value, PRUM on a
graded scale, EPRUM. GRP, GRPng and xCG have no users to simulate: they are computed a second time,
by their definitions, in tests/agreement/test_structured_numbers.py (and in special cases in
tests/unit/analytic/structured/test_structured.py).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.analytic import exact, prum, reach_matrix
from prum.analytic.ranked import raghavan
from prum.analytic.structured import (
    eprum,
    eprum_first,
    generalised_recall,
    graded_prum,
    t2i,
)
from prum.simulator.model import Independent, Task
from prum.simulator.sampling.measured.effort import Effort, simulate_effort, simulate_graded
from tests.tiers import slow, spread

Floats = NDArray[np.float64]

# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-3
# Comparisons of this file, at most; the last test counts them.
COMPARISONS = 5_000
THRESHOLD = float(norm.isf(FAMILY_WISE / 2 / COMPARISONS))
# Closed forms have no variance where the simulation has none; both are rounded.
EQUAL = 1e-9
USERS = 100_000
NUM_TASKS = 40
# A user who goes far makes means skewed, which z does not know: few are unranked.
MOST_OTHERS = 3


@dataclass(frozen=True)
class Case:
    """A small task, the links of its users, and what its ideals are worth."""

    task: Task
    links: Mapping[tuple[str, str], float]
    values: Mapping[str, float]
    ties: tuple[int, ...]

    @property
    def navigation(self) -> Independent:
        return Independent(self.links)

    @property
    def reach(self) -> Floats:
        return self.reach_of(self.task)

    def reach_of(self, task: Task) -> Floats:
        return np.asarray(reach_matrix(task, self.navigation).toarray())

    @property
    def elsewhere(self) -> Floats:
        """P(z -> x) of all elements that the list does not hold."""
        named = {*self.task.ideals, *(x for pair in self.links for x in pair)}
        others = sorted(named - set(self.task.ranking))
        return self.reach_of(Task(others, self.task.ideals, self.task.collection_size))

    @property
    def worth(self) -> list[float]:
        return [self.values[ideal] for ideal in self.task.ideals]

    @property
    def ranks(self) -> list[list[str]]:
        """The list with tied elements in one rank."""
        ends = np.cumsum(self.ties)
        return [
            list(self.task.ranking[end - size : end])
            for end, size in zip(ends, self.ties, strict=True)
        ]


@cache
def case_of(seed: int) -> Case:
    """Return a task of up to 6 ranks and 4 ideals, in the list or not, and up to 6 links."""
    rng = np.random.default_rng([71, seed])
    names = list("abcdefgh")
    ideals = sorted(str(x) for x in rng.permutation(names)[: rng.integers(1, 5)])
    ranking = [str(x) for x in rng.permutation(names)[: rng.integers(1, 7)]]
    size = len({*ranking, *names}) + int(rng.integers(0, MOST_OTHERS + 1))
    pairs = [(x, y) for x in names for y in ideals if x != y]
    chosen = rng.permutation(len(pairs))[: rng.integers(1, 7)].tolist()
    chances = rng.choice([0.2, 0.4, 0.5, 0.8, 1.0], size=len(chosen)).tolist()
    links = {pairs[one]: p for one, p in zip(chosen, chances, strict=True)}
    worth = rng.choice([0.25, 0.5, 0.75, 1.0], size=len(ideals)).tolist()
    ties, left = list[int](), len(ranking)
    while left:
        ties.append(int(rng.integers(1, left + 1)))
        left -= ties[-1]
    return Case(
        Task(ranking, ideals, size), links, dict(zip(ideals, worth, strict=True)), tuple(ties)
    )


def certain(case: Case) -> Case:
    """Return the task with links that all users follow."""
    return replace(case, links=dict.fromkeys(case.links, 1.0))


CASES = [case_of(seed) for seed in range(NUM_TASKS)]
every = pytest.mark.parametrize("seed", spread(5, range(NUM_TASKS)))


# --- z ----------------------------------------------------------------------------------------


def largest_z(mean: Floats, error: Floats, closed: Floats) -> float:
    """Return the largest |z|: infinite where the simulation has no variance and is not equal."""
    difference = np.abs(mean - closed)
    z = np.where(difference <= EQUAL * np.maximum(1, np.abs(closed)), 0, np.inf)
    np.divide(difference, error, out=z, where=error > 0)
    return float(z.max())


# --- measures: users and closed forms -----------------------------------------------------------


Simulated = Iterator[tuple[Floats, Floats]]
Closed = Iterator[Floats]


def effort(case: Case, seed: int, *, values: bool = False, ties: bool = False) -> Effort:
    return simulate_effort(
        case.task,
        case.navigation,
        num_users=USERS,
        seed=seed,
        values=case.values if values else None,
        ties=case.ties if ties else None,
    )


def raghavan_users(case: Case, seed: int) -> Simulated:
    users = effort(replace(case, links={}), seed, ties=True)
    r = np.arange(1, case.task.num_ideals + 1)
    yield users.precision, users.precision_error
    yield users.consulted - r, users.consulted_error


def raghavan_closed(case: Case) -> Closed:
    u = case.task.num_unranked
    result = raghavan(case.ranks, case.task.ideals, u)
    yield result.precision
    yield result.consulted - np.arange(1, case.task.num_ideals + 1)


def t2i_users(case: Case, seed: int) -> Simulated:
    users = effort(certain(case), seed)
    r = np.arange(1, case.task.num_ideals + 1)
    yield r / users.consulted, r * users.consulted_error / users.consulted**2
    yield users.leading, users.leading_error


def t2i_closed(case: Case) -> Closed:
    reach, u = certain(case).reach, case.task.num_unranked
    yield t2i(reach, u).precision
    yield prum(reach, u).leading


def recall_users(case: Case, seed: int) -> Simulated:
    for values in (False, True):
        users = effort(case, seed, values=values)
        yield users.recall, users.recall_error


def recall_closed(case: Case) -> Closed:
    yield generalised_recall(case.reach)
    yield generalised_recall(case.reach, case.worth)


def prum_users(case: Case, seed: int) -> Simulated:
    users = effort(case, seed)
    yield users.precision, users.precision_error
    yield users.leading, users.leading_error
    yield users.consulted, users.consulted_error
    yield users.precision[:1], users.precision_error[:1]
    yield users.consulted, users.consulted_error


def prum_closed(case: Case) -> Closed:
    """The exact value at each r; PRUM where it is no approximation: precision(1) and E[C(r)]."""
    u = case.task.num_unranked
    known, published = exact(case.reach, u), prum(case.reach, u)
    yield known.precision
    yield known.leading
    yield known.consulted
    yield published.precision[:1]
    yield published.consulted


def graded_users(case: Case, seed: int) -> Simulated:
    users = simulate_graded(case.task, case.navigation, case.values, num_users=USERS, seed=seed)
    yield users.precision, users.precision_error
    yield users.leading, users.leading_error
    yield users.consulted, users.consulted_error


def graded_closed(case: Case) -> Closed:
    result = graded_prum(case.reach, case.worth, case.task.num_unranked, estimate="exact")
    yield result.precision
    yield result.leading
    yield result.consulted


def eprum_users(case: Case, seed: int) -> Simulated:
    for values in (False, True):
        users = effort(case, seed, values=values)
        yield users.effort_precision, users.effort_precision_error
        if not values:
            yield users.effort_precision[:1], users.effort_precision_error[:1]


def eprum_closed(case: Case) -> Closed:
    yield eprum(case.reach, case.elsewhere)
    yield np.array([eprum_first(case.reach)])
    yield eprum(case.reach, case.elsewhere, values=case.worth)


Measure = tuple[Callable[[Case, int], Simulated], Callable[[Case], Closed]]
MEASURES: dict[str, Measure] = {
    "raghavan": (raghavan_users, raghavan_closed),
    "t2i": (t2i_users, t2i_closed),
    "generalised recall": (recall_users, recall_closed),
    "prum": (prum_users, prum_closed),
    "graded prum": (graded_users, graded_closed),
    "eprum": (eprum_users, eprum_closed),
}


def all_z(measure: str, case: Case, told: Case, seed: int) -> list[float]:
    """Return the largest |z| of each quantity: users of one task, closed forms of another."""
    users, closed = MEASURES[measure]
    return [
        largest_z(mean, error, value)
        for (mean, error), value in zip(users(case, seed), closed(told), strict=True)
    ]


@pytest.mark.parametrize("measure", spread(3, MEASURES))
@every
def test_users_agree_with_closed_forms(measure: str, seed: int) -> None:
    assert max(all_z(measure, CASES[seed], CASES[seed], seed)) < THRESHOLD


# --- negative controls ------------------------------------------------------------------------


def weaker(case: Case) -> Case:
    """Every link .05 less likely than the users have it, certain ones aside."""
    links = {pair: p - 0.05 if p < 1 else p for pair, p in case.links.items()}
    return replace(case, links=links)


def one_more(case: Case) -> Case:
    """One unranked element more."""
    task = case.task
    return replace(case, task=Task(task.ranking, task.ideals, task.collection_size + 1))


def untied(case: Case) -> Case:
    return replace(case, ties=(1,) * case.task.num_ranked)


def one_link_less(case: Case) -> Case:
    return replace(case, links=dict(list(case.links.items())[1:]))


def flat(case: Case) -> Case:
    """The most valuable ideal is worth a tenth less."""
    best = max(case.values, key=lambda ideal: case.values[ideal])
    return replace(case, values={**case.values, best: 0.9 * case.values[best]})


# Two ideals in the list, one outside it, ties that matter; a tenth less value changes what is
# enough for a level.
CONTROL = Case(
    Task([*"xaybz"], [*"abc"], 9),
    {("x", "b"): 0.5, ("x", "c"): 0.3, ("y", "c"): 0.4, ("z", "c"): 0.6, ("o", "a"): 0.8},
    {"a": 0.5, "b": 0.5, "c": 0.5},
    (2, 2, 1),
)
# What is wrong, and the places of the quantities that must show it.
CONTROLS: Sequence[tuple[str, Callable[[Case], Case], Sequence[int]]] = (
    ("raghavan", untied, (0, 1)),
    ("raghavan", one_more, (0, 1)),
    ("t2i", one_link_less, (0, 1)),
    ("generalised recall", weaker, (0, 1)),
    ("generalised recall", flat, (1,)),
    ("prum", weaker, (0, 1, 2, 3, 4)),
    ("prum", one_more, (0, 2, 4)),
    ("graded prum", weaker, (0, 1, 2)),
    ("graded prum", flat, (0, 1, 2)),
    ("eprum", weaker, (0, 1, 2)),
    ("eprum", flat, (2,)),
)


@pytest.mark.parametrize(("measure", "wrong", "places"), CONTROLS)
def test_another_model_is_rejected(
    measure: str, wrong: Callable[[Case], Case], places: Sequence[int]
) -> None:
    assert max(all_z(measure, CONTROL, CONTROL, 5)) < THRESHOLD
    z = all_z(measure, CONTROL, wrong(CONTROL), 5)
    assert min(z[place] for place in places) > THRESHOLD


def test_prum_above_one_ideal_is_an_approximation() -> None:
    """The simulation can tell it from the exact value where a rank shows two ideals."""
    case = replace(
        CONTROL,
        task=Task([*"xyab"], [*"ab"], 4),
        links={("x", "a"): 0.4, ("x", "b"): 0.4, ("y", "a"): 0.6, ("y", "b"): 0.4},
    )
    users = effort(case, 6)
    published = prum(case.reach, 0).precision
    assert largest_z(users.precision[1:], users.precision_error[1:], published[1:]) > THRESHOLD


@slow
def test_there_are_as_many_comparisons_as_the_threshold_allows_for() -> None:
    quantities = sum(
        value.size
        for _, closed in MEASURES.values()
        for one in (*CASES, CONTROL)
        for value in closed(one)
    )
    assert quantities <= COMPARISONS
