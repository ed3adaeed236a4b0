"""Kernels, their twins, closed forms, enumeration and naive walkers, all on the same tasks.

A family is a way of browsing with its tasks: by hand, and random ones, degenerate ones among them.
What is compared is one list: twins bit by bit, fractions to 1e-12, users by the judge or by z. For
each comparison with chance there are controls that it must reject.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.analytic import closed_form, independent_of, prum_of
from prum.simulator import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    Mixture,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.model import Covering, Navigation, Span
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sampling.ways.samplers import compiled
from tests.covering_tasks import COVERINGS, OPENED, random_covering
from tests.judging import judge, quantities
from tests.oracle.cases import CASES, HIGH_REACH
from tests.oracle.enumeration import expectations
from tests.oracle.naive import naive_users
from tests.oracle.readers import naive_readers
from tests.samples import Floats, floats, random_task
from tests.tiers import slow, spread
from tests.twins.drawing import drawn
from tests.twins.independent import reference_users

Ints = NDArray[np.int64]
Case = tuple[Task, Navigation]

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
# Of random tasks the fast tests take one in so many.
STEP = 10
SHARES = (0.25, 0.6, 0.15)
LAWS = (
    Types([0.5, 0.5], [0, 1]),
    Types([0.25, 0.5, 0.25], [0.1, 0.5, 0.9]),
    Types([1], [1]),
    Beta(1, 1),
    Beta(0.3, 2),
)
COUPLINGS = ("exclusive", "comonotone", Copula(0.3), Copula(0.9))

# --- families -----------------------------------------------------------------------------------


def random_tasks(*, walk: bool) -> list[Any]:
    return [random_task(np.random.default_rng([k, walk, 7]), walk=walk) for k in range(30)]


def mixed(number: int) -> Case:
    """Return a small task, and types who walk, toss, or browse by dials, some of them alike."""
    walk = bool(number % 2)
    task, first = random_task(np.random.default_rng([number, 20]), walk=walk)
    less = {(x, y): p * 0.4 for x, y, p in first.links}
    second = Walk(less) if walk else Coupled(Independent(less), "comonotone")
    third: Any = Browsing(first, fading=0.5, need=[0.3, 1]) if number % 3 else first  # type: ignore[arg-type]
    return task, Mixture(SHARES, [first, second, third])  # type: ignore[list-item]


def large(num_ranked: int, num_ideals: int, *, walk: bool = False) -> Any:
    """Return a task with many ranks and ideals, duplicates, and an unranked part."""
    rng = np.random.default_rng([num_ranked, num_ideals, walk])
    ideals = [f"i{number}" for number in range(num_ideals)]
    everything = [*(f"p{number}" for number in range(num_ranked)), *ideals]
    ranking = [everything[k] for k in rng.integers(0, len(everything), num_ranked)]
    links: dict[tuple[str, str], float] = {}
    for source in everything:
        degree = int(rng.integers(0, 9))
        for target in rng.permutation(len(everything))[:degree].tolist():
            if everything[target] != source:
                links[source, everything[target]] = rng.random() / max(degree, 1)
    return Task(ranking, ideals, 3 * len(everything)), (Walk if walk else Independent)(links)


TOSSED, WALKED = (random_tasks(walk=walk) for walk in (False, True))
# Two types whose mean, drawn anew at each element, is another user.
APART = (
    Task(["x", "u", "v"], ["a", "b"], 40),
    Mixture(
        [0.5, 0.5],
        [
            Walk({("x", "a"): 0.9, ("u", "b"): 0.9, ("v", "a"): 0.9}),
            Walk({("x", "b"): 0.1, ("v", "a"): 0.1}),
        ],
    ),
)
# Two ideals at one rank, and hardly more places behind the list than ideals that are missed.
TIGHT = (Task(["x"], [*"abcde"], 6), Independent({("x", "a"): 1, ("x", "b"): 1}))
# Tasks by hand, and random ones.
FAMILIES: dict[str, tuple[list[Case], list[Case]]] = {
    "independent": (
        [HIGH_REACH, TIGHT, *(case for case in CASES.values() if isinstance(case[1], Independent))],
        TOSSED,
    ),
    "walk": ([case for case in CASES.values() if isinstance(case[1], Walk)], WALKED),
    **{
        str(coupling): ([], [(task, Coupled(table, coupling)) for task, table in TOSSED])
        for coupling in COUPLINGS
    },
    **{str(law): ([], [(task, Browsing(table, law)) for task, table in TOSSED]) for law in LAWS},
    "mixture": ([APART], [mixed(number) for number in range(30)]),
    "chunks": (
        [*COVERINGS.values()],
        [random_covering(np.random.default_rng([k, 40])) for k in range(40)],
    ),
}
WITHOUT_FRACTIONS = {*map(str, (*COUPLINGS[2:], *LAWS[3:])), "chunks"}
LARGE: list[Case] = [
    *(large(o, t, walk=walk) for o, t, walk in product((64, 100, 1000), (3, 70), (False, True))),
    large(65, 130),
    (Task([], [f"i{k}" for k in range(90)], 100), Independent({})),
    *((large(60, 20)[0], Coupled(large(60, 20)[1], coupling)) for coupling in COUPLINGS),
]
every = pytest.mark.parametrize("family", FAMILIES)
tiers = pytest.mark.parametrize("step", [STEP, pytest.param(1, marks=slow)], ids=["some", "all"])


def cases_of(family: str, step: int = 1) -> list[Case]:
    by_hand, at_random = FAMILIES[family]
    return [*by_hand, *at_random[::step]]


# --- engines ------------------------------------------------------------------------------------


def enumerated(task: Task, navigation: Navigation) -> tuple[Floats, Floats]:
    """Return E[CL(r)] and E[C(r)] in fractions, rounded; of a mixture those of its types."""
    ways = navigation.types or (navigation,)
    shares = navigation.shares if isinstance(navigation, Mixture) else (1.0,)
    laws = [expectations(task, way) for way in ways]  # type: ignore[arg-type]
    leading, consulted = (
        np.array([floats(getattr(law, name) for law in laws_of) for laws_of in laws])
        for name in ("leading", "consulted")
    )
    return np.array(shares) @ leading, np.array(shares) @ consulted


def kernel(case: Case, num_blocks: int = 4) -> tuple[Ints, Ints]:
    task, navigation = case
    sampler = compiled(task, navigation)
    parts = [
        drawn(sampler.block(32, number, sampled=True), [BLOCK], task.num_ideals)
        for number in range(num_blocks)
    ]
    consulted, leading = zip(*parts, strict=True)
    return np.concatenate(consulted), np.concatenate(leading)


def naive(case: Case, num_users: int) -> tuple[Ints, Ints]:
    """Return users who toss every visit of every consulted element and know no law."""
    (task, navigation), rng = case, np.random.default_rng(33)
    if isinstance(navigation, Covering):
        return naive_readers(task, navigation, num_users, rng)
    if not isinstance(navigation, Mixture):
        return naive_users(task, navigation, num_users, rng)  # type: ignore[arg-type]
    counts = rng.multinomial(num_users, navigation.shares)
    parts = [
        naive_users(task, way, n, rng)  # type: ignore[arg-type]
        for way, n in zip(navigation.types, counts, strict=True)
    ]
    consulted, leading = zip(*parts, strict=True)
    return np.concatenate(consulted), np.concatenate(leading)


# --- what is compared ---------------------------------------------------------------------------


def twins(case: Case, *, sampled: bool, block: int, num_users: int, other: Any = None) -> bool:
    """Return whether a kernel's users are its twin's, drawn some at a time."""
    task, navigation = case
    users = compiled(task, navigation).block(3, block, sampled=sampled)
    own = drawn(users, [1, num_users // 2, num_users - num_users // 2 - 1], task.num_ideals)
    twin = reference_users(
        task, other or navigation, num_users=num_users, seed=3, block=block, sampled=sampled
    )
    return all(np.array_equal(one, two) for one, two in zip(own, twin, strict=True))


def _plain(case: Case) -> Case:
    """Return the types of a mixture that draw no step."""
    task, navigation = case
    if not isinstance(navigation, Mixture):
        return case
    ways = [way for way in navigation.types if not isinstance(way, Browsing)]
    return task, Mixture([1 / len(ways)] * len(ways), ways)


@every
@tiers
@pytest.mark.parametrize(("sampled", "block"), [(True, 0), (False, 0), (True, 1)])
def test_kernels_equal_their_twins(family: str, step: int, sampled: bool, block: int) -> None:
    for case in cases_of(family, step):
        own = case if sampled else _plain(case)
        assert twins(own, sampled=sampled, block=block, num_users=200), own


@slow
@pytest.mark.parametrize("number", range(len(LARGE)))
def test_kernels_equal_their_twins_on_large_tasks(number: int) -> None:
    for sampled in (True, False):
        assert twins(LARGE[number], sampled=sampled, block=0, num_users=300)


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in WITHOUT_FRACTIONS])
def test_closed_forms_are_those_of_the_enumeration(family: str) -> None:
    for task, navigation in cases_of(family):
        value = closed_form(task, navigation)
        assert value is not None
        leading, consulted = enumerated(task, navigation)
        assert value.leading == pytest.approx(leading, rel=1e-12)
        assert value.consulted == pytest.approx(consulted, rel=1e-12)


@every
@tiers
def test_users_agree_with_closed_forms(family: str, step: int) -> None:
    cases = [
        quantities(closed_form(*case), simulate(*case, num_users=100_000, seed=36))
        for case in cases_of(family, step)
    ]
    judged, num_tested = judge(cases, FAMILY_WISE)
    verdicts = {verdict for one in judged for verdict in one.verdicts}
    assert verdicts <= ({"agrees", "unresolved"} if family in ("mixture", "chunks") else {"agrees"})
    assert num_tested > 0.9 * sum(3 * task.num_ideals for task, _ in cases_of(family, step))


@every
@tiers
def test_expected_draws_agree_with_closed_forms(family: str, step: int) -> None:
    """Where they leave no variance at all, C is right to the tally's 2^-20."""
    z = []
    for case in map(_plain, cases_of(family, step)):
        truth = closed_form(*case)
        assert truth is not None
        users = simulate(*case, num_users=50_000, seed=44, unranked="expected")
        for quantity in ("leading", "consulted", "precision"):
            error = getattr(users, f"{quantity}_error")
            off = np.abs(getattr(users, quantity) - getattr(truth, quantity))
            off = np.maximum(off - 2.0**-20, 0)
            z.append(np.divide(off, error, out=np.where(off > 0, np.inf, 0), where=error > 0))
    z = np.concatenate(z)
    assert z.max() < norm.isf(FAMILY_WISE / 2 / len(z))


