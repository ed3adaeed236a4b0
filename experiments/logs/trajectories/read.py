"""Which format a log of sessions has, told by its content, and what reads it."""

import json
import os
from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import blake2b
from itertools import chain, pairwise
from math import isnan
from pathlib import Path
from typing import Any

from prum.experiments.logs.trajectories.agents import (
    Tools,
    are_steps,
    of_atif,
    of_browsecomp,
    of_game,
    of_steps,
    of_wikirace,
)
from prum.experiments.logs.trajectories.simeval import of_simeval
from prum.experiments.logs.trajectories.telemetry import (
    TracedSpan,
    are_of_spans,
    of_span,
    of_spans,
    spans_of,
)
from prum.experiments.logs.trajectories.trajectory import Trajectory, trial_of
from prum.simulator.model import InputError
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.files import BYTE_ORDER_MARK, FilePath, Opened, is_json, looked_at, place
from prum.simulator.tables.forms import parquet_file, read_json
from prum.simulator.tables.layout import DataTable, is_missing
from prum.simulator.tables.read import as_frame, columns_of, is_one_table, suffix_of, tables

SPANS, STEPS, GAMES = "spans", "a table of steps", "a table of games"
Read = Callable[[Any, str, Tools], Iterator[Trajectory]]
# The fields by which an object of JSON is known, the last a list, and what reads one.
OBJECTS: dict[str, tuple[tuple[str, ...], Read]] = {
    "SimEval-IR": (("session_id", "events"), of_simeval),
    "ATIF": (("agent", "steps"), of_atif),
    "BrowseComp-Plus": (("query_id", "result"), of_browsecomp),
    "wikirace": (("runs",), of_wikirace),
}
_READ: dict[str, Read] = {name: reader for name, (_, reader) in OBJECTS.items()} | {GAMES: of_game}
_LINES = (".jsonl", ".ndjson")
_NO_LOG = "content of a log"


def format_of(content: Any) -> str:
    """Return which format an object of JSON has, a list of such, or a row; "" for none.

    >>> format_of({"session_id": "s", "events": []}), format_of({"session": 1, "element": "a"})
    ('SimEval-IR', '')
    >>> format_of(dict.fromkeys(["qid", "step", "rank", "docid"]))
    'a table of steps'
    """
    first = content[0] if isinstance(content, list) and content else content
    if not isinstance(first, dict):
        return ""
    for name, (fields, _) in OBJECTS.items():
        if set(fields) <= set(first) and isinstance(first[fields[-1]], list):
            return name
    if are_of_spans(first):
        return SPANS
    games = {"path", "start", "target"} <= set(first)
    return STEPS if are_steps(list(first)) else GAMES if games else ""


def _no_log(content: Any, place: str) -> InputError:
    """Return the error for JSON that is no log: what it looks like, and what is missing."""
    first = content[0] if isinstance(content, list) and content else content
    fields = list(map(str, first)) if isinstance(first, dict) else []
    near = max(OBJECTS, key=lambda name: len(set(fields).intersection(OBJECTS[name][0])))
    needed = OBJECTS[near][0]
    missing = ", ".join(name for name in needed if name not in fields)
    rule, remedy = "be sessions of users or agents", "see docs/reference/logs.md for the formats"
    if not set(fields).isdisjoint(needed):
        rule = f"have {missing or 'a list in ' + needed[-1]}, too, to be of {near}"
    held = f"JSON with the fields {', '.join(fields[:5])}" if fields else "other JSON"
    if isinstance(content, dict) and all(isinstance(each, dict) for each in content.values()):
        held = "JSON, a mapping of queries"
    return InputError(_NO_LOG, held, rule, remedy=remedy, place=place)


def _no_table(source: Any) -> InputError:
    rule = "have the columns session or topic, step, element, and rank or tool"
    remedy = "tables of visits and runs hold no sessions of several lists"
    return InputError(_NO_LOG, "a table", rule, remedy=remedy, place=place_of(source))


def place_of(source: Any) -> str:
    """Return how messages name a file, or a table that is held in Python."""
    return place(source) if isinstance(source, str | os.PathLike) else "the log"


# --- objects -------------------------------------------------------------------------------------

Said = Iterator[Trajectory | TracedSpan]


@contextmanager
def _opened(path: FilePath, tools: Tools) -> Iterator[tuple[FilePath, Said | None]]:
    """Open a log, and yield it with what its objects or rows say, None for other tables.

    Raise InputError as `read_trajectories`.
    """
    suffix, is_file = suffix_of(path), os.path.isfile(path)

    def rows(names: Sequence[str], source: FilePath) -> tuple[FilePath, Said | None]:
        kind = format_of(dict.fromkeys(names))
        return source, _said(kind, _rows_of(source), tools) if kind else None

    if suffix == ".parquet":
        yield rows(names_in(path) if is_file else [], path)
        return
    with looked_at(path) as file:
        first = file.beginning.removeprefix(BYTE_ORDER_MARK).strip()
        line = _object(first)
        if (suffix and suffix not in _LINES) or first[:1] not in (b"{", b"["):
            yield rows(_names(file), path if is_file and suffix else file)
        elif first.startswith(b"{") and (kind := format_of(line)):
            yield file, _said(kind, _rows_of(file, ".jsonl"), tools)
        elif suffix or (isinstance(line, dict) and not is_json(os.fspath(path))):
            yield file, None
        else:
            content = read_json(file, thing="log")
            if not (kind := format_of(content)):
                raise _no_log(content, place(path))
            where, is_list = place(path), isinstance(content, list)
            objects = [(item, f"{where}, object {k}") for k, item in enumerate(content, start=1)]
            yield file, _said(kind, objects if is_list else [(content, where)], tools)


