"""What each element of a list shows: its reach, and the law of the set of ideals seen from it."""

from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from prum.analytic.precision.coupled import CouplingLike, coupled_within
from prum.analytic.precision.factors import one_factor_reach
from prum.analytic.precision.walks import reach_from, watched, within_from
from prum.simulator.model import Copula, Coupled, Independent, Links, Task, Walk
from prum.simulator.model.arrays import Flags, Floats, Ints

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The contexts of the elements of a list, whose browsing can be scaled.

    `reach`, shape (o, t), is P(l_i -> x) of a user who browses with factor 1; `own` says of its
    entries where an element is itself the ideal; visits of one context are coupled by
    `coupling`, or are those of a path, if the walk is `watched` (H at the ranks, K; see `walks`).
    """

    task: Task
    navigation: Independent | Coupled | Walk
    reach: "sparse.csr_array"
    own: Flags
    coupling: CouplingLike
    watched: tuple[Floats, Floats] | None

    @property
    def num_elements(self) -> int:
        """Number of elements."""
        return int(self.reach.shape[0])

    def scaled(self, factors: Floats) -> "sparse.csr_array":
        """Return P(l_i -> x) of a user who browses with `factors`, shape (o,)."""
        return self._browsed(self.reach.data * np.repeat(factors, np.diff(self.reach.indptr)))

    def _browsed(self, probabilities: Floats) -> "sparse.csr_array":
        """Return a reach of other probabilities, but for elements' to themselves."""

        from scipy import sparse

        values = np.where(self.own, 1.0, probabilities)
        return sparse.csr_array(
            (values, self.reach.indices, self.reach.indptr), shape=self.reach.shape
        )

    def within(self, factors: Floats) -> Floats:
        """Return P(N_i subset of A), shape (o, 2^t), of a user who browses with `factors`."""
        if self.watched is None:
            return coupled_within(self.scaled(factors), self.coupling)
        # A user sets off, or sees the element alone.
        on_path = within_from(*self.watched)
        on_path[repeated_ranks(self.task)] = 1
        staying = coupled_within(self._browsed(np.zeros(len(self.own))), "independent")
        part = factors[:, np.newaxis]
        within: Floats = part * on_path + (1 - part) * staying
        within[:, -1] = 1
        return np.clip(within, 0, 1)

    def with_factor(self, rho: float, z: float) -> "Contexts":
        """Return the contexts of a user with factor z, as in `one_factor_reach`; not for walks."""

        from scipy import sparse

        reach = sparse.csr_array(one_factor_reach(self.reach, rho, z))
        reach.sort_indices()
        return replace(self, reach=self._browsed(reach.data))

    def has_corners(self, *, by_quantile: bool) -> bool:
        """Whether exclusive visits come to overlap as their probabilities grow.

        They are multiplied by up to 1, or, by quantile, each grows up to 1.
        """
        if self.coupling != "exclusive":
            return False
        grown = np.where(self.own, 0, self.reach.data > 0 if by_quantile else self.reach.data)
        sums = np.add.reduceat(np.append(grown, 0.0), self.reach.indptr[:-1])
        return bool((sums[np.diff(self.reach.indptr) > 0] > 1).any())

    def alike(self) -> Floats | None:
        """Return p_i, if each visit is on its own and each element shows all ideals alike."""
        if self.watched is not None or self.coupling != "independent" or self.own.any():
            return None
        dense = self.reach.toarray()
        if dense.size > 1 << 24 or (dense != dense[:, :1]).any():
            return None
        first: Floats = dense[:, 0]
        return first

    def unranked(self) -> "Contexts":
        """Return the contexts of the unranked elements that may show something."""
        task, links = self.task, self.navigation.links
        ranked = set(task.ranking)
        sources = (links.elements[k] for k in np.unique(links.sources[links.probabilities > 0]))
        candidates = tuple(sorted(({*sources} | {*task.ideals}) - ranked))
        largest = len(candidates) + len(ranked) + task.num_ideals
        contexts = contexts_of(Task(candidates, task.ideals, largest), self.navigation)
        shown = np.unique(contexts.reach.nonzero()[0])
        chosen = Task([candidates[k] for k in shown], task.ideals, largest)
        return contexts_of(chosen, self.navigation)


def contexts_of(task: Task, navigation: Independent | Coupled | Walk) -> Contexts:
    """Return what each element of the list shows."""

    from scipy import sparse

    coupling: CouplingLike = "independent"
    path = None
    if isinstance(navigation, Walk):
        path = _walked(task, navigation.links)
        dense = reach_from(*path)
        dense[repeated_ranks(task)] = 0
        reach = sparse.csr_array(dense)
    else:
        ranks, ideals, probabilities = navigation.reach(task)
        shape = (task.num_ranked, task.num_ideals)
        reach = sparse.coo_array((probabilities, (ranks, ideals)), shape=shape).tocsr()
    if isinstance(navigation, Coupled):
        of_visits = navigation.coupling
        coupling = of_visits.rho if isinstance(of_visits, Copula) else of_visits
    reach.sort_indices()
    number = {ideal: x for x, ideal in enumerate(task.ideals)}
    element = np.array([number.get(element, -1) for element in task.ranking], dtype=np.int64)
    own = np.repeat(element, np.diff(reach.indptr)) == reach.indices
    return Contexts(task, navigation, reach, own, coupling, path)


def _walked(task: Task, links: Links) -> tuple[Floats, Floats]:
    """Return the watched walk: H at the ranks, K; see `walks`."""
    first_of_all, between = watched_from_all(links, task.ideals)
    first = np.zeros((task.num_ranked, task.num_ideals))
    own = {ideal: x for x, ideal in enumerate(task.ideals)}
    for rank, element in enumerate(task.ranking):
        if element in own:
            first[rank, own[element]] = 1
        elif element in links.code:
            first[rank] = first_of_all[links.code[element]]
    return first, between


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


def repeated_ranks(task: Task) -> Flags:
    """Return which ranks hold an element that stands higher up already."""
    seen: set[str] = set()
    repeated = np.zeros(task.num_ranked, dtype=np.bool_)
    for rank, element in enumerate(task.ranking):
        repeated[rank] = element in seen
        seen.add(element)
    return repeated
