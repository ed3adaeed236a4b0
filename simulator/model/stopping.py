"""Stopping: when a user has had enough. Rules are plain data, with names; the first counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prum.simulator.model.costs import Duration, Exponential, checked_duration, seconds
from prum.simulator.model.errors import InputError, proportion, proportions, whole_number
from prum.simulator.model.grammar import Vocabulary


@dataclass(frozen=True, slots=True)
class Found:
    """Stop as soon as so many ideals are seen: the user of precision-recall."""

    ideals: int

    def __post_init__(self) -> None:
        whole_number("ideals", self.ideals, least=1, remedy="say how many ideals the user wants")


@dataclass(frozen=True, slots=True)
class Persistence:
    """Go on from each consulted element to the next with probability p: the user of RBP.

    The user stops after k elements with probability (1 - p) p^(k-1), if there are more; in an
    endless list the expected number is 1 / (1 - p).
    """

    p: float

    def __post_init__(self) -> None:
        p = proportion("persistence", self.p, remedy="give .9, say")
        if p == 1:
            raise InputError(
                "persistence", p, "be below 1", remedy="leave the rule out for users who never stop"
            )
        object.__setattr__(self, "p", p)


@dataclass(frozen=True, slots=True, init=False)
class Ranks:
    """Stop after k consulted elements with the k-th probability, k = 1, 2, ...

    With the probability that is missing to 1, this rule does not stop the user.
    """

    probabilities: tuple[float, ...]

    def __init__(self, probabilities: Iterable[float]) -> None:
        law = proportions("probabilities", probabilities)
        if sum(law) > 1 + 1e-9:
            thing = "sum of the probabilities of stopping"
            raise InputError(thing, sum(law), "be at most 1", remedy="divide them by their sum")
        object.__setattr__(self, "probabilities", law)


@dataclass(frozen=True, slots=True)
class Fruitless:
    """Stop after so many consulted elements in a row that led to no new ideal."""

    elements: int

    def __post_init__(self) -> None:
        whole_number("elements", self.elements, least=1, remedy="say how many in a row")


@dataclass(frozen=True, slots=True)
class Budget:
    """Stop when so many seconds are over, in the middle of an element."""

    seconds: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "seconds", seconds("budget", self.seconds, positive=True))


@dataclass(frozen=True, slots=True)
class Patience:
    """Stop when patience, a random time for each user, runs out, in the middle of an element."""

    law: Duration

    def __post_init__(self) -> None:
        checked_duration("patience", self.law)


Rule = Found | Persistence | Ranks | Fruitless | Budget | Patience


@dataclass(frozen=True, slots=True, init=False)
class Stopping:
    """Rules of which the first that applies stops the user; without any they go on to the end.

    The end is that of the collection: after the list users consult the rest in random order.

    >>> Stopping(Found(2), Budget(60))
    Stopping(Found(ideals=2), Budget(seconds=60.0))
    """

    rules: tuple[Rule, ...]

    def __init__(self, *rules: Rule) -> None:
        for rule in rules:
            if not isinstance(rule, Rule):
                names = "be Found, Persistence, Ranks, Fruitless, Budget or Patience"
                raise InputError("stopping rule", rule, names, remedy="give one or more of them")
        object.__setattr__(self, "rules", rules)

    def __repr__(self) -> str:
        return f"Stopping({', '.join(map(repr, self.rules))})"

    @property
    def wanted(self) -> int | None:
        """How many ideals the user wants, if a rule says so."""
        return min((rule.ideals for rule in self.rules if isinstance(rule, Found)), default=None)


def stopping_on(num_ideals: int, *, wanted: int | None, rules: Sequence[Rule]) -> Stopping:
    """Return the rules of a user who wants `wanted` ideals, or all of a task where it has fewer.

    Without `wanted` and rules they want all.

    Raise InputError for anything but rules, and a number of ideals that is not a whole number of at
    least 1.

    >>> stopping_on(2, wanted=4, rules=[Budget(60)])
    Stopping(Found(ideals=2), Budget(seconds=60.0))
    """
    if wanted is not None or not rules:
        rules = (Found(num_ideals if wanted is None else wanted), *rules)
    return Stopping(
        *(
            Found(min(rule.ideals, num_ideals)) if isinstance(rule, Found) else rule
            for rule in rules
        )
    )


RULES = Vocabulary(
    "rule of stopping",
    "persistence .9",
    """
found ideals=R | found 2
    stops at the R-th ideal seen; R in [1, inf)
persistence p=P | persistence .9
    goes on from an element with probability P; P in [0, 1)
ranks probabilities=P... | ranks .5 .25
    stops after 1, 2, ... elements with these probabilities; P in [0, 1]
fruitless elements=N | fruitless 3
    stops after N elements in a row that led to nothing new; N in [1, inf)
budget seconds=SECONDS | budget 60
    stops when so many seconds are over; SECONDS in (0, inf)
patience mean=MEAN | patience 60
    the same, with a random time of this mean; MEAN in (0, inf)
""",
    {
        "found": Found,
        "persistence": Persistence,
        "ranks": Ranks,
        "fruitless": Fruitless,
        "budget": Budget,
        "patience": lambda mean: Patience(Exponential(mean)),
    },
)


def rule_of(words: str) -> Rule:
    """Return a rule by its name, one of `RULES`; MEAN is that of an exponential law.

    >>> rule_of("persistence .9"), rule_of("fruitless(elements=3)")
    (Persistence(p=0.9), Fruitless(elements=3))
    """
    [(form, values)] = RULES.read(words)
    rule: Rule = form.make(**values)
    return rule
