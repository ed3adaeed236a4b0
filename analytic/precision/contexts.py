"""What each element of a list shows: its reach, and the law of the set of ideals seen from it."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from prum.analytic.precision.coupled import CouplingLike, coupled_within
from prum.analytic.precision.mixtures import one_factor_reach
from prum.simulator.model import Independent, Task
from prum.simulator.model.arrays import Flags, Floats

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The contexts of the elements of a list, whose browsing can be scaled.

    `reach`, shape (o, t), is P(l_i -> x) of a user who browses with factor 1; `own` says of its
    entries where an element is itself the ideal; visits of one context are coupled by `coupling`.
    """

    task: Task
    reach: "sparse.csr_array"
    own: Flags
    coupling: CouplingLike

    @classmethod
    def of(
        cls,
        task: Task,
        reach: "sparse.csr_array",
        coupling: CouplingLike = "independent",
        **more: Any,
    ) -> Self:
        """Return the contexts of a list with this reach."""
        reach.sort_indices()
        number = {ideal: x for x, ideal in enumerate(task.ideals)}
        element = np.array([number.get(element, -1) for element in task.ranking], dtype=np.int64)
        own = np.repeat(element, np.diff(reach.indptr)) == reach.indices
        return cls(task, reach, own, coupling, **more)

    @classmethod
    def of_visits(cls, task: Task, navigation: Independent, coupling: CouplingLike) -> Self:
        """Return the contexts of visits with the navigation's probabilities, so coupled."""
        from scipy import sparse

        ranks, ideals, probabilities = navigation.reach(task)
        shape = (task.num_ranked, task.num_ideals)
        reach = sparse.coo_array((probabilities, (ranks, ideals)), shape=shape).tocsr()
        return cls.of(task, reach, coupling)

    @property
    def num_elements(self) -> int:
        """Number of elements."""
        return int(self.reach.shape[0])

    def scaled(self, factors: Floats) -> "sparse.csr_array":
        """Return P(l_i -> x) of a user who browses with `factors`, shape (o,)."""
        return self.browsed(self.reach.data * np.repeat(factors, np.diff(self.reach.indptr)))

    def browsed(self, probabilities: Floats) -> "sparse.csr_array":
        """Return a reach of other probabilities, but for elements' to themselves."""

        from scipy import sparse

        values = np.where(self.own, 1.0, probabilities)
        return sparse.csr_array(
            (values, self.reach.indices, self.reach.indptr), shape=self.reach.shape
        )

    def within(self, factors: Floats) -> Floats:
        """Return P(N_i subset of A), shape (o, 2^t), of a user who browses with `factors`."""
        return coupled_within(self.scaled(factors), self.coupling)

    def with_factor(self, rho: float, z: float) -> "Contexts":
        """Return the contexts of a user with factor z, as in `one_factor_reach`; not for walks."""

        from scipy import sparse

        reach = sparse.csr_array(one_factor_reach(self.reach, rho, z))
        reach.sort_indices()
        return replace(self, reach=self.browsed(reach.data))

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
        if self.coupling != "independent" or self.own.any():
            return None
        dense = self.reach.toarray()
        if dense.size > 1 << 24 or (dense != dense[:, :1]).any():
            return None
        first: Floats = dense[:, 0]
        return first


def no_links(task: Task) -> Flags:
    """Return where no link leads from a rank to an ideal, shape (o, t).

    An element is itself the ideal, or stands higher up already.
    """
    own: Flags = np.array(task.ranking, dtype=object)[:, None] == np.array(
        task.ideals, dtype=object
    )
    return own | repeated_ranks(task)[:, None]


def repeated_ranks(task: Task) -> Flags:
    """Return which ranks hold an element that stands higher up already."""
    seen: set[str] = set()
    repeated = np.zeros(task.num_ranked, dtype=np.bool_)
    for rank, element in enumerate(task.ranking):
        repeated[rank] = element in seen
        seen.add(element)
    return repeated
