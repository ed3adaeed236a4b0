"""Features of links: what can be known before anybody has moved along one."""

from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import Elements, Links
from prum.simulator.model.arrays import Flags, Floats, Ints

# Beside its size, a deviation that rounding leaves of none.
_NONE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LinkFeatures:
    """Features of each row of a table of links, on one scale: mean 0 and standard deviation 1.

    Parameters
    ----------
    names
        Of features; shape (d,).
    values
        Of each row of the links; shape (m, d).
    """

    names: tuple[str, ...]
    values: Floats

    def choosing(self, links: Links) -> "LinkFeatures":
        """Return those features that differ among the links of some source.

        The others say nothing of which link is taken.
        """
        sizes = np.maximum(np.diff(links.starts), 1)[:, None]
        sums = np.zeros((len(links.elements), len(self.names)))
        np.add.at(sums, links.sources, self.values)
        apart = np.abs(self.values - (sums / sizes)[links.sources]).max(axis=0, initial=0.0)
        return self.some(apart > _NONE)

    def some(self, kept: Flags) -> "LinkFeatures":
        """Return some of these features."""
        return LinkFeatures(tuple(compress(self.names, kept)), self.values[:, kept])


def link_features(links: Links, elements: Elements | None = None) -> LinkFeatures:
    """Return features of each row of links, of x -> y.

    Always: the logarithms of 1 + in-degree and out-degree of y and of out-degree of x, whether y
    links back, and of 1 + the numbers of shared targets (elements to which both link), shared
    sources (which link to both) and two-step ways (x -> z -> y). Logarithms likewise below.

    With elements: tree distance (steps between x and y by parents and children, documents being
    siblings), same document, distance (between starts, logarithm, 0 between documents), after
    (whether y begins after x in its document), size of y and of x (logarithms of lengths), place
    of y among siblings (logarithm), start of y (as a share of its document), depth of y and of x.

    What is the same for all links is left out.

    >>> links = Links({("a", "b"): 1, ("a", "c"): 1, ("b", "a"): 1})
    >>> features = link_features(links)
    >>> place = features.names.index("links back")
    >>> features.values[:, place].round(2).tolist(), "in-degree" in features.names
    ([0.71, -1.41, 0.71], False)
    """
    columns = _of_graph(links) | ({} if elements is None else _of_elements(links, elements))
    raw = np.column_stack(list(columns.values())).astype(np.float64)
    values = raw - (raw.mean(axis=0) if len(raw) else 0.0)
    deviations = np.sqrt((values**2).mean(axis=0)) if len(raw) else np.zeros(len(columns))
    varies = deviations > _NONE * np.abs(raw).max(axis=0, initial=0.0)
    some = LinkFeatures(tuple(columns), values).some(varies)
    return LinkFeatures(some.names, some.values / deviations[varies])


def _of_graph(links: Links) -> dict[str, ArrayLike]:
    """Return the features that links themselves have."""
    size = len(links.elements)
    x, y = links.sources.astype(np.int64), links.targets.astype(np.int64)
    out = np.diff(links.starts)
    into = np.bincount(y, minlength=size)
    # By target, in the order of sources: the links turned round.
    turned = np.append(0, np.cumsum(into)), x[np.argsort(y, kind="stable")]
    straight = np.append(0, np.cumsum(out)), y

    def shared(of_x: tuple[Ints, Ints], of_y: tuple[Ints, Ints]) -> Floats:
        from prum.simulator.sampling.kernels import num_shared

        number = np.zeros(len(x), dtype=np.int64)
        num_shared(x, *of_x, y, *of_y, number)
        logarithm: Floats = np.log1p(number)
        return logarithm

    return {
        "in-degree": np.log1p(into)[y],
        "out-degree": np.log1p(out)[y],
        "out-degree of source": np.log1p(out)[x],
        "links back": np.isin(y * size + x, x * size + y),
        "shared targets": shared(straight, straight),
        "shared sources": shared(turned, turned),
        "two-step ways": shared(straight, turned),
    }


def _of_elements(links: Links, elements: Elements) -> dict[str, ArrayLike]:
    """Return the features that places and lengths of elements give."""
    number = np.array([elements.number(name) for name in links.elements], dtype=np.int64)
    x, y = number[links.sources], number[links.targets]
    document, start = elements.documents, elements.starts
    together = document[x] == document[y]
    size, depth = np.log1p(elements.lengths), elements.depths.astype(np.float64)
    whole = elements.lengths[document]
    share = np.divide(start - start[document], whole, out=np.zeros(len(start)), where=whole > 0)
    # The number of siblings before each element, in document order.
    order = np.argsort(elements.parents, kind="stable")
    parents, place = elements.parents[order], np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - np.searchsorted(parents, parents)
    return {
        "tree distance": _tree_distance(elements, x, y),
        "same document": together,
        "distance": np.where(together, np.log1p(np.abs(start[y] - start[x])), 0.0),
        "after": together & (start[y] > start[x]),
        "size": size[y],
        "size of source": size[x],
        "place among siblings": np.log1p(place)[y],
        "start": share[y],
        "depth": depth[y],
        "depth of source": depth[x],
    }


def _tree_distance(elements: Elements, x: Ints, y: Ints) -> Ints:
    """Return how many steps to parents and children part two elements; documents are siblings."""
    depth, parents = elements.depths, elements.parents
    x, y, steps = x.copy(), y.copy(), np.zeros(len(x), dtype=np.int64)
    while len(apart := np.flatnonzero(x != y)):
        # The deeper one climbs, both where they are as deep; -1 is the parent of all documents.
        first, second = (np.where(side[apart] < 0, -1, depth[side[apart]]) for side in (x, y))
        for side, climbs in ((x, first >= second), (y, second >= first)):
            rows = apart[climbs]
            side[rows] = parents[side[rows]]
            steps[rows] += 1
    return steps
