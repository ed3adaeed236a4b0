"""Logs hold what happened, in any format, in little memory, and whole or not at all."""

import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from prum.experiments.frame.row_files import FORMATS
from prum.experiments.sessions import logs as log_module
from prum.experiments.sessions.logs import COLUMNS, check_log, log_to
from prum.experiments.sessions.result import Summary, counts_of
from prum.simulator import Independent, InputError, Task
from prum.simulator.collections import built_in_campaign
from prum.simulator.model.stopping import Found, Stopping
from prum.simulator.sessions.crowd import Entry, Geometric, Poisson, Query
from prum.simulator.sessions.session import sessions
from prum.simulator.sessions.trace import Event
from tests.tiers import slow
from tests.traffic import traffic

every_format = pytest.mark.parametrize("ending", FORMATS)


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    campaign = built_in_campaign()
    queries = [
        Query(topic, campaign.task("gateway", topic), campaign.navigation, Stopping(Found(1)))
        for topic in campaign.ideals
    ]
    return list(
        traffic(queries, num_users=60, seed=1, arrivals=Poisson(1800), queries_each=Geometric(4))
    )


def made_up(count: int) -> Iterator[Entry]:
    """Yield entries of which none shares anything with another."""
    for k in range(count):
        event = Event(k + 0.5, "see", k, f"element {k}", f"origin {k}", True, False)
        yield Entry(k, 1, f"query {k % 7}", k + 0.25, event, None, False)


def written(path: Path, entries: list[Entry]) -> Path:
    with log_to(path) as write:
        for entry in entries:
            write("gateway", entry)
    return path


def read(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        table = pd.read_parquet(path)
    else:
        table = pd.read_json(path, lines=True, dtype=False, precise_float=True)
    return table.astype({"reason": object}).where(table.notna(), None)


# --- what it holds ------------------------------------------------------------------------------


@every_format
def test_a_log_holds_every_event(tmp_path: Path, entries: list[Entry], ending: str) -> None:
    table = read(written(tmp_path / f"log{ending}", entries))
    assert list(table.columns) == [*COLUMNS, "elements"]
    assert [tuple(row) for row in table.itertuples(index=False)] == [
        (
            "gateway",
            user,
            session,
            query,
            time,
            event.action,
            event.rank,
            event.element,
            event.origin,
            event.ideal,
            event.new,
            reason,
            event.elements if event.action == "consult" else 0,
        )
        for user, session, query, time, event, reason, _ in entries
    ]
    assert table["time"].is_monotonic_increasing


@every_format
def test_precision_of_a_log_is_that_of_the_sessions(tmp_path: Path, ending: str) -> None:
    task = Task(["c", "d", "a", "b"], ["a", "b"], 4)
    browsing = Independent({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
    told = list(
        traffic([Query("1", task, browsing)], num_users=500, seed=2, arrivals=Poisson(9000))
    )
    table = read(written(tmp_path / f"log{ending}", told))
    alone = list(sessions(task, browsing, num_users=500, seed=2))
    consulted = (table["action"] == "consult").sum()
    leading = len(table[table["new"]][["user", "session", "rank"]].drop_duplicates())
    precision = sum(s.leading for s in alone) / sum(s.consulted for s in alone)
    assert leading / consulted == precision
    summary = Summary()
    for session in alone:
        summary.add_user(counts_of([session]))
    assert summary.estimate("precision")[0] == precision
    assert table["reason"].dropna().value_counts().to_dict() == {"found": 500}


def test_odd_names_are_kept(tmp_path: Path) -> None:
    names = ['"', "\\", "a\nb", "日本", "\u2028", "", "nan", "NULL"]
    events = [Entry(0, 1, name, 0.0, Event(0.0, "see", 1, name), None, False) for name in names]
    for ending in FORMATS:
        table = read(written(tmp_path / f"log{ending}", events))
        assert table["element"].tolist() == table["query"].tolist() == names


# --- memory -------------------------------------------------------------------------------------


@slow
@every_format
def test_memory_does_not_grow_with_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    count = 20_000

    def peak(rows_held: int) -> int:
        monkeypatch.setattr(log_module, "ROWS_HELD", rows_held)
        tracemalloc.start()
        try:
            with log_to(tmp_path / f"log{ending}") as write:
                for entry in made_up(count):
                    write("system", entry)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    held, all_held = peak(1_000), peak(count)
    assert held < 2e6 < 8e6 < all_held


# --- failures -----------------------------------------------------------------------------------


@every_format
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_what_is_broken_off_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, error: type[BaseException]
) -> None:
    monkeypatch.setattr(log_module, "ROWS_HELD", 10)

    def broken_off() -> None:
        with log_to(tmp_path / f"log{ending}") as write:
            for entry in made_up(25):
                write("system", entry)
            assert len(os.listdir(tmp_path)) == 1
            raise error

    with pytest.raises(error):
        broken_off()
    assert os.listdir(tmp_path) == []


@every_format
def test_text_that_is_none_is_refused(tmp_path: Path, ending: str) -> None:
    event = Event(0.0, "see", 1, "half \ud800")
    with pytest.raises(InputError, match="Unicode"):
        written(tmp_path / f"log{ending}", [Entry(0, 1, "q", 0.0, event, None, False)])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["log", "log.csv", "parquet", "log.json", "log.parquet.gz"])
def test_other_formats_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"end with \.parquet, \.jsonl or \.jsonl\.gz"):
        check_log(name)


def test_parquet_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prum.experiments.frame.files.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install \"prum\[parquet\]\""):
        check_log("log.parquet")
    check_log("log.jsonl")
