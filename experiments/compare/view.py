"""The view of a comparison: places and means, the answer, verdicts, notes, and a figure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.compare.answer import answer, verdicts
from prum.experiments.compare.decision import METHOD_NAMES, Decision, Pair
from prum.experiments.compare.scores import Scores
from prum.experiments.frame.drawing import SIMULATED, SOFT, TEXT, height, paneled, rows
from prum.experiments.frame.numbers import shortened, shown
from prum.experiments.frame.view import Column, Figure, Table, View, interval
from prum.experiments.statistics.simultaneous import OPEN
from prum.simulator.model import InputError
from prum.simulator.model.errors import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIED, BETTER, WORSE = "≈", "+", "−"
_FORM = ".4f"
# Means that rounding leaves of equal scores.
_ALIKE = 1e-12
# Signs of a name beside its point, and systems that are drawn.
_NAME, _MOST = 24, 40


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

    Raise InputError if `top` is less than 1.
    """
    num = len(scores.topics)
    missing = (
        f"{measure}: {num - scores.of(number).shape[1]} of {num} topics have no such value"
        for number, measure in enumerate(scores.measures)
        if scores.of(number).shape[1] < num
    )
    return View(
        title="Systems by measures",
        headline=f"{answer(decision)}.",
        story=tuple(f"{remark[0].upper()}{remark[1:]}." for remark in remarks),
        tables=(ranking_table(scores, decision, top=top), *_pairs(decision)),
        notes=(*decision.notes, *missing, *notes),
        sentences=tuple(f"{sentence}." for sentence in verdicts(decision)),
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
    num_topics, ranked, signs = len(scores.topics), decision.ranked, _signs(decision)
    shown_places = ranked[:top]
    systems = [place.system for place in shown_places]
    marked = tuple(signs.get(system, "") for system in systems)
    columns = [Column.of("system", systems, left=True, signs=marked)]
    if signs:
        ranges = [f"{place.first}–{place.last}" for place in shown_places]
        numbers = [place.place for place in shown_places]
        columns[:0] = [Column.of("place", numbers, "d"), Column.of("from–to", ranges)]
    means = [_mean_column(scores, measure, systems) for measure in range(len(scores.measures))]
    columns += means
    # Where a mean's interval says no more than the scale of scores it has none.
    intervals &= any(" ± " in text for column in means for text in column.texts)
    label = f"Mean over {num_topics:,} topics{' ± half a 95 % interval' if intervals else ''}"
    if num_topics == 1:
        label = f"Scores on topic {scores.topics[0]}"
    legend = []
    if top is not None and top < len(ranked):
        first, rest = "the first" if top == 1 else f"the first {top:,}", len(ranked) - top
        follow = "follows" if rest == 1 else "follow"
        legend.append(f"{first} of {len(ranked):,} systems: {rest:,} more {follow}")
    if signs:
        legend.append(
            "from–to: places that a system can have, all at once with "
            f"{_confidence(decision)} confidence"
        )
    if signs and decision.baseline is not None:
        legend.append(f"{BETTER} better than {decision.baseline}, {WORSE} worse")
    elif any(signs.values()):
        legend.append(f"{TIED} tied for the first place by {decision.measure}")
    return Table(label, tuple(columns), legend=tuple(legend))


def _signs(decision: Decision) -> dict[str, str]:
    """Return signs by system: tied with the best; or better or worse than the baseline.

    None at all where nothing is decided.
    """
    if not decision.pairs or decision.pairs[0].verdict == "no test":
        return {}
    if decision.baseline is not None:
        by_verdict = {"better": BETTER, "worse": WORSE}
        return {pair.system: by_verdict.get(pair.verdict, "") for pair in decision.pairs}
    tied = {place.system for place in decision.places if place.is_tied_with_best}
    tied.add(decision.best)
    return {name: TIED if name in tied and len(tied) > 1 else "" for name in decision.systems}


def _mean_column(scores: Scores, measure: int, systems: Sequence[str]) -> Column:
    """Return means over topics with half their intervals, the best marked."""
    estimates = [scores.mean(row, measure) for row in range(len(scores.systems))]
    means = np.array([mean for mean, *_ in estimates])
    # Where all are alike none is best.
    best = means >= means.max() - _ALIKE * np.abs(means.max())
    best &= not best.all()
    texts = {}
    for row, (mean, low, high, _) in enumerate(estimates):
        start, half = shown(mean, _FORM), (high - low) / 2
        whole = start if np.isnan(half) else f"{start} ± {shown(half, _FORM)}"
        texts[scores.systems[row]] = whole, start, bool(best[row])
    whole_texts, starts, is_best = zip(*(texts[system] for system in systems), strict=True)
    return Column.of(scores.measures[measure], whole_texts, brief=starts, best=is_best)


def _pairs(decision: Decision) -> Iterator[Table]:
    """Yield the comparisons of the decision, for the page."""
    if len(decision.systems) < 2:
        return
    other = "the baseline" if decision.baseline is not None else "the best"
    pairs = decision.pairs
    columns = (
        Column.of("system", [pair.system for pair in pairs], left=True),
        Column.of("other", [pair.other for pair in pairs], left=True),
        Column.of("difference", [pair.difference for pair in pairs], "+.4f"),
        Column.of(f"{_confidence(decision)} interval, all at once", map(_interval, pairs)),
        Column.of("p", [pair.p for pair in pairs], ".3g"),
        Column.of("adjusted p", [pair.adjusted for pair in pairs], ".3g"),
        Column.of("verdict", [pair.verdict for pair in pairs], left=True),
    )
    label = f"Comparisons with {other} by {decision.measure} ({METHOD_NAMES[decision.method]})"
    yield Table(label, columns, detail=True)


def _confidence(decision: Decision) -> str:
    return f"{100 * (1 - decision.level):.4g} %"


def _interval(pair: Pair) -> str:
    """Return the ends of an interval; one that is 0 and left out is no number."""
    low = "above 0" if pair.low == OPEN else shown(pair.low, "+.4f")
    return f"{low} to {'below 0' if pair.high == -OPEN else shown(pair.high, '+.4f')}"


def interval_figure(decision: Decision) -> Figure:
    """Return the best systems with the 95 % intervals of their means, the best at the top."""
    places = decision.ranked[:_MOST]
    ends = [(place.low, place.mean, place.high) for place in places]
    label = "; ".join(
        f"{place.system} {interval(place.mean, place.low, place.high, '.4f')}" for place in places
    )
    names = shortened([printable(place.system) for place in places], _NAME)
    name = caption = f"Mean {decision.measure} with 95 % intervals"
    colours = [SIMULATED if place.is_tied_with_best else SOFT for place in places]

    def fill(axes: "Axes") -> None:
        rows(axes, [(short, *row) for short, row in zip(names, ends, strict=True)], colours)
        axes.tick_params(axis="both", labelsize=TEXT)
        axes.set_xlabel(name, labelpad=3)

    if len(places) < len(decision.ranked):
        caption += f", the first {len(places)} of {len(decision.ranked):,} systems"
    if any(place.is_tied_with_best for place in places[1:]):
        caption += "; blue: tied for the first place"
    tall = height(len(places))
    return Figure(caption, label, lambda: paneled([fill], columns=1, tall=tall, prefix="means"))
