"""The result of a comparison, and ways to write and show it."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from prum.experiments.compare.decision import Decision, Pair, Place, decide
from prum.experiments.compare.question import Question
from prum.experiments.compare.repeats import repeat_notes, repeat_tables, repeats_of, variances
from prum.experiments.compare.scores import Scores
from prum.experiments.compare.view import (
    comparison_view,
    interval_figure,
    ranking_table,
)
from prum.experiments.frame.result import Result, text_or_file
from prum.experiments.frame.view import View

if TYPE_CHECKING:
    import pandas as pd

# Systems that a notebook shows.
_MOST_ROWS = 20
_MEAN = ("measure", "system", "mean", "low", "high", "topics")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ComparisonResult(Result):
    """Systems scored on topics, and which is better.

    Attributes
    ----------
    scores
        Scores, (systems, topics, measures), and their means over topics.
    question
        What was to be decided.
    input_remarks
        What is odd of the scores.
    half_width
        Half the interval that more topics or trials are to give, if they repeat.
    arguments, command
        As `Result` has them.
    """

    scores: Scores
    question: Question = field(default_factory=Question.usual)
    input_remarks: tuple[str, ...] = ()
    half_width: float | None = None

    kind = "compare"

    @cached_property
    def decision(self) -> Decision:
        """What the primary measure decides; computed when first asked for.

        Raises
        ------
        InputError
            if the primary measure or the baseline is not among the scores.
        """
        return decide(self.scores, self.question)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is odd of the input, in a line for each kind."""
        return self.input_remarks

    @property
    def scored(self) -> str:
        """What was scored, in a sentence."""
        systems, topics = len(self.scores.systems), len(self.scores.topics)
        return f"{systems:,} system{'s' * (systems > 1)} on {topics:,} topic{'s' * (topics > 1)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about measures and numbers."""
        return ()

    def view(self, *, top: int | None = None) -> View:
        """Return what people see: the answer, places, means and notes, of the `top` systems."""
        repeats = repeats_of(self.scores)
        view = comparison_view(
            self.scores,
            self.decision,
            remarks=self.remarks,
            notes=(*repeat_notes(repeats, self.half_width), *self.notes, self.scored),
            top=top,
        )
        more = repeat_tables(repeats, self.scores.measures[0])
        return replace(view, tables=(*view.tables, *more))

    def brief(self) -> View:
        """Return the view of the best systems."""
        return self.view(top=_MOST_ROWS)

    def whole(self) -> View:
        """Return the view with a figure: means with their intervals."""
        decision = self.decision
        figures = (interval_figure(decision),) if decision.num_topics else ()
        return replace(self.view(), figures=figures)

    def to_frame(self) -> "pd.DataFrame":
        """Return the scores, a row for each system, topic and measure."""
        return self.scores.frame()

    def compare(self, system: str | None = None) -> "pd.DataFrame":
        """Return the pairs of the decision, a row for each, as `Pair`.

        Every system beside the baseline; without one the best beside every other. With `system`,
        every other beside this one: all pairs hold together, so that any of them may be looked at.

        Raises
        ------
        InputError
            if it is no system, or there is a baseline and it is another.
        """
        import pandas as pd

        pairs = self.decision.pairs if system is None else self.decision.pairs_with(system)
        return pd.DataFrame(pairs, columns=list(Pair._fields))

    def ranks(self) -> "pd.DataFrame":
        """Return the places of systems, the best first, a row for each, as `Place`."""
        import pandas as pd

        return pd.DataFrame(self.decision.ranked, columns=list(Place._fields))

    def values(self) -> dict[str, Any]:
        """Return scores, means and the decision."""
        scores, decision = self.scores, self.decision
        measures, systems = enumerate(scores.measures), enumerate(scores.systems)
        means = [
            dict(zip(_MEAN, (measure, system, *scores.mean(row, column)), strict=True))
            for (column, measure), (row, system) in product(measures, systems)
        ]
        trials = {name: of.values() for name, of in variances(repeats_of(scores)).items()}
        asked = ("measure", "method", "level", "margin", "baseline", "seed")
        return {
            "topics": scores.topics,
            "confidence": 0.95,
            "means": means,
            "scores": {
                measure: dict(zip(scores.systems, scores.values[:, :, number], strict=True))
                for number, measure in enumerate(scores.measures)
            },
            "decision": {
                **{name: getattr(decision, name) for name in asked},
                "topics": decision.num_topics,
                "family": decision.family,
                "notes": decision.notes,
                "pairs": [pair._asdict() for pair in decision.pairs],
                "places": [place._asdict() for place in decision.ranked],
            },
            **({"trials": trials} if trials else {}),
        }

    @text_or_file
    def to_latex(self, *, intervals: bool = True, top: int | None = None) -> str:
        """Return the table of systems for LaTeX with the package booktabs.

        The best of each measure is bold; systems tied for the first place are marked, or those
        that are better or worse than the baseline.

        Parameters
        ----------
        intervals
            Whether to print half the interval of each mean behind it.
        top
            How many systems, of the best; all by default.
        """
        from prum.experiments.frame.html import latex

        table = ranking_table(self.scores, self.decision, top=top, intervals=intervals)
        return latex(table if intervals else table.briefly())
