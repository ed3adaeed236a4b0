"""Results that are data frames: columns shown in their forms, and what is said of them.

Columns are a data frame, or a mapping of names to values where pandas would take longer to load
than the work. A value with an interval is three columns: x, x_low and x_high.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from prum.experiments.frame.numbers import shown
from prum.experiments.frame.result import Result
from prum.experiments.frame.view import Column, Table, View, interval

if TYPE_CHECKING:
    import pandas as pd

# Named columns of equal length: a data frame, or a mapping.
Columns = Any


def frame_table(
    label: str,
    columns: Columns,
    forms: Mapping[str, str | Sequence[str] | Callable[[Any], str]],
    *,
    names: Mapping[str, str] = {},
    parts: str = "",
    **more: Any,
) -> Table:
    """Return a table of the columns that `forms` names, each value in its format.

    Parameters
    ----------
    label
        Its heading.
    columns
        A data frame, or a mapping of names to values.
    forms
        A format specification by column, or what makes its texts. "x ±" is the columns x and half
        its interval, up to x_high; "x to" is x with the ends of its interval; "x and ±" is x with
        half its interval where there is one, and takes a form for each row as well. Columns of
        texts, and those whose form begins with <, stand left; with >, right.
    names
        Headings of columns; by default their names, with blanks.
    parts
        The column at whose changes another part of the table begins.
    more
        As `Table.of` has it.

    >>> roots = {"x": [4.0], "root": [2.0], "root_low": [1.5], "root_high": [2.5]}
    >>> frame_table("Roots", roots, {"x": "<g", "root ±": ".1f", "root to": ".1f"}).lines()
    ['x  root  ± 95 %              root', '4   2.0     0.5  2.0 (1.5 to 2.5)']
    """
    made: list[Column[int]] = []
    for given, form in forms.items():
        name = given.removesuffix(" ±").removesuffix(" and").removesuffix(" to")
        values = _values(columns, name)
        heading = names.get(name, name.replace("_", " "))
        if callable(form):
            made.append(Column(heading, values.__getitem__, form))
            continue
        if given.endswith(" and ±"):
            made.append(_with_half(heading, columns, name, form))
            continue
        form = str(form)
        is_text = any(isinstance(value, str) for value in values)
        left = form.startswith("<") or (is_text and not form.startswith(">"))
        form = form.lstrip("<>")
        if given == name:
            made.append(Column(heading, values.__getitem__, form, left=left))
            continue
        lows, highs = _values(columns, f"{name}_low"), _values(columns, f"{name}_high")
        if given.endswith(" to"):
            texts = [
                interval(_finite(value), _finite(low), _finite(high), form)
                for value, low, high in zip(values, lows, highs, strict=True)
            ]
            made.append(Column(heading, texts.__getitem__, left=left))
            continue
        halves = [
            None if value is None or high is None else high - value
            for value, high in zip(values, highs, strict=True)
        ]
        made += [
            Column(heading, values.__getitem__, form),
            Column("± 95 %", halves.__getitem__, form.lstrip("+")),
        ]
    rows = range(len(_values(columns, next(iter(columns)))))
    part = _values(columns, parts).__getitem__ if parts else lambda _: None
    return Table.of(label, rows, made, parts=part, **more)


def _with_half(
    heading: str, columns: Columns, name: str, forms: str | Sequence[str]
) -> Column[int]:
    """Return the column of values with half their intervals, for which LaTeX has no place."""
    values, lows, highs = (_values(columns, f"{name}{end}") for end in ("", "_low", "_high"))
    forms = [forms] * len(values) if isinstance(forms, str) else forms
    halves = [
        None if _finite(low) is None or _finite(high) is None else (high - low) / 2
        for low, high in zip(lows, highs, strict=True)
    ]
    brief = [shown(value, form) for value, form in zip(values, forms, strict=True)]
    texts = [
        text if half is None else f"{text} ± {shown(half, form.lstrip('+'))}"
        for text, half, form in zip(brief, halves, forms, strict=True)
    ]
    return Column(heading, texts.__getitem__, brief=brief.__getitem__)


def rows_of(columns: Columns) -> list[Any]:
    """Return the rows, whose attributes are the columns.

    >>> [row.x + row.y for row in rows_of({"x": [1, 2], "y": [3, 4]})]
    [4, 6]
    """
    row = _row(*columns)
    values = (_values(columns, name) for name in columns)
    return [row(*own) for own in zip(*values, strict=True)]


@cache
def _row(*columns: str) -> Any:
    """Return the class of rows with these columns, the same each time: equal rows are equal."""
    return make_dataclass("Row", columns, frozen=True, slots=True)


def turned(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return columns of rows that all have the same names.

    >>> turned([{"x": 1, "y": 3}, {"x": 2, "y": 4}])
    {'x': [1, 2], 'y': [3, 4]}
    """
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def columns_of(**estimates: Any) -> dict[str, Any]:
    """Return values with their intervals as columns of a row: x, x_low and x_high.

    >>> columns_of(tau=(0.5, 0.25, 0.75))
    {'tau': 0.5, 'tau_low': 0.25, 'tau_high': 0.75}
    """
    return {
        f"{name}{end}": value
        for name, estimate in estimates.items()
        for end, value in zip(("", "_low", "_high"), estimate, strict=True)
    }


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _values(columns: Columns, name: str) -> list[Any]:
    """Return a column as plain values."""
    values = columns[name]
    return values.tolist() if hasattr(values, "tolist") else list(values)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FrameResult(Result):
    """Named columns, and how people see them.

    Attributes
    ----------
    kind
        The command that makes such results, as "trust".
    frames
        Columns by name; the first are the rows that `to_frame` and CSV have.
    shown
        Headline, tables, figures and notes, or what makes them.
    more
        What JSON has beside the frames.
    status
        The exit status of the command.
    """

    kind: str = ""
    frames: Mapping[str, Columns]
    shown: View | Callable[[], View]
    more: Mapping[str, Any] = field(default_factory=dict)
    status: int = 0
    remarks: tuple[str, ...] = ()

    def view(self) -> View:
        """Return what people see."""
        return self.shown if isinstance(self.shown, View) else self.shown()

    @property
    def headline(self) -> str:
        """The answer in a sentence."""
        return self.view().headline

    def values(self) -> dict[str, Any]:
        """Return the frames as lists of rows, and what is beside them."""
        return {name: records(columns) for name, columns in self.frames.items()} | {**self.more}

    def rows(self, name: str = "") -> list[Any]:
        """Return the rows of a frame of this name, by default the first, columns as attributes."""
        return rows_of(self.frames[name or next(iter(self.frames))])

    def to_frame(self, name: str = "") -> "pd.DataFrame":
        """Return a frame of this name, by default the first, as pandas has it."""
        import pandas as pd

        return pd.DataFrame(self.frames[name or next(iter(self.frames))])


def records(columns: Columns) -> list[dict[str, Any]]:
    """Return rows as mappings of column to value."""
    values = [_values(columns, name) for name in columns]
    return [dict(zip(columns, own, strict=True)) for own in zip(*values, strict=True)]
