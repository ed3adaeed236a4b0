"""`trust` on topics with many ideals: bounds at each r, simulated users, what is undecided."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import prum
from prum.analytic import PrecisionRecall, closed_form, exact
from prum.analytic.precision.factors import normal_nodes
from prum.analytic.precision.mixtures import mixture
from prum.experiments.trust import DependentValue, TrustResult, UserLimit, values
from prum.experiments.trust.answer import trusted_recall
from prum.experiments.trust.dependences import ReachedList, dependences
from prum.experiments.trust.jobs import expected_seconds
from prum.experiments.trust.values import value_of
from tests.tiers import slow
from tests.unit.experiments.trust.test_trust import QRELS, turning

ROUNDING = 1e-9
WIDTH = 0.01


def campaign(sizes: Mapping[str, int], *, ranks: int, seed: int) -> dict[str, Any]:
    """Return three systems on topics with so many ideals: hubs, some ideals, and the rest."""
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, list[str]]] = {"early": {}, "late": {}, "mixed": {}}
    qrels, links = {}, {}
    for topic, size in sizes.items():
        ideals = [f"{topic}i{number}" for number in range(size)]
        hubs = [f"{topic}h{number}" for number in range(ranks // 2)]
        for hub in hubs:
            for ideal in rng.choice(ideals, min(size, 5), replace=False).tolist():
                links[hub, ideal] = float(rng.uniform(0.05, 0.6))
        some = ideals[: ranks - len(hubs)]
        runs["early"][topic] = [*hubs, *some]
        runs["late"][topic] = [*some, *hubs]
        runs["mixed"][topic] = rng.permutation([*hubs, *some]).tolist()
        qrels[topic] = dict.fromkeys(ideals, 1)
    return {
        "runs": runs,
        "qrels": qrels,
        "links": links,
        "collection_size": 3 * max(sizes.values()),
    }


@pytest.fixture(scope="module")
def simulated() -> TrustResult:
    given = campaign({"q1": 17, "q2": 20, "q3": 24}, ranks=12, seed=1)
    return prum.trust(**given, width=WIDTH, seed=3)


def outside(result: TrustResult) -> list[tuple[str, ...]]:
    """Return which values lie outside their bounds, at some r, in the mean, or of a difference."""
    bound = {"PRUM", "independent", *(row.name for row in result.table if row.is_within)}
    found = list[tuple[str, ...]]()
    for (system, topic), one in result.lists.items():
        assert one.bounds.recall.tolist() == list(range(1, one.num_ideals + 1))
        for name, value in one.values.items():
            is_in = one.bounds.precision_low - ROUNDING <= value.precision
            is_in &= value.precision <= one.bounds.precision_high + ROUNDING
            is_in |= value.unresolved
            if name in bound and not is_in.all():
                found.append((system, topic, name))
    low, high = (side.mean(axis=1) for side in result.bounds)
    for number, system in enumerate(result.systems):
        found += [
            (system, name)
            for name in bound & set(result.scores.measures)
            if result.num_topics(name) == len(result.topics)
            and not low[number] - ROUNDING <= result.mean(system, name) <= high[number] + ROUNDING
        ]
    for pair in result.pairs:
        found += [
            (pair.system, pair.other, name)
            for name, row in pair.under.items()
            if name in bound
            and row.topics == len(result.topics)
            and not pair.bound_low - ROUNDING <= row.difference <= pair.bound_high + ROUNDING
        ]
    return found


def changed(result: TrustResult, news: Mapping[tuple[str, str], DependentValue]) -> TrustResult:
    """Return a result with other values: (system, dependence) -> value on each topic."""
    lists = dict(result.lists)
    for (system, topic), one in result.lists.items():
        own = {name: value for (of, name), value in news.items() if of == system}
        lists[system, topic] = replace(one, values={**one.values, **own})
    return replace(result, lists=lists)


def drawn(precision: float, half: float, *, t: int = 4) -> DependentValue:
    none = np.zeros(t, dtype=np.bool_)
    return DependentValue(np.full(t, precision), np.full(t, half), "simulated", 1_024, none)


# --- bounds --------------------------------------------------------------------------------------


def test_no_value_lies_outside_its_bounds(simulated: TrustResult) -> None:
    kinds = {value.how for one in simulated.lists.values() for value in one.values.values()}
    assert kinds == {"exact", "quadrature", "simulated"}
    assert outside(simulated) == []
    # Negative control: PRUM at a few recall values is not PRUM at all of them.
    one = simulated.lists["late", "q3"]
    few = one.bounds.precision_low[[0, 1, 2, 4, 9, 19, 23]].mean()
    assert few > one.average("PRUM") > one.bounds.average_low
    value = one.values["comonotone"]
    beyond = replace(value, precision=value.precision + 0.3)
    news = replace(one, values={**one.values, "comonotone": beyond})
    wrong = replace(simulated, lists={**simulated.lists, ("late", "q3"): news})
    assert ("late", "q3", "comonotone") in outside(wrong)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=slow) for seed in range(1, 12))])
def test_no_value_of_a_large_topic_lies_outside_its_bounds(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    sizes = {"q1": 200 if seed else 90, "q2": int(rng.integers(13, 60)), "q3": 3}
    given = campaign(sizes, ranks=int(rng.integers(6, 20)), seed=seed)
    navigation = ["independent", "copula .4"][seed % 2]
    result = prum.trust(**given, navigation=navigation, width=0.05, most_users=2_000)
    assert outside(result) == []


def test_users_who_err_beyond_a_bound_are_moved_to_it() -> None:
    unresolved = np.array([False, False, True])
    value = DependentValue(
        np.array([0.2, 0.5, np.nan]), np.full(3, 0.1), "simulated", 9, unresolved
    )
    moved = value.within(np.array([0.3, 0.4, 0.1]), np.array([0.4, 0.6, 0.2]))
    assert moved.precision[:2].tolist() == [0.3, 0.5]
    assert np.isnan(moved.precision[2])
    assert moved.half is value.half


def test_bounds_of_a_mean_are_of_all_recall_values() -> None:
    result = prum.trust(**campaign({"q": 30}, ranks=10, seed=5), width=0.1)
    one = result.lists["late", "q"]
    assert result.bounds[0][1, 0] == pytest.approx(one.bounds.precision_low.sum() / 30)
    assert result.bounds[1][1, 0] == pytest.approx(one.bounds.precision_high.sum() / 30)


# --- how many users ------------------------------------------------------------------------------


def test_users_are_as_many_as_the_width_of_a_mean_needs(simulated: TrustResult) -> None:
    widest = 0.0
    for name in ("exclusive", "correlated", "comonotone"):
        for system in simulated.systems:
            for r in range(1, 18):
                half = simulated.half_of_mean(system, name, simulated.topics, r)
                assert half <= WIDTH
                widest = max(widest, half)
    # And not far more.
    assert widest > WIDTH / 2
    users = {value.num_users for one in simulated.lists.values() for value in one.values.values()}
    assert max(users) > 1_024


def test_errors_of_topics_add_in_squares_but_those_of_quadrature(simulated: TrustResult) -> None:
    lists = dict(simulated.lists)
    for topic, half in (("q1", 0.03), ("q2", 0.04), ("q3", 0.12)):
        one = lists["late", topic]
        fixed = replace(one.values["comonotone"], half=np.full(one.num_ideals, half))
        summed = replace(fixed, how="quadrature")
        news = {**one.values, "comonotone": fixed, "users differ": summed}
        lists["late", topic] = replace(one, values=news)
    result = replace(simulated, lists=lists)
    for r in (None, 1):
        drawn_half = result.half_of_mean("late", "comonotone", result.topics, r)
        assert drawn_half == pytest.approx(0.13 / 3)
        summed_half = result.half_of_mean("late", "users differ", result.topics, r)
        assert summed_half == pytest.approx(0.19 / 3)
    # Topics with so many ideals only.
    assert result.half_of_mean("late", "comonotone", result.topics, 20) == pytest.approx(
        np.hypot(0.04, 0.12) / 2
    )
    assert result.half_of_mean("late", "comonotone", ("q1", "q2")) == pytest.approx(0.025)


def law(deviation: list[float], skewness: list[float]) -> PrecisionRecall:
    """Return two elements consulted, of such a law."""
    num = len(deviation)
    return PrecisionRecall(
        np.ones(num), np.full(num, 2.0), consulted_deviation=deviation, consulted_skewness=skewness
    )


def test_what_happens_rarely_says_how_many_users_show_it() -> None:
    needed = values._users_needed(law([0, 0.5, 20, 2], [9, 0, -10, 60]))
    # A tenth of the value, and a skewness of one, of a mean of so many.
    assert needed.tolist() == pytest.approx([0, 6.25, 10_000, 3_600])


def test_users_are_added_for_what_happens_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    """The width alone would leave it at the pilot, though more users are allowed."""
    monkeypatch.setattr(values, "_MOST_JOINT", 0)
    links = {(x, y): 0.6 for x in ("x", "y", "z") for y in "ab"}
    given: dict[str, Any] = {"runs": {"list": {"q": ["x", "y", "z", "m"]}}, "qrels": QRELS}
    enough = prum.trust(**given, links=links, collection_size=20, width=0.5)
    value = enough.lists["list", "q"].values["comonotone"]
    assert value.num_users == 1_024
    rarer = dict.fromkeys(links, 0.8)
    few = prum.trust(**given, links=rarer, collection_size=100, width=0.5, most_users=1_024)
    many = prum.trust(**given, links=rarer, collection_size=100, width=0.5)
    of_few, of_many = (r.lists["list", "q"].values["comonotone"] for r in (few, many))
    assert of_few.unresolved.any()
    assert np.isnan(of_few.precision[of_few.unresolved]).all()
    assert np.isnan(of_few.half[of_few.unresolved]).all()
    assert 1_024 < of_many.num_users < 65_536
    assert not of_many.unresolved.any()


# --- users too few -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def missing(simulated: TrustResult) -> TrustResult:
    """Return a result where users of one system are too few on one topic at one r."""
    one = simulated.lists["late", "q2"]
    value = one.values["correlated"]
    at = np.arange(20) == 2
    less = replace(
        value, precision=np.where(at, np.nan, value.precision),
        half=np.where(at, np.nan, value.half), unresolved=at,
    )  # fmt: skip
    news = {**one.values, "correlated": less}
    lists = {**simulated.lists, ("late", "q2"): replace(one, values=news)}
    return replace(simulated, lists=lists)


def test_no_other_value_stands_in_where_users_are_too_few(missing: TrustResult) -> None:
    assert missing.num_unresolved == 1
    assert np.isnan(missing.lists["late", "q2"].average("correlated"))
    assert missing.num_missing("late", "correlated") == 1
    assert missing.num_missing("late", "correlated", 3) == 1
    assert missing.num_missing("late", "correlated", 2) == 0
    assert missing.num_topics("correlated") == 2
    late = missing.systems.index("late")
    assert np.isnan(missing.mean_errors(3)["correlated"]).tolist() == [
        number == late for number in range(3)
    ]
    assert not np.isnan(missing.mean_errors(2)["correlated"]).any()
    both = [missing.lists["late", topic].average("correlated") for topic in ("q1", "q3")]
    assert missing.mean("late", "correlated") == pytest.approx(np.mean(both))
    by_dependence, by_recall = missing.view().tables[:2]
    row = next(line for line in by_dependence.lines() if re.match(r"late +correlated", line))
    assert re.search(r"\b2  simulated \(.* users, too few on 1 topic\)", row)
    heading, *rows = by_recall.lines()
    column = re.split(r"  +", heading.strip()).index("correlated")
    shown = {cells[0]: cells[column] for cells in (re.split(r" +", row.strip()) for row in rows)}
    assert shown["3"] == "–"
    assert shown["2"] != "–"
    frame = missing.to_frame()
    assert frame[frame.unresolved][["precision", "half"]].isna().all(axis=None)
    assert "1 value of lists at recall values missing" in " ".join(missing.view().notes)


def test_what_is_missing_is_not_trusted_and_keeps_no_order(missing: TrustResult) -> None:
    known = replace(missing, question=replace(missing.question, margin=0.9))
    trusted = trusted_recall(known)
    assert (trusted.last, trusted.missing) == (2, ("correlated",))
    assert "where users are enough. Users are too few for a value" in known.headline
    for pair in missing.pairs:
        has_late = "late" in (pair.system, pair.other)
        assert ("correlated" in pair.undecided) == has_late
        assert "correlated" in pair.partial
        assert not has_late or pair.standing != "kept"


# --- orders --------------------------------------------------------------------------------------


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
    result = changed(plain, {
        (pair.system, "correlated"): drawn(0.4 + difference, first),
        (pair.other, "correlated"): drawn(0.4, second),
    })  # fmt: skip
    (now,) = result.pairs
    assert now.under["correlated"].half == pytest.approx(sum(halves))
    assert now.under["correlated"].difference == pytest.approx(difference)
    assert now.standing == standing
    assert now.undecided == (("correlated",) if standing == "undecided" else ())
    assert now.turned == (("correlated",) if standing == "turns" else ())
    words = {
        "kept": "is kept under every dependence tried",
        "turns": "turns if visits from one element are correlated",
        "undecided": "is undecided if visits from one element are correlated, and kept under every",
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
        lists[system, topic] = replace(one, values=values)
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
        assert (", and kept under every other dependence tried" in result.headline) == is_kept


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
    # Neighbours are some .2 apart, and errors of two systems .12 x 2.
    unsure = several(simulated, 0.12 * 3**0.5)
    assert [pair.standing for pair in unsure.pairs].count("undecided") == 3
    assert "Orders of 6 pairs of systems under the dependences tried: 3 undecided, 3 kept." in (
        unsure.headline
    )
    assert all_kept not in unsure.headline
    # Those that are farthest apart by PRUM come first.
    told = re.findall(r"The order of (\w) and (\w) is", unsure.headline)
    assert told == [("b", "c"), ("c", "d"), ("a", "b")]
    alone = replace(unsure, question=replace(unsure.question, baseline="a"))
    assert {pair.system for pair in alone.pairs} == {"a"}


def test_pairs_are_those_of_each_two_systems(simulated: TrustResult) -> None:
    found = {frozenset((pair.system, pair.other)) for pair in simulated.pairs}
    assert found == set(map(frozenset, combinations(simulated.systems, 2)))
    for pair in simulated.pairs:
        for name in ("exclusive", "correlated", "comonotone"):
            row = pair.under[name]
            is_open = abs(row.difference) <= row.half
            assert (name in pair.undecided) == is_open
            turned = row.difference < 0 and not is_open
            assert (name in (*pair.turned, *pair.extremes_turned)) == turned


# --- errors --------------------------------------------------------------------------------------


def test_an_error_is_never_printed_smaller_than_it_is() -> None:
    result = prum.trust(**turning())
    trusted = trusted_recall(result)
    for error, text in (
        (trusted.beyond, r"may be off by up to (\.\d+)"),
        (trusted.average, r"in the mean over r, by up to (\.\d+)"),
    ):
        (shown,) = re.findall(text, result.headline)
        assert float(shown) >= error
    # Rounded to the nearest, one of them would be smaller.
    assert any(round(error, 2) < error for error in (trusted.beyond, trusted.average))


def test_a_recall_value_that_few_topics_have_is_not_promised() -> None:
    given = campaign({"q1": 3, "q2": 4, "q3": 9}, ranks=4, seed=2)
    result = prum.trust(**given, margin=0.9)
    assert " up to r = 4, which half of the topics have." in result.headline


def test_systems_that_are_equal_are_level() -> None:
    given = turning()
    given["runs"]["twin"] = given["runs"]["hub"]
    result = prum.trust(**given)
    pair = next(pair for pair in result.pairs if {pair.system, pair.other} == {"hub", "twin"})
    assert pair.standing == "level"
    assert (pair.turned, pair.undecided, pair.is_kept_by_bounds) == ((), (), False)
    assert re.search(r"By PRUM (hub and twin|twin and hub) are level", result.headline)


def test_prum_in_costs_may_lie_outside_what_users_have() -> None:
    """Hypothesis 2.3 takes a dear rank to lead to both where a cheap one has shown them."""
    links = {("x", "a"): 0.3, ("x", "b"): 0.6, ("y", "a"): 1.0, ("y", "b"): 1.0}
    tokens = {"x": 1.0, "y": 100.0, "a": 1.0, "b": 1.0}
    given: dict[str, Any] = {"links": links, "collection_size": 4}
    runs = {"list": {"q": ["x", "y"]}}
    counted = prum.trust(runs, QRELS, **given)
    charged = prum.trust(runs, QRELS, costs={"tokens": tokens}, cost="tokens", **given)
    told = "list: PRUM lies outside the bounds of what such users have."
    for result, is_told in ((counted, False), (charged, True)):
        low, high = (float(side[0, 0]) for side in result.bounds)
        assert low <= result.mean("list", "independent") <= high
        assert (not low <= result.mean("list", "PRUM") <= high) == is_told
        assert (told in result.view().notes) == is_told


def test_the_least_and_most_difference_are_over_all_dependences(simulated: TrustResult) -> None:
    for pair in simulated.pairs:
        differences = [row.difference for name, row in pair.under.items() if name != "PRUM"]
        assert pair.range == (min(differences), max(differences))


def test_prum_is_trusted_up_to_the_margin_and_no_further() -> None:
    result = prum.trust(**turning())
    names = [name for name in result.names if name not in result.extremes]
    errors = result.mean_errors(1)
    worst = max(float(np.nanmax(np.abs(errors[name]))) for name in names)
    for factor, last in ((1.01, 4), (0.99, 0), (0.6, 0)):
        question = replace(result.question, margin=worst * factor)
        trusted = trusted_recall(replace(result, question=question))
        assert trusted.last == last
        if trusted.last < trusted.largest:
            errors = result.mean_errors(trusted.beyond_r)[trusted.beyond_name]
            assert np.nanmax(np.abs(errors)) == trusted.beyond


@pytest.mark.parametrize(("off", "is_told"), [(0.02, False), (0.2, True)])
def test_an_extreme_is_told_of_where_it_is_worse_than_all_others(off: float, is_told: bool) -> None:
    plain = prum.trust(**turning())
    lists = {}
    for key, one in plain.lists.items():
        right = one.values["PRUM"]
        news = {
            name: replace(right, precision=right.precision - (name == "walk") * 0.1)
            for name in one.values
        }
        news["comonotone"] = replace(right, precision=right.precision - off)
        lists[key] = replace(one, values=news)
    result = replace(plain, lists=lists)
    assert ("At the extreme, if visits from one element go together" in result.headline) == is_told


def test_errors_of_a_mean_over_r_are_their_mean(simulated: TrustResult) -> None:
    one = simulated.lists["late", "q1"]
    half = one.values["comonotone"].half
    assert half.std() > 0
    assert simulated.half_of_mean("late", "comonotone", ["q1"]) == pytest.approx(half.mean())
    assert simulated.half_of_mean("late", "comonotone", ["q1"], 17) == pytest.approx(half[16])


def test_quadrature_goes_on_until_it_settles() -> None:
    task = prum.Task(["x", "y", "z", "w"], ["a", "b", "c"], 100)
    given = ReachedList(task, prum.Independent({(x, y): 0.9 for x in "xyzw" for y in "abc"}))
    differing = next(d for d in dependences(differ="one-factor .5") if d.name == "users differ")
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


def test_a_factor_may_take_a_visit_to_certainty() -> None:
    task = prum.Task(["x", "y"], ["a", "b"], 9)
    given = ReachedList(task, prum.Independent({("x", "a"): 0.5, ("y", "b"): 0.5}))
    differing = next(d for d in dependences(differ="beta 1 1") if d.name == "users differ")
    value = value_of(given, differing, exact(given.reach, task.num_unranked), UserLimit())
    sure = prum.Independent({("x", "a"): 1.0, ("y", "b"): 1.0})
    known = closed_form(task, prum.Browsing(sure, prum.Beta(1, 1)))
    assert known is not None
    assert value.precision == pytest.approx(known.precision, abs=1e-6)


def test_users_too_few_for_all_ideals_are_missed_there(missing: TrustResult) -> None:
    one = missing.lists["early", "q1"]
    last = np.arange(17) == 16
    less = replace(one.values["correlated"], unresolved=last)
    news = replace(one, values={**one.values, "correlated": less})
    lists = {**missing.lists, ("early", "q1"): news}
    result = replace(missing, lists=lists)
    assert result.num_missing("early", "correlated", 17) == 1
    assert result.num_missing("early", "correlated", 16) == 0


def test_depths_are_those_of_half_of_the_users_and_of_nine_in_ten() -> None:
    runs, qrels = {"list": {"q": ["x", "n", "a"]}}, {"q": {"a": 1}}
    told = "half of the users who want one ideal are done within 1 element, nine in ten within "
    for p, depth in ((0.85, "3 elements"), (0.95, "1 element")):
        result = prum.trust(runs, qrels, links={("x", "a"): p}, collection_size=9)
        assert any(told + depth in line for line in result.view().sentences)
    # Nobody knows how deep, but only behind the list.
    result = prum.trust({"list": {"q": ["x", "n"]}}, QRELS, links={("x", "a"): 0.7})
    (line,) = result.view().sentences
    assert "done within 1 element, nine in ten only behind the list" in line


@pytest.mark.parametrize("size", [None, 9])
def test_depths_of_topics_are_medians(size: int | None) -> None:
    """Nine in ten are done at x on one topic of three, and at the list's end on the others."""
    reach = {"a": 0.85, "b": 0.86, "c": 0.95}
    result = prum.trust(
        {"list": {ideal: ["x", "n", ideal] for ideal in reach}},
        {ideal: {ideal: 1} for ideal in reach},
        links={("x", ideal): p for ideal, p in reach.items()},
        collection_size=size,
    )
    (line,) = result.view().sentences
    assert "one ideal are done within 1 element, nine in ten within 3 elements" in line
    assert line.endswith("(medians of topics).")


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


