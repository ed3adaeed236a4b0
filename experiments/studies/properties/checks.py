"""Checks of a property: two lists compared, users simulated, or counter-examples searched."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import ClassVar, Literal, Protocol

import numpy as np
from scipy.special import ndtr

from prum.experiments.studies.properties.cases import (
    CASES,
    KNOWN,
    Drawn,
    ExampleTask,
    random_case,
    smaller,
)
from prum.experiments.studies.properties.measures import ExaminedMeasure, RankedList

Relation = Literal["greater", "at least", "equal", "at most"]
CheckKind = Literal["compared", "simulated", "searched"]
CheckedQuantity = Literal["score", "recall", "found"]

USERS = 100_000
# Of one comparison with simulated users; there are fewer than a hundred.
LEVEL = 1e-5
_ROUNDING = 1e-9
_OF_USERS = "the mean of simulated users"
_WORDS: dict[Relation, str] = {
    "greater": "above",
    "at least": "at least",
    "equal": "equal to",
    "at most": "at most",
}
_HOLDS: dict[Relation, Callable[[float, float], bool]] = {
    "greater": lambda a, b: a > b + _ROUNDING,
    "at least": lambda a, b: a >= b - _ROUNDING,
    "equal": lambda a, b: abs(a - b) <= _ROUNDING,
    "at most": lambda a, b: a <= b + _ROUNDING,
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The outcome of a check of a measure: two numbers, and whether they are as expected.

    `case` and `list_a` are None where there was nothing to compare, `list_b` where the second
    number is not that of a list; `z` is set for simulated users.
    """

    case: ExampleTask | None
    list_a: RankedList | None
    list_b: RankedList | None
    a: float | None
    b: float | None
    expected: str
    holds: bool
    z: float | None = None


@dataclass(frozen=True)
class CheckTrials:
    """Random tasks, and how many users; the same for all measures."""

    draws: int
    seed: int

    @cached_property
    def drawn(self) -> tuple[Drawn, ...]:
        """Topics with lists, those that people read most easily first.

        All lists of one or two elements of the fixed topics are among them, and the known ones.
        """
        made = [
            (case, ranking)
            for case in CASES
            for size in (1, 2)
            for ranking in permutations(case.elements.ids, size)
        ]
        made += KNOWN
        made += [random_case(np.random.default_rng([self.seed, k])) for k in range(self.draws)]
        return tuple(sorted(made, key=lambda drawn: (len(drawn[1]), len(drawn[0].links))))


class Check(Protocol):
    """Something that a measure does or does not."""

    kind: ClassVar[CheckKind]

    @property
    def name(self) -> str:
        """The question of the check, for people to read."""

    def of(self, measure: ExaminedMeasure, trials: CheckTrials) -> Evidence:
        """Return what is found of a measure."""


@dataclass(frozen=True, slots=True)
class TwoLists:
    """A relation between the same quantity of list a and of list b, of one topic or of two."""

    kind: ClassVar[CheckKind] = "compared"

    name: str
    case: ExampleTask
    list_a: str
    relation: Relation
    list_b: str
    quantity: CheckedQuantity = "score"
    case_b: ExampleTask | None = None

    def of(self, measure: ExaminedMeasure, trials: CheckTrials) -> Evidence:
        """Return both numbers; nothing is random."""
        del trials
        lists = tuple(self.list_a), tuple(self.list_b)
        a = float(getattr(measure.scores(self.case, lists[0]), self.quantity))
        b = float(getattr(measure.scores(self.case_b or self.case, lists[1]), self.quantity))
        holds = _HOLDS[self.relation](a, b)
        return Evidence(self.case, *lists, a, b, self._expected, holds)

    @property
    def _expected(self) -> str:
        where = "" if self.case_b is None else f" in topic {self.case_b.name}"
        lists = " ".join(self.list_a), " ".join(self.list_b)
        quantity = "what is found" if self.quantity == "found" else self.quantity
        return f"{quantity} of {lists[0]} {_WORDS[self.relation]} that of {lists[1]}{where}"


