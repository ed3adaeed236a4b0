"""Rows of a log as visits that are not put together yet: the columns, their names, their values."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.logs.events import BROKEN_OFF, codes_in
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.tables.layout import DataTable, FileColumn, Layout, text_of
from prum.simulator.tables.names import ENTRY, PAGE, PERSON, SESSION, TIME
from prum.simulator.tables.read import as_frame, tables

if TYPE_CHECKING:
    import pandas as pd


def coded(values: Any, size: int) -> "pd.Categorical":
    """Return values, None for so many empty ones, by their names: whole numbers as texts.

    What is null or "" has no name. Other values that are no texts stay as they are, but for lists
    and the like.

    >>> some = coded(["a", 7, None, "a", ""], 5)
    >>> some.codes.tolist(), some.categories.tolist()
    ([0, 1, -1, 0, -1], ['a', '7'])
    """
    import pandas as pd

    if values is None:
        return _coded(np.full(size, -1), np.empty(0, dtype=object))
    values = pd.Series(values, dtype=object).to_numpy()
    try:
        codes, names = pd.factorize(values)
    except TypeError:  # lists and objects of JSON
        hashable = [type(x) if isinstance(x, list | dict) else x for x in values]
        codes, names = pd.factorize(pd.Series(hashable, dtype=object).to_numpy())
    if set(map(type, names)) - {str} or "" in names:
        # The number 7 and the text "7" are one name.
        texts = [None if name == "" else text_of(name) or name for name in names]
        place, names = pd.factorize(np.array(texts, dtype=object))
        codes = np.append(place, -1)[codes]
    return _coded(codes, names)


def _coded(codes: Any, names: Any) -> "pd.Categorical":
    import pandas as pd

    return pd.Categorical.from_codes(codes, pd.Index(names, dtype=object))


def codes(rows: "pd.DataFrame", column: str) -> tuple[Ints, Any]:
    """Return the codes of a column, -1 for none, and what they mean."""
    return codes_in(rows, column), rows[column].cat.categories.to_numpy()


def used(codes: Ints, names: Any) -> tuple[Ints, Any]:
    """Return codes of names that there are, in the order in which these come."""
    import pandas as pd

    codes, numbers = pd.factorize(np.where(codes < 0, np.nan, codes))
    return codes.astype(np.int64), names[numbers.astype(np.int64)]


PLAIN = Layout(
    rows="visits",
    columns=(
        FileColumn(SESSION),
        FileColumn(PAGE),
        FileColumn(TIME, optional=True),
        FileColumn(PERSON, optional=True),
        FileColumn(ENTRY, optional=True),
    ),
)
# What tells a log of prum simulate from others, and what is read of it.
MADE = ("system", "user", "session", "query", "action", "element", "origin")
_ALSO_MADE = ("time", "reason")
NO_STOP, LEFT, BROKEN = range(3)


NAMED = ("session", "element", "person", "entry", "origin")


@dataclass(frozen=True, slots=True, eq=False)
class LogRows:
    """The rows of a log, in columns.

    Parameters
    ----------
    frame
        Columns session, element, person, entry and origin, as they are written ("1" and "0" for
        entries of logs that are made; where an element was seen from is told by these alone). And
        `time`, numbers in any unit or moments, 0 where there is none; `stop`, whether a session
        ends there, and how; `number`, that in the file.
    are_made
        Whether the log is one of prum simulate or prum generate.
    place, unit
        The log in messages, and what a row of it is called.
    """

    frame: "pd.DataFrame"
    are_made: bool
    place: str
    unit: str

    def __len__(self) -> int:
        return len(self.frame)

    def refuse(self, wrong: Flags, column: str, rule: str, remedy: str, value: Any = None) -> None:
        """Raise for what a column holds in the first row that is wrong, or for a value."""
        if not wrong.any():
            return
        row = int(np.argmax(wrong))
        place = f"{self.place}, {self.unit} {self.frame['number'].iloc[row]}"
        if value is None:
            value = self.frame[column].iloc[row]
        if hasattr(value, "isoformat"):
            value = value.isoformat()
        elif isinstance(value, float) and value != value:
            value = ""
        raise InputError(column, value, rule, remedy=remedy, place=place)


def rows_of_log(source: Any, place: str) -> Iterator[LogRows]:
    """Yield the rows of a log, told by the names of its columns, some whole sessions at a time.

    Those of a log that is made, whose sessions overlap, come all at once.

    Raise InputError if a column is missing or there twice, and for what is no time.
    """
    import pandas as pd

    written: dict[str, str] = {}

    def choice(names: Sequence[str], _: str) -> list[str]:
        if set(MADE) <= set(names):
            written.update({name: name for name in (*MADE, *_ALSO_MADE) if name in names})
        else:
            columns = PLAIN.of(names, place)
            written.update({x.name: name for x, name in columns.items() if name is not None})
        return list(written.values())

    parts, kinds = list["pd.DataFrame"](), ""
    parts_read: Iterable[DataTable]
    if isinstance(source, str | os.PathLike):
        parts_read = tables(source, choice)
    else:
        frame = as_frame(source)
        frames = {name: frame[name] for name in choice(list(frame.columns), "")}
        parts_read = [DataTable(frames, np.arange(len(frame)), origin=place)]
    for table in parts_read:
        unit, size, are_made = table.unit, len(table), set(MADE) <= set(written)
        values = {name: table.columns[column] for name, column in written.items()}
        time: Any = np.zeros(size)
        if "time" in values and size:
            time = times_of(values["time"], table.place)
            kinds = kinds or time.dtype.kind
            if time.dtype.kind != kinds:
                raise no_time(time.tolist()[0], table.place(0))
        part: dict[str, Any] = {name: coded(values.get(name), size) for name in NAMED}
        part |= {
            "time": time,
            "stop": np.zeros(size, dtype=np.int8),
            "number": np.array(table.numbers),
        }
        rows = pd.DataFrame(_made(part, values) if are_made else part, copy=False)
        del part, table, values
        ends = np.flatnonzero(np.diff(rows["session"].cat.codes)) + 1
        if are_made or not len(ends):
            parts.append(rows)
            continue
        yield LogRows(_joined([*parts, rows[: ends[0]]]), False, place, unit)
        yield LogRows(rows[ends[0] : ends[-1]], False, place, unit)
        parts = [_joined([rows[ends[-1] :]])]
    if sum(map(len, parts)):
        yield LogRows(_joined(parts), are_made, place, unit)


def _joined(parts: list["pd.DataFrame"]) -> "pd.DataFrame":
    """Return rows of frames, one after the other."""
    import pandas as pd

    named = {
        name: pd.api.types.union_categoricals([_coded(*used(*codes(part, name))) for part in parts])
        for name in NAMED
    }
    others = {
        name: np.concatenate([part[name] for part in parts]) for name in ("time", "stop", "number")
    }
    return pd.DataFrame(named | others, copy=False)


def _made(rows: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return the visits of a log that is made, and its stops."""
    import pandas as pd

    size = len(rows["number"])
    action = coded(values["action"], size)
    is_consult, is_see, is_stop = (action == name for name in ("consult", "see", "stop"))
    broken = coded(values.get("reason"), size).isin(BROKEN_OFF)
    parts = [coded(values[name], size) for name in ("system", "user", "session", "query")]
    numbers, keys = pd.factorize(pd.MultiIndex.from_arrays([part.codes for part in parts]))
    names = [[*part.categories, None] for part in parts]
    texts = [
        str(tuple(some[code] for some, code in zip(names, key, strict=True)))
        for key in keys.tolist()
    ]
    whole = rows | {
        "session": _coded(numbers, texts),
        "person": parts[1],
        "entry": _coded(np.where(is_consult, 0, 1), ["1", "0"]),
        "stop": np.where(is_stop, np.where(broken, BROKEN, LEFT), NO_STOP).astype(np.int8),
    }
    # Elements that nobody named lead nowhere, and what is consulted is seen as well.
    is_visit = rows["element"].notna() & (is_consult | (is_see & rows["origin"].notna()))
    return {name: column[is_visit | is_stop] for name, column in whole.items()}


