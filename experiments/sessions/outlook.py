"""Logs of simulated users, and how long they take and how large they get, by trying a few.

A log has a row for each event, or a session a line for SimEval-IR; it is on disk whole or not.
"""

import io
import itertools
import json
import pickle
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from prum.experiments.frame.files import naming, whole_file
from prum.experiments.frame.row_files import Format, encoded, format_of, row_writer
from prum.experiments.logs.events import COLUMNS, STRETCHES
from prum.experiments.logs.trajectories.simeval import made_session
from prum.experiments.sessions.result import Settings
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model.process import own_processors
from prum.simulator.sessions.crowd import Entry, House

# Rows that are held before they are written: a row group of Parquet.
ROWS_HELD = 100_000
# How a log in SimEval-IR's schema is named.
_SIMEVAL = ".simeval.jsonl"

LogRow = tuple[Any, ...]
Write = Callable[[str, Entry], object]


def check_log(path: str | Path) -> None:
    """Raise if a log cannot be written by that name, before there is anything to write.

    A name that ends with .simeval.jsonl, or that and .gz, is of SimEval-IR.

    Raise InputError as `format_of`.
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


def row_of(system: str, entry: Entry, *, stretches: bool = False) -> LogRow:
    """Return a system's entry as a row of a log, with its number of elements if of `stretches`."""
    user, session, query, time, event, reason, _ = entry
    row = (
        system,
        user,
        session,
        query,
        time,
        event.action,
        event.rank,
        event.element,
        event.origin,
        event.ideal,
        event.new,
        reason,
    )
    return (*row, event.elements if event.action == "consult" else 0) if stretches else row


def columns_of(*, stretches: bool) -> dict[str, str]:
    """Return the columns of a log with their types."""
    return {**COLUMNS, **STRETCHES} if stretches else COLUMNS


@contextmanager
def log_to(path: str | Path, *, stretches: bool = False) -> Iterator[Write]:
    """Yield a function that writes a system's entry as a row.

    With `stretches` each row says how many elements it tells of.

    The file appears, complete, when the context ends; after an error or Ctrl-C the older file
    stays, if there was one.

    Raise InputError as `check_log`, and for text that no file can hold; OSError with the file's
    name, if the disk is full, the folder closed, and the like.
    """
    ending = format_of(path, what="log")
    columns = columns_of(stretches=stretches)
    held: list[LogRow] = []
    with whole_file(path) as file:
        writer = row_writer(file, columns, ending)

        def flush() -> None:
            with naming(path):
                writer.write(encoded(columns, list(zip(*held, strict=True)), ending))
            held.clear()

        def write(system: str, entry: Entry) -> None:
            held.append(row_of(system, entry, stretches=stretches))
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


# Sessions tried of each list, at most one in so many of all, and none after so many seconds.
_TRIED_EACH = 4
_SHARE = 10
_LONGEST = 0.4
# Seconds until processes beside this one are at work.
STARTING = 3.0


@dataclass(frozen=True, slots=True)
class Outlook:
    """What it will take.

    Parameters
    ----------
    num_sessions
        Of all systems.
    shared, alone, passing
        Seconds of one processor: what workers can share, what this process does by itself, and
        what workers cost.
    num_rows, num_bytes
        Of the log; 0 without one.
    """

    num_sessions: int = 0
    shared: float = 0.0
    alone: float = 0.0
    passing: float = STARTING
    num_rows: int = 0
    num_bytes: int = 0

    def seconds(self, workers: int) -> float:
        """Return how long it will take on so many processes."""
        return self.shared / workers + self.alone + (self.passing if workers > 1 else 0)

    @property
    def workers(self) -> int:
        """How many processes to take: all processors, if they are done before this one alone."""
        return min((own_processors(), 1), key=self.seconds)


def outlook_of(
    campaigns: Sequence[Campaign], settings: Settings, log: str | Path | None
) -> Outlook:
    """Return what these users will take, by trying some; nothing if there are few to try.

    Raise InputError as `traffic`.
    """
    lists = [
        (campaign, system, topic)
        for topics in itertools.zip_longest(*(campaign.ideals for campaign in campaigns))
        for campaign, topic in zip(campaigns, topics, strict=True)
        if topic is not None
        for system in campaign.runs
    ]
    asked = sum(
        settings.num_users * len(campaign.runs) * settings.mean_queries(len(campaign.ideals))
        for campaign in campaigns
    )
    users = settings.users[:_TRIED_EACH]
    trials: list[_Trial] = []
    began = time.process_time()
    for campaign, system, topic in lists[: int(asked / _SHARE / len(users))]:
        if time.process_time() - began > _LONGEST:
            break
        house = replace(settings, arrivals=None).house(campaign, system, (topic,))
        trials.append(_tried(house, system, users, is_logged=log is not None))
    if not trials:
        return Outlook()
    num_tried = len(trials) * len(users)
    if log is not None:
        _size([], format_of(log, what="log"))  # loads what writes it
    rows = [row for trial in trials for row in trial.rows]
    began = time.process_time()
    num_bytes = 0 if log is None else _size(rows, format_of(log, what="log"))
    writing = time.process_time() - began
    making = sum(trial.making for trial in trials) / len(trials)
    return Outlook(
        num_sessions=round(asked),
        shared=making * len(lists) + sum(trial.playing for trial in trials) / num_tried * asked,
        alone=(writing + sum(trial.telling for trial in trials)) / num_tried * asked,
        passing=STARTING + sum(trial.passing for trial in trials) / num_tried * asked,
        num_rows=round(len(rows) / num_tried * asked),
        num_bytes=round(num_bytes / num_tried * asked),
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    """What some users took on one list: seconds, and the rows of their log."""

    making: float
    playing: float
    telling: float
    passing: float
    rows: list[LogRow]


def _tried(house: House, system: str, users: range, *, is_logged: bool) -> _Trial:
    began = time.process_time()
    house.sessions(users[0])  # with all that is made for the first of them
    made = time.process_time()
    played = [house.sessions(user) for user in users]
    done = time.process_time()
    playing, telling, passing, rows = done - made, 0.0, 0.0, list[LogRow]()
    if is_logged:
        entries = house.entries(users, iter(played))
        rows = [row_of(system, entry, stretches=True) for entry in entries]
        told = time.process_time()
        pickle.loads(pickle.dumps(played))
        telling, passing = told - done, time.process_time() - told
    making = max(made - began - playing / len(users), 0.0)
    return _Trial(making, playing, telling, passing, rows)


def _size(rows: list[LogRow], ending: Format) -> int:
    """Return how many bytes these rows are in a log."""
    columns, file = columns_of(stretches=True), io.BytesIO()
    writer = row_writer(file, columns, ending)
    if rows:
        writer.write(encoded(columns, list(zip(*rows, strict=True)), ending))
    writer.close()
    return file.tell()
