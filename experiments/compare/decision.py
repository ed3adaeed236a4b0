"""The decision of a comparison: pairs with their verdicts, and places, by one primary measure."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from prum.experiments.compare.question import Question
from prum.experiments.compare.scores import Scores
from prum.experiments.frame.numbers import about, count, ends, exactly, number, probability
from prum.experiments.statistics.intervals import Estimate, mean_interval
from prum.experiments.statistics.maxima import least_topics
from prum.experiments.statistics.simultaneous import ComparedPairs, family_of
from prum.experiments.statistics.tests import POWER, detectable, topics_for
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import did_you_mean

Verdict = Literal["better", "worse", "equivalent", "undecided", "no test"]
# Squares of smaller scores are no numbers.
_LEAST_SCORE = 1e-100
# Means that rounding leaves of equal ones, beside the largest.
_ALIKE = 1e-12


class Pair(NamedTuple):
    """One comparison of the decision: `system` minus `other`.

    `low` and `high` end the simultaneous interval of the mean `difference` over `topics`; `p` is
    without and `adjusted` with regard to the other comparisons of the family. The verdict is of
    `system`: "better" or "worse" exactly if the interval excludes 0, and that exactly if
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


class Place(NamedTuple):
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


@dataclass(frozen=True, eq=False)
class Decision:
    """What the primary measure decides about systems.

    Attributes
    ----------
    measure, method, level, margin, baseline, seed
        As `Question`, and the measure that decides by name.
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
            return self.pairs_with(self.baseline)
        return tuple(self.pair(self.best, place.system) for place in self.ranked[1:])

    def pairs_with(self, other: str) -> tuple[Pair, ...]:
        """Return every other system beside this one; see `pair`."""
        return tuple(self.pair(system, other) for system in self.systems if system != other)

    def pair(self, system: str, other: str) -> Pair:
        """Return two systems beside each other, as the family has them."""
        for name in (system, other):
            if name not in self.systems:
                rule = f"be one of the systems, like {self.systems[0]!r}"
                remedy = did_you_mean(name, self.systems, "name one of them")
                raise InputError("system", name, rule, remedy=remedy)
        if self.baseline not in (None, system, other):
            rule = f"hold the baseline, {self.baseline!r}"
            remedy = "decide without a baseline to compare all pairs"
            raise InputError("pair", (system, other), rule, remedy=remedy)
        row = self.compared.of(self.systems.index(system), self.systems.index(other))
        verdict = self.verdict(row.low, row.high)
        if row.is_lost and verdict == "equivalent":  # signs show no equivalence
            verdict = "undecided"
        ends = row.difference, row.low, row.high, row.p, row.adjusted
        pair = Pair(system, other, self.num_topics, *ends, verdict, "")
        return pair._replace(sentence=sentence_of(pair, self, row))

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
        intervals = [Estimate(np.nan)] * len(self.systems)
        if self.num_topics:
            scale = float(self.values.max(initial=0) - self.values.min(initial=0)) or np.inf
            shared = np.diag(self.shared).tolist()
            intervals = [
                mean_interval(*row, scale) for row in zip(self.values, shared, strict=True)
            ]
        means = np.array([interval.value for interval in intervals])
        near = _ALIKE * np.abs(means).max(initial=0)
        first, last = (places.tolist() for places in self.compared.places())
        better = (means > means[:, None] + near).sum(axis=1).tolist()
        return tuple(
            Place(system, 1 + better[row], *intervals[row], first[row], last[row], first[row] == 1)
            for row, system in enumerate(self.systems)
        )

    @property
    def ranked(self) -> tuple[Place, ...]:
        """Each system, the best first."""
        return tuple(sorted(self.places, key=lambda place: place.place))

    @property
    def notes(self) -> tuple[str, ...]:
        """How it was decided, in sentences."""
        return tuple(notes_of(self))


def decide(scores: Scores, question: Question, *, measure: str = "") -> Decision:
    """Return what a measure decides, by default the first, in any order of systems and topics.

    Raise InputError if the baseline is not among the systems, more of the measure is not better, or
    all scores are so small that their squares are none.
    """
    measure = measure or scores.measures[0]
    question.check_measures((measure, *scores.measures), len(scores.systems))
    question.check_systems(scores.systems)
    # Draws fall to systems and topics by their names, and so do places that are shared.
    scores = scores.by_name()
    values = scores.of(scores.measures.index(measure))
    shared = scores.shared_by(scores.measures.index(measure))
    largest = float(np.abs(values).max(initial=0))
    if 0 < largest < _LEAST_SCORE:
        rule, remedy = f"be 0 or at least {_LEAST_SCORE:g}", "give the scores in a smaller unit"
        raise InputError(f"largest size of a score by {measure}", largest, rule, remedy=remedy)
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


# --- in words ------------------------------------------------------------------------------------

METHOD_NAMES = {"bootstrap": "studentised bootstrap", "Holm": "Student's t with Holm's method"}
# What was measured stands in docs/statistics.md.
_PROMISES = {
    "bootstrap": "The chance of any false claim is about {} at most, for skewed scores too",
    "Holm": "The chance of any false claim is about {}, more for skewed scores on few topics",
}
# So many topics nobody judges.
_MANY = 100_000


def sentence_of(pair: Pair, decision: Decision, row: Any) -> str:
    """Return a pair's verdict in a sentence, by its `row` of the family."""
    system, other, margin = pair.system, pair.other, decision.margin
    if pair.verdict == "no test":
        return f"{system} and {other} cannot be compared on {count(pair.topics, 'topic')}"
    if row.error == 0:
        return _of_alike(pair, decision)
    apart = () if margin is None else (margin,)
    if pair.verdict in ("better", "worse"):
        low, high = sorted((abs(pair.low), abs(pair.high)))
        p = f"{_p(decision)} {probability(pair.adjusted, decision.level)}"
        within = ""
        if margin is not None and high < margin:
            within = f", within the margin of {exactly(margin)}"
        by = ends(low, high, *apart)
        how = ", by the sign test" if row.is_lost else ""
        return f"{system} is {pair.verdict} than {other} by {by}{within}{how} ({p})"
    if pair.verdict == "equivalent":
        most = number(max(abs(pair.low), abs(pair.high)), *apart, up=True)
        return (
            f"{system} and {other} show no difference larger than {most} "
            f"(equivalent at margin {exactly(margin or 0)})"
        )
    undecided = f"{system} against {other} is undecided"
    topics = count(pair.topics, "topic")
    if too_few(decision):
        return f"{undecided}: {topics} are too few to decide anything"
    if row.is_lost and np.isinf(row.critical):
        return f"{undecided}: the difference is the same on too many of {topics} to be resampled"
    return f"{undecided}: {topics} {_plan(abs(pair.difference), row, decision)}"


