"""Made trees: XML documents, videos, and pages cut into chunks."""

import numpy as np

from prum.simulator.generation.blocks import BLOCK, LONGEST, MadeBlock, bounds
from prum.simulator.generation.draws import Draws
from prum.simulator.generation.kinds import Chunks, Video, Xml
from prum.simulator.generation.portable import exp
from prum.simulator.model.arrays import Ints


def xml_block(dials: Xml, seed: int, number: int) -> MadeBlock:
    """Return a block of documents with sections and paragraphs.

    The last document ends where the block does: what comes after in document order is not there.
    An element that is left without children so is a leaf, and has words of its own.
    """
    return _grown_block(
        dials.elements,
        Draws(seed, "xml", number),
        number,
        fan_outs=dials.fan_outs,
        depth=dials.depth,
        nestings=dials.nestings,
        median=dials.words,
        spread=dials.words_spread,
    )


def video_block(dials: Video, seed: int, number: int) -> MadeBlock:
    """Return a block of videos; the last one ends where the block does, as in `xml_block`."""
    return _grown_block(
        dials.elements,
        Draws(seed, "video", number),
        number,
        fan_outs=(dials.scenes,),
        depth=1,
        nestings=(0.0,),
        median=dials.seconds,
        spread=dials.seconds_spread,
    )


def chunks_block(dials: Chunks, seed: int, number: int) -> MadeBlock:
    """Return a block of pages with chunks.

    The last page is cut off behind the last chunk for which there is room. One without room for
    any has none.
    """
    first, size = bounds(dials.elements, number)
    draws = Draws(seed, "chunks", number)
    pages = lengths_of(draws, dials.page_words, dials.page_words_spread, (size + 1) // 2)
    beyond = np.maximum(pages - dials.words, 0)
    counts = np.minimum(1 - (-beyond // dials.stride), BLOCK)
    ends = np.cumsum(1 + counts)
    begins = ends - 1 - counts
    kept = begins < size
    pages, counts, begins = pages[kept], counts[kept], begins[kept]
    room = size - 1 - int(begins[-1])
    if 0 < room < counts[-1]:
        pages[-1] = min(int(pages[-1]), (room - 1) * dials.stride + dials.words)
    counts[-1] = min(int(counts[-1]), room)
    places = np.repeat(begins, 1 + counts)
    extents = np.repeat(pages, 1 + counts)
    position = np.arange(size) - places
    starts = np.maximum(position - 1, 0) * dials.stride
    return MadeBlock(
        first=first,
        parents=np.where(position > 0, first + places, -1),
        starts=starts,
        lengths=np.where(position > 0, np.minimum(dials.words, extents - starts), extents),
        places=first + places,
    )


def lengths_of(draws: Draws, median: float, spread: float, number: int) -> Ints:
    """Return lognormal lengths, rounded to whole numbers from 1 to the longest."""
    sizes = median * exp(spread * draws.normals(number))
    return np.clip(np.floor(sizes + 0.5), 1, LONGEST).astype(np.int64)


def _grown_block(
    elements: int,
    draws: Draws,
    number: int,
    *,
    fan_outs: tuple[tuple[int, int], ...],
    depth: int,
    nestings: tuple[float, ...],
    median: float,
    spread: float,
) -> MadeBlock:
    """Return a block of documents whose leaves have lengths and lie one after the other."""
    first, size = bounds(elements, number)
    # One number of each element decides, whatever its level, of which there are (levels, size).
    lows, highs = np.array(fan_outs, dtype=np.int64).T[:, :, None]
    children = lows + draws.below(highs - lows + 1, 1, size)
    inner = np.zeros((1, size), dtype=np.bool_)
    if depth > 1:
        inner = draws.units(1, size) < np.array(nestings)[:, None]
    parents, afters = _grown(children.tolist(), inner.tolist(), depth)
    numbers = np.arange(size)
    leaves = np.flatnonzero(afters == numbers + 1)
    ends = np.zeros(size + 1, dtype=np.int64)
    ends[leaves + 1] = lengths_of(draws, median, spread, len(leaves))
    np.cumsum(ends, out=ends)
    places = np.maximum.accumulate(np.where(parents < 0, numbers, 0))
    return MadeBlock(
        first=first,
        parents=np.where(parents < 0, -1, first + parents),
        starts=ends[:-1] - ends[places],
        lengths=ends[afters] - ends[:-1],
        places=first + places,
    )


def _grown(children: list[list[int]], inner: list[list[bool]], depth: int) -> tuple[Ints, Ints]:
    """Return the parent of each element, and the number after its last descendant.

    Elements come in document order. `children[level]` says how many each has if it lies at that
    level, 0 for documents, and has any: documents, and the elements above the greatest depth that
    are `inner[level]`, level being that of their parent. The last row is that of deeper levels too.

    >>> inner = [False, True, True, False, False, False]
    >>> parents, afters = _grown([[2, 1, 9, 9, 3, 9]], [inner], 2)
    >>> parents.tolist(), afters.tolist()
    ([-1, 0, 1, 0, -1, 4], [4, 3, 3, 4, 6, 6])
    """
    size = len(children[0])
    children = children + children[-1:] * (depth - len(children))
    inner = inner + inner[-1:] * (depth - len(inner))
    parents, afters = [-1] * size, list(range(1, size + 1))
    above, missing = [-1] * depth, [0] * depth  # by depth: elements that grow
    level = 0
    for number in range(size):
        while level and not missing[level - 1]:
            level -= 1
            afters[above[level]] = number
        if level:
            parents[number] = above[level - 1]
            missing[level - 1] -= 1
        if level == 0 or (level < depth and inner[level - 1][number]):
            above[level], missing[level] = number, children[level][number]
            level += 1
    for number in above[:level]:
        afters[number] = size
    return np.array(parents, dtype=np.int64), np.array(afters, dtype=np.int64)