def differences(one: tuple[Ints, Ints], two: tuple[Ints, Ints], num_tests: int) -> list[str]:
    """Compare means of C, CL, C^2, C CL and CL / C at each r: two-sample z, Bonferroni.

    Where neither sample varies both must hold the same number.
    """
    beyond = []
    threshold = norm.isf(FAMILY_WISE / 2 / num_tests)
    for r in range(one[0].shape[1]):
        values = []
        for consulted, leading in (one, two):
            c, cl = consulted[:, r].astype(float), leading[:, r].astype(float)
            values.append({"C": c, "CL": cl, "C^2": c * c, "C CL": c * cl, "CL / C": cl / c})
        for what, x in values[0].items():
            y = values[1][what]
            difference = x.mean() - y.mean()
            error = np.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y))
            if abs(difference) > (threshold * error if error > 1e-12 else 1e-9):
                beyond.append(f"{what} at r = {r + 1}")
    return beyond


@every
@pytest.mark.parametrize("step", [3 * STEP, pytest.param(1, marks=slow)], ids=["some", "all"])
def test_naive_walkers_agree_with_kernels(family: str, step: int) -> None:
    cases = cases_of(family)[::step]
    num_tests = 5 * sum(task.num_ideals for task, _ in cases)
    for case in cases:
        assert differences(naive(case, 3_000), kernel(case), num_tests) == [], case


