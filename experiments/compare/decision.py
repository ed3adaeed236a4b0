"""The decision of a comparison: pairs with their verdicts, and places, by one primary measure."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from prum.experiments.compare.design import LEVEL, METHOD, SEED, Method
from prum.experiments.compare.scores import Scores
from prum.experiments.compare.sentences import notes_of, sentence_of
from prum.experiments.statistics.intervals import Estimate, mean_interval
from prum.experiments.statistics.simultaneous import ComparedPairs, family_of
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import amount, real, whole_number

Verdict = Literal["better", "worse", "equivalent", "undecided", "no test"]
METHODS = get_args(Method)
# So many draws resolve no smaller level, and Student's law is not known further out; squares of
# smaller scores are no numbers.
_LEAST_LEVEL = {"bootstrap": 0.001, "Holm": 1e-12}
_LEAST_SCORE = 1e-100
# The time to compare them grows with the square: of 1,000 it is a minute, of 3,000 many.
_MOST_SYSTEMS = 1_000
# Means that rounding leaves of equal ones, beside the largest.
_ALIKE = 1e-12


@dataclass(frozen=True, slots=True)
class Pair:
    """One comparison of the decision: `system` less `other`.

    `low` and `high` end the simultaneous interval of the mean `difference` over `topics`; `p` is
    without and `adjusted` with regard to the other comparisons of the family. The verdict is of
    `system`: "better" or "worse" exactly if the interval leaves out 0, and that exactly if
    `adjusted` is below the level; else "equivalent" if the interval lies within the margin, or
    both score the same on every topic. "no test": there are fewer than two topics.
    """

    system: str
    other: str
    topics: int
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    verdict: Verdict
    sentence: str


@dataclass(frozen=True, slots=True)
class Place:
    """One system among all by the primary measure.

    `place` is by the mean, 1 the best, equal means sharing the first of their places; `low` and
    `high` end the 95 % interval of the mean; `first` and `last` are the places that the system can
    have: all of these hold at once with the confidence of the decision. Those whose first place is
    1 are tied with the best.
    """

    system: str
    place: int
    mean: float
    low: float
    high: float
    first: int
    last: int
    is_tied_with_best: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be decided: by which measure, beside which system, and how.

    Parameters
    ----------
    primary
        The measure that decides; by default the first.
    baseline
        The system that all others are compared with; by default all pairs are one family.
    method
        One of `METHODS`, as `compared` has them, in any case.
    level
        The chance of any false claim is about this at most (docs/reliability.md, "Decisions").
    margin
        The largest difference that does not matter, in the unit of the measure.
    seed
        Of the method's draws.

    Raises
    ------
    InputError
        if there is no such method, or level, margin or seed are out of range.
    """

    primary: str | None = None
    baseline: str | None = None
    method: str = METHOD
    level: float = LEVEL
    margin: float | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        by_case = {name.lower(): name for name in METHODS}
        if str(self.method).lower() not in by_case:
            rule = f"be one of {', '.join(METHODS)}"
            raise InputError("method", self.method, rule, remedy="choose one")
        object.__setattr__(self, "method", by_case[str(self.method).lower()])
        least = _LEAST_LEVEL[self.method]
        if not least <= real(self.level) < 1:
            rule = f"be at least {least:g} with the method {self.method}, and less than 1"
            raise InputError("level", self.level, rule, remedy="take 0.05, or Holm for less")
        if self.margin is not None:
            remedy = "give the largest difference that does not matter, or leave it out"
            amount("margin", self.margin, positive=True, remedy=remedy)
        whole_number("seed", self.seed, least=0, remedy="take 1, say")

    def check_measures(self, measures: tuple[str, ...]) -> None:
        """Raise InputError if the primary measure is none of these, or more of it is not better."""
        from prum.experiments.measures.measure import better_of

        if self.primary is not None and self.primary not in measures:
            rule = f"be one of the measures: {', '.join(measures)}"
            raise InputError("primary measure", self.primary, rule, remedy="name one of them")
        decisive = measures[0] if self.primary is None else self.primary
        better = better_of(decisive)
        if better == "more":
            return
        of_it = "less is better" if better == "less" else "neither more nor less is better"
        rule = f"be more for better lists where it decides; of {decisive} {of_it}"
        other = next((name for name in measures if better_of(name) == "more"), None)
        remedy = f"name another first, as AP,{decisive}"
        if other is not None:
            remedy = f"name another as primary, {other}, say, or rename one of your own"
        raise InputError("measure", decisive, rule, remedy=remedy)

    def check_systems(self, systems: tuple[str, ...]) -> None:
        """Raise InputError if the baseline is none of these, or they are too many to compare."""
        if self.baseline is not None and self.baseline not in systems:
            rule = f"be one of the systems, like {systems[0]!r}"
            raise InputError("baseline", self.baseline, rule, remedy="name a run by its file")
        self.check_number(len(systems))

    def check_number(self, systems: int) -> None:
        """Raise InputError if so many systems would take minutes, and gigabytes, to compare."""
        is_quick = self.method == "Holm" and self.baseline is not None
        if systems > _MOST_SYSTEMS and not is_quick:
            raise InputError(
                "number of systems",
                systems,
                f"be at most {_MOST_SYSTEMS:,}: comparing more takes many minutes",
                remedy="give a baseline and take the method Holm, or leave systems out",
            )


