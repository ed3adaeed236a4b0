"""What the columns of a kind of table are called, and what their cells may hold."""

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.model.errors import InputError, real
from prum.simulator.tables.names import column_of

_MOST_NAMED = 3
_HALVES = re.compile("[\ud800-\udfff]")
_LARGEST = sys.float_info.max


@dataclass(frozen=True)
class FileColumn:
    """A column of ids, of texts, of numbers from `least` to `most`, or of what a function parses.

    Ids are texts that are not empty, or whole numbers; flags are 0 or 1 in CSV.
    Of several of its `names` that a table has the first counts. A nullable column may be empty in
    places, an optional one missing; so may one where a column of another name (`unless`) stands,
    else `lacking` is the remedy. A function returns None for a cell that means nothing.
    """

    names: tuple[str, ...]
    kind: Literal["id", "text", "number", "whole", "flag"] | Callable[[Any], Any] = "id"
    least: float = 0.0
    most: float = _LARGEST
    nullable: bool = False
    optional: bool = False
    unless: tuple[str, ...] = ()
    lacking: str = ""
    rule: str = ""
    remedy: str = "correct the row"

    @property
    def name(self) -> str:
        """What the column is called here."""
        return self.names[0]

    @property
    def is_dense(self) -> bool:
        """Whether it holds a number in each row."""
        return self.kind in ("number", "whole", "flag") and not (
            self.nullable or self.optional or self.unless
        )

    def refused(self, name: str, cell: Any, place: str) -> InputError:
        """Return the error for a cell of the column, which a table calls `name`."""
        if hasattr(cell, "__len__") and not isinstance(cell, str | bytes):
            cell = "an object or a list"  # may be nested too deep to show
        cell = None if cell != "" and is_missing(cell) else cell
        rule = f"be a finite number{' of at least 0' * (self.least == 0)}"
        if self.rule:
            rule = self.rule
        elif self.kind in ("id", "text"):
            rule = "be a text that is not empty, or a whole number"
        elif self.kind == "flag":
            rule = "be true or false"
        elif self.kind == "whole":
            rule = f"be a whole number from {self.least:.0f} to {self.most:.0f}"
        elif self.most < _LARGEST:
            rule = f"be a number in [{self.least:g}, {self.most:g}]"
        return InputError(name, cell, rule, remedy=self.remedy, place=place)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The columns of a kind of table, whose `rows` are called so.

    Other columns are left out, "kept" as they are, or all read as a `rest` is, which each row has.
    Rows differ in the columns `once`.
    """

    rows: str
    columns: tuple[FileColumn, ...]
    rest: FileColumn | Literal["left out", "kept", "refused"] = "left out"
    once: tuple[str, ...] = ()

    def of(self, names: Sequence[str], place: str) -> dict[FileColumn, str | None]:
        """Return what a table with these names calls each column, None where it is not there.

        Raise InputError unless the names are different, and all are there that must be.
        """
        written = {column: column_of(names, column.names) for column in self.columns}
        missing = [
            column
            for column, name in written.items()
            if name is None and not (column.optional or column_of(names, column.unless))
        ]
        others = [name for name in names if name not in written.values()]
        if missing or len(set(names)) < len(names) or (self.rest == "refused" and others):
            raise self._wrong_names(names, missing, place)
        if isinstance(self.rest, FileColumn):
            written |= {replace(self.rest, names=(name,)): name for name in others}
        return written

    def _wrong_names(
        self, names: Sequence[str], missing: Sequence[FileColumn], place: str
    ) -> InputError:
        needed, optional = (
            ", ".join(
                " or ".join(x.names[:_MOST_NAMED]) for x in self.columns if x.optional == is_so
            )
            for is_so in (False, True)
        )
        rule = f"be {needed} in any order" + f", optionally {optional}" * bool(optional)
        remedy = "name these columns, each once"
        if len(missing) == 1 and missing[0].lacking:
            remedy = missing[0].lacking
        if any(";" in name for name in names):
            remedy = "separate columns by commas, not semicolons"
        if len(names) == 1 and (looks := seen_in(names[0].encode())):
            remedy = f"this looks like {looks}, not a table of {self.rows}"
        thing = "wrong column names: the row of names"
        return InputError(thing, ", ".join(names), rule, remedy=remedy, place=place)


def seen_in(line: bytes) -> str:
    """Return the form that a first line shows, as messages name it; nothing for an unknown one.

    >>> seen_in(b'{"q1": {"a": 1}}'), seen_in(b"q1 Q0 a 1 0.5 bm25"), seen_in(b"Dear all,")
    ('JSON, a mapping of queries', 'a run', '')
    """
    return next((form for form, begins in _SHOWN.items() if begins.match(line)), "")


_SHOWN = {
    "Parquet": re.compile(rb"PAR1"),
    "XML": re.compile(rb"<[?!a-zA-Z]"),
    "JSON, a mapping of queries": re.compile(rb"\{\s*$|\{\s*\"[^\"]*\"\s*:\s*\{"),
    "lines of JSON": re.compile(rb"\{.*\}$"),
    "JSON, a list": re.compile(rb"\["),
    "a run": re.compile(rb"\S+\s+Q0\s+\S+\s+\S+\s+\S+\s+\S+"),
    "qrels": re.compile(rb"\S+\s+(0|Q0)\s+\S+\s+[-+0-9.]+$"),
    "CSV": re.compile(rb"[^,\s]+(,[^,\s]+)+$"),
}


# Takes names of columns, and their place, to those to read; or raises.
Choice = Callable[[Sequence[str], str], Iterable[str]]


@dataclass(frozen=True, slots=True, eq=False)
class DataTable:
    """Columns by name, all of the same rows; each row with its number in the file, or from 1.

    Messages name the `origin`, and a `unit`, line or row; without an origin, what `rows` are.
    `typed` says whether cells are numbers where they mean numbers, as in JSON and Parquet; else all
    are texts. A cell that is empty is "" or null; one that is read is None.
    """

    columns: dict[str, Any]
    numbers: Sequence[int] | Any
    unit: str = "row"
    typed: bool = True
    origin: str = ""
    rows: str = ""

    def place(self, row: int) -> str:
        """Return where a row stands."""
        where = f"{self.unit} {self.numbers[row]}"
        return f"{self.origin}, {where}" if self.origin else f"{where} of {self.rows}"

    @property
    def lines(self) -> Any:
        """The line of each row in a file of lines, else None."""
        return self.numbers if self.unit == "line" else None

    def __len__(self) -> int:
        return len(self.numbers)


def values_of(column: FileColumn, cells: Any, *, typed: bool) -> tuple[Sequence[Any], Flags]:
    """Return the values of cells, None for empty ones, and which of them the column may hold.

    Cells that are not `typed` are texts, an empty one no value.
    """
    missing, good = np.zeros(len(cells), dtype=np.bool_), np.ones(len(cells), dtype=np.bool_)
    if column.nullable:
        missing[:] = [is_missing(cell) for cell in cells]
    if callable(column.kind):
        # Texts repeat; what JSON holds may be a list.
        of = column.kind if typed else {x: column.kind(x) for x in set(cells)}.__getitem__
        values: Sequence[Any] = list(map(of, cells))
        good[:] = [value is not None for value in values]
    elif column.kind in ("number", "whole", "flag"):
        is_flag = column.kind == "flag"
        numbers = _numbers(cells, is_flag=is_flag) if typed else numbers_of(cells)
        most = 1 if is_flag else column.most
        good = (column.least <= numbers) & (numbers <= most)
        if is_flag or column.kind == "whole":
            good &= numbers == np.floor(numbers)
        values = numbers.tolist()
    elif not typed or (set(map(type, cells)) == {str} and is_unicode("".join(cells))):
        values = cells
    else:
        values = list(map(text_of, cells))
        good[:] = [value is not None for value in values]
    if column.kind == "id" and "" in values:
        good &= [value != "" for value in values]
    if missing.any():
        values = [None if gone else value for value, gone in zip(values, missing, strict=True)]
    return values, good | missing


def _numbers(cells: Sequence[Any], *, is_flag: bool) -> Floats:
    """Return typed cells as numbers, NaN for what is none."""

    def number(cell: Any) -> float:
        if isinstance(cell, bool | np.bool_) != is_flag:
            return math.nan
        return float(cell) if isinstance(cell, Decimal | np.bool_ | bool) else real(cell)

    if not is_flag and set(map(type, cells)) <= {int, float}:
        try:
            return np.array(cells, dtype=np.float64)
        except OverflowError:
            pass
    return np.array(list(map(number, cells)), dtype=np.float64)


# --- cells ---------------------------------------------------------------------------------------


def number_of(text: str) -> float:
    """Return the number that a text is as Python has it; nan if it is not a finite one.

    >>> number_of("-.5e1"), number_of("b"), number_of("inf")
    (-5.0, nan, nan)
    """
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def numbers_of(texts: Sequence[str]) -> Floats:
    """Return the number that each text is, as `number_of` does.

    >>> numbers_of(["2", "b"])
    array([ 2., nan])
    """
    try:
        return np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return np.array(list(map(number_of, texts)), dtype=np.float64)


def is_unicode(text: str) -> bool:
    """Return whether `text` has no half of a surrogate pair, which no file can hold."""
    return text.isascii() or _HALVES.search(text) is None


def is_missing(value: object) -> bool:
    """Return whether a cell is empty, as data frames and CSV have it.

    >>> [is_missing(value) for value in (None, float("nan"), "", 0, "nan")]
    [True, True, True, False, False]
    """
    if isinstance(value, str):
        return not value
    is_nan = isinstance(value, float) and value != value
    return value is None or is_nan or str(value) in ("<NA>", "NaT")


def text_of(value: Any) -> str | None:
    """Return an id as text: whole numbers without a point; None for what is no id.

    >>> [text_of(value) for value in ("7", 7, 7.0, 7.5, True, None)]
    ['7', '7', '7', None, None, None]
    """
    if isinstance(value, str):
        return value if is_unicode(value) else None
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    if isinstance(value, Integral):
        return str(int(value))
    return str(int(float(value))) if float(value).is_integer() else None


def id_of(value: Any, thing: str, place: str) -> str:
    """Return an id as `text_of` does; raise InputError for what is no id, or empty."""
    if text := text_of(value):
        return text
    rule = "be a text that is not empty, or a whole number"
    raise InputError(thing, value, rule, remedy="correct it", place=place)


def once(entries: Mapping[str, object], key: str, thing: str, place: str) -> None:
    """Raise `InputError` if a key is there already."""
    if key in entries:
        raise InputError(thing, key, "be given once", remedy="drop one of its rows", place=place)


def with_ids(by: Mapping[Any, Any], thing: str, place: str) -> Mapping[str, Any]:
    """Return the same mapping, or one whose keys are texts where some are none.

    Raise InputError as `id_of`, or for two keys that are the same text.

    >>> with_ids({1: 0.5, "b": 2}, "element", "run x")
    {'1': 0.5, 'b': 2}
    """
    if set(map(type, by)) <= {str}:
        return by
    named: dict[str, Any] = {}
    for key, value in by.items():
        name = id_of(key, thing, place)
        once(named, name, thing, place)
        named[name] = value
    return named
