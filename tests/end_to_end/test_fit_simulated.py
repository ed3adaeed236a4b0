"""`prum fit` on what it must not be misled by: logs of simulated users, back clicks never seen."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import prum
from tests.commands import called, typed
from tests.made_folders import LEVEL

WEB = {(f"e{x}", f"e{(x + k) % 8}"): (0.2, 0.6, 0.4)[k - 1] for x in range(8) for k in (1, 2, 3)}
SIMULATE = (
    *typed("simulate --run s.run --qrels qrels --links links.csv --navigation"),
    *typed("independent --collection-size 8 --want 2"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = "".join(f"{x},{y},{p}\n" for (x, y), p in WEB.items())
    (tmp_path / "links.csv").write_text(f"source,target,probability\n{rows}")
    run = [(q, rank) for q in range(3) for rank in range(1, 6)]
    lines = [f"q{q} Q0 e{(3 * q + rank) % 8} {rank} {9 - rank} s\n" for q, rank in run]
    (tmp_path / "s.run").write_text("".join(lines))
    ideals = [(q, y) for q in range(3) for y in range(8) if y % 3 != q]
    (tmp_path / "qrels").write_text("".join(f"q{q} 0 e{y} 1\n" for q, y in ideals))
    return tmp_path


def test_visits_of_users_who_stop_when_they_have_enough_are_recovered(folder: Path) -> None:
    log, held_out = (
        ("--log", "log.jsonl", "--users", "400"),
        ("--log", "test.jsonl", "--users", "200"),
    )
    assert called(*SIMULATE, *log, folder=folder).returncode == 0
    assert called(*SIMULATE, *held_out, "--first-user", "400", folder=folder).returncode == 0
    words = ("fit", "log.jsonl", "--links", "links.csv", "--navigation", "independent")
    files = ("--test", "test.jsonl", "--csv", "fit.csv", "--json", "fit.json", "-o", "fitted.json")
    done = called(*words, *files, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "counted up to the last visit" in done.stdout
    counts = prum.read_fitted(folder / "fitted.json").counts  # type: ignore[attr-defined]
    p = np.array([WEB[x, y] for x, y, _ in counts.links])
    error = (counts.seen - counts.tried * p).sum()
    edge = stats.norm.ppf(1 - LEVEL / 2)
    assert abs(error) < edge * np.sqrt((counts.tried * p * (1 - p)).sum())
    rows = csv.DictReader((folder / "fit.csv").read_text().splitlines())
    tried = [row for row in rows if int(row["tried"]) > 200]
    assert len(tried) > 3
    for row in tried:
        assert float(row["probability"]) == pytest.approx(
            WEB[row["source"], row["target"]], abs=0.1
        )
    report = json.loads((folder / "fit.json").read_text())["held_out"]["kinds"]["visit"]
    assert report["p_value"] > LEVEL


@pytest.mark.slow
def test_back_clicks_are_not_judged_if_none_was_learned() -> None:
    links = [("a", "b"), ("a", "c"), ("b", "a")]
    log, test = (
        [["a", "b"], ["a", "c"], ["a", "b", "a"]] * 3,
        [["a", "b", "<", "c"], ["a", "c", "<"]],
    )
    for navigation in ("walk", "types 2"):
        result = prum.fit(log, links, navigation=navigation, test=test)
        assert result.held_out is not None
        assert set(result.held_out.kinds) == {"step", "stop"}
        assert all(np.isfinite(kind.nats[0]) for kind in result.held_out.kinds.values())
        assert "Going back is not judged" in str(result)
        assert "2 back clicks" in str(result)
