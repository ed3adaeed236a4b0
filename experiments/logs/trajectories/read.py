"""Which format a log of sessions has, told by its content, and what reads it."""

import json
import os
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import blake2b
from itertools import chain, count
from pathlib import Path
from typing import Any

from prum.experiments.logs.trajectories.agents import (
    Tools,
    of_atif,
    of_browsecomp,
    of_wikirace,
)
from prum.experiments.logs.trajectories.simeval import of_simeval
from prum.experiments.logs.trajectories.steps import are_games, are_steps, of_game, of_steps
from prum.experiments.logs.trajectories.telemetry import (
    TracedSpan,
    are_of_spans,
    of_span,
    of_spans,
    spans_of,
)
from prum.experiments.logs.trajectories.trajectory import Trajectory
from prum.simulator.model import InputError
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.files import BYTE_ORDER_MARK, FilePath, Opened, is_json, looked_at, place
from prum.simulator.tables.forms import parquet_file, read_json
from prum.simulator.tables.layout import is_missing
from prum.simulator.tables.read import as_frame, columns_of, is_one_table, read, suffix_of
from prum.simulator.tables.read import tables as rows_of_tables
from prum.simulator.tables.schemas import SCHEMAS

SIMEVAL, ATIF, SPANS = "SimEval-IR", "ATIF", "spans"
BROWSECOMP, WIKIRACE = "BrowseComp-Plus", "wikirace"
GAMES, STEPS = "a table of games", "a table of steps"
# The fields by which an object of JSON is known; spans and tables have more.
FORMATS = {
    SIMEVAL: ("session_id", "events"),
    ATIF: ("agent", "steps"),
    BROWSECOMP: ("query_id", "result"),
    WIKIRACE: ("runs",),
}
_LINES = (".jsonl", ".ndjson")
_NO_LOG = "content of a log"


def format_of(content: Any) -> str:
    """Return which format an object of JSON has, or a list of such, "" for none.

    >>> format_of({"session_id": "s", "events": []}), format_of({"session": 1, "element": "a"})
    ('SimEval-IR', '')
    """
    if isinstance(content, list):
        return format_of(content[0]) if content and isinstance(content[0], dict) else ""
    if not isinstance(content, dict):
        return ""
    listed = {BROWSECOMP: "result", WIKIRACE: "runs"}
    formats = (
        name
        for name, fields in FORMATS.items()
        if set(fields) <= set(content)
        and (name not in listed or isinstance(content[listed[name]], list))
    )
    return next(formats, format_of_columns(list(content)))


def format_of_columns(names: Sequence[str]) -> str:
    """Return which format a table with these columns has, "" for none of these.

    >>> format_of_columns(["qid", "step", "rank", "docid"]), format_of_columns(["session", "page"])
    ('a table of steps', '')
    """
    if are_of_spans(names):
        return SPANS
    return STEPS if are_steps(names) else GAMES if are_games(names) else ""


def no_log(content: Any, place: str) -> InputError:
    """Return the error for JSON that is no log: what it looks like, and what is missing."""
    first = content[0] if isinstance(content, list) and content else content
    fields = list(map(str, first)) if isinstance(first, dict) else []
    near = max(FORMATS, key=lambda name: len(set(fields).intersection(FORMATS[name])))
    missing = ", ".join(name for name in FORMATS[near] if name not in fields)
    rule, remedy = "be sessions of users or agents", "see docs/reference/logs.md for the formats"
    if not set(fields).isdisjoint(FORMATS[near]):
        rule = f"have {missing or 'a list in ' + FORMATS[near][-1]}, too, to be of {near}"
    held = f"JSON with the fields {', '.join(fields[:5])}" if fields else "other JSON"
    if isinstance(content, dict) and all(isinstance(each, dict) for each in content.values()):
        held = "JSON, a mapping of queries"
    return InputError(_NO_LOG, held, rule, remedy=remedy, place=place)


@contextmanager
def _opened(
    path: FilePath, tools: Tools
) -> Iterator[tuple[FilePath, Iterator[Trajectory | TracedSpan] | None]]:
    """Open a log, and yield it with what its objects or rows say, None for other tables.

    Raise InputError as `read_trajectories`.
    """
    suffix, is_file = suffix_of(path), os.path.isfile(path)
    if suffix == ".parquet":
        kind = format_of_columns(names_in(path)) if is_file else ""
        yield path, _read(kind, _rows(path), tools) if kind else None
        return
    with looked_at(path) as file:
        first = file.beginning.removeprefix(BYTE_ORDER_MARK).strip()
        if (suffix and suffix not in _LINES) or first[:1] not in (b"{", b"["):
            kind, source = format_of_columns(_names(file)), path if is_file and suffix else file
            yield source, _read(kind, _rows(source), tools) if kind else None
            return
        by_line = "" if first.startswith(b"[") else format_of(_object(first))
        if not by_line and suffix:
            yield file, None
        elif by_line:
            yield file, _read(by_line, _objects_of_lines(file), tools)
        elif isinstance(_object(first), dict) and not is_json(os.fspath(path)):
            yield file, None
        else:
            content = read_json(file, thing="log")
            kind = format_of(content)
            if not kind:
                raise no_log(content, place(path))
            yield file, _read(kind, _objects(content, place(path)), tools)


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


