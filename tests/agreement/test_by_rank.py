"""P(rank is consulted) and P(rank leads to something new): users and verdicts.

They are enumerated in test_forms.
"""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binom

from prum.analytic import (
    ByRank,
    by_rank,
    found_pmf,
    new_probability,
    prum_by_rank,
)
from prum.experiments.commands import main as cli
from prum.experiments.crosscheck import Crosscheck, crosscheck, ranks
from prum.experiments.crosscheck.ranks import ranks_of
from prum.simulator import (
    Browsing,
    Independent,
    InputError,
    Mixture,
    OneFactor,
    Simulation,
    Task,
    Walk,
    simulate,
)
from prum.simulator.collections.examples import example_campaign
from prum.simulator.model import Navigation
from prum.simulator.sampling.measured.effort import simulate_ranks
from prum.simulator.sampling.ways.samplers import compiled
from tests.oracle.naive import naive_users
from tests.tiers import slow

TASK = Task(["c", "d", "a", "b"], ["a", "b"], 4)
PAIRS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
LINKS = Independent(PAIRS)
WALK = Walk({("c", "d"): 0.5, ("d", "a"): 0.6, ("c", "b"): 0.3})


def test_of_both_r_equation_8_is_a_quotient() -> None:
    reach = np.random.default_rng(3).random((4, 3))
    names = [f"x{i}" for i in range(4)], ["a", "b", "c"]
    links = {(x, y): reach[i, k] for i, x in enumerate(names[0]) for k, y in enumerate(names[1])}
    found = prum_by_rank(Task(*names, 9), Independent(links))
    gained = (np.diff(values, axis=1, prepend=0) for values in (found.leading, found.consulted))
    leading, consulted = gained
    assert consulted == pytest.approx(found_pmf(reach)[:-1, :-1])
    some = consulted > 0
    assert (leading[some] / consulted[some]) == pytest.approx(new_probability(reach)[:, :-1][some])


def test_types_are_mixed_by_their_shares() -> None:
    types = (LINKS, Independent({}))
    mixed = by_rank(TASK, Mixture([0.25, 0.75], types))
    parts = [by_rank(TASK, kind) for kind in types]
    assert mixed is not None
    for name in ("consulted", "leading"):
        each = [getattr(part, name) for part in parts]
        assert getattr(mixed, name) == pytest.approx(0.25 * each[0] + 0.75 * each[1])


@pytest.mark.parametrize("navigation", [LINKS, WALK, Browsing(LINKS, satiation=[0.5, 1])])
def test_users_are_those_of_the_simulation(navigation: Navigation) -> None:
    users = 20_000
    found = simulate_ranks(TASK, navigation, num_users=users, seed=2)
    block = compiled(TASK, navigation).block(2, 0, sampled=True)
    depth, lead = (np.empty((16_384, 2), dtype=np.int32, order="F") for _ in range(2))
    block.draw(depth, lead)
    consulted, leading = np.zeros((2, 4, 2), dtype=np.int64)
    for own in depth.tolist():
        for r in range(2):
            for rank in range(min(own[r], 4)):
                consulted[rank, r] += 1
                leading[rank, r] += rank + 1 in own[: r + 1]
    first = simulate_ranks(TASK, navigation, num_users=16_384, seed=2)
    assert first.consulted.tolist() == consulted.tolist()
    assert first.leading.tolist() == leading.tolist()
    # Everything is in this list, so sums over ranks are C(r) and CL(r).
    means = simulate(TASK, navigation, num_users=users, seed=2)
    assert found.consulted.sum(axis=0) / users == pytest.approx(means.consulted)
    assert found.leading.sum(axis=0) / users == pytest.approx(means.leading)


def test_users_who_toss_every_visit_do_the_same() -> None:
    law, users = by_rank(TASK, WALK), 4_000
    assert law is not None
    depth, _ = naive_users(TASK, WALK, users, np.random.default_rng(5))
    for rank, r in product(range(4), range(2)):
        new = (depth[:, : r + 1] == rank + 1).any(axis=1).sum()
        for count, chance in (
            ((depth[:, r] > rank).sum(), law.consulted[rank, r]),
            (new, law.leading[rank, r]),
        ):
            low, high = binom.ppf([1e-7, 1 - 1e-7], users, chance)
            assert low <= count <= high


# --- the cross-check ------------------------------------------------------------------------------


def checked(navigation: Navigation = LINKS, **more: Any) -> Crosscheck:
    users = {"num_users": 20_000, "seed": 1, **more}
    return crosscheck(TASK, navigation, by_rank=True, **users)


def test_exact_values_agree_and_prum_does_not_where_it_approximates() -> None:
    result = checked(num_users=100_000)
    rows = result.ranks
    assert rows is not None
    assert result.verdict == "agrees"
    assert set(rows["verdict"]) == {"agrees"}
    assert rows["element"].tolist() == [*"cdab"] * 2
    # Hypothesis 2.3 is wrong only for users who have seen one ideal, at the second rank.
    wrong = rows[(rows["prum_leading"] - rows["exact_leading"]).abs() > 1e-9]
    assert wrong[["r", "rank"]].to_numpy().tolist() == [[2, 2]]
    assert wrong["prum_leading"].tolist() == pytest.approx([0.4848])
    assert wrong["exact_leading"].tolist() == pytest.approx([0.5136])


