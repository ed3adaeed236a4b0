"""Text that UTF-8 can hold, and JSON."""

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def json_text(content: Any) -> str:
    """Return content as the text of a JSON file.

    >>> json_text({"name": "\\ud800"})
    '{\\n "name": "\\\\ud800"\\n}\\n'
    """
    return encodable(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)) + "\n"


def plain(value: Any) -> Any:
    """Return a value as JSON has it: None for NaN and for what is infinite.

    It may be, or hold, mappings, sequences, frozen dataclasses, arrays and numbers of numpy.

    >>> plain({"ends": (np.float64(0.5), math.inf), "counts": np.arange(2)})
    {'ends': [0.5, None], 'counts': [0, 1]}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if dataclasses.is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    return value


def encodable(text: str) -> str:
    """Return text with halves of surrogate pairs, as an id or a file's name may hold, escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
