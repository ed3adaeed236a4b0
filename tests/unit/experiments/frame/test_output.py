"""Files are there whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from prum.experiments.frame.files import (
    check_outputs,
    check_packages,
    check_writable,
    write_whole,
)
from prum.simulator import InputError


def test_writes_what_it_is_given(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    write_whole(target, "é\n")
    assert target.read_bytes() == "é\n".encode()
    write_whole(target, "new")
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failure_keeps_the_old_file_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(target, "new")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_text_that_cannot_be_encoded_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        write_whole(tmp_path / "out.txt", "\ud800")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "rule"),
    [("missing/out.txt", "folder that exists"), (".", "not be a folder")],
)
def test_bad_targets_are_refused_before_the_work(tmp_path: Path, path: str, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        check_writable(tmp_path / path)


def test_a_device_or_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    check_writable(pipe)
    write_whole(pipe, "rows\n")
    assert os.read(reader, 100) == b"rows\n"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_what_is_replaced_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "out.txt"
    write_whole(target, "new")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~mask
    target.chmod(mode)
    write_whole(target, "newer")
    assert (target.read_text(), stat.S_IMODE(target.stat().st_mode)) == ("newer", mode)


def test_a_folder_stands_for_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "given" / "inside").mkdir(parents=True)
    for name in ("given/inside/file", "other"):
        (tmp_path / name).touch()
    given = [tmp_path / "given", tmp_path / "other"]
    (tmp_path / "link").symlink_to("given/inside/file")
    for name in ("given/inside/file", "link", "other"):
        with pytest.raises(InputError, match="be none of the other files"):
            check_outputs([tmp_path / name], given)
    check_outputs([tmp_path / "given" / "new"], given)
    with pytest.raises(InputError, match="be none of the other files"):
        check_outputs([tmp_path / "new", None, tmp_path / "new"], [None])


def test_a_missing_package_is_told_by_what_needs_it() -> None:
    with pytest.raises(InputError) as caught:
        check_packages("no_such_package", extra="report", use="write a page")
    told = 'no_such_package must be installed to write a page; pip install "prum[report]"'
    assert str(caught.value) == told
