"""The view of `trust`: PRUM's errors, in the mean and by recall value, orders, links and users."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prum.experiments.compare.wording import amount_of, count, exactly
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.trust.answer import sentence
from prum.experiments.trust.figure import figure
from prum.experiments.trust.known import KNOWN, FigureOfPeople
from prum.experiments.trust.of_list import INDEPENDENT, PRUM
from prum.experiments.trust.survival import PairSurvival
from prum.experiments.views.view import Column, Figure, Table, View, shown
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    from prum.experiments.trust.result import TrustResult

# Recall values that tables have.
_RECALL = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_LINKS, _MOST_PAIRS = 3, 10
_BOUNDS = "bounds"
# What rounding leaves of a value at its bound.
_ALIKE = 1e-9


@dataclass(frozen=True, slots=True)
class _ErrorRow:
    """A system under a dependence, in the mean over recall values and topics."""

    system: str
    name: str
    value: float
    error: float
    half: float
    users: float
    topics: int
    how: str


@dataclass(frozen=True, slots=True)
class _LinkRow:
    """A link of a system that would improve it most."""

    system: str
    topic: str
    source: str
    target: str
    probability: float
    derivative: float


def trust_view(result: "TrustResult", *, top: int | None = None) -> View:
    """Return the answer, tables, a figure and notes.

    Parameters
    ----------
    top
        How many systems the first table has, of the best by PRUM; all by default.

    Raises
    ------
    InputError
        if `top` is less than 1.
    """
    if top is not None and top < 1:
        raise InputError("top", top, "be at least 1", remedy="leave it out to see all systems")
    pairs = list(result.pairs)
    figures: tuple[Figure, ...] = ()
    if result.given.links.num_links and result.most_ideals > 1:
        figures = (
            Figure(
                "error of PRUM under each dependence, by recall value, mean over topics",
                "lines of errors by recall value",
                lambda: figure(result),
            ),
        )
    return View(
        title="How far PRUM may be trusted",
        headline=result.headline,
        story=tuple(f"{line[0].upper()}{line[1:]}." for line in result.remarks),
        tables=(
            _by_dependence(result, top),
            *([_by_recall(result)] if result.most_ideals > 1 else ()),
            *([_orders(pairs, result)] if pairs else ()),
            *([_links(result)] if result.given.links.num_links and not result.is_charged else ()),
            _dependences(result),
            _people(),
            *([_differences(result, pairs)] if pairs else ()),
        ),
        figures=figures,
        notes=tuple(_notes(result)),
        sentences=tuple(_sentences(result, pairs)),
        leads=True,
    )


# --- tables --------------------------------------------------------------------------------------


def _ranked(result: "TrustResult") -> list[str]:
    return [place.system for place in result.decisions[PRUM].ranked]


def _by_dependence(result: "TrustResult", top: int | None) -> Table:
    """Return each system's mean under each dependence, and PRUM's error."""
    rows = list[_ErrorRow]()
    errors = result.errors()
    low, high = result.bounds
    systems = _ranked(result)[:top]
    for system in systems:
        number = result.systems.index(system)
        rows.append(
            _ErrorRow(system, PRUM, result.mean(system, PRUM), np.nan, np.nan, 0.0,
                      len(result.topics), "exact")
        )  # fmt: skip
        for name in result.names:
            there = errors[name][number][~np.isnan(errors[name][number])]
            mean, _, end = mean_interval(there) if len(there) else (np.nan,) * 3
            rows.append(
                _ErrorRow(
                    system, name, result.mean(system, name), mean, end - mean,
                    result.half_of_mean(system, name, result.topics), len(there),
                    _how(result, system, name),
                )
            )  # fmt: skip
    columns: list[Column[_ErrorRow]] = [
        Column("system", lambda row: row.system, left=True),
        Column("dependence", lambda row: row.name, left=True),
        Column("precision", lambda row: row.value, ".4f"),
        Column("± computed", lambda row: row.users or None, ".4f"),
        Column("error of PRUM", lambda row: row.error, "+.4f"),
        Column("± topics", lambda row: row.half, ".4f"),
        Column("topics", lambda row: row.topics, "d"),
        Column("how", lambda row: row.how, left=True, is_optional=True),
    ]
    legend = [
        f"{system}: between {shown(float(low[at].mean()), '.4f')} and "
        f"{shown(float(high[at].mean()), '.4f')} whatever the dependence between visits from one "
        "element"
        for system in systems
        for at in [result.systems.index(system)]
    ]
    legend.append(f"these bounds hold for {_bound(result)}")
    more = len(result.systems) - len(systems)
    if more:
        legend.append(f"{more:,} more systems follow")
    topics = len(result.topics)
    return Table.of(
        f"precision{result.in_unit}, mean over recall values and {count(topics, 'topic')}",
        rows, columns, parts=lambda row: row.system, legend=legend,
    )  # fmt: skip


def _bound(result: "TrustResult") -> str:
    """Return which dependences bounds hold for, in words."""
    free = [row.name for row in result.table if row.name in result.names and not row.is_within]
    return f"each dependence but {', '.join(free)}" if free else "each dependence"


def _how(result: "TrustResult", system: str, name: str) -> str:
    """Return how the values of a system came about."""
    values = [
        one.values[name]
        for topic in result.topics
        if name in (one := result.lists[system, topic]).values
    ]
    if not values:
        return "no such users"
    kinds = list(dict.fromkeys(value.how for value in values))
    users = [value.num_users for value in values if value.num_users]
    if not users:
        return " and ".join(kinds)
    span = f"{min(users):,}" if min(users) == max(users) else f"{min(users):,} to {max(users):,}"
    exact = sum(not value.num_users for value in values)
    beside = f"{exact:,} exact, {len(users):,} simulated" if exact else "simulated"
    missing = result.num_missing(system, name)
    few = f", too few on {count(missing, 'topic')}" if missing else ""
    return f"{beside} ({span} users{few})"


def _by_recall(result: "TrustResult") -> Table:
    """Return PRUM's largest error over systems at each recall value; none where one is missing."""
    rows = [r for r in _RECALL if r < result.most_ideals]
    rows.append(result.most_ideals)
    errors = {r: result.mean_errors(r) for r in rows}
    topics = {r: int((~np.isnan(result.at(PRUM, r)[0])).sum()) for r in rows}

    def worst(name: str) -> Column[int]:
        def of(r: int) -> float:
            there = errors[r][name][~np.isnan(errors[r][name])]
            if not len(there) or any(result.num_missing(one, name, r) for one in result.systems):
                return np.nan
            return float(there[np.argmax(np.abs(there))])

        return Column(name, of, "+.4f")

    columns: list[Column[int]] = [
        Column("r", lambda r: r, "d", left=True),
        Column("topics", topics.__getitem__, "d"),
        Column("PRUM", lambda r: float(np.nanmean(result.at(PRUM, r))), ".4f"),
        *map(worst, result.names),
    ]
    several = "" if len(result.systems) == 1 else "worst system; "
    return Table.of(
        f"error of PRUM{result.in_unit} by r ({several}mean over topics with at least r ideals)",
        rows, columns,
    )  # fmt: skip


