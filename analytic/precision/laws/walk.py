"""Walks: what the paths from the elements of a list come to."""

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from prum.analytic.precision.coupled import Contexts, coupled_within, repeated_ranks
from prum.analytic.precision.walks import reach_from, watched, within_from
from prum.simulator.model import Links, Task, Walk
from prum.simulator.model.arrays import Floats, Ints

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, slots=True, eq=False)
class WalkContexts(Contexts):
    """Contexts that are paths of a walk: `first`, H at the ranks, and `between`, K; see `walks`."""

    first: Floats
    between: Floats

    def within(self, factors: Floats) -> Floats:
        """Return P(N_i subset of A): a user sets off with `factors`, or sees the element alone."""
        on_path = within_from(self.first, self.between)
        on_path[repeated_ranks(self.task)] = 1
        staying = coupled_within(self.browsed(np.zeros(len(self.is_itself))), "independent")
        part = factors[:, np.newaxis]
        within: Floats = part * on_path + (1 - part) * staying
        within[:, -1] = 1
        return np.clip(within, 0, 1)


def contexts(task: Task, navigation: Walk) -> WalkContexts:
    """Return what the path from each element of the list shows."""
    from scipy import sparse

    links = navigation.links
    first_of_all, between = watched_from_all(links, task.ideals)
    first = np.zeros((task.num_ranked, task.num_ideals))
    column = {ideal: x for x, ideal in enumerate(task.ideals)}
    for rank, element in enumerate(task.ranking):
        if element in column:
            first[rank, column[element]] = 1
        elif element in links.code:
            first[rank] = first_of_all[links.code[element]]
    dense = reach_from(first, between)
    dense[repeated_ranks(task)] = 0
    reach = sparse.csr_array(dense)
    return WalkContexts.of(task, reach, first=first, between=between)


def watched_from_all(links: Links, ideals: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Return H for every element of the links and K; kept for other lists of the same topics."""
    key = links, ideals
    kept = _KEPT.get(key)
    if kept is None:
        moves, rows = moves_between(links, ideals)
        kept = watched(moves, np.arange(moves.shape[0]), rows)
        with _KEEPING:
            _KEPT[key] = kept
            while len(_KEPT) > 1 and sum(first.nbytes for first, _ in _KEPT.values()) > _MOST_KEPT:
                del _KEPT[next(iter(_KEPT))]
    return kept


_KEPT: dict[tuple[Links, tuple[str, ...]], tuple[Floats, Floats]] = {}
_KEEPING = Lock()
# Bytes.
_MOST_KEPT = 1 << 28


def moves_between(links: Links, ideals: tuple[str, ...]) -> tuple["sparse.csr_array", Ints]:
    """Return moves between the elements of the links, and the ideals without, and ideals' rows."""

    from scipy import sparse

    n = len(links.elements)
    unlinked = [ideal for ideal in ideals if ideal not in links.code]
    size = n + len(unlinked)
    starts = np.append(links.starts, np.full(len(unlinked), links.starts[-1]))
    moves = sparse.csr_array((links.probabilities, links.targets, starts), shape=(size, size))
    row = {ideal: n + k for k, ideal in enumerate(unlinked)}
    return moves, np.array([links.code.get(ideal, row.get(ideal)) for ideal in ideals])
