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
    bad: Sequence[bool] = (),
    legend: Sequence[str] = (),
    detail: bool = False,
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
    bad
        Whether something is wrong with each row.
    legend, detail
        As `Table` has them.

    >>> roots = {"x": [4.0], "root": [2.0], "root_low": [1.5], "root_high": [2.5]}
    >>> frame_table("Roots", roots, {"x": "<g", "root ±": ".1f", "root to": ".1f"}).lines()
    ['x  root  ± 95 %              root', '4   2.0     0.5  2.0 (1.5 to 2.5)']
    """
    cells: list[Column] = []
    for given, form in forms.items():
        name = given.removesuffix(" ±").removesuffix(" and").removesuffix(" to")
        values, ending = _values(columns, name), given.removeprefix(name)
        heading = names.get(name, name.replace("_", " "))
        if callable(form):
            cells.append(Column.of(heading, values, form))
        elif not ending:
            form = str(form)
            is_text = any(isinstance(value, str) for value in values) and form[:1] != ">"
            left = is_text or form.startswith("<")
            cells.append(Column.of(heading, values, form.lstrip("<>"), left=left))
        else:
            lows, highs = _values(columns, f"{name}_low"), _values(columns, f"{name}_high")
            estimates = list(zip(values, lows, highs, strict=True))
            each = [form] * len(values) if isinstance(form, str) else form
            if ending == " and ±":
                cells.append(_with_half(heading, estimates, each))
            elif ending == " to":
                shape = str(form).lstrip("<")
                texts = [
                    interval(_finite(value), _finite(low), _finite(high), shape)
                    for value, low, high in estimates
                ]
                cells.append(Column.of(heading, texts, left=str(form).startswith("<")))
            else:
                halves = [None if None in (x, high) else high - x for x, _, high in estimates]
                cells.append(Column.of(heading, values, str(form)))
                cells.append(Column.of("± 95 %", halves, str(form).lstrip("+")))
    groups = _values(columns, parts) if parts else []
    return Table(
        label,
        tuple(cells),
        starts=frozenset(row for row in range(1, len(groups)) if groups[row] != groups[row - 1]),
        bad=frozenset(row for row, is_bad in enumerate(bad) if is_bad),
        detail=detail,
        legend=tuple(legend),
    )


def _with_half(heading: str, estimates: Sequence[Any], forms: Sequence[str]) -> Column:
    """Return the column of values with half their intervals, for which LaTeX has no place."""
    brief = [shown(value, form) for (value, *_), form in zip(estimates, forms, strict=True)]
    halves = [
        None if None in map(_finite, ends) else (ends[1] - ends[0]) / 2 for _, *ends in estimates
    ]
    texts = [
        text if half is None else f"{text} ± {shown(half, form.lstrip('+'))}"
        for text, half, form in zip(brief, halves, forms, strict=True)
    ]
    return Column.of(heading, texts, brief=tuple(brief))


def rows_of(columns: Columns) -> list[Any]:
    """Return the rows, whose attributes are the columns.

    >>> [row.x + row.y for row in rows_of({"x": [1, 2], "y": [3, 4]})]
    [4, 6]
    """
    row = _row(*columns)
    values = (_values(columns, name) for name in columns)
    return [row(*cells) for cells in zip(*values, strict=True)]


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
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*values, strict=True)]
