"""Simulated sessions beside real ones: distances, what can be told, and what is said."""

import json
from collections.abc import Callable
from itertools import combinations
from math import comb, inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prum
from prum.experiments.logs import Action, Trajectory
from prum.experiments.sessions import distance_test, metrics_of, referee
from prum.experiments.sessions.sides import (
    CANNOT_TELL,
    METRICS,
    divergence,
    largest_gap,
    order_gap,
    score_gap,
)
from prum.simulator.model import InputError
from tests.commands import called

LIST = ("a", "b", "c", "d")


def session(number: int, opened: str, *, system: str = "s", gap: float = 1.0) -> Trajectory:
    """Return a session of a list, of which some elements are opened one after the other."""
    actions = [Action("list", LIST, 0.0)]
    actions += [Action("open", (name,), gap * k) for k, name in enumerate(opened, start=1)]
    return Trajectory(f"{number}", "t", tuple(actions), "", system)


def drawn(number: int, seed: int, *, more: float = 0.5, system: str = "s") -> list[Trajectory]:
    """Return sessions of users who open each element with some probability."""
    rng = np.random.default_rng(seed)
    return [
        session(k, "".join(name for name in LIST if rng.random() < more), system=system)
        for k in range(number)
    ]


def by_name(real: Any, simulated: Any, **more: Any) -> dict[str, Any]:
    return {row.name: row for row in referee(real, simulated, **more).rows}


# --- distances, by hand ----------------------------------------------------------------------


def test_distances_of_what_is_alike_and_apart() -> None:
    one, other = np.array([3.0, 1.0]), np.array([6.0, 2.0])
    for distance in (divergence, largest_gap):
        assert distance(one, other) == pytest.approx(0, abs=1e-15)
        assert distance(np.array([1.0, 0]), np.array([0, 1.0])) == pytest.approx(1)


def test_divergence_by_another_package() -> None:
    distance = pytest.importorskip("scipy.spatial.distance")
    rng = np.random.default_rng(2)
    for one, other in rng.integers(1, 9, (20, 2, 5)).astype(float):
        wanted = distance.jensenshannon(one, other, base=2) ** 2
        assert divergence(one, other) == pytest.approx(wanted, abs=1e-12)


def test_the_largest_gap_is_that_of_kolmogorov_and_smirnov() -> None:
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(4)
    for n, m in ((3, 5), (20, 20), (40, 7)):
        one, other = rng.integers(0, 6, n), rng.integers(1, 8, m)
        counts = [np.bincount(side, minlength=8).astype(float) for side in (one, other)]
        assert largest_gap(*counts) == pytest.approx(ks_2samp(one, other).statistic)


def test_scores_and_orders() -> None:
    one = np.array([1.0, 2, 3, 4, 4, 4])  # scores 1/4, 1/2, 3/4
    other = np.array([2.0, 2, 1, 4, 4, 4])  # 1/2, 1/2, 1/4
    assert score_gap(one, other) == pytest.approx((0.25 + 0 + 0.5) / 3)
    assert order_gap(one, other) == pytest.approx((0.5 + 1 + 1) / 3)
    assert order_gap(one, one) == 0


def test_metrics_are_measured_as_they_say() -> None:
    actions = (
        Action("list", LIST, 0.0),
        Action("open", ("c",), 2.0),
        Action("follow", ("x",), 2.5),
        Action("follow", ("y",), 4.0),
        Action("back", time=5.0),
        Action("list", (), 6.0),
        Action("open", ("elsewhere",)),
    )
    whole = Trajectory("1", "t", actions)
    metrics = {one.name: one for one in metrics_of([whole], [session(2, "a")])}
    assert metrics["action types"].first.tolist() == [[1, 1, 2, 2, 1]]
    wanted = {"lengths": ([7], [2]), "depths": ([2], [0]), "first clicks": ([3], [1])}
    wanted |= {"deepest ranks": ([3], [1]), "times": ([2, 0.5, 1.5, 1, 1], [1])}
    for name, (first, second) in wanted.items():
        points = sorted({*first, *second})
        metric = metrics[name]
        assert metric.first.tolist() == [[first.count(point) for point in points]]
        assert metric.second.tolist() == [[second.count(point) for point in points]]
    # A rank is that of the last list before it.
    actions = (Action("list", LIST), Action("list", ("z", "a")), Action("open", ("a",)))
    clicks = metrics_of([Trajectory("1", "t", actions)], [session(2, "b")])
    assert [one.first.tolist() for one in clicks if one.name == "first clicks"] == [[[1]]]
    scored = metrics_of([whole], [session(2, "ab")], {"t": ["c", "y", "b"]})
    assert [one.name for one in scored] == list(METRICS)
    none = metrics_of([whole], [session(2, "ab", system="")], {"t": ["c", "y", "b"]})
    assert none[-2].first.tolist() == [[2, 4]]
    assert none[-2].second.tolist() == [[1, 2]]


