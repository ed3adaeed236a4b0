"""Sampler of users who read chunks and need points of spans, or whole spans."""

import hashlib
from collections.abc import Iterator

import numpy as np

from prum.simulator.model import Covering, Span, Task
from prum.simulator.model.arrays import Counts, Flags, Ints
from prum.simulator.sampling.streams import NEVER, OPENINGS, POINTS, users_key
from prum.simulator.sampling.ways.samplers import KernelBlock, KernelSampler

# A guide of up to 2^12 entries of each span, so that those of some spans stay in the first cache.
_GUIDE_BITS = 12


class CoveringSampler(KernelSampler):
    """Each user draws a character of each span, and tosses what they open from each chunk.

    Neither depends on the list: the same users, with the same points, read every list for the same
    spans, and open the same from a chunk wherever it stands. A chunk that stands in the list twice
    is consulted once: the second time nothing is opened or shown.

    For a quick look each span is cut into pieces where chunks begin and end. A piece knows the rank
    whose own chunk shows it first, and the openings of earlier ranks that may show it before.

    Raise InputError as `Covering.check`.
    """

    purposes = OPENINGS, POINTS

    def __init__(self, task: Task, navigation: Covering) -> None:
        self.task, self.navigation = task, navigation
        self.key = users_key(task)
        navigation.check(task)
        shown = _Shown(task, navigation)
        starts, ends, certain, openings = [0], [], [], []
        for ideal in task.ideals:
            cuts, covering = shown.pieces(navigation.spans[ideal])
            ends.append(cuts[1:])
            starts.append(starts[-1] + len(cuts) - 1)
            for covers in covering.T:
                first, before = shown.first(covers)
                certain.append(first)
                openings.append(before)
        self.starts, self.ends = np.array(starts, dtype=np.int64), np.concatenate(ends)
        self._look_up()
        entries = np.concatenate(openings)
        self.certain = np.array(certain, dtype=np.int32)
        self.opening_starts = np.cumsum([0, *map(len, openings)])
        self.ranks = shown.ranks[entries].astype(np.int32)
        self.salts = np.array([shown.salts[k] for k in entries.tolist()], dtype=np.uint64)
        self.chances = shown.chances[entries]

    def _look_up(self) -> None:
        """Make tables from characters to pieces."""
        self.lengths = self.ends[self.starts[1:] - 1]
        shifts = [max(int(length - 1).bit_length() - _GUIDE_BITS, 0) for length in self.lengths]
        guides: list[Counts] = []
        for x, shift in enumerate(shifts):
            begin, end = self.starts[x : x + 2]
            buckets = np.arange(0, self.lengths[x], 1 << shift)
            pieces = begin + np.searchsorted(self.ends[begin:end], buckets, side="right")
            guides.append(pieces.astype(np.int32))
        self.guide, self.shifts = np.concatenate(guides), np.array(shifts, dtype=np.int64)
        self.guide_starts = np.cumsum([0, *map(len, guides)])

    def draw(self, block: KernelBlock) -> None:
        """Draw the next users of a block."""
        from prum.simulator.sampling.kernels import covering

        covering(block.more[0], self.navigation.whole, self, block)


class _Shown:
    """What consulted chunks show, in order of ranks: themselves, and what is opened from them."""

    def __init__(self, task: Task, navigation: Covering) -> None:
        chunks = navigation.chunks
        rows = list(_showings(task, navigation))
        self.ranks = np.array([rank for rank, _, _, _ in rows], dtype=np.int64)
        self.chances = np.array([chance for _, _, _, chance in rows])
        self.salts = [salt_of_opening(source, target) for _, source, target, _ in rows]
        shown = np.array([chunks.code[target] for _, _, target, _ in rows], dtype=np.int64)
        self.documents = chunks.document[shown]
        self.begins, self.ends = chunks.starts[shown], chunks.ends[shown]
        self._number = chunks.document_code

    def pieces(self, span: Span) -> tuple[Ints, Flags]:
        """Return where pieces of a span begin and end, and which showings cover each."""
        there = self.documents == self._number.get(span.document, -1)
        begins = np.clip(self.begins - span.start, 0, span.length)
        ends = np.clip(self.ends - span.start, 0, span.length)
        there &= begins < ends
        cuts = np.unique(np.concatenate(([0, span.length], begins[there], ends[there])))
        covers = (begins[:, None] <= cuts[:-1]) & (cuts[1:] <= ends[:, None])
        return cuts, there[:, None] & covers

    def first(self, covers: Flags) -> tuple[int, Ints]:
        """Return the first rank that is certain to show a piece, and the openings before it."""
        places = np.flatnonzero(covers)
        certain = self.ranks[places[self.chances[places] == 1]]
        first = int(certain.min(initial=NEVER))
        return first, places[self.ranks[places] < first]


def _showings(task: Task, navigation: Covering) -> Iterator[tuple[int, str, str, float]]:
    """Yield rank, consulted chunk, shown chunk and the chance of it."""
    links, seen = navigation.links, set[str]()
    for rank, chunk in enumerate(task.ranking, start=1):
        if chunk in seen:
            continue
        seen.add(chunk)
        yield rank, chunk, chunk, 1.0
        if (source := links.code.get(chunk)) is None:
            continue
        for row in range(links.starts[source], links.starts[source + 1]):
            if (chance := float(links.probabilities[row])) > 0:
                yield rank, chunk, links.elements[links.targets[row]], chance


def salt_of_opening(source: str, target: str) -> int:
    """Return 64 bits that name an opening in every list."""
    names = f"{len(source)} {source} {target}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(names).digest()[:8])


sampler = CoveringSampler
