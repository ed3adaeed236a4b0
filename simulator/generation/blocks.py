"""A block: so many consecutive elements of a made structure, which any worker makes by itself."""

from dataclasses import dataclass, field

import numpy as np

from prum.simulator.model.arrays import Floats, Ints

# Elements of a block; the last one may have fewer.
BLOCK = 65_536
# The longest leaf, in words or seconds. The ends of a block of them are exact as floats.
LONGEST = 10**11


def _none() -> Ints:
    return np.empty(0, dtype=np.int64)


def _no_probabilities() -> Floats:
    return np.empty(0)


@dataclass(frozen=True, eq=False, slots=True)
class MadeBlock:
    """Consecutive elements in document order, whole documents or communities; read-only.

    Elements are numbers that count through the collection, -1 is none.

    Parameters
    ----------
    first
        The number of its first element.
    parents
        The parent of each element, -1 for a document and where there are no trees.
    starts, lengths
        Where each element begins, counted from its document's beginning, and how long it is, in
        words or seconds; an inner element is as long as its children together. 0 where there are no
        trees.
    places
        The first element of the document or community that each element belongs to; itself where
        there are neither.
    sources, targets, probabilities
        The links from its elements, sorted by source, then target.
    """

    first: int
    parents: Ints
    starts: Ints
    lengths: Ints
    places: Ints
    sources: Ints = field(default_factory=_none)
    targets: Ints = field(default_factory=_none)
    probabilities: Floats = field(default_factory=_no_probabilities)

    def __post_init__(self) -> None:
        columns = (self.parents, self.starts, self.lengths, self.places)
        for column in (*columns, self.sources, self.targets, self.probabilities):
            column.setflags(write=False)

    def __len__(self) -> int:
        return len(self.parents)


def bounds(elements: int, number: int) -> tuple[int, int]:
    """Return the first element of a block and its number of elements.

    >>> bounds(100_000, 0), bounds(100_000, 1)
    ((0, 65536), (65536, 34464))
    """
    first = number * BLOCK
    return first, min(BLOCK, elements - first)