def _orders(pairs: Sequence[PairSurvival], result: "TrustResult") -> Table:
    """Return what becomes of the order of each pair."""
    columns: list[Column[PairSurvival]] = [
        Column("above", lambda pair: pair.system, left=True),
        Column("below", lambda pair: pair.other, left=True),
        Column("by PRUM", lambda pair: pair.by_prum.difference, "+.4f"),
        Column("over topics", lambda pair: pair.by_prum.verdict, left=True),
        Column("least", lambda pair: pair.range[0], "+.4f"),
        Column("most", lambda pair: pair.range[1], "+.4f"),
        Column(_BOUNDS, lambda pair: _span(pair.bound_low, pair.bound_high)),
        Column("order", lambda pair: pair.standing, left=True),
        Column("turned by", lambda pair: ", ".join((*pair.turned, *pair.extremes_turned)) or "–",
               left=True),
        Column("undecided under", lambda pair: ", ".join(pair.undecided) or "–", left=True,
               is_optional=True),
        Column("decided otherwise under", lambda pair: ", ".join(pair.changed) or "–", left=True,
               is_optional=True),
    ]  # fmt: skip
    return Table.of(
        f"differences of systems{result.in_unit}, mean over recall values and topics: by PRUM, and "
        "under all dependences",
        pairs, columns,
        legend=(
            "bounds: of either list apart, for any dependence between visits from one element "
            f"({_bound(result)}); conservative",
        ),
    )  # fmt: skip


