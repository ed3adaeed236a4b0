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


def is_of_sessions(path: str | Path) -> bool:
    """Return whether a log of that name has a line for each session, as SimEval-IR has it."""
    return Path(path).name.lower().removesuffix(".gz").endswith(_SIMEVAL)


@contextmanager
def sessions_to(path: str | Path, dataset: str) -> Iterator[Write]:
    """Yield a function that takes entries of systems, and writes a session when it ends.

    The file is that of `log_to` in all else; `dataset` is what its lines say they are of.
    """
    open_sessions = defaultdict[tuple[Any, ...], list[Entry]](list)
    with whole_file(path) as file, naming(path):
        writer = row_writer(file, {}, format_of(path, what="log"))

        def write(system: str, entry: Entry) -> None:
            key = (system, entry.user, entry.session, entry.query)
            open_sessions[key].append(entry)
            if entry.reason is not None:
                made = made_session(dataset, system, open_sessions.pop(key))
                writer.write(f"{json.dumps(made, ensure_ascii=False)}\n".encode())

        yield write
        writer.close()


def row_of(system: str, entry: Entry) -> LogRow:
    """Return a system's entry as a row of `COLUMNS`."""
    user, session, query, time, event, reason, _ = entry
    what = event.action, event.rank, event.element, event.origin, event.ideal, event.new
    return (system, user, session, query, time, *what, reason)


@contextmanager
def log_to(path: str | Path) -> Iterator[Write]:
    """Yield a function that writes a system's entry as a row, and how many elements it tells of.

    The file appears, complete, when the context ends; after an error or Ctrl-C the older file
    stays, if there was one.
    """
    ending, columns = format_of(path, what="log"), {**COLUMNS, **STRETCHES}
    held: list[LogRow] = []
    with whole_file(path) as file:
        writer = row_writer(file, columns, ending)

        def flush() -> None:
            with naming(path):
                writer.write(encoded(columns, list(zip(*held, strict=True)), ending))
            held.clear()

        def write(system: str, entry: Entry) -> None:
            elements = entry.event.elements if entry.event.action == "consult" else 0
            held.append((*row_of(system, entry), elements))
            if len(held) >= ROWS_HELD:
                flush()

        try:
            yield write
            if held:
                flush()
            with naming(path):
                writer.close()
        except BaseException:
            writer.give_up()
            raise
