"""Rows of a log as visits that are not put together yet: the columns, their names, their values."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.logs.events import BROKEN_OFF
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.tables.layout import FileColumn, Layout, RawTable, check_names
from prum.simulator.tables.names import ENTRY, PAGE, PERSON, SESSION, TIME

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Values of rows: `names[code]`, or none for the code -1. No name is there twice."""

    codes: Ints
    names: Any  # an array of Python's objects

    @classmethod
    def of(cls, values: Any) -> "Coded":
        """Return values coded: whole numbers as texts, what is null or "" without a code.

        Other values that are no texts stay as they are, but for lists and the like.

        >>> some = Coded.of(["a", 7, None, "a", ""])
        >>> some.codes.tolist(), some.names.tolist()
        ([0, 1, -1, 0, -1], ['a', '7'])
        """
        import pandas as pd

        values = pd.Series(values, dtype=object).to_numpy()
        try:
            codes, names = pd.factorize(values)
        except TypeError:  # lists and objects of JSON
            hashable = [type(x) if isinstance(x, list | dict) else x for x in values]
            codes, names = pd.factorize(pd.Series(hashable, dtype=object).to_numpy())
        if set(map(type, names)) - {str} or "" in names:
            # The number 7 and the text "7" are one name.
            place, names = pd.factorize(np.array([_text(name) for name in names], dtype=object))
            codes = np.append(place, -1)[codes]
        return cls(codes.astype(np.int64), names)

    @classmethod
    def none(cls, size: int) -> "Coded":
        """Return so many rows without values."""
        return cls(np.full(size, -1), np.empty(0, dtype=object))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: "Ints | Flags | slice") -> "Coded":
        return Coded(self.codes[rows], self.names)

    def used(self) -> "Coded":
        """Return the same without names that no row has, in the order in which rows have them."""
        import pandas as pd

        codes, numbers = pd.factorize(np.where(self.codes < 0, np.nan, self.codes))
        return Coded(codes.astype(np.int64), self.names[numbers.astype(np.int64)])


def joined(parts: Sequence[Coded]) -> Coded:
    """Return the rows of several, one after the other."""
    import pandas as pd

    place, names = pd.factorize(np.concatenate([part.names for part in parts]))
    offsets = np.cumsum([0, *(len(part.names) for part in parts)])
    codes = [
        np.append(place[begin:end], -1)[part.codes]
        for part, begin, end in zip(parts, offsets[:-1], offsets[1:], strict=True)
    ]
    return Coded(np.concatenate(codes).astype(np.int64), names)


def _text(value: object) -> object:
    if isinstance(value, float | np.floating) and value.is_integer():
        value = int(value)  # pandas makes floats of whole numbers where some are missing
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return str(value) if whole else None if value == "" else value


_LARGEST = int(np.finfo(np.float64).max)
PLAIN = Layout(
    what="log",
    columns=(
        FileColumn.of(SESSION),
        FileColumn.of(PAGE),
        FileColumn.of(TIME, optional=True),
        FileColumn.of(PERSON, optional=True),
        FileColumn.of(ENTRY, optional=True),
    ),
    rule="",
    remedy="",
    bounds_in_csv=False,
    others=True,
)
# What tells a log of prum simulate from others, and what is read of it.
_MADE = ("system", "user", "session", "query", "action", "element", "origin")
_ALSO_MADE = ("time", "reason")
NO_STOP, LEFT, BROKEN = range(3)


@dataclass(frozen=True, slots=True, eq=False)
class VisitRows:
    """Rows of a log: visits, and back clicks that have not been followed.

    Parameters
    ----------
    session, element, person, entry
        As they are written; logs that are made say "1" and "0" for entries.
    origin
        From where an element was seen, in logs that are made.
    time
        Numbers in any unit, or moments; 0 where the log has none.
    stop
        0, or for the end of a session in a log that is made 1; 2 if it was broken off.
    number
        Of each row in the file.
    """

    session: Coded
    element: Coded
    person: Coded
    entry: Coded
    origin: Coded
    time: Any
    stop: Ints
    number: Ints

    def __getitem__(self, rows: Ints | Flags | slice) -> "VisitRows":
        some: dict[str, Any] = {
            field.name: getattr(self, field.name)[rows] for field in fields(self)
        }
        return VisitRows(**some)

    def __len__(self) -> int:
        return len(self.number)

    def value(self, column: str, row: int) -> Any:
        """Return what a column holds in a row, "" for nothing."""
        values = getattr(self, column)
        if isinstance(values, Coded):
            return "" if values.codes[row] < 0 else values.names[values.codes[row]]
        time = values[row]
        return str(time) if isinstance(time, np.datetime64) else float(time)

    def and_then(self, other: "VisitRows") -> "VisitRows":
        """Return these rows, and others after them."""
        whole: dict[str, Any] = {}
        for field in fields(self):
            first, second = getattr(self, field.name), getattr(other, field.name)
            is_coded = isinstance(first, Coded)
            parts = [first.used(), second] if is_coded else [first, second]
            whole[field.name] = joined(parts) if is_coded else np.concatenate(parts)
        return VisitRows(**whole)


