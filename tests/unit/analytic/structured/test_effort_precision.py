"""Effort-precision and gain-recall: by hand, by a loop over ranks, as average precision."""

import numpy as np
import pytest

from prum.analytic.ranked import average_precision
from prum.analytic.structured import XCG, xcg
from prum.experiments.measures.judged import Collection, Judged
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import Elements

GRADES = {"a": 1.0, "b": 0.5, "c": 0.5}
TREE = Elements(
    {"r": (None, 90), "a": ("r", 40), "b": ("a", 10), "c": ("a", 20), "d": ("r", 30), "e": ("d", 5)}
)


def ranks_needed(gains: list[float], goal: float) -> int | None:
    """Return how many ranks gain so much, None if all do not."""
    gained = 0.0
    for rank, gain in enumerate(gains, start=1):
        gained += gain
        if gained > goal - 1e-9:
            return rank
    return None


def by_loop(result: XCG) -> tuple[list[float], float]:
    """Return effort-precision where the best list gains, and its mean, rank by rank."""
    best = np.diff(result.best, prepend=0.0).tolist()
    each, goal = [], 0.0
    for rank, gain in enumerate(best, start=1):
        goal += gain
        if gain > 0:
            needed = ranks_needed(result.gains.tolist(), goal)
            each.append(rank / needed if needed else 0.0)
    return each, sum(each) / len(each)


def test_by_hand() -> None:
    """Gains .5, 0, 1, .5: the best list has gained 1, 1.5, 2; this one does at ranks 3, 3, 4."""
    ranking = ["b", "x", "a", "c"]
    result = xcg(ranking, GRADES)
    np.testing.assert_allclose(result.effort_precision([0.5, 0.75, 1]), [1 / 3, 2 / 3, 3 / 4])
    assert result.average_effort_precision == pytest.approx(7 / 12)
    # Between natural levels the best list needs whole ranks, too: a gain of 1.2 takes it two.
    assert result.effort_precision(0.6) == pytest.approx(2 / 3)
    topic = Judged("q", ("a", "b", "c"), GRADES, None, Collection())
    named = {"EP": 7 / 12, "MAep": 7 / 12, "EP@r=2": 2 / 3, "ep_gr@0.5": 1 / 3, "EP@r=4": np.nan}
    named |= {"GainRecall@1": 0.25, "GainRecall@3": 0.75, "GainRecall": 1, "GainRecall@9": 1}
    for name, wanted in named.items():
        measure = measure_of(name)
        found = measure.curve(topic, tuple(ranking)).read(measure.name.cutoff)
        assert found == pytest.approx(wanted, nan_ok=True), name
    empty = measure_of("EP").curve(topic, ())
    assert empty.whole() == 0
    assert measure_of("GainRecall").curve(topic, ()).whole() == 0


def test_the_best_list_gains_all_that_grades_give_whatever_is_ideal() -> None:
    """Of grades 2, 1, 1 with ideals of grade 2: the best list gains 1, 3/2, 2."""
    topic = Judged("q", ("a",), GRADES, None, Collection(), ideal_grade=2)
    named = {"GainRecall": 1, "GainRecall@2": 0.5, "nxCG@1": 0.5, "nxCG@2": 2 / 3, "nxCG@3": 1}
    named |= {"EP@0.5": 1 / 2, "EP@1": 1}
    for name, wanted in named.items():
        measure = measure_of(name)
        found = measure.curve(topic, ("b", "c", "a")).read(measure.name.cutoff)
        assert found == pytest.approx(wanted), name


def test_by_a_loop_and_within_bounds() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        grades = {x: float(rng.integers(0, 5)) / 4 for x in TREE.ids}
        grades[str(rng.choice(TREE.ids))] = 1.0
        ranking = rng.permutation([*TREE.ids]).tolist()[: int(rng.integers(0, 7))]
        result = xcg(ranking, grades, TREE, alpha=float(rng.choice([0, 0.5, 1])))
        each, mean = by_loop(result)
        found = result.effort_precision(result.natural_levels)
        np.testing.assert_allclose(found, each, rtol=1e-12)
        assert result.average_effort_precision == pytest.approx(mean, rel=1e-12)
        assert result.gain_recall_at(7) == pytest.approx(sum(result.gains) / result.best[-1])


def test_it_is_average_precision_where_all_or_nothing_is_gained() -> None:
    rng = np.random.default_rng(6)
    elements = list("abcdefgh")
    apart = 0
    for _ in range(100):
        ideals = elements[: int(rng.integers(1, 5))]
        ranking = rng.permutation(elements).tolist()[: int(rng.integers(1, 9))]
        found = xcg(ranking, dict.fromkeys(ideals, 1.0)).average_effort_precision
        assert found == pytest.approx(average_precision(ranking, ideals), rel=1e-12)
        half = xcg(ranking, dict.fromkeys(ideals, 1.0) | {"h": 0.5}).average_effort_precision
        apart += abs(half - average_precision(ranking, ideals)) > 1e-6
    assert apart > 50
