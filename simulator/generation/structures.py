"""Made structures, block by block, and where their elements lie: in places, in each other."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from prum.simulator.generation.blocks import (
    BLOCK,
    MadeBlock,
    bounds,
    chunks_block,
    grown_block,
    web_block,
)
from prum.simulator.generation.kinds import Chunks, Flat, Video, Web, Xml
from prum.simulator.model import Elements, InputError
from prum.simulator.model.arrays import Counts, Floats, Ints

# Blocks that are kept at a time.
_KEPT = 4

# Collections whose places are documents.
TREES = ("xml", "video", "chunks")


def made_block(dials: Flat | Web | Xml | Video | Chunks, seed: int, number: int) -> MadeBlock:
    """Return block `number` of a structure, a function of dials, seed and number alone.

    >>> dials = Video(kind="video", elements=100, scenes=(2, 2))
    >>> block = made_block(dials, 1, 0)
    >>> block.parents[:6].tolist(), block.starts[:3].tolist(), block.lengths[:3].tolist()
    ([-1, 0, 0, -1, 3, 3], [0, 0, 9], [37, 9, 28])
    """
    if isinstance(dials, Web):
        return web_block(dials, seed, number)
    if isinstance(dials, Xml | Video):
        return grown_block(dials, seed, number)
    if isinstance(dials, Chunks):
        return chunks_block(dials, seed, number)
    first, size = bounds(dials.elements, number)
    nothing = np.zeros(size, dtype=np.int64)
    return MadeBlock(first, nothing - 1, nothing, nothing, np.arange(first, first + size))


@dataclass(frozen=True, eq=False, slots=True)
class TreePart:
    """The elements of one document, which count from its first.

    `first`: the number of the document itself. `parents`: the parent of each element, -1 of the
    document; shape (n,). `starts`, `lengths`: as in the block; shape (n,).
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


@dataclass(eq=False)
class Structure:
    """A made structure; its elements are numbers from 0, in document order.

    `dials`: of its collection; `seed`: the same seed and dials make the same structure, block by
    block. The last few blocks are kept; what is needed to look at elements in any order is kept of
    every block, up to 24 bytes for each element of trees and next to nothing for others.

    >>> structure = Structure(Video(kind="video", elements=200_000, scenes=(2, 2)), 1)
    >>> structure.num_blocks, structure.place(4)
    (4, (3, 6))
    >>> structure.elements([3]).ids
    ('element000003', 'element000004', 'element000005')
    """

    dials: Flat | Web | Xml | Video | Chunks
    seed: int
    _kept: dict[int, MadeBlock] = field(default_factory=dict, init=False, repr=False)
    _firsts: dict[int, Ints] = field(default_factory=dict, init=False, repr=False)
    _trees: dict[int, _Trees] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        return Structure, (self.dials, self.seed)

    @property
    def num_elements(self) -> int:
        """Number of elements of the collection."""
        return self.dials.elements

    @property
    def num_blocks(self) -> int:
        """Number of blocks."""
        return -(-self.num_elements // BLOCK)

    @property
    def has_trees(self) -> bool:
        """Whether elements lie in each other."""
        return self.dials.kind in TREES

    def block(self, number: int) -> MadeBlock:
        """Return a block; the last few are kept.

        Raise InputError if there is no such block.
        """
        if not 0 <= number < self.num_blocks:
            rule = f"be from 0 to {self.num_blocks - 1}"
            raise InputError("number of a block", number, rule, remedy="count blocks from 0")
        block = self._kept.pop(number, None)
        if block is None:
            block = made_block(self.dials, self.seed, number)
        while len(self._kept) >= _KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[number] = block  # the last one used comes last
        return block

    def names(self, numbers: Iterable[int]) -> list[str]:
        """Return the ids of elements, which sort as their numbers do."""
        prefix = "page" if isinstance(self.dials, Web) else "element"
        width = len(str(self.num_elements - 1))
        whole = numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
        return [f"{prefix}{number:0{width}}" for number in whole]

    def place(self, element: int) -> tuple[int, int]:
        """Return where an element's document or community begins, and where the next one does."""
        if isinstance(self.dials, Flat):
            return element, element + 1
        number = element // BLOCK
        if number not in self._firsts:
            self._look(number)
        firsts = self._firsts[number]
        position = int(np.searchsorted(firsts, element, side="right"))
        return int(firsts[position - 1]), int(firsts[position])

    def leaves(self, first: int, after: int) -> Ints:
        """Return the elements of a place that contain no others, sorted."""
        if not self.has_trees:
            return np.arange(first, after)
        low = first // BLOCK * BLOCK
        afters = self._of_trees(first // BLOCK).afters[first - low : after - low]
        return first + np.flatnonzero(afters == np.arange(first, after) - low + 1)

    def is_leaf(self, element: int) -> bool:
        """Return whether an element contains no other."""
        return bool(len(self.leaves(element, element + 1)))

    def span(self, document: int) -> TreePart:
        """Return the elements of a document, of which `document` is one."""
        first, after = self.place(document)
        low = first // BLOCK * BLOCK
        trees, within = self._of_trees(first // BLOCK), slice(first - low, after - low)
        parents = np.maximum(trees.parents[within] - np.int32(first - low), np.int32(-1))
        return TreePart(first, parents, trees.starts[within], trees.lengths[within])

    def elements(self, documents: Iterable[int]) -> Elements:
        """Return the table of whole documents, by the sorted numbers of their first elements."""
        ids, above = list[str](), list[str | None]()
        lengths, starts = [np.empty(0, np.int64)], list[float | None]()
        for document in documents:
            span = self.span(document)
            named = self.names(range(span.first, span.after))
            ids += named
            above += [None if parent < 0 else named[parent] for parent in span.parents.tolist()]
            lengths.append(span.lengths)
            starts += span.starts.tolist()
        return Elements.from_columns(ids, above, np.concatenate(lengths), starts)

    def containers(self, elements: Ints) -> Ints:
        """Return what contains some of the elements, sorted."""
        outer = set[int]()
        for element in elements.tolist() if self.has_trees else ():
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
        if not self.has_trees:
            return documents, afters
        bounds = np.flatnonzero(np.diff(elements // BLOCK, prepend=-1, append=-1))
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            number = int(elements[begin]) // BLOCK
            low, some = number * BLOCK, elements[begin:end]
            afters[begin:end] = low + self._of_trees(number).afters[some - low]
            firsts = self._firsts[number]
            documents[begin:end] = firsts[np.searchsorted(firsts, some, side="right") - 1]
        return documents, afters

    def links_to(self, targets: Ints) -> tuple[Ints, Ints, Floats]:
        """Return sources, targets and probabilities of the links into some pages, by source."""
        is_target = np.zeros(self.num_elements, dtype=np.bool_)
        is_target[targets] = True
        pieces = []
        for number in range(self.num_blocks):
            block = self.block(number)
            rows = np.flatnonzero(is_target[block.targets])
            pieces.append((block.sources[rows], block.targets[rows], block.probabilities[rows]))
        sources, ends, probabilities = (np.concatenate(c) for c in zip(*pieces, strict=True))
        return sources, ends, probabilities

    def _of_trees(self, number: int) -> _Trees:
        if number not in self._trees:
            self._look(number)
        return self._trees[number]

    def _look(self, number: int) -> None:
        """Keep what is needed of a block."""
        block = self.block(number)
        is_first = np.diff(block.places, prepend=-1) > 0
        firsts = block.first + np.flatnonzero(is_first)
        self._firsts[number] = np.append(firsts, block.first + len(block))
        if self.has_trees:
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
