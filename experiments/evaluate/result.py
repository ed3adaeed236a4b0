"""The result of an evaluation: a comparison, and what to know of the input."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from prum.experiments.compare.result import ComparisonResult
from prum.experiments.evaluate.remarks import InputWarnings, browsing, nothing_judged, remarks
from prum.experiments.frame.view import View
from prum.experiments.measures.measure import measure_of
from prum.simulator.collections.linking import LinkUse

if TYPE_CHECKING:
    import pandas as pd

    from prum.experiments.evaluate.uncertain import JudgeVariance
    from prum.experiments.evaluate.uncertainty import Uncertainty


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EvaluationResult(ComparisonResult):
    """Runs scored by measures, compared, and what to know of the input.

    Attributes
    ----------
    scores, question, arguments, command
        As `ComparisonResult` has them.
    without_ideals
        Judged topics that hold no ideal and are left out.
    by_grade
        Those of them that measures score that need no ideals, by their grades.
    lists
        What is odd of each run's lists.
    links
        How many links there are, start at a listed element, and lead to an ideal.
    size_rises
        Where the collection's size is not known: measure -> how much it could rise at most in a
        smaller collection than the endless one that was assumed.
    takes_highest
        Whether subtopics were judged, and a measure takes an element's highest grade for any.
    scale
        The highest grade judged, if a measure took it for relevance 1 and it is more than that.
    uncertainty
        Where it comes from, of topics and of a navigation that was learned: of the measure that
        decides, else of the first that browses by it; None where nothing was learned, or nothing
        is known of its part in these measures.
    taken_as_known
        Measures that browse by what was learned, where no uncertainty is said of any.
    variance
        What judges leave open of expected scores; None where it is certain what is ideal.
    """

    without_ideals: tuple[str, ...]
    lists: tuple[InputWarnings, ...]
    links: LinkUse
    size_rises: Mapping[str, float]
    takes_highest: bool
    by_grade: tuple[str, ...] = ()
    scale: float | None = None
    uncertainty: "Uncertainty | None" = None
    taken_as_known: tuple[str, ...] = ()
    variance: "JudgeVariance | None" = None

    kind = "evaluate"
    _size_name: ClassVar[str] = "the collection's size"

    @property
    def scored(self) -> str:
        """What was scored, in a sentence."""
        return f"{super().scored}; {browsing(self.links)}"

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the input, in a line for each kind."""
        lines = remarks(
            num_topics=len(self.scores.topics),
            without_ideals=self.without_ideals,
            by_grade=self.by_grade,
            lists=self.lists,
            size_rises=self.size_rises,
            takes_highest=self.takes_highest,
            size_name=self._size_name,
            scale=self.scale,
        )
        return tuple(lines)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of measures whose names are others' elsewhere."""
        known = tuple(
            f"{measure}: the navigation that was learned counts as known, and intervals leave out "
            "what the log leaves open of it."
            for measure in self.taken_as_known
        )
        return (*map(": ".join, self._measure_notes().items()), *known)

    def _measure_notes(self) -> dict[str, str]:
        named = map(measure_of, self.scores.measures)
        return {
            measure.name.measure: measure.definition.note
            for measure in named
            if measure.definition.note
        }

    def view(self, *, top: int | None = None) -> View:
        """Return what people see, what scores leave open, and what decisions leave out."""
        view, known = super().view(top=top), [*self.taken_as_known]
        if self.uncertainty is not None:
            from prum.experiments.evaluate.uncertainty import with_uncertainty

            view = with_uncertainty(view, self.uncertainty, top=top)
            known.append(self.uncertainty.measure)
        if self.decision.measure in known and self.decision.family:
            assumption = "Decisions take the learned navigation as known."
            view = replace(view, headline=f"{view.headline} {assumption}")
        if self.variance is not None:
            from prum.experiments.evaluate.uncertain import with_variance

            view = with_variance(view, self.scores, self.decision, self.variance, top=top)
        told_first = [f"{assumption}." for assumption in nothing_judged(self.lists)]
        return replace(view, headline=" ".join([*told_first, view.headline]))

    def to_frame(self) -> "pd.DataFrame":
        """Return the scores, a row for each system, topic and measure.

        With a navigation that was learned, `navigation_error` is a score's standard error by it;
        where ideals are uncertain, `judge_deviation` its standard deviation by judges.
        """
        frame = super().to_frame()
        if self.uncertainty is not None:
            errors = np.full(self.scores.values.shape, np.nan)
            errors[:, :, self.scores.measures.index(self.uncertainty.measure)] = (
                self.uncertainty.errors
            )
            frame["navigation_error"] = errors.ravel()
        if self.variance is not None:
            frame["judge_deviation"] = self.variance.deviations.ravel()
        return frame

    def values(self) -> dict[str, Any]:
        """Return scores, means, the decision and what to know of the input."""
        return {
            **super().values(),
            "uncertainty": None if self.uncertainty is None else self.uncertainty.content(),
            "without_ideals": self.without_ideals,
            "lists": self.lists,
            "notes": self._measure_notes(),
            "taken_as_known": self.taken_as_known,
            "links": self.links,
            "size_rises": self.size_rises,
            **({} if self.variance is None else {"judges": self.variance.content(self.scores)}),
        }
