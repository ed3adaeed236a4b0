"""The result of an evaluation: a comparison, and what to know of the input."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from prum.experiments.compare.result import ComparisonResult
from prum.experiments.evaluate.errors import ErrorParts
from prum.experiments.evaluate.remarks import InputWarnings
from prum.experiments.frame.view import View
from prum.experiments.measures.measure import measure_of
from prum.simulator.collections.linking import LinkUse

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EvaluationResult(ComparisonResult):
    """Runs scored by measures, compared, and what to know of the input.

    Attributes
    ----------
    scores, question, input_remarks, arguments, command
        As `ComparisonResult` has them.
    without_ideals
        Judged topics that hold no ideal and are left out, but of measures by grades.
    lists
        What is odd of each run's lists.
    links
        How many links there are, start at a listed element, and lead to an ideal.
    read
        What was scored beside systems and topics, in words.
    uncertainty
        Where it comes from, of topics and of judges or of a navigation that was learned; None where
        there are no such, or nothing is known of the part of a navigation in the first measure.
    taken_as_known
        Measures that browse by what was learned, where no uncertainty is said of any.
    """

    lists: tuple[InputWarnings, ...]
    links: LinkUse
    read: str
    without_ideals: tuple[str, ...] = ()
    uncertainty: ErrorParts | None = None
    taken_as_known: tuple[str, ...] = ()

    kind = "evaluate"

    @property
    def scored(self) -> str:
        """What was scored, in a sentence."""
        return f"{super().scored}{self.read}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of measures whose names are others' elsewhere."""
        remarks = tuple(
            f"{measure}: the navigation that was learned counts as known, and intervals leave out "
            "what the log leaves open of it."
            for measure in self.taken_as_known
        )
        return (*map(": ".join, self._measure_notes().items()), *remarks)

    def _measure_notes(self) -> dict[str, str]:
        named = map(measure_of, self.scores.measures)
        return {x.name.measure: x.definition.note for x in named if x.definition.note}

    def view(self, *, top: int | None = None) -> View:
        """Return what people see, what scores leave open, and what decisions leave out."""
        view, errors, headline = super().view(top=top), self.uncertainty, list[str]()
        headline += [
            f"Nothing that {run.system} lists is judged."
            for run in self.lists
            if 0 < run.different == run.unjudged
        ]
        headline.append(view.headline)
        is_learned = errors is not None and errors.covariance is None
        if self.decision.family and (is_learned or self.decision.measure in self.taken_as_known):
            headline.append("Decisions take the learned navigation as known.")
        if errors is not None:
            first, *others = view.tables
            table = errors.table(self.scores, self.decision, top)
            view = replace(view, tables=(first, table, *others), notes=(*view.notes, *errors.notes))
        return replace(view, headline=" ".join(headline))

    def to_frame(self) -> "pd.DataFrame":
        """Return the scores, a row for each system, topic and measure.

        With a navigation that was learned, `navigation_error` is a score's standard error by it;
        where ideals are uncertain, `judge_deviation` its standard deviation by judges.
        """
        frame, errors = super().to_frame(), self.uncertainty
        if errors is not None:
            is_learned = errors.covariance is None
            name = "navigation_error" if is_learned else "judge_deviation"
            frame[name] = errors.deviations.ravel()
        return frame

    def values(self) -> dict[str, Any]:
        """Return scores, means, the decision and what to know of the input."""
        errors = self.uncertainty
        rows: Mapping[str, Any] = (
            {}
            if errors is None
            else {
                "source": errors.source,
                **errors.facts,
                "rows": errors.rows(self.scores, self.decision),
            }
        )
        return {
            **super().values(),
            "uncertainty": rows or None,
            "without_ideals": self.without_ideals,
            "lists": self.lists,
            "notes": self._measure_notes(),
            "taken_as_known": self.taken_as_known,
            "links": self.links,
        }