@dataclass(frozen=True, eq=False)
class Decision:
    """What the primary measure decides about systems.

    Attributes
    ----------
    measure, method, level, margin, baseline, seed
        As `Question`, the primary measure by name.
    systems
        All of them, by name.
    num_topics
        Those on which all systems have a value.
    family
        Number of comparisons that hold together at the level: one a system beside a baseline, or
        all pairs.
    shared
        The covariance of means by what uncertain ideals leave open on all topics at once.
    """

    measure: str
    method: str
    level: float
    margin: float | None
    baseline: str | None
    seed: int
    systems: tuple[str, ...]
    values: Floats
    compared: ComparedPairs
    shared: Floats

    @property
    def num_topics(self) -> int:
        """Number of topics on which all systems have a value."""
        return int(self.values.shape[1])

    @property
    def family(self) -> int:
        """Number of comparisons that hold together at the level."""
        return len(self.compared.pairs)

    @cached_property
    def best(self) -> str:
        """The system with the highest mean, of several the first by name."""
        return self.ranked[0].system

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every system beside the baseline; or the best beside every other, the nearest first."""
        if self.baseline is not None:
            return self.beside(self.baseline)
        return tuple(self.pair(self.best, place.system) for place in self.ranked[1:])

    def beside(self, other: str) -> tuple[Pair, ...]:
        """Return every other system beside this one; see `pair`."""
        return tuple(self.pair(system, other) for system in self.systems if system != other)

    def pair(self, system: str, other: str) -> Pair:
        """Return two systems beside each other, as the family has them.

        Raises
        ------
        InputError
            if one is no system, or if there is a baseline and neither is it.
        """
        for name in (system, other):
            if name not in self.systems:
                rule = f"be one of the systems, like {self.systems[0]!r}"
                raise InputError("system", name, rule, remedy="name one of them")
        if self.baseline not in (None, system, other):
            raise InputError(
                "pair",
                (system, other),
                f"hold the baseline, {self.baseline!r}",
                remedy="decide without a baseline to compare all pairs",
            )
        row = self.compared.of(self.systems.index(system), self.systems.index(other))
        pair = Pair(
            system,
            other,
            self.num_topics,
            row.difference,
            row.low,
            row.high,
            row.p,
            row.adjusted,
            self.verdict(row.low, row.high),
            "",
        )
        return replace(pair, sentence=sentence_of(pair, self, row))

    def verdict(self, low: float, high: float) -> Verdict:
        """Return the verdict of an interval."""
        if np.isnan(low):
            return "no test"
        if low > 0:
            return "better"
        if high < 0:
            return "worse"
        if low == high or (self.margin is not None and -self.margin < low <= high < self.margin):
            return "equivalent"
        return "undecided"

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Each system, by name; `ranked` has them by their means."""
        if not self.num_topics:
            means = np.full(len(self.systems), np.nan)
        else:
            means = self.values.mean(axis=1)
        near = _ALIKE * np.abs(means).max(initial=0)
        first, last = self.compared.places()
        rows = []
        for number, system in enumerate(self.systems):
            ends = Estimate(np.nan)
            if self.num_topics:
                ends = mean_interval(self.values[number], self.shared[number, number])
            rows.append(
                Place(
                    system,
                    1 + int((means > means[number] + near).sum()),
                    *ends,
                    int(first[number]),
                    int(last[number]),
                    bool(first[number] == 1),
                )
            )
        return tuple(rows)

    @property
    def ranked(self) -> tuple[Place, ...]:
        """Each system, the best first."""
        return tuple(sorted(self.places, key=lambda place: place.place))

    @property
    def notes(self) -> tuple[str, ...]:
        """How it was decided, in sentences."""
        return tuple(notes_of(self))


def decide(scores: Scores, question: Question) -> Decision:
    """Return what the primary measure decides, whatever the order of systems and topics.

    Raise InputError if the primary measure or the baseline is not among the scores, or all of these
    are so small that their squares are none.
    """
    question.check_measures(scores.measures)
    question.check_systems(scores.systems)
    measure = scores.measures[0] if question.primary is None else question.primary
    # Draws fall to systems and topics by their names, and so do places that are shared.
    scores = scores.by_name()
    values = scores.of(scores.measures.index(measure))
    shared = scores.shared_by(scores.measures.index(measure))
    largest = float(np.abs(values).max(initial=0))
    if 0 < largest < _LEAST_SCORE:
        raise InputError(
            f"largest size of a score by {measure}",
            largest,
            f"be 0 or at least {_LEAST_SCORE:g}",
            remedy="give the scores in a smaller unit",
        )
    baseline = None if question.baseline is None else scores.systems.index(question.baseline)
    family = family_of(
        values,
        baseline,
        method=question.method,
        level=question.level,
        seed=question.seed,
        shared=None if scores.shared is None else shared,
    )
    return Decision(
        measure,
        question.method,
        question.level,
        question.margin,
        question.baseline,
        question.seed,
        scores.systems,
        values,
        family,
        shared,
    )
