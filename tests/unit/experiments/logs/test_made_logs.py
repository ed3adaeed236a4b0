"""Logs of prum simulate as sessions, put together once more event by event."""

import gzip
import json
import shlex
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest

from prum.experiments.logs import Sessions, read_sessions, step_counts
from prum.experiments.logs.events import read_log
from prum.experiments.logs.trials import simulated_trials
from prum.experiments.sessions.logs import log_to
from prum.experiments.studies.realism import of_consulted
from prum.simulator import Independent
from prum.simulator.collections.examples import example_campaign
from prum.simulator.model import InputError, Links, Task, Walk
from prum.simulator.model.stopping import Found, Persistence, Stopping
from prum.simulator.sessions.crowd import Poisson, Query
from prum.simulator.sessions.trace import Detail
from prum.simulator.tables import files
from tests.commands import called
from tests.table_forms import read_few_rows
from tests.traffic import traffic
from tests.unit.experiments.logs.test_session_files import plain

WHOSE = ("system", "user", "session", "query", "action", "rank", "element")
WEB = example_campaign("web")
STEPS = Links({("c", "d"): 0.5, ("d", "a"): 0.4, ("d", "c"): 0.4, ("a", "b"): 0.6, ("c", "b"): 0.3})
WAYS = {
    "visits": Query("web", WEB.task("list", "web"), WEB.navigation_on("web")),
    "walk": Query(
        "walk",
        Task(["c", "d", "a", "b"], ["a", "b"], 6),
        Walk(STEPS),
        Stopping(Found(2), Persistence(0.6)),
    ),
}


def written(path: Path, way: str) -> list[dict[str, Any]]:
    """Write a log in which sessions overlap, under two systems; return its events."""
    entries = list(traffic([WAYS[way]], num_users=40, seed=3, arrivals=Poisson(360_000)))
    for name in (path, path.with_suffix(".jsonl")):
        with log_to(name) as tell:
            for system in ("one", "two"):
                for entry in entries:
                    tell(system, entry)
    lines = path.with_suffix(".jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def by_hand(events: list[dict[str, Any]]) -> list[Any]:
    """Return sessions in the order of their first events' keys."""

    def key(event: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(event[name] for name in ("system", "user", "session", "query"))

    sessions = []
    for own, group in groupby(sorted(events, key=key), key):
        visits, is_cut = list[tuple[str, bool, bool]](), True
        for event in group:
            element, origin = event["element"], event["origin"]
            if event["action"] == "stop":
                is_cut = event["reason"] in ("found", "budget", "patience")
            elif element and event["action"] == "consult":
                visits.append((element, True, False))
            elif element and origin:
                if visits[-1][0] != origin:
                    visits.append((origin, False, True))
                visits.append((element, False, False))
        if visits:
            sessions.append((*map(list, zip(*visits, strict=True)), str(own[1]), is_cut))
    return sessions


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [50, 10_000])
def test_sessions_are_put_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, ending: str, size: int
) -> None:
    path = tmp_path / f"log.{ending}"
    wanted = by_hand(written(path, way))
    read_few_rows(monkeypatch, size)
    monkeypatch.setattr(files, "_BLOCK_SIZE", 200 * size)
    monkeypatch.setattr(files, "_CHUNK_SIZE", 1000)
    log = read_sessions(path)
    assert sorted(plain(log), key=repr) == sorted(wanted, key=repr)
    assert len({is_cut for *_, is_cut in wanted}) == 1 + (way == "walk")
    counts = step_counts(log, STEPS, skip_strays=way == "visits")
    assert counts.backs.sum() == sum(sum(is_back) for _, _, is_back, _, _ in wanted)


def test_events_after_the_end_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    written(path, "walk")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[0]]))
    with pytest.raises(InputError, match="must have its rows one after the other, and end once"):
        read_sessions(path)


