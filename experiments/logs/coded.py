"""Texts of rows as numbers, each text once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Flags, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Texts of rows: `names[code]`, or none for the code -1. No name is there twice."""

    codes: Ints
    names: Any  # an array of texts

    @classmethod
    def of(cls, values: Any) -> "Coded":
        """Return values coded; whole numbers become texts, what is null has no code.

        Values that are no texts stay as they are.
        """
        import pandas as pd

        if isinstance(values, pd.Series):
            values = values.array
        if isinstance(values, pd.Categorical):
            codes = values.codes.astype(np.int64)
            names = np.asarray(values.categories, dtype=object)
        else:
            codes, names = pd.factorize(np.asarray(values, dtype=object))
        texts = [_text(name) for name in names.tolist()]
        place, whole = pd.factorize(np.array(texts, dtype=object))
        return cls(np.append(place, -1)[codes].astype(np.int64), whole)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: "Ints | Flags | slice") -> "Coded":
        return Coded(self.codes[rows], self.names)

    def used(self) -> "Coded":
        """Return the same without names that no row has."""
        import pandas as pd

        codes, numbers = pd.factorize(self.codes, use_na_sentinel=True)
        if len(numbers) and (numbers < 0).any():
            hole = int(np.flatnonzero(numbers < 0)[0])
            codes = np.where(codes == hole, -1, codes - (codes > hole))
            numbers = np.delete(numbers, hole)
        return Coded(codes.astype(np.int64), self.names[numbers])

    def code(self, name: str | None) -> int:
        """Return the code of a name, -2 if no row has it."""
        where = np.flatnonzero(self.names == name)
        return int(where[0]) if len(where) else -2


def joined(parts: Sequence[Coded]) -> Coded:
    """Return the rows of several, one after the other."""
    import pandas as pd

    if len(parts) == 1:
        return parts[0]
    place, names = pd.factorize(np.concatenate([part.names for part in parts]))
    offsets = np.cumsum([0, *(len(part.names) for part in parts)])
    codes = [
        np.append(place[begin:end], -1)[part.codes]
        for part, begin, end in zip(parts, offsets[:-1], offsets[1:], strict=True)
    ]
    return Coded(np.concatenate(codes).astype(np.int64), names)


def _text(value: object) -> object:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return str(value) if whole else value
