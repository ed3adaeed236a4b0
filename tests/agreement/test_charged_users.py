"""Users who are charged for what they consult, against closed forms and against sessions."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from prum.analytic import closed_form
from prum.experiments.crosscheck import crosscheck
from prum.simulator import Independent, Simulation, Task, simulate
from prum.simulator.model import (
    Browsing,
    Copula,
    Costs,
    Coupled,
    InputError,
    ListCosts,
    Navigation,
    OneFactor,
    Types,
    Walk,
)
from prum.simulator.sessions import play
from tests.judging import judge, quantities
from tests.tiers import slow

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
USERS = 40_000
LINKS = {
    ("c", "a"): 0.4,
    ("c", "b"): 0.3,
    ("d", "a"): 0.5,
    ("d", "b"): 0.2,
    ("c", "z"): 0.3,
    ("d", "z"): 0.1,
}
TASK = Task(["c", "d", "a", "c", "b"], ["a", "b", "z"], 12)
COSTS = ListCosts([400, 120, 75, 400, 160], 230.5, unit="tokens")
CHANCE = Independent(LINKS)
WAYS: dict[str, Navigation] = {
    "independent": CHANCE,
    "walk": Walk(LINKS),
    "exclusive": Coupled(CHANCE, "exclusive"),
    "comonotone": Coupled(CHANCE, "comonotone"),
    "copula": Coupled(CHANCE, Copula(0.5)),
    "types": Browsing(CHANCE, Types([0.5, 0.5], [0.2, 1])),
    "one factor": Browsing(CHANCE, OneFactor(0.4)),
    "fading": Browsing(CHANCE, fading=0.7),
    "satiation": Browsing(Walk(LINKS), satiation=(1, 0.5)),
    "unranked": Browsing(CHANCE, unranked=True),
}
MODES: dict[str, dict[str, Any]] = {"sampled": {}, "expected": {"unranked": "expected"}}
CASES = [
    (way, mode)
    for way in WAYS
    for mode in MODES
    if mode == "sampled" or way == "independent" or (way, mode) == ("walk", "expected")
]


def _run(way: str, mode: str, *, costs: ListCosts = COSTS) -> Simulation:
    return simulate(TASK, WAYS[way], num_users=USERS, seed=19, costs=costs, **MODES[mode])


def test_what_users_pay_is_what_closed_forms_say() -> None:
    cases = []
    for way, mode in CASES:
        exact = closed_form(TASK, WAYS[way], costs=COSTS.stepped(TASK.num_unranked))
        assert exact is not None
        cases.append(quantities(exact, _run(way, mode)))
    judged, num_tested = judge(cases, FAMILY_WISE)
    assert num_tested == 3 * TASK.num_ideals * len(CASES)
    verdicts = {case: one.verdicts for case, one in zip(CASES, judged, strict=True)}
    assert {case: told for case, told in verdicts.items() if set(told) != {"agrees"}} == {}


@pytest.mark.parametrize(("rank", "factor"), [(0, 1.02), (2, 1.3), (5, 1.05)])
def test_a_cost_that_is_off_is_found(rank: int, factor: float) -> None:
    """Negative control: rank 1, 3, or what is behind the list, costs more on one side."""
    each = np.append(COSTS.ranked, COSTS.unranked)
    each[rank] *= factor
    wrong = ListCosts(each[:-1], each[-1], unit="tokens")
    cases = [
        quantities(closed_form(TASK, WAYS[way], costs=COSTS), _run(way, "sampled", costs=wrong))
        for way in ("independent", "walk")
    ]
    judged, _ = judge(cases, FAMILY_WISE)
    assert ["disagrees" in one.verdicts for one in judged] == [True, True]


@pytest.mark.parametrize("way", ["independent", "walk", "types"])
def test_a_crosscheck_counts_costs(way: str) -> None:
    result = crosscheck(TASK, WAYS[way], num_users=20_000, seed=2, costs=COSTS)
    assert (result.verdict, result.unit) == ("agrees", "tokens")
    assert result.values()["unit"] == "tokens"
    assert "costs in tokens" in repr(result)
    counted = crosscheck(TASK, WAYS[way], num_users=20_000, seed=2)
    assert (result.comparisons["exact"] != counted.comparisons["exact"]).any()


def test_unit_costs_check_the_same() -> None:
    units = ListCosts.units(TASK.num_ranked)
    plain = crosscheck(TASK, CHANCE, num_users=5_000, seed=2)
    same = crosscheck(TASK, CHANCE, num_users=5_000, seed=2, costs=units)
    assert same.comparisons.drop(columns="unit").equals(plain.comparisons)
    assert same.num_tested == plain.num_tested
    # All as dear as each other: the same verdicts, in another unit.
    alike = crosscheck(
        TASK, CHANCE, num_users=5_000, seed=2, costs=ListCosts(np.full(5, 0.3), 0.3, unit="s")
    )
    assert alike.comparisons["verdict"].tolist() == plain.comparisons["verdict"].tolist()
    names = ["exact", "simulated", "p", "detectable", "error"]
    assert alike.comparisons[names].to_numpy() == pytest.approx(
        plain.comparisons[names].to_numpy(), rel=1e-6, abs=1e-12
    )


def test_sessions_summed_by_hand_pay_as_much() -> None:
    """Each element by its name, consultation by consultation, in users that are played alone."""
    lengths = {"c": 400, "d": 120, "a": 75, "b": 160}
    costs = Costs.of(lengths, unit="tokens", other=230.5)
    charged = costs.along(TASK)
    assert charged.ranked.tolist() == [400, 120, 75, 400, 160]
    navigation, num_users = Browsing(CHANCE, fading=0.9), 300
    paid, led = np.zeros((2, num_users, TASK.num_ideals))
    for user in range(num_users):
        spent, leading, seen, ranks = 0.0, 0.0, 0, set[int]()
        each = 0.0
        for event in play(TASK, navigation, user=user, seed=5, costs=costs).events:
            if event.action == "consult":
                each = costs.mean(event.element)
                spent += each
            elif event.new:
                leading += 0 if event.rank in ranks else each
                ranks.add(event.rank)
                paid[user, seen], led[user, seen] = spent, leading
                seen += 1
    exact = closed_form(TASK, navigation, costs=charged)
    assert exact is not None
    run = simulate(TASK, navigation, num_users=num_users, seed=5, costs=charged)
    for mean, truth, sampled in (
        (paid, exact.consulted, run.consulted),
        (led, exact.leading, run.leading),
    ):
        error = mean.std(axis=0, ddof=1) / np.sqrt(num_users)
        assert np.abs((mean.mean(axis=0) - truth) / error).max() < 4.5
        assert np.abs((sampled - truth) / error).max() < 4.5


def test_costs_of_browsing_by_need_are_refused() -> None:
    with pytest.raises(InputError, match="costs"):
        simulate(TASK, Browsing(CHANCE, need=(1, 0.5)), num_users=10, seed=1, costs=COSTS)


# --- what leading cost is judged by ---------------------------------------------------------------


@slow
@pytest.mark.parametrize("way", ["independent", "walk", "exclusive"])
def test_false_alarms_where_costs_differ(way: str) -> None:
    """At most the .9999 quantile of Binomial(200, level) disagree, and wrong costs are found."""
    num_seeds, levels = 200, (0.05, 0.01)
    exact, wrong = (
        closed_form(TASK, WAYS[way], costs=ListCosts([400, 120, dear, 400, 160], 230.5))
        for dear in (75, 120)
    )
    alarms, found = np.zeros((2, len(levels)), dtype=np.int64)
    for seed in range(num_seeds):
        run = simulate(TASK, WAYS[way], num_users=8_192, seed=seed, costs=COSTS, threads=1)
        for counts, truth in ((alarms, exact), (found, wrong)):
            case = quantities(truth, run)
            counts += ["disagrees" in judge([case], level)[0][0].verdicts for level in levels]
    assert (alarms <= binom.ppf(1 - 1e-4, num_seeds, levels)).all()
    assert found.min() > 0.9 * num_seeds
