"""The version, from tags in clones of every kind, and from what archives carry."""

import shutil
import subprocess
from pathlib import Path

import pytest

from compiling.version import found_version

ROOT = Path(__file__).resolve().parents[3]
ARCHIVED = Path("compiling/archived.txt")


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a clone of two commits, with what archives are to carry."""
    folder = tmp_path / "clone"
    (folder / "compiling").mkdir(parents=True)
    for name in (Path(".gitattributes"), ARCHIVED):
        shutil.copy(ROOT / name, folder / name)
    if "$Format" not in (folder / ARCHIVED).read_text("utf-8"):
        pytest.skip("these sources are an archive, whose commit git has filled in")
    git(folder, "init", "-q")
    git(folder, "add", "--all")
    for subject in ("Begin", "Go on"):
        git(folder, "commit", "-q", "--allow-empty", "-m", subject)
    return folder


def unpacked(clone: Path) -> Path:
    """Return an archive of a clone, as code hosts offer them, without git."""
    folder = clone.parent / "unpacked"
    folder.mkdir()
    git(clone, "archive", "--output", str(folder / "it.tar"), "HEAD")
    shutil.unpack_archive(folder / "it.tar", folder)
    return folder


def test_a_tag_is_the_version_of_clone_and_archive(clone: Path) -> None:
    git(clone, "tag", "v1.2.3")
    assert found_version(clone) == found_version(unpacked(clone)) == "1.2.3"


def test_later_commits_are_of_the_next_version(clone: Path) -> None:
    git(clone, "tag", "v1.2.3", "HEAD~")
    commit = git(clone, "rev-parse", "--short", "HEAD")
    expected = f"1.2.4.dev1+g{commit}"
    assert found_version(clone) == found_version(unpacked(clone)) == expected
    (clone / ARCHIVED).write_text("changed\n", "utf-8")
    assert found_version(clone) == f"{expected}.dirty"


def test_other_tags_are_no_versions(clone: Path) -> None:
    git(clone, "tag", "verified")
    git(clone, "tag", "v1.2")
    assert found_version(clone) == f"0.dev2+g{git(clone, 'rev-parse', '--short', 'HEAD')}"


def test_without_tags_the_reason_is_said(clone: Path, capfd: pytest.CaptureFixture[str]) -> None:
    commit = git(clone, "rev-parse", "--short", "HEAD")
    shallow = clone.parent / "shallow"
    git(clone.parent, "clone", "-q", "--depth", "1", clone.as_uri(), str(shallow))
    capfd.readouterr()
    assert found_version(shallow) == f"0.dev0+shallow.g{commit}"
    assert "git fetch --unshallow --tags" in capfd.readouterr().err
    assert found_version(unpacked(clone)) == f"0.dev0+g{commit}"
    assert "no tag" in capfd.readouterr().err
    shutil.rmtree(clone / ".git")
    assert found_version(clone) == "0.dev0+unknown"
    assert "no clone, no archive" in capfd.readouterr().err


def test_an_sdist_carries_its_version(tmp_path: Path) -> None:
    (tmp_path / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: prum\nVersion: 9.8.7\n")
    assert found_version(tmp_path) == "9.8.7"
