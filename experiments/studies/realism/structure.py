"""Numbers that tell of structure: degrees of pages, sizes and shapes of trees.

Pages choose their own links, so their numbers are taken as independent. What is linked to whom
hangs together over a whole web, by communities and by what is popular: there it is one group.
"""

import numpy as np
from numpy.typing import NDArray

from prum.experiments.statistics.distances import GroupedSample
from prum.experiments.studies.realism.reading import LinkTable
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.elements import Elements

# So many pages, drawn at random, tell how clustered a larger web is.
MOST_CLUSTERED = 20_000
_SEED = 1
_PAGES_AT_ONCE = 2_000


def returned(links: LinkTable) -> GroupedSample:
    """Return for each page with links the share of them whose targets link back."""
    size = links.num_pages
    there, back = links.sources * size + links.targets, links.targets * size + links.sources
    degrees = links.out_degrees
    answered = np.bincount(links.sources, weights=np.isin(back, there), minlength=size)
    return GroupedSample.whole(answered[degrees > 0] / degrees[degrees > 0])


def clustering(links: LinkTable) -> GroupedSample:
    """Return for pages with two links or more the share of pairs of their targets that are linked.

    Pairs count in both directions.
    """
    from scipy.sparse import csr_array

    size = links.num_pages
    table = csr_array(
        (np.ones(len(links.sources)), (links.sources, links.targets)), shape=(size, size)
    )
    degrees = np.diff(table.indptr).astype(np.float64)
    pages = np.flatnonzero(degrees >= 2)
    if len(pages) > MOST_CLUSTERED:
        rng = np.random.default_rng(_SEED)
        pages = np.sort(rng.choice(pages, MOST_CLUSTERED, replace=False))
    shares = [np.empty(0)]
    for begin in range(0, len(pages), _PAGES_AT_ONCE):
        block = pages[begin : begin + _PAGES_AT_ONCE]
        rows = table[block]
        linked: Floats = np.asarray((rows @ table).multiply(rows).sum(axis=1)).ravel()
        shares.append(linked / (degrees[block] * (degrees[block] - 1)))
    return GroupedSample.whole(np.concatenate(shares))


def of_leaves(elements: Elements, values: NDArray[np.generic]) -> GroupedSample:
    """Return what values of all elements those without children have, by document."""
    leaves = is_leaf(elements)
    return GroupedSample.of(values[leaves], elements.documents[leaves])


def children(elements: Elements) -> GroupedSample:
    """Return the number of children of elements that have some."""
    inside = ~is_leaf(elements)
    return GroupedSample.of(num_children(elements)[inside], elements.documents[inside])


def document_sizes(elements: Elements) -> GroupedSample:
    """Return the number of elements of each document, itself among them."""
    documents = np.flatnonzero(elements.parents < 0)
    return GroupedSample.of(elements.afters[documents] - documents)


def num_children(elements: Elements) -> Ints:
    """Return the number of children of each element."""
    counts = np.bincount(elements.parents[elements.parents >= 0], minlength=len(elements.ids))
    return counts.astype(np.int64)


def is_leaf(elements: Elements) -> Flags:
    """Return whether each element has no children."""
    return np.equal(num_children(elements), 0)
