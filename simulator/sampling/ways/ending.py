"""Walks that end: what users see who come to where nobody stops."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.model.navigation import SUM_TOLERANCE
from prum.simulator.model.tables import Links


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
    own = {ideal: x for x, ideal in enumerate(ideals)}
    classes = _closed(links)
    shown = {ideal: x for ideal, x in own.items() if ideal in links.code}
    if not classes:
        return Ending(links, links.elements, _numbers(links.elements, shown))
    caught = {links.elements[k] for members in classes for k in members}
    rows = {(x, y): p for x, y, p in links if x not in caught}
    # Sorted behind all elements, so that these keep their order.
    behind = links.elements[-1] + "\U0010ffff"
    name_of: dict[str, str] = {}
    for number, members in enumerate(classes):
        elements = [links.elements[k] for k in members]
        wanted = [element for element in elements if element in own]
        further = [f"{behind}{number} {place}" for place in range(len(wanted))]
        name_of |= zip(further, wanted, strict=True)
        shown |= {element: own[ideal] for element, ideal in zip(further, wanted, strict=True)}
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
