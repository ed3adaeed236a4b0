"""What `trust` says: its first sentence, errors beside values, bounds, how users differ."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import prum
from prum import Independent, Task
from prum.experiments.trust import DEPENDENCES, TrustResult
from prum.experiments.trust.dependences import ReachedList
from prum.experiments.trust.trusted import trusted_recall
from prum.experiments.trust.values import DependentValue
from tests.unit.experiments.trust.made import QRELS, changed, turning

NAMED = {dependence.name: dependence for dependence in DEPENDENCES}


def with_errors(result: TrustResult, off: float, *, of: str = "correlated") -> TrustResult:
    """Return a result whose lists all have PRUM's value, but for one dependence."""
    news = {}
    for (system, _), one in result.lists.items():
        right = one.values["PRUM"]
        same = DependentValue.of_exact(right.precision)
        news.update({(system, name): same for name in result.names})
        news[system, "comonotone"] = DependentValue.of_exact(right.precision - 2 * off)
        news[system, of] = DependentValue.of_exact(right.precision - off)
    return changed(result, news)


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("off", "said"),
    [
        (0.0, "Values hold: PRUM is right under every dependence tried."),
        (0.001, "Values hold: PRUM errs by at most .001"),
        (0.3, "Values do not hold: PRUM may be off by up to .3"),
    ],
)
@pytest.mark.parametrize("of", ["users differ", "correlated"])
def test_values_hold_as_far_as_they_are_off(off: float, said: str, of: str) -> None:
    result = with_errors(prum.trust(**turning()), off, of=of)
    found = trusted_recall(result)
    assert said in result.headline
    if off == 0.3:
        clause = next(row.clause for row in result.table if row.name == found.beyond_name)
        assert f"({found.beyond_system}, r = {found.beyond_r}, if {clause})" in result.headline
        assert (found.beyond_name, found.average_name) == (of, of)
        worst = result.curves[found.beyond_system, of].error[found.beyond_r]
        assert abs(worst) == pytest.approx(found.beyond, abs=1e-9)
        (by_r,) = (table for table in result.view().tables if "by r" in table.label)
        assert str(found.beyond_r) in [row[0] for row in by_r.rows]


def test_a_small_error_of_a_small_value_is_not_trusted() -> None:
    """.003 may be nothing beside .7, and is much beside .0067."""
    ideals = [f"i{number}" for number in range(3)]
    runs = {"list": {"q": ["gate", *(f"n{number}" for number in range(9)), "i0"]}}
    links = {("gate", "i0"): 0.5, ("gate", "i1"): 0.4}
    plain = prum.trust(runs, {"q": dict.fromkeys(ideals, 1)}, links=links, collection_size=4_000)
    near = with_errors(plain, 0.0009)
    prum_value = near.curves["list", "PRUM"].mean[1:]
    assert prum_value[0] > 0.2
    assert prum_value[2] < 0.002
    found = trusted_recall(near)
    # By the margin alone it were trusted everywhere.
    assert found.last < found.largest == 3
    assert found.beyond == pytest.approx(0.0009)
    assert found.beyond_share == pytest.approx(0.0009 / prum_value[2])


@pytest.mark.parametrize(("half", "verdict"), [(0.001, "yes"), (0.003, "unknown")])
@pytest.mark.parametrize("how", ["quadrature", "simulated"])
def test_what_is_left_open_counts_as_error(how: Any, half: float, verdict: str) -> None:
    plain, news = prum.trust(**turning()), {}
    for (system, _), one in plain.lists.items():
        right = one.values["PRUM"]
        news.update({(system, name): replace(right) for name in plain.names})
        off, open_by = right.precision - 0.003, np.full(one.num_ideals, half)
        users = 64 * (how == "simulated")
        news[system, "users differ"] = DependentValue(off, open_by, how, users, right.unresolved)
    result = changed(plain, news)
    trusted = trusted_recall(result)
    assert trusted.verdict == verdict
    # Of two systems the mean over r and that at each r; three topics' users are independent.
    error = 0.003 + half * (1 if how == "quadrature" else result.family_factor(10) / 3**0.5)
    least = min(result.curves[system, "PRUM"].mean[1:].min() for system in result.systems)
    if verdict == "yes":
        assert trusted.error == pytest.approx(error)
        assert trusted.share == pytest.approx(error / least)


