"""Whether a dataset is what its description says, and what its specification gives."""

import importlib.metadata
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prum.experiments.generate.files import NAME, Description, checksum
from prum.experiments.generate.verb import MakingProgress, generate_dataset
from prum.experiments.sweeps.workers import Workers

State = Literal["same", "missing", "unknown", "changed", "different"]

# What each state of a file means.
STATES: dict[State, str] = {
    "same": "as described, and as it is made again",
    "missing": "described, and not there",
    "unknown": "there, and not described",
    "changed": "not as described: changed since it was made, or damaged",
    "different": "as described, but made again it has other bytes",
}


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found of each file, by name, and what may explain it."""

    states: dict[str, State]
    notes: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether every file is what it should be."""
        return set(self.states.values()) <= {"same"}


def verify(
    folder: str | Path, *, workers: Workers | None = None, progress: MakingProgress | None = None
) -> Verified:
    """Make a dataset again, in a temporary folder, and compare every byte.

    >>> dials = {"format": "jsonl", "collection": {"kind": "flat", "elements": 1000}}
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = generate_dataset(dials, f"{place}/made")
    ...     before = verify(f"{place}/made").is_same
    ...     (Path(place) / "made" / "qrels.txt").write_text("topic 0 element 1")
    ...     after = verify(f"{place}/made")
    17
    >>> before, after.is_same, after.states["qrels.txt"]
    (True, False, 'changed')
    """
    folder = Path(folder)
    described = Description.read(folder)
    present = _checksums(folder)
    states: dict[str, State] = dict.fromkeys(sorted({*described.files, *present}), "same")
    with tempfile.TemporaryDirectory(prefix="prum-verify-") as temporary:
        again = Path(temporary) / "again"
        generate_dataset(described.specification, again, workers=workers, progress=progress)
        made = _checksums(again)
        for name in states:
            if name not in present:
                states[name] = "missing"
            elif name not in {NAME, *described.files}:
                states[name] = "unknown"
            elif name != NAME and present[name] != described.files[name].sha256:
                states[name] = "changed"
            elif present[name] != made.get(name):
                states[name] = "different"
        for name in made:
            states.setdefault(name, "missing")
    return Verified(states, tuple(_notes(described)))


def _checksums(folder: Path) -> dict[str, str | None]:
    """Return the checksums of all files by name; None for what is no file, which is not opened."""
    paths = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    return {
        str(path.relative_to(folder)): (
            checksum(path) if path.is_file() and not path.is_symlink() else None
        )
        for path in paths
    }


def _notes(described: Description) -> list[str]:
    """Return which other versions it was made by, which may explain other bytes."""
    made_by = {"prum": described.version, **described.made_with}
    return [
        f"made by {name} {version}, here is {here or 'none'}"
        for name, version in made_by.items()
        if (here := _version(name)) != version
    ]


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
