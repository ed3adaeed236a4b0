"""The outputs of commands: files and folders, written whole or not at all, and then the terminal.

A file or folder is written beside its place, as `.NAME.XXXXXXXX.part`, and then renamed.
"""

import dataclasses
import errno
import json
import math
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

from prum.simulator.model import InputError

# Letters of a name; with the rest a file system takes it.
_LONGEST = 100


def check_writable(path: str | Path) -> None:
    """Raise if `path` cannot be written, before the work for it begins.

    Raise InputError if its folder is missing or closed, or it is a folder itself.
    """
    if _is_stream(path):
        return
    check_around(path, "output file")
    if os.path.isdir(path):
        raise InputError("output file", str(path), "not be a folder", remedy="name a file in it")


def check_outputs(
    outputs: Iterable[str | Path | None], inputs: Iterable[str | Path | None]
) -> None:
    """Raise if an output cannot be written, or would replace an input or another output.

    None means no file; an input that is a folder stands for the files in it and below. Raises as
    `check_writable`.
    """
    reserved = {os.path.realpath(path) for path in inputs if path is not None}
    folders = [Path(path) for path in reserved if os.path.isdir(path)]
    for path in outputs:
        if path is None:
            continue
        check_writable(path)
        target = os.path.realpath(path)
        is_inside = any(folder in Path(target).parents for folder in folders)
        if target in reserved or (is_inside and os.path.isfile(target)):
            remedy = "name another, this one would be lost"
            raise InputError("output file", str(path), "be none of the other files", remedy=remedy)
        reserved.add(target)


def check_packages(*packages: str, extra: str, use: str) -> None:
    """Raise if a package of an extra is missing, before the work that needs it begins.

    Raise InputError if one is not installed.
    """
    for package in packages:
        try:
            is_installed = find_spec(package) is not None
        except ValueError:
            is_installed = False
        if not is_installed:
            rule = f"be installed to {use}"
            raise InputError(package, None, rule, remedy=f'pip install "prum[{extra}]"')


def deliver(
    files: Iterable[tuple[str | Path | None, Callable[[], str | bytes]]],
    show: Callable[[], object],
) -> None:
    """Write a command's files, None meaning no file, and then print.

    In this order a closed pipe at the terminal costs no file. `show` prints by `print` or rich, not
    by click, which writes UTF-8 to a terminal of ASCII.

    Raise OSError as `write_whole`, also naming standard output.
    """
    for path, content in files:
        if path is not None:
            write_whole(path, content())
    with naming("standard output"):
        show()
        if sys.stdout is not None:
            sys.stdout.flush()


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write to `path`, text as UTF-8; on any failure the old file stays and nothing else.

    Raise OSError with the file's name, if the disk is full, the folder closed, and the like.
    """
    with whole_file(path) as file, naming(path):
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a file beside `path` that takes its place when the context ends well.

    A device or a pipe is written to as it is.

    Raise OSError as `write_whole`.
    """
    if _is_stream(path):
        with naming(path), open(path, "wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))  # a link stays one
    with naming(path):
        part = tempfile.NamedTemporaryFile(  # noqa: SIM115 - it is renamed
            dir=target.parent, prefix=_prefix(target), suffix=".part", delete=False
        )
    try:
        yield part.file
        with naming(path):
            part.flush()
            os.fsync(part.fileno())
            part.close()
            os.chmod(part.name, _permissions(target, 0o666))
            os.replace(part.name, target)
    except BaseException:
        with suppress(OSError):
            part.close()
        Path(part.name).unlink(missing_ok=True)
        raise


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield a folder beside `path`, new or empty, that takes its place when the context ends well.

    Raise InputError, before the work, if it cannot become a folder; and OSError with the file's
    name, if the disk is full, the folder closed, and the like.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        rule, remedy = "be new or empty", "name another, or remove it"
        raise InputError("output folder", str(path), rule, remedy=remedy)
    check_around(path, "output folder")
    with naming(path):
        part = Path(tempfile.mkdtemp(dir=target.parent, prefix=_prefix(target), suffix=".part"))
    try:
        yield part
        with naming(path):
            for path_inside in (*part.rglob("*"), part):
                _settle(path_inside)
            part.chmod(_permissions(target, 0o777))
            part.rename(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _prefix(target: Path) -> str:
    return f".{target.name[:_LONGEST]}."


def check_around(path: str | Path, thing: str) -> None:
    """Raise InputError if the folder around a file or a folder is missing or closed."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        rule, remedy = "lie in a folder that exists", f"create {folder}"
        raise InputError(thing, str(path), rule, remedy=remedy)
    if not os.access(folder, os.W_OK):
        rule, remedy = "lie in a folder you may write to", "choose another folder"
        raise InputError(thing, str(path), rule, remedy=remedy)


def _permissions(target: Path, ordinary: int) -> int:
    """Return the permissions of what is replaced, or those that anything new gets."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(os.stat(target).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return ordinary & ~mask


def _settle(path: Path) -> None:
    """Flush a file or a folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_stream(path: str | Path) -> bool:
    """Whether it is there and no file that could be replaced: a device or a pipe."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Name the file in an error of the system, and in that of text that is none."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, why, os.fspath(path)) from error
    except UnicodeEncodeError as error:
        rule, remedy = "be Unicode that UTF-8 can hold", "give another name"
        raise InputError("text", error.object, rule, remedy=remedy, place=os.fspath(path)) from None


def json_text(content: Any) -> str:
    """Return content as the text of a JSON file.

    >>> json_text({"name": "\\ud800"})
    '{\\n "name": "\\\\ud800"\\n}\\n'
    """
    return encodable(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)) + "\n"


def plain(value: Any) -> Any:
    """Return a value as JSON has it: None for NaN and for what is infinite.

    It may be, or hold, mappings, sequences, frozen dataclasses, arrays and numbers of numpy.

    >>> plain({"ends": (np.float64(0.5), math.inf), "counts": np.arange(2)})
    {'ends': [0.5, None], 'counts': [0, 1]}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, SimpleNamespace):
        return plain(vars(value))
    if dataclasses.is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    return value


def encodable(text: str) -> str:
    """Return text with halves of surrogate pairs, as an id or a file's name may hold, escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
