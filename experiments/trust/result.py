"""The result of `trust`: every list under every dependence, means over topics, and orders."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.compare.decision import Decision, Question, decide
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.input_warnings import InputWarnings
from prum.experiments.evaluate.remarks import remarks
from prum.experiments.frame.result import Result
from prum.experiments.trust.answer import answer
from prum.experiments.trust.contents import contents
from prum.experiments.trust.defaults import MARGIN
from prum.experiments.trust.dependences import NamedDependence
from prum.experiments.trust.of_list import INDEPENDENT, PRUM, ListTrust
from prum.experiments.trust.survival import PairSurvival, survivals
from prum.experiments.trust.view import trust_view
from prum.experiments.views.view import View
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.link_use import LinkUse
from prum.simulator.model.arrays import Floats
from prum.simulator.model.list_costs import ELEMENTS

if TYPE_CHECKING:
    import pandas as pd

# Systems that a terminal and a notebook show.
MOST_SYSTEMS = 4


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
class TrustResult(Result):
    """How far PRUM may be trusted on some lists.

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
    arguments, command
        As `Result` has them.
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

    kind = "trust"

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
            np.array([[getattr(self.lists[s, t].bounds, side) for t in self.topics]
                      for s in self.systems])
            for side in ("average_low", "average_high")
        )  # fmt: skip
        return low, high

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """What is decided over topics by PRUM, and under each dependence that has a topic."""
        return {
            name: decide(self.scores, self._question(name))
            for name in self.scores.measures
            if self.num_topics(name)
        }

    def _question(self, name: str) -> Question:
        asked = asdict(self.question)
        return Question(**{**asked, "primary": name})

    @cached_property
    def pairs(self) -> tuple[PairSurvival, ...]:
        """What survives of the order of each two systems; the higher by PRUM first."""
        return tuple(survivals(self))

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

    @property
    def headline(self) -> str:
        """The answer, in a few sentences."""
        return " ".join(answer(self))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is odd of the input, and what was assumed, in a line for each kind."""
        given = self.given
        lines = list(
            remarks(
                num_topics=len(self.campaign.ideals), without_ideals=given.without_ideals,
                lists=given.input_warnings, size_rises={}, takes_highest=False,
            )
        )  # fmt: skip
        if not given.knows_size:
            lines.append(
                "the collection's size is not given, and taken for endless, where nobody finds an "
                "ideal behind the list"
            )
        if self.stopped:
            lines.append(
                f"{self.stopped}: this is of {len(self.topics):,} of "
                f"{len(self.campaign.ideals):,} topics"
            )
        return tuple(lines)

    def view(self, *, top: int | None = None) -> View:
        """Return what people see: the answer, tables, a figure and notes; of `top` systems."""
        return trust_view(self, top=top)

    def brief(self) -> View:
        """Return the view of the best systems."""
        return self.view(top=MOST_SYSTEMS)

    def values(self) -> dict[str, Any]:
        """Return every list under every dependence, means, orders and what to know of the input."""
        return contents(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each list, dependence and r, PRUM and independence among these.

        Columns: system, topic, dependence, r, precision, half (of the 95 % interval by users),
        how, users, unresolved (where users were too few, and there is no precision).
        """
        import pandas as pd

        parts = []
        for (system, topic), one in self.lists.items():
            for name, value in one.values.items():
                columns = {
                    "system": system,
                    "topic": topic,
                    "dependence": name,
                    "r": np.arange(1, one.num_ideals + 1),
                    "precision": value.precision,
                    "half": value.half,
                    "how": value.how,
                    "users": value.num_users,
                    "unresolved": value.unresolved,
                }
                parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True)


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
