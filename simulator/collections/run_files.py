"""The files of runs: folders stand for what is in them, and each run has a name of its own."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import (
    BYTE_ORDER_MARK,
    FilePath,
    Opened,
    looked_at,
    place,
    readable,
)
from prum.simulator.tables.unpacked import bare_name

NAMES_OF_RUNS = ("file", "tag")

# A line of a run, with its tag.
_RETRIEVED = re.compile(rb"\s*(?:[^ \t]+[ \t]+){4}[-+.0-9eE]+[ \t]+([^ \t\r\n]+)\s*")
# Standard input and other streams that are open already: their paths are no names.
_STREAMS = re.compile(r"/dev/stdin|(/dev/fd|/proc/self/fd)/\d+")


def run_files(runs: Sequence[FilePath]) -> list[str | Path]:
    """Return files of runs; a folder stands for the files in it, sorted by their names.

    What is in folders of a folder, and files whose names begin with a dot, are left out.

    Raises
    ------
    InputError
        for a folder without files.
    OSError
        if a folder cannot be read.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("dense", "bm25", ".hidden"):
    ...     _ = (folder / name).write_text("q1 Q0 a 1 0.5 my\\n")
    >>> [pathlib.Path(file).name for file in run_files([folder])]
    ['bm25', 'dense']
    """
    files = list[str | Path]()
    for path in runs:
        if not os.path.isdir(path):
            files.append(path if isinstance(path, str) else Path(path))
            continue
        names = sorted(name for name in os.listdir(path) if not name.startswith("."))
        inside = [os.path.join(path, name) for name in names]
        inside = [file for file in inside if not os.path.isdir(file)]
        if not inside:
            rule = "be at least 1 (folders inside and names that begin with a dot don't count)"
            remedy = "give another folder, or files"
            raise InputError("number of files", 0, rule, remedy=remedy, place=place(path))
        files += inside
    return files


def named_runs(runs: Sequence[FilePath], *, names: str = "file") -> Iterator[tuple[str, Opened]]:
    """Yield each run with its name: open, and to be read from the top before the next.

    Folders stand for their files, as `run_files` has them. A run is called by its file, without
    the suffix of a compressed one. Files whose names are alike then keep them whole; if these are
    alike, too, as in two folders, they are called by their run tags (column 6 of the first line),
    or by their paths if tags do not tell them apart. Standard input is called by its run tag. With
    the names "tag" all runs are.

    Raises
    ------
    InputError
        if `names` is neither "file" nor "tag", a file is given twice, two runs have one name, or
        a run that is to be called by its tag has none; as `run_files` and `looked_at`.
    OSError
        if a file cannot be read.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("old/bm25", "new/bm25", "new/dense"):
    ...     (folder / name).parent.mkdir(exist_ok=True)
    ...     _ = (folder / name).write_text(f"q1 Q0 a 1 0.5 {name.replace('/', '-')}\\n")
    >>> [name for name, _ in named_runs([folder / "old", folder / "new"])]
    ['old-bm25', 'new-bm25', 'dense']
    >>> [name for name, _ in named_runs([folder / "new"], names="tag")]
    ['new-bm25', 'new-dense']
    """
    if names not in NAMES_OF_RUNS:
        rule = f"be one of {', '.join(NAMES_OF_RUNS)}"
        raise InputError("names of runs", names, rule, remedy="choose one")
    files, given = run_files(runs), set[str]()
    for path in files:
        absolute = os.path.abspath(path)
        if absolute in given:
            label = readable(path)
            raise InputError("run", label, "be given once", remedy="leave it out the second time")
        given.add(absolute)
    known = _by_tags(files) if names == "tag" else _by_files(files)
    used = set[str]()
    # A name that is known is compared before the first run is read.
    for path in filter(known.get, files):
        _check_new(known[path], used, path)
    for path in files:
        with looked_at(path) as file:
            name = known[path] or _tag(file)
            if not name and names == "file":
                name = readable(PurePath(path).name)
            if not name:
                rule = "have six columns, the last of them a run tag"
                remedy = "name runs by their files"
                line = place(path)
                raise InputError("first line", file.beginning, rule, remedy=remedy, place=line)
            if not known[path]:
                _check_new(name, used, path)
            yield name, file


def _check_new(name: str, used: set[str], path: FilePath) -> None:
    """Add a name to those in use, or raise `InputError`."""
    if name in used:
        remedy = "rename one of the files, or change one of the run tags"
        raise InputError("run", name, "have a name of its own", remedy=remedy, place=place(path))
    used.add(name)


def _by_tags(files: Sequence[FilePath]) -> Mapping[FilePath, str]:
    return {path: _tag_in(path) for path in files}


def _by_files(files: Sequence[FilePath]) -> Mapping[FilePath, str]:
    """Return names by file, by tag or by path; none where the run tag is to be read in its turn."""
    alike = defaultdict[str, list[FilePath]](list)
    for path in files:
        alike[bare_name(PurePath(path).name)].append(path)
    names = dict[FilePath, str]()
    for bare, paths in alike.items():
        whole = Counter(PurePath(path).name for path in paths)
        for path in paths:
            name = PurePath(path).name
            names[path] = readable(bare if len(paths) == 1 else name)
            if whole[name] > 1:
                others = [other for other in paths if PurePath(other).name == name]
                tags = [_tag_in(other) for other in others]
                is_clear = all(tags) and len(set(tags)) == len(tags)
                names[path] = tags[others.index(path)] if is_clear else readable(path)
            if _STREAMS.fullmatch(os.fspath(path)):
                names[path] = ""
    return names


def _tag_in(path: FilePath) -> str:
    """Return the run tag of a file, or nothing if it has none, or can be read only once."""
    if not os.path.isfile(path):
        return ""
    with looked_at(path) as file:
        return _tag(file)


def is_trec_run(file: Opened) -> bool:
    """Return whether a file begins as a TREC run does."""
    return _RETRIEVED.fullmatch(file.beginning.removeprefix(BYTE_ORDER_MARK)) is not None


def _tag(file: Opened) -> str:
    """Return the run tag of the first line, or nothing if it is not that of a run."""
    line = _RETRIEVED.fullmatch(file.beginning.removeprefix(BYTE_ORDER_MARK))
    try:
        return "" if line is None else line[1].decode()
    except UnicodeDecodeError:  # the reader says where
        return ""
