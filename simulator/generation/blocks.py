"""Blocks of made structures: so many consecutive elements, which any worker makes by itself.

Trees are XML documents, videos, and pages cut into chunks; a web has pages in communities, linked
along power laws.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.generation.draws import Draws
from prum.simulator.generation.kinds import Chunks, Video, Web, Xml
from prum.simulator.generation.portable import exp, log, power
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


# Probabilities are whole millionths, so that a file holds the same numbers.
_MILLION = 1_000_000
# Pages whose links are made at once: some megabytes. Part of the law, as draws come in its order.
_PAGES = 4_096
# Rounds in which ranks are scattered over the collection.
_ROUNDS = 3


def web_block(dials: Web, seed: int, number: int) -> MadeBlock:
    """Return a block of a web.

    The last community of a block has the pages that are left.
    """
    first, size = bounds(dials.elements, number)
    draws = Draws(seed, "web", number)
    begins = _communities(dials, draws, size)
    sizes = np.diff(np.append(begins, size))
    community = np.repeat(np.arange(len(begins)), sizes)
    # The page of each popularity rank, community by community.
    keys = (community.astype(np.uint64) << 48) | draws.below(2**32, size).astype(np.uint64)
    ranked = np.argsort(keys, kind="stable")
    weights = degree_weights(dials)
    popularity = dials.popularity
    popularity_inside = dials.popularity_inside
    if popularity_inside is None:
        popularity_inside = popularity
    heights = masses(sizes, popularity_inside)
    height = float(masses(dials.elements, popularity))
    across = Scattering(dials.elements, Draws(seed, "web", "popularity"))
    pieces = []
    for begin in range(0, size, _PAGES):
        degrees = draws.picks(weights, min(_PAGES, size - begin)) + dials.least_degree
        sources = np.repeat(np.arange(begin, begin + len(degrees)), degrees)
        inside = draws.units(len(sources)) < dials.inside
        units = best_of(draws.units(len(sources)), dials.choice)
        targets = np.empty(len(sources), dtype=np.int64)
        near, far = np.flatnonzero(inside), np.flatnonzero(~inside)
        home = community[sources[near]]
        ranks = ranks_at(units[near] * heights[home], sizes[home], popularity_inside)
        targets[near] = first + ranked[begins[home] + ranks]
        targets[far] = across(ranks_at(units[far] * height, dials.elements, popularity))
        # A source and a target in one number: sorted by both.
        pairs = np.sort((sources << 32) | targets)
        sources, targets = first + (pairs >> 32), pairs & 0xFFFFFFFF
        kept = (np.diff(pairs, prepend=-1) > 0) & (sources != targets)
        sources, targets = sources[kept], targets[kept]
        millionths = shared_out(sources, dials.following, draws.units(len(sources)))
        positive = millionths > 0
        pieces.append((sources[positive], targets[positive], millionths[positive] / _MILLION))
    columns = [np.concatenate(column) for column in zip(*pieces, strict=True)]
    return MadeBlock(
        first=first,
        parents=np.full(size, -1, dtype=np.int64),
        starts=np.zeros(size, dtype=np.int64),
        lengths=np.zeros(size, dtype=np.int64),
        places=first + begins[community],
        sources=columns[0],
        targets=columns[1],
        probabilities=columns[2],
    )


def degree_weights(dials: Web) -> Floats:
    """Return the weights of degrees from the least to the most: k^-exponent, and 1 for none."""
    degrees = np.arange(dials.least_degree, dials.most_degree + 1)
    return power(np.maximum(degrees, 1), -dials.degree_exponent)


def masses(among: ArrayLike, popularity: float) -> Floats:
    """Return the integral of x^-popularity from 1/2 to n + 1/2, times 1 - popularity.

    The part of it from q - 1/2 to q + 1/2 is the probability of popularity rank q among n pages. It
    is above q^-popularity: at rank 1 by 4 % where popularity is 1/2, by 10 % where it nears 1, by
    20 % at 3/2, 33 % at 2 and 78 % at 3, and by less than a quarter of that from rank 2 on. As all
    weights are larger, the probability of rank 1 is too large by 10.5 % of itself at most. Above 1
    the integral times 1 - popularity is negative, and grows downwards with n.
    """
    ends = np.asarray(among, dtype=np.float64) + 0.5
    mass: Floats = power(ends, 1.0 - popularity) - power(0.5, 1.0 - popularity)
    return mass


def best_of(units: Floats, choice: float) -> Floats:
    """Return numbers with the law of the least of so many units: 1 - (1 - u)^(1 / choice).

    Of one they are the units themselves.

    >>> best_of(np.array([0.75]), 2.0).tolist()
    [0.5]
    """
    if choice == 1:
        return units
    # A power of what is just below 1 may round to 1, and a least unit is never 0.
    least: Floats = 1.0 - power(1.0 - units, 1.0 / choice)
    return np.maximum(least, 2.0**-53)


def ranks_at(parts: Floats, among: ArrayLike, popularity: float) -> Ints:
    """Return the ranks, counted from 0, where the integral of `masses` comes to some values.

    >>> ranks_at(np.array([0.001, 0.5, 0.999]) * masses(100, 0.5), 100, 0.5).tolist()
    [0, 28, 99]
    """
    exponent = 1.0 - popularity
    ranks = np.floor(power(parts + power(0.5, exponent), 1.0 / exponent) - 0.5)
    # Rounding may lead beyond either end.
    return np.clip(ranks, 0, np.asarray(among) - 1).astype(np.int64)


def shared_out(sources: Ints, following: float, units: Floats) -> Ints:
    """Return the probability of each link in millionths; a source's sum to `following` exactly.

    Sources come sorted. A link has a millionth, and the rest is shared out in proportion to squares
    of exponential numbers, the sums from a source's first link on rounded to whole millionths.
    Where not every link can have a millionth some have 0.

    >>> shared_out(np.array([4, 4, 7]), 0.85, np.array([0.5, 0.5, 0.3])).tolist()
    [425000, 425000, 850000]
    """
    total = round(following * _MILLION)
    logarithms = log(units)
    # Less than 2^31, so that the sum of 1,000 times a million stays below 2^62.
    weights: Ints = (logarithms * logarithms * 2**20).astype(np.int64) + 1
    begins = np.flatnonzero(np.diff(sources, prepend=-1))
    counts = np.diff(np.append(begins, len(sources)))
    sums = np.cumsum(weights)
    before = np.repeat(sums[begins] - weights[begins], counts)
    wholes = np.repeat(sums[begins + counts - 1], counts) - before
    least = np.repeat(total >= counts, counts).astype(np.int64)
    rest = total - least * np.repeat(counts, counts)
    ends: Ints = (2 * rest * (sums - before) + wholes) // (2 * wholes)
    shares: Ints = np.diff(ends, prepend=0)
    shares[begins] = ends[begins]
    return shares + least


class Scattering:
    """A bijection of the numbers below n that looks random, so that ranks become pages.

    Numbers of as many bits as n needs are multiplied by odd numbers, shifted and added to, all of
    which can be undone; a result that is not below n goes through again until it is.

    >>> sorted(Scattering(10, Draws(1, "x"))(np.arange(10)).tolist()) == list(range(10))
    True
    """

    def __init__(self, n: int, draws: Draws) -> None:
        self._n = n
        self._bits = max((n - 1).bit_length(), 2)
        self._factors = (2 * draws.below(2**31, _ROUNDS) + 1).tolist()
        self._terms = draws.below(2**32, _ROUNDS).tolist()

    def __call__(self, numbers: Ints) -> Ints:
        """Return the page of each number."""
        scattered = self._once(numbers)
        while (over := np.flatnonzero(scattered >= self._n)).size:
            scattered[over] = self._once(scattered[over])
        return scattered

    def _once(self, numbers: Ints) -> Ints:
        mask, half = (1 << self._bits) - 1, (self._bits + 1) // 2
        for factor, term in zip(self._factors, self._terms, strict=True):
            numbers = (numbers * factor + term) & mask
            numbers = numbers ^ (numbers >> half)
        return numbers


def _communities(dials: Web, draws: Draws, size: int) -> Ints:
    """Return the first page of each community of a block."""
    least, most = (dials.community + 1) // 2, 3 * dials.community // 2
    sizes = least + draws.below(most - least + 1, -(-size // least))
    ends = np.cumsum(sizes)
    return np.append(0, ends[ends < size])


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


def grown_block(dials: Xml | Video, seed: int, number: int) -> MadeBlock:
    """Return a block of documents whose leaves have lengths and lie one after the other.

    A video is a document of depth 1. The last document ends where the block does: what comes after
    in document order is not there. An element that is left without children so is a leaf, and has a
    length of its own.
    """
    if isinstance(dials, Video):
        (low, high), depth, nesting = dials.scenes, 1, 0.0
        median, spread = dials.seconds, dials.seconds_spread
    else:
        (low, high), depth, nesting = dials.fan_out, dials.depth, dials.nesting
        median, spread = dials.words, dials.words_spread
    first, size = bounds(dials.elements, number)
    draws = Draws(seed, dials.kind, number)
    children = low + draws.below(high - low + 1, size)
    inner = draws.units(size) < nesting if depth > 1 else np.zeros(size, dtype=np.bool_)
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


def _grown(children: list[int], inner: list[bool], depth: int) -> tuple[Ints, Ints]:
    """Return the parent of each element, and the number after its last descendant.

    Elements come in document order. `children` says how many each has if it has any: documents, and
    the elements above the greatest depth that are `inner`.

    >>> inner = [False, True, True, False, False, False]
    >>> parents, afters = _grown([2, 1, 9, 9, 3, 9], inner, 2)
    >>> parents.tolist(), afters.tolist()
    ([-1, 0, 1, 0, -1, 4], [4, 3, 3, 4, 6, 6])
    """
    size = len(children)
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
        if level == 0 or (level < depth and inner[number]):
            above[level], missing[level] = number, children[number]
            level += 1
    for number in above[:level]:
        afters[number] = size
    return np.array(parents, dtype=np.int64), np.array(afters, dtype=np.int64)
