"""Logs of made datasets: who comes when, and what each user does."""

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
from tests.tiers import spread

pytest.importorskip("pyarrow")


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
    for (user, _, query), some in rows.groupby(["user", "session", "query"], sort=False):
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
