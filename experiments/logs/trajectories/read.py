"""Which format a log of sessions has, told by its content, and what reads it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from prum.experiments.logs.trajectories.agents import Tools, of_atif, of_browsecomp, of_wikirace
from prum.experiments.logs.trajectories.simeval import is_simeval, of_simeval
from prum.experiments.logs.trajectories.telemetry import is_span, of_spans, spans_of
from prum.experiments.logs.trajectories.trajectory import Trajectory
from prum.simulator.model import InputError
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.files import BYTE_ORDER_MARK, FilePath, Opened, looked_at, place
from prum.simulator.tables.json_files import read_json
from prum.simulator.tables.read import suffix_of
from prum.simulator.tables.read import tables as rows_of_tables

SIMEVAL, ATIF, SPANS = "SimEval-IR", "ATIF", "OpenTelemetry or OpenInference"
BROWSECOMP, WIKIRACE = "BrowseComp-Plus", "wikirace"
FORMATS = (SIMEVAL, ATIF, SPANS, BROWSECOMP, WIKIRACE)
_LINES = (".jsonl", ".ndjson")


def format_of(content: Any) -> str:
    """Return which of `FORMATS` an object of JSON has, or a list of such, "" for none.

    >>> format_of({"session_id": "s", "events": []}), format_of({"session": 1, "element": "a"})
    ('SimEval-IR', '')
    """
    if isinstance(content, list):
        return format_of(content[0]) if content and isinstance(content[0], dict) else ""
    if not isinstance(content, dict):
        return ""
    names = set(content)
    known = {
        SIMEVAL: is_simeval(content),
        ATIF: {"steps", "agent"} <= names,
        SPANS: is_span(content),
        BROWSECOMP: {"query_id", "result"} <= names and isinstance(content["result"], list),
        WIKIRACE: isinstance(content.get("runs"), list),
    }
    return next((name for name, is_it in known.items() if is_it), "")


@contextmanager
def as_trajectories(
    path: FilePath, tools: Tools
) -> Iterator[tuple[FilePath, Iterator[Trajectory] | None]]:
    """Open a log, and yield it with its trajectories, None for a table.

    What is yielded may be read once.

    Raise InputError as `read_trajectories`.
    """
    suffix = suffix_of(path)
    if suffix and suffix not in _LINES:
        yield path, None
        return
    with looked_at(path) as file:
        first = file.beginning.removeprefix(BYTE_ORDER_MARK).strip()
        if first[:1] not in (b"{", b"["):
            yield file, None
            return
        by_line = "" if first.startswith(b"[") else format_of(_object(first))
        if not by_line and suffix:
            yield file, None
        elif by_line:
            yield file, _read(by_line, _objects_of_lines(file), tools)
        elif isinstance(_object(first), dict):
            yield file, None
        else:
            content = read_json(file, thing="log")
            kind = format_of(content)
            if not kind:
                rule = f"be a table, or {', '.join(FORMATS)}"
                thing, remedy = "content of a log", "see the reference of logs"
                raise InputError(thing, "other JSON", rule, remedy=remedy, place=place(path))
            yield file, _read(kind, _objects(content, place(path)), tools)


def read_trajectories(path: FilePath, *, tools: str | Tools | None = None) -> Iterator[Trajectory]:
    """Yield the sessions of a log of an agent or of a simulator, with their lists and costs.

    SimEval-IR v1, ATIF, spans of OpenTelemetry or OpenInference, runs of BrowseComp-Plus, games of
    wikirace: told by what the file holds. `tools` says which tools of an agent search and open, and
    the field of ids, where names don't tell; as `Tools.of` takes it.

    Raises
    ------
    InputError
        for a file of none of these formats, and one that breaks its format, with the place.
    OSError
        if it can't be opened or read.

    >>> import json, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "games.json"
    >>> game = {"model": "m", "result": "win", "steps": [{"article": "Tea"}, {"article": "Cup"}]}
    >>> _ = path.write_text(json.dumps({"runs": [game]}))
    >>> [action.kind for action in next(read_trajectories(path)).actions]
    ['open', 'follow']
    """
    with as_trajectories(path, Tools.of(tools)) as (_, found):
        if found is None:
            rule = f"be of {', '.join(FORMATS)}"
            remedy = "a log with a row for each visit has no lists"
            raise InputError("log", "a table", rule, remedy=remedy, place=place(path))
        yield from found


def _object(line: bytes) -> Any:
    try:
        return json_value(line.decode())
    except (ValueError, RecursionError):
        return None


def _objects_of_lines(file: Opened) -> Iterator[tuple[Any, str]]:
    """Yield the objects of JSON lines with their places."""

    def all_columns(names: Sequence[str], _: str) -> dict[str, bool]:
        return dict.fromkeys(names, False)

    for table in rows_of_tables(file, all_columns, alike=False, suffix=".jsonl"):
        for row, number in enumerate(table.numbers.tolist()):
            where = place(file, number)
            yield {name: cells[row] for name, cells in table.columns.items()}, where


def _objects(content: Any, where: str) -> Iterator[tuple[Any, str]]:
    if not isinstance(content, list):
        yield content, where
        return
    for number, one in enumerate(content, start=1):
        yield one, f"{where}, object {number}"


def _read(kind: str, objects: Iterator[tuple[Any, str]], tools: Tools) -> Iterator[Trajectory]:
    if kind == SPANS:
        yield from of_spans(
            (span for content, where in objects for span in spans_of(content, where)), tools
        )
        return
    for content, where in objects:
        if kind == SIMEVAL:
            yield of_simeval(content, where)
        elif kind == ATIF:
            yield of_atif(content, where, tools)
        elif kind == BROWSECOMP:
            yield of_browsecomp(content, where, tools)
        else:
            yield from of_wikirace(content, where)
