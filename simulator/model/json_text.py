"""JSON as plain data, without what would be lost or could not be written."""

import json
import re
from collections.abc import Iterable
from typing import Any

from prum.simulator.model.errors import repeated

# Half of a pair of surrogates may be written so; in UTF-8 it can't stand.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def json_value(text: str) -> Any:
    """Return the value that a text in JSON is.

    Raise ValueError for other text, for a key that an object has twice, of which one value would be
    lost, and for half of a character, which no file can hold; its message says which. Raise
    RecursionError for lists and objects that are nested too deep.

    >>> json_value('{"a": [1, null]}')
    {'a': [1, None]}
    >>> json_value('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: the key 'a' stands twice
    """
    value = json.loads(text, object_pairs_hook=_each_once)
    if _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("it holds half of a surrogate pair") from None
    return value


def _each_once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    listed = list(pairs)
    content = dict(listed)
    if len(content) < len(listed):
        twice = repeated(key for key, _ in listed)
        raise ValueError(f"the key {twice!r} stands twice")
    return content
