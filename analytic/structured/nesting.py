"""Overlap of a list: how much of it is in, or holds, something else of it."""

from collections.abc import Iterable

import numpy as np

from prum.analytic.ranked.ranks import checked_ids
from prum.simulator.model import Elements


def overlap(ranking: Iterable[str], elements: Elements) -> float:
    """Return the share of retrieved elements that contain or lie in another retrieved element.

    INEX's set-based overlap, in [0, 1]; 0 for an empty list. A repeated element counts once, and
    siblings do not contain each other, however their intervals lie.

    Parameters
    ----------
    ranking
        Ids; their order does not matter.
    elements
        The table of all elements named.

    Raises
    ------
    InputError
        for an element that is not in the table.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10), "d": (None, 10)})
    >>> overlap(["c", "d", "a"], tree)
    0.6666666666666666
    """
    retrieved = elements.numbers(checked_ids("ranking", ranking))
    if not retrieved.size:
        return 0.0
    afters = elements.afters[retrieved]
    nested = np.zeros(len(retrieved), dtype=np.bool_)
    nested[:-1] = retrieved[1:] < afters[:-1]
    nested[1:] |= retrieved[1:] < np.maximum.accumulate(afters)[:-1]
    return float(nested.mean())