# --- what is idle --------------------------------------------------------------------------------


def test_what_cannot_depend_is_idle_and_no_finding() -> None:
    """One element leads to one ideal, another to the same: nothing within, all across."""
    links = {("x", "a"): 0.5, ("y", "a"): 0.4}
    result = prum.trust({"list": {"q": ["x", "y"]}}, QRELS, links=links, collection_size=9)
    idle = {name for name in result.names if result.is_idle("list", name)}
    assert idle == {"exclusive", "walk", "correlated", "comonotone"}
    for line in result.view().tables[-1].lines():
        name = next((name for name in idle if f" {name} " in line), None)
        assert ("idle here" in line) == (name is not None)
        assert name is None or "0.0000" not in line
    # Negative control: with another ideal from x it is idle no more; nor does it stay for all.
    more = prum.trust(
        {"list": {"q": ["x", "y"]}}, QRELS, links={**links, ("x", "b"): 0.3}, collection_size=9
    )
    assert not any(more.is_idle("list", name) for name in more.names)


def test_a_visit_to_what_is_seen_already_joins_nothing() -> None:
    links = {("x", "a"): 0.5, ("x", "b"): 0.5}
    task = Task(["a", "x"], ["a", "b"], 9)
    given = ReachedList(task, Independent(links))
    assert all(
        row.is_idle(given) for row in DEPENDENCES if row.joins in ("element", "ideal", "user")
    )
    assert not any(
        row.is_idle(ReachedList(Task(["x", "a"], ["a", "b"], 9), Independent(links)))
        for row in DEPENDENCES
        if row.joins == "element"
    )


# --- simulated users -----------------------------------------------------------------------------


def test_too_few_users_for_all_is_unknown() -> None:
    plain = prum.trust(**turning())
    nothing = np.full(4, np.nan)
    less = DependentValue(nothing, nothing, "simulated", 9, np.ones(4, dtype=np.bool_))
    right = with_errors(plain, 0.0)
    result = changed(right, {(system, "walk"): less for system in plain.systems})
    assert trusted_recall(result).verdict == "unknown"
    assert "Values are unknown, for simulated users are too few; PRUM" in result.headline
    (pair,) = result.pairs
    assert pair.fates["walk"] == "undecided"
    assert pair.standing == "undecided"
    # Bounds that keep the order keep it under a dependence that has no value.
    lists = {
        key: replace(one, bounds=bounds_at(one, key[0] == pair.system))
        for key, one in result.lists.items()
    }
    (now,) = replace(result, lists=lists).pairs
    assert now.fates["walk"] == "kept"
    assert now.is_kept_by_bounds


def bounds_at(one: Any, is_high: bool) -> Any:
    ends = (0.8, 0.9) if is_high else (0.1, 0.2)
    low, high = (np.full(one.num_ideals, end) for end in ends)
    return replace(one.bounds, precision_low=low, precision_high=high)


# --- bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "is_proven"),
    [(0.0009, 0.0009, True), (0, 0.003, True), (0.003, 0.2, False), (0.2, 0.003, False)],
)
def test_bounds_prove_an_error_to_either_side(low: float, high: float, is_proven: bool) -> None:
    plain = with_errors(prum.trust(**turning()), 0.0005)
    lists = {}
    for key, one in plain.lists.items():
        right = one.values["PRUM"].precision
        ends = {"precision_low": right - low, "precision_high": right + high}
        lists[key] = replace(one, bounds=replace(one.bounds, **ends))
    result = replace(plain, lists=lists)
    found = trusted_recall(result)
    assert (found.verdict, found.is_proven) == ("yes", is_proven)
    said = "By bounds it errs by at most .005 and 10 % of its value under any dependence"
    assert (said in result.headline) == is_proven
    told = re.search(r"precision of (\w+) lies between (\S+) and (\S+) \(", result.headline)
    assert told is not None
    name, least, most = told.groups()
    mean = result.mean(name, "PRUM")
    assert 0 <= mean - low - float(least) < 0.001
    assert 0 <= float(most) - mean - high < 0.001
    # What bounds leave open comes first where it is more than twice the error in the mean.
    comes_first = result.headline.index("Bounds") < result.headline.index("Values")
    assert comes_first == (max(low, high) > 2 * found.average)
