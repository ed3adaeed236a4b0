"""The `prum sweep` command as a person types it: rows, plans, one cell again, and mistakes."""

import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from tests.commands import called, refused

SPECIFICATION = """
campaigns = [{ example = "web" }]
[grid]
seeds = [1, 2]
[users]
num_users = 20_000
"""
# With two seeds: no-browsing, prum, exact, and twice simulated.
SUMMARY = r"sweep\.sqlite: 5 cells, {} computed now.*, 0 failed\n"


def swept(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `prum sweep sweep.toml` in this process, unless other workers are named."""
    return called("sweep", "sweep.toml", *words, *alone(*words), folder=folder)


def alone(*words: str) -> tuple[str, ...]:
    return () if {"--workers", "--scheduler"} & set(words) else ("--workers", "1")


def written(folder: Path, *words: str) -> str:
    done = swept(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sweep.toml").write_text(SPECIFICATION)
    return tmp_path


@pytest.fixture(scope="module")
def done_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("done")
    (folder / "sweep.toml").write_text(SPECIFICATION)
    assert re.fullmatch(SUMMARY.format(5), written(folder, "--csv", "sweep.csv"))
    return folder


# Rows.


def test_rows(done_folder: Path) -> None:
    rows = pd.read_csv(done_folder / "sweep.csv")
    assert len(rows) == 10
    assert list(dict.fromkeys(rows.estimator)) == ["no-browsing", "prum", "exact", "simulated"]
    assert rows.precision[rows.estimator == "prum"].round(5).tolist() == [0.69137, 0.63561]
    exact = rows.precision[rows.estimator == "exact"].tolist() * 2
    assert [round(value, 5) for value in exact] == [0.69137, 0.64623] * 2
    simulated = rows[rows.estimator == "simulated"]
    assert simulated.seed.tolist() == [1, 1, 2, 2]
    assert ((simulated.precision - exact).abs() < 5 * simulated.precision_error).all()
    assert set(simulated.users) == {"0-19999"}


def test_a_page_of_means(done_folder: Path) -> None:
    pytest.importorskip("jinja2")
    assert re.fullmatch(SUMMARY.format(0), written(done_folder, "--html", "sweep.html"))
    rows = pd.read_csv(done_folder / "sweep.csv")
    page = (done_folder / "sweep.html").read_text()
    for _, part in rows.groupby("estimator"):
        assert f"{part.precision.mean():.4f}" in page


def test_plan(done_folder: Path, folder: Path) -> None:
    *cells, cost = written(folder, "--dry-run").splitlines()
    assert len(cells) == 5
    assert all(re.match(r"[0-9a-f]{16}  campaign web, .* \[missing\]$", line) for line in cells)
    assert cost == "5 cells, 5 distinct, 5 not complete."
    assert [path.name for path in folder.iterdir()] == ["sweep.toml"]
    (done_folder / "more.toml").write_text(SPECIFICATION.replace("20_000", "30_000"))
    words = ("sweep", "more.toml", "--store", "sweep.sqlite", "--dry-run")
    *cells, cost = called(*words, folder=done_folder).stdout.splitlines()
    told = [line.split("[")[1] for line in cells]
    assert told == ["stored]"] * 3 + ["20,000 users stored]"] * 2
    assert "2 not complete" in cost


# Mistakes.


OPTIONS = {
    "no workers": (("--workers", "0"), ("workers", "0", "at least 1")),
    "workers and scheduler": (
        ("--workers", "2", "--scheduler", "tcp://127.0.0.1:1"),
        ("--workers", "--scheduler"),
    ),
    "no folder for CSV": (("--csv", "missing/out.csv"), ("missing/out.csv", "folder that exists")),
    "no folder for the store": (
        ("--store", "missing/s"),
        ("missing/s", "unable to open database file"),
    ),
    "store is no store": (("--store", "sweep.toml"), ("store is", "sweep.toml", "must be a")),
    "nothing to merge": (("--merge", "missing.sqlite"), ("store", "missing.sqlite", "exist")),
    "shards: 1": (("--status",), ("STORES go with --merge or --status",)),
    "shards: 2": (("--status", "grid.sqlite", "--csv", "x.csv"), ("--status writes no files",)),
    "shards: 3": (("--status", "none.sqlite"), ("store is 'none.sqlite', must exist",)),
    "shards: 5": (("none.sqlite",), ("STORES go with --merge or --status",)),
    "shards: 6": (("--shard", "3/2"), ("shard is '3/2', must be I/N with 1 <= I <= N",)),
    "shards: 7": (("--status", "grid.sqlite", "--shard", "1/2"), ("--status computes nothing",)),
    "two specifications": (("other.toml",), ("STORES go with --merge or --status",)),
}


@pytest.mark.parametrize("mistake", OPTIONS)
def test_a_mistake_on_the_command_line_is_one_line(mistake: str, folder: Path) -> None:
    words, told = OPTIONS[mistake]
    refused("sweep", "sweep.toml", *words, *alone(*words), folder=folder, told=told)


def test_each_mistake_in_a_specification_has_its_line(folder: Path) -> None:
    (folder / "sweep.toml").write_text(
        SPECIFICATION.replace("[1, 2]", "[1, -2, 1]").replace("20_000", "0\nusers = 3")
    )
    done = swept(folder=folder)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    for line, where in zip(lines, ("grid.seeds[1]", "users.num_users", "users.users"), strict=True):
        assert line.startswith(f"prum: sweep.toml: {where} is ")
