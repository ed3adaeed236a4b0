"""`prum generate` as a command: made, verified, damaged, interrupted, starved, killed, spread."""

import hashlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.generate.verb import generate_dataset
from tests.commands import called, refused
from tests.end_to_end.sweep_processes import Running, Sessions, until
from tests.tiers import slow

COMMAND = ("-m", "prum.experiments.commands.main", "generate")

SMALL = """
seed = 4
format = "jsonl"
[collection]
kind = "xml"
elements = 300
[topics]
number = 6
candidates = 100
[[systems]]
name = "s"
number = {systems}
strength = [1, 3]
depth = 50
nested = 0.5
[truth]
measures = ["ExactPRUM", "AP", "T2I(words=30)"]
[log]
users = 10
"""
FEW, MANY, ENDLESS = (SMALL.format(systems=number) for number in (3, 80, 3000))


@pytest.fixture
def sessions() -> Iterator[Sessions]:
    with Sessions() as begun:
        yield begun


def generate(sessions: Sessions, folder: Path, *words: str) -> Running:
    return sessions.python(*COMMAND, *words, folder=folder)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder, hidden ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def until_runs(running: Running, number: int) -> None:
    """Wait until so many runs are written, where nobody sees them yet."""

    def enough() -> bool:
        assert running.process.poll() is None, running.process.communicate()
        return len(list(running.folder.glob(".made.*.part/runs/*"))) >= number

    until(enough)


# --- what it does ---------------------------------------------------------------------------------


@slow
def test_a_dataset_is_made_verified_damaged_and_found_damaged(
    sessions: Sessions, tmp_path: Path
) -> None:
    (tmp_path / "spec.toml").write_text(FEW)
    out, told = generate(sessions, tmp_path, "spec.toml", "-o", "made").ended()
    assert told == ""
    assert "True scores, means over 6 topics" in out
    for word in ("s-1", "s-2", "s-3", "ExactPRUM", "AP", "300 elements", "seed 4"):
        assert word in out
    made = contents(tmp_path / "made")
    assert f"{len(made)} files" in out
    assert sorted(os.listdir(tmp_path)) == ["made", "spec.toml"]

    done = called("generate", "--verify", "made", "--workers", "1", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"made: {len(made)} files, all are the same, byte by byte\n"

    (tmp_path / "made" / "runs" / "s-2").unlink()
    (tmp_path / "made" / "qrels.txt").write_bytes(made["qrels.txt"] + b"\n")
    done = called("generate", "--verify", "made", "--workers", "1", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        f"made: {len(made)} files, 2 are not",
        "",
        "qrels.txt: changed (not as described: changed since it was made, or damaged)",
        "runs/s-2: missing (described, and not there)",
    ]

    words = ("generate", "spec.toml", "-o", "made", "--workers", "1")
    refused(*words, folder=tmp_path, told="output folder is 'made', must be new or empty")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--verify", "."), "dataset is '.', must be a folder with dataset.json; "),
        (("good.toml",), "say where it is to be made: --output FOLDER; presets "),
        (("good.toml", "--preset", "small"), "name a SPEC.TOML, "),
        (("--preset", "small", "--print", "--seed", "2"), "--print goes with --preset "),
        (("--verify", "made", "-o", "other"), "--verify goes without --output and --seed"),
    ],
)
def test_a_mistake_is_a_line_and_leaves_nothing(
    words: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    (tmp_path / "good.toml").write_text(FEW)
    refused("generate", *words, folder=tmp_path, told=told)


# --- interrupted ----------------------------------------------------------------------------------


@slow
@pytest.mark.parametrize(("name", "workers"), [("SIGINT", "2"), ("SIGTERM", "1")])
def test_asked_to_end_in_the_middle_it_leaves_what_was_there(
    name: str, workers: str, sessions: Sessions, tmp_path: Path
) -> None:
    (tmp_path / "spec.toml").write_text(ENDLESS)
    words = ["spec.toml", "-o", "made", "--workers", workers]
    before, names = contents(tmp_path), sorted(os.listdir(tmp_path))
    running = generate(sessions, tmp_path, *words)
    until_runs(running, 3)
    if name == "SIGINT":  # a terminal sends it to all
        os.killpg(running.process.pid, signal.SIGINT)
    else:
        running.process.terminate()
    assert running.ended(130) == ("", "prum: interrupted\n")
    assert contents(tmp_path) == before
    assert sorted(os.listdir(tmp_path)) == names


# --- kept -----------------------------------------------------------------------------------------

COLLECTIONS: dict[str, dict[str, Any]] = {
    "flat": {"elements": 150},
    "web": {"elements": 200, "community": 20},
    "xml": {"elements": 200},
    "video": {"elements": 150},
    "chunks": {"elements": 200},
}
GOLDEN = {
    "flat": "5ab29f79b306a1bb0511a05a809ce91fedb6e2e76532d90725630f0bbe4a1c73",
    "web": "d8d000b967efdea4ab199ef9a010f6880f285f64e308a7acd828f7d2aeee0a24",
    "xml": "fe3bb1c976e0ce8208c14143f3570c87e91cf7e4d033e37d858e6ef4ae677767",
    "video": "c9659e49d11415e49659c1237e5571cd6d63b485358b304e66db73e702a48742",
    "chunks": "7ad569ebd099883900f981d60813fe7cb8b5f23222a0f1f0a998806c825c9ca6",
}


@pytest.mark.parametrize("kind", COLLECTIONS)
def test_every_machine_and_version_writes_these_bytes(kind: str, tmp_path: Path) -> None:
    trees = {"containers": 0.7, "nested": 0.4} if kind in ("xml", "video", "chunks") else {}
    systems = [
        {"name": "plain", "depth": 30, "strength": 1.5},
        {
            "name": "odd",
            "number": 3,
            "depth": 60,
            "strength": [-1, 4],
            "near_misses": 0.8,
            "entry_points": 0.9,
            "ties": 0.3,
            "missing": 0.2,
            **trees,
        },
    ]
    content = {
        "name": kind,
        "seed": 2007,
        "format": "jsonl",
        "collection": {"kind": kind, **COLLECTIONS[kind]},
        "topics": {
            "number": 5,
            "relevant": [3, 8],
            "grades": [0.3, 0.3, 0.4],
            "ideal_grade": 2,
            "intents": 3,
            "candidates": 120,
            "ideals": "best" if trees else "leaves",
        },
        "systems": systems,
        "pool": {"depth": 10},
        "truth": {"measures": ["AP"]},
    }
    generate_dataset(content, tmp_path / "made")
    digest = hashlib.sha256()
    for name, found in sorted(contents(tmp_path / "made").items()):
        if re.match(r"runs/|qrels|links\.|elements\.|topics\.|assessments", name):
            digest.update(f"{name} {len(found)}\n".encode() + found)
    assert digest.hexdigest() == GOLDEN[kind]
