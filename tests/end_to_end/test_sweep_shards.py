"""A sweep dealt to 200 tasks of a queue, of which 20 are killed: nothing is lost, nothing twice."""

import multiprocessing
import random
import re
import shlex
import sys
import time
from pathlib import Path

import pytest

from tests.commands import called, refused
from tests.deadline import SOON
from tests.end_to_end.sweep_processes import num_parts
from tests.tiers import slow

NUM_SHARDS, NUM_KILLED = 200, 20
SPECIFICATION = """
campaigns = [{ example = "campaign" }]
[grid]
seeds = [1, 2, 3]
[users]
num_users = 1_000
"""
SMALL = """
campaigns = [{ example = "web" }]
[users]
num_users = 1_000
"""


def swept(folder: Path, *words: str, status: int = 0) -> str:
    """Return what `prum sweep` prints of a folder's specification."""
    done = called("sweep", "grid.toml", *words, "--workers", "1", folder=folder)
    assert (done.returncode, done.stderr) == (status, "")
    return done.stdout


def task(folder: Path, shard: str) -> None:
    """Be a task of the queue, a process of its own."""
    sys.stdout = sys.stderr = (folder / "out.txt").open("a")
    called("sweep", "grid.toml", "--workers", "1", "--shard", shard, folder=folder)


def missing(status: str) -> list[str]:
    """Return the shards that the printed line submits again."""
    line = status.splitlines()[1]
    sbatch, array, wrap, command = shlex.split(line)
    assert (sbatch, wrap) == ("sbatch", "--wrap")
    assert command.startswith("prum sweep grid.toml --store grid.sqlite --shard $SLURM")
    numbers: list[int] = []
    for piece in array.removeprefix("--array=").split(","):
        first, _, last = piece.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return [f"{number}/{NUM_SHARDS}" for number in numbers]


def number(pattern: str, text: str) -> int:
    (found,) = re.findall(pattern, text)
    return int(found.replace(",", ""))


@slow
def test_two_hundred_shards_of_which_twenty_are_killed(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(SPECIFICATION)
    whole = swept(tmp_path, "--store", "whole.sqlite", "--csv", "whole.csv")
    num_cells = number(r": ([\d,]+) cells", whole)
    draw = random.Random(2007)
    victims = set(draw.sample(range(1, NUM_SHARDS + 1), NUM_KILLED))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["prum.experiments.sweeps.engine", "tests.end_to_end"])
    moments = []
    for shard in range(1, NUM_SHARDS + 1):
        if shard not in victims:
            swept(tmp_path, "--shard", f"{shard}/{NUM_SHARDS}")
            continue
        process = context.Process(target=task, args=(tmp_path, f"{shard}/{NUM_SHARDS}"))
        process.start()
        store = tmp_path / f"grid-{shard}-of-{NUM_SHARDS}.sqlite"
        # Before its store is there, or while it is made, or while it is written.
        if moment := draw.randrange(3):
            deadline = time.monotonic() + SOON
            while not store.exists() or (moment == 2 and not num_parts(store)):
                assert time.monotonic() < deadline
        process.kill()
        process.join(SOON)
        moments.append((moment, process.exitcode))
    assert {status for _, status in moments} <= {-9, 0}
    assert sum(status == -9 for _, status in moments) > NUM_KILLED / 2
    stores = sorted(path.name for path in tmp_path.glob("grid-*-of-*.sqlite"))
    told = swept(tmp_path, "--status", *stores, status=1)
    lost = number(r": ([\d,]+) of", told)
    again = missing(told)
    assert 0 < lost < num_cells
    assert {int(shard.partition("/")[0]) for shard in again} <= victims
    # The tasks that are submitted again compute what is missing, and nothing else.
    computed = [
        number(r"([\d,]+) computed now", swept(tmp_path, "--shard", shard)) for shard in again
    ]
    assert sum(computed) == lost
    assert min(computed) > 0
    stores = sorted(path.name for path in tmp_path.glob("grid-*-of-*.sqlite"))
    assert len(stores) == NUM_SHARDS
    told = swept(tmp_path, "--status", *stores)
    assert told == f"200 stores: 0 of {num_cells} distinct cells missing, 0 failed\n"
    merged = swept(
        tmp_path, "--store", "merged.sqlite", "--csv", "merged.csv", "--merge", *stores
    ).splitlines()
    assert merged[0] == f"200 stores: {num_cells} parts taken over"
    assert merged[1] == f"merged.sqlite: {num_cells} cells, 0 computed now, 0 failed"
    assert (tmp_path / "merged.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    # Without one of the shards it is seen, and computed.
    fewer = swept(tmp_path, "--store", "fewer.sqlite", "--csv", "fewer.csv", "--merge", *stores[1:])
    assert number(r"([\d,]+) computed now", fewer) > 0
    assert (tmp_path / "fewer.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "grid.toml").write_text(SMALL)
    return tmp_path


def test_more_shards_than_cells(folder: Path) -> None:
    numbers = [
        number(r": ([\d,]+) cells?", swept(folder, "--shard", f"{shard}/9"))
        for shard in range(1, 10)
    ]
    assert sum(numbers) == 4
    assert 0 in numbers


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--status",), "STORES go with --merge or --status"),
        (("--status", "grid.sqlite", "--csv", "x.csv"), "--status writes no files"),
        (("--status", "none.sqlite"), "store is 'none.sqlite', must exist"),
        (("--status", "grid.toml"), "must be a store of sweeps"),
        (("none.sqlite",), "STORES go with --merge or --status"),
        (("--shard", "3/2"), "shard is '3/2', must be I/N with 1 <= I <= N"),
        (("--status", "grid.sqlite", "--shard", "1/2"), "--status computes nothing"),
    ],
)
def test_mistakes(folder: Path, words: tuple[str, ...], told: str) -> None:
    refused("sweep", "grid.toml", *words, "--workers", "1", folder=folder, told=told)