def names_in(path: FilePath) -> list[str]:
    """Return the names in the first row of a table that is a file."""
    if suffix_of(path) == ".parquet":
        with parquet_file(path) as parquet:
            return list(parquet.schema_arrow.names)
    with looked_at(path) as file:
        return _names(file)


def _names(file: Opened) -> list[str]:
    if isinstance(row := _object(file.line), dict):
        return list(row)
    names = file.line.decode(errors="replace").split("\t" if b"\t" in file.line else ",")
    return [name.strip('"') for name in names]


def _object(line: bytes) -> Any:
    try:
        return json_value(line.decode())
    except (ValueError, RecursionError):
        return None


def _rows_of(source: Any, suffix: str = "") -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the rows of a table, of a file or in Python, with places; empty cells are left out."""
    where = place_of(source)
    parts: Iterable[DataTable]
    if isinstance(source, str | os.PathLike):
        parts = tables(source, lambda names, _: names, suffix=suffix)
    else:
        columns = columns_of(source, where)
        num = len(next(iter(columns.values()), ()))
        parts = [DataTable(columns, range(1, num + 1), origin=where)]
    for table in parts:
        columns = {
            name: cells if suffix else list(map(_plain, cells))
            for name, cells in table.columns.items()
        }
        for row, cells in enumerate(zip(*columns.values(), strict=True)):
            pairs = zip(columns, cells, strict=True)
            told = {name: x for name, x in pairs if not (x is None if suffix else is_missing(x))}
            yield told, table.place(row)


def _plain(cell: Any) -> Any:
    """Return a cell as JSON would have it: arrays are lists, moments texts; texts of data, data."""
    if isinstance(cell, str) and cell[:1] in "[{" and cell:
        for reader in (json_value, literal_eval):  # data frames write lists to CSV as Python does
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return reader(cell)
    if hasattr(cell, "isoformat"):
        return None if cell != cell else cell.isoformat()
    return cell.tolist() if hasattr(cell, "tolist") else cell


def _said(kind: str, objects: Iterable[tuple[Any, str]], tools: Tools) -> Said:
    """Yield what objects say; a session without an id gets one made of its object."""
    if kind == STEPS:
        yield from of_steps(objects, tools)
        return
    for content, where in objects:
        if kind == SPANS:
            yield from (of_span(span, tools) for span in spans_of(content, where))
            continue
        for number, item in enumerate(_READ[kind](content, where, tools), start=1):
            session = item.session or f"{_digest(content)}.{number}"
            yield replace(item, session=session, trial=item.trial or trial_of(content))


def _digest(content: Any) -> str:
    return blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=8).hexdigest()


# --- sessions ------------------------------------------------------------------------------------

Logs = FilePath | Sequence[FilePath]


@contextmanager
def as_trajectories(log: Any, tools: Tools) -> Iterator[tuple[Any, Iterator[Trajectory] | None]]:
    """Open a log, and yield it with its trajectories, None for another table.

    What is yielded may be read once; of several files or a folder it is the name of the first.

    Raise InputError as `read_trajectories`.
    """
    sources: list[Any] = list(log) if isinstance(log, list | tuple) else [log]
    if is_one_table(log):
        kind = format_of(dict.fromkeys(map(str, as_frame(log).columns)))
        said = _said(kind, _rows_of(log), tools) if kind else None
        yield log, None if said is None else checked(_sessions(said, "sessions"))
    elif len(sources) > 1 or os.path.isdir(path := sources[0]):
        yield sources[0], checked(_of_many(sources, tools))
    else:
        with _opened(path, tools) as (file, said):
            name = Path(path).name.split(".")[0]
            yield file, None if said is None else checked(_sessions(said, name))


def is_log(path: Any) -> bool:
    """Return whether a file that is no pipe is a log of sessions, a folder has one, or it is data.

    Raise InputError for JSON that is damaged.
    """
    if not isinstance(path, str | os.PathLike):
        return is_one_table(path) and bool(format_of(dict.fromkeys(as_frame(path).columns)))
    for file in _files(path) if os.path.isdir(path) else [path] * os.path.isfile(path):
        try:
            with _opened(file, Tools()) as (_, said):
                if said is not None:
                    return True
        except InputError as error:
            if error.thing != _NO_LOG:
                raise
    return False


def read_trajectories(log: Any, *, tools: str | Tools | None = None) -> Iterator[Trajectory]:
    """Yield the sessions of a log of an agent or of a simulator, with their lists and costs.

    SimEval-IR v1, ATIF, spans of OpenTelemetry, OpenInference or Langfuse, runs of BrowseComp-Plus,
    games of wikirace, tables of steps: told by what the file holds. `log` is a file, a folder of
    such files and of folders of them, several of these, or a data frame. `tools` says which tools
    of an agent search and open, and the field of ids, where names don't tell; as `Tools.of` takes
    it.

    Whatever the format and however a log is split into files:

    - A session has one id, in a system. A format without such ids has them made of the content.
    - A span counts once. Its session is the conversation that it, or another of its trace, names,
      else the trace. Spans are put in order of time, if all of them tell it.
    - The question is what the log names, else, of spans, what all spans that are within no other
      were given as `input.value`, if it is one text, else the id of the session.
    - The system is what the log calls so, or the agent by name and model. Else it is the folder
      that was given, or the single file. Folders are systems apart: of two that have the same
      agent, the second stands behind its name.

    >>> import json, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "games.json"
    >>> game = {"model": "m", "result": "win", "steps": [{"article": "Tea"}, {"article": "Cup"}]}
    >>> _ = path.write_text(json.dumps({"runs": [game]}))
    >>> [action.kind for action in next(read_trajectories(path)).actions]
    ['open', 'follow']
    """
    with as_trajectories(log, Tools.of(tools)) as (file, trajectories):
        if trajectories is None:
            raise _no_table(file)
        yield from trajectories


def checked(trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
    """Yield sessions, each of which a trial of a system has once.

    Raise InputError for one that comes twice, and for time that runs backwards.
    """
    met = set[tuple[str, str, str]]()
    for item in trajectories:
        times = [0.0, *(action.time for action in item.actions if not isnan(action.time))]
        passed = min((time - before for before, time in pairwise(times)), default=0.0)
        if passed < 0:
            rule, remedy = "not run backwards", "sort the actions by time"
            raise InputError("time", passed, rule, remedy=remedy, place=item.place)
        if (item.system, item.trial, item.session) in met:
            rule, remedy = "be in the log once", "leave the copy out, or give it an id of its own"
            raise InputError("session", item.session, rule, remedy=remedy, place=item.place)
        met.add((item.system, item.trial, item.session))
        yield item


def _files(folder: FilePath) -> list[str]:
    """Return the files in a folder and those within it; names that begin with a dot don't count."""
    paths = list[str]()
    for inside, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [os.path.join(inside, name) for name in files if not name.startswith(".")]
    return sorted(paths)


