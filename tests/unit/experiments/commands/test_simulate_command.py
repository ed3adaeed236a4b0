"""`prum simulate`: what it prints and writes is what the users did; mistakes are one line."""

import json
import math
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from prum.experiments.commands import main as cli
from prum.experiments.commands.simulate import Outlook, simulate
from prum.experiments.sessions import running
from prum.experiments.sessions.running import Settings, simulate_system
from prum.experiments.sessions.summary import RATIOS, REASONS
from prum.simulator import Independent, Task, built_in_campaign, web_example
from prum.simulator.model.costs import Costs
from prum.simulator.model.stopping import Budget, Found, Fruitless, Persistence, Stopping
from prum.simulator.model.times import Constant
from prum.simulator.sessions import session as sessions_module
from prum.simulator.sessions.crowd import traffic
from prum.simulator.sessions.session import sessions
from prum.simulator.sessions.trace import Session
from prum.simulator.sessions.visits import Geometric, Query
from tests.tiers import slow


def run(*words: object) -> Result:
    result = CliRunner().invoke(simulate, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def written(path: Path, *words: object) -> dict[str, Any]:
    run(*words, "--json", path)
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def played(num_users: int, stopping: Stopping | None = None, **more: Any) -> list[Session]:
    web = web_example()
    return list(
        sessions(
            web.task("list", "web"), web.navigation_on("web"), num_users=num_users, seed=1,
            stopping=stopping, **more,
        )
    )  # fmt: skip


# --- numbers ------------------------------------------------------------------------------------


def test_numbers_are_those_of_the_sessions(tmp_path: Path) -> None:
    words = ("--stop", "persistence .8", "--stop", "budget 30", "--want", 1, "--judge", 2)
    words = (*words, "--costs", "smucker-clarke", "--move", "1.5")
    (system,) = written(
        tmp_path / "out.json", "--example", "web", "--users", 400, "--arrivals", 60, *words
    )["systems"]
    alone = played(
        400, Stopping(Found(1), Persistence(0.8), Budget(30)),
        costs=Costs(Constant(2), Constant(7.8), Constant(1.5), 0.018),
    )  # fmt: skip
    counts = {
        "sessions": np.ones(400),
        "consulted": np.array([session.consulted for session in alone]),
        "leading": np.array([session.leading for session in alone]),
        "ideals": np.array([sum(event.new for event in session.events) for session in alone]),
        "minutes": np.array([session.seconds / 60 for session in alone]),
        **{
            reason: np.array([float(session.reason == reason) for session in alone])
            for reason in REASONS
        },
    }
    assert (system["campaign"], system["system"], system["sessions"]) == ("web", "list", 400)
    for name, (above, below) in RATIOS.items():
        y, x = counts[above], counts[below]
        ratio = y.sum() / x.sum()
        error = np.std(y - ratio * x, ddof=1) / math.sqrt(400) / x.mean()
        assert system[name]["value"] == pytest.approx(ratio, rel=1e-12)
        assert system[name]["error"] == pytest.approx(error, rel=1e-6, abs=1e-12)
    assert sum(system[reason]["value"] for reason in ("found", "persistence", "budget")) == 1


@slow
def test_sessions_of_one_user_are_counted_each_by_itself(tmp_path: Path) -> None:
    campaign, rule = built_in_campaign(), Fruitless(3)
    systems = written(
        tmp_path / "out.json", "--example", "campaign", "--users", 8, "--stop", "fruitless 3"
    )["systems"]
    for system in systems:
        alone = [
            session
            for topic in campaign.ideals
            for session in sessions(
                campaign.task(system["system"], topic), campaign.navigation_on(topic),
                num_users=8, seed=1, stopping=Stopping(rule),
            )
        ]  # fmt: skip
        for name in ("consulted", "leading"):
            mean = np.mean([getattr(session, name) for session in alone])
            assert system[name]["value"] == pytest.approx(mean, rel=1e-12)


@slow
def test_standard_errors_are_right() -> None:
    """Users with several topics each: over seeds, z of the ratio has variance 1."""
    campaign = built_in_campaign()
    ratios, errors = [], []
    for seed in range(60):
        settings = Settings(
            num_users=40, seed=seed, wanted=2, rules=(Persistence(0.8),), queries_each=Geometric(3)
        )
        estimate = simulate_system(campaign, "near-miss", settings).summary.estimate("precision")
        ratios.append(estimate.value)
        errors.append(estimate.error)
    spread = np.std(ratios, ddof=1) / math.sqrt(np.mean(np.square(errors)))
    assert 0.7 < spread < 1.35


def test_one_user_has_no_standard_error(tmp_path: Path) -> None:
    (system,) = written(tmp_path / "out.json", "--example", "web", "--users", 1)["systems"]
    assert system["precision"]["value"] > 0
    assert system["precision"]["error"] is None
    assert "-" in run("--example", "web", "--users", 1).stdout


def test_where_nothing_is_consulted_there_is_no_precision(tmp_path: Path) -> None:
    (system,) = written(
        tmp_path / "out.json", "--example", "web", "--users", 5, "--stop", "budget .5"
    )["systems"]
    assert system["precision"] == {"value": None, "error": None}
    assert system["consulted"] == {"value": 0, "error": 0}
    assert system["budget"]["value"] == 1


def test_rules_by_default() -> None:
    task = Task(["a", "b"], ["a", "b", "c"], 3)
    rule = Persistence(0.5)
    assert Settings(1, 1).stopping(task) == Stopping(Found(3))
    assert Settings(1, 1, wanted=5).stopping(task) == Stopping(Found(3))
    assert Settings(1, 1, wanted=2, rules=(rule,)).stopping(task) == Stopping(Found(2), rule)
    assert Settings(1, 1, rules=(rule,)).stopping(task) == Stopping(rule)
    assert Settings(1, 1, rules=(Found(9),)).stopping(task) == Stopping(Found(3))


def test_users_can_be_simulated_in_parts(tmp_path: Path) -> None:
    words = ("--example", "web", "--want", 1)
    parts = [
        written(tmp_path / "out.json", *words, "--users", 50, "--first-user", first)["systems"][0]
        for first in (0, 50)
    ]
    (whole,) = written(tmp_path / "out.json", *words, "--users", 100)["systems"]
    assert whole["consulted"]["value"] == pytest.approx(
        sum(part["consulted"]["value"] for part in parts) / 2
    )


# --- what is printed and written ----------------------------------------------------------------


@slow
def test_the_table(tmp_path: Path) -> None:
    result = run(
        "--example", "campaign", "--users", 3, "--want", 1, "--stop", "fruitless 5",
        "--log", tmp_path / "log.parquet",
    )  # fmt: skip
    assert "precision = E[CL] / E[C], a ratio of means" in result.stdout
    for system in built_in_campaign().runs:
        assert result.stdout.count(f" {system} ") == 2
    assert " found " in result.stdout
    assert " fruitless " in result.stdout
    assert " patience " not in result.stdout
    assert result.stderr == ""
    log = pd.read_parquet(tmp_path / "log.parquet")
    assert set(log["system"]) == set(built_in_campaign().runs)
    assert log.groupby("system")["query"].nunique().tolist() == [20] * 8
    assert log.groupby(["system", "user"])["session"].max().tolist() == [20] * 24


def test_the_log_is_what_the_table_sums_up(tmp_path: Path) -> None:
    logs = []
    for ending in (".parquet", ".jsonl.gz"):
        path = tmp_path / f"log{ending}"
        (system,) = written(
            tmp_path / "out.json", "--example", "web", "--users", 200, "--arrivals", 120,
            "--log", path,
        )["systems"]  # fmt: skip
        parquet = ending == ".parquet"
        log = pd.read_parquet(path) if parquet else pd.read_json(path, lines=True, dtype=False)
        consulted = int((log["action"] == "consult").sum())
        leading = len(log[log["new"]][["user", "rank"]].drop_duplicates())
        assert leading / consulted == system["precision"]["value"]
        logs.append(log)
    assert len(logs[0]) == len(logs[1])
    assert logs[0]["element"].tolist() == logs[1]["element"].tolist()


def test_equal_runs_write_equal_files(tmp_path: Path) -> None:
    words = ("--example", "web", "--users", 20, "--queries", 2, "--pause", 3)
    for name in ("one", "two"):
        run(*words, "--log", tmp_path / f"{name}.jsonl", "--json", tmp_path / f"{name}.json")
    for ending in (".jsonl", ".json"):
        one, two = (tmp_path / f"{name}{ending}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


# --- mistakes -----------------------------------------------------------------------------------


@pytest.fixture
def fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Any:
    """Run the command as people do; return exit status and the only line of the error."""
    monkeypatch.setitem(cli.prum.commands, "simulate", simulate)
    monkeypatch.chdir(tmp_path)

    def failing(*words: object) -> tuple[object, str]:
        monkeypatch.setattr(sys, "argv", ["prum", "simulate", *map(str, words)])
        with pytest.raises(SystemExit) as raised:
            cli.main()
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("prum: ")
        assert err.count("\n") == 1
        return raised.value.code, err

    return failing


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--users", 0], "users is 0"),
        (["--first-user", -1], "user is -1"),
        (["--seed", -1], "seed is -1"),
        (["--want", 0], "want is 0"),
        (["--stop", "budget 0"], "budget is 0"),
        (["--stop", "budget inf"], "budget is inf"),
        (["--stop", "patience -3"], "mean time is -3"),
        (["--stop", "persistence 1"], "persistence is 1"),
        (["--stop", "boredom 3"], "rule of stopping is 'boredom 3'"),
        (["--judge", -1], "time is -1"),
        (["--read", "inf"], "time is inf"),
        (["--move", "nan"], "time is nan"),
        (["--judge", "1e308", "--read", "1e308"], "time is inf"),
        (["--arrivals", 0], "arrivals per hour is 0"),
        (["--arrivals", "inf"], "arrivals per hour is inf"),
        (["--queries", 0.5], "mean number of queries is 0.5"),
        (["--pause", -1], "mean time is -1"),
        (["--log", "log.txt"], "log is 'log.txt', must end with"),
        (["--log", "missing/log.jsonl"], "folder that exists"),
        (["--log", "x.jsonl", "--json", "x.jsonl"], "none of the other files"),
        (["--log", "log.jsonl", "--example", "walks"], "--log goes with one campaign"),
        (["--users", "many"], "no whole number"),
    ],
)
def test_mistakes_are_one_line(fails: Any, tmp_path: Path, words: list[Any], message: str) -> None:
    status, line = fails("--example", "web", "--users", 3, *words)
    assert status == 2
    assert message in line
    assert list(tmp_path.iterdir()) == []


