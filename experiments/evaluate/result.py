"""The result of an evaluation: a comparison, and what to know of the input."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from prum.experiments.compare.result import ComparisonResult
from prum.experiments.evaluate.remarks import InputWarnings, browsing, nothing_judged, remarks
from prum.experiments.evaluate.uncertainty import (
    TellingLink,
    UncertainMean,
    UncertainPair,
    Uncertainty,
)
from prum.experiments.frame.numbers import about, count, number, shown
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.measures.measure import measure_of
from prum.simulator.collections.linking import LinkUse

if TYPE_CHECKING:
    import pandas as pd

# Sentences are made of so many pairs; of more there is the table.
_MOST_PAIRS = 6
_MANY = 1e6


def with_uncertainty(view: View, uncertainty: Uncertainty, *, top: int | None = None) -> View:
    """Return the view of an evaluation with what topics and navigation leave open."""
    first, *others = view.tables
    tables = (first, *_tables(uncertainty, top), *others)
    told = tuple(f"{_of_pair(pair, uncertainty)}." for pair in uncertainty.pairs[:_MOST_PAIRS])
    notes = (*view.notes, *_notes(uncertainty))
    return replace(view, tables=tables, sentences=(*view.sentences, *told), notes=notes)


def _tables(uncertainty: Uncertainty, top: int | None) -> Iterator[Table]:
    means = sorted(uncertainty.means, key=lambda row: -row.mean)[:top]
    rows: tuple[UncertainMean | UncertainPair, ...] = (*means, *uncertainty.pairs[:top])
    columns: list[Column[UncertainMean | UncertainPair]] = [
        Column("", _name, left=True),
        Column(uncertainty.measure, _value, ".4f"),
        Column("topics ±", lambda row: _factor(row) * row.topics, ".4f"),
        Column("navigation ±", lambda row: _factor(row) * row.navigation, ".4f"),
        Column("both ±", lambda row: (row.high - row.low) / 2, ".4f"),
    ]
    sessions = count(uncertainty.num_sessions, "session")
    yield Table.of(
        f"Where the uncertainty comes from: halves of 95 % intervals by "
        f"{count(uncertainty.num_topics, 'topic')} and a log of {sessions}",
        rows,
        columns,
        parts=lambda row: isinstance(row, UncertainPair),
    )
    if uncertainty.links:
        of_links: list[Column[TellingLink]] = [
            Column("from", lambda link: link.source, left=True),
            Column("to", lambda link: link.target, left=True),
            Column("probability", lambda link: link.probability, ".4f"),
            Column("±", lambda link: link.deviation, ".4f"),
            Column("sensitivity", lambda link: link.sensitivity, "+.3f"),
            Column("share of variance", lambda link: f"{100 * link.takes_off:.2g} %"),
        ]
        yield Table.of(
            f"Most uncertain links: the variance of {uncertainty.told_of} by navigation",
            uncertainty.links,
            of_links,
            legend=("share of variance: what would be gone if the link were known",),
        )


def _name(row: UncertainMean | UncertainPair) -> str:
    return row.system if isinstance(row, UncertainMean) else f"{row.system} minus {row.other}"


def _value(row: UncertainMean | UncertainPair) -> float:
    return row.mean if isinstance(row, UncertainMean) else row.difference


def _factor(row: UncertainMean | UncertainPair) -> float:
    """Return how many standard errors half the interval is."""
    error = math.hypot(0 if math.isnan(row.topics) else row.topics, row.navigation)
    return (row.high - row.low) / 2 / error if error else 0.0


def _of_pair(pair: UncertainPair, uncertainty: Uncertainty) -> str:
    """Return whether a pair can be told apart, else what would do it, in a sentence."""
    if math.isinf(pair.known):
        few = "too few topics, or the same difference on too many"
        return f"Whether {pair.system} or {pair.other} is better cannot be resampled: {few}"
    both, half = f"{pair.system} and {pair.other}", (pair.high - pair.low) / 2
    split = (
        f"differ by {number(abs(pair.difference))} ± {number(half)}"
        f" (topics ± {number(_factor(pair) * pair.topics)},"
        f" navigation ± {number(_factor(pair) * pair.navigation)})"
    )
    if pair.sessions == 0:
        return f"{both} {split}: apart, with what the log leaves open of navigation counted"
    if math.isfinite(pair.sessions):
        more = about(math.ceil(pair.sessions))
        enough = f"more than {_MANY:,.0f}" if pair.sessions > _MANY else f"about {more}"
        times = shown(pair.sessions / uncertainty.num_sessions, ".1f")
        return (
            f"{both} {split}: {enough} sessions more ({times} times the log) would tell them apart"
        )
    known = f"with navigation known topics alone leave ± {number(pair.known)}"
    if pair.known < abs(pair.difference):
        known = "what such a log never shows leaves too much open"
    topics = "nor would any number of topics with this log"
    if math.isfinite(pair.topics_needed):
        topics = f"about {about(pair.topics_needed)} topics would, with this log"
    return f"{both} {split}: no number of sessions would tell them apart, {known}; {topics}"


def _notes(uncertainty: Uncertainty) -> Iterator[str]:
    yield (
        "Navigation ±: to first order in its probabilities. Pages are taken as independent of each "
        "other, so that it is too small where the log hardly shows many of them. It is the "
        "same for all topics: no more of these lessen it. "
        f"{uncertainty.measure} alone has this part: for other measures navigation counts as "
        "known, or does not matter."
    )
    if uncertainty.pairs:
        yield "Sessions and topics that would do are said for differences that stay as they are."


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EvaluationResult(ComparisonResult):
    """Runs scored by measures, compared, and what to know of the input.

    Attributes
    ----------
    scores, question, arguments, command
        As `ComparisonResult` has them.
    without_ideals
        Judged topics that hold no ideal and are left out.
    lists
        What is odd of each run's lists.
    links
        How many links there are, start at a listed element, and lead to an ideal.
    size_rises
        Where the collection's size is not known: measure -> how much it could rise at most in a
        smaller collection than the endless one that was assumed.
    takes_highest
        Whether subtopics were judged, and a measure takes an element's highest grade for any.
    subtopics_by_column
        Subtopics that the second column of qrels names, where no element is judged for two and a
        measure takes them for subtopics.
    scale
        The highest grade judged, if a measure took it for relevance 1 and it is more than that.
    uncertainty
        Where it comes from, of topics and of a navigation that was learned: of the measure that
        decides, else of the first that browses by it; None where nothing was learned, or nothing
        is known of its part in these measures.
    taken_as_known
        Measures that browse by what was learned, where no uncertainty is said of any.
    """

    without_ideals: tuple[str, ...]
    lists: tuple[InputWarnings, ...]
    links: LinkUse
    size_rises: Mapping[str, float]
    takes_highest: bool
    subtopics_by_column: tuple[str, ...] = ()
    scale: float | None = None
    uncertainty: Uncertainty | None = None
    taken_as_known: tuple[str, ...] = ()

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
            lists=self.lists,
            size_rises=self.size_rises,
            takes_highest=self.takes_highest,
            subtopics_by_column=self.subtopics_by_column,
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
            view = with_uncertainty(view, self.uncertainty, top=top)
            known.append(self.uncertainty.measure)
        if self.decision.measure in known and self.decision.family:
            told = "Decisions take the learned navigation as known."
            view = replace(view, headline=f"{view.headline} {told}")
        told_first = [f"{told}." for told in nothing_judged(self.lists)]
        return replace(view, headline=" ".join([*told_first, view.headline]))

    def to_frame(self) -> "pd.DataFrame":
        """Return the scores, a row for each system, topic and measure.

        With a navigation that was learned, `navigation_error` is a score's standard error by it.
        """
        frame = super().to_frame()
        if self.uncertainty is not None:
            errors = np.full(self.scores.values.shape, np.nan)
            errors[:, :, self.scores.measures.index(self.uncertainty.measure)] = (
                self.uncertainty.errors
            )
            frame["navigation_error"] = errors.ravel()
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
        }
