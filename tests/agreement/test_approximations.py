"""Approximations beside simulated users: right ones agree, wrong ones are found."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from prum.analytic import PrecisionRecall, closed_form
from prum.experiments.crosscheck import crosscheck, crosscheck_campaigns
from prum.simulator import InputError, Task, Walk
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import ListCosts, Navigation
from tests.oracle.cases import CASES
from tests.oracle.enumeration import expectations

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
    assert (check.verdict, check.verdicts["exact"]) == ("agrees", "agrees")
    assert repr(check).startswith("means equals precision (exact, ")
    rows = check.comparisons
    assert rows["below_error"].tolist() == pytest.approx([-0.03] * len(rows))


def test_the_headline_names_the_largest_error_and_where_it_is() -> None:
    wrong = np.array([0.0, -0.2]) + precision(TASK, LINKS)
    check = crosscheck(TASK, LINKS, num_users=2_000, seed=1, approximations={"mine": wrong})
    told = "mine, largest error: −.2 (r = 2). Simulated users agree with"
    assert check.view().headline.startswith(told)
    assert check.verdicts == {"exact": "agrees", "PRUM": "disagrees", "mine": "disagrees"}


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
    rows = zip(exact.leading.tolist(), exact.consulted.tolist(), strict=True)
    lines = [f"{r},{cl!r},{c!r}" for r, (cl, c) in enumerate(rows, start=1)]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["r,CL,C", *lines]) + "\n")
    options: Any = {"num_users": 2_000, "seed": 1}
    ours = crosscheck(TASK, LINKS, **options, approximations={"mine": enumerated}).comparisons
    read = crosscheck(TASK, LINKS, **options, approximations={"mine": file}).comparisons
    for column in ("mine", "mine_leading", "mine_consulted", "mine_error"):
        assert read[column].tolist() == pytest.approx(ours[column].tolist(), abs=1e-15)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"mine": [0.5]}, "precision of mine is"),
        ({"mine": [0.5, np.nan]}, "at r = 2 is nan"),
        ({"mine": lambda *_: [0.5, -1]}, "at r = 2 is -1.0"),
        ({"mine": PrecisionRecall([1], [2])}, "E[CL] of mine is"),
        ({"mine": [{"r": 1, "precision": 0.5}]}, "r = 2 of list, topic must be there"),
        (
            {"mine": [{"r": 1, "precision": 0.5}] * 2},
            "mine, row 2: r of list, topic is 1",
        ),
        ({"mine": [{"r": 3, "precision": 0.5}]}, "mine, row 1: r of list, topic is 3"),
        ({"mine": [{"r": 1, "precision": 1, "topic": "q"}]}, "mine, row 1: system, topic is"),
        ({"mine": [{"r": 1, "precision": 1, "C": 2}]}, "must be precision, or CL and C"),
        ({"mine": [{"r": 1}]}, "must be precision, or CL and C"),
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