# --- tests -------------------------------------------------------------------------------------


def test_p_is_that_of_all_permutations() -> None:
    """Six sessions, by all 20 ways to part them; drawn ones come near."""
    values = np.eye(4)
    one, other = values[[0, 0, 1]], values[[1, 2, 3]]
    whole = np.concatenate([one, other])
    actual = largest_gap(one.sum(0), other.sum(0))
    exact = [
        largest_gap(whole[list(part)].sum(0), whole.sum(0) - whole[list(part)].sum(0))
        for part in combinations(range(6), 3)
    ]
    wanted = float(np.mean(np.array(exact) >= actual - 1e-9))
    rng = np.random.default_rng(3)
    test = distance_test(one, other, largest_gap, level=0.1, permutations=20_000, rng=rng)
    assert test.p is not None
    assert abs(test.p - wanted) < 4 * np.sqrt(wanted * (1 - wanted) / 20_000)


@pytest.mark.parametrize(("number", "can"), [(3, False), (4, True)])
def test_too_few_sessions_cannot_tell(number: int, can: bool) -> None:
    """Never 0, however far apart they are: 3 of 6 are chosen in 20 ways, 4 of 8 in 70."""
    one, other = np.eye(2)[[0] * number], np.eye(2)[[1] * number]
    rng = np.random.default_rng(1)
    test = distance_test(one, other, largest_gap, level=0.02, permutations=199, rng=rng)
    assert (comb(2 * number, number) * 0.02 >= 1) == can
    assert (test.p is not None) == can
    assert (test.detectable < inf) == can
    assert test.distance == 1


def test_few_sessions_cannot_tell_at_the_level_of_all_metrics() -> None:
    """Of 8 sessions 4 are chosen in 70 ways; the least p is 6 / 70, of six metrics together."""
    sides = [session(k, "") for k in range(4)], [session(k, "abc") for k in range(4)]
    assert {row.verdict for row in referee(*sides).rows} == {CANNOT_TELL}
    more = [session(k, "") for k in range(6)], [session(k, "abc") for k in range(6)]
    assert "differs" in {row.verdict for row in referee(*more).rows}


def test_sessions_without_data_are_left_out() -> None:
    one = np.concatenate([np.eye(2)[[0, 1] * 9], np.zeros((7, 2))])
    rng = np.random.default_rng(1)
    test = distance_test(one, one[:18], largest_gap, level=0.05, permutations=99, rng=rng)
    assert test.numbers == (18, 18)
    none = distance_test(one[18:], one, largest_gap, level=0.05, permutations=99, rng=rng)
    assert (none.p, none.detectable) == (None, inf)
    assert np.isnan(none.distance)


def test_strata_are_not_exchanged() -> None:
    """What differs between strata alone is no difference: in each both sides are the same."""
    one = np.array([[1.0, 0]] * 30 + [[0, 1.0]] * 10)
    other = np.array([[1.0, 0]] * 10 + [[0, 1.0]] * 30)
    strata = (np.repeat([0, 1], [30, 10]), np.repeat([0, 1], [10, 30]))

    def p(strata: Any) -> float | None:
        rng = np.random.default_rng(1)
        return distance_test(
            one, other, largest_gap, strata=strata, level=0.05, permutations=99, rng=rng
        ).p

    assert p(strata) == 1
    assert p(None) == 0.01