def test_a_noisy_or_that_is_not_is_found_alone() -> None:
    """PRUM of a walk errs at both probabilities, by equations (1) and (6), even where r = 1."""
    rows = checked(WALK, num_users=50_000).ranks
    assert rows is not None
    first = rows[rows["r"] == 1]
    assert set(rows["verdict"]) == {"agrees"}
    off = first["prum_consulted"] - first["exact_consulted"]
    assert off.abs().max() > 0.02


@pytest.mark.parametrize(("event", "by"), [*product(("consulted", "leading"), (-0.03, 0.03))])
def test_a_wrong_probability_is_found(
    monkeypatch: pytest.MonkeyPatch, event: str, by: float
) -> None:
    """Negative control: one probability of one rank and r is off by .03."""

    def off(task: Task, navigation: Navigation) -> ByRank:
        law = by_rank(task, navigation)
        values = {name: getattr(law, name).copy() for name in ("consulted", "leading")}
        values[event][1, 1] += by
        return ByRank(**values)

    monkeypatch.setattr(ranks, "by_rank", off)
    result = checked()
    assert result.ranks is not None
    wrong = result.ranks[result.ranks["verdict"] == "disagrees"]
    assert wrong[["r", "rank"]].to_numpy().tolist() == [[2, 2]]
    assert result.verdict == "disagrees"
    assert (result.comparisons["verdict"] == "agrees").all()


@pytest.mark.parametrize(
    ("navigation", "seeds"),
    [(LINKS, 40), pytest.param(LINKS, 600, marks=slow), pytest.param(WALK, 600, marks=slow)],
)
def test_false_alarms_come_no_more_often_than_promised(navigation: Navigation, seeds: int) -> None:
    level, alarms = 0.2, 0
    for seed in range(seeds):
        rows, number = ranks_of({("", "", ""): (TASK, navigation)}, 2_000, seed, 1)
        assert rows is not None
        alarms += bool(rows["p"].min() < level / number)
    assert alarms <= binom.ppf(1 - 1e-4, seeds, level)
    # Bonferroni's bound is not so far that tests would find nothing.
    assert alarms >= binom.ppf(1e-4, seeds, level / 8)


def test_they_share_the_level_and_stand_everywhere() -> None:
    result = checked(num_users=2_000)
    without = crosscheck(TASK, LINKS, num_users=2_000, seed=1)
    assert without.ranks is None
    assert "ranks" not in without.values()
    # What is certain is no test: rank 1 is consulted, rank 4 not where r = 1.
    assert result.num_tested == without.num_tested + 12
    content = json.loads(result.to_json())
    assert len(content["ranks"]) == 8
    assert content["ranks"][5]["element"] == "d"
    frame = result.to_frame()
    assert frame["rank"].isna().tolist() == [True] * 2 + [False] * 8
    assert frame["exact_leading"][7] == pytest.approx(0.5136)
    assert result.to_csv().count("\n") == 11
    for text in (result.to_html(), result.to_latex(), repr(result) + str(result.view().tables)):
        assert "something new" in text


def test_lists_of_any_kind() -> None:
    empty = crosscheck(Task([], ["a"], 3), LINKS, num_users=10, seed=1, by_rank=True)
    assert empty.ranks is not None
    assert empty.ranks.empty
    same = Task(["ß x", "a", "ß x"], ["a", "b"], 9)
    twice = crosscheck(same, {("ß x", "a"): 1.0}, num_users=500, seed=1, by_rank=True)
    assert twice.ranks is not None
    assert twice.ranks["exact_leading"].tolist() == [1, 0, 0, 1, 0, 0]
    alone = crosscheck(TASK, LINKS, num_users=1, seed=1, by_rank=True).ranks
    assert alone is not None
    assert set(alone["verdict"]) <= {"agrees", "unresolved"}
    assert set(alone["leading_error"]) == {np.inf}


def test_without_closed_form_nothing_is_judged() -> None:
    result = checked(Browsing(WALK, population=OneFactor(0.5)))
    assert result.ranks is not None
    assert set(result.ranks["verdict"]) == {"no closed form"}


def test_what_cannot_be_counted_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="must be Independent, Coupled"):
        simulate_ranks(TASK, PAIRS, num_users=1, seed=1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="by rank is 'given', must be left out where users browse"):
        checked(Browsing(LINKS, need=[0.5, 1]))

    with pytest.raises(InputError, match="by rank is 'given'"):
        simulate_ranks(TASK, Browsing(LINKS, need=[0.5, 1]), num_users=1, seed=1)

    def engine(task: Task, navigation: Navigation, *, num_users: int, seed: int) -> Simulation:
        return simulate(task, navigation, num_users=num_users, seed=seed)

    with pytest.raises(InputError, match="must be left out with by_rank"):
        checked(simulate=engine)
    monkeypatch.setattr(ranks, "MOST_ROWS", 7)
    with pytest.raises(InputError, match="rows by rank is 8, must be at most 7"):
        checked()


def test_the_command_has_them(tmp_path: Path) -> None:
    json_file, csv_file = tmp_path / "out.json", tmp_path / "out.csv"
    words = ["crosscheck", "--example", "web", "--users", "500", "--by-rank"]
    files = ["--json", str(json_file), "--csv", str(csv_file)]
    done = CliRunner().invoke(cli.prum, [*words, *files])
    assert done.exit_code == 0, done.output
    content = json.loads(json_file.read_text())
    campaign = example_campaign("web")
    due = sum(task.num_ranked * task.num_ideals for _, _, task in campaign.tasks())
    assert len(content["ranks"]) == due
    assert len(csv_file.read_text().splitlines()) == 1 + due + len(content["comparisons"])
    assert "--by-rank" in content["command"]
