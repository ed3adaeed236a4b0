"""Texts of rows as numbers, each text once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Flags, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Values of rows: `names[code]`, or none for the code -1. No name is there twice."""

    codes: Ints
    names: Any  # an array of Python's objects

    @classmethod
    def of(cls, values: Any) -> "Coded":
        """Return values coded: whole numbers as texts, what is null or "" without a code.

        Other values that are no texts stay as they are, but for lists and the like.

        >>> some = Coded.of(["a", 7, None, "a", ""])
        >>> some.codes.tolist(), some.names.tolist()
        ([0, 1, -1, 0, -1], ['a', '7'])
        """
        import pandas as pd

        values = pd.Series(values, dtype=object).to_numpy()
        try:
            codes, names = pd.factorize(values)
        except TypeError:  # lists and objects of JSON
            hashable = [type(x) if isinstance(x, list | dict) else x for x in values]
            codes, names = pd.factorize(pd.Series(hashable, dtype=object).to_numpy())
        if set(map(type, names)) - {str} or "" in names:
            # The number 7 and the text "7" are one name.
            place, names = pd.factorize(np.array([_text(name) for name in names], dtype=object))
            codes = np.append(place, -1)[codes]
        return cls(codes.astype(np.int64), names)

    @classmethod
    def none(cls, size: int) -> "Coded":
        """Return so many rows without values."""
        return cls(np.full(size, -1), np.empty(0, dtype=object))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: "Ints | Flags | slice") -> "Coded":
        return Coded(self.codes[rows], self.names)

    def used(self) -> "Coded":
        """Return the same without names that no row has, in the order in which rows have them."""
        import pandas as pd

        codes, numbers = pd.factorize(np.where(self.codes < 0, np.nan, self.codes))
        return Coded(codes.astype(np.int64), self.names[numbers.astype(np.int64)])


def joined(parts: Sequence[Coded]) -> Coded:
    """Return the rows of several, one after the other."""
    import pandas as pd

    place, names = pd.factorize(np.concatenate([part.names for part in parts]))
    offsets = np.cumsum([0, *(len(part.names) for part in parts)])
    codes = [
        np.append(place[begin:end], -1)[part.codes]
        for part, begin, end in zip(parts, offsets[:-1], offsets[1:], strict=True)
    ]
    return Coded(np.concatenate(codes).astype(np.int64), names)


def _text(value: object) -> object:
    if isinstance(value, float | np.floating) and value.is_integer():
        value = int(value)  # pandas makes floats of whole numbers where some are missing
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return str(value) if whole else None if value == "" else value