def too_few(decision: Decision) -> bool:
    """Return whether so few topics decide nothing, whatever the scores."""
    needed = least_topics(decision.family, decision.level)
    return decision.method == "bootstrap" and decision.num_topics < needed


def _of_alike(pair: Pair, decision: Decision) -> str:
    """Return the verdict of a pair whose difference is the same on every topic."""
    system, other, by = pair.system, pair.other, number(abs(pair.difference))
    if pair.difference == 0:
        return f"{system} and {other} score the same on every topic"
    p = f"{_p(decision)} {probability(pair.adjusted, decision.level)}"
    if pair.verdict != "undecided":
        return f"{system} is {pair.verdict} than {other} by {by} on every topic ({p})"
    more = "more" if pair.difference > 0 else "less"
    return (
        f"{system} against {other} is undecided: {system} scores {by} {more} on each of "
        f"{count(pair.topics, 'topic')}, too few to decide ({p})"
    )


def _p(decision: Decision) -> str:
    return "adjusted p" if decision.family > 1 else "p"


def _plan(difference: float, row: Any, decision: Decision) -> str:
    """Return what topics can show, and how many are needed for what matters."""
    num, error, critical = decision.num_topics, row.error, row.critical
    shows = float(detectable(error, num, critical=critical))
    for size in (decision.margin, difference):
        if not size:
            continue
        needed = topics_for(size, error, num, critical=critical)
        if needed > num:
            text, apart = exactly(size), number(shows, size)
            if size == difference:
                text, apart = number(difference, shows), number(shows, difference)
            enough = f"about {about(needed)}" if needed < _MANY else f"more than {_MANY:,}"
            return f"detect differences of {apart} or more; a difference of {text} needs {enough}"
    return f"detect differences of {number(shows)} or more"


def notes_of(decision: Decision) -> Iterator[str]:
    """Yield how it was decided, a sentence each."""
    if not decision.family or decision.num_topics < 2:
        return
    level, topics = exactly(decision.level), count(decision.num_topics, "topic")
    where = f"Decided by {decision.measure} on {topics}"
    how = f"{METHOD_NAMES[decision.method]}, seed {decision.seed}"
    if decision.family == 1:
        yield f"{where}: {how}."
    else:
        baseline = decision.baseline
        which = "all pairs of systems" if baseline is None else f"every system with {baseline}"
        yield f"{where}: {which}, {decision.family:,} comparisons together ({how})."
    if too_few(decision):
        needed = least_topics(decision.family, decision.level)
        yield f"{topics} are too few to decide anything: take at least {needed}."
        return
    for system, values in zip(decision.systems, decision.values, strict=True):
        if not values.any() and decision.values.any():
            yield f"{system} scores 0 on all {topics}: did it run?"
    compared = decision.compared.compared
    if (compared.is_lost & np.isfinite(compared.critical)).any():
        yield (
            "Where two scores differ on too few topics to be resampled, the sign test decides, and "
            "intervals are Student's."
        )
    promise = _PROMISES[decision.method].format(level)
    yield f"{promise}; an interval excludes 0 exactly when its {_p(decision)} is below {level}."
    if any(pair.verdict == "undecided" for pair in decision.pairs):
        yield f"“Detect” and “needs”: with probability {exactly(POWER)}."
