"""The view of a comparison: one table of places and means, the answer, verdicts and notes."""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.compare.decision import Decision, Pair, Place
from prum.experiments.compare.scores import Scores
from prum.experiments.compare.sentences import METHOD_NAMES, answer, verdicts
from prum.experiments.frame.numbers import Value, shown
from prum.experiments.frame.view import Column, Stretch, Table, View
from prum.experiments.statistics.intervals import student_factor
from prum.experiments.statistics.simultaneous import OPEN
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    from prum.experiments.compare.result import ComparisonResult

TIED, BETTER, WORSE = "≈", "+", "−"
_FORM = ".4f"
# Means that rounding leaves of equal ones.
_ALIKE = 1e-12


@dataclass(frozen=True, slots=True)
class _Row:
    """A system: its place, its means and half their intervals by the measures as shown."""

    place: Place
    means: tuple[float, ...]
    halves: tuple[float, ...]
    best: tuple[bool, ...]
    sign: str

    def mean(self, measure: int) -> str:
        """Return a mean as text."""
        return shown(self.means[measure], _FORM)

    def whole(self, measure: int) -> str:
        """Return a mean with half its interval, if it has one."""
        half = self.halves[measure]
        return self.mean(measure) + ("" if np.isnan(half) else f" ± {shown(half, _FORM)}")


def comparison_view(result: "ComparisonResult", *, top: int | None = None) -> View:
    """Return places, means and the decision; what was odd of the input stands on the page alone.

    `top`: how many systems the table has, of the best; all by default.

    Raise InputError if `top` is less than 1, or the primary measure or the baseline is not among
    the scores.
    """
    scores, decision = result.scores, result.decision
    return View(
        title="Systems by measures",
        headline=f"{answer(decision)}.",
        story=tuple(f"{remark[0].upper()}{remark[1:]}." for remark in result.remarks),
        tables=(ranking_table(result, top=top), *_pairs(decision)),
        notes=(*decision.notes, *_missing(scores), *result.notes, result.scored),
        sentences=tuple(f"{sentence}." for sentence in verdicts(decision)),
        leads=True,
    )


def ranking_table(
    result: "ComparisonResult", *, top: int | None = None, intervals: bool = True
) -> Table:
    """Return a row for each system, the best by the primary measure first.

    Without `intervals` its label is of means alone, for a table of brief texts.

    Raise InputError if `top` is less than 1.
    """
    if top is not None and top < 1:
        raise InputError("top", top, "be at least 1", remedy="leave it out to see all systems")
    scores, decision = result.scores, result.decision
    measures = _order(scores, decision)
    rows = _rows(scores, decision, measures)
    num, num_topics = len(rows), len(scores.topics)
    label = f"Mean over {num_topics:,} topics{' ± half a 95 % interval' if intervals else ''}"
    if num_topics == 1:
        label = f"Scores on topic {scores.topics[0]}"
    is_ranked = num > 1 and decision.pairs[0].verdict != "no test"
    columns = list(_place_columns(num) if is_ranked else ())
    columns.append(
        Column("system", lambda row: row.place.system, left=True, sign=lambda row: row.sign)
    )
    columns += [_mean_column(scores.measures[at], column) for column, at in enumerate(measures)]
    return Table.of(
        label, rows[:top], columns, legend=_legend(decision, rows, is_ranked=is_ranked, top=top)
    )


def _order(scores: Scores, decision: Decision) -> list[int]:
    """Return the numbers of the measures, the primary one first."""
    primary = scores.measures.index(decision.measure)
    return [primary, *(at for at in range(len(scores.measures)) if at != primary)]


def _rows(scores: Scores, decision: Decision, measures: list[int]) -> list[_Row]:
    means, halves = map(np.array, zip(*(_means(scores, at) for at in measures), strict=True))
    highest = means.max(axis=1, keepdims=True)
    # Where all are alike none is best.
    best = means >= highest - _ALIKE * np.abs(highest)
    best &= ~best.all(axis=1, keepdims=True)
    numbers = {system: number for number, system in enumerate(scores.systems)}
    sign = _signs(decision)
    return [
        _Row(
            place,
            tuple(means[:, numbers[place.system]].tolist()),
            tuple(halves[:, numbers[place.system]].tolist()),
            tuple(best[:, numbers[place.system]].tolist()),
            sign.get(place.system, ""),
        )
        for place in decision.ranked
    ]


