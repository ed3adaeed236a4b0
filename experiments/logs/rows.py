"""Rows of a log as visits that are not put together yet: the columns, their names, their values."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.logs.events import BROKEN_OFF, codes_in
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.tables.layout import FileColumn, Layout, RawTable, check_names
from prum.simulator.tables.names import (
    ELEMENT,
    ENTRY,
    GRADE,
    PAGE,
    PERSON,
    RANK,
    SCORE,
    SESSION,
    TIME,
    TOPIC,
    column_of,
)

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
        place, names = pd.factorize(np.array([_text(name) for name in names], dtype=object))
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


def _joined(first: "pd.DataFrame", second: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rows of two frames, one after the other."""
    import pandas as pd

    parts = dict[str, Any]()
    for name in map(str, first.columns):
        if name not in NAMED:
            parts[name] = np.concatenate([first[name], second[name]])
            continue
        (codes_before, names_before), own = used(*codes(first, name)), codes(second, name)
        place, names = pd.factorize(np.concatenate([names_before, own[1]]))
        size = len(names_before)
        before, after = np.append(place[:size], -1), np.append(place[size:], -1)
        parts[name] = _coded(np.concatenate([before[codes_before], after[own[0]]]), names)
    return pd.DataFrame(parts)


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
    others=True,
)
# What tells a log of prum simulate from others, and what is read of it.
MADE = ("system", "user", "session", "query", "action", "element", "origin")
_ALSO_MADE = ("time", "reason")
NO_STOP, LEFT, BROKEN = range(3)


# Columns of a frame of rows: as they are written (logs that are made say "1" and "0" for entries;
# `origin`, from where an element was seen, is theirs alone). Besides `time`, numbers in any unit or
# moments, 0 where there is none; `stop`, one of the three above; and `number`, that in the file.
NAMED = ("session", "element", "person", "entry", "origin")


_NEEDED = {"session": SESSION, "element": PAGE}
# Other tables that are given for logs, by the columns that tell them.
_OTHERS = {
    "judgements": (TOPIC, ELEMENT, GRADE[:4]),
    "a run": (TOPIC, ELEMENT, (*SCORE, *RANK)),
    "links": (("source",), ("target",)),
}


def _no_log(names: Sequence[str], missing: Sequence[str], place: str) -> InputError:
    """Return the error for a table that is no log: what it looks like, and what is missing."""
    likely = next(
        (kind for kind, roles in _OTHERS.items() if all(column_of(names, x) for x in roles)),
        "a table",
    )
    rule = f"have a column {' and a column '.join(missing)}"
    remedy = "name the columns so, or see docs/reference/logs.md for other formats"
    value = f"{likely} with the columns {', '.join(names)}"
    return InputError("log", value, rule, remedy=remedy, place=place)


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
        self.are_made = set(MADE) <= set(names)
        if self.are_made:
            self._written = {name: name for name in (*MADE, *_ALSO_MADE) if name in names}
        else:
            missing = [name for name in _NEEDED if column_of(names, _NEEDED[name]) is None]
            if missing and ";" not in "".join(names):
                raise _no_log(names, missing, self.place)
            check_names(names, PLAIN, place=self.place)
            own = zip(PLAIN.names, PLAIN.as_written(names).names, strict=True)
            self._written = {name: written for name, written in own if written in names}
        return {written: name == "time" for name, written in self._written.items()}

    def of_whole_sessions(self, tables: Iterable[RawTable]) -> Iterator[tuple["pd.DataFrame", str]]:
        """Yield rows of tables with these columns, and what a row is called, by whole sessions.

        Raise InputError for what is no time.
        """
        rest, unit = None, ""
        for table in tables:
            rows, unit = self._rows(table), table.unit
            rows = rows if rest is None else _joined(rest, rows)
            is_whole = _stopped(rows) if self.are_made else _followed(rows)
            if is_whole.any():
                yield rows[is_whole], unit
            rest = rows[~is_whole]
        if rest is not None and len(rest):
            yield rest, unit

    def _rows(self, table: RawTable) -> "pd.DataFrame":
        import pandas as pd

        values = {name: table.columns[written] for name, written in self._written.items()}
        size = len(table.numbers)
        named = {name: coded(values.get(name), size) for name in NAMED}
        time: Any = np.zeros(size)
        if "time" in values and size:
            place = partial(table.place, self.place)
            time = times_of(values["time"], place)
            self._kind = self._kind or time.dtype.kind
            if time.dtype.kind != self._kind:
                raise no_time(time.tolist()[0], place(0))
        rows = pd.DataFrame({**named, "time": time, "stop": NO_STOP, "number": table.numbers})
        return _made(rows, values) if self.are_made else rows


def _followed(rows: "pd.DataFrame") -> Flags:
    """Return which rows are of a session that another one follows."""
    changes = np.flatnonzero(np.diff(codes(rows, "session")[0]))
    return np.arange(len(rows)) <= (changes[-1] if len(changes) else -1)


def _stopped(rows: "pd.DataFrame") -> Flags:
    """Return which rows are of a session whose end is there."""
    session, names = codes(rows, "session")
    ended = np.zeros(len(names), dtype=np.bool_)
    ended[session[rows["stop"] > NO_STOP]] = True
    return ended[session]


def _made(rows: "pd.DataFrame", values: dict[str, Any]) -> "pd.DataFrame":
    """Return the visits of a log that is made, and its stops."""
    import pandas as pd

    action = coded(values["action"], len(rows))
    is_consult, is_see, is_stop = (action == name for name in ("consult", "see", "stop"))
    broken = coded(values.get("reason"), len(rows)).isin(BROKEN_OFF)
    parts = [coded(values[name], len(rows)) for name in ("system", "user", "session", "query")]
    numbers, keys = pd.factorize(pd.MultiIndex.from_arrays([part.codes for part in parts]))
    names = [[*part.categories, None] for part in parts]
    texts = [
        str(tuple(some[code] for some, code in zip(names, key, strict=True)))
        for key in keys.tolist()
    ]
    whole = rows.assign(
        session=_coded(numbers, texts),
        person=parts[1],
        entry=_coded(np.where(is_consult, 0, 1), ["1", "0"]),
        stop=np.where(is_stop, np.where(broken, BROKEN, LEFT), NO_STOP),
    )
    # Elements that nobody named lead nowhere, and what is consulted is seen as well.
    is_visit = rows["element"].notna() & (is_consult | (is_see & rows["origin"].notna()))
    return whole[is_visit | is_stop]


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
        plain_texts = texts.map(_unless_number) if texts.dtype == object else texts
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is no moment the error below tells
            moments = pd.to_datetime(plain_texts, errors="coerce", format="ISO8601", utc=True)
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
