"""What the ranks of a list cost, and elements behind it: any numbers, or whole steps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import InputError, check_each, real, real_array
from prum.simulator.model.task import Task, content_key

# The unit where each element costs 1.
ELEMENTS = "elements"
# Bits of what a whole list and all behind it cost, in steps: sums of squares still fit kernels.
STEP_BITS = 48
# Cubes of sums of costs stay numbers between these, powers of two as steps are.
_LEAST, _MOST = 2.0**-200, 2.0**200
COST_RULE = "be a positive number, from 1e-60 to 1e60"


def is_cost(values: ArrayLike) -> Flags:
    """Return whether numbers can be what elements cost."""
    valid: Flags = (np.asarray(values) >= _LEAST) & (np.asarray(values) <= _MOST)
    return valid


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class ListCosts:
    """What each rank of a list costs, and each element behind it; costs are positive.

    With a cost of 1 each, cost is the number of consulted elements.

    Parameters
    ----------
    ranked
        c_i, the cost of rank i; shape (o,).
    unranked
        c, what each element drawn behind the list costs.
    unit
        What is counted.

    Raises
    ------
    InputError
        for a cost that is not positive, or beyond 1e-60 to 1e60.

    >>> ListCosts([120, 80], 100, unit="tokens").total(2)
    400.0
    """

    ranked: Floats
    unranked: float
    unit: str

    def __init__(self, ranked: ArrayLike, unranked: float, *, unit: str = ELEMENTS) -> None:
        remedy = "give each element what it costs"
        each = real_array("costs", ranked, remedy=remedy, shape=("o",)).copy()
        check_each("cost", each, is_cost(each), COST_RULE, remedy=remedy, place="rank {}")
        each.setflags(write=False)
        object.__setattr__(self, "ranked", each)
        behind = real(unranked)
        if not is_cost(behind):
            thing = "cost of an element behind the list"
            raise InputError(thing, unranked, COST_RULE, remedy=remedy)
        object.__setattr__(self, "unranked", behind)
        object.__setattr__(self, "unit", unit)

    @classmethod
    def units(cls, num_ranked: int) -> "ListCosts":
        """Return costs of 1 for each element."""
        return cls(np.ones(num_ranked), 1.0)

    def along(self, task: Task) -> "ListCosts":
        """Return these costs, as those of a task's list.

        Raises
        ------
        InputError
            for a list of another length.
        """
        return costs_of_list(self, task.num_ranked)

    def total(self, unranked: int) -> float:
        """Return what the whole list costs, and so many elements behind it."""
        return float(self.ranked.sum()) + unranked * self.unranked

    def up_to(self, consulted: Ints) -> Floats:
        """Return what so many elements cost, from the top of the list.

        >>> ListCosts([120, 80], 100).up_to(np.array([1, 4])).tolist()
        [120.0, 400.0]
        """
        listed = np.minimum(consulted, len(self.ranked))
        cost: Floats = self.before()[listed] + self.unranked * (consulted - listed)
        return cost

    def before(self) -> Floats:
        """Return what the first i ranks cost, i = 0 .. o; shape (o + 1,)."""
        return np.append(0.0, np.cumsum(self.ranked))

    def in_steps(self, num_unranked: int) -> "CostSteps":
        """Return these costs in whole numbers of a step.

        A step is a power of two, the largest of which all costs are multiples. If there is none,
        or all that is consulted at most would cost 2^48 steps or more, each cost is rounded to the
        finest step that leaves less, and is at least one step.

        >>> ListCosts([120, 80], 100).in_steps(2)
        CostSteps(before=array([ 0, 30, 50]), unranked=25, bits=-2)
        """
        num_ranked = len(self.ranked)
        used = self.ranked
        if num_unranked or not num_ranked:
            used = np.append(used, self.unranked)
        times = np.append(np.ones(num_ranked), num_unranked)[: len(used)]
        # The largest is below 1 as a share of 2^exponent, so that no sum is too large.
        exponent = int(np.frexp(used.max())[1])
        bits = STEP_BITS
        while True:
            whole = np.maximum(np.rint(np.ldexp(used, bits - exponent)), 1)
            if float(whole @ times) < 2**STEP_BITS:
                break
            bits -= 1
        steps = whole.astype(np.int64)
        common = int(np.bitwise_or.reduce(steps))
        even = (common & -common).bit_length() - 1
        steps >>= even
        bits -= exponent + even
        # Where nothing is behind the list, what it would cost is of no account.
        behind = 2**STEP_BITS
        if int(np.frexp(self.unranked)[1]) + bits <= STEP_BITS:
            behind = max(int(np.rint(np.ldexp(self.unranked, bits))), 1)
        return CostSteps(np.append(0, np.cumsum(steps[:num_ranked])), behind, bits)

    def stepped(self, num_unranked: int) -> "ListCosts":
        """Return costs in whole numbers of a step, as `in_steps`; those that are so stay the same.

        >>> ListCosts([0.1], 1).stepped(1_000_000)
        ListCosts([0.10000000149011612], 1.0, unit='elements')
        """
        steps = self.in_steps(num_unranked)
        each = np.ldexp(np.diff(steps.before).astype(np.float64), -steps.bits)
        return ListCosts(each, float(np.ldexp(float(steps.unranked), -steps.bits)), unit=self.unit)

    def content(self) -> dict[str, object]:
        """Return the costs as plain data, what the arguments of `ListCosts` are."""
        return {"ranked": self.ranked.tolist(), "unranked": self.unranked, "unit": self.unit}

    @property
    def key(self) -> str:
        """SHA-256 of the costs' content."""
        return content_key(["ListCosts", self.content()])

    def __repr__(self) -> str:
        return f"ListCosts({self.ranked.tolist()}, {self.unranked}, unit={self.unit!r})"