def test_where_all_do_alike_a_share_that_does_otherwise_would_be_seen() -> None:
    """Not 0: of 50 sessions that all click rank 1, some others may have been missed by chance."""
    alike = np.ones((50, 1))
    rng = np.random.default_rng(1)
    test = distance_test(alike, alike, largest_gap, level=0.01, permutations=199, rng=rng)
    assert (test.distance, test.p) == (0, 1)
    needed = next(k for k in range(50) if comb(50, k) / comb(100, k) <= 0.01)
    draws = np.random.default_rng(2).binomial(50, test.detectable, 200_000)
    assert np.mean(draws >= needed) == pytest.approx(0.8, abs=0.005)


# --- the verb ------------------------------------------------------------------------------------


def test_a_difference_is_named_and_a_control_is_not() -> None:
    differ = by_name(drawn(150, 1), drawn(150, 2, more=0.75))
    assert {name for name, row in differ.items() if row.verdict == "differs"} >= {"lengths"}
    same = by_name(drawn(150, 1), drawn(150, 3))
    assert {row.verdict for row in same.values()} == {"no difference seen"}
    assert all(0 < row.detectable < 1 for row in same.values() if row.name != "depths")


def test_scores_and_orders_of_systems_need_judgements() -> None:
    qrels = {"t": {"a": 1, "b": 1}}
    real = drawn(80, 1, system="x") + [session(k, "abcd", system="y") for k in range(80)]
    other = drawn(80, 2, system="x") + [session(k, "a", system="y") for k in range(80)]
    rows = by_name(real, other, qrels=qrels)
    assert rows["scores"].verdict == "differs"
    assert rows["scores"].distance > 0.2
    assert "scores" not in by_name(real, other)
    one_system = by_name(drawn(80, 1), drawn(80, 2), qrels=qrels)
    assert one_system["orders"].verdict == CANNOT_TELL
    assert one_system["scores"].verdict == "no difference seen"


def test_what_is_said() -> None:
    few = referee([session(1, "a")], [session(2, "abc")])
    assert few.headline.startswith("Cannot tell: there are too few sessions")
    assert {row.verdict for row in few.rows} == {CANNOT_TELL}
    assert few.status == 0
    differ = referee(drawn(150, 1), drawn(150, 2, more=0.75))
    assert differ.headline.startswith("Simulated sessions differ from real ones in ")
    assert differ.status == 1
    assert all(f">{row.name}<" in differ.plot()._repr_svg_() for row in differ.rows)
    same = referee(drawn(150, 1), drawn(150, 3))
    assert same.headline == (
        "No difference of simulated and real sessions was seen (6 tested, false alarm rate 0.05 in "
        "all)."
    )
    assert json.loads(same.to_json())["metrics"][1]["name"] == "lengths"
    assert same.to_frame()["verdict"].tolist() == ["no difference seen"] * 6
    assert referee is prum.referee


def test_equal_seeds_say_the_same() -> None:
    one, again = (referee(drawn(30, 1), drawn(30, 2), seed=7).to_csv() for _ in range(2))
    assert one == again


def test_files_of_any_format(tmp_path: Path) -> None:
    rows = [f"{k},{name}" for k in range(40) for name in "ab<c"[: 2 + k % 3]]
    (tmp_path / "real.csv").write_text("\n".join(["session,element", *rows, ""]))
    games = [
        {"model": "m", "result": "win", "steps": [{"article": x} for x in "abc"[: 1 + k % 3]]}
        for k in range(40)
    ]
    (tmp_path / "sim.json").write_text(json.dumps({"runs": games}))
    done = called("referee", "--real", "real.csv", "--sim", "sim.json", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "differ from real ones in" in done.stdout
    bad = called("referee", "--real", "real.csv", "--sim", "none.json", folder=tmp_path)
    assert bad.returncode == 2
    assert len(bad.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: referee([], drawn(3, 1)), "number of sessions of real is 0"),
        (lambda: referee(drawn(3, 1), 7), "sim is 'int', must be a file"),
        (lambda: referee(drawn(3, 1), drawn(3, 1), level=1), "level is 1, must lie strictly"),
        (lambda: referee(drawn(3, 1), drawn(3, 1), permutations=3), "permutations is 3"),
    ],
)
def test_what_is_refused(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask()
