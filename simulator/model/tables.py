"""What tables of elements and of links share: equality by content, and the names of their rows."""

import hashlib
from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.task import canonical_json

# Rows that are shown at most, and how many are if there are more.
_MOST_SHOWN, _FEW = 1000, 8
# Rows of which the key's text is made at once.
_PIECE = 1 << 16


class KeyedTable:
    """A table that equals another of its kind if their keys are equal."""

    key: str

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self is other or self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def key_of(num_rows: int, rows: Callable[[slice], Iterable[object]]) -> str:
    """Return the SHA-256 of a table as canonical JSON, made and hashed piece by piece."""
    digest = hashlib.sha256(b"[")
    for begin in range(0, num_rows, _PIECE):
        text = canonical_json(list(rows(slice(begin, begin + _PIECE))))[1:-1]
        digest.update(f",{text}".encode("ascii") if begin else text.encode("ascii"))
    digest.update(b"]")
    return digest.hexdigest()


def shown_rows(rows: Iterable[str], num_rows: int) -> str:
    """Return rows between braces, few of them if they are many."""
    first = list(islice(rows, _MOST_SHOWN))
    if num_rows > len(first):
        first = [*first[:_FEW], f"... {num_rows - _FEW} more"]
    return "{" + ", ".join(first) + "}"


def places(table: str, origin: str, lines: ArrayLike | None) -> Callable[[int], str]:
    """Return what says, for messages, where a row stands: in a file, or in columns."""
    numbers = None if lines is None else np.asarray(lines, dtype=np.int64)

    def place(row: int) -> str:
        where = f"row {row + 1}" if numbers is None else f"line {numbers[row]}"
        return f"{origin}, {where}" if origin else f"{where} of {table}"

    return place
