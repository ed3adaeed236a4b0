"""What a report is made of: the results in a store, a file or a folder, told by their content."""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import IO

from prum.experiments.frame.files import naming
from prum.experiments.report.results import CellOutcome, ResultFile, distinct, result_of
from prum.experiments.report.stores import of_store
from prum.simulator.generation.specifications import json_content
from prum.simulator.model import InputError
from prum.simulator.tables.files import (
    STANDARD_INPUT,
    DamageError,
    damaged,
    opened,
    place,
    readable,
)

_SQLITE = b"SQLite format 3\0"
# What SQLite and locks leave beside a store.
_BESIDE = ("-wal", "-shm", "-journal", ".lock")
# Files are named up to here, and further ones counted.
_MOST_NAMED = 10
_MOST_FILES = 5_000
# Bytes of a file that is packed or a pipe, and of those that are copied at a time.
_MOST_UNPACKED, _PIECE = 1 << 30, 1 << 20
# Bytes of its first line, which tells what a file is.
_HEAD = 1 << 12
_DATASET = "dataset.json"
_REMEDY = "write it again by the command that made it"


@dataclass(frozen=True, slots=True)
class Material:
    """All that was found, and what was not understood.

    Parameters
    ----------
    results
        One for each file with results, in the order of names.
    outcomes
        Their lists, each once.
    notes
        What is missing or was left out, a sentence each.
    """

    results: tuple[ResultFile, ...]
    outcomes: tuple[CellOutcome, ...]
    notes: tuple[str, ...]


def material(path: Path, without: Iterable[Path] = ()) -> Material:
    """Return what a store, a file of results or a folder of them holds.

    Parameters
    ----------
    path
        In a folder what cannot be used is noted; alone it is refused.
    without
        Files of the folder that are none of its results: the page itself, if it is there.

    Raise InputError if there is no such path, the file is none of prum's, or the folder has no
    result at all, and OSError if it cannot be read.
    """
    if not path.exists():
        remedy = "name a store of prum sweep, or a folder of what other commands wrote by --json"
        raise InputError("results", str(path), "exist", remedy=remedy)
    if path.is_dir():
        return _of_folder(path, {os.path.realpath(one) for one in without})
    name = "standard input" if str(path) == STANDARD_INPUT else readable(path.name)
    result, notes = _read(path, name)
    if not result.outcomes and result.kind == "sweep":
        raise InputError(
            "store",
            name,
            "hold results",
            remedy="run its sweep, which fills it",
            place=place(path),
        )
    return Material((result,), result.outcomes, tuple(f"{result.file}: {note}." for note in notes))


def result_files(path: Path) -> list[Path]:
    """Return the files that `material` reads results from, so that no page replaces them.

    Raise InputError for a folder of too many files.
    """
    if not path.is_dir():
        return [path]
    return [one for one in _files(path, set()) if _may_be_result(one)]


def _of_folder(folder: Path, without: set[str]) -> Material:
    results: list[ResultFile] = []
    notes: list[str] = []
    unknown: list[str] = []
    faults: list[str] = []
    seen: dict[str, str] = {}
    for path in sorted(_files(folder, without)):
        name = readable(str(path.relative_to(folder)))
        if not _may_be_result(path):
            unknown.append(name)
            continue
        digest = _digest(path)
        if digest in seen:
            notes.append(f"{name} is the same as {seen[digest]}, and counts once.")
            continue
        seen[digest] = name
        try:
            result, own = _read(path, name)
        except NotOfPrumError:
            unknown.append(name)
        except (InputError, OSError) as error:
            faults.append(f"{name} could not be read: {_reason(error)}.")
        else:
            notes += [f"{name}: {note}." for note in own]
            if result.kind == "sweep" and not result.outcomes:
                if not own:
                    notes.append(f"{name} holds no results yet.")
                continue
            results.append(result)
    notes = [*faults, *notes]
    if unknown:
        notes.append(f"No results that a report shows, and left out: {_some(unknown)}.")
    if not results:
        remedy = "put files there that prum wrote by --json, or a store of prum sweep"
        rule = "hold results of prum"
        if notes:
            rule += f" ({notes[0].rstrip('.')})"
        raise InputError("folder", str(folder), rule, remedy=remedy)
    results.sort(key=lambda one: one.file)
    outcomes, repeated = distinct(one for result in results for one in result.outcomes)
    for file, number in repeated.items():
        told = "list stands" if number == 1 else "lists stand"
        counts = "counts" if number == 1 else "count"
        notes.append(f"{file}: {number:,} {told} in another file too, and {counts} once.")
    return Material(tuple(results), tuple(outcomes), tuple(notes))


