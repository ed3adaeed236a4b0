"""Visits of one context that depend on each other: the law of the set seen from each rank.

The margins P(l_i -> x) do not say which visits happen together. Each coupling is one answer, made
into P(N_i subset of A) for every set A of ideals: what `exact_joint` takes. The context of each
rank of a task is one of these, or its reach.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from prum.analytic.precision.joint import MOST_JOINT_IDEALS, subset_of
from prum.analytic.precision.mixtures import normal_nodes, one_factor_reach
from prum.analytic.precision.reach import MatrixLike, check_memory, checked_reach
from prum.simulator.model import Independent, InputError, Task
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.model.errors import proportion

if TYPE_CHECKING:
    from scipy import sparse

CouplingWord = Literal["independent", "exclusive", "comonotone"]
CouplingLike: TypeAlias = CouplingWord | float

_WORDS = ("independent", "exclusive", "comonotone")
# Successive orders of quadrature for a copula have to agree to this.
_AGREEMENT = 1e-12
_MOST_STEPS = 1 << 14
_NOTHING = 1e-40


def coupled_within(reach: MatrixLike, coupling: CouplingLike) -> Floats:
    """Return P(N_i subset of A) for every set A of ideals: input of `exact_joint`.

    N_i is the set of ideals seen from rank i, bit x of A stands for ideal x. Each visit has
    its probability p_x = reach[i, x]; the visits of a rank are coupled by `coupling`, those
    of different ranks are independent. A visit of probability 1, such as an element's to itself,
    has no part in it: every coupling leaves it certain and the others as they would be without.

    "independent"
        prod_{x not in A} (1 - p_x): Hypothesis 2.2.
    "exclusive"
        The p_x are laid end to end, in the order of the ideals, on a circle of length 1; those
        are visited in whose stretches a uniformly random point lies. As long as their sum is at
        most 1 no two are visited together, and the probability is 1 - sum_{x not in A} p_x;
        beyond, the number of visits is the sum rounded down or up, and the probability is the
        length of the arcs between the ends of stretches that only stretches of A cover.
    "comonotone"
        x is visited if a uniform number, one for the context, is below p_x:
        1 - max_{x not in A} p_x.
    rho, a number in [0, 1]
        A Gaussian copula with one factor: x is visited if
        sqrt(rho) Z + sqrt(1 - rho) E_x <= Phi^-1(p_x). Given Z = z it is with probability
        p_x(z) = Phi((Phi^-1(p_x) - sqrt(rho) z) / sqrt(1 - rho)); the result is the mean of
        prod_{x not in A} (1 - p_x(Z)), within about 1e-12. 0 is "independent", 1 "comonotone".

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), dense or sparse.
    coupling
        One of the words, or rho.

    Returns
    -------
    array of shape (o, 2^t), 8 o 2^t bytes; ranks that reach m ideals cost O(m 2^m) beyond it

    Raises InputError as `exact`, for an unknown coupling, for t above 20 or a result over 4 GiB,
    and for rho so near 1 that 16384 steps of quadrature do not suffice (nearer than about 1e-5).

    >>> from prum.analytic import exact_joint
    >>> reach = [[0.5, 0.5], [1, 0], [0, 1]]                  # the list (x, a, b)
    >>> for coupling in ("independent", "exclusive", "comonotone"):
    ...     print(exact_joint(coupled_within(reach, coupling), 0))
    PrecisionRecall(exact joint, t = 2: precision .8000 .7778)
    PrecisionRecall(exact joint, t = 2: precision 1.0000 .8000)
    PrecisionRecall(exact joint, t = 2: precision .6667 .7500)
    """
    entries = checked_reach(reach)
    law = _law(coupling)
    o, t = entries.num_ranked, entries.num_ideals
    if t > MOST_JOINT_IDEALS:
        rule = f"be at most {MOST_JOINT_IDEALS}"
        raise InputError("number of ideals", t, rule, remedy="name fewer ideals, or simulate")
    remedy = "name fewer ideals or ranks, or simulate"
    check_memory("coupled_within", 8 * o * 2**t, "8 o 2^t", remedy=remedy)
    within = np.empty((o, 1 << t))
    starts = np.searchsorted(entries.ranks, np.arange(o + 1))
    for i, row in enumerate(within):
        ideals = entries.ideals[starts[i] : starts[i + 1]]
        p = entries.probabilities[starts[i] : starts[i + 1]]
        uncertain = p < 1
        # Bit x of A is axis t - 1 - x.
        cube = row.reshape((2,) * t)
        shape = np.ones(t, dtype=np.intp)
        shape[t - 1 - ideals[uncertain]] = 2
        if uncertain.any():
            cube[...] = law(p[uncertain]).reshape(shape)
        else:
            cube[...] = 1
        for x in ideals[~uncertain]:
            row.reshape(-1, 2, 1 << int(x))[:, 0] = 0
        row[-1] = 1
    return within


def _law(coupling: CouplingLike) -> Callable[[Floats], Floats]:
    """Return the function from 0 < p < 1, shape (m,), to P(N subset of A), shape (2^m,)."""
    if isinstance(coupling, str):
        if coupling == "independent":
            return lambda p: over_others(1 - p, np.multiply)
        if coupling == "exclusive":
            return _exclusive
        if coupling == "comonotone":
            return lambda p: over_others(1 - p, np.minimum)
    else:
        remedy = f"name one of {_WORDS} or give a correlation from 0 to 1"
        rho = proportion("coupling", coupling, remedy=remedy)
        if rho == 0:
            return _law("independent")
        if rho == 1:
            return _law("comonotone")
        return lambda p: _copula(p, rho)
    remedy = "say how visits from one rank depend on each other"
    rule = f"be one of {_WORDS} or a number in [0, 1]"
    raise InputError("coupling", coupling, rule, remedy=remedy)


def over_others(unseen: Floats, join: np.ufunc) -> Floats:
    """Return join over x not in A of unseen[x] for every A, built ideal by ideal."""
    m = len(unseen)
    table = np.ones((1 << m, *unseen.shape[1:]))
    for x in range(m):
        half = 1 << x
        table[half : 2 * half] = table[:half]
        join(table[:half], unseen[x], out=table[:half])
    return table


def _exclusive(p: Floats) -> Floats:
    """Return P(N subset of A) of a point on the circle: the arcs' lengths, summed over subsets."""
    m = len(p)
    ends = np.cumsum(p)
    # A sum that was meant to be whole misses it by rounding.
    whole = np.round(ends)
    ends = np.where(np.abs(ends - whole) <= 4 * m * np.spacing(np.maximum(ends, 1)), whole, ends)
    ends -= np.floor(ends)
    begins = np.append(0.0, ends[:-1])
    cuts = np.unique(np.append(ends, [0.0, 1.0]))
    arcs = np.diff(cuts)
    points = cuts[:-1, None]
    after, before = points >= begins, points < ends
    wraps = (ends < begins) | ((ends == begins) & (p > 0.5))
    covered = np.where(wraps, after | before, after & before)
    table = np.zeros(1 << m)
    np.add.at(table, covered @ (1 << np.arange(m)), arcs)
    return np.minimum(subset_of(table, m), 1)


