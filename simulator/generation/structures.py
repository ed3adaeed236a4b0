"""Made structures: webs, documents, videos and chunks of pages, block by block."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.generation.blocks import BLOCK, MadeBlock, bounds
from prum.simulator.generation.kinds import Chunks, Flat, Video, Web, Xml
from prum.simulator.generation.trees import chunks_block, video_block, xml_block
from prum.simulator.generation.web import web_block
from prum.simulator.model import Elements, InputError
from prum.simulator.model.arrays import Floats, Ints

# Blocks that are kept at a time.
_KEPT = 4

__all__ = ["BLOCK", "MadeBlock", "Structure", "made_block", "names"]


def made_block(dials: Flat | Web | Xml | Video | Chunks, seed: int, number: int) -> MadeBlock:
    """Return block `number` of a structure, a function of dials, seed and number alone.

    >>> dials = Video(kind="video", elements=100, scenes=(2, 2))
    >>> block = made_block(dials, 1, 0)
    >>> block.parents[:6].tolist(), block.starts[:3].tolist(), block.lengths[:3].tolist()
    ([-1, 0, 0, -1, 3, 3], [0, 0, 9], [37, 9, 28])
    """
    if isinstance(dials, Web):
        return web_block(dials, seed, number)
    if isinstance(dials, Xml):
        return xml_block(dials, seed, number)
    if isinstance(dials, Video):
        return video_block(dials, seed, number)
    if isinstance(dials, Chunks):
        return chunks_block(dials, seed, number)
    first, size = bounds(dials.elements, number)
    nothing = np.zeros(size, dtype=np.int64)
    return MadeBlock(first, nothing - 1, nothing, nothing, np.arange(first, first + size))


def names(dials: Flat | Web | Xml | Video | Chunks) -> Callable[[Iterable[int]], list[str]]:
    """Return a function from the numbers of elements to ids, which sort as the numbers do.

    >>> names(Web(kind="web", elements=1000))([7, 123])
    ['page007', 'page123']
    """
    prefix = "page" if isinstance(dials, Web) else "element"
    width = len(str(dials.elements - 1))

    def named(numbers: Iterable[int]) -> list[str]:
        whole = numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
        return [f"{prefix}{number:0{width}}" for number in whole]

    return named


@dataclass(eq=False)
class Structure:
    """A made structure; its elements are numbers from 0, in document order.

    Parameters
    ----------
    dials
        Of its collection.
    seed
        The same seed and dials make the same structure, block by block.

    >>> structure = Structure(Video(kind="video", elements=200_000, scenes=(2, 2)), 1)
    >>> structure.num_blocks, structure.place(4)
    (4, (3, 6))
    >>> structure.elements([3]).ids
    ('element000003', 'element000004', 'element000005')
    """

    dials: Flat | Web | Xml | Video | Chunks
    seed: int
    _kept: dict[int, MadeBlock] = field(default_factory=dict, init=False, repr=False)

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

    def block(self, number: int) -> MadeBlock:
        """Return a block; the last few are kept.

        Raises
        ------
        InputError
            if there is no such block.
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
        """Return the ids of elements."""
        return names(self.dials)(numbers)

    def place(self, element: int) -> tuple[int, int]:
        """Return where an element's document or community begins, and where the next one does.

        Raises
        ------
        InputError
            if there is no such element.
        """
        if not 0 <= element < self.num_elements:
            rule = f"be from 0 to {self.num_elements - 1}"
            raise InputError("number of an element", element, rule, remedy="count elements from 0")
        block = self.block(element // BLOCK)
        first = int(block.places[element - block.first])
        return first, block.first + int(np.searchsorted(block.places, first, side="right"))

    def elements(self, documents: ArrayLike) -> Elements:
        """Return the table of whole documents, by the numbers of their first elements.

        Raises
        ------
        InputError
            if there are no trees, or for a number that is not that of a document.
        """
        if isinstance(self.dials, Flat | Web):
            rule = "be of trees: of xml, video or chunks"
            raise InputError("elements", self.dials.kind, rule, remedy="take the links")
        ids: list[str] = []
        above: list[str | None] = []
        lengths: list[int] = []
        starts: list[float | None] = []
        for document in np.unique(np.asarray(documents, dtype=np.int64)).tolist():
            first, after = self.place(document)
            if first != document:
                rule, remedy = f"be that of its first element, {first}", "ask for whole documents"
                raise InputError("number of a document", document, rule, remedy=remedy)
            block = self.block(first // BLOCK)
            span = slice(first - block.first, after - block.first)
            named = self.names(range(first, after))
            ids += named
            above += [
                None if parent < 0 else named[parent - first]
                for parent in block.parents[span].tolist()
            ]
            lengths += block.lengths[span].tolist()
            starts += block.starts[span].tolist()
        return Elements.from_columns(ids, above, np.array(lengths, dtype=np.int64), starts)

    def links_to(
        self, targets: Ints, blocks: Iterable[int] | None = None
    ) -> tuple[Ints, Ints, Floats]:
        """Return sources, targets and probabilities of the links into some pages, by source.

        Parameters
        ----------
        targets
            Numbers of pages.
        blocks
            Numbers of the blocks to search; by default all.
        """
        wanted = np.zeros(self.num_elements, dtype=np.bool_)
        wanted[targets] = True
        pieces = []
        numbers = range(self.num_blocks) if isinstance(self.dials, Web) else range(0)
        for number in numbers if blocks is None else blocks:
            block = self.block(number)
            rows = np.flatnonzero(wanted[block.targets])
            pieces.append((block.sources[rows], block.targets[rows], block.probabilities[rows]))
        if not pieces:
            none = np.empty(0, dtype=np.int64)
            return none, none, np.empty(0)
        sources, ends, probabilities = (np.concatenate(c) for c in zip(*pieces, strict=True))
        return sources, ends, probabilities
