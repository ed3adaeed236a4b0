"""Closed forms that are too high or too low for what is rare are called wrong, on rare users.

Users browse as the truth says, the closed form is that of another chance of the rare event. Errors
are counted in what the cross-check says that it would find with probability .8, either way.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from prum.analytic import PrecisionRecall, closed_form
from prum.experiments.crosscheck import (
    Crosscheck,
    crosscheck,
    crosscheck_campaigns,
    verdicts,
)
from prum.experiments.crosscheck import (
    verb as checking,
)
from prum.experiments.crosscheck.detectable_errors import detectable
from prum.experiments.crosscheck.verdicts import judge, quantities
from prum.experiments.statistics.tests import POWER
from prum.experiments.sweeps import jobs
from prum.experiments.sweeps.store import Store
from prum.simulator import Browsing, Coupled, Independent, Simulation, Task, Types, Walk, simulate
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Navigation
from tests.engines import plain_engine, simulation_of
from tests.tiers import slow

LEVEL, TAIL = 0.01, 1e-4
# A list, its users by the chance of the link that hardly ever fails, that chance, and r.
Planted = tuple[Task, Callable[[float], Navigation], float, int]
PLANTED: dict[str, Planted] = {
    "one link": (Task(["x"], ["a"], 5000), lambda p: Independent({("x", "a"): p}), 0.999, 1),
    "walk": (
        Task(["x", "y"], ["a", "b"], 5000),
        lambda p: Walk({("x", "a"): p, ("a", "b"): 0.3, ("y", "a"): 0.5}),
        0.998,
        1,
    ),
    "comonotone": (
        Task(["x", "y"], ["a", "b"], 5000),
        lambda p: Coupled(
            Independent({("x", "a"): p, ("x", "b"): p, ("y", "a"): 0.3}), "comonotone"
        ),
        0.999,
        2,
    ),
}


def law(task: Task, navigation: Navigation) -> PrecisionRecall:
    exact = closed_form(task, navigation)
    assert exact is not None
    return exact


def wrong_law(planted: Planted, size: float, num_users: int) -> PrecisionRecall:
    """Return the closed form whose E[C(r)] is too high by `size` times what would be found."""
    task, browsing, chance, r = planted
    truth = law(task, browsing(chance))
    users = [
        simulate(task, browsing(chance), num_users=num_users, seed=0, rare=rare)
        for rare in (False, True)
    ]
    case = quantities(truth, *users)
    assert case.rare[1, r - 1]
    wanted = truth.consulted[r - 1] + size * detectable(case, LEVEL / case.num_tests)[1, r - 1]
    found = brentq(lambda p: law(task, browsing(p)).consulted[r - 1] - wanted, 0.9, 1.0, xtol=1e-12)
    return law(task, browsing(found))


def found(planted: Planted, exact: PrecisionRecall, num_users: int, num_seeds: int) -> int:
    """Return in how many seeds the value at r disagrees."""
    task, browsing, chance, r = planted
    number = 0
    for seed in range(num_seeds):
        plain, rare = (
            simulate(task, browsing(chance), num_users=num_users, seed=seed, threads=1, rare=rare)
            for rare in (False, True)
        )
        (judged,), _ = judge([quantities(exact, plain, rare)], LEVEL)
        number += judged.verdicts[r - 1] == "disagrees"
    return number


@pytest.mark.parametrize("size", [6, 3, 1, -1, -3, -6])
@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("num_seeds", [10, pytest.param(100, marks=slow)])
def test_planted_errors_are_found_in_both_directions(
    name: str, size: float, num_seeds: int
) -> None:
    """With probability .8 at least, and nearly always where they are three times as large."""
    number = found(PLANTED[name], wrong_law(PLANTED[name], size, 8192), 8192, num_seeds)
    print(f"{name}, {size} times: {number} of {num_seeds}")
    power = POWER if abs(size) == 1 else 0.999
    assert number >= binom.ppf(TAIL, num_seeds, power)


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("num_seeds", [20, pytest.param(500, marks=slow)])
def test_the_true_law_is_not_called_wrong(name: str, num_seeds: int) -> None:
    """Negative control: at most as often as the level says."""
    task, browsing, chance, _ = PLANTED[name]
    number = found(PLANTED[name], law(task, browsing(chance)), 8192, num_seeds)
    assert number <= binom.ppf(1 - TAIL, num_seeds, LEVEL)


# --- through the whole cross-check ------------------------------------------------------------

TASK = Task(["x", "y"], ["a", "b"], 5000)
TRUTH = Walk({("x", "a"): 0.998, ("a", "b"): 0.3, ("y", "a"): 0.5})
TOO_HIGH = Walk({("x", "a"): 0.995, ("a", "b"): 0.3, ("y", "a"): 0.5})


def _with_rare(
    _: Task, __: Navigation, *, num_users: int, seed: int, rare: bool = False
) -> Simulation:
    return simulate(TASK, TRUTH, num_users=num_users, seed=seed, rare=rare)


def _plain(_: Task, __: Navigation, *, num_users: int, seed: int) -> Simulation:
    return simulate(TASK, TRUTH, num_users=num_users, seed=seed)


def check(navigation: Navigation, num_users: int, seed: int, *, rare: bool) -> Crosscheck:
    engine = _with_rare if rare else _plain
    return crosscheck(TASK, navigation, num_users=num_users, seed=seed, simulate=engine)


@pytest.mark.parametrize("rare", [True, False])
@pytest.mark.parametrize("num_users", [8_192, 71_000])
@pytest.mark.parametrize("num_seeds", [2, pytest.param(20, marks=slow)])
def test_an_engine_is_judged_on_its_rare_users_and_else_on_more(
    num_users: int, rare: bool, num_seeds: int
) -> None:
    """.5 % are said to miss what .2 % do: this was unresolved, and the whole agreed."""
    for seed in range(num_seeds):
        wrong = check(TOO_HIGH, num_users, seed, rare=rare)
        assert wrong.verdict == "disagrees"
        row = wrong.comparisons.iloc[0]
        assert row["rare"] == rare
        assert (row["users"] > num_users + 32) == (not rare)
        right = check(TRUTH, num_users, seed, rare=rare)
        assert right.verdict == "agrees"
        if rare:
            assert right.comparisons["verdict"].tolist() == ["agrees", "agrees"]


def test_a_list_is_judged_by_all_users_of_its_seed() -> None:
    """More users are those of a longer run, and only of what lacks them."""
    few = check(TOO_HIGH, 8_192, 3, rare=False)
    more = few.cases[0].more
    assert more is not None
    assert more.num_users == 16 * 8_192
    assert more == _plain(TASK, TRUTH, num_users=more.num_users, seed=3).without_distribution()
    assert few.comparisons["users"].tolist() == [more.num_users, 8_192]
    assert few.of_more == "1 judged on 131,072 users, since 8,192 are too few for them."
    own = crosscheck(TASK, Independent({("x", "a"): 0.5}), num_users=8_192, seed=3)
    assert own.of_more == ""


def test_more_users_of_the_own_engine_are_added_to_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no run with rare users is made."""
    monkeypatch.setattr(checking, "of_rare_users", lambda *_, **__: {})
    case = Task(["x"], ["a"], 5000), Independent({("x", "a"): 0.99})
    check = crosscheck(*case, num_users=1_000, seed=1)
    more = check.cases[0].more
    assert more is not None
    assert more == simulate(*case, num_users=more.num_users, seed=1).without_distribution()
    assert check.comparisons["users"].tolist() == [more.num_users]
    assert check.verdict == "agrees"
    # They are kept, and counted once.
    campaign = Campaign(
        name="task",
        ideals={"topic": case[0].ideals},
        runs={"list": {"topic": case[0].ranking}},
        navigation=case[1],
        collection_size=5000,
    )
    for _ in range(2):
        with Store(tmp_path / "store.sqlite") as store:
            kept = crosscheck_campaigns([campaign], num_users=1_000, seed=1, store=store)
        assert kept.comparisons.equals(check.comparisons)
    # A larger check begins its further users later.
    with Store(tmp_path / "store.sqlite") as store:
        grown = crosscheck_campaigns([campaign], num_users=1_300, seed=1, store=store)
    at_once = crosscheck_campaigns([campaign], num_users=1_300, seed=1)
    assert at_once.comparisons["users"].max() > 1_300
    assert grown.comparisons.equals(at_once.comparisons)


