"""Stopping: when a user has had enough. Rules are plain data; of several the first counts."""

from collections.abc import Iterable
from dataclasses import dataclass

from prum.simulator.model.errors import InputError, proportion, whole_number
from prum.simulator.model.times import Duration, checked_duration, seconds


@dataclass(frozen=True, slots=True)
class Found:
    """Stop as soon as so many ideals are seen: the user of precision-recall.

    Raises
    ------
    InputError
        for what is no whole number of at least 1.
    """

    ideals: int

    def __post_init__(self) -> None:
        whole_number("ideals", self.ideals, least=1, remedy="say how many ideals he wants")


@dataclass(frozen=True, slots=True)
class Persistence:
    """Go on from each consulted element to the next with probability p: the user of RBP.

    He stops after k elements with probability (1 - p) p^(k-1), if there are more; the expected
    number of an endless list is 1 / (1 - p).

    Raises
    ------
    InputError
        for p outside [0, 1).
    """

    p: float

    def __post_init__(self) -> None:
        p = proportion("persistence", self.p, remedy="give .9, say")
        if p == 1:
            raise InputError(
                "persistence", p, "be below 1", remedy="leave the rule out for who never stops"
            )
        object.__setattr__(self, "p", p)


@dataclass(frozen=True, slots=True, init=False)
class Ranks:
    """Stop after k consulted elements with the k-th probability, k = 1, 2, ...

    What is missing to 1 does not stop by this rule.

    Raises
    ------
    InputError
        for no probability, one outside [0, 1], and a sum above 1.
    """

    probabilities: tuple[float, ...]

    def __init__(self, probabilities: Iterable[float]) -> None:
        law = tuple(
            proportion(f"probability of stopping at rank {k}", p, remedy="give a law of the rank")
            for k, p in enumerate(probabilities, start=1)
        )
        if not law or sum(law) > 1 + 1e-9:
            rule, remedy = "be some, of sum at most 1", "divide them by their sum"
            raise InputError("probabilities of stopping", sum(law), rule, remedy=remedy)
        object.__setattr__(self, "probabilities", law)


@dataclass(frozen=True, slots=True)
class Fruitless:
    """Stop after so many consulted elements in a row that led to no ideal not seen before.

    Raises
    ------
    InputError
        for what is no whole number of at least 1.
    """

    elements: int

    def __post_init__(self) -> None:
        whole_number("elements", self.elements, least=1, remedy="say how many in a row he bears")


@dataclass(frozen=True, slots=True)
class Budget:
    """Stop when so many seconds are over: what he is at is not finished.

    Raises
    ------
    InputError
        for what is no positive, finite number.
    """

    seconds: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "seconds", seconds("budget", self.seconds, positive=True))


@dataclass(frozen=True, slots=True)
class Patience:
    """Stop when patience, another time for each user, runs out, in the middle of what he is at.

    Raises
    ------
    InputError
        for what is no time.
    """

    law: Duration

    def __post_init__(self) -> None:
        checked_duration("patience", self.law)


Rule = Found | Persistence | Ranks | Fruitless | Budget | Patience


@dataclass(frozen=True, slots=True, init=False)
class Stopping:
    """Rules of which the first that applies stops the user; without any he goes on to the end.

    The end is that of the collection: after the list he consults all else in random order.

    Raises
    ------
    InputError
        for what is no rule.

    >>> Stopping(Found(2), Budget(60))
    Stopping(Found(ideals=2), Budget(seconds=60.0))
    """

    rules: tuple[Rule, ...]

    def __init__(self, *rules: Rule) -> None:
        for rule in rules:
            if not isinstance(rule, Rule):
                raise InputError(
                    "stopping rule",
                    rule,
                    "be Found, Persistence, Ranks, Fruitless, Budget or Patience",
                    remedy="give one or more of them",
                )
        object.__setattr__(self, "rules", rules)

    def __repr__(self) -> str:
        return f"Stopping({', '.join(map(repr, self.rules))})"

    @property
    def wanted(self) -> int | None:
        """How many ideals the user wants, if a rule says so."""
        return min((rule.ideals for rule in self.rules if isinstance(rule, Found)), default=None)
