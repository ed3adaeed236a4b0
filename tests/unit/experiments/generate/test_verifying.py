"""What verifying a dataset finds beside the files that are described, and in their place."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from prum.experiments.generate.verb import generate_dataset
from prum.experiments.generate.verification import verify

DIALS = {
    "format": "jsonl",
    "collection": {"kind": "flat", "elements": 200},
    "topics": {"number": 3, "relevant": [2, 5], "candidates": 50},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verifying") / "made"
    generate_dataset(DIALS, folder)
    return folder


def _replace(folder: Path, put: Callable[[Path], object]) -> None:
    """Put something in the place of a file."""
    (folder / "qrels.txt").unlink()
    put(folder / "qrels.txt")


def _link_to_the_same(folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    shutil.copy(folder / "qrels.txt", elsewhere)
    _replace(folder, lambda path: path.symlink_to(elsewhere))


def _link_to_the_same_runs(folder: Path) -> None:
    (folder / "runs").rename(folder.parent / "elsewhere")
    (folder / "runs").symlink_to("../elsewhere")


@pytest.mark.parametrize(
    ("change", "states"),
    [
        (lambda folder: os.mkfifo(folder / "new"), {"new": "unknown"}),
        (lambda folder: (folder / "new").symlink_to("qrels.txt"), {"new": "unknown"}),
        (lambda folder: (folder / "new").symlink_to("runs"), {"new": "unknown"}),
        (lambda folder: (folder / "new").symlink_to("nowhere"), {"new": "unknown"}),
        (lambda folder: (folder / "new").symlink_to("new"), {"new": "unknown"}),
        (lambda folder: _replace(folder, os.mkfifo), {"qrels.txt": "changed"}),
        (lambda folder: _replace(folder, Path.mkdir), {"qrels.txt": "missing"}),
        (_link_to_the_same, {"qrels.txt": "changed"}),
        (_link_to_the_same_runs, {"runs": "unknown", "runs/system": "missing"}),
    ],
)
def test_whatever_the_dataset_has_not_is_reported(
    tmp_path: Path, made: Path, change: Callable[[Path], object], states: dict[str, str]
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    change(folder)
    result = verify(folder)
    assert not result.is_same
    assert {name: state for name, state in result.states.items() if state != "same"} == states