def test_lists_that_lack_rare_users_get_more_of_them() -> None:
    task = Task(["hub", "x", "y"], ["a", "b", "c"], 40)
    links = {("hub", "a"): 0.0003, ("x", "b"): 0.5, ("y", "c"): 0.9997, ("hub", "c"): 0.3}
    rows = crosscheck(task, Independent(links), num_users=256, seed=1).comparisons
    assert rows["verdict"].tolist() == ["agrees"] * 3
    assert rows["users"].tolist() == [256, 1024, 1024]
    # Negative control: those who are as many as the plain ones do not do.
    options: Any = {"num_users": 256, "most_users": 256, "seed": 1}
    rows = crosscheck(task, Independent(links), **options).comparisons
    assert rows["verdict"].tolist() == ["agrees", "unresolved", "unresolved"]
    assert rows["users"].tolist() == [256] * 3


def test_what_takes_too_many_users_is_left_with_the_error_of_the_law() -> None:
    """Nobody of 2,000 misses what one in a million does: their error of 0 says nothing."""
    task, rarely = Task(["x"], ["a"], 1_000_001), Independent({("x", "a"): 1 - 1e-6})
    check = crosscheck(task, rarely, num_users=2_000, seed=1, simulate=plain_engine)
    row = check.comparisons.iloc[0]
    assert check.cases[0].simulated.precision_error[0] == 0
    assert (row["verdict"], row["users"]) == ("unresolved", 2_000)
    assert row["error"] > abs(row["simulated"] - row["exact"])
    assert row["low"] < row["exact"] < row["high"]
    assert check.verdict == "not tested"


