"""Logs as sessions: rows of session, time, element, put together and checked."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prum.experiments.logs.coded import Coded, joined
from prum.experiments.logs.sessions import BACK, Sessions
from prum.experiments.logs.tables import Table, tables
from prum.experiments.logs.trails import depths, led_to
from prum.simulator.collections.files import FilePath, place
from prum.simulator.collections.layout import FileColumn, Layout, check_names
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints

_ROWS = Layout(
    what="log",
    columns=(
        FileColumn(name="session", aliases=("session_id",)),
        FileColumn(name="element", aliases=("page", "url", "article", "document")),
        FileColumn(name="time", aliases=("timestamp",), optional=True),
        FileColumn(name="person", aliases=("user", "person_id", "user_id"), optional=True),
        FileColumn(name="entry", aliases=("is_entry", "entry_id"), optional=True),
    ),
    rule="",
    remedy="",
    bounds_in_csv=False,
    others=True,
)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a log: visits, and back clicks that have not been followed."""

    session: Coded
    element: Coded
    person: Coded
    time: Floats
    entry: Coded
    numbers: Ints
    unit: str

    def __getitem__(self, rows: Ints | Flags | slice) -> "Rows":
        return Rows(
            self.session[rows], self.element[rows], self.person[rows], self.time[rows],
            self.entry[rows], self.numbers[rows], self.unit,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.numbers)


def read_sessions(path: FilePath, *, back: str | None = BACK) -> Iterator[Sessions]:
    """Yield the sessions of a log, some 100,000 rows at a time.

    The file is CSV, TSV, JSON lines or Parquet, whatever its compression, with a row for each visit
    and the columns session, element, and at will time, person and entry; others are not read. Rows
    of a session follow each other, in the order of time. An element called `back` is a back click;
    with None there are none.

    Raises
    ------
    InputError
        for a file that breaks the format, and for rows that cannot be, with their place.
    OSError
        if the file cannot be read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = path.write_text("session,time,element\\n1,0,a\\n1,4,b\\n1,9,<\\n2,0,b\\n")
    >>> [list(batch) for batch in read_sessions(path)]
    [[('a', 'b', 'a')], [('b',)]]
    """
    choice = _Choice(place(path))
    rows = (_rows(table, choice.names, place(path)) for table in tables(path, choice))
    yield from _sessions(rows, back, place(path))


def sessions_of_frames(frames: Iterable[Any], *, back: str | None = BACK) -> Iterator[Sessions]:
    """Yield the sessions of data frames with the columns of a log, read as if they were one.

    Raises
    ------
    InputError
        as `read_sessions`.
    """
    choice, place = _Choice("data frame"), "data frame"

    def rows() -> Iterator[Rows]:
        number = 0
        for frame in frames:
            columns = {name: frame[name] for name in choice(list(frame.columns))}
            numbers = np.arange(number, number + len(frame))
            number += len(frame)
            yield _rows(Table(columns, numbers, "row"), choice.names, place)

    yield from _sessions(rows(), back, place)


