"""The version, of clones with and without tags, of bare copies and of sdists."""

import shutil
import subprocess
from pathlib import Path

import pytest

from compiling.version import found_version


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_version_is_told_by_tags_and_what_came_later(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init", "-q")
    for number in (1, 2):
        (tmp_path / "file").write_text(f"{number}")
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "-q", "-m", "Go on")
    commit = git(tmp_path, "rev-parse", "--short", "HEAD")
    git(tmp_path, "tag", "v1.2")
    assert found_version(tmp_path) == f"0.dev2+g{commit}"
    git(tmp_path, "tag", "v1.2.3", "HEAD~")
    assert found_version(tmp_path) == f"1.2.4.dev1+g{commit}"
    git(tmp_path, "tag", "v1.2.5")
    assert found_version(tmp_path) == "1.2.5"
    (tmp_path / "file").write_text("changed")
    assert found_version(tmp_path) == f"1.2.6.dev0+g{commit}.dirty"
    capfd.readouterr()
    shutil.rmtree(tmp_path / ".git")
    assert found_version(tmp_path) == "0.dev0+unknown"
    assert "no clone and no sdist" in capfd.readouterr().err
    (tmp_path / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: prum\nVersion: 9.8.7\n")
    assert found_version(tmp_path) == "9.8.7"
