"""Measures of effort: closed forms, all worlds of tiny tasks in fractions, and simulated users.

Raghavan's precision and Cooper's search length, T2I, generalised recall, PRUM and its exact value,
PRUM on a graded scale, EPRUM: each against both others on the same tasks. GRP, GRPng and xCG have
no users; they are computed a second time in tests/agreement/test_structured_numbers.py.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from prum.analytic import exact, prum, reach_matrix
from prum.analytic.ranked import raghavan
from prum.analytic.structured import (
    eprum,
    generalised_recall,
    graded_prum,
    t2i,
)
from prum.simulator import Independent, Task
from prum.simulator.sampling.measured.effort import simulate_effort
from tests.oracle.enumeration import expectations
from tests.samples import Floats, floats
from tests.tiers import spread_random

# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-3
# Comparisons of this file, at most; the first test counts them.
COMPARISONS = 5_000
THRESHOLD = float(norm.isf(FAMILY_WISE / 2 / COMPARISONS))
USERS = 200_000
# Ratios and values are kept to 2^-40.
ROUNDING = 1e-9
NUM_RANDOM = 30

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

    @property
    def worth(self) -> dict[str, float]:
        return {ideal: float(self.value(ideal)) for ideal in self.ideals}

    def reach(self, ranking: Sequence[str]) -> Floats:
        task = Task([*ranking], [*self.ideals], 99)
        return np.asarray(reach_matrix(task, self.navigation).toarray())

    @property
    def elsewhere(self) -> list[str]:
        """All elements that the list does not hold."""
        return sorted({*self.ideals, *"".join(self.links)} - {*self.ranking})

    @property
    def ranks(self) -> list[list[str]]:
        """The list with tied elements in one rank."""
        ends = np.cumsum(self.ties or (1,) * len(self.ranking))
        return [list(part) for part in np.split(np.array([*self.ranking], object), ends[:-1])]


def random_case(seed: int) -> Case:
    """Return a task of up to 6 ranks and 4 ideals, in the list or not, and up to 6 links.

    A user who goes far makes means skewed, which z does not know: few are unranked.
    """
    rng = np.random.default_rng([71, seed])
    names = [*"abcdefgh"]
    ideals = sorted(rng.permutation(names)[: rng.integers(1, 5)].tolist())
    ranking = rng.permutation(names)[: rng.integers(1, 7)].tolist()
    pairs = [f"{x}{y}" for x in names for y in ideals if x != y]
    chosen = rng.permutation(pairs)[: rng.integers(1, 7)].tolist()
    chances = rng.choice([0.2, 0.4, 0.5, 0.8, 1.0], size=len(chosen)).tolist()
    worth = rng.choice([0.25, 0.5, 0.75, 1.0], size=len(ideals)).tolist()
    ties, left = list[int](), len(ranking)
    while left:
        ties.append(int(rng.integers(1, min(left, 3) + 1)))
        left -= ties[-1]
    return Case(
        "".join(ranking),
        "".join(ideals),
        len(names) + int(rng.integers(0, 4)),
        dict(zip(chosen, chances, strict=True)),
        tuple(ties),
        dict(zip(ideals, worth, strict=True)) if seed % 2 else {},
    )


CASES: dict[str, Case] = {
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
    **{f"random {seed}": random_case(seed) for seed in range(NUM_RANDOM)},
}


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
    for q, order in orders(case):
        for r, e in enumerate(
            expectations(Task(order, [*case.ideals], case.size), case.navigation)
        ):
            exact["consulted"][r] += q * e.consulted
            exact["leading"][r] += q * e.leading
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
    return with_precision(exact)


def enumerated_graded(case: Case) -> Exact:
    """Return E[C] and E[CL] of users with thresholds of their own: each wants what is above it."""
    t = len(case.ideals)
    exact: Exact = {"consulted": [Fraction(0)] * t, "leading": [Fraction(0)] * t}
    heights = sorted({case.value(ideal) for ideal in case.ideals})
    for below, height in zip([Fraction(0), *heights], heights, strict=False):
        wanted = [ideal for ideal in case.ideals if case.value(ideal) >= height]
        users = expectations(Task([*case.ranking], wanted, case.size), case.navigation)
        for r in range(1, t + 1):
            e = users[-(-r * len(wanted) // t) - 1]
            exact["consulted"][r - 1] += (height - below) / heights[-1] * e.consulted
            exact["leading"][r - 1] += (height - below) / heights[-1] * e.leading
    return with_precision(exact)


def with_precision(exact: Exact) -> Exact:
    pairs = zip(exact["leading"], exact["consulted"], strict=True)
    return exact | {"precision": [lead / consulted for lead, consulted in pairs]}


# --- what is compared ---------------------------------------------------------------------------


def untied(case: Case) -> Case:
    return replace(case, ties=None)


def certain(case: Case) -> Case:
    """Return the task without ties, and with links that all users follow."""
    return replace(case, links=dict.fromkeys(case.links, 1.0), ties=None)


def unlinked(case: Case) -> Case:
    return replace(case, links={})


def closed_forms(case: Case) -> dict[str, Floats]:
    """Return every measure by its closed form."""
    u, worth, reach = case.task.num_unranked, [*case.worth.values()], case.reach(case.ranking)
    sure = certain(case).reach(case.ranking)
    known, published = exact(reach, u), prum(reach, u)
    graded = graded_prum(reach, worth, u, estimate="exact")
    values = worth if case.values else None
    forms = {
        "T2I": t2i(sure, u).precision,
        "T2I, leading": prum(sure, u).leading,
        "recall": generalised_recall(reach, values),
        "precision": known.precision,
        "leading": known.leading,
        "consulted": known.consulted,
        # Where PRUM is no approximation.
        "PRUM, first": published.precision[:1],
        "PRUM, consulted": published.consulted,
        "graded precision": graded.precision,
        "graded leading": graded.leading,
        "graded consulted": graded.consulted,
        "effort": eprum(reach, case.reach(case.elsewhere), values=values),
    }
    if len({*case.ranking}) == len(case.ranking):
        tied = raghavan(case.ranks, list(case.ideals), u)
        forms |= {"Raghavan": tied.precision, "Cooper": tied.consulted}
    return forms


def enumerations(case: Case) -> dict[str, Floats]:
    """Return the same from all worlds."""
    plain, alone = enumerated(untied(case)), enumerated(unlinked(case))
    sure, graded = enumerated(certain(case)), enumerated_graded(untied(case))
    searched = [r / consulted for r, consulted in enumerate(sure["consulted"], start=1)]
    parts = {
        "T2I": searched,
        "T2I, leading": sure["leading"],
        **{name: plain[name] for name in ("recall", "precision", "leading", "consulted")},
        "PRUM, first": plain["precision"][:1],
        "PRUM, consulted": plain["consulted"],
        **{f"graded {name}": graded[name] for name in ("precision", "leading", "consulted")},
        "effort": plain["effort_precision"],
        "Raghavan": alone["precision"],
        "Cooper": alone["consulted"],
    }
    return {name: floats(values) for name, values in parts.items()}


def simulated(case: Case, seed: int) -> dict[str, tuple[Floats, Floats]]:
    """Return the same of simulated users, each with its error, where they have it."""

    def effort(case: Case) -> Any:
        values = case.values or None
        return simulate_effort(
            case.task, case.navigation, num_users=USERS, seed=seed, values=values
        )

    plain, sure = effort(untied(case)), effort(certain(case))
    r = np.arange(1, len(case.ideals) + 1)
    return {
        "T2I": (r / sure.consulted, r * sure.consulted_error / sure.consulted**2),
        "T2I, leading": (sure.leading, sure.leading_error),
        "effort": (plain.effort_precision, plain.effort_precision_error),
        **{
            name: (getattr(plain, name), getattr(plain, f"{name}_error"))
            for name in ("recall", "precision", "leading", "consulted")
        },
    }


def largest_z(mean: Floats, error: Floats, truth: Floats) -> float:
    """Return the largest |z|: infinite where the simulation has no variance and is not equal."""
    assert mean.shape == truth.shape
    off = np.abs(mean - truth)
    z = np.where(off <= ROUNDING * np.maximum(1, np.abs(truth)), 0, np.inf)
    np.divide(off, error, out=z, where=error > 0)
    return float(z.max(initial=0))


def all_z(users: dict[str, tuple[Floats, Floats]], case: Case) -> dict[str, float]:
    """Return the largest |z| of each quantity beside its closed form."""
    forms = closed_forms(case)
    return {name: largest_z(*means, forms[name]) for name, means in users.items()}


every = pytest.mark.parametrize("name", spread_random(13, CASES))


def test_closed_forms_are_those_of_all_worlds() -> None:
    """And there are no more comparisons than the threshold takes care of."""
    number = 0
    for name, case in CASES.items():
        truth = enumerations(case)
        number += sum(values.size for values in truth.values())
        for what, found in closed_forms(case).items():
            assert found == pytest.approx(truth[what], abs=1e-12), (name, what)
    controls = sum(values.size for values in enumerations(CONTROL).values())
    assert number + controls <= COMPARISONS


@every
def test_users_agree_with_closed_forms(name: str) -> None:
    assert max(all_z(simulated(CASES[name], 60), CASES[name]).values()) < THRESHOLD


# --- negative controls ------------------------------------------------------------------------


def weaker(case: Case) -> Case:
    """Every link .05 less likely than the users have it, certain ones aside."""
    return replace(case, links={pair: p - 0.05 * (p < 1) for pair, p in case.links.items()})


def one_more(case: Case) -> Case:
    """One unranked element more."""
    return replace(case, size=case.size + 1)


def one_link_less(case: Case) -> Case:
    return replace(case, links=dict([*case.links.items()][1:]))


def flat(case: Case) -> Case:
    """The first ideal is worth a tenth less."""
    return replace(case, values={**case.values, case.ideals[0]: 0.45})


# Two ideals in the list, one outside it, ties that matter; a tenth less value changes what is
# enough for a level.
CONTROL = Case(
    "xaybz",
    "abc",
    9,
    {"xb": 0.5, "xc": 0.3, "yc": 0.4, "zc": 0.6, "oa": 0.8},
    (2, 2, 1),
    dict.fromkeys("abc", 0.5),
)
# What is wrong, and what must show it.
CONTROLS: dict[str, tuple[Callable[[Case], Case], Sequence[str]]] = {
    "one element more": (one_more, ("precision", "consulted")),
    "a link less": (one_link_less, ("T2I", "T2I, leading", "recall", "effort")),
    "weaker": (
        weaker,
        ("recall", "precision", "leading", "consulted", "effort"),
    ),
    "flat": (flat, ("recall", "effort")),
}


def test_another_model_is_rejected() -> None:
    users = simulated(CONTROL, 5)
    assert max(all_z(users, CONTROL).values()) < THRESHOLD
    for name, (wrong, shown) in CONTROLS.items():
        z = all_z(users, wrong(CONTROL))
        assert {what: z[what] for what in shown if z[what] <= THRESHOLD} == {}, name


def test_prum_above_one_ideal_is_an_approximation() -> None:
    """The simulation can tell it from the exact value where a rank shows two ideals."""
    case = Case("xyab", "ab", 4, {"xa": 0.4, "xb": 0.4, "ya": 0.6, "yb": 0.4})
    mean, error = simulated(case, 6)["precision"]
    published = prum(case.reach(case.ranking), 0).precision
    assert largest_z(mean[1:], error[1:], published[1:]) > THRESHOLD
