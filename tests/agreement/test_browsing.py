"""Users who differ and change: the sampler and closed forms against oracles, dial by dial.

Every way of browsing is composed with every dial, every pair of dials, and all of them; on small
random tasks, in most of which each dial matters.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, count, islice
from math import sqrt

import numpy as np
import pytest
from scipy.stats import norm

from prum.analytic import closed_form
from prum.simulator import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    OneFactor,
    Simulation,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.sampling.ways.samplers import compiled
from tests.deadline import SOON
from tests.engines import naive_engine
from tests.judging import Quantities, judge, quantities
from tests.oracle.cases import (
    BROWSED,
    CORRELATED,
    DIAL_WITNESSES,
    DIFFER,
    ONE_DOCUMENT,
    PATHS,
    RICH,
    TABLE,
)
from tests.oracle.enumeration import Expectation, expectations
from tests.oracle.naive import naive_users
from tests.samples import WAYS, Floats, floats, random_browsing
from tests.tiers import slow, spread, spread_rows
from tests.twins.drawing import drawn

# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-5
NUM_USERS = 40_000
ROUNDING = 1e-9
LAWS = ("types", "beta", "one factor")
OTHERS = ("fading", "satiation", "need", "documents", "unranked")
# Fading by a table takes the place of fading.
TABLES = [("fades",), *((law, "fades") for law in LAWS), *((x, "fades") for x in OTHERS[1:])]
SETS = [
    *((dial,) for dial in (*LAWS, *OTHERS)),
    *((law, other) for law in LAWS for other in OTHERS),
    *combinations(OTHERS, 2),
    *((law, *OTHERS) for law in LAWS),
    *TABLES,
]
COMPOSED = [(way, dials) for way in (*WAYS, "walk") for dials in SETS]
LEVEL = FAMILY_WISE / (3 * len(COMPOSED))


# --- tasks and what is true of them -----------------------------------------------------------


@dataclass(frozen=True)
class Truth:
    """The laws of (C(r), CL(r)), with what the judge asks of a closed form."""

    laws: Sequence[Expectation]

    @property
    def num_ideals(self) -> int:
        return len(self.laws)

    @property
    def leading(self) -> Floats:
        return floats(law.leading for law in self.laws)

    @property
    def consulted(self) -> Floats:
        return floats(law.consulted for law in self.laws)

    @property
    def consulted_deviation(self) -> Floats:
        variance = floats(law.consulted_variance for law in self.laws)
        return np.sqrt(np.where(variance > ROUNDING, variance, 0))

    @property
    def consulted_skewness(self) -> Floats:
        third = floats(
            law.mean(lambda c, _, mean=law.consulted: (c - mean) ** 3)  # type: ignore[misc]
            for law in self.laws
        )
        spread = self.consulted_deviation
        return np.divide(third, spread**3, out=np.zeros_like(third), where=spread > 0)

    @property
    def mean_ratio(self) -> Floats:
        return floats(law.mean_ratio for law in self.laws)


def judged(truth: Truth, simulation: Simulation) -> Quantities:
    """Return what the judge compares of a simulation with the truth."""
    return quantities(truth, simulation)  # type: ignore[arg-type]


def without(browsing: Browsing, dial: str) -> Browsing:
    """Return the same with one dial not turned."""
    kept = [name for name in browsing.turned if name != dial]
    return Browsing(browsing.navigation, **{name: getattr(browsing, name) for name in kept})


def matters(task: Task, browsing: Browsing) -> bool:
    """Return whether each dial that is turned changes what users do."""
    laws = expectations(task, browsing)
    return all(laws != expectations(task, without(browsing, dial)) for dial in browsing.turned)


@cache
def telling_seeds(walk: bool, dials: tuple[str, ...]) -> list[list[int]]:
    """Return seeds of one task at random, and of two in which each of `dials` matters.

    It must matter to independent visits or to a walk, and with types of users for a population.
    """
    way = "walk" if walk else "independent"
    seeds = ([number, len(dials), walk] for number in count())
    first = next(seeds)
    telling = (
        seed for seed in seeds if matters(*random_browsing(np.random.default_rng(seed), way, dials))
    )
    return [first, *islice(telling, 2)]


@cache
def cases(way: str, dials: tuple[str, ...]) -> list[tuple[Task, Browsing, Truth]]:
    """Return three tasks with the truth about them."""
    plain = tuple("types" if dial in LAWS else dial for dial in dials)
    made = [
        random_browsing(np.random.default_rng(seed), way, dials)
        for seed in telling_seeds(way == "walk", plain)
    ]
    return [(*case, Truth(expectations(*case))) for case in made]


# --- every way with every pair of dials -------------------------------------------------------


# Of a module, that tests of the same composition follow each other.
@pytest.fixture(
    scope="module",
    params=spread(37, COMPOSED),
    ids=[" + ".join((way, *dials)) for way, dials in COMPOSED],
)
def composed(request: pytest.FixtureRequest) -> tuple[str, tuple[str, ...]]:
    way, dials = request.param
    return way, dials


def test_users_agree_with_the_enumeration(composed: tuple[str, tuple[str, ...]]) -> None:
    """E[CL(r)] and E[C(r)] by the judge, E[CL(r) / C(r)] by z."""
    found, z = [], []
    for number, (task, browsing, truth) in enumerate(cases(*composed)):
        simulation = simulate(task, browsing, num_users=NUM_USERS, seed=60 + number)
        found.append(judged(truth, simulation))
        difference = simulation.mean_ratio - truth.mean_ratio
        varying = simulation.mean_ratio_error > 1e-9
        assert difference[~varying] == pytest.approx(0, abs=1e-4)
        z += (difference[varying] / simulation.mean_ratio_error[varying]).tolist()
    verdicts, num_tested = judge(found, LEVEL)
    assert "disagrees" not in {verdict for one in verdicts for verdict in one.verdicts}
    assert num_tested >= len(found)
    assert np.abs([0, *z]).max() < norm.isf(LEVEL / (2 * len(z)))


def test_closed_forms_are_those_of_the_enumeration(composed: tuple[str, tuple[str, ...]]) -> None:
    way, dials = composed
    for task, browsing, truth in cases(way, dials):
        value = closed_form(task, browsing)
        if value is None:
            continue
        # Quadrature of the oracle where there are no fractions.
        rational = way != "copula" and not {"beta", "one factor"} & {*dials}
        near = {"abs": 1e-9 if rational else 1e-6, "rel": 0}
        assert value.leading == pytest.approx(truth.leading, **near)
        assert value.consulted == pytest.approx(truth.consulted, **near)
        for name in ("consulted_deviation", "consulted_skewness"):
            if (theirs := getattr(value, name)) is not None:
                assert theirs == pytest.approx(getattr(truth, name), abs=1e-5)


@pytest.mark.parametrize("way", [Independent, Walk])
@pytest.mark.parametrize("dials", [{}, {"need": [1, 0.5]}], ids=str)
def test_unranked_ideals_that_nothing_links_to_or_from(
    way: type[Independent | Walk], dials: dict[str, object]
) -> None:
    """They show themselves behind the list: a, and b where nobody comes from z."""
    task = Task(["x"], ["a", "b"], 5)
    browsing = Browsing(way({("x", "b"): 0.25, ("z", "b"): 0.5}), unranked=True, **dials)  # type: ignore[arg-type]
    truth, value = expectations(task, browsing), closed_form(task, browsing)
    assert value is not None
    assert value.leading == pytest.approx(floats(law.leading for law in truth), abs=1e-12)
    assert value.consulted == pytest.approx(floats(law.consulted for law in truth), abs=1e-12)


@pytest.mark.parametrize("way", spread(3, [*WAYS, "walk"]))
@pytest.mark.parametrize("law", spread(3, LAWS))
def test_users_have_the_joint_law(way: str, law: str) -> None:
    """Each (C(r), CL(r)) as often as it should be, and none that cannot be."""
    z = []
    for task, browsing, truth in cases(way, (law, *OTHERS)):
        block = compiled(task, browsing).block(65, 0, sampled=True)
        users = drawn(block, [NUM_USERS], task.num_ideals)
        for exact in truth.laws:
            column = exact.r - 1
            pairs = zip(users[0][:, column].tolist(), users[1][:, column].tolist(), strict=True)
            seen = Counter(pairs)
            assert set(seen) <= set(exact.joint)
            for pair, p in exact.joint.items():
                error = sqrt(NUM_USERS * p * max(1 - p, 0))
                if error > 10:
                    z.append((seen[pair] - NUM_USERS * p) / error)
    assert len(z) > 10
    assert np.abs(z).max() < norm.isf(LEVEL / (2 * len(z)))


@pytest.mark.parametrize("navigation", [TABLE, PATHS, Coupled(TABLE, "exclusive")], ids=str)
def test_dials_that_are_not_turned_do_nothing(navigation: Independent | Coupled | Walk) -> None:
    plain = simulate(RICH, navigation, num_users=5_000, seed=66)
    assert simulate(RICH, Browsing(navigation), num_users=5_000, seed=66).tally == plain.tally
    assert closed_form(RICH, Browsing(navigation)) == closed_form(RICH, navigation)


ROUND = {("x", "x"): 0.9, ("x", "a"): 0.05, ("b", "b"): 0.95}
_WALK = """
import json
from prum.simulator import Browsing, OneFactor, Task, Walk, simulate
browsing = Browsing(Walk({}), OneFactor(0.8))
simulation = simulate(Task(["b", "x"], ["a"], 4), browsing, num_users=20_000, seed=70)
print(json.dumps([simulation.consulted.tolist(), simulation.consulted_error.tolist()]))
"""


@slow
def test_walks_that_hardly_ever_stop_come_to_an_end() -> None:
    """Of such a factor some users stop with a probability that rounds to 0, in front of nothing."""
    command = [sys.executable, "-c", _WALK.format(ROUND)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SOON, check=True)
    (consulted,), (error,) = json.loads(done.stdout)
    (exact,) = expectations(Task(["b", "x"], ["a"], 4), Browsing(Walk(ROUND), OneFactor(0.8)))
    assert abs(consulted - exact.consulted) < norm.isf(LEVEL / 2) * error


# --- the naive walker, where there are no fractions -------------------------------------------

IRRATIONAL = [
    *((way, law) for way in (*WAYS, "walk") for law in ("beta", "one factor")),
    ("copula", "types"),
]


@slow
@pytest.mark.parametrize("irrational", spread(7, IRRATIONAL), ids=map(" + ".join, IRRATIONAL))
def test_users_agree_with_the_naive_walker(irrational: tuple[str, str]) -> None:
    way, law = irrational
    z = []
    for dials in ((law,), (law, "fading"), (law, *OTHERS)):
        for number, (task, browsing, _) in enumerate(cases(way, dials)):
            rng = np.random.default_rng([number, 67])
            users = naive_users(task, browsing, 3_000, rng)
            simulation = simulate(task, browsing, num_users=NUM_USERS, seed=67)
            for theirs, mine, error in (
                (users[0], simulation.consulted, simulation.consulted_error),
                (users[1], simulation.leading, simulation.leading_error),
            ):
                spread = np.hypot(theirs.std(axis=0, ddof=1) / np.sqrt(len(theirs)), error)
                difference = theirs.mean(axis=0) - mine
                assert difference[spread == 0] == pytest.approx(0, abs=1e-9)
                z += (difference[spread > 0] / spread[spread > 0]).tolist()
    assert len(z) > 10
    assert np.abs(z).max() < norm.isf(FAMILY_WISE / (2 * len(z)))


# --- negative controls ------------------------------------------------------------------------

# What is true, and what is simulated in its place.
CHANGED: dict[str, tuple[Browsing, Browsing]] = {
    "a factor of 0.5 is 0.52": (
        Browsing(TABLE, DIFFER),
        Browsing(TABLE, Types(DIFFER.weights, [0.2, 0.52, 1])),
    ),
    "2 percent more are of another type": (
        Browsing(PATHS, DIFFER),
        Browsing(PATHS, Types([0.48, 0.27, 0.25], DIFFER.factors)),
    ),
    "Beta(1, 1) is Beta(1, 1.05)": (
        Browsing(TABLE, Beta(1, 1)),
        Browsing(TABLE, Beta(1, 1.05)),
    ),
    "Beta(1, 1) is Beta(1.3, 1.3)": (
        Browsing(PATHS, Beta(1, 1)),
        Browsing(PATHS, Beta(1.3, 1.3)),
    ),
    "rho of users is .33 for .3": (
        Browsing(TABLE, OneFactor(0.3)),
        Browsing(TABLE, OneFactor(0.33)),
    ),
    "rho of walkers is .4 for .3": (
        Browsing(PATHS, OneFactor(0.3)),
        Browsing(PATHS, OneFactor(0.4)),
    ),
    "rho of contexts is .65 for .6": (
        Browsing(CORRELATED, fading=0.5),
        Browsing(Coupled(TABLE, Copula(0.65)), fading=0.5),
    ),
    "fading is .51 for .5": (Browsing(TABLE, fading=0.5), Browsing(TABLE, fading=0.51)),
    "fading is .5 for .45 at the third": (
        Browsing(TABLE, fading=[1, 0.8, 0.5]),
        Browsing(TABLE, fading=[1, 0.8, 0.45]),
    ),
    "fading of walks is .52 for .5": (Browsing(PATHS, fading=0.5), Browsing(PATHS, fading=0.52)),
    "satiation is .42 for .4": (
        Browsing(TABLE, satiation=[1, 0.4, 0]),
        Browsing(TABLE, satiation=[1, 0.42, 0]),
    ),
    "need of 2 is .41 for .4": (Browsing(PATHS, need=[1, 0.4]), Browsing(PATHS, need=[1, 0.41])),
    "one element is of no document": (
        Browsing(TABLE, documents=ONE_DOCUMENT),
        Browsing(TABLE, documents={x: d for x, d in ONE_DOCUMENT.items() if x != "y"}),
    ),
    "unranked elements are not browsed from": (Browsing(TABLE, unranked=True), Browsing(TABLE)),
    "unranked elements have documents": (
        Browsing(TABLE, unranked=True),
        Browsing(TABLE, unranked=True, documents={"z": "e", "c": "e"}),
    ),
}


@pytest.mark.parametrize("changed", spread(7, CHANGED))
def test_a_dial_turned_a_little_is_noticed(changed: str) -> None:
    truth, other = CHANGED[changed]
    laws = Truth(expectations(RICH, truth))
    simulations = [simulate(RICH, one, num_users=600_000, seed=68) for one in (truth, other)]
    (right, wrong), _ = judge([judged(laws, one) for one in simulations], FAMILY_WISE)
    assert set(right.verdicts) == {"agrees"}
    assert "disagrees" in wrong.verdicts


@cache
def users_without_fault(case: str, num_users: int) -> Simulation:
    return naive_engine()(RICH, BROWSED[case], num_users=num_users, seed=69)


@pytest.mark.parametrize(
    ("fault", "case"), spread_rows(5, DIAL_WITNESSES.items()), ids=DIAL_WITNESSES
)
def test_planted_faults_are_caught(fault: str, case: str) -> None:
    num_users = 5_000
    browsing = BROWSED[case]
    truth = Truth(expectations(RICH, browsing))
    wrong_users = naive_engine(fault)(RICH, browsing, num_users=num_users, seed=69)
    simulations = users_without_fault(case, num_users), wrong_users
    (right, wrong), _ = judge([judged(truth, one) for one in simulations], FAMILY_WISE)
    assert set(right.verdicts) == {"agrees"}
    assert "disagrees" in wrong.verdicts
