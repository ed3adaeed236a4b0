"""Cells of a column as the values that it may hold, and the first that it may not."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from prum.simulator.model.errors import InputError
from prum.simulator.tables.layout import FileColumn

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
# What a column may not hold.
_WRONG = object()


def number_of(text: str) -> float:
    """Return the decimal number that a text is; nan if it is not a number.

    >>> number_of("-.5e1"), number_of("1_0"), number_of("inf")
    (-5.0, nan, nan)
    """
    return float(text) if _NUMBER.fullmatch(text) else math.nan


def is_unicode(text: str) -> bool:
    """Return whether `text` has no half of a surrogate pair, which no file can hold."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    is_whole = isinstance(value, Real) and float(value).is_integer()
    return str(int(float(value))) if is_whole and not isinstance(value, bool) else None


def id_of(value: Any, thing: str, place: str) -> str:
    """Return an id as `text_of` does.

    Raise InputError for what is no id, or empty.

    >>> id_of(7, "topic", "runs")
    '7'
    """
    if text := text_of(value):
        return text
    rule = "be a text that is not empty, or a whole number"
    raise InputError(thing, value, rule, remedy="correct it", place=place)


def once(known: Mapping[str, object], key: str, thing: str, place: str) -> None:
    """Raise `InputError` if a key is there already."""
    if key in known:
        raise InputError(thing, key, "be there once", remedy="drop one of its rows", place=place)


def as_typed(cells: Sequence[str], *, each: bool = False) -> Sequence[Any]:
    """Return texts as a data frame would have them: all as numbers if all are, None where empty.

    With `each`, those that are numbers.

    >>> as_typed(["1", "", "2"]), as_typed([".5", "2"]), as_typed(["1", "b"])
    ([1, None, 2], [0.5, 2.0], ['1', 'b'])
    """
    if each:
        numbers = map(number_of, cells)
        return [
            x if math.isnan(number) else number for x, number in zip(cells, numbers, strict=True)
        ]
    filled = [cell for cell in cells if cell]
    if not filled or any(math.isnan(number_of(cell)) for cell in filled):
        return [cell or None for cell in cells]
    kind = int if all(cell.isdigit() for cell in filled) else float
    return [kind(cell) if cell else None for cell in cells]


def read_cells(
    column: FileColumn, cells: Sequence[Any], *, typed: bool, bounds: bool
) -> tuple[Sequence[Any], int | None]:
    """Return the values of cells, and the first row that has none that the column may hold.

    Cells that are not `typed` are texts, an empty one no value; their numbers count as wrong if
    out of bounds only where these count.
    """
    values: Sequence[Any]
    if typed:
        values = _typed(column, cells)
        wrong = _first(values, lambda value: value is _WRONG)
    else:
        values = list(map(number_of, cells)) if column.number else cells
        if column.nullable:
            values = [value if text else None for value, text in zip(values, cells, strict=True)]
        wrong = None
    if column.number:
        numbers = [0.0 if x is None else math.nan if x is _WRONG else x for x in values]
        other = _first_beyond(np.array(numbers, dtype=np.float64), column, bounds=bounds or typed)
        wrong = other if wrong is None or (other is not None and other < wrong) else wrong
    return values, wrong


def _first(values: Sequence[Any], is_it: Callable[[Any], bool]) -> int | None:
    return next((row for row, value in enumerate(values) if is_it(value)), None)


def _first_beyond(numbers: Any, column: FileColumn, *, bounds: bool) -> int | None:
    """Return the first row whose number is nan, or out of bounds if these count."""
    low, high = (0.0, column.most) if bounds else (-math.inf, math.inf)
    good = (low <= numbers) & (numbers <= high)
    if column.whole or column.flag:
        good &= numbers == np.floor(numbers)
    wrong = np.flatnonzero(~good)
    return int(wrong[0]) if len(wrong) else None


def _typed(column: FileColumn, cells: Sequence[Any]) -> Sequence[Any]:
    """Return cells as values, `_WRONG` for what the column may not hold."""
    kinds = set(map(type, cells))
    if column.number:
        if kinds == {float} and not column.nullable and not column.flag:
            return cells
        values = [_number(cell, is_flag=column.flag) for cell in cells]
    elif column.either:
        values = [cell if isinstance(cell, str) else _either(cell) for cell in cells]
    elif kinds == {str} and is_unicode("".join(cells)):
        return [cell or None for cell in cells] if column.nullable else cells
    else:
        values = [_WRONG if (text := text_of(cell)) is None else text for cell in cells]
    if not column.nullable:
        return values
    return [None if is_missing(cell) else value for cell, value in zip(cells, values, strict=True)]


def _number(cell: Any, *, is_flag: bool) -> Any:
    if isinstance(cell, bool | np.bool_) != is_flag or not isinstance(
        cell, Real | Decimal | np.bool_
    ):
        return _WRONG
    try:
        return float(cell)
    except OverflowError:  # a huge integer
        return _WRONG


def _either(cell: Any) -> Any:
    number = _number(int(cell) if isinstance(cell, bool | np.bool_) else cell, is_flag=False)
    return number if number is not _WRONG and math.isfinite(number) else _WRONG
