"""The view of `trust`: PRUM's errors, in the mean and by r, orders, and how users differ."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from prum.experiments.frame.frames import frame_table, turned
from prum.experiments.frame.numbers import count, exactly, shown
from prum.experiments.frame.view import Figure, Table, View
from prum.experiments.trust.answer import MOST_SHARE, answer, remarks_of
from prum.experiments.trust.figure import drawn_systems, figure
from prum.experiments.trust.of_list import INDEPENDENT, PRUM
from prum.experiments.trust.orders import PairSurvival, TrustOrders
from prum.experiments.trust.trusted import NEGLIGIBLE, trusted_recall
from prum.experiments.trust.verb import SHARE
from prum.simulator.model.arrays import Floats

# Recall values that tables have.
_RECALL = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def trust_view(numbers: TrustOrders) -> View:
    """Return the answer, tables, a figure and notes."""
    pairs, links = numbers.pairs, numbers.given.links
    both = " and ".join(drawn_systems(numbers))
    curves = Figure(
        f"Precision of {both} by r, mean over the topics with at least r ideals: PRUM, the users "
        "tried, and bounds over all dependences between visits (not over users who browse by what "
        "they want)",
        "a line for PRUM, within a band of the users tried, within a band of bounds, by r",
        lambda: figure(numbers),
    )
    return View(
        title="Can PRUM be trusted on these lists?",
        headline=" ".join(answer(numbers)),
        story=tuple(f"{line[0].upper()}{line[1:]}." for line in remarks_of(numbers)),
        tables=(
            *([_orders(pairs, numbers)] if pairs else ()),
            *([_by_recall(numbers)] if numbers.most_ideals > 1 else ()),
            _dependences(numbers),
            _by_dependence(numbers),
        ),
        figures=(curves,) if links.num_links and numbers.most_ideals > 1 else (),
        notes=tuple(_notes(numbers)),
    )


# --- tables --------------------------------------------------------------------------------------


def _by_dependence(numbers: TrustOrders) -> Table:
    """Return each system's mean under each dependence, and PRUM's error, for the page."""
    rows = []
    for system, name in product(numbers.ranked, [PRUM, *numbers.names]):
        errors = _errors(numbers, system, name)
        error = float(errors.mean()) if len(errors) else np.nan
        prum = float(numbers.curves[system, name].prum[0])
        has_share = prum > NEGLIGIBLE and not abs(error) > MOST_SHARE * prum
        # Nothing where a dependence is idle: 0 would look like a finding.
        is_idle = name != PRUM and numbers.is_idle(system, name)
        values = {
            "precision": numbers.mean(system, name),
            "error of PRUM": error,
            "%": 100 * error / prum if has_share else None,
        }
        rows.append(
            {"system": system, "dependence": name}
            | (dict.fromkeys(values) if is_idle else values)
            | {"topics": len(numbers.topics) if name == PRUM else len(errors)}
            | {"how": _how(numbers, system, name)}
        )
    legend = ["%: the error in parts of PRUM's value, up to ten times that"]
    for system in numbers.ranked:
        low, high = (float(end[numbers.systems.index(system)].mean()) for end in numbers.bounds)
        ends = f"{shown(low, '.4f')} to {shown(high, '.4f')}"
        legend.append(f"{system}: {ends} whatever the dependence between visits")
    legend.append(f"these bounds hold for {_bound(numbers)}")
    forms = {"system": "<", "dependence": "<", "precision": ".4f", "error of PRUM": "+.4f"}
    forms |= {"%": "+.1f", "topics": "d", "how": "<"}
    topics = count(len(numbers.topics), "topic")
    label = f"precision{numbers.in_unit}, mean over recall values and {topics}"
    return frame_table(label, turned(rows), forms, parts="system", legend=legend, detail=True)


def _errors(numbers: TrustOrders, system: str, name: str) -> Floats:
    """Return PRUM's errors under a dependence, of the topics that have one; none of PRUM itself."""
    if name == PRUM:
        return np.empty(0)
    values = numbers.scores.values[numbers.systems.index(system)]
    errors = values[:, 0] - values[:, numbers.scores.measures.index(name)]
    there: Floats = errors[~np.isnan(errors)]
    return there


def _bound(numbers: TrustOrders) -> str:
    """Return which dependences bounds hold for, in words."""
    free = [row.name for row in numbers.table if row.name in numbers.names and not row.is_bound]
    return f"each dependence but {', '.join(free)}" if free else "each dependence"


def _how(numbers: TrustOrders, system: str, name: str) -> str:
    """Return how the values of a system came about."""
    values = [
        numbers.lists[system, topic].values[name]
        for topic in numbers.topics
        if name in numbers.lists[system, topic].values
    ]
    if not values:
        return "no such users"
    if name != PRUM and numbers.is_idle(system, name):
        return "idle here"
    return " and ".join(dict.fromkeys(value.how for value in values))