# --- controls -----------------------------------------------------------------------------------


def stronger(navigation: Navigation, factor: float) -> Any:
    """Return the navigation with every uncertain probability times `factor`, at most 1."""
    links = {
        (source, target): p if p in (0, 1) else min(1.0, p * factor)
        for source, target, p in navigation.links
    }
    return Walk(links) if isinstance(navigation, Walk) else Independent(links)


def changed(name: str, **changes: Any) -> Covering:
    """Return how chunks of a case are read, but for something."""
    old = COVERINGS[name][1]
    content = {"spans": old.spans, "links": old.links, "whole": old.whole, **changes}
    return Covering(old.chunks, **content)


WEB = Task(["x", "a", "b"], ["a", "b"], 3)
FOUR = {("x", "a"): 0.5, ("x", "b"): 0.4, ("a", "b"): 0.3, ("b", "a"): 0.2}
HALVES = {("x", "a"): 0.5, ("x", "b"): 0.5}
PAIRS = {(x, y): 0.8 for x in "xy" for y in "ab"}
PERTURBED = ["table III", "unranked part", "duplicates", "walk, fig. 2", "walk with cycle"]
# A case, another way of browsing, and users that tell them apart by the closed form.
CONTROLS: dict[str, tuple[Case, Navigation, int]] = {
    **{
        f"{name}, {factor}": (CASES[name], stronger(CASES[name][1], factor), 200_000)
        for name in PERTURBED
        for factor in (0.95, 1.05)
    },
    "one path tossed": ((WEB, Walk(HALVES)), Independent(HALVES), 20_000),
    **{
        f"{coupling}, 2 percent more": (
            (WEB, Coupled(Independent(FOUR), coupling)),
            Coupled(stronger(Independent(FOUR), 1.02), coupling),
            4_000_000,
        )
        for coupling in COUPLINGS
    },
    **{
        f"{law}, its mean": (
            (Task(["x", "y", "a", "b"], ["a", "b"], 4), Browsing(Independent(PAIRS), law)),
            Independent({pair: p * law.mean for pair, p in PAIRS.items()}),
            400_000,
        )
        for law in LAWS
        if law != Types([1], [1])
    },
    "shares": (APART, Mixture([0.6, 0.4], APART[1].navigations), 200_000),
    "types drawn anew": (APART, Walk(APART[1].links), 200_000),
    "a character later": (
        COVERINGS["two halves"],
        changed("two halves", spans={"x": Span("report", 1, 101)}),
        200_000,
    ),
    **{
        f"{name} otherwise": (
            COVERINGS[name],
            changed(name, links={**OPENED, ("annex", "middle"): 0.32}),
            200_000,
        )
        for name in ("opened for two spans", "opened, whole")
    },
    "not whole": (COVERINGS["whole"], changed("whole", whole=False), 200_000),
}