def _span(low: float, high: float) -> str:
    return f"{shown(low, '+.4f')} to {shown(high, '+.4f')}"


def _links(result: "TrustResult") -> Table:
    """Return the links that would improve each system most."""
    rows = list[_LinkRow]()
    for system in _ranked(result):
        own = [
            _LinkRow(system, topic, *link)
            for topic in result.topics
            for link in result.lists[system, topic].links
        ]
        own.sort(key=lambda row: -row.derivative)
        rows += own[:_MOST_LINKS]
    columns: list[Column[_LinkRow]] = [
        Column("system", lambda row: row.system, left=True),
        Column("topic", lambda row: row.topic, left=True),
        Column("from", lambda row: row.source, left=True),
        Column("to", lambda row: row.target, left=True),
        Column("P(x → y)", lambda row: row.probability, ".3f"),
        Column("gain", lambda row: row.derivative, ".4f"),
    ]
    return Table.of(
        "links to improve first: gain in the topic's mean precision for each unit of P(x → y)",
        rows, columns, parts=lambda row: row.system,
        legend=("if visits are independent",),
    )  # fmt: skip


def _dependences(result: "TrustResult") -> Table:
    rows = [
        (PRUM, "each visit is independent, and Hypothesis 2.3 holds"),
        (
            INDEPENDENT,
            "each visit is independent of all others: exact under Hypotheses 2.1 and 2.2",
        ),
        *((row.name, row.about) for row in result.table),
    ]
    columns: list[Column[tuple[str, str]]] = [
        Column("dependence", lambda row: row[0], left=True),
        Column("users, all with the same P(x → y)", lambda row: row[1], left=True),
    ]
    return Table.of("what is assumed", rows, columns)


def _people() -> Table:
    columns: list[Column[FigureOfPeople]] = [
        Column("dependence", lambda row: row.dependence, left=True),
        Column("measured on people", lambda row: row.figure, left=True),
        Column("data", lambda row: row.source, left=True),
        Column("more", lambda row: row.page, left=True),
    ]
    return Table.of("what is known of people", KNOWN, columns, detail=True)


def _differences(result: "TrustResult", pairs: Sequence[PairSurvival]) -> Table:
    """Return the difference of each pair under each dependence, with its interval, for the page."""
    rows = [(pair, name) for pair in pairs[:_MOST_PAIRS] for name in pair.under]
    confidence = f"{100 * (1 - result.question.level):.4g} %"
    columns: list[Column[tuple[PairSurvival, str]]] = [
        Column("above", lambda row: row[0].system, left=True),
        Column("below", lambda row: row[0].other, left=True),
        Column("dependence", lambda row: row[1], left=True),
        Column("difference", lambda row: row[0].under[row[1]].difference, "+.4f"),
        Column(
            f"{confidence} interval over topics",
            lambda row: _span(row[0].under[row[1]].low, row[0].under[row[1]].high),
        ),
        Column("± computed", lambda row: row[0].under[row[1]].half or None, ".4f"),
        Column("topics", lambda row: row[0].under[row[1]].topics, "d"),
        Column("verdict", lambda row: row[0].under[row[1]].verdict, left=True),
    ]
    return Table.of(
        "differences under each dependence", rows, columns, parts=lambda row: row[0], detail=True
    )


# --- sentences -----------------------------------------------------------------------------------