# --- evidence of plain users ------------------------------------------------------------------


def test_plain_users_are_evidence_where_too_few_are_there_to_test() -> None:
    """One user in a thousand misses it: 40 of 4,000 do not, nor 0 of 20,000."""
    task, navigation = Task(["x"], ["a"], 1_000_001), Independent({("x", "a"): 0.999})
    exact = law(task, navigation)
    for num_users, number, verdict in (
        (4_000, 4, "unresolved"),
        (4_000, 40, "disagrees"),
        (20_000, 20, "unresolved"),
        (20_000, 0, "disagrees"),
    ):
        consulted = np.ones((num_users, 1), dtype=np.int64)
        consulted[:number] = 500_001
        run = simulation_of(task, navigation, consulted, np.ones_like(consulted), seed=1)
        case = quantities(exact, run)
        assert not case.tested[1, 0]
        (judged,), _ = judge([case], LEVEL)
        assert judged.verdicts == [verdict]


def test_bounds_are_above_the_tails_of_the_law() -> None:
    """Beside the binomial tails of how many users consult two elements, either way."""
    task, chance, n = Task(["x", "a"], ["a"], 2), 0.002, 2_000
    navigation = Independent({("x", "a"): 1 - chance})
    exact, users = law(task, navigation), binom(n, chance)
    for number in range(20):
        consulted = np.ones((n, 1), dtype=np.int64)
        consulted[:number] = 2
        run = simulation_of(task, navigation, consulted, np.ones_like(consulted), seed=1)
        bound = quantities(exact, run).bound
        assert bound is not None
        tail = min(users.cdf(number), users.sf(number - 1))
        assert tail <= bound[1, 0] <= min(1, 40 * tail)


# --- a law that has forgotten something -------------------------------------------------------


