"""The version: what an sdist carries of it, or the last tag of git.

At the tag v0.2.0 it is 0.2.0, five commits later 0.2.1.dev5+g1234567, and 0.dev7+g1234567 before
any tag. In a bare copy of the files it is 0.dev0+unknown.
"""

import re
import subprocess
import sys
from email.parser import HeaderParser
from pathlib import Path


def found_version(folder: Path) -> str:
    """Return the version of the sources in a folder, an sdist or a clone."""
    if (carried := folder / "PKG-INFO").is_file():
        return HeaderParser().parsestr(carried.read_text("utf-8"))["Version"]
    commit = _git(folder, "rev-parse", "--short", "HEAD") if (folder / ".git").exists() else ""
    if not commit:
        print("prum's version is not known: these files are no clone and no sdist", file=sys.stderr)
        return "0.dev0+unknown"
    changed = ".dirty" if _git(folder, "diff", "--name-only", "HEAD") else ""
    described = _git(folder, "describe", "--tags", "--long", "--match", "v*.*.*")
    match = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)-(\d+)-g\w+", described)
    if match is None:
        return f"0.dev{_git(folder, 'rev-list', '--count', 'HEAD')}+g{commit}{changed}"
    major, minor, patch, distance = match.groups()
    if distance == "0" and not changed:
        return f"{major}.{minor}.{patch}"
    return f"{major}.{minor}.{int(patch) + 1}.dev{distance}+g{commit}{changed}"


def _git(folder: Path, *words: str) -> str:
    """Return what git answers, nothing where it fails or is missing."""
    try:
        done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
