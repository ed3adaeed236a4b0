"""Rows of a log as visits that are not put together yet: the columns, their names, their values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.logs.coded import Coded, joined
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.tables.layout import FileColumn, Layout, check_names
from prum.simulator.tables.names import ENTRY, PAGE, PERSON, SESSION, TIME
from prum.simulator.tables.raw import RawTable

if TYPE_CHECKING:
    import pandas as pd

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
# People who stop for these reasons were in the middle of an element, and had no turn to go on.
BROKEN_OFF = ("found", "budget", "patience")
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
        self._place = place
        self._written: dict[str, str] = {}
        self._kind = ""  # of times
        self.are_made = False

    def __call__(self, names: Sequence[str], _: str) -> dict[str, bool]:
        """Return the columns to read, each with whether it should be of numbers.

        Raises
        ------
        InputError
            if one is missing or there twice.
        """
        self.are_made = set(_MADE) <= set(names)
        if self.are_made:
            self._written = {name: name for name in (*_MADE, *_ALSO_MADE) if name in names}
        else:
            check_names(names, PLAIN, place=self._place)
            own = zip(PLAIN.names, PLAIN.as_written(names).names, strict=True)
            self._written = {name: written for name, written in own if written in names}
        return {written: name == "time" for name, written in self._written.items()}

    def rows(self, table: RawTable) -> VisitRows:
        """Return the rows of a table with these columns.

        Raises
        ------
        InputError
            for what is no time.
        """
        values = {name: table.columns[written] for name, written in self._written.items()}
        size = len(table.numbers)
        texts = {
            name: Coded.of(values[name]) if name in values else Coded.none(size)
            for name in ("session", "element", "person", "entry", "origin")
        }
        time: Any = np.zeros(size)
        if "time" in values and size:
            time = times_of(values["time"], lambda row: table.place(self._place, row))
            self._kind = self._kind or time.dtype.kind
            if time.dtype.kind != self._kind:
                raise no_time(time.tolist()[0], table.place(self._place, 0))
        stop = np.full(size, NO_STOP)
        rows = VisitRows(**texts, time=time, stop=stop, number=table.numbers)
        return _made(rows, values) if self.are_made else rows


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

    Raises
    ------
    InputError
        for the first that is neither a finite number nor a time as ISO 8601 has it, or not what
        the first of them is.
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