def _copula(p: Floats, rho: float) -> Floats:
    """Return P(N subset of A) by the trapezoidal rule over the factor.

    The order is settled by each p alone and the products over the k largest and the k smallest,
    k = 1 .. m. Given it, the table is a matrix product of those of two halves of the ideals.
    """
    from scipy.special import ndtr, ndtri

    m = len(p)
    if m == 1:
        return over_others(1 - p, np.multiply)
    scores = ndtri(p)
    rising = np.sort(scores)

    def unseen(scores: Floats, nodes: Floats) -> Floats:
        slack = math.sqrt(rho) * nodes - scores[:, None]
        values: Floats = ndtr(slack / math.sqrt(1 - rho))
        return values

    def probes(rule: tuple[Floats, Floats]) -> Floats:
        nodes, weights = rule
        alone = unseen(rising, nodes)
        products = (alone, np.cumprod(alone, axis=0), np.cumprod(alone[::-1], axis=0))
        return np.concatenate(products) @ weights

    steps, change = 32, math.inf
    value = probes(normal_nodes(steps))
    while change > _AGREEMENT:
        if steps >= _MOST_STEPS:
            remedy = "take comonotone visits, which it hardly differs from"
            raise InputError("coupling", rho, "be 1 or farther from it", remedy=remedy)
        steps, before = 2 * steps, value
        nodes, weights = normal_nodes(steps)
        value = probes((nodes, weights))
        change = float(np.max(np.abs(value - before)))
    by_node = unseen(scores, nodes)
    low, high = (
        over_others(by_node[: m // 2], np.multiply),
        over_others(by_node[m // 2 :], np.multiply),
    )
    high *= weights
    # What is nothing beside 1 is slow to multiply where it comes down to denormal numbers.
    for half in (low, high):
        half[half < _NOTHING] = 0
    table: Floats = (high @ low.T).ravel()
    return np.minimum(table, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The contexts of the elements of a list, whose browsing can be scaled.

    `reach`, shape (o, t), is P(l_i -> x) of a user who browses with factor 1; `is_itself` says
    in which entries an element is itself the ideal; `coupling` couples visits of one context.
    """

    task: Task
    reach: "sparse.csr_array"
    is_itself: Flags
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
        shows_itself = np.repeat(element, np.diff(reach.indptr)) == reach.indices
        return cls(task, reach, shows_itself, coupling, **more)

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

        values = np.where(self.is_itself, 1.0, probabilities)
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
        grown = np.where(self.is_itself, 0, self.reach.data > 0 if by_quantile else self.reach.data)
        sums = np.add.reduceat(np.append(grown, 0.0), self.reach.indptr[:-1])
        return bool((sums[np.diff(self.reach.indptr) > 0] > 1).any())


def no_links(task: Task) -> Flags:
    """Return where no link leads from a rank to an ideal, shape (o, t).

    An element is itself the ideal, or stands higher up already.
    """
    shows_itself: Flags = np.array(task.ranking, dtype=object)[:, None] == np.array(
        task.ideals, dtype=object
    )
    return shows_itself | repeated_ranks(task)[:, None]


def repeated_ranks(task: Task) -> Flags:
    """Return which ranks hold an element that stands higher up already."""
    seen: set[str] = set()
    repeated = np.zeros(task.num_ranked, dtype=np.bool_)
    for rank, element in enumerate(task.ranking):
        repeated[rank] = element in seen
        seen.add(element)
    return repeated
