"""Columns of rows, and numbers with their intervals."""

import math
from operator import attrgetter
from typing import Any

from prum.experiments.frame.view import Column
from prum.experiments.statistics.intervals import Interval


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
