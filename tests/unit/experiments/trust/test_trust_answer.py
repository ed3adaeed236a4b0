"""`trust`: which orders it says are kept, turned or undecided; errors, depths and links."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import norm

import prum
from prum.analytic import exact
from prum.analytic.precision.mixtures import mixture, normal_nodes
from prum.experiments.trust import DependentValue, TrustResult, UserLimit, trusted
from prum.experiments.trust.dependences import ReachedList, dependences
from prum.experiments.trust.trusted import trusted_recall
from prum.experiments.trust.values import value_of
from tests.unit.experiments.trust.made import (
    campaign,
    changed,
    drawn,
    turning,
    unbounded,
)

# --- orders --------------------------------------------------------------------------------------


def test_what_rounding_leaves_of_a_bound_proves_nothing() -> None:
    (pair,) = prum.trust(**turning()).pairs
    for low, proves in ((1e-12, False), (1e-6, True)):
        assert replace(pair, bound_low=low).is_kept_by_bounds == proves


def test_bounds_prove_what_values_leave_open() -> None:
    """But nothing of other topics."""
    plain = prum.trust(**turning())
    above, below = plain.pairs[0].system, plain.pairs[0].other
    wide = {(system, "correlated"): drawn(0.4, 0.5) for system in (above, below)}
    lists = dict(changed(plain, wide).lists)
    for (system, topic), one in lists.items():
        ends = np.full(one.num_ideals, 0.8 if system == above else 0.4)
        tight = replace(one.bounds, precision_low=ends, precision_high=ends)
        lists[system, topic] = replace(one, bounds=tight)
    assert replace(plain, lists=lists).pairs[0].fates["correlated"] == "kept"
    some = lists[above, "q1"]
    rest = {name: value for name, value in some.values.items() if name != "correlated"}
    lists[above, "q1"] = replace(some, values=rest)
    assert replace(plain, lists=lists).pairs[0].fates["correlated"] == "undecided"


@pytest.mark.parametrize(
    ("difference", "halves", "standing"),
    [
        (0.10, (0.04, 0.04), "kept"),
        # Either half is smaller, and so is the root of their squares: errors may add.
        (0.10, (0.06, 0.06), "undecided"),
        (0.10, (0.02, 0.09), "undecided"),
        (0.10, (0.09, 0.02), "undecided"),
        (0.02, (0.06, 0.06), "undecided"),
        (-0.10, (0.06, 0.06), "undecided"),
        (-0.10, (0.04, 0.04), "turns"),
        (0.0, (0.0, 0.0), "undecided"),
    ],
)
def test_an_order_is_kept_turned_or_undecided_by_more_than_errors(
    difference: float, halves: tuple[float, float], standing: str
) -> None:
    # Direct alone has no browsing to depend on; three topics share an error in squares.
    kept = {pair: p for pair, p in turning()["links"].items() if pair == ("aside", "i0")}
    plain = prum.trust(**{**turning(), "links": kept})
    (pair,) = plain.pairs
    assert (pair.standing, pair.undecided) == ("kept", ())
    first, second = (half * 3**0.5 for half in halves)
    result = changed(
        plain,
        {
            (pair.system, "correlated"): drawn(0.4 + difference, first),
            (pair.other, "correlated"): drawn(0.4, second),
        },
    )
    (now,) = result.pairs
    assert now.under["correlated"].half == pytest.approx(sum(halves))
    assert now.under["correlated"].difference == pytest.approx(difference)
    assert now.standing == standing
    assert now.undecided == (("correlated",) if standing == "undecided" else ())
    assert now.turned == (("correlated",) if standing == "turns" else ())
    words = {
        "kept": "is kept under every dependence tried",
        "turns": "turns if visits from one element are correlated",
        "undecided": "is undecided if visits from one element are correlated; it is kept under "
        "every other",
    }
    assert f"The order of {pair.system} and {pair.other} {words[standing]}" in result.headline
    assert "kept" in words[standing] or "kept" not in result.headline


@pytest.mark.parametrize(("on_last", "is_turned"), [(0.2, False), (0.6, True)])
def test_an_order_is_that_of_the_topics_with_such_users(on_last: float, is_turned: bool) -> None:
    """By PRUM one system leads on two topics of three; users are known on the third alone."""
    plain = prum.trust(**turning())
    (pair,) = plain.pairs
    *_, last = plain.topics
    lists = {}
    for (system, topic), one in plain.lists.items():
        leads = (system == pair.system) != (topic == last)
        value = drawn(0.8 if leads else 0.4, 0.0)
        values = {name: value for name in one.values if name != "correlated" or topic == last}
        if topic == last:
            # The pair's first system has .4 by PRUM, the other .8.
            values["correlated"] = drawn(on_last if leads is False else 0.4, 0.0)
        lists[system, topic] = unbounded(replace(one, values=values))
    (now,) = replace(plain, lists=lists).pairs
    assert now.system == pair.system
    assert now.under["correlated"].topics == 1
    assert now.undecided == ()
    assert now.turned == (("correlated",) if is_turned else ())


MEANS = {"a": 0.8, "b": 0.61, "c": 0.4, "d": 0.2}


def test_an_order_that_no_dependence_keeps_is_not_said_to_be_kept() -> None:
    plain = prum.trust(**turning())
    for left, is_kept in ((0, False), (1, True)):
        names = [name for name in plain.scores.measures if name != "PRUM"][left:]
        news = {(one, name): drawn(0.4, 0.0) for one in plain.systems for name in names}
        result = changed(plain, news)
        (pair,) = result.pairs
        assert pair.undecided == tuple(names)
        assert ("; it is kept under every other dependence tried" in result.headline) == is_kept


def several(simulated: TrustResult, half: float) -> TrustResult:
    """Return four systems far apart by every value, of which `half` may be off."""
    table = [row.name for row in simulated.table]
    lists = {}
    for system, value in MEANS.items():
        for topic in simulated.topics:
            one = simulated.lists["late", topic]
            exact = DependentValue.of_exact(np.full(one.num_ideals, value))
            off = drawn(value, half, t=one.num_ideals)
            lists[system, topic] = replace(
                one, values={"PRUM": exact, "independent": exact, **dict.fromkeys(table, off)}
            )
    ranking = simulated.campaign.runs["late"]
    runs = dict.fromkeys("abcd", ranking)
    return replace(simulated, campaign=replace(simulated.campaign, runs=runs), lists=lists)


def test_orders_of_many_systems_are_counted_by_what_becomes_of_them(
    simulated: TrustResult,
) -> None:
    all_kept = "The order of each of the 6 pairs of systems is kept under every dependence tried."
    assert all_kept in several(simulated, 0.01).headline
    # Neighbours are some .2 apart. Errors of two systems are .08 x 2 each by itself, which tells
    # them apart, and .29 where those of all pairs and dependences hold at once.
    unsure = several(simulated, 0.08 * 3**0.5)
    (row,) = {round(pair.under["walk"].half, 3) for pair in unsure.pairs}
    tries = 6 * sum(name != "independent" for name in unsure.names)
    assert row == pytest.approx(0.16 * norm.isf(0.025 / tries) / norm.isf(0.025), abs=1e-3)
    assert [pair.standing for pair in unsure.pairs].count("undecided") == 3
    assert "Orders of 6 pairs of systems for the users tried: 3 undecided, 3 kept." in (
        unsure.headline
    )
    assert all_kept not in unsure.headline
    # Those that are farthest apart by PRUM come first.
    told = re.findall(r"The order of (\w) and (\w) is", unsure.headline)
    assert told == [("b", "c"), ("c", "d"), ("a", "b")]
    alone = replace(unsure, question=replace(unsure.question, baseline="a"))
    assert {pair.system for pair in alone.pairs} == {"a"}


# --- errors --------------------------------------------------------------------------------------


def test_a_recall_value_that_few_topics_have_is_not_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = campaign({"q1": 3, "q2": 4, "q3": 9}, ranks=4, seed=2)
    monkeypatch.setattr(trusted, "SHARE", 9.0)
    result = prum.trust(**given, margin=0.9)
    assert "; this is up to r = 4, which half of the topics have." in result.headline


def test_systems_that_are_equal_are_level() -> None:
    given = turning()
    given["runs"]["twin"] = given["runs"]["hub"]
    result = prum.trust(**given)
    pair = next(pair for pair in result.pairs if {pair.system, pair.other} == {"hub", "twin"})
    assert pair.standing == "level"
    assert (pair.turned, pair.undecided, pair.is_kept_by_bounds) == ((), (), False)
    assert re.search(r"By PRUM (hub and twin|twin and hub) are level", result.headline)


def test_prum_is_trusted_up_to_the_margin_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trusted, "SHARE", 9.0)
    result = prum.trust(**turning())
    names = [name for name in result.names if name not in result.extremes]
    errors = result.mean_errors(1)
    worst = max(float(np.nanmax(np.abs(errors[name]))) for name in names)
    for factor, last in ((1.01, 4), (0.99, 0), (0.6, 0)):
        question = replace(result.question, margin=worst * factor)
        found = trusted_recall(replace(result, question=question))
        assert found.last == last
        if found.last < found.largest:
            errors = result.mean_errors(found.beyond_r)[found.beyond_name]
            # With what quadrature leaves open.
            assert np.nanmax(np.abs(errors)) == pytest.approx(found.beyond, abs=1e-4)
            assert np.nanmax(np.abs(errors)) <= found.beyond


def test_quadrature_goes_on_until_it_settles() -> None:
    task = prum.Task(["x", "y", "z", "w"], ["a", "b", "c"], 100)
    given = ReachedList(task, prum.Independent({(x, y): 0.9 for x in "xyzw" for y in "abc"}))
    differing = next(d for d in dependences(differ=0.5) if d.name == "users differ")
    value = value_of(given, differing, exact(given.reach, task.num_unranked), UserLimit())
    # 32 nodes are .004 off.
    nodes, weights = normal_nodes(512)
    slack = ndtri(0.9)
    parts = [
        given.scored(np.full(12, ndtr((slack - 0.5**0.5 * z) / 0.5**0.5))) for z in nodes.tolist()
    ]
    fine = mixture(parts, weights.tolist()).precision
    assert value.half.max() <= 1e-4
    assert np.abs(value.precision - fine).max() <= 1e-4


def test_the_worst_system_has_the_error_furthest_from_0() -> None:
    result = prum.trust(**turning())
    table = next(table for table in result.view().tables if "by r (worst system" in table.label)
    signs = set()
    for row in table.rows:
        errors = result.mean_errors(int(row[0]))
        for name, text in zip(table.columns[3:], row[3:], strict=True):
            worst = max(errors[name][~np.isnan(errors[name])].tolist(), key=abs)
            assert float(text.replace("−", "-")) == pytest.approx(worst, abs=5e-5)
            signs.add(np.sign(np.round(worst, 4)))
    assert {-1, 1} <= signs