class NotOfPrumError(InputError):
    """A file that no command of prum wrote."""


def _files(folder: Path, without: set[str]) -> Iterator[Path]:
    """Yield the files of a folder; of a made dataset, only what describes it.

    Raise InputError if there are too many to be a folder of results.
    """
    num_files = 0
    for inside, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if _DATASET in names:
            folders.clear()
            names = [_DATASET]
        for name in sorted(names):
            path = Path(inside, name)
            if name.startswith(".") or name.endswith(_BESIDE) or os.path.realpath(path) in without:
                continue
            num_files += 1
            if num_files > _MOST_FILES:
                raise InputError(
                    "folder",
                    str(folder),
                    f"hold at most {_MOST_FILES:,} files",
                    remedy="put the results into a folder of their own",
                )
            yield path


def _head(path: Path) -> bytes | None:
    """Return how a file begins, unpacked; None if it can't be read, nothing of what is no file."""
    if not path.is_file():
        return b""
    try:
        with opened(path) as file:
            return file.read(_HEAD)
    except (OSError, DamageError):
        return None


def _is_store(head: bytes | None) -> bool:
    return head is not None and head.startswith(_SQLITE)


def _may_be_result(path: Path) -> bool:
    """Return whether a file begins as a store or JSON does, is called so, or unreadable.

    What is no file, as a pipe, is none.
    """
    if not path.is_file():
        return False
    head = _head(path)
    if head is None or _is_store(head):
        return True
    return head.lstrip()[:1] == b"{" or path.suffix.lower() in (".json", ".sqlite")


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return str(path)


@contextmanager
def _plain(path: Path) -> Iterator[Path]:
    """Yield a file that can be read more than once: a copy of one that is packed or a pipe.

    Raise InputError if it is damaged, or holds far too much, and OSError if it can't be read.
    """
    with opened(path) as file:
        if file.seekable():
            yield path
            return
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, path.name)
            with naming(copy), copy.open("wb") as beside:
                _copy(file, beside, place=place(path))
            yield copy


def _copy(file: IO[bytes] | BufferedIOBase, beside: IO[bytes], *, place: str) -> None:
    try:
        while piece := file.read(_PIECE):
            beside.write(piece)
            if beside.tell() > _MOST_UNPACKED:
                raise InputError(
                    "number of bytes of a file that is packed or a pipe",
                    beside.tell(),
                    f"be at most {_MOST_UNPACKED}",
                    remedy="give the unpacked file",
                    place=place,
                )
    except DamageError as error:
        raise damaged(error, place=place) from None


def _read(path: Path, name: str) -> tuple[ResultFile, tuple[str, ...]]:
    """Return what a file holds, and what is to be noted of it.

    Raise InputError if no command of prum wrote it, or it is not as it was written, and OSError if
    it can't be read.
    """
    try:
        with _plain(path) as plain:
            return _read_plain(plain, name)
    except NotOfPrumError:
        raise
    except InputError as error:
        raise error.at(place(path)) from None
    except (OSError, MemoryError):
        raise
    except Exception as error:  # whatever a content of other types makes the readers raise
        rule = f"be as a command of prum writes it ({type(error).__name__}: {error})"
        raise InputError("content", name, rule, remedy=_REMEDY, place=place(path)) from None


def _read_plain(path: Path, name: str) -> tuple[ResultFile, tuple[str, ...]]:
    if _is_store(_head(path)):
        return of_store(path, name)
    result = result_of(json_content(path, remedy=_REMEDY), name)
    if result is None:
        rule = "be what a command of prum writes by --json, or a store"
        remedy = "name a store of prum sweep, or a folder of results"
        raise NotOfPrumError("file", name, rule, remedy=remedy)
    return result, ()


def _reason(error: Exception) -> str:
    if isinstance(error, InputError):
        return str(error.at("")).split("; ")[0]
    return str(getattr(error, "strerror", None) or error)


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
