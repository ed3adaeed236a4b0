"""Columns as they are written, some 100,000 rows at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from prum.simulator.model.arrays import Ints

# Rows that are looked at together.
ROWS_AT_ONCE = 200_000
# Takes names of columns, and their place, to those to read, and whether they should be numbers; or
# raises.
Choice = Callable[[Sequence[str], str], dict[str, bool]]


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """Columns by name, all of the same rows; each row with its number in the file.

    A cell that is empty is "" or null. `typed` says whether cells are numbers where they mean
    numbers, as in JSON and Parquet, and not all of them texts.
    """

    columns: dict[str, Any]
    numbers: Ints
    unit: str
    typed: bool

    def place(self, path: str, row: int) -> str:
        """Return where a row stands."""
        where = f"{self.unit} {self.numbers[row]}"
        return f"{path}, {where}" if path else where