@dataclass(frozen=True, slots=True)
class Simulated:
    """Means of simulated users agree with what the measure says, at each of its values."""

    kind: ClassVar[CheckKind] = "simulated"

    name: str
    case: ExampleTask
    list_a: str
    num_users: int = USERS

    def of(self, measure: ExaminedMeasure, trials: CheckTrials) -> Evidence:
        """Return the value that is furthest off in standard errors; `b` is that of the users."""
        ranking = tuple(self.list_a)
        if measure.users is None:
            return Evidence(None, None, None, None, None, _OF_USERS, holds=False)
        closed = measure.scores(self.case, ranking).at
        users = measure.users(self.case, ranking, self.num_users, trials.seed)
        difference = users.mean - closed
        equal = np.abs(difference) <= _ROUNDING
        z = np.where(equal, 0, np.copysign(np.inf, difference))
        np.divide(difference, users.error, out=z, where=users.error > 0)
        worst = int(np.abs(z).argmax())
        p = 2 * float(ndtr(-abs(z[worst]))) * len(z)
        a, b = float(closed[worst]), float(users.mean[worst])
        finite = float(z[worst]) if np.isfinite(z[worst]) else None
        return Evidence(self.case, ranking, None, a, b, _OF_USERS, p >= LEVEL, finite)


# What a search looks at: list a, list b if there is one, the two numbers.
ListPair = tuple[RankedList, RankedList | None, float, float]


@dataclass(frozen=True, slots=True)
class Searched:
    """A relation that holds for all pairs of numbers which random tasks offer."""

    kind: ClassVar[CheckKind] = "searched"

    name: str
    expected: str
    relation: Relation
    pairs: Callable[[ExaminedMeasure, ExampleTask, RankedList], Iterator[ListPair]]

    def of(self, measure: ExaminedMeasure, trials: CheckTrials) -> Evidence:
        """Return a counter-example from which nothing can be taken away, if there is any."""
        num_pairs = 0
        for case, ranking in trials.drawn:
            for pair in self.pairs(measure, case, ranking):
                num_pairs += 1
                if not _HOLDS[self.relation](*pair[2:]):
                    return self._smallest(measure, case, ranking, pair)
        return Evidence(None, None, None, None, None, f"none in {num_pairs:,} pairs", holds=True)

    def _broken(
        self, measure: ExaminedMeasure, case: ExampleTask, ranking: RankedList
    ) -> ListPair | None:
        pairs = self.pairs(measure, case, ranking)
        return next((pair for pair in pairs if not _HOLDS[self.relation](*pair[2:])), None)

    def _smallest(
        self, measure: ExaminedMeasure, case: ExampleTask, ranking: RankedList, broken: ListPair
    ) -> Evidence:
        while True:
            for less, shorter in smaller(case, ranking):
                if (pair := self._broken(measure, less, shorter)) is not None:
                    case, ranking, broken = less, shorter, pair
                    break
            else:
                return Evidence(case, *broken, self.expected, holds=False)


# --- what is searched ---------------------------------------------------------------------------


def moved_up(
    measure: ExaminedMeasure,
    case: ExampleTask,
    ranking: RankedList,
    *,
    past: Callable[[ExampleTask, RankedList], bool],
) -> Iterator[ListPair]:
    """Yield lists in which an ideal moves up past what is assessed lower, and the lists before.

    `past` takes what stands above the ideal, and says whether it may move.
    """
    for rank in range(1, len(ranking)):
        above, ideal = ranking[:rank], ranking[rank]
        if ideal not in case.ideals or above[-1] in case.ideals:
            continue
        if case.relevance[ideal] > case.relevance.get(above[-1], 0.0) and past(case, above):
            better = (*above[:-1], ideal, above[-1], *ranking[rank + 1 :])
            scores = measure.scores(case, better).score, measure.scores(case, ranking).score
            yield better, ranking, *scores


def useless(case: ExampleTask, above: RankedList) -> bool:
    """Return whether the last element is a document that is not assessed and leads nowhere."""
    number = case.elements.number(above[-1])
    return (
        above[-1] not in case.relevance
        and case.elements.afters[number] == number + 1
        and case.elements.parents[number] < 0
        and not any(above[-1] in pair for pair in case.links)
    )


def alone(case: ExampleTask, above: RankedList) -> bool:
    """Return whether the ideal moves to the top: nothing further up has shown it."""
    del case
    return len(above) == 1


def furthest_out(
    measure: ExaminedMeasure, case: ExampleTask, ranking: RankedList
) -> Iterator[ListPair]:
    """Yield the score of a list that is furthest from [0, 1], and the nearest number therein."""
    scores = measure.scores(case, ranking)
    furthest = max((scores.score, *scores.at.tolist()), key=lambda value: abs(value - 0.5))
    yield ranking, None, furthest, min(max(furthest, 0.0), 1.0)
