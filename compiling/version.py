"""The version: the last tag of git, or what an archive carries of it.

At the tag v0.2.0 it is 0.2.0, five commits later 0.2.1.dev5+g1234567. Where no tag can be seen it
says why: 0.dev0+shallow.g1234567, or 0.dev0+unknown in a bare copy of the files.
"""

import re
import subprocess
import sys
from email.parser import HeaderParser
from pathlib import Path

_TAG = r"v(\d+)\.(\d+)\.(\d+)"
# What stands in an archive in the place of the words that git replaces.
_ARCHIVED = Path("compiling/archived.txt")


def found_version(folder: Path) -> str:
    """Return the version of the sources in a folder: an sdist, a clone or an archive of git."""
    if (carried := folder / "PKG-INFO").is_file():
        return HeaderParser().parsestr(carried.read_text("utf-8"))["Version"]
    if (folder / ".git").exists():
        return _of_clone(folder)
    commit, _, described = (folder / _ARCHIVED).read_text("utf-8").strip().partition(" ")
    if "$" in commit:
        return _unseen("unknown", "these files are no clone, no archive of git and no sdist")
    return _said(described, commit) or _unseen(f"g{commit}", "no tag was before this archive")


def _of_clone(folder: Path) -> str:
    described = _git(folder, "describe", "--tags", "--long", "--match", "v*.*.*")
    changed = ".dirty" if _git(folder, "diff", "--name-only", "HEAD") else ""
    commit = _git(folder, "rev-parse", "--short", "HEAD")
    if not commit:
        return _unseen("unknown", "git cannot read this clone")
    if version := _said(described, commit, changed):
        return version
    if _git(folder, "rev-parse", "--is-shallow-repository") == "true":
        remedy = "this clone is shallow and has no tag: git fetch --unshallow --tags"
        return _unseen(f"shallow.g{commit}", remedy)
    return f"0.dev{_git(folder, 'rev-list', '--count', 'HEAD')}+g{commit}{changed}"


def _said(described: str, commit: str, changed: str = "") -> str | None:
    """Return the version of what git describes as v0.2.0-5-g1234567; None without a tag."""
    match = re.fullmatch(rf"{_TAG}(?:-(\d+)-g\w+)?", described)
    if match is None:
        return None
    major, minor, patch, distance = match.groups()
    if not int(distance or 0) and not changed:
        return f"{major}.{minor}.{patch}"
    return f"{major}.{minor}.{int(patch) + 1}.dev{distance or 0}+g{commit}{changed}"


def _unseen(state: str, reason: str) -> str:
    print(f"prum's version is not known: {reason}", file=sys.stderr)
    return f"0.dev0+{state}"


def _git(folder: Path, *words: str) -> str:
    """Return what git answers, nothing where it fails or is missing."""
    try:
        done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