def times_of(values: Any, place: Callable[[int], str]) -> Any:
    """Return times as an array, of numbers or of moments as the first of them is.

    Raise InputError for the first that is neither a finite number nor a time as ISO 8601 has it, or
    not what the first of them is.
    """
    import pandas as pd

    cells = pd.Series(values, dtype=object if isinstance(values, list) else None)
    numbers: Any = None
    if cells.dtype.kind != "M":
        cells = cells if cells.dtype.kind in "biuf" else cells.astype(object)
        try:
            numbers = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64)
        except OverflowError:  # JSON has whole numbers beyond any float
            numbers = pd.to_numeric(cells.astype(str), errors="coerce").to_numpy(dtype=np.float64)
    times: Any
    if numbers is not None and np.isfinite(numbers[0]):
        times, good = numbers, np.isfinite(numbers)
    else:
        if cells.dtype == object:  # numbers are no moments
            cells = cells.mask(np.isfinite(numbers))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is no moment the error below tells
            moments = pd.to_datetime(cells, errors="coerce", format="ISO8601", utc=True)
        times = moments.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
        good = moments.notna().to_numpy()
    if not good.all():
        row = int(np.argmin(good))
        raise no_time(pd.Series(values, dtype=object).iloc[row], place(row))
    return times


def no_time(value: object, place: str) -> InputError:
    """Return the error for what is no time as the others are."""
    rule = "be a finite number, or a time like 2024-05-31T13:45:00, as the others are"
    return InputError("time", value, rule, remedy="correct the row", place=place)