def test_links_to_improve_are_those_that_gain_most(simulated: TrustResult) -> None:
    for one in simulated.lists.values():
        gains = [link[3] for link in one.links]
        assert len(gains) == 5
        assert gains == sorted(gains, reverse=True)
        assert min(gains) > 0
    table = next(table for table in simulated.view().tables if "improve" in table.label)
    rows = [re.split(r"  +", line.strip()) for line in table.lines()[1:]]
    for system in simulated.systems:
        shown = [float(row[-1]) for row in rows if row[0] == system]
        most = sorted(
            (link[3] for (of, _), one in simulated.lists.items() if of == system
             for link in one.links), reverse=True,
        )  # fmt: skip
        assert shown == pytest.approx(most[:3], abs=5e-5)


def test_browsing_is_expected_to_take_longer_than_none(simulated: TrustResult) -> None:
    browsed = expected_seconds(simulated.campaign)
    (without,) = set(expected_seconds(prum.trust({"a": {"q": ["x"]}}, QRELS).campaign))
    assert len(browsed) == 9
    assert min(browsed) > without


def test_an_endless_collection_leaves_no_order_of_equal_systems() -> None:
    result = prum.trust(
        {"s": {"q": ["x"]}, "t": {"q": ["y"]}}, {"q": {"a": 1}}, links={("x", "a"): 0.5}
    )
    (pair,) = result.pairs
    assert 0 < abs(pair.by_prum.difference) < 1e-8
    assert pair.standing == "level"
