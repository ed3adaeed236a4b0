"""Which link of a task to improve first: the gradient of precision by each P(x -> y)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from prum.analytic.precision.gradient import average_gradient, precision_gradient
from prum.analytic.precision.of_task import reach_factors, reach_matrix
from prum.simulator.model import Navigation, Task
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import whole_number

EXACT = "exact"
AS_INDEPENDENT = "independent visits with the same P(x -> y)"


class ImprovedLink(NamedTuple):
    """A link x -> y, its P(x -> y), and what precision gains per unit of it."""

    source: str
    target: str
    probability: float
    derivative: float


@dataclass(frozen=True, slots=True, eq=False)
class LinkGradient:
    """How precision answers to P(x -> y) of each ranked x and ideal y; arrays of shape (o, t).

    Row i is the ranked element x, column k is `task.ideals[k]`. Both arrays are 0 where an element
    is itself the ideal, and where it stands higher up already.

    Parameters
    ----------
    derivatives
        d precision / d P(x -> y), P(x -> y) that of users whose factors are 1.
    probabilities
        P(x -> y) as users have it in the mean.
    method
        "exact", or what was differentiated instead.
    """

    task: Task
    derivatives: Floats
    probabilities: Floats
    method: str

    def best(self, count: int = 10) -> list[ImprovedLink]:
        """Return the links in use (0 < P < 1) that precision gains most from, best first.

        Links that it gains nothing from are left out.
        """
        return self._largest(count, (self.probabilities > 0) & (self.probabilities < 1))

    def missing(self, count: int = 10) -> list[ImprovedLink]:
        """Return the pairs without a link that precision would gain most from, best first."""
        return self._largest(count, self.probabilities == 0)

    def _largest(self, count: int, chosen: Flags) -> list[ImprovedLink]:
        most = whole_number("count", count, least=1, remedy="give a number of links")
        gains = np.where(chosen & (self.derivatives > 0), self.derivatives, 0).ravel()
        # The same order everywhere where links are equal: by rank, then by ideal.
        order = np.argsort(-gains, kind="stable")[:most]
        return list(self._links(order[gains[order] > 0]))

    def _links(self, places: Ints) -> Iterator[ImprovedLink]:
        for rank, column in zip(*np.divmod(places, self.task.num_ideals), strict=True):
            yield ImprovedLink(
                self.task.ranking[rank],
                self.task.ideals[column],
                float(self.probabilities[rank, column]),
                float(self.derivatives[rank, column]),
            )


def link_gradient(task: Task, navigation: Navigation, r: int | None = None) -> LinkGradient:
    """Return how much precision gains by P(x -> y), for each ranked element and ideal.

    For independent visits, fading and documents included, this is the derivative of the exact
    value. For all else (couplings, walks, users who differ, satiation, need, browsing after the
    list) it is that of independent visits with the same P(x -> y): `method` says so. On a walk
    P(x -> y) is not the link but the probability that the path comes to y.

    Parameters
    ----------
    task, navigation
        What users face, and how they browse.
    r
        Of precision(r); left out, of the mean over r = 1 .. t.

    Raises
    ------
    InputError
        as `reach_matrix` and `precision_gradient`.

    >>> from prum.simulator.model import Independent
    >>> task = Task(["c", "d", "a", "b"], ["a", "b"], 4)
    >>> links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    >>> gradient = link_gradient(task, Independent(links))
    >>> for x, y, p, gain in gradient.best(2):
    ...     print(f"{x} -> {y}, now {p}: {gain:.3f}")
    c -> b, now 0.4: 0.304
    c -> a, now 0.4: 0.209
    """
    reach = reach_matrix(task, navigation)
    u = task.num_unranked
    slopes = average_gradient(reach, u) if r is None else precision_gradient(reach, u, r)
    probabilities = reach.toarray()
    seen: set[str] = set()
    column = {ideal: x for x, ideal in enumerate(task.ideals)}
    derivatives = slopes * reach_factors(task, navigation)[:, np.newaxis]
    for rank, element in enumerate(task.ranking):
        own = slice(None) if element in seen else column.get(element)
        if own is not None:
            derivatives[rank, own] = probabilities[rank, own] = 0
        seen.add(element)
    method = EXACT if navigation.is_tossed else AS_INDEPENDENT
    return LinkGradient(task, derivatives, probabilities, method)
