"""What is shown of where the uncertainty of scores comes from: two tables and some sentences."""

import math
from collections.abc import Iterator
from dataclasses import replace

from prum.experiments.compare.numbers import about, count, number
from prum.experiments.evaluate.observe_next import TellingLink
from prum.experiments.evaluate.uncertainty import UncertainMean, UncertainPair, Uncertainty
from prum.experiments.views.view import Column, Table, View, shown

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
