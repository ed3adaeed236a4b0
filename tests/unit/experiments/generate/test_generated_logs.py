"""Logs of made datasets: who comes when, and what each user does."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from prum.experiments.generate.verb import generate_dataset
from prum.simulator.model.costs import Constant, Costs
from prum.simulator.model.stopping import Stopping, rule_of
from prum.simulator.sessions.session import play
from tests.made_datasets import LOG, Made, specification
from tests.tiers import slow, spread

pytest.importorskip("pyarrow")

USERS, QUERIES, PERSISTENCE = 600, 2.0, 0.8


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Made, pd.DataFrame]:
    log = {
        "users": USERS,
        "arrivals": 30.0,
        "queries": QUERIES,
        "systems": ["poor"],
        "stop": [f"persistence {PERSISTENCE}"],
        "judge": 4.0,
        "read": 7.0,
        "move": 1.5,
    }
    folder = tmp_path_factory.mktemp("log") / "made"
    content = specification("video steps", log=log, truth={"measures": ["AP"]})
    content["topics"]["number"] = 12
    one = Made(folder, generate_dataset(content, folder))
    rows = pd.read_parquet(folder / "log.parquet")
    assert one.described.counts.events == len(rows)
    return one, rows


def sessions(rows: pd.DataFrame) -> Iterator[tuple[tuple[int, int, str], pd.DataFrame]]:
    yield from rows.groupby(["user", "session", "query"], sort=False)


@slow
def test_users_come_one_after_the_other_and_stop_each_session(
    logged: tuple[Made, pd.DataFrame],
) -> None:
    one, rows = logged
    assert set(rows["system"]) == {"poor"}
    assert (rows["time"].diff().dropna() >= 0).all()
    begun = rows.drop_duplicates("user")
    assert begun["user"].tolist() == list(range(USERS))
    assert (begun["session"] == 1).all()
    seen: dict[int, set[str]] = defaultdict(set)
    ends: dict[int, float] = {}
    for (user, session, query), some in sessions(rows[rows["user"] < 150]):
        assert query in one.campaign.ideals
        assert session == len(seen[user]) + 1
        assert query not in seen[user]
        seen[user].add(query)
        assert some["action"].tolist()[-1] == "stop"
        assert (some["action"] == "stop").sum() == 1
        assert some["reason"].notna().tolist() == (some["action"] == "stop").tolist()
        assert set(some["reason"].dropna()) <= {"persistence", "end"}
        first = some["time"].iloc[0]
        assert first > ends.get(user, 0)
        ends[user] = some["time"].iloc[-1]
        ideals = set(one.campaign.ideals[query])
        shown = some[some["action"] == "see"]
        assert (shown["element"].isin(ideals) == shown["ideal"]).all()
        assert not shown.loc[shown["new"], "element"].duplicated().any()
        listed = one.campaign.runs["poor"].get(query, ())
        for rank, element in some.loc[some["action"] == "consult", ["rank", "element"]].values:
            assert rank > len(listed) or listed[rank - 1] == element
    assert set(seen) == set(range(150))


@pytest.mark.parametrize(
    "way", spread(7, ["web", "web walk", "xml no-revisit", "chunks", "video steps", "chunks walk"])
)
def test_each_session_is_that_of_the_user_played_alone(way: str, tmp_path: Path) -> None:
    log = {**LOG, "systems": ["poor"], "judge": 4.0, "read": 7.0, "move": 1.5}
    content = specification(way, log=log, truth={"measures": ["AP"]})
    one = Made(tmp_path / "made", generate_dataset(content, tmp_path / "made"))
    rows = pd.read_parquet(one.folder / "log.parquet")
    costs = Costs(Constant(4.0), Constant(7.0), Constant(1.5))
    stopping = Stopping(rule_of(LOG["stop"][0]))
    num_others = 0
    for (user, _, query), some in sessions(rows):
        task, navigation = one.campaign.task("poor", query), one.campaign.navigation_on(query)
        alone = play(task, navigation, user=user, seed=7, stopping=stopping, costs=costs)
        columns = ["action", "rank", "element", "origin", "ideal", "new"]
        mine = list(some[columns].itertuples(index=False, name=None))
        assert mine == [tuple(getattr(event, name) for name in columns) for event in alone.events]
        times = np.array([event.time for event in alone.events])
        assert np.diff(some["time"]) == pytest.approx(np.diff(times), abs=2e-6)
        assert some["reason"].iloc[-1] == alone.reason
        other = play(task, navigation, user=user, seed=8, stopping=stopping, costs=costs)
        num_others += len(other.events) != len(alone.events)
    assert num_others > 20


def test_a_log_in_parts_goes_on_with_its_users_and_their_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prum.experiments.generate.jobs.USERS_EACH", 10)
    generate_dataset(specification("web", log=LOG), tmp_path / "made")
    rows = pd.read_parquet(tmp_path / "made" / "log.parquet")
    for _, some in rows.groupby("system", sort=False):
        begun = some.drop_duplicates("user")
        assert begun["user"].tolist() == list(range(30))
        assert (begun["time"].diff().dropna() >= 0).all()
    parts = rows["user"] // 10
    changes = [part for part, _ in groupby(zip(rows["system"], parts, strict=True))]
    assert len(changes) == 4 * 3
