"""Sampler of users who walk along links, also to where nobody stops."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from prum.simulator.model import Links, Task, Walk
from prum.simulator.model.arrays import Counts, Flags, Ints, Words
from prum.simulator.model.navigation import SUM_TOLERANCE
from prum.simulator.sampling.streams import WALKS, users_key
from prum.simulator.sampling.ways.samplers import KernelBlock, KernelSampler


class Ending(NamedTuple):
    """Links of walks that end, `names` of their elements, and the ideal that each shows, or -1."""

    links: Links
    names: tuple[str, ...]
    ideal_of: Ints


@lru_cache(maxsize=4)
def ending(links: Links, ideals: tuple[str, ...]) -> Ending:
    """Return links by which a walk shows the same ideals as by `links`, and ends.

    Where elements lead to each other and nowhere else, and nobody stops, a user comes to each of
    them sooner or later, certainly. Instead they are led from any of them past the ideals there,
    once, by further elements, and then stop.

    >>> walks = ending(Links({("x", "y"): 0.5, ("y", "a"): 1, ("a", "y"): 1}), ("a", "b"))
    >>> [(walks.names[i], walks.names[j]) for i, j in zip(walks.links.sources, walks.links.targets)]
    [('a', 'a'), ('x', 'y'), ('y', 'a')]
    >>> walks.ideal_of.tolist()
    [0, -1, -1, 0]
    """
    column_of = {ideal: x for x, ideal in enumerate(ideals)}
    classes = _closed(links)
    shown = {ideal: x for ideal, x in column_of.items() if ideal in links.code}
    if not classes:
        return Ending(links, links.elements, _numbers(links.elements, shown))
    caught = {links.elements[k] for members in classes for k in members}
    rows = {(x, y): p for x, y, p in links if x not in caught}
    # Sorted behind all elements, so that these keep their order.
    behind = links.elements[-1] + "\U0010ffff"
    name_of: dict[str, str] = {}
    for number, members in enumerate(classes):
        elements = [links.elements[k] for k in members]
        in_list = [element for element in elements if element in column_of]
        further = [f"{behind}{number} {place}" for place in range(len(in_list))]
        name_of |= zip(further, in_list, strict=True)
        shown |= {
            element: column_of[ideal] for element, ideal in zip(further, in_list, strict=True)
        }
        rows |= {(element, first): 1.0 for element in elements for first in further[:1]}
        rows |= dict.fromkeys(pairwise(further), 1.0)
    table = Links(rows)
    names = tuple(name_of.get(element, element) for element in table.elements)
    return Ending(table, names, _numbers(table.elements, shown))


def _numbers(elements: Sequence[str], shown: dict[str, int]) -> Ints:
    return np.array([shown.get(element, -1) for element in elements], dtype=np.int64)


def _closed(links: Links) -> list[list[int]]:
    """Return the classes of elements that lead to each other and nowhere else, nobody stopping."""
    moving = np.zeros(len(links.elements))
    np.add.at(moving, links.sources, links.probabilities)
    caught = ~_can_stop(links, moving < 1 - SUM_TOLERANCE)
    if not caught.any():
        return []
    from scipy import sparse
    from scipy.sparse import csgraph

    taken = (links.probabilities > 0) & caught[links.sources]
    sources, targets = links.sources[taken], links.targets[taken]
    size = len(links.elements)
    graph = sparse.csr_array((np.ones(len(sources)), (sources, targets)), shape=(size, size))
    _, labels = csgraph.connected_components(graph, connection="strong")
    left = set(labels[sources[labels[sources] != labels[targets]]].tolist())
    members: dict[int, list[int]] = {}
    for k in np.flatnonzero(caught).tolist():
        if (label := int(labels[k])) not in left:
            members.setdefault(label, []).append(k)
    return list(members.values())


def _can_stop(links: Links, stops: Flags) -> Flags:
    """Return for each element whether a walk from it can come to an element of `stops`."""
    positive = links.probabilities > 0
    sources, targets = links.sources[positive], links.targets[positive]
    reached = stops.copy()
    while True:
        more = sources[reached[targets] & ~reached[sources]]
        if not more.size:
            return reached
        reached[more] = True


_FEWEST_SLOTS = 1024
_GOLDEN = 0x9E3779B97F4A7C15


class WalkSampler(KernelSampler):
    """Walks on the links: one path from each entry, step by step through alias tables."""

    purposes = (WALKS,)

    def __init__(self, task: Task, navigation: Walk) -> None:
        self.task, self.navigation, self.key = task, navigation, users_key(task)
        self.links, _, self.ideal_of = ending(navigation.links, task.ideals)
        code, starts = self.links.code, self.links.starts
        places, self.columns = alias_tables_of(self.links)
        shown = np.flatnonzero(self.ideal_of >= 0)
        self.slots, self.slot_ideals = _slots(
            dict(zip(places[shown].tolist(), self.ideal_of[shown].tolist(), strict=True))
        )
        ideal_of = {ideal: x for x, ideal in enumerate(task.ideals)}
        ranks, entries, entry_ideals = [], [], []
        done: set[str] = set()
        for rank, element in enumerate(task.ranking):
            if element in done:
                continue
            done.add(element)
            position = code.get(element, -1)
            if position >= 0 and starts[position] == starts[position + 1]:
                position = -1
            x = ideal_of.get(element, -1)
            if position >= 0 or x >= 0:
                ranks.append(rank + 1)
                entries.append(position)
                entry_ideals.append(x)
        self.ranks = np.array(ranks, dtype=np.int32)
        self.entries = np.array(entries, dtype=np.int64)
        # Place 0 of an entry without links, -1, which may be all there are.
        self.places = np.append(places, 0)[self.entries].astype(np.uint64)
        self.entry_ideals = np.array(entry_ideals, dtype=np.int64)

    def draw(self, block: KernelBlock) -> None:
        """Draw the next users of a block."""
        from prum.simulator.sampling.kernels import walks

        walks(self, block)


@lru_cache(maxsize=4)
def alias_tables_of(links: Links) -> tuple[Words, Words]:
    """Return places and columns as `walks` takes them, cached for the next tasks.

    A column is a threshold and a word of two outcomes, the first in the lower half. Tables of the
    most columns come first, so each begins at a multiple of its own number of columns.
    """
    from prum.simulator.sampling.kernels import alias_tables

    outcomes = np.diff(links.starts) + 1
    bits = np.ceil(np.log2(outcomes)).astype(np.int64)
    order = np.argsort(-bits, kind="stable")
    ends = np.cumsum(np.int64(1) << bits[order])
    row_starts = np.empty_like(ends)
    row_starts[order] = ends - (1 << bits[order])
    size = int(ends[-1]) if len(ends) else 0
    columns = np.empty((size, 2), dtype=np.uint64)
    stays, goes = np.empty(size, np.int32), np.empty(size, np.int32)
    alias_tables(
        links.starts,
        links.targets,
        links.probabilities,
        row_starts,
        bits,
        columns,
        stays,
        goes,
    )
    places = (2 * row_starts + (1 << bits)).astype(np.uint64)
    # The last, to which -1 points, means to stop.
    outcome = np.append(places, np.uint64(0))
    columns[:, 1] = outcome[goes]
    columns[:, 1] <<= np.uint64(32)
    columns[:, 1] |= outcome[stays]
    return places, columns


def _slots(ideals: dict[int, int]) -> tuple[Words, Counts]:
    """Return a hash table from places to ideals: open addressing, 0 is a free slot."""
    size = max(_FEWEST_SLOTS, 1 << (16 * len(ideals)).bit_length())
    slots, values = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int32)
    for place, x in ideals.items():
        slot = (place * _GOLDEN >> 32) % size
        while slots[slot]:
            slot = (slot + 1) % size
        slots[slot], values[slot] = place, x
    return slots, values


sampler = WalkSampler