@pytest.mark.parametrize("name", spread(3, CONTROLS))
def test_the_closed_form_of_other_users_is_rejected(name: str) -> None:
    (task, navigation), other, num_users = CONTROLS[name]
    users = simulate(task, navigation, num_users=num_users, seed=30)
    verdicts = [
        judge([quantities(closed_form(task, each), users)], FAMILY_WISE)[0][0].verdicts
        for each in (navigation, other)
    ]
    assert set(verdicts[0]) == {"agrees"}
    assert "disagrees" in verdicts[1]


@pytest.mark.parametrize("name", ["two halves", "whole", "opened, whole", "opened for two spans"])
def test_noisy_or_in_place_of_the_union_is_rejected(name: str) -> None:
    """Chunks that miss a span independently of each other."""
    users = simulate(*COVERINGS[name], num_users=200_000, seed=43)
    (judged,), _ = judge([quantities(independent_of(*COVERINGS[name]), users)], FAMILY_WISE)
    assert "disagrees" in judged.verdicts


# A case, and whom naive walkers are instead. Rows over 1 would be followed in order.
WALKERS: dict[str, tuple[Case, Navigation]] = {
    **{
        name: (CASES[name], stronger(CASES[name][1], 0.8 if name == "walk with cycle" else 1.2))
        for name in PERTURBED
    },
    **{
        f"independent, {coupling}": (
            (WEB, Coupled(Independent(HALVES), coupling)),
            Independent(HALVES),
        )
        for coupling in COUPLINGS[:3]
    },
    "shares": (APART, Mixture([0.6, 0.4], APART[1].navigations)),
    "types drawn anew": (APART, Walk(APART[1].links)),
    "longer": (
        COVERINGS["two halves"],
        changed("two halves", spans={"x": Span("report", 0, 110)}),
    ),
    "later": (
        COVERINGS["overlapping gold"],
        changed(
            "overlapping gold", spans={"x": Span("report", 10, 90), "y": Span("report", 60, 80)}
        ),
    ),
    "opened": (
        COVERINGS["opened for two spans"],
        changed("opened for two spans", links={("first half", "second half"): 0.6}),
    ),
    "whole": (COVERINGS["opened, whole"], changed("opened, whole", whole=False)),
}


@pytest.mark.parametrize("name", spread(2, WALKERS))
def test_naive_walkers_who_do_something_else_are_rejected(name: str) -> None:
    (task, navigation), other = WALKERS[name]
    assert differences(naive((task, other), 3_000), kernel((task, navigation)), 1_000) != []


OTHER_TWINS: dict[str, Callable[[], bool]] = {
    "one percent of a link": lambda: twins(
        CASES["table III"],
        sampled=True,
        block=0,
        num_users=3_000,
        other=stronger(CASES["table III"][1], 1.01),
    ),
    "shares": lambda: twins(
        APART,
        sampled=True,
        block=0,
        num_users=300,
        other=Mixture([0.6, 0.4], APART[1].navigations),
    ),
}


@pytest.mark.parametrize("name", OTHER_TWINS)
def test_twins_of_other_users_differ(name: str) -> None:
    assert not OTHER_TWINS[name]()


def test_prum_sees_the_average_user() -> None:
    task = Task(["x", "a"], ["a"], 2)
    half = Browsing(Independent({("x", "a"): 1.0}), Types([0.5, 0.5], [0, 1]))
    assert prum_of(task, half) == prum_of(task, Independent({("x", "a"): 0.5}))
