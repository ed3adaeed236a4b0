"""`prum simulate`: what it prints and writes is what the users did; mistakes are one line."""

import json
import math
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from prum.experiments.commands.simulate import simulate
from prum.experiments.sessions import verb as jobs
from prum.experiments.sessions.result import RATIOS, REASONS
from prum.simulator.collections.examples import example_campaign
from prum.simulator.model.costs import Constant, Costs
from prum.simulator.model.stopping import Budget, Found, Persistence, Stopping
from prum.simulator.sessions import session as sessions_module
from prum.simulator.sessions.crowd import Traffic
from prum.simulator.sessions.session import sessions
from prum.simulator.sessions.trace import Session
from tests.commands import called, refused
from tests.tiers import slow, spread


def run(*words: object) -> Result:
    result = CliRunner().invoke(simulate, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def written(path: Path, *words: object) -> dict[str, Any]:
    run(*words, "--json", path)
    content: dict[str, Any] = json.loads(path.read_text())
    for row in content["means"]:
        system = next(x for x in content["systems"] if x["system"] == row["system"])
        system[row["name"]] = {name: row[name] for name in ("value", "error")}
    return content


def played(num_users: int, stopping: Stopping | None = None, **more: Any) -> list[Session]:
    web = example_campaign("web")
    return list(
        sessions(
            web.task("list", "web"),
            web.navigation_on("web"),
            num_users=num_users,
            seed=1,
            stopping=stopping,
            **more,
        )
    )


# --- numbers ------------------------------------------------------------------------------------


def test_numbers_are_those_of_the_sessions(tmp_path: Path) -> None:
    words = ("--stop", "persistence .8", "--stop", "budget 30", "--want", 1)
    words = (*words, "--costs", "smucker-clarke,judge=2,move=1.5")
    (system,) = written(
        tmp_path / "out.json", "--example", "web", "--users", 400, "--arrivals", 60, *words
    )["systems"]
    alone = played(
        400,
        Stopping(Found(1), Persistence(0.8), Budget(30)),
        costs=Costs(Constant(2), Constant(7.8), Constant(1.5), 0.018),
    )
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


def test_one_user_has_no_standard_error(tmp_path: Path) -> None:
    (system,) = written(tmp_path / "out.json", "--example", "web", "--users", 1)["systems"]
    assert system["precision"]["value"] > 0
    assert system["precision"]["error"] is None
    assert "–" in run("--example", "web", "--users", 1).stdout


def test_where_nothing_is_consulted_there_is_no_precision(tmp_path: Path) -> None:
    (system,) = written(
        tmp_path / "out.json", "--example", "web", "--users", 5, "--stop", "budget .5"
    )["systems"]
    assert system["precision"] == {"value": None, "error": None}
    assert system["consulted"] == {"value": 0, "error": 0}
    assert system["budget"]["value"] == 1


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
def test_the_answer_and_the_figure_are_of_the_users(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = ("--csv", tmp_path / "a.csv", "--figure", tmp_path / "a.svg", "--latex", tmp_path / "a")
    result = run("--example", "campaign", "--users", 2, "--want", 1, *files)
    rows = pd.read_csv(tmp_path / "a.csv").pivot(index="system", columns="name", values="value")
    best = rows.loc[rows["precision"].idxmax()]
    assert result.stdout.split("\n", 1)[0] == (
        f"Users of {best.name} consult {best['consulted']:.2f} elements in the mean and see "
        f"{best['ideals']:.2f} ideals; their precision is {best['precision']:.4f}, the highest of "
        "8 systems."
    )
    svg = (tmp_path / "a.svg").read_text()
    assert all(f">{name}<" in svg for name in (*rows.index, "precision"))
    assert (tmp_path / "a").read_text().count("\\toprule") == 2
    one = run("--example", "web", "--users", 2).stdout
    assert "highest" not in one


def test_the_log_is_what_the_table_sums_up(tmp_path: Path) -> None:
    logs = []
    for ending in (".parquet", ".jsonl.gz"):
        path = tmp_path / f"log{ending}"
        (system,) = written(
            tmp_path / "out.json",
            "--example",
            "web",
            "--users",
            200,
            "--arrivals",
            120,
            "--log",
            path,
        )["systems"]
        parquet = ending == ".parquet"
        log = pd.read_parquet(path) if parquet else pd.read_json(path, lines=True, dtype=False)
        consulted = int(log["elements"].sum())
        leading = len(log[log["new"]][["user", "rank"]].drop_duplicates())
        assert leading / consulted == system["precision"]["value"]
        logs.append(log)
    assert len(logs[0]) == len(logs[1])
    assert logs[0]["element"].tolist() == logs[1]["element"].tolist()


# --- mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--stop", "budget 0"], "budget is 0"),
        (["--stop", "boredom 3"], "rule of stopping is 'boredom 3'"),
        (["--costs", "judge=-1"], "time to judge is '-1', must be a number of seconds"),
        (["--costs", "smucker-clarke,move=x"], "time to move is 'x'"),
        (["--costs", "none.csv,read=1"], "none.csv: No such file"),
        (["--costs", "log.jsonl,read=1", "--log", "log.jsonl"], "none of the other files"),
        (["--log", "log.txt"], "log is 'log.txt', must end with"),
        (["--system", "list"], "--system and --topic go with --user"),
        (["--log", "log.jsonl", "--example", "walks"], "give one campaign"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, words: list[Any], message: str) -> None:
    options = ("--example", "web", "--users", "3", *map(str, words))
    refused("simulate", *options, folder=tmp_path, told=message)


def test_who_never_stops_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sessions_module, "MOST_CONSULTED", 50)
    words = ("--example", "campaign", "--users", "1", "--first-user", "8", "--log", "log.jsonl")
    told = "elements that user 8 consulted is 50, must come to an end"
    refused("simulate", *words, folder=tmp_path, told=told)


def test_ctrl_c_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entries = Traffic.entries

    def interrupted(traffic: Traffic, users: range, played: Any = None) -> Any:
        for number, entry in enumerate(entries(traffic, users, played)):
            if number == 20 and len(users) == 1000:
                signal.raise_signal(signal.SIGINT)
            yield entry

    monkeypatch.setattr(Traffic, "entries", interrupted)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        words = ("--example", "web", "--log", "log.parquet", "--json", "out.json")
        done = called("simulate", *words, folder=tmp_path)
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "prum: interrupted\n")
    assert list(tmp_path.iterdir()) == []


# --- how long it takes, and on what -------------------------------------------------------------

LONG_LISTS = ("--example", "campaign", "--stop", "persistence .99", "--costs", "smucker-clarke")


@slow
@pytest.mark.parametrize(
    "logged",
    spread(3, [("--arrivals", 100), ()]),
)
def test_any_workers_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: tuple[object, ...]
) -> None:
    monkeypatch.setattr(jobs, "_SESSIONS_EACH", 20)  # one user each
    for workers in (1, 2):
        log = ("--log", tmp_path / f"{workers}.jsonl") if logged else ()
        json_ = ("--json", tmp_path / f"{workers}.json")
        run(*LONG_LISTS, "--users", 2, *logged, *log, *json_, "--workers", workers)
    for ending in (".jsonl", ".json")[not logged :]:
        one, two = (tmp_path / f"{workers}{ending}" for workers in (1, 2))
        assert one.read_bytes() == two.read_bytes()
