"""Numbers in the place of names, and the rows of tables that belong to them."""

from collections.abc import Iterable, Mapping

import numpy as np

from prum.simulator.model import Links
from prum.simulator.model.arrays import Ints


def codes_of(names: Iterable[object], code: Mapping[str, int]) -> Ints:
    """Return the number of each name, -1 for one that has none.

    >>> codes_of(["b", "z"], {"a": 0, "b": 1}).tolist()
    [1, -1]
    """
    return np.array([code.get(name, -1) for name in names], dtype=np.int64)  # type: ignore[call-overload]


def places_in(keys: Ints, wanted: Ints) -> Ints:
    """Return the places of what is wanted among sorted keys, -1 where it is none of them.

    >>> places_in(np.array([3, 5]), np.array([5, 4])).tolist()
    [1, -1]
    """
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: Ints = np.where(keys[place] == wanted, place, -1)
    return found


def rows_of(links: Links, sources: Ints, targets: Ints) -> Ints:
    """Return the row of each pair of numbers of `links.elements`, -1 where there is none.

    Numbers beyond those of the elements, and -1, have no rows.

    >>> links = Links({("a", "b"): 1, ("b", "a"): 1})
    >>> rows_of(links, np.array([1, 0, 0]), np.array([0, 0, -1])).tolist()
    [1, -1, -1]
    """
    size = len(links.elements)
    known = (np.minimum(sources, targets) >= 0) & (np.maximum(sources, targets) < size)
    keys = links.sources.astype(np.int64) * size + links.targets
    rows: Ints = np.where(known, places_in(keys, sources * size + targets), -1)
    return rows


def expanded(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Return (k, row) for each row of each ``low[k] <= row < high[k]``.

    >>> [part.tolist() for part in expanded(np.array([4, 0]), np.array([6, 1]))]
    [[0, 0, 1], [4, 5, 0]]
    """
    sizes = high - low
    place = np.repeat(np.arange(len(low)), sizes)
    within = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place, low[place] + within