def _by_recall(numbers: TrustOrders) -> Table:
    """Return PRUM's largest error over systems at each recall value; none where one is missing."""
    # That of the answer is one of them.
    named = {numbers.most_ideals, trusted_recall(numbers).beyond_r} - {0}
    recall = sorted(named.union(r for r in _RECALL if r < numbers.most_ideals))
    sizes = [numbers.lists[numbers.systems[0], topic].num_ideals for topic in numbers.topics]
    rows = []
    for r in recall:
        means = [numbers.mean(system, PRUM, r) for system in numbers.systems]
        row = {"r": r, "topics": sum(size >= r for size in sizes), PRUM: float(np.mean(means))}
        for name, errors in numbers.mean_errors(r).items():
            there = errors[~np.isnan(errors)]
            missing = any(numbers.num_missing(system, name, r) for system in numbers.systems)
            worst = there[np.argmax(np.abs(there))] if len(there) and not missing else np.nan
            row[name] = float(worst)
        rows.append(row)
    idle = [name for name in numbers.names if name not in numbers.active]
    several = "" if len(numbers.systems) == 1 else "worst system; "
    return frame_table(
        f"error of PRUM{numbers.in_unit} by r ({several}mean over topics with at least r ideals)",
        turned(rows),
        {"r": "<d", "topics": "d", PRUM: ".4f", **dict.fromkeys(numbers.active, "+.4f")},
        legend=(f"idle here: {', '.join(idle)}",) if idle else (),
    )


def _orders(pairs: Sequence[PairSurvival], numbers: TrustOrders) -> Table:
    """Return what becomes of the order of each pair."""
    rows = []
    for pair in pairs:
        names = {
            "turned": (*pair.turned, *pair.extremes_turned),
            "undecided": pair.undecided,
            "decided otherwise": pair.changed,
        }
        under = (f"{what} under {', '.join(of)}" for what, of in names.items() if of)
        rows.append(
            {"above": pair.system, "below": pair.other, "by PRUM": pair.by_prum.difference}
            | {"over topics": pair.by_prum.verdict, "users tried": _span(*pair.range)}
            | {"bounds": _span(pair.bound_low, pair.bound_high), "order": pair.standing}
            | {"why": "; ".join(under) or "–"}
        )
    forms = {"by PRUM": "+.4f", "users tried": ">", "bounds": ">"}
    return frame_table(
        f"differences of systems{numbers.in_unit}, mean over recall values and topics: by PRUM, "
        "and under all dependences",
        turned(rows),
        dict.fromkeys(rows[0], "<") | forms,
        legend=(
            f"bounds: of either list apart, for any dependence between visits ({_bound(numbers)}); "
            "conservative",
        ),
    )


def _span(low: float, high: float) -> str:
    return f"{shown(low, '+.4f')} to {shown(high, '+.4f')}"


def _dependences(numbers: TrustOrders) -> Table:
    users = {
        PRUM: "each visit is independent, and Hypothesis 2.3 holds",
        INDEPENDENT: "each visit is independent of all others: exact under Hypotheses 2.1 and 2.2",
        **{row.name: row.about for row in numbers.table},
    }
    columns = {"dependence": [*users], "users, all with the same P(x → y)": [*users.values()]}
    return frame_table("what is assumed", columns, dict.fromkeys(columns, "<"))


def _notes(numbers: TrustOrders) -> Iterator[str]:
    yield (
        f"PRUM is trusted at r where it errs by at most {exactly(numbers.tolerance)}, and by at "
        f"most {100 * SHARE:.0f} % of its value, of every system and under every dependence but "
        "extreme ones; what simulation leaves open counts as error, at a level that holds for all "
        "that is said. Of users who were not tried it may err by more: docs/statistics.md has how "
        "often it does on made worlds."
    )
    yield (
        "All users share the P(x → y) given by links and navigation, in the mean over users and "
        "over r; ranks are consulted in order, and nobody browses after the list."
    )
    if numbers.in_unit:
        yield f"Users are charged for what they consult, in {numbers.unit}."
    if numbers.num_simulated:
        yield (
            f"{numbers.num_simulated:,} values are of simulated users (seed "
            f"{numbers.question.seed}, the same users for every system; half of an interval aimed "
            f"at: {exactly(numbers.width)}, at most {numbers.most_users:,} users); all others are "
            "exact, or of quadrature, whose last change is shown."
        )
    if numbers.num_unresolved:
        yield (
            f"{count(numbers.num_unresolved, 'value')} of lists at recall values missing: users "
            "are too few for what happens rarely. Such a list has no mean over r, and its topic is "
            "left out of the mean under this dependence."
        )
    partly = [name for name in numbers.names if 0 < numbers.num_topics(name) < len(numbers.topics)]
    missing = [row.name for row in numbers.table if row.name not in numbers.names]
    for name in partly:
        yield (
            f"{name}: all systems have a value on {numbers.num_topics(name):,} of "
            f"{len(numbers.topics):,} topics; means are of each system's own."
        )
    for name in missing:
        reason = next(
            entry.lacking[name] for entry in numbers.lists.values() if name in entry.lacking
        )
        yield f"{name}: no such users have these P(x → y) ({reason})."
    if idle := [name for name in numbers.names if name not in numbers.active]:
        yield f"Idle here, as no visit can depend on another in this way: {', '.join(idle)}."
    yield str(numbers.given.links) + "."