class _Choice:
    """Which columns of a file are read, by their names there."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.names: dict[str, str] = {}

    def __call__(self, names: Sequence[str]) -> Sequence[str]:
        check_names(names, _ROWS, place=self.place)
        written = _ROWS.as_written(names)
        self.names = {
            column.name: name
            for column, name in zip(_ROWS.columns, written.names, strict=True)
            if name in names
        }
        return list(self.names.values())


def _rows(table: Table, names: dict[str, str], place: str) -> Rows:
    size = len(table.numbers)

    def column(name: str) -> Coded:
        if name not in names:
            return Coded(np.full(size, -1), np.empty(0, dtype=object))
        return Coded.of(table.columns[names[name]])

    time = np.zeros(size)
    if "time" in names:
        time = _times(table.columns[names["time"]], lambda row: table.place(place, row))
    return Rows(
        column("session"), column("element"), column("person"), time, column("entry"),
        table.numbers, table.unit,
    )  # fmt: skip


def _times(values: Any, place: Callable[[int], str]) -> Floats:
    import pandas as pd

    texts = pd.Series(values)
    if isinstance(texts.dtype, pd.CategoricalDtype):
        own = _times(
            texts.cat.categories, lambda row: place(int(np.argmax(texts.cat.codes == row)))
        )
        return own[texts.cat.codes.to_numpy()]
    if isinstance(texts.dtype, pd.DatetimeTZDtype) or texts.dtype.kind == "M":
        return np.asarray(texts.astype("int64"), dtype=np.float64)
    numbers = np.asarray(pd.to_numeric(texts, errors="coerce"), dtype=np.float64)
    if np.isfinite(numbers).all():
        return numbers
    moments = pd.to_datetime(texts, errors="coerce", format="ISO8601", utc=True)
    wrong = np.flatnonzero(moments.isna() & ~np.isfinite(numbers))
    if not len(wrong) and not np.isfinite(numbers).any():
        return np.asarray(moments.astype("int64"), dtype=np.float64)
    row = int(wrong[0]) if len(wrong) else int(np.flatnonzero(~np.isfinite(numbers))[0])
    rule = "be a number, or a time as 2024-05-31T13:45:00Z, all alike"
    raise InputError("time", texts[row], rule, remedy="correct the row", place=place(row))


def _sessions(batches: Iterable[Rows], back: str | None, place: str) -> Iterator[Sessions]:
    """Yield sessions whose rows come one after the other."""
    rest: Rows | None = None
    met = set[str]()
    for rows in batches:
        rows = rows if rest is None else _together(rest, rows)
        changes = np.flatnonzero(np.diff(rows.session.codes)) + 1
        cut = int(changes[-1]) if len(changes) else 0
        if cut:
            yield _made(rows[:cut], back, met, place)
        rest = rows[cut:]
    if rest is not None and len(rest):
        yield _made(rest, back, met, place)


def _together(first: Rows, second: Rows) -> Rows:
    session, element, person, entry = (
        joined([getattr(rows, name).used() for rows in (first, second)])
        for name in ("session", "element", "person", "entry")
    )
    return Rows(
        session, element, person, np.concatenate([first.time, second.time]), entry,
        np.concatenate([first.numbers, second.numbers]), second.unit,
    )  # fmt: skip


def _made(rows: Rows, back: str | None, met: set[str], where: str) -> Sessions:
    """Return checked rows as sessions, back clicks followed."""

    def refuse(wrong: Flags, thing: str, value: Any, rule: str, remedy: str) -> None:
        if wrong.any():
            row = int(np.argmax(wrong))
            at = f"{where}, {rows.unit} {rows.numbers[row]}"
            raise InputError(thing, value(row), rule, remedy=remedy, place=at)

    for name in ("session", "element"):
        coded: Coded = getattr(rows, name)
        bad = np.array([not isinstance(text, str) or not text for text in coded.names] + [True])
        refuse(
            bad[coded.codes], name, lambda row, coded=coded: [*coded.names, None][coded.codes[row]],
            "be a text that is not empty", "name it or leave the row out",
        )  # fmt: skip
    is_first = np.append(True, np.diff(rows.session.codes) != 0)
    starts = np.append(np.flatnonzero(is_first), len(rows))
    names = rows.session.names[rows.session.codes[starts[:-1]]].tolist()
    for run, name in enumerate(names):
        if name in met:
            wrong = np.arange(len(rows)) == starts[run]
            refuse(
                wrong, "session", lambda _, name=name: name, "stand in rows that follow each other",
                "sort the log by session and time",
            )  # fmt: skip
        met.add(name)
    backwards = np.append(False, np.diff(rows.time) < 0) & ~is_first
    refuse(
        backwards, "time", lambda row: float(rows.time[row]),
        "not be before that of the row before it in the session",
        "sort the log by session and time",
    )  # fmt: skip
    is_back = rows.element.codes == rows.element.code(back)
    is_entry = is_first | _begins(rows.entry)
    refuse(
        depths(is_entry, is_back) < 1, "back click", lambda _: back, "lead to an element before it",
        "leave it out",
    )  # fmt: skip
    element = replace(rows.element, codes=led_to(rows.element.codes, is_entry, is_back)).used()
    person = rows.person[starts[:-1]].used()
    return Sessions(
        tuple(element.names.tolist()), element.codes, starts, is_entry, is_back,
        tuple(person.names.tolist()), person.codes, np.zeros(len(names), dtype=np.bool_),
    )  # fmt: skip


def _begins(entry: Coded) -> Flags:
    """Return which rows begin a path, besides the first of each session."""
    flags = {"true": True, "1": True, "false": False, "0": False, "": False}
    texts = [str(name).lower() for name in entry.names]
    if set(texts) <= set(flags):
        return np.array([flags[text] for text in texts] + [False])[entry.codes]
    return np.append(True, np.diff(entry.codes) != 0)
