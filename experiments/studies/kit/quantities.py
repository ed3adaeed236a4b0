"""Quantities with their intervals: in rows, one each, in columns, and tables of them."""

import math
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from prum.experiments.statistics.intervals import Interval
from prum.simulator.model.errors import InputError


def finite(value: float | Interval | None) -> tuple[float | None, float | None, float | None]:
    """Return a number and the ends of its interval, None for each that is not finite.

    >>> finite(0.5), finite((0.5, 0.25, math.nan))
    ((0.5, None, None), (0.5, 0.25, None))
    """
    first, low, high = value if isinstance(value, tuple) else (value, None, None)
    return _finite(first), _finite(low), _finite(high)


def _finite(number: float | None) -> float | None:
    return float(number) if number is not None and math.isfinite(number) else None


def quantity(number: float | Interval, **what: Any) -> dict[str, Any]:
    """Return a row of a number: what it is, then value, low and high; None is what is not finite.

    >>> quantity((0.5, 0.25, math.nan), of="tau")
    {'of': 'tau', 'value': 0.5, 'low': 0.25, 'high': None}
    """
    return what | dict(zip(("value", "low", "high"), finite(number), strict=True))


def check_number(
    thing: str, number: int, *, least: int = 2, remedy: str = "give more", place: str = ""
) -> None:
    """Raise InputError for fewer things than a study needs."""
    if number < least:
        rule = f"be at least {least}"
        raise InputError(f"number of {thing}", number, rule, remedy=remedy, place=place)


def wide(
    rows: Sequence[Any], lines: Sequence[str], across: str | Callable[[Any], str]
) -> dict[str, list[Any]]:
    """Return columns of quantities: what lines are of, and x, x_low and x_high for each x.

    Each row is a cell: its line has its values of `lines`, and x is its value of `across`. Lines
    and columns stand as they come first; where there is no row stands None.

    >>> from types import SimpleNamespace
    >>> rows = [SimpleNamespace(**quantity(k, of="coin", n=f"{k}")) for k in (1, 2)]
    >>> {name: values for name, values in wide(rows, ["of"], "n").items() if "_" not in name}
    {'of': ['coin'], '1': [1.0], '2': [2.0]}
    """
    name_of = attrgetter(across) if isinstance(across, str) else across
    cells: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        line = tuple(getattr(row, name) for name in lines)
        cells.setdefault(line, {})[name_of(row)] = row
    columns = {name: [line[place] for line in cells] for place, name in enumerate(lines)}
    for name in dict.fromkeys(map(name_of, rows)):
        for end, part in (("", "value"), ("_low", "low"), ("_high", "high")):
            columns[f"{name}{end}"] = [getattr(of.get(name), part, None) for of in cells.values()]
    return columns
