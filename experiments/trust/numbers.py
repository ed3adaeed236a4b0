"""The numbers of `trust`: means and errors over topics, bounds, and what is decided under each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from prum.experiments.compare.decision import Decision, Question, Verdict, decide
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.remarks import InputWarnings
from prum.experiments.trust.dependences import NamedDependence
from prum.experiments.trust.design import MARGIN
from prum.experiments.trust.of_list import INDEPENDENT, PRUM, ListTrust
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.link_use import LinkUse
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS

Standing = Literal["kept", "turns", "undecided", "level"]

# Equal but for rounding, and for the large collection that stands for an endless one.
_ALIKE = 1e-8


class DifferenceUnder(NamedTuple):
    """A difference of two systems' means: PRUM's, or under a dependence.

    `low` and `high` end its interval over topics, of the whole family; `half` is how far it may be
    off for these topics, by users and quadrature; `topics` how many have a value.
    """

    difference: float
    low: float
    high: float
    verdict: Verdict
    half: float
    topics: int


@dataclass(frozen=True, slots=True)
class PairSurvival:
    """Two systems, the higher one by PRUM first, and what becomes of their order.

    Parameters
    ----------
    system, other
        The systems.
    under
        "PRUM", "independent" and dependences -> the difference.
    bound_low, bound_high
        Between these lies the difference, whatever the dependence between visits from one element;
        from bounds of either list, which is conservative: no users may have both.
    turned, extremes_turned
        The dependences that turn the order; those that are extreme stand apart.
    undecided
        Those under which the difference is not larger than what it may be off, or users are too
        few for a value on some topic.
    changed
        The dependences under which the decision over topics is another one than by PRUM.
    partial
        Those without a value on some topic, of which this is not known.
    """

    system: str
    other: str
    under: Mapping[str, DifferenceUnder]
    bound_low: float
    bound_high: float
    turned: tuple[str, ...]
    extremes_turned: tuple[str, ...]
    undecided: tuple[str, ...]
    changed: tuple[str, ...]
    partial: tuple[str, ...]

    @property
    def by_prum(self) -> DifferenceUnder:
        """The difference by PRUM."""
        return self.under[PRUM]

    @property
    def standing(self) -> Standing:
        """What becomes of the order under the dependences of the table.

        "turns": under one of them; else "undecided": under one of them; "kept": under each, by more
        than the difference may be off; "level" if PRUM has no order.
        """
        if self.by_prum.difference <= _ALIKE:
            return "level"
        if self.turned or self.extremes_turned:
            return "turns"
        return "undecided" if self.undecided else "kept"

    @property
    def is_kept_by_bounds(self) -> bool:
        """Whether bounds keep PRUM's order under any dependence between visits from one element."""
        return self.bound_low > 0

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest difference under the dependences of the table."""
        differences = [
            row.difference for name, row in self.under.items() if name != PRUM and row.topics
        ]
        return min(differences), max(differences)


@dataclass(frozen=True, slots=True)
class TrustInput:
    """What is to be known of the input.

    Parameters
    ----------
    without_ideals
        Judged topics that hold no ideal and are left out.
    input_warnings
        What is odd of each run's lists.
    links
        How many links there are, start at a listed element, and lead to an ideal.
    knows_size
        Whether the collection's size is known; else it is taken for endless.
    """

    without_ideals: tuple[str, ...]
    input_warnings: tuple[InputWarnings, ...]
    links: LinkUse
    knows_size: bool


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TrustNumbers:
    """Every list under every dependence, and what follows from them.

    Attributes
    ----------
    campaign
        Systems, topics, lists and the navigation that was given.
    table
        The dependences.
    lists
        (system, topic) -> the list under every dependence, for the topics that are done.
    stopped
        Why not all topics are done: "interrupted" or "out of time"; else empty.
    given
        What is to be known of the input.
    question
        What is decided between systems, and how.
    width, most_users
        How far simulation went.
    unit
        What is counted: elements, or what they cost.
    """

    campaign: Campaign
    table: tuple[NamedDependence, ...]
    lists: Mapping[tuple[str, str], ListTrust]
    stopped: str
    given: TrustInput
    question: Question
    width: float
    most_users: int
    unit: str = ELEMENTS

    @property
    def tolerance(self) -> float:
        """PRUM is trusted up to this error of a mean over topics."""
        return MARGIN if self.question.margin is None else self.question.margin

    @property
    def is_charged(self) -> bool:
        """Whether what elements cost is counted, in place of elements."""
        return self.unit != ELEMENTS

    @property
    def in_unit(self) -> str:
        """The unit in words: " in tokens"; nothing where elements are counted."""
        return f" in {self.unit}" if self.is_charged else ""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(self.campaign.runs)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics that are done."""
        done = {topic for _, topic in self.lists}
        return tuple(topic for topic in self.campaign.ideals if topic in done)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """ "independent" and the dependences that some list has."""
        there = {name for one in self.lists.values() for name in one.values}
        return (INDEPENDENT, *(row.name for row in self.table if row.name in there))

    @cached_property
    def extremes(self) -> frozenset[str]:
        """The dependences that are extreme."""
        return frozenset(row.name for row in self.table if row.is_extreme)

    @cached_property
    def scores(self) -> Scores:
        """Mean precision over r of each list, by PRUM and under each dependence.

        NaN where no such users have these P(x -> y), or where users were too few at some r.
        """
        measures = (PRUM, *self.names)
        values = np.array(
            [
                [
                    [self.lists[system, topic].average(name) for name in measures]
                    for topic in self.topics
                ]
                for system in self.systems
            ]
        )
        return Scores(measures, self.systems, self.topics, values)

    def at(self, name: str, r: int) -> Floats:
        """Return precision at r, (systems, topics); NaN where there is none."""
        return np.array(
            [
                [self.lists[system, topic].at(name, r) for topic in self.topics]
                for system in self.systems
            ]
        )

    def mean(self, system: str, name: str, r: int | None = None) -> float:
        """Return the mean over topics of precision, at r or in the mean over r.

        Parameters
        ----------
        name
            "PRUM", "independent" or a dependence.

        Raises
        ------
        ValueError
            for another system.
        """
        number = self.systems.index(system)
        if r is None:
            values = self.scores.values[number, :, self.scores.measures.index(name)]
        else:
            values = self.at(name, r)[number]
        return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")

    @cached_property
    def most_ideals(self) -> int:
        """The most ideals of a topic that is done."""
        return max(one.num_ideals for one in self.lists.values())

    def errors(self, r: int | None = None) -> dict[str, Floats]:
        """Return PRUM's error under each dependence, (systems, topics), NaN for none."""
        if r is None:
            return {
                name: self.scores.values[:, :, 0] - self.scores.values[:, :, 1 + number]
                for number, name in enumerate(self.names)
            }
        at = self.at(PRUM, r)
        return {name: at - self.at(name, r) for name in self.names}

    def mean_errors(self, r: int | None = None) -> dict[str, Floats]:
        """Return PRUM's error in the mean over topics: dependence -> shape (systems,).

        Of the topics that have such users; NaN if there is none, or if users are too few on one.
        """
        means = {name: topic_means(values) for name, values in self.errors(r).items()}
        if self.num_unresolved:
            for name, values in means.items():
                values[[self.num_missing(one, name, r) > 0 for one in self.systems]] = np.nan
        return means

    def half_of_mean(
        self, system: str, name: str, topics: Iterable[str], r: int | None = None
    ) -> float:
        """Return how far a mean over those topics that have a value may be off, by its computing.

        Half of a 95 % interval by users, who are others on each topic; and all by which quadrature
        changed, which has a sign that topics may share. Of a mean over r no more than the mean of
        halves: users are the same for all r.
        """
        drawn, summed = list[float](), list[float]()
        for topic in topics:
            one = self.lists[system, topic]
            value = one.values.get(name)
            if value is None or (r is not None and r > one.num_ideals):
                continue
            half = float(value.half.mean() if r is None else value.half[r - 1])
            if not np.isnan(half):
                (drawn if value.how == "simulated" else summed).append(half)
        num = len(drawn) + len(summed)
        return float(np.sqrt(np.square(drawn).sum()) + sum(summed)) / max(num, 1)

    def num_missing(self, system: str, name: str, r: int | None = None) -> int:
        """Return on how many topics users were too few: at r, or somewhere in the mean over r."""
        num = 0
        for topic in self.topics:
            one = self.lists[system, topic]
            value = one.values.get(name)
            if value is not None and (r is None or r <= one.num_ideals):
                num += bool(value.unresolved.any() if r is None else value.unresolved[r - 1])
        return num

    def num_topics(self, name: str) -> int:
        """Return on how many topics all systems have users of this dependence."""
        column = self.scores.values[:, :, self.scores.measures.index(name)]
        return int((~np.isnan(column).any(axis=0)).sum())

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Bounds of each list's mean precision over r, (systems, topics) each."""
        low, high = (
            np.array(
                [
                    [getattr(self.lists[s, t].bounds, side) for t in self.topics]
                    for s in self.systems
                ]
            )
            for side in ("average_low", "average_high")
        )
        return low, high

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """What is decided over topics by PRUM, and under each dependence that has a topic."""
        return {
            name: decide(self.scores, replace(self.question, primary=name))
            for name in self.scores.measures
            if self.num_topics(name)
        }

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The systems by PRUM, the best first."""
        return tuple(place.system for place in self.decisions[PRUM].ranked)

    @cached_property
    def pairs(self) -> tuple[PairSurvival, ...]:
        """What becomes of the order of each two systems, or of each beside the baseline.

        The higher by PRUM first. An order is that of means over the topics where both have such
        users; it is turned if the difference has the other sign there than PRUM's, by more than it
        may be off.
        """
        baseline = self.question.baseline
        return tuple(
            _survival(self, system, other)
            for system, other in combinations(self.ranked, 2)
            if baseline in (None, system, other)
        )

    @property
    def num_simulated(self) -> int:
        """How many values are those of simulated users, of lists under dependences."""
        return sum(
            value.how == "simulated" for one in self.lists.values() for value in one.values.values()
        )

    @cached_property
    def num_unresolved(self) -> int:
        """How many values of lists at recall values are missing, for users were too few."""
        return sum(
            int(value.unresolved.sum())
            for one in self.lists.values()
            for value in one.values.values()
        )


def topic_means(values: Floats) -> Floats:
    """Return the mean of each row over the columns that have a value; NaN if none has.

    >>> topic_means(np.array([[1.0, np.nan, 3.0], [np.nan] * 3])).tolist()
    [2.0, nan]
    """
    there = ~np.isnan(values)
    num = there.sum(axis=1)
    total = np.where(there, values, 0.0).sum(axis=1)
    means: Floats = np.divide(total, num, out=np.full(len(values), np.nan), where=num > 0)
    return means


def _survival(numbers: TrustNumbers, system: str, other: str) -> PairSurvival:
    first, second = numbers.systems.index(system), numbers.systems.index(other)
    differences = numbers.scores.values[first] - numbers.scores.values[second]
    under = dict[str, DifferenceUnder]()
    fates = dict[str, Standing]()
    for number, name in enumerate(numbers.scores.measures):
        there = ~np.isnan(differences[:, number])
        topics = [topic for topic, has in zip(numbers.topics, there, strict=True) if has]
        row = under[name] = DifferenceUnder(
            _mean(differences[there, number]),
            *_decided(numbers.decisions.get(name), system, other),
            # The same users consult both lists: their errors may add.
            sum(numbers.half_of_mean(one, name, topics) for one in (system, other)),
            len(topics),
        )
        is_missing = any(numbers.num_missing(one, name) for one in (system, other))
        fates[name] = _fate(row, _mean(differences[there, 0]), is_missing=is_missing)
    names = numbers.names
    turned = [name for name in names if fates[name] == "turns"]
    partial = [name for name in names if numbers.num_topics(name) < len(numbers.topics)]
    low, high = numbers.bounds
    return PairSurvival(
        system,
        other,
        under,
        float((low[first] - high[second]).mean()),
        float((high[first] - low[second]).mean()),
        turned=tuple(name for name in turned if name not in numbers.extremes),
        extremes_turned=tuple(name for name in turned if name in numbers.extremes),
        undecided=tuple(name for name in names if fates[name] == "undecided"),
        changed=tuple(
            name
            for name in names
            if name not in partial and under[name].verdict != under[PRUM].verdict
        ),
        partial=tuple(partial),
    )


def _fate(row: DifferenceUnder, by_prum: float, *, is_missing: bool) -> Standing:
    """Return what becomes of an order under one dependence."""
    if abs(by_prum) <= _ALIKE:
        return "level"
    if is_missing or abs(row.difference) <= max(row.half, _ALIKE):
        return "undecided"
    return "turns" if row.difference * by_prum < 0 else "kept"


def _decided(decision: Decision | None, system: str, other: str) -> tuple[float, float, Verdict]:
    """Return the ends of the interval, and the verdict, without a sentence."""
    if decision is None:
        return float("nan"), float("nan"), "no test"
    numbers = decision.systems.index(system), decision.systems.index(other)
    row = decision.compared.of(*numbers)
    return row.low, row.high, decision.verdict(row.low, row.high)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")