def test_sessions_are_told_apart_by_all_four(tmp_path: Path) -> None:
    """Texts put together might be equal, and what is missing is another text than any."""
    path = tmp_path / "log.jsonl"
    event = {**written(path, "walk")[0], "action": "consult", "origin": ""}
    ways = [("a/b", "c"), ("a", "b/c"), ("a", None), ("a", "None"), (None, "a"), ("a, b", "c")]
    events = [
        {**event, "system": system, "query": query, "action": action, "reason": "end"}
        for system, query in ways
        for action in ("consult", "stop")
    ]
    path.write_text("\n".join(map(json.dumps, events)))
    assert len(read_sessions(path)) == len(ways)


def test_origins_are_where_the_user_was(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    event = written(path, "walk")[0]
    sight = {**event, "action": "see", "element": "d", "origin": "q"}
    for events, message in (
        ([event, sight], "line 2: origin is 'q', must be the element before, or the one that was"),
        ([sight], "line 1: origin is 'q', must have been consulted before; give the log from"),
    ):
        path.write_text("\n".join(map(json.dumps, events)))
        with pytest.raises(InputError, match=message):
            read_sessions(path)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_elements_that_share_a_row_are_read_as_if_each_had_its_own(
    tmp_path: Path, ending: str
) -> None:
    links = {("x", "a"): 0.5, ("y", "b"): 0.4, ("x", "b"): 0.3}
    query = Query("q", Task(["x", "u", "y", "v"], ["a", "b"], 60), Independent(links))
    logs, details = [], get_args(Detail)
    for detail in details:
        logs.append(tmp_path / f"{detail}.{ending}")
        with log_to(logs[-1]) as tell:
            # Nobody else is there, so that rows have the same order.
            for entry in traffic([query], num_users=60, seed=3, detail=detail):
                tell("one", entry)
    every, named = logs
    # A log of others has no such column.
    if ending == "parquet":
        pd.read_parquet(every).drop(columns="elements").to_parquet(every)
    else:
        rows = [json.loads(line) for line in every.read_text().splitlines()]
        lines = (json.dumps({k: v for k, v in row.items() if k != "elements"}) for row in rows)
        every.write_text("\n".join(lines))
    assert len(read_log(named, ("rank",))["rank"]) < len(read_log(every, ("rank",))["rank"]) / 2
    told = [plain(read_sessions(log)) for log in logs]
    assert told[0] == told[1]
    trials, others = (simulated_trials(log, Links(links)) for log in logs)
    for way in trials.ways:
        assert [part.tolist() for part in trials.counts(way)] == [
            part.tolist() for part in others.counts(way)
        ]
    one, two = (of_consulted(pd.DataFrame(read_log(log, (*WHOSE, "elements")))) for log in logs)
    assert one["last_rank"].values.tolist() == two["last_rank"].values.tolist()
    assert one["clicks"].values.tolist() == two["clicks"].values.tolist()
    assert one["clicks"].values.max() > 20


def test_a_number_of_elements_is_a_whole_number(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"rank": 5, "elements": 2.5}\n')
    with pytest.raises(InputError, match=r"elements is 2\.5"):
        read_log(log, ("rank", "elements"))


@pytest.mark.parametrize(
    ("users", "packed"),
    [
        ("--example web", 1),
        ("--example fig1 --want 1", 0),
        ("--example fig6 --stop 'fruitless 3'", 0),
    ],
)
def test_simulated_sessions_come_back(tmp_path: Path, users: str, packed: int) -> None:
    """As SimEval-IR they say the same as event by event."""
    words = ["simulate", *shlex.split(users), "--users", "4", "--seed", "3"]
    name = "x.simeval.jsonl" + ".gz" * packed
    for log in (name, "x.jsonl"):
        done = called(*words, "--log", log, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    told = [read_sessions(tmp_path / log) for log in (name, "x.jsonl")]

    def whole(log: Sessions) -> list[str]:
        return sorted(map(str, plain(log)))

    assert whole(told[0]) == whole(told[1])
    content = (tmp_path / name).read_bytes()
    for line in (gzip.decompress(content) if packed else content).splitlines():
        session = json.loads(line)
        assert session["schema_version"] == "v1"
        assert [event["event_id"] for event in session["events"]] == [
            str(number) for number, _ in enumerate(session["events"], start=1)
        ]
        assert session["events"][0]["timestamp"] == 0.0
