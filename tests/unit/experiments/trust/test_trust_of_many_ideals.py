"""`trust` on topics with many ideals: bounds at each r, simulated users, what is undecided."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from prum.analytic import PrecisionRecall
from prum.experiments.trust import DependentValue, TrustResult, values
from prum.experiments.trust import trusted as trusted_module
from prum.experiments.trust.trusted import trusted_recall
from tests.tiers import slow
from tests.unit.experiments.trust.made import (
    QRELS,
    WIDTH,
    campaign,
    trusted,
)

ROUNDING = 1e-9


def outside(result: TrustResult) -> list[tuple[str, ...]]:
    """Return which values lie outside their bounds, at some r, in the mean, or of a difference."""
    bound = {"PRUM", "independent", *(row.name for row in result.table if row.is_bound)}
    found = list[tuple[str, ...]]()
    for (system, topic), one in result.lists.items():
        assert one.bounds.recall.tolist() == list(range(1, one.num_ideals + 1))
        for name, value in one.values.items():
            is_in = one.bounds.precision_low - ROUNDING <= value.precision
            is_in &= value.precision <= one.bounds.precision_high + ROUNDING
            is_in |= value.unresolved
            if name in bound and not is_in.all():
                found.append((system, topic, name))
    whole = {x for x in bound if x in result.names and result.num_topics(x) == len(result.topics)}
    low, high = (side.mean(axis=1) for side in result.bounds)
    for number, system in enumerate(result.systems):
        for name in whole:
            mean = result.mean(system, name)
            if not low[number] - ROUNDING <= mean <= high[number] + ROUNDING:
                found.append((system, name))
    for pair in result.pairs:
        for name in whole:
            difference = pair.under[name].difference
            if not pair.bound_low - ROUNDING <= difference <= pair.bound_high + ROUNDING:
                found.append((pair.system, pair.other, name))
    return found


# --- bounds --------------------------------------------------------------------------------------


def test_no_value_lies_outside_its_bounds(simulated: TrustResult) -> None:
    kinds = {value.how for one in simulated.lists.values() for value in one.values.values()}
    assert kinds == {"exact", "quadrature", "simulated"}
    assert outside(simulated) == []
    # Negative control: PRUM at a few recall values is not PRUM at all of them.
    one = simulated.lists["late", "q3"]
    few = one.bounds.precision_low[[0, 1, 2, 4, 9, 19, 23]].mean()
    assert few > one.bounds.average_low
    value = one.values["comonotone"]
    beyond = replace(value, precision=value.precision + 0.6)
    news = replace(one, values={**one.values, "comonotone": beyond})
    wrong = replace(simulated, lists={**simulated.lists, ("late", "q3"): news})
    assert ("late", "q3", "comonotone") in outside(wrong)


@slow
@pytest.mark.parametrize("seed", range(12))
def test_no_value_of_a_large_topic_lies_outside_its_bounds(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    sizes = {"q1": 200 if seed else 90, "q2": int(rng.integers(13, 60)), "q3": 3}
    given = campaign(sizes, ranks=int(rng.integers(6, 20)), seed=seed)
    navigation = ["independent", "copula .4"][seed % 2]
    result = trusted(0.05, **given, navigation=navigation, most_users=2_000)
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


# --- how many users ------------------------------------------------------------------------------


def half_of_mean(
    result: TrustResult, system: str, name: str, topics: Iterable[str], r: int | None = None
) -> float:
    curve = result.curve(system, name, topics)
    return float((curve.drawn + curve.summed)[r or 0])


def test_users_are_as_many_as_the_width_of_a_mean_needs(simulated: TrustResult) -> None:
    widest = 0.0
    for name in ("exclusive", "correlated", "comonotone"):
        for system in simulated.systems:
            for r in range(1, 18):
                half = half_of_mean(simulated, system, name, simulated.topics, r)
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
        drawn_half = half_of_mean(result, "late", "comonotone", result.topics, r)
        assert drawn_half == pytest.approx(0.13 / 3)
        summed_half = half_of_mean(result, "late", "users differ", result.topics, r)
        assert summed_half == pytest.approx(0.19 / 3)
    # Topics with so many ideals only.
    assert half_of_mean(result, "late", "comonotone", result.topics, 20) == pytest.approx(
        np.hypot(0.04, 0.12) / 2
    )
    assert half_of_mean(result, "late", "comonotone", ("q1", "q2")) == pytest.approx(0.025)


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
    enough = trusted(0.5, **given, links=links, collection_size=20)
    value = enough.lists["list", "q"].values["comonotone"]
    assert value.num_users == 1_024
    rarer = dict.fromkeys(links, 0.8)
    few = trusted(0.5, **given, links=rarer, collection_size=100, most_users=1_024)
    many = trusted(0.5, **given, links=rarer, collection_size=100)
    of_few, of_many = (r.lists["list", "q"].values["comonotone"] for r in (few, many))
    assert of_few.unresolved.any()
    assert np.isnan(of_few.precision[of_few.unresolved]).all()
    assert np.isnan(of_few.half[of_few.unresolved]).all()
    assert 1_024 < of_many.num_users < 65_536
    assert not of_many.unresolved.any()


# --- users too few -------------------------------------------------------------------------------


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
    _, by_recall, _, by_dependence = missing.view().tables
    row = next(line for line in by_dependence.lines() if re.match(r"late +correlated", line))
    assert re.search(r"\b2  simulated", row)
    heading, *rows = by_recall.lines()
    column = re.split(r"  +", heading.strip()).index("correlated")
    shown = {cells[0]: cells[column] for cells in (re.split(r" +", row.strip()) for row in rows)}
    assert shown["3"] == "–"
    assert shown["2"] != "–"
    frame = missing.to_frame()
    assert frame[frame.unresolved][["precision", "half"]].isna().all(axis=None)
    assert "1 value of lists at recall values missing" in " ".join(missing.view().notes)


def test_what_is_missing_is_not_trusted_and_keeps_no_order(
    missing: TrustResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trusted_module, "SHARE", 9.0)
    known = replace(missing, question=replace(missing.question, margin=0.9))
    trusted = trusted_recall(known)
    assert (trusted.last, trusted.missing) == (2, ("correlated",))
    assert known.headline.count("Values hold up to r = 2: PRUM errs by at most ") == 1
    assert "Users are too few for a value at some recall values if" in known.headline
    for pair in missing.pairs:
        has_late = "late" in (pair.system, pair.other)
        assert ("correlated" in pair.undecided) == has_late
        assert "correlated" in pair.partial
        assert not has_late or pair.standing != "kept"
