"""Columns of rows; and quantities: numbers with intervals, found by what they are of."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from prum.experiments.frame.view import Column
from prum.experiments.statistics.intervals import Interval


class Quantity(Protocol):
    """A row that holds a number, None if there is none, and may hold the ends of its interval."""

    @property
    def value(self) -> float | None:
        """The number."""


Q = TypeVar("Q", bound=Quantity)
L = TypeVar("L")
# What a line of a table is of: values of rows by column.
Line = Mapping[str, Any]


def known(value: float | Interval | None) -> tuple[float | None, float | None, float | None]:
    """Return a number and the ends of its interval, None for each that is not finite.

    >>> known(0.5), known((0.5, 0.25, math.nan))
    ((0.5, None, None), (0.5, 0.25, None))
    """
    first, low, high = value if isinstance(value, tuple) else (value, None, None)
    return _finite(first), _finite(low), _finite(high)


def triple(name: str, interval: Interval) -> dict[str, Any]:
    """Return a number and the ends of its interval as three fields of a row; NaN is None.

    >>> triple("tau", (0.5, 0.25, math.nan))
    {'tau': 0.5, 'tau_low': 0.25, 'tau_high': None}
    """
    return dict(zip((name, f"{name}_low", f"{name}_high"), known(interval), strict=True))


def _finite(number: float | None) -> float | None:
    return float(number) if number is not None and math.isfinite(number) else None


@dataclass(slots=True)
class QuantityTable(Generic[Q]):
    """Rows, looked up by the columns that say what they are of; `by` names that of the group."""

    rows: list[Q] = field(default_factory=list)
    by: str = "group"

    def of(self, group: str, **what: Any) -> list[Q]:
        """Return the rows of a group with these values."""
        wanted = {self.by: group, **what}
        return [
            row
            for row in self.rows
            if all(getattr(row, name) == own for name, own in wanted.items())
        ]

    def row(self, group: str, **what: Any) -> Q | None:
        """Return the row with these values, if there is one."""
        return next(iter(self.of(group, **what)), None)

    def value(self, group: str, **what: Any) -> float:
        """Return the value of that row, NaN if there is none."""
        row = self.row(group, **what)
        return math.nan if row is None or row.value is None else row.value

    def names(self, group: str, column: str, **what: Any) -> list[str]:
        """Return the values of a column in a group, as they come first, without empty ones."""
        values = dict.fromkeys(getattr(row, column) for row in self.of(group, **what))
        return [name for name in values if name]

    def along(self, group: str, **what: Any) -> Callable[[Line], Q | None]:
        """Return what takes a line to its row that has these values as well."""
        return lambda line: self.row(group, **{**line, **what})


def lines(**values: Iterable[Any]) -> list[Line]:
    """Return lines of every combination of values, those of the last column changing first.

    >>> lines(method=["AP", "PRUM"], quantity=["bias"])
    [{'method': 'AP', 'quantity': 'bias'}, {'method': 'PRUM', 'quantity': 'bias'}]
    """
    return [dict(zip(values, own, strict=True)) for own in product(*values.values())]


def attributes(*texts: str, **forms: str) -> list[Column[Any]]:
    """Return columns of attributes, which name them: texts, then numbers in their forms.

    >>> [column.heading for column in attributes("system", largest_error=".3f")]
    ['system', 'largest error']
    """
    named = {**dict.fromkeys(texts, ""), **forms}
    return [
        Column(name.replace("_", " "), attrgetter(name), form, left=name in texts)
        for name, form in named.items()
    ]


def with_half(
    heading: str, name: str, form: str, *, half: str = "", high: str = ""
) -> list[Column[Any]]:
    """Return the column of an attribute, and that of half its interval, to NAME_high or `high`."""
    value, end = attrgetter(name), attrgetter(high or f"{name}_high")

    def width(row: Any) -> float | None:
        return None if end(row) is None else float(end(row) - value(row))

    return [Column(heading, value, form), Column("± 95 %", width, half or form)]


def text_column(heading: str, column: str) -> Column[Line]:
    """Return the column that says what lines are of."""
    return Column(heading, lambda line: line[column], left=True)


def number_column(heading: str, row: Callable[[L], Quantity | None], form: str) -> Column[L]:
    """Return the column of numbers without intervals."""
    return Column(heading, lambda line: getattr(row(line), "value", None), form)


def interval_column(
    heading: str,
    row: Callable[[L], Quantity | None],
    text: Callable[[L], str],
    ends: Mapping[str, str],
    brief: Callable[[L], str] | None = None,
) -> Column[L]:
    """Return the column of numbers with intervals, which are columns of their own as data.

    `ends` says which attribute of a row stands under the heading and what follows it there.
    """

    def attribute(name: str) -> Callable[[L], float | None]:
        return lambda line: getattr(row(line), name, None)

    data = {f"{heading}{after}": attribute(name) for after, name in {"": "value", **ends}.items()}
    return Column(heading, text, brief=brief, data=data)