@pytest.fixture
def certain(monkeypatch: pytest.MonkeyPatch) -> tuple[Task, Navigation]:
    """Return a list that one user in 100,000 leaves; the closed form takes it for nobody."""
    task, forgotten = Task(["x"], ["a"], 1_000_000), Independent({("x", "a"): 1})
    exact = law(task, forgotten)
    monkeypatch.setitem(jobs._FORMULAS, "exact", lambda *_, **__: exact)
    return task, Independent({("x", "a"): 0.99999})


def test_what_a_law_has_forgotten_is_found_on_rare_users(
    certain: tuple[Task, Navigation],
) -> None:
    for seed in range(10):
        check = crosscheck(*certain, num_users=1_000, seed=seed)
        assert check.verdict == "disagrees"
        assert check.comparisons["rare"].tolist() == [True]


def test_what_plain_users_would_find_is_never_nothing(certain: tuple[Task, Navigation]) -> None:
    check = crosscheck(*certain, num_users=1_000, seed=1, simulate=plain_engine)
    row = check.comparisons.iloc[0]
    assert check.verdict == "agrees"
    # An event of one user in 622 has been seen with probability .8; it takes a million elements.
    assert row["detectable_consulted"] == pytest.approx(999_999 * (1 - 0.2 ** (1 / 1000)))
    assert row["detectable"] == pytest.approx(1 - 1 / (1 + row["detectable_consulted"]))
    assert "an error of 1.0 or more of precision" in check.detectable_errors.of_agreement


def test_where_links_leave_nothing_open_any_error_is_found() -> None:
    """Negative control: the link is certain, so no user can leave the list."""
    case = Task(["x"], ["a"], 1_000_000), Independent({("x", "a"): 1})
    check = crosscheck(*case, num_users=1_000, seed=1)
    assert check.comparisons["detectable"][0] < 1e-8
    assert not check.comparisons["rare"].any()


# --- the verdict of the whole -----------------------------------------------------------------


def test_the_whole_does_not_agree_where_what_is_left_is_many_errors_off() -> None:
    """So few users that rare ones met it some forty times; the law has it ten times as often."""
    task, lists = Task(["x"], ["a"], 1_000_001), {}
    for name, said in (("wrong", 1e-6), ("right", 1e-7)):

        def engine(
            task: Task, _: Navigation, *, num_users: int, seed: int, rare: bool = False
        ) -> Simulation:
            truth = Independent({("x", "a"): 1 - 1e-7})
            return simulate(task, truth, num_users=num_users, seed=seed, rare=rare)

        said_links = Independent({("x", "a"): 1 - said})
        lists[name] = crosscheck(
            task, said_links, num_users=320, most_users=320, seed=1, simulate=engine
        )
        assert lists[name].comparisons["verdict"].tolist() == ["unresolved"]
        assert lists[name].comparisons["rare"].tolist() == [True]
    assert lists["wrong"].verdict == "unresolved"
    assert lists["right"].verdict == "not tested"
    assert "unresolved" in lists["wrong"].view().headline


# --- the mean weight --------------------------------------------------------------------------


def _false_alarms(p: float, num_seeds: int) -> int:
    rare_type = Browsing(Independent({("x", "a"): 1}), Types([1 - p, p], [1.0, 0.0]))
    return sum(
        crosscheck(Task(["x"], ["a"], 5000), rare_type, num_users=8_192, seed=seed).verdict
        == "disagrees"
        for seed in range(num_seeds)
    )


@pytest.mark.parametrize(
    ("p", "num_seeds"),
    [(1e-5, 10), *(pytest.param(p, 150, marks=slow) for p in (1e-3, 5e-4, 3e-4, 1e-4, 1e-6))],
)
def test_a_type_that_no_plain_user_had_is_no_fault_of_the_weights(p: float, num_seeds: int) -> None:
    assert _false_alarms(p, num_seeds) <= binom.ppf(1 - 1e-4, num_seeds, 0.01)


def test_weights_without_their_few_users_are_called_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the error of a mean weight that has seen nobody of the rare type."""
    monkeypatch.setattr(verdicts, "_FEW_WEIGHTS", 0.001)
    assert _false_alarms(1e-5, 6) >= 3
