"""The view of a comparison: one table of places and means, the answer, verdicts and notes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from prum.experiments.compare.decision import METHOD_NAMES, Decision, Pair, Place, Verdict
from prum.experiments.compare.scores import Scores
from prum.experiments.frame.numbers import Value, count, exactly, shown
from prum.experiments.frame.view import Column, Stretch, Table, View
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.simultaneous import OPEN
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

TIED, BETTER, WORSE = "≈", "+", "−"
_FORM = ".4f"
# So many sentences are read one by one; so many names of a group are said.
_MOST_PAIRS, _MOST_NAMES = 6, 4
_ORDER: tuple[Verdict, ...] = ("better", "worse", "equivalent", "undecided", "no test")
# Means, and widths of intervals, that rounding leaves of equal scores.
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


def comparison_view(
    scores: Scores,
    decision: Decision,
    *,
    remarks: Iterable[str],
    notes: Iterable[str],
    top: int | None = None,
) -> View:
    """Return places, means and the decision; what was odd of the input stands on the page alone.

    Parameters
    ----------
    remarks
        What is odd of the input.
    notes
        What to know of measures, and what was scored.
    top
        How many systems the table has, of the best; all by default.

    Raise InputError if `top` is less than 1, or the primary measure or the baseline is not among
    the scores.
    """
    return View(
        title="Systems by measures",
        headline=f"{answer(decision)}.",
        story=tuple(f"{remark[0].upper()}{remark[1:]}." for remark in remarks),
        tables=(ranking_table(scores, decision, top=top), *_pairs(decision)),
        notes=(*decision.notes, *_missing(scores), *notes),
        sentences=tuple(f"{sentence}." for sentence in verdicts(decision)),
        leads=True,
    )


def ranking_table(
    scores: Scores, decision: Decision, *, top: int | None = None, intervals: bool = True
) -> Table:
    """Return a row for each system, the best by the primary measure first.

    Without `intervals` its label is of means alone, for a table of brief texts.

    Raise InputError if `top` is less than 1.
    """
    if top is not None and top < 1:
        raise InputError("top", top, "be at least 1", remedy="leave it out to see all systems")
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
    """Return means over topics, and halves of intervals, NaN where `mean_interval` has none."""
    values, shared = scores.of(measure), np.diag(scores.shared_by(measure))
    num = values.shape[1]
    nan = np.full(len(values), np.nan)
    if num < 2:
        return (values[:, 0] if num else nan), nan
    pairs = zip(values, shared, strict=True)
    ends = np.array([mean_interval(of, by_all) for of, by_all in pairs])
    return ends[:, 0], (ends[:, 2] - ends[:, 1]) / 2


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


# --- the answer, and verdicts of pairs -----------------------------------------------------------


def answer(decision: Decision) -> str:
    """Return which system is best, or how many are better than the baseline, in a sentence."""
    ranked, measure = decision.ranked, decision.measure
    if not decision.num_topics:
        return f"No topic has a value of {measure} for all systems: nothing can be decided"
    best = ranked[0]
    first = [place.system for place in ranked if place.place == 1]
    have = f"{_named(first, 'system')} {'has' if len(first) == 1 else 'have'} the highest"
    if len(ranked) == 1:
        half = "" if best.low != best.low else f" ± {shown(best.mean - best.low, '.4f')}"
        if best.high - best.low <= _ALIKE * abs(best.mean):
            half = f", the same on each of {count(decision.num_topics, 'topic')}"
        return f"{best.system} has a mean {measure} of {shown(best.mean, '.4f')}{half}"
    if decision.num_topics == 1:
        value = f"value ({shown(best.mean, '.4f')})"
        return f"By {measure}, {have} {value}, but one topic decides nothing"
    if len(ranked) == 2:
        return f"By {measure}, {decision.pairs[0].sentence}"
    highest = f"{have} mean ({shown(best.mean, '.4f')})"
    if decision.baseline is not None:
        return f"By {measure}, {_counted(decision)}; {highest}"
    tied = [place.system for place in ranked if place.is_tied_with_best and place != best]
    num = f"{len(ranked):,} systems"
    if all(pair.verdict == "equivalent" for pair in decision.pairs):
        return f"By {measure}, {_alike(decision)}"
    if not tied:
        return f"By {measure}, {best.system} is the best of {num}: better than each of the others"
    if len(tied) == len(ranked) - 1:
        return f"By {measure}, it is undecided which of {num} is best; {highest}"
    return f"By {measure}, {best.system} is first of {num}, tied with {_named(tied)}"


def verdicts(decision: Decision) -> Iterator[str]:
    """Yield the sentences of all pairs, or of groups of them if there are many."""
    pairs = decision.pairs
    if len(decision.systems) < 3:
        # The answer is the sentence of the only pair.
        return
    if len(pairs) <= _MOST_PAIRS:
        yield from (pair.sentence for pair in pairs)
        return
    for verdict, group in _grouped(pairs):
        if decision.baseline is None:
            yield _of_best(decision, verdict, [pair.other for pair in group])
        else:
            group.sort(key=lambda pair: -abs(pair.difference))
            yield _of_others(decision.baseline, verdict, [pair.system for pair in group])
    close = [pair for pair in pairs if pair.verdict == "undecided"]
    if close:
        yield f"The closest: {min(close, key=lambda pair: abs(pair.difference)).sentence}"


def _grouped(pairs: Iterable[Pair]) -> Iterator[tuple[Verdict, list[Pair]]]:
    for verdict in _ORDER:
        group = [pair for pair in pairs if pair.verdict == verdict]
        if group:
            yield verdict, group


def _of_best(decision: Decision, verdict: Verdict, others: Sequence[str]) -> str:
    names = _named(others)
    if verdict in ("better", "worse"):
        return f"{decision.best} is {verdict} than {names}"
    if verdict == "equivalent":
        return f"{decision.best} differs by no more than the margin from {names}"
    if verdict == "no test":
        return f"{decision.best} cannot be compared with {names}"
    tied = {place.system for place in decision.places if place.is_tied_with_best}
    behind = sum(other not in tied for other in others)
    sentence = f"It is undecided whether {decision.best} is better than {names}"
    if behind:
        verb = "are" if behind > 1 else "is"
        sentence += f"; {behind:,} of them {verb} worse than another system"
    return sentence


def _of_others(baseline: str, verdict: Verdict, others: Sequence[str]) -> str:
    names = _named(others, "system")
    is_alone = len(others) == 1
    verb, differ = ("is", "differs") if is_alone else ("are", "differ")
    return {
        "better": f"{names} {verb} better than {baseline}",
        "worse": f"{names} {verb} worse than {baseline}",
        "equivalent": f"{names} {differ} by no more than the margin from {baseline}",
        "undecided": f"It is undecided whether {names} {verb} better or worse than {baseline}",
        "no test": f"{names} cannot be compared with {baseline}",
    }[verdict]


def _counted(decision: Decision) -> str:
    """Return how many systems have which verdict beside the baseline."""
    groups = [(verdict, len(group)) for verdict, group in _grouped(decision.pairs)]
    (verdict, num), *others = groups
    text = f"{num:,} of {len(decision.pairs):,} systems {'is' if num == 1 else 'are'} {verdict}"
    beside = {"better": "than", "worse": "than", "equivalent": "to", "undecided": "beside"}
    text += f" {beside[verdict]} {decision.baseline}"
    return ", ".join([text, *(f"{num:,} {verdict}" for verdict, num in others)])


def _alike(decision: Decision) -> str:
    """Return how alike all systems are, of which none is more than equivalent to the best."""
    best, margin = decision.ranked[0], decision.margin
    mean = shown(best.mean, ".4f")
    if margin is None or all(pair.low == pair.high for pair in decision.pairs):
        return (
            f"all {len(decision.ranked):,} systems score the same on every topic, {mean} on average"
        )
    return (
        f"no system differs by more than the margin of {exactly(margin)} from {best.system}, "
        f"which has the highest mean ({mean})"
    )


def _named(names: Sequence[str], noun: str = "other") -> str:
    """Return names, or how many there are and the first of them.

    >>> _named(["a", "b"]), _named(list("abcdefg"))
    ('a and b', '7 others (a, b, c, d and 3 more)')
    """
    if len(names) == 1:
        return names[0]
    # Nobody is helped by "and 1 more".
    if len(names) <= _MOST_NAMES + 1:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    first = ", ".join(names[:_MOST_NAMES])
    return f"{len(names):,} {noun}s ({first} and {len(names) - _MOST_NAMES:,} more)"