def _of_many(sources: Sequence[FilePath], tools: Tools) -> Iterator[Trajectory]:
    """Yield the sessions of folders, and of files as if they were one."""
    files = [path for path in sources if not os.path.isdir(path)]
    given: dict[str, Sequence[FilePath]] = {"": files}
    given |= {os.fspath(path): _files(path) for path in sources if os.path.isdir(path)}
    met, agents = set[str](), dict[str, str]()
    for path in chain.from_iterable(given.values()):
        if (real := os.path.realpath(path)) in met:
            rule, remedy = "be given once", "leave one of them out"
            raise InputError("log", os.fspath(path), rule, remedy=remedy)
        met.add(real)
    for folder, paths in given.items():
        skipped = Counter[str]()
        said = _said_in(paths, tools, skipped if folder else None)
        trajectories = list(_sessions(said, folder and Path(folder).resolve().name))
        if folder and not trajectories:
            rule, remedy = "be at least 1", "see docs/reference/logs.md for the formats"
            raise InputError("number of logs", 0, rule, remedy=remedy, place=place(folder))
        for number, item in enumerate(trajectories):
            if not item.system:
                rule = "name its agent, where several files are given"
                raise InputError("log", None, rule, remedy="give a folder", place=item.place)
            is_new = agents.setdefault(item.system, folder) == folder
            system = item.system if is_new else f"{item.system} ({folder})"
            lost = item.lost if number else {**item.lost, **skipped}
            yield replace(item, system=system, lost=lost)


def _said_in(files: Iterable[FilePath], tools: Tools, skipped: Counter[str] | None) -> Said:
    """Yield what files say; others are counted as skipped, or refused where nothing counts them."""
    for path in files:
        try:
            with _opened(path, tools) as (_, said):
                if said is None:
                    raise _no_table(path)
                yield from said
        except InputError as error:
            if skipped is None or error.thing != _NO_LOG:
                raise
            skipped["files that are no logs"] += 1


def _sessions(said: Iterable[Trajectory | TracedSpan], name: str) -> Iterator[Trajectory]:
    """Yield sessions, `name` the system of those that tell none."""
    spans = list[TracedSpan]()

    def whole() -> Iterator[Trajectory]:
        for item in said:
            if isinstance(item, TracedSpan):
                spans.append(item)
            else:
                yield item

    for item in chain(whole(), of_spans(spans)):
        yield replace(item, topic=item.topic or item.session, system=item.system or name)
