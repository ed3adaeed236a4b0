"""Numbers as people read them."""

import math
from collections.abc import Mapping
from typing import Any


def number(value: float, digits: int) -> str:
    """Return a number with a typographic minus; a dash for what has no value.

    >>> number(-0.25, 2), number(-1e-9, 2), number(math.nan, 2)
    ('−0.25', '0.00', '–')
    """
    if math.isnan(value):
        return "–"
    text = f"{abs(value):.{digits}f}"
    return f"−{text}" if value < 0 and text.strip("0.") else text


def ratio(value: float, unit: float) -> float:
    """Return how many times the unit a value is; nan if the unit is 0."""
    return value / unit if unit else math.nan


def interval(row: Mapping[str, Any], name: str, digits: int) -> str:
    """Return a value with its interval."""
    low, high = (row.get(f"{name}_{end}", row.get(end)) for end in ("low", "high"))
    ends = " to ".join(number(float(str(end)), digits) for end in (low, high))
    return f"{number(row[name], digits)} ({ends})"
