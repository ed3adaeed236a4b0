"""What killed runs have left beside their results is cleared away by the next, and nothing else."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from prum.experiments.frame.files import whole_file, whole_folder, write_whole

WRITER = """
import sys, time
from pathlib import Path
from prum.experiments.frame.files import whole_file, whole_folder
kind, place = sys.argv[1:]
with whole_folder(place, mark="mark") if kind == "folder" else whole_file(place) as part:
    if kind == "folder":
        (part / "inside").mkdir()
        (part / "inside" / "file").write_text("half")
    print("begun", flush=True)
    time.sleep(60)
"""


def begun(kind: str, place: Path) -> subprocess.Popen[str]:
    """Start a process that is in the middle of writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, kind, str(place)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


def end(process: subprocess.Popen[str], how: signal.Signals) -> None:
    process.send_signal(how)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def write(kind: str, place: Path) -> None:
    if kind == "folder":
        with whole_folder(place, mark="mark") as part:
            (part / "mark").touch()
    else:
        write_whole(place, "whole")


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_parts_of_the_dead_go_and_those_of_the_living_stay(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "made"
    dead, living = begun(kind, place), begun(kind, place)
    try:
        end(dead, signal.SIGKILL)
        assert len(os.listdir(tmp_path)) == 2
        write(kind, place)
        assert len(os.listdir(tmp_path)) == 2
        assert {path.suffix for path in tmp_path.iterdir()} == {"", ".part"}
    finally:
        end(living, signal.SIGKILL)
    (place / "mark" if kind == "folder" else place).unlink()
    write(kind, place)
    assert os.listdir(tmp_path) == ["made"]


@pytest.mark.parametrize("name", [".made.json", ".made.other.abcdefgh.part", "made.abcdefgh.part"])
def test_what_is_called_otherwise_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("kept")
    write("folder", tmp_path / "made")
    write("file", tmp_path / "made.txt")
    assert (tmp_path / name).read_text() == "kept"


def test_a_dataset_that_was_just_put_aside_comes_back(tmp_path: Path) -> None:
    """Killed between the two renames of a replacement, nothing stands in the place."""
    for name in (".made.abcdefgh.part", ".made.abcdefgh.old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mark").write_text(name)
    with whole_folder(tmp_path / "made", mark="mark", replace=True) as part:
        assert (tmp_path / "made" / "mark").read_text() == ".made.abcdefgh.old"
        (part / "mark").write_text("new")
    assert (tmp_path / "made" / "mark").read_text() == "new"
    assert os.listdir(tmp_path) == ["made"]


def test_a_part_that_is_a_link_is_no_way_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("kept")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / ".made.abcdefgh.part").symlink_to("../precious")
    with whole_file(tmp_path / "in" / "made") as file:
        file.write(b"whole")
    assert (tmp_path / "precious" / "file").read_text() == "kept"