def test_no_campaign_is_a_mistake(fails: Any) -> None:
    assert fails()[0] == 2


def test_who_never_stops_is_named(
    fails: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sessions_module, "MOST_CONSULTED", 50)
    status, line = fails(
        "--example", "campaign", "--users", 1, "--first-user", 8, "--log", "log.jsonl"
    )
    assert status == 2
    assert "elements that user 8 consulted is 50, must come to an end" in line
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing(fails: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    traffic = running.traffic

    def interrupted(*words: Any, **more: Any) -> Any:
        for number, entry in enumerate(traffic(*words, **more)):
            if number == 20:
                signal.raise_signal(signal.SIGINT)
            yield entry

    monkeypatch.setattr(running, "traffic", interrupted)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        status, line = fails("--example", "web", "--log", "log.parquet", "--json", "out.json")
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)
    assert (status, line) == (130, "prum: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("pace", "users", "told"),
    [
        (0.001, 1_000, ""),
        (1.0, 100, ""),
        (1.0, 1_000, "about 17 minutes more: a user consults 3 elements, one by one"),
        (60.0, 1_000, "about 17 hours more"),
    ],
)
def test_what_takes_long_is_told_once(pace: float, users: int, told: str) -> None:
    now = [0.0]
    outlook = Outlook(users, clock=lambda: now[0])
    campaign = web_example()
    query = Query("web", campaign.task("list", "web"), campaign.navigation_on("web"))
    lines = []
    for entry in traffic([query], num_users=50, seed=1):
        now[0] += pace * entry.last
        lines.append(outlook.after(entry))
    assert len([line for line in lines if line]) == bool(told)
    assert told in "".join(lines)


def test_a_first_user_who_takes_long_is_told() -> None:
    now = [0.0]
    outlook = Outlook(10, clock=lambda: now[0])
    task = Task([f"x{at}" for at in range(3_000)], ["a"], 3_001)
    lines = []
    for entry in traffic([Query("q", task, Independent({}))], num_users=1, seed=1):
        now[0] += 0.04
        lines.append(outlook.after(entry))
    (line,) = filter(None, lines)
    assert line.startswith("this will take very long: a user consults more than 1,000 elements")
