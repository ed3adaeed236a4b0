"""The result of an evaluation where it is uncertain which elements are ideal, and its view."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.frame.numbers import count, number
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.statistics.intervals import normal_factor, student_factor
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class JudgeVariance:
    """What judges leave open of scores, and how expected scores were computed.

    Parameters
    ----------
    deviations
        Standard deviation of each score by judges, shape (systems, topics, measures).
    covariance
        Of the systems' means over these topics, by judges, shape (measures, systems, systems).
    noise
        Standard error by simulation of each mean, shape (systems, measures); 0 where it is exact.
    closed_forms, simulated
        Measures with closed forms, and those that needed simulated judges on some topic; every
        set of ideals was scored for the others.
    num_judges, num_cases
        Simulated judges of each topic, and cases of the judgements.
    """

    deviations: Floats
    covariance: Floats
    noise: Floats
    closed_forms: tuple[str, ...]
    simulated: tuple[str, ...]
    num_judges: int
    num_cases: int


@dataclass(frozen=True, slots=True)
class _Part:
    """A mean, or a difference of two, with standard errors.

    By topics, by what judges leave open on all topics at once, and, if these topics are all there
    are, by judges.
    """

    name: str
    value: float
    topics: float
    shared: float
    these: float
    factor: float

    @property
    def half(self) -> float:
        return self.factor * math.hypot(self.topics, self.shared)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class UncertainEvaluationResult(EvaluationResult):
    """Runs scored by judgements that are probabilities: expected scores, compared.

    Attributes
    ----------
    variance
        What judges leave open of the scores.
    """

    variance: JudgeVariance

    def view(self, *, top: int | None = None) -> View:
        """Return what people see, with the parts of topics and of judges."""
        view = super().view(top=top)
        first, *others = view.tables
        table = Table.of(
            "Where the uncertainty comes from: halves of 95 % intervals, of differences at the "
            "level of the decision",
            self._parts(top),
            [
                Column("", lambda row: row.name, left=True),
                Column(self.decision.measure, lambda row: row.value, ".4f"),
                Column("topics ±", lambda row: row.factor * row.topics, ".4f"),
                Column("judges ±", lambda row: row.factor * row.shared, ".4f"),
                Column("both ±", lambda row: row.half, ".4f"),
                Column("these topics ±", lambda row: normal_factor() * row.these, ".4f"),
            ],
        )
        notes = (*view.notes, *self._judge_notes())
        return replace(view, tables=(first, table, *others), notes=notes)

    def _parts(self, top: int | None) -> Iterator[_Part]:
        decision = self.decision
        num, at = decision.num_topics, {name: at for at, name in enumerate(decision.systems)}
        these = self.variance.covariance[self.scores.measures.index(decision.measure)]
        order = [self.scores.systems.index(name) for name in decision.systems]
        these = these[np.ix_(order, order)]
        factor = student_factor(num - 1) if num > 1 else normal_factor()
        for place in decision.ranked[:top]:
            row = at[place.system]
            topics = float(decision.values[row].std(ddof=1)) / num**0.5 if num > 1 else 0.0
            shared = float(decision.shared[row, row]) ** 0.5
            yield _Part(
                place.system, place.mean, topics, shared, float(these[row, row]) ** 0.5, factor
            )
        for pair in decision.pairs[:top] if num > 1 else ():
            first, second = at[pair.system], at[pair.other]
            compared = decision.compared.of(first, second)
            shared, own = (
                float(max(of[first, first] + of[second, second] - 2 * of[first, second], 0)) ** 0.5
                for of in (decision.shared, these)
            )
            topics = max(compared.error**2 - shared**2, 0) ** 0.5
            name = f"{pair.system} − {pair.other}"
            yield _Part(name, pair.difference, topics, shared, own, compared.critical)

    def _judge_notes(self) -> Iterator[str]:
        of = self.variance
        names = self.scores.measures
        exact = [name for name in names if name not in (*of.closed_forms, *of.simulated)]
        yield "Scores are expected ones; a topic without any ideal scores 0."
        if of.closed_forms:
            yield f"Closed forms: {', '.join(of.closed_forms)}."
        if exact:
            yield f"Over every set of ideals: {', '.join(exact)}."
        if of.simulated:
            columns = [names.index(name) for name in of.simulated]
            half = normal_factor() * float(of.noise[:, columns].max())
            error = number(half, up=True) if half else "0"
            yield (
                f"By {count(of.num_judges, 'simulated judge')} of each topic: "
                f"{', '.join(of.simulated)}; means ± {error} or less by simulation."
            )
        given = "their probabilities"
        if of.num_cases > 1:
            given = f"the case, of {of.num_cases} of all topics at once"
        yield (
            "Topics ±: if other topics were drawn; what judges leave open on each topic by itself "
            "is a part of it. Judges ±: what they leave open on all topics at once. These topics "
            "±: what they leave open of the mean over these topics."
        )
        yield (
            f"Elements are taken as independent of each other, and of the lists, given {given}: "
            "errors that a judge repeats on near-copies are in none of these intervals."
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return the expected scores, a row for each system, topic and measure.

        `judge_deviation` is the standard deviation of a score by judges.
        """
        frame = super().to_frame()
        frame["judge_deviation"] = self.variance.deviations.ravel()
        return frame

    def values(self) -> dict[str, Any]:
        """Return what every evaluation has, and what judges leave open.

        Of `judges` standard errors go measure -> system -> number: `errors` are of the mean over
        these topics, `shared_errors` what all topics share.
        """
        of, scores = self.variance, self.scores
        assert scores.shared is not None  # noqa: S101
        return {
            **super().values(),
            "judges": {
                "closed_forms": of.closed_forms,
                "simulated": of.simulated,
                "num_judges": of.num_judges,
                "cases": of.num_cases,
                "errors": self._errors(of.covariance),
                "shared_errors": self._errors(scores.shared),
                "simulation_errors": {
                    measure: dict(zip(scores.systems, of.noise[:, at], strict=True))
                    for at, measure in enumerate(scores.measures)
                },
            },
        }

    def _errors(self, covariances: Floats) -> dict[str, dict[str, float]]:
        scores = self.scores
        return {
            measure: dict(zip(scores.systems, np.sqrt(np.diag(covariance)).tolist(), strict=True))
            for measure, covariance in zip(scores.measures, covariances, strict=True)
        }