@dataclass(frozen=True, slots=True, eq=False)
class CostSteps:
    """Costs as whole numbers of a step of 2^-bits, so that sums are exact.

    Parameters
    ----------
    before
        What the first i ranks cost, i = 0 .. o; shape (o + 1,).
    unranked
        What an element behind the list costs.
    bits
        Bits of a step behind the point; negative if a step is more than one.
    """

    before: Ints
    unranked: int
    bits: int

    @property
    def size(self) -> float:
        """A step, in the unit of the costs."""
        return float(np.ldexp(1.0, -self.bits))

    def total(self, unranked: int) -> int:
        """Return what the whole list costs, and so many elements behind it, in steps."""
        return int(self.before[-1]) + unranked * self.unranked


def num_paid(costs: ArrayLike, budget: float) -> int:
    """Return how many costs, from the first on, a budget pays; one that is just spent pays all.

    Whole costs are exact. Of others each one and each sum is rounded, so that n of them may miss a
    budget by n 2^-52 of it.

    >>> 0.1 + 0.2 > 0.3, num_paid([0.1, 0.2, 0.1], 0.3), num_paid([120, 80], 199)
    (True, 2, 1)
    """
    each = np.asarray(costs, dtype=np.float64)
    spent, rounding = np.cumsum(each), 0.0 if (each % 1 == 0).all() else 2.0**-52
    limit = budget * (1 + np.arange(1, len(spent) + 1) * rounding)
    return int(np.append(spent > limit, True).argmax())


def costs_of_list(costs: ListCosts | None, num_ranked: int) -> ListCosts:
    """Return the costs of a list of so many ranks, 1 for each element if there are none.

    Raises
    ------
    InputError
        for costs of another list.

    >>> costs_of_list(None, 2)
    ListCosts([1.0, 1.0], 1.0, unit='elements')
    """
    if costs is None:
        return ListCosts.units(num_ranked)
    if not isinstance(costs, ListCosts):
        remedy = "write ListCosts([...], c), or costs.along(task) of Costs"
        raise InputError("costs", costs, "be ListCosts", remedy=remedy)
    if len(costs.ranked) != num_ranked:
        rule = f"be {num_ranked}, the length of the list"
        remedy = "give each rank what it costs"
        raise InputError("number of costs", len(costs.ranked), rule, remedy=remedy)
    return costs
