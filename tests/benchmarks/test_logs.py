"""Speed of users in time and of their logs, some 100,000 events at a time."""

from collections import deque
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.frame.row_files import FORMATS
from prum.experiments.sessions.logs import log_to
from prum.simulator.collections.examples import web_example
from prum.simulator.sessions.crowd import Entry, Poisson, Query, traffic
from prum.simulator.sessions.session import sessions

USERS = 12_500
WEB = web_example()
TASK = WEB.task("list", "web")


def _entries() -> list[Entry]:
    query = Query("web", TASK, WEB.navigation_on("web"))
    return list(traffic([query], num_users=USERS, seed=1, arrivals=Poisson(3600)))


@pytest.mark.benchmark(group=f"{USERS:,} users in time")
class TestUsers:
    def test_together(self, benchmark: Any) -> None:
        benchmark.pedantic(_entries, rounds=3)

    def test_one_by_one(self, benchmark: Any) -> None:
        browsing = WEB.navigation_on("web")
        benchmark.pedantic(
            lambda: deque(sessions(TASK, browsing, num_users=USERS, seed=1), maxlen=0), rounds=3
        )


@pytest.mark.benchmark(group="100,000 events")
class TestLogs:
    @pytest.mark.parametrize("ending", FORMATS)
    def test_written(self, benchmark: Any, tmp_path: Path, ending: str) -> None:
        entries = _entries()

        def write() -> None:
            with log_to(tmp_path / f"log{ending}") as tell:
                for entry in entries:
                    tell("list", entry)

        benchmark.pedantic(write, rounds=3, warmup_rounds=1)
        benchmark.extra_info["bytes"] = (tmp_path / f"log{ending}").stat().st_size
