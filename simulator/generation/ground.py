"""Where elements of a made structure lie: places, leaves, what contains what; blocks made once."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from prum.simulator.generation.blocks import BLOCK, MadeBlock
from prum.simulator.generation.structures import Structure
from prum.simulator.model import Elements
from prum.simulator.model.arrays import Counts, Ints

# Collections whose places are documents.
TREES = ("xml", "video", "chunks")


@dataclass(frozen=True, eq=False, slots=True)
class TreePart:
    """The elements of one document, which count from its first.

    Parameters
    ----------
    first
        The number of the document itself.
    parents
        The parent of each element, -1 of the document; shape (n,).
    starts, lengths
        As in the block; shape (n,).
    """

    first: int
    parents: Counts
    starts: Ints
    lengths: Ints

    @property
    def after(self) -> int:
        """The number after the last element's."""
        return self.first + len(self.parents)

    def above(self, place: int) -> int:
        """Return what an element lies in, -1 if it is the document."""
        return int(self.parents[place])


@dataclass(frozen=True, eq=False, slots=True)
class _Trees:
    """What is kept of a block of trees; its elements count from its first."""

    parents: Counts
    afters: Counts
    starts: Ints
    lengths: Ints


class Ground:
    """A structure to look at in any order: what is needed of a block is kept once it is made.

    This takes up to 24 bytes for each element of trees, and next to nothing for others.

    Parameters
    ----------
    structure
        What is looked at.
    """

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.kind = structure.dials.kind
        self._firsts: dict[int, Ints] = {}
        self._trees: dict[int, _Trees] = {}

    def place(self, element: int) -> tuple[int, int]:
        """Return what `Structure.place` does."""
        if self.kind == "flat":
            return element, element + 1
        number = element // BLOCK
        if number not in self._firsts:
            self._look(number)
        firsts = self._firsts[number]
        position = int(np.searchsorted(firsts, element, side="right"))
        return int(firsts[position - 1]), int(firsts[position])

    def leaves(self, first: int, after: int) -> Ints:
        """Return the elements of a place that contain no others, sorted."""
        if self.kind not in TREES:
            return np.arange(first, after)
        low = first // BLOCK * BLOCK
        afters = self._of_trees(first // BLOCK).afters[first - low : after - low]
        return first + np.flatnonzero(afters == np.arange(first, after) - low + 1)

    def is_leaf(self, element: int) -> bool:
        """Return whether an element contains no other."""
        if self.kind not in TREES:
            return True
        place = element % BLOCK
        return int(self._of_trees(element // BLOCK).afters[place]) == place + 1

    def span(self, document: int) -> TreePart:
        """Return the elements of a document, of which `document` is one."""
        first, after = self.place(document)
        low = first // BLOCK * BLOCK
        trees, within = self._of_trees(first // BLOCK), slice(first - low, after - low)
        parents = np.maximum(trees.parents[within] - np.int32(first - low), np.int32(-1))
        return TreePart(first, parents, trees.starts[within], trees.lengths[within])

    def elements(self, documents: Iterable[int]) -> Elements:
        """Return what `Structure.elements` does of documents, which are sorted."""
        ids, above = list[str](), list[str | None]()
        lengths, starts = [np.empty(0, np.int64)], list[float | None]()
        for document in documents:
            span = self.span(document)
            named = self.structure.names(range(span.first, span.after))
            ids += named
            above += [None if parent < 0 else named[parent] for parent in span.parents.tolist()]
            lengths.append(span.lengths)
            starts += span.starts.tolist()
        return Elements.from_columns(ids, above, np.concatenate(lengths), starts)

    def containers(self, elements: Ints) -> Ints:
        """Return what contains some of the elements, sorted."""
        if self.kind not in TREES:
            return np.empty(0, dtype=np.int64)
        outer = set[int]()
        for element in elements.tolist():
            low = element // BLOCK * BLOCK
            parents = self._of_trees(element // BLOCK).parents
            above = int(parents[element - low])
            while above >= 0 and low + above not in outer:
                outer.add(low + above)
                above = int(parents[above])
        return np.array(sorted(outer), dtype=np.int64)

    def nesting(self, elements: Ints) -> tuple[Ints, Ints]:
        """Return the document of each element, and the number after its last descendant.

        Elements are sorted. What is in no tree is its own document.
        """
        documents, afters = elements.copy(), elements + 1
        if self.kind not in TREES:
            return documents, afters
        bounds = np.flatnonzero(np.diff(elements // BLOCK, prepend=-1, append=-1))
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            number = int(elements[begin]) // BLOCK
            low, some = number * BLOCK, elements[begin:end]
            afters[begin:end] = low + self._of_trees(number).afters[some - low]
            firsts = self._firsts[number]
            documents[begin:end] = firsts[np.searchsorted(firsts, some, side="right") - 1]
        return documents, afters

    def _of_trees(self, number: int) -> _Trees:
        if number not in self._trees:
            self._look(number)
        return self._trees[number]

    def _look(self, number: int) -> None:
        """Keep what is needed of a block."""
        block = self.structure.block(number)
        is_first = np.diff(block.places, prepend=-1) > 0
        firsts = block.first + np.flatnonzero(is_first)
        self._firsts[number] = np.append(firsts, block.first + len(block))
        if self.kind in TREES:
            parents = np.maximum(block.parents - block.first, -1).astype(np.int32)
            self._trees[number] = _Trees(parents, _afters(block), block.starts, block.lengths)


def _afters(block: MadeBlock) -> Counts:
    """Return the place in a block after the last descendant of each element."""
    held = np.ones(len(block), dtype=np.int64)
    above = block.parents[block.parents >= 0] - block.first
    while len(above):
        held += np.bincount(above, minlength=len(block))
        above = block.parents[above]
        above = above[above >= 0] - block.first
    return (np.arange(len(block)) + held).astype(np.int32)
