"""Users for measures of effort against all worlds of tiny tasks, enumerated in fractions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import comb, factorial, prod

import numpy as np
import pytest
from scipy.stats import norm

from prum.simulator import Independent, Simulation, Task, simulate
from prum.simulator.sampling.measured.effort import Effort, simulate_effort, simulate_graded
from tests.samples import random_task
from tests.tiers import slow, spread

# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-3
# Comparisons of this file, at least; the thresholds below are for as many.
COMPARISONS = 1_000
THRESHOLD = float(norm.isf(FAMILY_WISE / 2 / COMPARISONS))
USERS = 500_000
# Ratios and values are kept to 2^-40.
ROUNDING = 1e-10

Exact = dict[str, list[Fraction]]


@dataclass(frozen=True)
class Case:
    """A tiny task with links, written down by itself."""

    ranking: str
    ideals: str
    size: int
    links: dict[str, float]  # "ca" for c -> a
    ties: tuple[int, ...] | None = None
    values: dict[str, float] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        return Task(list(self.ranking), list(self.ideals), self.size)

    @property
    def navigation(self) -> Independent:
        return Independent({(pair[0], pair[1]): p for pair, p in self.links.items()})

    def value(self, ideal: str) -> Fraction:
        return Fraction(str(self.values.get(ideal, 1)))


CASES = {
    "table III": Case("cdab", "ab", 4, {"ca": 0.4, "cb": 0.4, "da": 0.6, "db": 0.4}),
    "unranked part": Case("cd", "ab", 9, {"ca": 0.4, "cb": 0.7, "db": 0.2}),
    "ties": Case("cda", "ab", 6, {"ca": 0.4, "cb": 0.3, "db": 0.8}, ties=(3,)),
    "ties below": Case(
        "xcda", "abe", 8, {"xa": 0.2, "ca": 0.5, "cb": 0.3, "db": 0.8, "de": 0.1}, ties=(1, 2, 1)
    ),
    "twice in a tie": Case("xyx", "ab", 6, {"xa": 0.5, "xb": 0.5, "ya": 0.25}, ties=(3,)),
    "twice in two ties": Case("xyzx", "ab", 6, {"xa": 0.5, "zb": 0.5, "ya": 0.25}, ties=(2, 2)),
    "better outside": Case(
        "cda", "abe", 9, {"ca": 0.4, "db": 0.6, "oa": 0.5, "ob": 0.5, "oe": 0.7}
    ),
    "ideals lead on": Case("acb", "abe", 5, {"ab": 0.3, "ea": 0.4, "eb": 0.9, "ce": 0.6}),
    "values": Case(
        "xcba",
        "abe",
        9,
        {"xa": 0.4, "cb": 0.6, "ca": 0.3, "oa": 0.5, "oe": 0.2},
        values={"a": 1, "b": 0.25, "e": 0.5},
    ),
    "values and ties": Case(
        "cdab",
        "abe",
        8,
        {"ca": 0.4, "ce": 0.9, "db": 0.6, "oa": 0.5, "ob": 0.5},
        ties=(2, 2),
        values={"a": 3, "b": 1, "e": 2},
    ),
    "certain": Case("cab", "ab", 3, {"ca": 1, "cb": 1}, values={"a": 1, "b": 2}),
    "no list": Case("", "ab", 5, {"oa": 0.5, "ob": 0.5}),
}
every = pytest.mark.parametrize("name", CASES)


# --- all worlds -------------------------------------------------------------------------------


def worlds(case: Case) -> Iterator[tuple[Fraction, dict[str, set[str]]]]:
    """Yield every outcome of the tosses: its probability and what each element shows."""
    links = [(pair, Fraction(str(p))) for pair, p in case.links.items() if pair[1] in case.ideals]
    for made in product((False, True), repeat=len(links)):
        probability = prod(
            (p if yes else 1 - p for yes, (_, p) in zip(made, links, strict=True)),
            start=Fraction(1),
        )
        shows = {ideal: {ideal} for ideal in case.ideals}
        for yes, (pair, _) in zip(made, links, strict=True):
            if yes:
                shows.setdefault(pair[0], set()).add(pair[1])
        if probability:
            yield probability, shows


def orders(case: Case) -> Iterator[tuple[Fraction, list[str]]]:
    """Yield every order of tied ranks with its probability."""
    groups, begin = [], 0
    for size in case.ties if case.ties is not None else (1,) * len(case.ranking):
        groups.append(list(permutations(case.ranking[begin : begin + size])))
        begin += size
    probability = Fraction(1, prod(len(group) for group in groups))
    for chosen in product(*groups):
        yield probability, [element for group in chosen for element in group]


def played(
    order: Sequence[str], shows: Mapping[str, set[str]], wanted: set[str]
) -> list[tuple[int, int]]:
    """Return (rank, elements that have led) of each wanted ideal that the list shows."""
    told, seen, led = list[tuple[int, int]](), set[str](), 0
    for rank, element in enumerate(order, start=1):
        new = shows.get(element, set()) & wanted - seen
        led += bool(new)
        told += [(rank, led)] * len(new)
        seen |= new
    return told


def finished(
    case: Case, told: Sequence[tuple[int, int]], num_wanted: int
) -> Iterator[tuple[Fraction, list[tuple[int, int]]]]:
    """Yield what is told with every set of places behind the list for the other ideals."""
    unseen, u = num_wanted - len(told), case.task.num_unranked
    led = told[-1][1] if told else 0
    for places in combinations(range(1, u + 1), unseen):
        behind = [(len(case.ranking) + at, led + k) for k, at in enumerate(places, start=1)]
        yield Fraction(1, comb(u, unseen)), [*told, *behind]


def fewest(case: Case, shows: Mapping[str, set[str]], level: Fraction) -> int:
    """Return how many elements show ideals of this value together, by trying all sets of them."""
    for number in range(len(shows) + 1):
        for chosen in combinations(shows, number):
            seen = set[str]().union(*(shows[element] for element in chosen))
            if sum(map(case.value, seen), Fraction(0)) >= level:
                return number
    raise ValueError(level)


def enumerated(case: Case) -> Exact:
    """Return E[C], E[CL], expected recall by rank and effort precision."""
    t, o = len(case.ideals), len(case.ranking)
    exact: Exact = {
        "consulted": [Fraction(0)] * t,
        "leading": [Fraction(0)] * t,
        "recall": [Fraction(0)] * o,
        "effort_precision": [Fraction(0)] * t,
    }
    total = sum(map(case.value, case.ideals), Fraction(0))
    for p, shows in worlds(case):
        least = [fewest(case, shows, total * r / t) for r in range(1, t + 1)]
        for q, order in orders(case):
            seen, reached = set[str](), 0
            for rank, element in enumerate(order):
                seen |= shows.get(element, set())
                value = sum(map(case.value, seen), Fraction(0))
                exact["recall"][rank] += p * q * value / total
                while reached < t and value >= total * (reached + 1) / t:
                    exact["effort_precision"][reached] += p * q * Fraction(least[reached], rank + 1)
                    reached += 1
            for s, told in finished(case, played(order, shows, set(case.ideals)), t):
                for r, (rank, led) in enumerate(told):
                    exact["consulted"][r] += p * q * s * rank
                    exact["leading"][r] += p * q * s * led
    return with_precision(exact)


def enumerated_graded(case: Case) -> Exact:
    """Return E[C] and E[CL] of users with thresholds of their own."""
    t = len(case.ideals)
    exact: Exact = {"consulted": [Fraction(0)] * t, "leading": [Fraction(0)] * t}
    heights = sorted({case.value(ideal) for ideal in case.ideals})
    for below, height in zip([Fraction(0), *heights], heights, strict=False):
        wanted = {ideal for ideal in case.ideals if case.value(ideal) >= height}
        chance = (height - below) / heights[-1]
        for p, shows in worlds(case):
            for s, told in finished(case, played(case.ranking, shows, wanted), len(wanted)):
                for r in range(1, t + 1):
                    rank, led = told[-(-r * len(wanted) // t) - 1]
                    exact["consulted"][r - 1] += chance * p * s * rank
                    exact["leading"][r - 1] += chance * p * s * led
    return with_precision(exact)


def with_precision(exact: Exact) -> Exact:
    pairs = zip(exact["leading"], exact["consulted"], strict=True)
    return exact | {"precision": [lead / consulted for lead, consulted in pairs]}


# --- comparisons ------------------------------------------------------------------------------


def largest_distance(simulated: Effort | Simulation, exact: Exact) -> float:
    """Return the largest distance in standard errors; without variance there must be none."""
    worst = 0.0
    for name, values in exact.items():
        errors = getattr(simulated, f"{name}_error")
        distances = np.abs(getattr(simulated, name) - np.array([float(x) for x in values]))
        assert len(distances) == len(values)
        for distance, error in zip(distances.tolist(), errors.tolist(), strict=True):
            if distance > ROUNDING:
                worst = max(worst, distance / error if error else np.inf)
    return worst


def simulated(case: Case, seed: int) -> Effort:
    return simulate_effort(
        case.task,
        case.navigation,
        num_users=USERS,
        seed=seed,
        values=case.values or None,
        ties=case.ties,
    )


def graded(case: Case, seed: int) -> Simulation:
    values = {ideal: float(case.value(ideal)) for ideal in case.ideals}
    return simulate_graded(case.task, case.navigation, values, num_users=USERS, seed=seed)


@cache
def users_of(name: str) -> Effort:
    return simulated(CASES[name], 60)


@cache
def graded_users_of(name: str) -> Simulation:
    return graded(CASES[name], 61)


def of_ideals(case: Case, kind: int) -> Case:
    """Return the case with other values."""
    values = [{}, {"a": 1, "b": 0.5, "e": 0.2}, {"a": 0.25, "b": 1, "e": 1}][kind]
    return replace(case, values={x: v for x, v in values.items() if x in case.ideals}, ties=None)


def test_there_are_no_more_comparisons_than_the_threshold_is_for() -> None:
    num = sum(4 * len(case.ideals) + len(case.ranking) for case in CASES.values())
    num += sum(3 * 3 * len(case.ideals) for case in CASES.values())
    num += 40 * 3 * 4
    assert num <= COMPARISONS


@pytest.mark.parametrize("name", spread(2, CASES))
def test_effort_agrees_with_all_worlds(name: str) -> None:
    assert largest_distance(users_of(name), enumerated(CASES[name])) < THRESHOLD


@pytest.mark.parametrize("name", spread(2, CASES))
@pytest.mark.parametrize("kind", [0, 1, 2])
def test_graded_agrees_with_all_worlds(name: str, kind: int) -> None:
    case = of_ideals(CASES[name], kind)
    assert largest_distance(graded(case, 61), enumerated_graded(case)) < THRESHOLD


@slow
def test_agrees_with_the_fast_sampler() -> None:
    """Without ties C and CL are those of users drawn from the law of what the list leads to."""
    worst = 0.0
    for number in range(40):
        task, navigation = random_task(np.random.default_rng([number, 62]), walk=False)
        assert isinstance(navigation, Independent)
        task = Task(task.ranking, task.ideals, task.collection_size + 5)
        one = simulate_effort(task, navigation, num_users=50_000, seed=62)
        two = simulate(task, navigation, num_users=50_000, seed=63)
        for name in ("consulted", "leading", "precision"):
            distance = np.abs(getattr(one, name) - getattr(two, name))
            error = np.hypot(getattr(one, f"{name}_error"), getattr(two, f"{name}_error"))
            off = distance > ROUNDING
            if off.any():
                worst = max(worst, (distance[off] / error[off]).max())
    assert worst < THRESHOLD


# --- negative controls ------------------------------------------------------------------------

TURNED = [
    (name, pair) for name, case in CASES.items() for pair, p in case.links.items() if 0 < p < 1
]


def turned(case: Case, pair: str) -> Case:
    return replace(case, links={**case.links, pair: case.links[pair] + 0.1})


def part(exact: Exact, *names: str) -> Exact:
    return {name: exact[name] for name in names}


@pytest.mark.parametrize("link", spread(5, TURNED), ids=map(str, TURNED))
def test_another_probability_is_rejected(link: tuple[str, str]) -> None:
    """Links from the list change what is seen; links from outside only what would have done."""
    name, pair = link
    case = CASES[name]
    exact = enumerated(turned(case, pair))
    users = simulated(case, 60)
    if pair[0] in case.ranking:
        assert largest_distance(users, part(exact, "consulted")) > THRESHOLD
        assert largest_distance(users, part(exact, "recall")) > THRESHOLD
        assert (
            largest_distance(graded_users_of(name), enumerated_graded(turned(case, pair)))
            > THRESHOLD
        )
    if case.ranking:
        assert largest_distance(users, part(exact, "effort_precision")) > THRESHOLD


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.ties])
def test_a_tie_removed_is_rejected(name: str) -> None:
    exact = enumerated(replace(CASES[name], ties=None))
    users = users_of(name)
    for quantity in ("consulted", "recall", "effort_precision"):
        assert largest_distance(users, part(exact, quantity)) > THRESHOLD


@pytest.mark.parametrize("name", ["values", "values and ties"])
def test_other_values_are_rejected(name: str) -> None:
    exact = enumerated(replace(CASES[name], values={}))
    for quantity in ("recall", "effort_precision"):
        assert largest_distance(users_of(name), part(exact, quantity)) > THRESHOLD


def test_orders_are_as_many_as_they_should_be() -> None:
    assert len(list(orders(CASES["ties"]))) == factorial(3)
    assert sum(p for p, _ in worlds(CASES["ties below"])) == 1
