"""Text that UTF-8 can hold, and JSON."""

import json
from collections.abc import Callable
from typing import Any


def json_text(content: Any, default: Callable[[Any], Any] | None = None) -> str:
    """Return content as the text of a JSON file; `default` takes what JSON has not to what it has.

    >>> json_text({"name": "\\ud800"})
    '{\\n "name": "\\\\ud800"\\n}\\n'
    """
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False, default=default)
    return encodable(text) + "\n"


def encodable(text: str) -> str:
    """Return text with halves of surrogate pairs, as an id or a file's name may hold, escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
