"""Names that were met before, in few bytes each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model.arrays import Flags


class SeenNames:
    """Names that were met, 8 bytes for each.

    What is kept are numbers of 64 bits made of the names: among ten million names two have the
    same number with a chance of 3 in a million.

    >>> met = SeenNames()
    >>> met.again(np.array(["a", "b"], dtype=object)).tolist()
    [False, False]
    >>> met.again(np.array(["c", "a"], dtype=object)).tolist()
    [False, True]
    """

    def __init__(self) -> None:
        # Sorted, each less than half as long as the one before, so that all are few.
        self._parts: list[NDArray[np.uint64]] = []

    def again(self, names: Any) -> Flags:
        """Return which of some names, each there once, were met before; they are now."""
        import pandas as pd

        keys = pd.util.hash_array(np.asarray(names, dtype=object), categorize=False)
        found = np.zeros(len(keys), dtype=np.bool_)
        for part in self._parts:
            place = np.searchsorted(part, keys)
            found |= part[np.minimum(place, len(part) - 1)] == keys
        self._parts.append(np.sort(keys[~found]))
        while len(self._parts) > 1 and 2 * len(self._parts[-1]) >= len(self._parts[-2]):
            self._parts.append(np.sort(np.concatenate([self._parts.pop(), self._parts.pop()])))
        self._parts = [part for part in self._parts if len(part)]
        return found