def _means(scores: Scores, measure: int) -> tuple[Floats, Floats]:
    """Return means over topics and halves of their 95 % intervals, NaN where there is none."""
    values, shared = scores.of(measure), np.diag(scores.shared_by(measure))
    num = values.shape[1]
    nan = np.full(len(values), np.nan)
    if num < 2:
        return (values[:, 0] if num else nan), nan
    topics = values.std(axis=1, ddof=1) / num**0.5
    return values.mean(axis=1), student_factor(num - 1) * np.hypot(topics, np.sqrt(shared))


def _signs(decision: Decision) -> dict[str, str]:
    """Return the signs of systems: tied with the best; or better or worse than the baseline."""
    if not decision.pairs or decision.pairs[0].verdict == "no test":
        return {}
    if decision.baseline is None:
        first = decision.ranked[0]
        tied = [place for place in decision.ranked[1:] if place.is_tied_with_best]
        return {place.system: TIED for place in (first, *tied)} if tied else {}
    signs = {"better": BETTER, "worse": WORSE}
    return {pair.system: signs.get(pair.verdict, "") for pair in decision.pairs}


def _legend(decision: Decision, rows: list[_Row], *, is_ranked: bool, top: int | None) -> list[str]:
    lines = list[str]()
    if top is not None and top < len(rows):
        first, rest = "the first" if top == 1 else f"the first {top:,}", len(rows) - top
        follow = "follows" if rest == 1 else "follow"
        lines.append(f"{first} of {len(rows):,} systems: {rest:,} more {follow}")
    if not is_ranked:
        return lines
    confidence = f"{100 * (1 - decision.level):.4g} %"
    lines.append(
        f"from–to: places that a system can have, all at once with {confidence} confidence"
    )
    if decision.baseline is not None:
        lines.append(f"{BETTER} better than {decision.baseline}, {WORSE} worse")
    elif any(row.sign for row in rows):
        lines.append(f"{TIED} tied for the first place by {decision.measure}")
    return lines


def _place_columns(num: int) -> Iterator[Column[_Row]]:
    def span(row: _Row) -> Stretch:
        place = row.place
        return Stretch(*((at - 1) / (num - 1) for at in (place.first, place.place, place.last)))

    def ends(row: _Row) -> Value:
        place = row.place
        return f"{place.first}–{place.last}"

    yield Column("place", lambda row: row.place.place, "d")
    yield Column(
        "from–to",
        ends,
        span=span,
        data={"from": lambda row: row.place.first, "to": lambda row: row.place.last},
    )


def _mean_column(measure: str, column: int) -> Column[_Row]:
    return Column(
        measure,
        lambda row: row.whole(column),
        brief=lambda row: row.mean(column),
        is_best=lambda row: row.best[column],
        is_optional=column > 0,
        data={
            measure: lambda row: row.means[column],
            f"{measure} ±": lambda row: row.halves[column],
        },
    )


def _pairs(decision: Decision) -> Iterator[Table]:
    """Yield the comparisons of the decision, for the page."""
    if len(decision.systems) < 2:
        return
    confidence = f"{100 * (1 - decision.level):.4g} %"
    beside = "the baseline" if decision.baseline is not None else "the best"
    columns: list[Column[Pair]] = [
        Column("system", attrgetter("system"), left=True),
        Column("other", attrgetter("other"), left=True),
        Column("difference", attrgetter("difference"), "+.4f"),
        Column(
            f"{confidence} interval, all at once",
            _interval,
            data={"low": attrgetter("low"), "high": attrgetter("high")},
        ),
        Column("p", attrgetter("p"), ".3g"),
        Column("adjusted p", attrgetter("adjusted"), ".3g"),
        Column("verdict", attrgetter("verdict"), left=True),
    ]
    yield Table.of(
        f"Comparisons with {beside} by {decision.measure} ({METHOD_NAMES[decision.method]})",
        decision.pairs,
        columns,
        detail=True,
    )


def _interval(pair: Pair) -> str:
    if pair.low == OPEN:
        return f"above 0 to {_end(pair.high)}"
    if pair.high == -OPEN:
        return f"{_end(pair.low)} to below 0"
    return f"{_end(pair.low)} to {_end(pair.high)}"


def _end(end: float) -> str:
    return shown(end, "+.4f")


def _missing(scores: Scores) -> Iterator[str]:
    num_topics = len(scores.topics)
    for number, measure in enumerate(scores.measures):
        missing = num_topics - scores.of(number).shape[1]
        if missing:
            yield f"{measure}: {missing} of {num_topics} topics have no such value"
