"""The numbers of `trust`: means and errors over topics, their bounds, and what is decided."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from prum.experiments.compare.decision import Decision, decide
from prum.experiments.compare.question import Question
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.remarks import InputWarnings
from prum.experiments.statistics.intervals import normal_factor
from prum.experiments.trust.dependences import NamedDependence
from prum.experiments.trust.of_list import INDEPENDENT, PRUM, ListTrust
from prum.experiments.trust.verb import MARGIN
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.linking import LinkUse
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.model.costs import ELEMENTS


class MeanCurve(NamedTuple):
    """A system under a dependence, means over topics: over r, then at r = 1 .. R; (1 + R,) each.

    `mean` is precision and `prum` PRUM's of the same topics, NaN where there is none; `drawn` is
    half a 95 % interval by users, who are others on each topic, and `summed` all by which
    quadrature changed, which has a sign that topics may share. Of a mean over r both are no more
    than the mean of those at r: users are the same for all. `missing` says where users are too few.
    """

    mean: Floats
    prum: Floats
    drawn: Floats
    summed: Floats
    missing: Flags

    @property
    def error(self) -> Floats:
        """PRUM's error; NaN where users are too few on a topic."""
        return np.where(self.missing, np.nan, self.prum - self.mean)

    @property
    def off_in_mean(self) -> tuple[float, float]:
        """What the mean over r may be off, by users and by quadrature."""
        return float(self.drawn[0]), float(self.summed[0])


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
        Whether the collection's size is known; else it is taken as infinite.
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
    def in_unit(self) -> str:
        """The unit in words: " in tokens"; nothing where elements are counted."""
        return "" if self.unit == ELEMENTS else f" in {self.unit}"

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
        there = {name for entry in self.lists.values() for name in entry.values}
        return (INDEPENDENT, *(row.name for row in self.table if row.name in there))

    @cached_property
    def extremes(self) -> tuple[str, ...]:
        """The dependences that are extreme."""
        return tuple(row.name for row in self.table if row.is_extreme)

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

    @cached_property
    def curves(self) -> dict[tuple[str, str], MeanCurve]:
        """(system, "PRUM", "independent" or dependence) -> means over the topics that are done."""
        return {
            (system, name): self._curve(system, name, self.topics)
            for system in self.systems
            for name in (PRUM, *self.names)
        }

    def curve(self, system: str, name: str, topics: Iterable[str]) -> MeanCurve:
        """Return means over some topics."""
        chosen = tuple(topics)
        if chosen == self.topics and name in self.scores.measures:
            return self.curves[system, name]
        return self._curve(system, name, chosen)

    def _curve(self, system: str, name: str, topics: tuple[str, ...]) -> MeanCurve:
        lists = [self.lists[system, topic] for topic in topics]
        values = [
            (entry.values[name], entry.values[PRUM]) for entry in lists if name in entry.values
        ]

        mean = self._padded(value.precision for value, _ in values)
        there = ~np.isnan(mean)
        prum = np.where(there, self._padded(prum.precision for _, prum in values), np.nan)
        half = np.where(there, self._padded(value.half for value, _ in values), 0)
        simulated = [value.how == "simulated" for value, _ in values]
        drawn = np.array(simulated, dtype=np.bool_)[:, np.newaxis]
        unresolved = self._padded(value.unresolved.astype(np.float64) for value, _ in values)
        num = np.maximum(there.sum(axis=0), 1)
        return MeanCurve(
            topic_means(mean.T),
            topic_means(prum.T),
            np.sqrt(np.square(half * drawn).sum(axis=0)) / num,
            (half * ~drawn).sum(axis=0) / num,
            np.any(np.nan_to_num(unresolved) > 0, axis=0).astype(np.bool_),
        )

    def _padded(self, rows: Iterable[Floats]) -> Floats:
        """Return a row for each list: its mean over r, then at r = 1 .. R; NaN beyond its own."""
        width = 1 + self.most_ideals
        padded = [
            np.pad(np.append(row.mean(), row), (0, width - 1 - len(row)), constant_values=np.nan)
            for row in rows
        ]
        return np.array(padded).reshape(-1, width)

    def mean(self, system: str, name: str, r: int | None = None) -> float:
        """Return the mean over topics of precision, at r or in the mean over r.

        Parameters
        ----------
        name
            "PRUM", "independent" or a dependence.
        """
        return float(self.curves[system, name].mean[r or 0])

    @cached_property
    def most_ideals(self) -> int:
        """The most ideals of a topic that is done."""
        return max(entry.num_ideals for entry in self.lists.values())

    def mean_errors(self, r: int | None = None) -> dict[str, Floats]:
        """Return PRUM's error in the mean over topics: dependence -> shape (systems,).

        Of the topics that have such users; NaN if there is none, or if users are too few on one.
        """
        return {
            name: np.array([self.curves[system, name].error[r or 0] for system in self.systems])
            for name in self.names
        }

    def family_factor(self, num: int) -> float:
        """Return by how much an interval is wider than one of 95 % if so many are to hold at once.

        By Bonferroni, at the level of the question.
        """
        from scipy.special import ndtri

        return float(ndtri(1 - self.question.level / 2 / max(num, 1))) / normal_factor()

    def _of(self, system: str) -> list[ListTrust]:
        return [self.lists[system, topic] for topic in self.topics]

    def num_missing(self, system: str, name: str, r: int | None = None) -> int:
        """Return on how many topics users were too few: at r, or somewhere in the mean over r."""
        return sum(name in x.values and x.is_missing(name, r) for x in self._of(system))

    def num_lacking(self, system: str, name: str) -> int:
        """Return on how many topics no such users have these P(x -> y)."""
        return sum(name not in x.values for x in self._of(system))

    def is_idle(self, system: str, name: str) -> bool:
        """Return whether nothing of a system can depend on it, on any topic with such users."""
        num = sum(x.is_idle(name) for x in self._of(system))
        return num > 0 and num + self.num_lacking(system, name) == len(self.topics)

    @cached_property
    def active(self) -> tuple[str, ...]:
        """The dependences that are not idle on all lists, and "independent"."""
        return tuple(
            name
            for name in self.names
            if not all(self.is_idle(system, name) for system in self.systems)
        )

    def num_topics(self, name: str) -> int:
        """Return on how many topics all systems have users of this dependence."""
        column = self.scores.values[:, :, self.scores.measures.index(name)]
        return int((~np.isnan(column).any(axis=0)).sum())

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Bounds of each list's mean precision over r, for any dependence; (systems, topics)."""
        ends = [
            [(x.bounds.average_low, x.bounds.average_high) for x in self._of(system)]
            for system in self.systems
        ]
        low, high = np.moveaxis(np.array(ends), 2, 0)
        return low, high

    def bound_curve(self, system: str) -> tuple[Floats, Floats]:
        """Return bounds of a system's means for any dependence, as `MeanCurve` has them."""
        bounds = [entry.bounds for entry in self._of(system)]
        low = self._padded(ends.precision_low for ends in bounds)
        high = self._padded(ends.precision_high for ends in bounds)
        return topic_means(low.T), topic_means(high.T)

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """What is decided over topics by PRUM, and under each dependence that has a topic."""
        return {
            name: decide(self.scores, self.question, measure=name)
            for name in self.scores.measures
            if self.num_topics(name)
        }

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The systems by PRUM, the best first."""
        return tuple(place.system for place in self.decisions[PRUM].ranked)

    @property
    def num_simulated(self) -> int:
        """How many values are those of simulated users, of lists under dependences."""
        return sum(
            value.how == "simulated"
            for entry in self.lists.values()
            for value in entry.values.values()
        )

    @cached_property
    def num_unresolved(self) -> int:
        """How many values of lists at recall values are missing, for users were too few."""
        return sum(
            int(value.unresolved.sum())
            for entry in self.lists.values()
            for value in entry.values.values()
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
