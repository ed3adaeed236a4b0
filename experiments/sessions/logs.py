"""Logs of simulated users.

A log has a row for each event, or a session a line for SimEval-IR; it is on disk whole or not.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prum.experiments.frame.files import naming, whole_file
from prum.experiments.frame.row_files import encoded, format_of, row_writer
from prum.experiments.logs.events import COLUMNS, STRETCHES
from prum.experiments.logs.trajectories.simeval import made_session
from prum.simulator.sessions.crowd import Entry

# Rows that are held before they are written: a row group of Parquet.
ROWS_HELD = 100_000
# How a log in SimEval-IR's schema is named.
_SIMEVAL = ".simeval.jsonl"

LogRow = tuple[Any, ...]
Write = Callable[[str, Entry], object]


def check_log(path: str | Path) -> None:
    """Raise if a log cannot be written by that name, before there is anything to write.

    A name that ends with .simeval.jsonl, or that and .gz, is of SimEval-IR.
    """
    format_of(path, what="log")


def row_of(system: str, entry: Entry) -> LogRow:
    """Return a system's entry as a row of `COLUMNS`."""
    user, session, query, time, event, reason, _ = entry
    what = event.action, event.rank, event.element, event.origin, event.ideal, event.new
    return (system, user, session, query, time, *what, reason)


@contextmanager
def log_to(path: str | Path, dataset: str = "") -> Iterator[Write]:
    """Yield a function that writes a system's entry as a row, and how many elements it tells of.

    In SimEval-IR's schema it writes a session when it ends, as of a `dataset`. The file appears,
    complete, when the context ends; after an error or Ctrl-C the older file stays, if there was
    one.
    """
    is_of_sessions = Path(path).name.lower().removesuffix(".gz").endswith(_SIMEVAL)
    ending, columns = format_of(path, what="log"), {**COLUMNS, **STRETCHES}
    held: list[LogRow] = []
    open_sessions = defaultdict[tuple[Any, ...], list[Entry]](list)
    kept = {} if is_of_sessions else columns
    with whole_file(path) as file, naming(path), row_writer(file, kept, ending) as put:

        def flush() -> None:
            put(encoded(columns, list(zip(*held, strict=True)), ending))
            held.clear()

        def write_row(system: str, entry: Entry) -> None:
            elements = entry.event.elements if entry.event.action == "consult" else 0
            held.append((*row_of(system, entry), elements))
            if len(held) >= ROWS_HELD:
                flush()

        def write_session(system: str, entry: Entry) -> None:
            key = (system, entry.user, entry.session, entry.query)
            open_sessions[key].append(entry)
            if entry.reason is not None:
                made = made_session(dataset, system, open_sessions.pop(key))
                put(f"{json.dumps(made, ensure_ascii=False)}\n".encode())

        yield write_session if is_of_sessions else write_row
        if held:
            flush()
