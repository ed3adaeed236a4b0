"""Approximations beside simulated users: right ones agree, wrong ones are found."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from prum.analytic import PrecisionRecall, closed_form
from prum.experiments.crosscheck import crosscheck, crosscheck_campaigns
from prum.experiments.crosscheck.approximations import Claimed
from prum.simulator import Independent, InputError, ListCosts, Task, Walk
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Navigation
from tests.engines import plain_engine
from tests.oracle.cases import CASES
from tests.oracle.enumeration import expectations
from tests.tiers import slow

TAIL = 1e-4
TASK, LINKS = CASES["table III"]


def enumerated(task: Task, navigation: Navigation) -> PrecisionRecall:
    """Return the exact means by the oracle, in fractions."""
    means = expectations(task, navigation)
    return PrecisionRecall(
        [float(mean.leading) for mean in means], [float(mean.consulted) for mean in means]
    )


def precision(task: Task, navigation: Navigation) -> Any:
    return enumerated(task, navigation).precision


def off_by(error: float) -> Any:
    return lambda task, navigation: precision(task, navigation) + error


@pytest.mark.parametrize("name", ["table III", "unranked part", "walk with cycle"])
def test_enumerated_means_agree_and_planted_errors_are_found(name: str) -> None:
    given = {"means": enumerated, "ratio": precision, "below": off_by(-0.03), "above": off_by(0.03)}
    check = crosscheck(*CASES[name], num_users=100_000, seed=1, approximations=given)
    found = {"means": "agrees", "ratio": "agrees", "below": "disagrees", "above": "disagrees"}
    assert {of: check.verdicts[of] for of in found} == found
    rows = check.comparisons
    assert rows["means_p"].tolist() == pytest.approx(rows["p"].tolist(), rel=1e-6)
    assert (check.verdict, check.verdicts["exact"]) == ("agrees", "agrees")


def test_a_ratio_is_judged_by_two_tests() -> None:
    """E[CL(1)] is 1 for certain, so that E[C(1)] alone may be in the question."""
    exact = enumerated(TASK, LINKS)
    ratio = exact.precision * [1.01, 1]
    means = PrecisionRecall(exact.leading, exact.leading / ratio)
    check = crosscheck(
        TASK, LINKS, num_users=20_000, seed=1, approximations={"ratio": ratio, "means": means}
    )
    rows = check.comparisons
    assert 0 < rows["means_p"][0] < 0.5
    assert rows["ratio_p"][0] == pytest.approx(2 * rows["means_p"][0], rel=1e-4)


def test_a_table_of_both_means_needs_no_precision() -> None:
    exact = enumerated(TASK, LINKS)
    rows = [
        {"r": r, "CL": lead, "C": consulted}
        for r, (lead, consulted) in enumerate(zip(exact.leading, exact.consulted, strict=True), 1)
    ]
    wrong = [{**row, "C": row["C"] * 1.05} for row in rows]
    given: Any = {"means": rows, "wrong": wrong}
    check = crosscheck(TASK, LINKS, num_users=20_000, seed=1, approximations=given)
    assert (check.verdicts["means"], check.verdicts["wrong"]) == ("agrees", "disagrees")
    rows_of = check.comparisons
    assert rows_of["means_p"].tolist() == pytest.approx(rows_of["p"].tolist(), rel=1e-6)


def test_each_mean_and_each_ratio_is_a_test() -> None:
    exact = enumerated(TASK, LINKS)
    whole = Claimed(exact.precision, exact.leading, exact.consulted)
    tests = [one.num_tests for one in (Claimed(exact.precision), Claimed.of_prum(exact), whole)]
    assert tests == [2, 4, 6]


def test_an_approximation_is_unresolved_where_one_mean_is_not_tested() -> None:
    task, law = (
        Task(["a", "x", "b"], ["a", "b"], 30),
        Independent({("x", "b"): 0.5, ("a", "b"): 1e-4}),
    )
    check = crosscheck(
        task,
        law,
        num_users=20_000,
        seed=1,
        simulate=plain_engine,
        approximations={"right": enumerated},
    )
    assert check.cases[0].quantities.tested[:, 1].tolist() == [False, True]
    assert check.comparisons["right_verdict"].tolist() == ["agrees", "unresolved"]


def test_prum_is_found_wrong_where_it_is() -> None:
    check = crosscheck(TASK, LINKS, num_users=100_000, seed=1)
    assert check.verdicts == {"exact": "agrees", "PRUM": "disagrees"}
    assert check.comparisons["prum_verdict"].tolist() == ["agrees", "disagrees"]


@pytest.mark.parametrize("num_seeds", [25, pytest.param(300, marks=slow)])
def test_right_approximations_are_rejected_no_more_often_than_promised(num_seeds: int) -> None:
    given: Any = {"means": enumerated(TASK, LINKS), "ratio": precision(TASK, LINKS)}
    given["wrong"] = given["ratio"] + 0.02
    rejected = dict.fromkeys(given, 0)
    for seed in range(num_seeds):
        options: Any = {"num_users": 5_000, "seed": seed, "level": 0.05}
        check = crosscheck(TASK, LINKS, **options, approximations=given)
        for name in given:
            rejected[name] += check.verdicts[name] == "disagrees"
    most = int(binom.ppf(1 - TAIL, num_seeds, 0.05))
    print(f"{rejected} of {num_seeds}, {most} allowed")
    assert max(rejected["means"], rejected["ratio"]) <= most
    # Negative control.
    assert rejected["wrong"] > most


def test_without_a_closed_form_a_claim_can_only_disagree() -> None:
    ideals = [f"ideal{number}" for number in range(17)]
    walk = Walk({("c", ideal): 0.05 for ideal in ideals})
    task = Task(["c", *ideals[:3]], ideals, 40)
    assert closed_form(task, walk) is None
    given = {"tiny": np.full(17, 1e-3)}
    check = crosscheck(task, walk, num_users=20_000, seed=1, approximations=given)
    own = check.comparisons["simulated"].to_numpy()
    near = crosscheck(task, walk, num_users=20_000, seed=2, approximations={"near": own})
    assert check.verdicts["tiny"] == "disagrees"
    assert near.verdicts["near"] == "unresolved"


def test_a_table_gives_what_a_function_gives(tmp_path: Path) -> None:
    exact = enumerated(TASK, LINKS)
    rows = zip(exact.precision, exact.leading, exact.consulted, strict=True)
    lines = [f"{r},{p!r},{cl!r},{c!r}" for r, (p, cl, c) in enumerate(map(_floats, rows), start=1)]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["r,precision,CL,C", *lines]) + "\n")
    options: Any = {"num_users": 2_000, "seed": 1}
    ours = crosscheck(TASK, LINKS, **options, approximations={"mine": enumerated}).comparisons
    read = crosscheck(TASK, LINKS, **options, approximations={"mine": file}).comparisons
    for column in ("mine", "mine_leading", "mine_consulted", "mine_error"):
        assert read[column].tolist() == pytest.approx(ours[column].tolist(), abs=1e-15)


def _floats(values: Any) -> list[float]:
    return [float(value) for value in values]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"mine": [0.5]}, "precision by mine is"),
        ({"mine": [0.5, np.nan]}, "at r = 2 is nan"),
        ({"mine": lambda *_: [0.5, -1]}, "at r = 2 is -1.0"),
        ({"mine": PrecisionRecall([1], [2])}, "number of values of precision by mine is 1"),
        ({"mine": [{"r": 1, "precision": 0.5}]}, "r = 2 of list, topic must be there"),
        ({"mine": [{"r": 1, "precision": 0.5}] * 2}, "mine, row 2: r of list, topic is 1"),
        ({"mine": [{"r": 3, "precision": 0.5}]}, "mine, row 1: r of list, topic is 3"),
        ({"mine": [{"r": 1, "precision": 1, "topic": "q"}]}, "mine, row 1: system, topic is"),
        ({"mine": [{"r": 1, "precision": 1, "C": 2}]}, "columns CL and C must"),
        ({"mine": [{"r": 1}]}, "column precision must be there, or CL and C"),
        ({"simulated": [0.5, 0.5]}, "name of an approximation is 'simulated'"),
        ({"prum_leading": [0.5, 0.5]}, "name of an approximation is 'prum_leading'"),
        ({"my own": [0.5, 0.5]}, "name of an approximation is 'my own'"),
    ],
)
def test_bad_approximations_are_one_line(given: Any, told: str) -> None:
    with pytest.raises(InputError) as error:
        crosscheck(TASK, LINKS, num_users=100, seed=1, approximations=given)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_independent_links_are_given_to_functions_as_they_are() -> None:
    seen = []

    def mine(task: Task, navigation: Navigation) -> list[float]:
        seen.append((task, type(navigation)))
        return [0.5] * task.num_ideals

    crosscheck(TASK, LINKS, num_users=100, seed=1, approximations={"mine": mine})
    assert seen == [(TASK, Independent)]


def test_with_costs_approximations_are_held_against_what_is_charged() -> None:
    """What is right of costs agrees; what is right of elements, the negative control, does not."""
    costs = ListCosts([400, 120, 75, 160], 50, unit="tokens")
    exact = closed_form(TASK, LINKS, costs=costs)
    assert exact is not None
    given: Any = {"ratio": exact.precision, "means": exact, "elements": precision}
    check = crosscheck(TASK, LINKS, num_users=100_000, seed=1, costs=costs, approximations=given)
    found = {"ratio": "agrees", "means": "agrees", "elements": "disagrees"}
    assert {name: check.verdicts[name] for name in found} == found
    assert check.verdicts["exact"] == "agrees"


def campaign(name: str, lists: dict[str, list[str]]) -> Campaign:
    return Campaign(
        name=name,
        ideals={"topic": TASK.ideals},
        runs={system: {"topic": ranking} for system, ranking in lists.items()},
        navigation=LINKS,
        collection_size=TASK.collection_size,
    )


def test_a_table_is_read_by_system_and_a_swapped_one_is_found() -> None:
    given = campaign("one", {"good": ["c", "d", "a", "b"], "poor": ["d", "c", "b"]})
    right = pd.DataFrame(
        [
            {"system": system, "topic": topic, "r": r, "precision": value}
            for system, topic, task in given.tasks()
            for r, value in enumerate(precision(task, LINKS), start=1)
        ]
    )
    swapped = right.assign(system=right["system"].map({"good": "poor", "poor": "good"}))
    check = crosscheck_campaigns(
        [given], num_users=50_000, seed=1, approximations={"right": right, "swapped": swapped}
    )
    assert (check.verdicts["right"], check.verdicts["swapped"]) == ("agrees", "disagrees")
    assert set(check.systems["right"]) == set(check.systems["reference"])


def test_of_several_campaigns_functions_are_asked_and_tables_refused() -> None:
    rankings = {"one": ["c", "d", "a", "b"], "two": ["d", "c", "b"]}
    both = [campaign(name, {"list": ranking}) for name, ranking in rankings.items()]
    options: Any = {"num_users": 20_000, "seed": 1}
    check = crosscheck_campaigns(both, **options, approximations={"mine": precision})
    assert check.verdicts["mine"] == "agrees"
    table = [{"r": r, "precision": 0.5} for r in (1, 2)]
    refused: Any = ((table, "number of campaigns is 2"), ([0.5, 0.5], "number of lists is 2"))
    for bad, told in refused:
        with pytest.raises(InputError, match=told) as error:
            crosscheck_campaigns(both, **options, approximations={"mine": bad})
        assert "\n" not in str(error.value)