class LogColumns:
    """Which columns a log has, told by their names."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._written: dict[str, str] = {}
        self._kind = ""  # of times
        self.are_made = False

    def __call__(self, names: Sequence[str], _: str) -> dict[str, bool]:
        """Return the columns to read, each with whether it should be of numbers.

        Raise InputError if one is missing or there twice.
        """
        self.are_made = set(_MADE) <= set(names)
        if self.are_made:
            self._written = {name: name for name in (*_MADE, *_ALSO_MADE) if name in names}
        else:
            check_names(names, PLAIN, place=self.place)
            own = zip(PLAIN.names, PLAIN.as_written(names).names, strict=True)
            self._written = {name: written for name, written in own if written in names}
        return {written: name == "time" for name, written in self._written.items()}

    def of_whole_sessions(self, tables: Iterable[RawTable]) -> Iterator[tuple[VisitRows, str]]:
        """Yield rows of tables with these columns, and what a row is called, by whole sessions.

        Raise InputError for what is no time.
        """
        rest, unit = None, ""
        for table in tables:
            rows, unit = self._rows(table), table.unit
            rows = rows if rest is None else rest.and_then(rows)
            is_whole = _stopped(rows) if self.are_made else _followed(rows)
            if is_whole.any():
                yield rows[is_whole], unit
            rest = rows[~is_whole]
        if rest is not None and len(rest):
            yield rest, unit

    def _rows(self, table: RawTable) -> VisitRows:
        values = {name: table.columns[written] for name, written in self._written.items()}
        size = len(table.numbers)
        texts = {
            name: Coded.of(values[name]) if name in values else Coded.none(size)
            for name in ("session", "element", "person", "entry", "origin")
        }
        time: Any = np.zeros(size)
        if "time" in values and size:
            place = partial(table.place, self.place)
            time = times_of(values["time"], place)
            self._kind = self._kind or time.dtype.kind
            if time.dtype.kind != self._kind:
                raise no_time(time.tolist()[0], place(0))
        stop = np.full(size, NO_STOP)
        rows = VisitRows(**texts, time=time, stop=stop, number=table.numbers)
        return _made(rows, values) if self.are_made else rows


def _followed(rows: VisitRows) -> Flags:
    """Return which rows are of a session that another one follows."""
    changes = np.flatnonzero(np.diff(rows.session.codes))
    return np.arange(len(rows)) <= (changes[-1] if len(changes) else -1)


def _stopped(rows: VisitRows) -> Flags:
    """Return which rows are of a session whose end is there."""
    ended = np.zeros(len(rows.session.names), dtype=np.bool_)
    ended[rows.session.codes[rows.stop > 0]] = True
    return ended[rows.session.codes]


def _made(rows: VisitRows, values: dict[str, Any]) -> VisitRows:
    """Return the visits of a log that is made, and its stops."""
    import pandas as pd

    action = Coded.of(values["action"])
    is_consult, is_see, is_stop = (
        np.append(action.names == name, False)[action.codes] for name in ("consult", "see", "stop")
    )
    reason = Coded.of(values["reason"]) if "reason" in values else Coded.none(len(rows))
    broken = np.append(np.isin(reason.names.astype(str), BROKEN_OFF), False)[reason.codes]
    parts = [Coded.of(values[name]) for name in ("system", "user", "session", "query")]
    codes, keys = pd.factorize(pd.MultiIndex.from_arrays([part.codes for part in parts]))
    names = [[*part.names, None] for part in parts]
    texts = [
        str(tuple(some[code] for some, code in zip(names, key, strict=True)))
        for key in keys.tolist()
    ]
    whole = replace(
        rows,
        session=Coded(codes.astype(np.int64), np.array(texts, dtype=object)),
        person=parts[1],
        entry=Coded(np.where(is_consult, 0, 1), np.array(["1", "0"], dtype=object)),
        stop=np.where(is_stop, np.where(broken, BROKEN, LEFT), NO_STOP),
    )
    # Elements that nobody named lead nowhere, and what is consulted is seen as well.
    return whole[
        ((rows.element.codes >= 0) & (is_consult | (is_see & (rows.origin.codes >= 0)))) | is_stop
    ]


def times_of(values: Any, place: Callable[[int], str]) -> Any:
    """Return times as an array, of numbers or of moments as the first of them is.

    Raise InputError for the first that is neither a finite number nor a time as ISO 8601 has it, or
    not what the first of them is.
    """
    import pandas as pd

    texts = pd.Series(values, dtype=object) if isinstance(values, list) else pd.Series(values)
    if texts.dtype.kind not in "biufM":
        texts = texts.astype(object)
    first = texts[:0] if texts.dtype.kind == "M" else _numbers(texts[:1])
    times: Any
    if np.isfinite(np.asarray(first, dtype=np.float64)).any():
        times = np.asarray(_numbers(texts), dtype=np.float64)
        good = np.isfinite(times)
    else:
        # Numbers are no moments.
        told = texts.map(_unless_number) if texts.dtype == object else texts
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is no moment the error below tells
            moments = pd.to_datetime(told, errors="coerce", format="ISO8601", utc=True)
        times = moments.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
        good = moments.notna().to_numpy()
    if not good.all():
        row = int(np.argmin(good))
        raise no_time(texts.iloc[row], place(row))
    return times


def _numbers(texts: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return texts as numbers, NaN for what is none."""
    import pandas as pd

    try:
        return pd.to_numeric(texts, errors="coerce")
    except OverflowError:  # JSON has whole numbers beyond any float
        return pd.to_numeric(texts.map(_within), errors="coerce")


def _within(value: object) -> object:
    return None if isinstance(value, int) and abs(value) > _LARGEST else value


def _unless_number(value: object) -> object:
    return None if isinstance(value, int | float) else value


def no_time(value: object, place: str) -> InputError:
    """Return the error for what is no time as the others are."""
    rule = "be a finite number, or a time like 2024-05-31T13:45:00, as the others are"
    return InputError("time", value, rule, remedy="correct the row", place=place)
