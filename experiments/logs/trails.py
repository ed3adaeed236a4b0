"""Back clicks: where they lead, by the trail of elements that a person came along."""

import numpy as np

from prum.simulator.model.arrays import Flags, Ints


def depths(is_entry: Flags, is_back: Flags) -> Ints:
    """Return how many elements each trail holds after each visit; shape (m,).

    Below 1 where a back click has nothing to go back to. The first visit is an entry.

    >>> depths(np.array([1, 0, 0, 1]) > 0, np.array([0, 0, 1, 0]) > 0).tolist()
    [1, 2, 1, 1]
    """
    height = np.cumsum(np.where(is_back, -1, 1))
    base = height[is_entry] - np.where(is_back[is_entry], -1, 1)
    depth: Ints = height - base[np.cumsum(is_entry) - 1]
    return depth


def led_to(element: Ints, is_entry: Flags, is_back: Flags) -> Ints:
    """Return the element of each visit, that of a back click by the trail; shape (m,).

    A back click leads to what was come to otherwise, in the same path, when the trail was last as
    long as it is after the click.

    >>> visits = np.array([7, 8, 0, 9])
    >>> led_to(visits, np.array([1, 0, 0, 0]) > 0, np.array([0, 0, 1, 0]) > 0).tolist()
    [7, 8, 7, 9]
    """
    path = np.cumsum(is_entry) - 1
    num_paths = int(path[-1]) + 1 if len(path) else 0
    backs = np.bincount(path[is_back], minlength=num_paths)
    rows = np.flatnonzero(backs[path] > 0)
    depth = depths(is_entry, is_back)[rows]
    order = np.argsort(path[rows] * (int(depth.max(initial=0)) + 1) + depth, kind="stable")
    forward = np.where(is_back[rows[order]], 0, np.arange(len(order)))
    last = order[np.maximum.accumulate(forward)]
    whole = element.copy()
    whole[rows[order]] = element[rows[last]]
    return whole
