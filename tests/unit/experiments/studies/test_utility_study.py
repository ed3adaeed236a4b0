"""The study of utility: known numbers, planted mistakes, reproducibility, the command."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from prum.analytic.utility.measures import MEASURES, utility
from prum.experiments.frame.study import StudyResult
from prum.experiments.studies.utility import UTILITY
from prum.experiments.studies.utility.groups import (
    NUM_RELEVANT,
    RELEVANT_RANKS,
    UNNAMED,
    ClosedMean,
    UserGroup,
    groups_of,
    relevance_of,
)
from prum.experiments.studies.utility.study import (
    UtilityDesign,
    UtilityFindings,
    UtilityRow,
    compute,
)
from prum.simulator.model import InputError
from prum.simulator.sampling.measured.stops import Stops, simulate_stops, stopping_users
from tests.tiers import slow

Result = StudyResult[UtilityDesign, UtilityRow, UtilityFindings]


@pytest.fixture(scope="module")
def study() -> Result:
    return UTILITY(users=50_000)


@slow
def test_fifteen_cells_plain_and_browsed(study: Result) -> None:
    for part in ("plain", "browsed, web", "browsed, campaign"):
        assert [row.measure for row in study.rows if row.part == part] == list(MEASURES)
    plain = {row.measure: row.closed for row in study.rows if row.part == "plain"}
    relevance = relevance_of(RELEVANT_RANKS)
    for name, value in plain.items():
        assert value == utility(name, relevance, NUM_RELEVANT)
    assert plain["AP"] == pytest.approx(0.8 * 0.714443, abs=1e-5)


def test_preferences_are_the_measures(study: Result) -> None:
    claimed = {(row.part, row.distribution, row.model): row.closed for row in study.rows}
    for measure in ("RBAP", "DAG", "RAP", "EPR", "AP", "RRAP", "RBTR", "DCG", "SumRR"):
        cell = MEASURES[measure]
        assert claimed["preferences", *cell] == pytest.approx(claimed["plain", *cell])


@slow
@pytest.mark.parametrize("theta", [0.2, 0.5])
def test_all_agree(theta: float) -> None:
    found = UTILITY(users=100_000, theta=theta).found
    assert found.verdicts["disagrees"] == 0
    assert found.num_tested >= 70


Plant = Callable[[UserGroup, UserGroup], UserGroup]


def planted(plant: Plant) -> Callable[[float], Sequence[UserGroup]]:
    def groups(theta: float) -> Sequence[UserGroup]:
        both = zip(groups_of(theta), groups_of(theta + 0.02), strict=True)
        return [plant(one, other) for one, other in both]

    return groups


def wrong_theta(group: UserGroup, other: UserGroup) -> UserGroup:
    return replace(group, claims=other.claims)


def no_remainder(group: UserGroup, _: UserGroup) -> UserGroup:
    """Return DCG as sum over the list of R_k P(k): without those who stop behind it."""
    viewing = 1 / np.log2(np.arange(len(relevance_of(RELEVANT_RANKS)) + 1) + 2)
    lost = float(viewing[-1]) * len(RELEVANT_RANKS)
    claims = [
        replace(claim, value=claim.value - lost)
        if (group.part, claim.measure) == ("plain", "DCG")
        else claim
        for claim in group.claims
    ]
    return replace(group, claims=tuple(claims))


def compared(users: int, groups: Callable[[float], Sequence[UserGroup]]) -> list[UtilityRow]:
    return compute(UtilityDesign(users=users), lambda _: None, groups=groups)[0]


def guilty_of(groups: Callable[[float], Sequence[UserGroup]]) -> list[tuple[str, str]]:
    rows = compared(100_000, groups)
    return [(row.part, row.measure) for row in rows if row.verdict == "disagrees"]


def test_a_wrong_theta_is_guilty_wherever_it_matters() -> None:
    guilty = set(guilty_of(planted(wrong_theta)))
    assert {("plain", "RBP"), ("plain", "ERR"), ("browsed, web", "RBP")} <= guilty
    assert {name for _, name in guilty} & {"DCG", "AP", "RRR", "SumRR", "alpha-DCG"} == set()


@slow
def test_a_forgotten_remainder_is_guilty() -> None:
    assert guilty_of(planted(no_remainder)) == [("plain", "DCG")]


def test_what_is_rare_is_unresolved_and_what_is_certain_is_equal() -> None:
    users = stopping_users("RBP", [[0.0]] * 40 + [[1.0]])

    def simulate(num_users: int, seed: int) -> Stops:
        return simulate_stops(users, num_users=num_users, seed=seed)

    def group(value: float, column: int) -> UserGroup:
        return UserGroup("made", simulate, (ClosedMean("", "RBP", "M1", value, column),))

    def groups(_: float) -> list[UserGroup]:
        return [group(2.0**-41, 0), group(0.001, 0), group(0.5, 0), group(0.5, 1)]

    verdicts = [row.verdict for row in compared(2000, groups)]
    assert verdicts == ["agrees", "unresolved", "disagrees", "disagrees"]


@slow
def test_page(study: Result) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    assert study.found.verdicts["agrees"] == len(study.rows)
    assert study.command == "prum study utility --users 50000 --seed 1"
    view, text = study.view(), study.to_html()
    assert len(view.tables) == 7
    assert view.headline.startswith(f"{len(study.rows)} closed forms beside 50,000 users each: ")
    assert view.headline in text
    assert "browsed, campaign" in text


# --- cells without a name, and a ranking of one's own -----------------------------------------


def test_cells_without_a_name_agree(study: Result) -> None:
    rows = [row for row in study.rows if row.part == UNNAMED]
    assert len([row for row in rows if row.measure == "–"]) == 9
    ranks = {row.distribution: row.closed for row in rows if row.measure == "f(k) = k"}
    # Geometric: all but those behind rank 100; and ERR by hand.
    assert ranks["RBP"] == pytest.approx(2)
    by_hand = sum(k * 0.5**n for n, k in enumerate(RELEVANT_RANKS, start=1))
    assert ranks["ERR"] == pytest.approx(by_hand)
    assert {row.verdict for row in rows} <= {"agrees", "unresolved"}
    assert sum(row.verdict == "agrees" for row in rows) >= 12


def test_a_ranking_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("".join(f"7 Q0 d{k} {k} {-k} x\n" for k in (1, 2, 3, 2, 4)))
    (tmp_path / "qrels").write_text("7 0 d2 1\n7 0 d4 2\n7 0 d9 1\n7 0 d1 0\n8 0 d1 0\n")
    run, qrels = str(tmp_path / "run"), str(tmp_path / "qrels")
    study = UTILITY(users=20_000, run=run, qrels=qrels)
    plain = {row.measure: row for row in study.rows if row.part == "plain"}
    found = [0, 1, 0, 0, 1]
    assert plain["AP"].closed == utility("AP", found, 3)
    assert plain["DCG"].closed == utility("DCG", found, 3)
    assert study.found.verdicts["disagrees"] == 0
    # Negative control: users of another list are found out.
    other = UTILITY(users=20_000)
    claimed = {row.measure: row.closed for row in other.rows if row.part == "plain"}
    assert abs(claimed["AP"] - plain["AP"].simulated) > 10 * plain["AP"].error
    for options, message in (
        ({"run": run}, "files is .*, must be a run and qrels"),
        ({"topic": "7"}, "topic is '7', must be left out without a run"),
        ({"run": run, "qrels": qrels, "topic": "9"}, "topic is '9', must be one of the run"),
    ):
        with pytest.raises(InputError, match=message):
            UTILITY(users=10, **options)
    (tmp_path / "run").write_text("8 Q0 d1 1 1 x\n")
    with pytest.raises(InputError, match="number of relevant elements of 8 is 0"):
        UTILITY(users=10, run=run, qrels=qrels)