def _sentences(result: "TrustResult", pairs: Sequence[PairSurvival]) -> Iterator[str]:
    """Yield what follows: pairs, where there are many, and how deep users go."""
    if 3 < len(pairs) <= _MOST_PAIRS:
        yield from (f"{sentence(pair, result)}." for pair in pairs)
    for system in _ranked(result)[:2]:
        yield _depths(result, system)


def _depths(result: "TrustResult", system: str) -> str:
    """Return within how many elements, or at what cost, users are done."""
    lists = [result.lists[system, topic] for topic in result.topics]
    depths = np.array([one.quantiles[:, [0, -1]] for one in lists])
    ranks = [result.campaign.task(system, topic).num_ranked for topic in result.topics]
    behind = depths > np.array(ranks)[:, np.newaxis, np.newaxis]
    # Nobody knows how deep behind the list, if the collection's size is not known.
    paid = np.array([one.paid[:, [0, -1]] for one in lists])
    deep = np.where(behind & (not result.given.knows_size), np.inf, paid)
    unit = result.unit if result.is_charged else ""
    half_of_one, half_of_all, most_of_one, most_of_all = _texts(deep, unit)
    topic = "" if len(result.topics) == 1 else " (medians of topics)"
    return (
        f"By {system}, if visits are independent, half of the users who want one ideal are done "
        f"{half_of_one}, nine in ten {most_of_one}; of those who want all, half {half_of_all}, "
        f"nine in ten {most_of_all}{topic}."
    )


def _texts(deep: Floats, unit: str) -> list[str]:
    """Return where the median topic's users are done, by share and then by one or all ideals."""

    def text(depth: float) -> str:
        if depth == np.inf:
            return "only behind the list"
        within = f"{amount_of(depth)} {unit}" if unit else count(int(depth), "element")
        return f"within {within}"

    return [text(depth) for depth in np.sort(deep, axis=0)[len(deep) // 2].ravel().tolist()]


def _notes(result: "TrustResult") -> Iterator[str]:
    yield (
        "Everybody has the P(x → y) that links and navigation say, in the mean over users and over "
        "r; ranks are consulted in order, and nobody browses after the list."
    )
    if result.is_charged:
        yield (
            f"Users are charged for what they consult, in {result.unit}; which links to improve is "
            "not said then, for gains are known where elements are counted only."
        )
    if result.num_simulated:
        yield (
            f"{result.num_simulated:,} values are of simulated users (seed {result.question.seed}, "
            f"the same users for every system; half of an interval aimed at: "
            f"{exactly(result.width)}, at most {result.most_users:,} users); all others are exact, "
            "or of quadrature, whose last change is shown."
        )
    if result.num_unresolved:
        yield (
            f"{count(result.num_unresolved, 'value')} of lists at recall values missing: users "
            "are too few for what happens rarely. Such a list has no mean over r, and its topic is "
            "left out of the mean under this dependence."
        )
    yield from _outside(result)
    partly = [name for name in result.names if 0 < result.num_topics(name) < len(result.topics)]
    missing = [row.name for row in result.table if row.name not in result.names]
    for name in partly:
        yield (
            f"{name}: all systems have a value on {result.num_topics(name):,} of "
            f"{len(result.topics):,} topics; means are of each system's own."
        )
    for name in missing:
        reason = next(one.lacking[name] for one in result.lists.values() if name in one.lacking)
        yield f"{name}: no such users have these P(x → y) ({reason})."
    yield str(result.given.links) + "."


def _outside(result: "TrustResult") -> Iterator[str]:
    """Yield which means of PRUM no users have whose visits from one element depend on each other.

    Hypothesis 2.3 can take it there where costs are counted.
    """
    low, high = result.bounds
    for system in _ranked(result):
        number, value = result.systems.index(system), result.mean(system, PRUM)
        if not low[number].mean() - _ALIKE <= value <= high[number].mean() + _ALIKE:
            yield f"{system}: PRUM lies outside the bounds of what such users have."