def _rows(source: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the rows of a table, of a file or in Python, with places; empty cells are left out."""
    if isinstance(source, str | os.PathLike):
        table = read(source, SCHEMAS["rows of a log"])
        columns, places = table.columns, (table.place(row) for row in range(len(table)))
    else:
        columns = columns_of(source, "the log")
        places = (f"the log, row {number}" for number in count(1))
    for cells, where in zip(zip(*columns.values(), strict=True), places, strict=False):
        row = zip(columns, map(_plain, cells), strict=True)
        yield {name: value for name, value in row if not is_missing(value)}, where


def _plain(cell: Any) -> Any:
    """Return a cell as JSON would have it: arrays are lists, moments texts; texts of data, data."""
    if isinstance(cell, str) and cell[:1] in "[{" and cell:
        for reader in (json_value, literal_eval):  # data frames write lists to CSV as Python does
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return reader(cell)
    if hasattr(cell, "isoformat"):
        return None if cell != cell else cell.isoformat()
    return cell.tolist() if hasattr(cell, "tolist") else cell


Logs = FilePath | Sequence[FilePath]


@contextmanager
def as_trajectories(
    log: Logs, tools: Tools
) -> Iterator[tuple[FilePath, Iterator[Trajectory] | None]]:
    """Open a log, and yield it with its trajectories, None for a table.

    What is yielded may be read once.

    Raise InputError as `read_trajectories`.
    """
    sources = _sources(log)
    if len(sources) == 1 and not os.path.isdir(path := sources[0]):
        with _opened(path, tools) as (file, said):
            name = Path(path).name.split(".")[0]
            yield file, None if said is None else checked(_sessions(said, name))
        return
    yield place(sources[0]), checked(_of_many(sources, tools))


def is_log(path: Any) -> bool:
    """Return whether a file that is no pipe is a log of sessions, a folder has one, or it is data.

    Raise InputError for JSON that is damaged.
    """
    if not isinstance(path, str | os.PathLike):
        return is_one_table(path) and bool(format_of_table(path))
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
    if is_one_table(log):
        if not (kind := format_of_table(log)):
            raise _table("the log")
        yield from checked(_sessions(_read(kind, _rows(log), Tools.of(tools)), "sessions"))
        return
    with as_trajectories(log, Tools.of(tools)) as (file, trajectories):
        if trajectories is None:
            raise _table(file)
        yield from trajectories


def format_of_table(log: Any) -> str:
    """Return which format a data frame or records have, "" for none of these."""
    return format_of_columns(list(map(str, as_frame(log).columns)))


def checked(trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
    """Yield sessions, each of which a system has once.

    Raise InputError for one that comes twice.
    """
    met = set[tuple[str, str]]()
    for item in trajectories:
        if (item.system, item.session) in met:
            rule, remedy = "be in the log once", "leave the copy out, or give it an id of its own"
            raise InputError("session", item.session, rule, remedy=remedy, place=item.place)
        met.add((item.system, item.session))
        yield item


def _table(path: FilePath) -> InputError:
    rule = "have the columns session or topic, step, element, and rank or tool"
    remedy = "tables of visits and runs hold no sessions of several lists"
    return InputError(_NO_LOG, "a table", rule, remedy=remedy, place=place(path))


def _sources(log: Logs) -> list[FilePath]:
    return list(log) if isinstance(log, list | tuple) else [log]  # type: ignore[list-item]


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


def _said_in(
    files: Iterable[FilePath], tools: Tools, skipped: Counter[str] | None
) -> Iterator[Trajectory | TracedSpan]:
    """Yield what files say; others are counted as skipped, or refused where nothing counts them."""
    for path in files:
        try:
            with _opened(path, tools) as (_, said):
                if said is None:
                    raise _table(path)
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


def _object(line: bytes) -> Any:
    try:
        return json_value(line.decode())
    except (ValueError, RecursionError):
        return None


def _objects_of_lines(file: Opened) -> Iterator[tuple[Any, str]]:
    """Yield the objects of JSON lines with their places."""

    def all_columns(names: Sequence[str], _: str) -> dict[str, bool]:
        return dict.fromkeys(names, False)

    for table in rows_of_tables(file, all_columns, suffix=".jsonl"):
        for row, number in enumerate(table.numbers):
            where = place(file, number)
            cells = ((name, cells[row]) for name, cells in table.columns.items())
            yield {name: value for name, value in cells if value is not None}, where


def _objects(content: Any, where: str) -> Iterator[tuple[Any, str]]:
    if not isinstance(content, list):
        yield content, where
        return
    for number, item in enumerate(content, start=1):
        yield item, f"{where}, object {number}"


def _read(
    kind: str, objects: Iterator[tuple[Any, str]], tools: Tools
) -> Iterator[Trajectory | TracedSpan]:
    """Yield what objects say; a session without an id gets one made of its object."""
    if kind == STEPS:
        yield from of_steps(objects, tools)
        return
    for content, where in objects:
        if kind == SPANS:
            yield from (of_span(span, tools) for span in spans_of(content, where))
        elif kind == SIMEVAL:
            yield of_simeval(content, where)
        else:
            for number, item in enumerate(_RUNS[kind](content, where, tools), start=1):
                yield replace(item, session=item.session or f"{_digest(content)}.{number}")


_RUNS = {ATIF: of_atif, BROWSECOMP: of_browsecomp, WIKIRACE: of_wikirace, GAMES: of_game}


def _digest(content: Any) -> str:
    return blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=8).hexdigest()
