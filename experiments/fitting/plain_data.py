"""What was learned as plain data, for files: dataclasses of arrays, and rows of whole numbers."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


def plain(table: Any) -> dict[str, Any]:
    """Return the fields of a dataclass, arrays as lists."""
    named = {field.name: getattr(table, field.name) for field in fields(table)}
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in named.items()
    }


def with_arrays(content: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """Return plain data with arrays of a kind in the place of lists."""
    return {
        name: np.array(value, dtype=kind) if isinstance(value, list) else value
        for name, value in content.items()
    }


def packed(draws: NDArray[np.int16] | None) -> list[str] | None:
    """Return rows of numbers as text."""
    rows = None if draws is None else draws.astype("<i2")
    return None if rows is None else [b64encode(row.tobytes()).decode() for row in rows]


def unpacked(rows: Iterable[str] | None) -> NDArray[np.int16] | None:
    """Return the rows that `packed` made text of."""
    if rows is None:
        return None
    return np.array([np.frombuffer(b64decode(row), "<i2") for row in rows]).astype(np.int16)
