"""Costs: what elements take a user, in seconds, characters or tokens, and what lists then cost.

Seconds are constants or laws of times.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import InputError, amount, check_each, real, real_array
from prum.simulator.model.tables import numbered
from prum.simulator.model.task import Task, content_key


@dataclass(frozen=True, slots=True)
class Constant:
    """The same number of seconds each time."""

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", seconds("time", self.value))

    @property
    def mean(self) -> float:
        """Mean, in seconds."""
        return self.value


@dataclass(frozen=True, slots=True)
class Exponential:
    """Exponentially distributed seconds."""

    mean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", seconds("mean time", self.mean, positive=True))


Duration = Constant | Exponential


def seconds(thing: str, value: object, *, positive: bool = False) -> float:
    """Return a number of seconds, or of units, as `amount` does."""
    return amount(thing, value, positive=positive, remedy="give a number of seconds")


def checked_duration(thing: str, law: object) -> None:
    """Raise InputError unless `law` is a time."""
    if not isinstance(law, Duration):
        rule = "be Constant or Exponential"
        raise InputError(thing, law, rule, remedy="write Constant(4.4), say")


SECONDS = "seconds"

# What an element costs at most: sums, squares and cubes of more leave the range of floats.
MOST_COST = 2**53
MOST_COST_RULE = f"be positive, and at most {MOST_COST}"

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


@dataclass(frozen=True, repr=False)
class Costs:
    """What elements cost a user: seconds, or characters, tokens and the like.

    Consulting an element takes `judge`, a look at its summary in the list. The user then reads the
    element and each element they navigate to: `read` plus `per_unit` times its length. Getting to
    an element takes `move`, but nothing for the consulted element itself.

    Parameters
    ----------
    judge, read, move
        Times, in seconds, or costs in another unit.
    per_unit
        Cost per unit of length.
    lengths
        Element -> length, in words, say; others have `length`.
    quantity
        What is counted.

    Raises InputError for a law that is not a time, and a number that is negative or infinite.

    >>> Costs.unit()
    Costs(judge=Constant(value=1.0), read=Constant(value=0.0), move=Constant(value=0.0))
    """

    judge: Duration
    read: Duration
    move: Duration
    per_unit: float = 0.0
    length: float = 0.0
    lengths: Mapping[str, float] = field(default_factory=dict)
    quantity: str = SECONDS

    def __post_init__(self) -> None:
        for name in ("judge", "read", "move"):
            checked_duration(name, getattr(self, name))
        for name in ("per_unit", "length"):
            object.__setattr__(self, name, seconds(name, getattr(self, name)))
        object.__setattr__(self, "lengths", _checked(self.lengths))

    @cached_property
    def _table(self) -> tuple[dict[str, int], Floats]:
        """The row of each element with a length, and the lengths."""
        values = self.lengths.values()
        return numbered(tuple(self.lengths)), np.fromiter(values, np.float64, len(values))

    @classmethod
    def unit(cls) -> "Costs":
        """Return costs of 1 per consulted element, and of nothing else."""
        return cls(Constant(1), Constant(0), Constant(0))

    @classmethod
    def smucker_clarke(cls, lengths: Mapping[str, float] | None = None) -> "Costs":
        """Return the times of Smucker and Clarke (SIGIR 2012), lengths in words.

        4.4 s for a summary, 7.8 s and .018 s per word for a document, as fitted to 48 people.
        Elements of unknown length have none. Moving takes no time of its own.
        """
        return cls(Constant(4.4), Constant(7.8), Constant(0), 0.018, 0.0, lengths or {})

    @classmethod
    def of(cls, lengths: Mapping[str, float], *, unit: str, other: float = 0.0) -> "Costs":
        """Return costs that are a table: element -> cost, and what others cost.

        >>> Costs.of({"a": 120, "b": 80}, unit="tokens").mean("a")
        120.0
        """
        return cls(Constant(0), Constant(0), Constant(0), 1.0, other, lengths, unit)

    def mean(self, element: str) -> float:
        """Return what consulting and reading an element costs in the mean."""
        return self.judge.mean + float(self.reading(self.length_of(element)))

    def reading(self, lengths: ArrayLike) -> Floats:
        """Return what reading elements of these lengths takes in the mean, of any shape.

        >>> Costs.smucker_clarke().reading([0, 500])
        array([ 7.8, 16.8])
        """
        return self.read.mean + self.per_unit * np.asarray(lengths, dtype=np.float64)

    def along(self, task: Task) -> "ListCosts":
        """Return what the ranks of a list cost, and an element behind it.

        Behind the list stand elements in random order, each of which is taken to cost the mean of
        those that have a length and are not ranked; of `length` if there is none.

        Raises InputError for an element that costs nothing or more than `MOST_COST`, or whose cost
        is not known.

        >>> costs = Costs.of({"a": 120, "b": 80, "c": 40}, unit="tokens")
        >>> costs.along(Task(["b"], ["a"], 3))
        ListCosts([80.0], 80.0, unit='tokens')
        """
        each = self.judge.mean + self.reading([self.length_of(x) for x in task.ranking])
        wrong = each <= 0 if (each <= 0).any() else each > MOST_COST
        if wrong.any():
            element = task.ranking[int(np.argmax(wrong))]
            mean = self.mean(element) if element in self.lengths else None
            rule = "be positive" if (each <= 0).any() else MOST_COST_RULE
            remedy = "give what it costs"
            raise InputError(f"{self.quantity} of {element!r}", mean, rule, remedy=remedy)
        row_of, lengths = self._table
        behind = np.delete(lengths, [row_of[x] for x in {*task.ranking} if x in row_of])
        length = float(behind.mean()) if behind.size else self.length
        unranked = self.judge.mean + float(self.reading(length))
        if unranked <= 0 and not task.num_unranked:
            unranked = 1.0  # nothing stands behind the list
        if not 0 < unranked <= MOST_COST:
            thing = f"{self.quantity} of an element behind the list"
            remedy = "give what elements cost that are not ranked, too"
            raise InputError(thing, unranked, MOST_COST_RULE, remedy=remedy)
        return ListCosts(each, unranked, unit=self.quantity)

    def length_of(self, element: str) -> float:
        """Return the length of an element."""
        return self.lengths.get(element, self.length)

    def __repr__(self) -> str:
        names, plain = [each.name for each in fields(self)], Costs.unit()
        turned = [name for name in names[3:] if getattr(self, name) != getattr(plain, name)]
        told = [f"{name}={getattr(self, name)!r}" for name in (*names[:3], *turned)]
        return f"Costs({', '.join(told)})"


def _checked(lengths: Mapping[str, float]) -> dict[str, float]:
    """Return lengths if none is negative or infinite."""
    values = lengths.values()
    if set(map(type, values)) <= {int, float}:
        each = np.fromiter(map(float, values), np.float64, len(lengths))
        if (np.isfinite(each) & (each >= 0)).all():
            return dict(zip(lengths, each.tolist(), strict=True))
    return {x: seconds(f"length of {x!r}", length) for x, length in lengths.items()}


# --- of lists -----------------------------------------------------------------------------------


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

    Raises InputError for a cost that is not positive, or beyond 1e-60 to 1e60.

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

        Raises InputError for a list of another length.
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

    Raise InputError for costs of another list.

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
