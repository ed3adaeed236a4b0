"""Quantiles of C(r) in a cross-check: exact beside simulated, and a test that holds its rate."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import binom

from prum.analytic import consulted_pmf
from prum.experiments.commands import main as cli
from prum.experiments.commands.terminal_view import print_view
from prum.experiments.crosscheck import Crosscheck, crosscheck, crosscheck_campaigns
from prum.experiments.crosscheck.depths import quantile_table
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Processes
from prum.simulator import Independent, InputError, Simulation, Task, Walk, simulate
from prum.simulator.collections.examples import web_example
from prum.simulator.model import Navigation
from tests.tiers import slow

TASK = Task(["c", "d", "a", "b"], ["a", "b"], 4)
PAIRS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
LINKS = Independent(PAIRS)
# Behind the list stand so many elements that bins of the histogram are wide.
DEEP = Task(["x"], ["a", "b", "c"], 3_000_000)
DEEP_LINKS = Independent({("x", "a"): 0.3, ("x", "b"): 0.3, ("x", "c"): 0.3})


def rows_of(
    task: Task, navigation: Navigation, run: Simulation, probabilities: tuple[float, ...]
) -> pd.DataFrame:
    """Return the quantiles of one list."""
    names = "campaign", "system", "topic"
    table = quantile_table({names: (task, navigation)}, {names: run}, probabilities, 0.01)
    assert table is not None
    return table


def checked(num_users: int = 20_000, **more: object) -> Crosscheck:
    return crosscheck(
        TASK,
        LINKS,
        num_users=num_users,
        seed=1,
        quantiles=(0.5, 0.9),
        **more,  # type: ignore[arg-type]
    )


def test_quantiles_are_those_of_the_law() -> None:
    table = checked().quantiles
    assert table is not None
    for row in table.itertuples():
        below = np.cumsum(consulted_pmf(TASK, LINKS, row.r))
        assert row.exact == np.argmax(below >= row.probability - 1e-12)
        assert row.simulated == row.exact
        assert row.verdict == "agrees"
    assert table["r"].tolist() == [1, 1, 2, 2]
    assert table["probability"].tolist() == [0.5, 0.9] * 2


def test_p_is_that_of_binomial_counts() -> None:
    run = simulate(TASK, LINKS, num_users=10_000, seed=3)
    for row in rows_of(TASK, LINKS, run, (0.5, 0.9)).itertuples():
        table = run.consulted_counts(row.r)
        no_more, fewer = (
            int(table.loc[table["up_to"] <= end, "users"].sum())
            for end in (row.exact, row.exact - 1)
        )
        sides = (
            binom.cdf(no_more, 10_000, row.probability),
            binom.sf(fewer - 1, 10_000, row.probability),
        )
        assert row.p == pytest.approx(min(1, 2 * min(sides)))


def test_a_wrong_quantile_is_found_on_either_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: a quantile that is one element too small, or too large."""
    for off in (-1, 1):
        monkeypatch.setattr(
            "prum.experiments.crosscheck.depths.consulted_quantiles",
            lambda *_, off=off: np.array([[2, 3 + off]]),
        )
        run = simulate(TASK, LINKS, num_users=20_000, seed=1)
        assert rows_of(TASK, LINKS, run, (0.5,))["p"][1] < 1e-6


def test_users_who_browse_otherwise_disagree() -> None:
    def half(task: Task, _: Navigation, *, num_users: int, seed: int) -> Simulation:
        links = {pair: p / 2 for pair, p in PAIRS.items()}
        return simulate(task, Independent(links), num_users=num_users, seed=seed)

    result = checked(simulate=half)
    assert result.quantiles is not None
    assert "disagrees" in set(result.quantiles["verdict"])


@pytest.mark.parametrize(
    ("task", "navigation"), [(TASK, LINKS), pytest.param(DEEP, DEEP_LINKS, marks=slow)]
)
def test_false_alarms_come_no_more_often_than_promised(task: Task, navigation: Navigation) -> None:
    num_seeds, level = 100, 0.05
    rejected = np.zeros(3 * task.num_ideals)
    for seed in range(num_seeds):
        run = simulate(task, navigation, num_users=1_000, seed=seed, threads=1)
        rejected += rows_of(task, navigation, run, (0.5, 0.9, 0.99))["p"] < level
    assert rejected.max() <= binom.ppf(1 - 1e-4, num_seeds, level)


def test_a_distribution_is_stored_and_resumed(tmp_path: Path) -> None:
    plain, campaigns = checked(), [web_example()]
    assert plain.quantiles is not None
    with Store(tmp_path / "store") as store:
        tables = [
            crosscheck_campaigns(
                campaigns, num_users=users, seed=1, store=store, quantiles=(0.5, 0.9)
            ).quantiles
            for users in (20_000, 40_000, 20_000)
        ]
    (again,) = (
        crosscheck_campaigns(campaigns, num_users=users, seed=1, quantiles=(0.5, 0.9)).quantiles
        for users in (40_000,)
    )
    assert all(table is not None for table in (*tables, again))
    assert again is not None
    assert again.equals(tables[1])


@slow
def test_processes_find_the_same_quantiles() -> None:
    def quantiles(workers: Processes | None) -> pd.DataFrame | None:
        campaigns = [web_example()]
        return crosscheck_campaigns(
            campaigns, num_users=40_000, seed=1, quantiles=(0.9,), workers=workers
        ).quantiles

    few = quantiles(None)
    with Processes(2) as workers:
        many = quantiles(workers)
    assert few is not None
    assert few.equals(many)


def test_they_share_the_level_and_stand_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    result = checked()
    without = crosscheck(TASK, LINKS, num_users=20_000, seed=1)
    assert without.quantiles is None
    assert "quantiles" not in without.values()
    assert result.num_tested == without.num_tested + 4
    assert len(json.loads(result.to_json())["quantiles"]) == 4
    print_view(result.view())
    shown = capsys.readouterr().out
    for text in (shown, result.to_html()):
        assert "so many elements are enough" in text
    assert "are enough" not in without.to_html()


def test_where_there_is_no_closed_form_they_are_simulated() -> None:
    task = Task(["c"], [f"a{at}" for at in range(17)], 40)
    result = crosscheck(task, Walk({("c", "a0"): 0.1}), num_users=500, seed=1, quantiles=(0.9,))
    assert result.quantiles is not None
    assert set(result.quantiles["verdict"]) == {"no closed form"}
    assert result.quantiles["exact"].isna().all()


def test_the_command_has_them(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    words = ["crosscheck", "--example", "web", "--users", "2000", "--quantiles"]
    done = CliRunner().invoke(cli.prum, [*words, "--json", str(file)])
    assert done.exit_code == 0, done.output
    content = json.loads(file.read_text())
    assert {row["probability"] for row in content["quantiles"]} == {0.5, 0.9, 0.99}
    assert "--quantiles" in content["command"]


@pytest.mark.parametrize("wrong", [0, 1, 1.5, float("nan"), "half"])
def test_a_wrong_probability_is_named(wrong: object) -> None:
    with pytest.raises(InputError, match="probability of a quantile"):
        crosscheck(TASK, LINKS, num_users=10, seed=1, quantiles=(wrong,))  # type: ignore[arg-type]
