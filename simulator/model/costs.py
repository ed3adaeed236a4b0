"""Costs: what consulting and reading an element takes, in seconds, characters or tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError
from prum.simulator.model.list_costs import ListCosts
from prum.simulator.model.task import Task
from prum.simulator.model.times import Constant, Duration, checked_duration, seconds

SECONDS = "seconds"

# What an element costs at most: sums, squares and cubes of more leave the range of floats.
MOST_COST = 2**53
COST_RULE = f"be positive, and at most {MOST_COST}"

_DEFAULTS: tuple[tuple[str, object], ...] = (
    ("per_unit", 0.0), ("length", 0.0), ("lengths", {}), ("quantity", SECONDS),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
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

    Raises
    ------
    InputError
        for a law that is not a time, and a number that is negative or infinite.

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
    _row: Mapping[str, int] = field(init=False, repr=False, compare=False)
    _lengths: Floats = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("judge", "read", "move"):
            checked_duration(name, getattr(self, name))
        for name in ("per_unit", "length"):
            object.__setattr__(self, name, seconds(name, getattr(self, name)))
        lengths = _checked(self.lengths)
        object.__setattr__(self, "lengths", lengths)
        object.__setattr__(self, "_row", dict(zip(lengths, range(len(lengths)), strict=True)))
        object.__setattr__(
            self, "_lengths", np.fromiter(lengths.values(), np.float64, len(lengths))
        )

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

        Raises
        ------
        InputError
            for an element that costs nothing or more than `MOST_COST`, or whose cost is not known.

        >>> costs = Costs.of({"a": 120, "b": 80, "c": 40}, unit="tokens")
        >>> costs.along(Task(["b"], ["a"], 3))
        ListCosts([80.0], 80.0, unit='tokens')
        """
        each = self.judge.mean + self.reading([self.length_of(x) for x in task.ranking])
        wrong = each <= 0 if (each <= 0).any() else each > MOST_COST
        if wrong.any():
            element = task.ranking[int(np.argmax(wrong))]
            known = self.mean(element) if element in self.lengths else None
            rule = "be positive" if (each <= 0).any() else COST_RULE
            remedy = "give what it costs"
            raise InputError(f"{self.quantity} of {element!r}", known, rule, remedy=remedy)
        ranked = [self._row[element] for element in {*task.ranking} if element in self._row]
        behind = np.delete(self._lengths, ranked)
        length = float(behind.mean()) if behind.size else self.length
        unranked = self.judge.mean + float(self.reading(length))
        if unranked <= 0 and not task.num_unranked:
            unranked = 1.0  # nothing stands behind the list
        if not 0 < unranked <= MOST_COST:
            thing = f"{self.quantity} of an element behind the list"
            remedy = "give what elements cost that are not ranked, too"
            raise InputError(thing, unranked, COST_RULE, remedy=remedy)
        return ListCosts(each, unranked, unit=self.quantity)

    def length_of(self, element: str) -> float:
        """Return the length of an element."""
        return self.lengths.get(element, self.length)

    def __repr__(self) -> str:
        more = [
            f"{name}={getattr(self, name)!r}"
            for name, default in _DEFAULTS
            if getattr(self, name) != default
        ]
        shown = [f"{name}={getattr(self, name)!r}" for name in ("judge", "read", "move")]
        return f"Costs({', '.join([*shown, *more])})"


def _checked(lengths: Mapping[str, float]) -> dict[str, float]:
    """Return lengths if none is negative or infinite."""
    values = lengths.values()
    if set(map(type, values)) <= {int, float}:
        each = np.fromiter(map(float, values), np.float64, len(lengths))
        if (np.isfinite(each) & (each >= 0)).all():
            return dict(zip(lengths, each.tolist(), strict=True))
    return {x: seconds(f"length of {x!r}", length) for x, length in lengths.items()}
