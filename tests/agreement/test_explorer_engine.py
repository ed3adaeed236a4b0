"""The explorer's engine, in Chromium, against closed forms in Python and against itself."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from tests.explored import (
    Setting,
    by_python,
    closed_forms,
    crowds,
    engine_in,
    list_of,
    random_setting,
)
from tests.tiers import slow

pytestmark = slow

ROUNDING = 1e-12
# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
DIALS = [
    {"dependence": dependence, "spread": spread}
    for dependence in (-1, -0.4, 0, 0.4, 1)
    for spread in (0, 0.5)
]


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    with engine_in(browser) as page:
        yield page


def farthest(tab: Any, settings: list[Setting], truth: list[Setting] | None = None) -> float:
    """Return the largest relative difference between the engine and Python, of any quantity."""
    largest = 0.0
    found = closed_forms(tab, settings)
    for mine, setting in zip(found, truth or settings, strict=True):
        published, leading, consulted = by_python(setting)
        pairs = [
            (mine["prum"]["leading"], published.leading),
            (mine["prum"]["consulted"], published.consulted),
            (mine["prum"]["precision"], published.precision),
            (mine["exact"]["leading"], leading),
            (mine["exact"]["consulted"], consulted),
            (mine["exact"]["precision"], leading / consulted),
        ]
        for one, other in pairs:
            assert len(one) == len(other)
            largest = max(largest, float(np.max(np.abs(np.array(one) - other) / other)))
    return largest


def test_closed_forms_are_those_of_python_on_200_random_tasks(tab: Any) -> None:
    settings = [random_setting(np.random.default_rng([number, 21])) for number in range(200)]
    assert farthest(tab, settings) <= ROUNDING


def test_closed_forms_are_those_of_python_on_a_list_of_100_ranks(tab: Any) -> None:
    assert farthest(tab, [list_of(100, 10, **dials) for dials in DIALS]) <= ROUNDING


def test_closed_forms_of_links_slightly_off_are_noticed(tab: Any) -> None:
    """Negative control: every probability a billionth high."""
    setting = list_of(20, 4)
    off = [[p if p == 1 else p * (1 + 1e-9) for p in row] for row in setting["reach"]]
    assert farthest(tab, [setting], [{**setting, "reach": off}]) > 10 * ROUNDING


def test_precision_of_each_dependence_is_that_worked_by_hand(tab: Any) -> None:
    """The list (x, a, b), from x to each of a and b with 1/2."""
    settings = [
        {"reach": [[0.5, 0.5], [1, 0], [0, 1]], "unranked": 0, "dependence": dependence}
        for dependence in (-1, 0, 1)
    ]
    found = [one["exact"]["precision"][1] for one in closed_forms(tab, settings)]
    assert found == pytest.approx([4 / 5, 7 / 9, 3 / 4], rel=1e-14)


def z_scores(estimates: list[Any], truth: list[Setting]) -> np.ndarray:
    """Return the distance of every precision from Python's value in standard errors.

    Raises AssertionError where what does not vary is not equal.
    """
    z = []
    for mine, setting in zip(estimates, truth, strict=True):
        _, leading, consulted = by_python(setting)
        difference, spread = mine["precision"] - leading / consulted, np.array(mine["error"])
        assert difference[spread == 0] == pytest.approx(0, abs=1e-9)
        z += (difference[spread > 0] / spread[spread > 0]).tolist()
    return np.abs(z)


def threshold(z: np.ndarray) -> float:
    return float(norm.isf(FAMILY_WISE / (2 * len(z))))


def resolvable(number: int) -> Setting:
    """Return a setting in which whatever varies does so for many of 20,000 users.

    No P between .5 and 1, nor below .1, and strength up to 2: an ideal stays unseen with a
    probability of .004 at least where that is not certain, or it is certain to be seen.
    """
    setting = random_setting(np.random.default_rng([number, 22]), lowest=0.1, highest=0.5)
    setting["reach"] = setting["reach"][:4]
    sure = sum(any(row[x] == 1 for row in setting["reach"]) for x in range(setting["ideals"]))
    setting["unranked"] = max(setting["unranked"], setting["ideals"] - sure)
    setting["strength"] = min(setting["strength"], 1)
    return setting


def test_users_agree_with_closed_forms(tab: Any) -> None:
    settings = [resolvable(number) for number in range(80)]
    settings += [list_of(30, 5, **dials) for dials in DIALS]
    z = z_scores(crowds(tab, settings, users=20_000, seed=23), settings)
    assert len(z) > 200
    assert z.max() < threshold(z)
    # Errors that were too large would hide faults: the squares come to 1 on average.
    assert 0.7 < np.mean(z**2) < 1.3


@pytest.mark.parametrize("dependence", [-1, 1])
def test_users_who_ignore_dependence_are_noticed(tab: Any, dependence: float) -> None:
    """Negative control."""
    truth = [list_of(30, 5, dependence=dependence)]
    z = z_scores(crowds(tab, [list_of(30, 5)], users=200_000, seed=24), truth)
    assert z.max() > threshold(z)


def test_users_of_slightly_other_links_are_noticed(tab: Any) -> None:
    """Negative control: every probability one percent high."""
    setting = {"reach": [[0.05] * 3] * 60, "unranked": 10}
    truth = [{**setting, "reach": [[0.0505] * 3] * 60}]
    estimates = crowds(tab, [setting], users=400_000, seed=25)
    assert (z := z_scores(estimates, [setting])).max() < threshold(z)
    assert (z := z_scores(estimates, truth)).max() > threshold(z)


def test_same_seed_gives_same_users_whatever_the_batches(tab: Any) -> None:
    script = """([given, seed, batches]) => {
      const crowd = engine.crowd(engine.setting(given), seed);
      for (const n of batches) { crowd.add(n); crowd.walkthrough(3, 2); }
      return { users: crowd.users, ...crowd.estimates() };
    }"""
    setting = list_of(20, 4, dependence=-0.5, spread=0.5, behind=0.1)
    whole, parts, other = (
        tab.evaluate(script, [setting, seed, batches])
        for seed, batches in ((7, [100]), (7, [1, 0, 60, 39]), (7 + 2**32, [100]))
    )
    assert whole == parts
    assert whole["users"] == other["users"] == 100
    assert whole["consulted"] != other["consulted"]


def test_walkthroughs_are_the_users_who_are_counted(tab: Any) -> None:
    script = """([given, users]) => {
      const crowd = engine.crowd(engine.setting(given), 5);
      crowd.add(users);
      const walks = [];
      for (let k = 0; k < users; k++) {
        walks.push(given.reach[0].map((_, index) => crowd.walkthrough(k, index + 1)));
      }
      return { walks, ...crowd.estimates() };
    }"""
    setting = list_of(12, 4, dependence=0.5, spread=1, behind=3)
    setting["unranked"] = 9
    found = tab.evaluate(script, [setting, 100])
    leading, consulted = np.zeros((100, 4)), np.zeros((100, 4))
    for k, user in enumerate(found["walks"]):
        for index, events in enumerate(user):
            seen = [x for event in events for x in event["seen"]]
            assert len(seen) == len(set(seen)) >= index + 1
            assert len(seen) - len(events[-1]["seen"]) < index + 1
            assert all(set(event["seen"]) <= set(event["visited"]) for event in events)
            ranks = [event["rank"] for event in events]
            assert ranks == sorted(set(ranks))
            assert ranks[:12] == list(range(1, min(len(ranks), 12) + 1))
            cost = [1 if rank <= 12 else 3 for rank in ranks]
            leading[k, index] = sum(
                one for one, event in zip(cost, events, strict=True) if event["seen"]
            )
            consulted[k, index] = min(ranks[-1], 12) + 3 * max(0, ranks[-1] - 12)
    assert found["leading"] == pytest.approx(leading.mean(axis=0), rel=1e-12)
    assert found["consulted"] == pytest.approx(consulted.mean(axis=0), rel=1e-12)
    ratio = leading.mean(axis=0) / consulted.mean(axis=0)
    residual = (leading - ratio * consulted).std(axis=0, ddof=1) / np.sqrt(100)
    assert found["error"] == pytest.approx(residual / consulted.mean(axis=0), rel=1e-9)


def test_ideals_of_separate_contexts_are_exact_beyond_twenty(tab: Any) -> None:
    """Thirty ideals, of which no more than two depend on each other; 21 that all do are refused."""
    pairs = [[0.4 if x // 2 == rank else 0.0 for x in range(30)] for rank in range(15)]
    settings = [
        {"reach": pairs, "unranked": 40, "dependence": 0.5},
        {"reach": [[0.1] * 21], "unranked": 40, "dependence": 0.5},
    ]
    few, many = closed_forms(tab, settings)
    assert many["exact"] is None
    (estimates,) = crowds(tab, settings[:1], users=100_000, seed=26)
    z = np.abs(np.subtract(estimates["precision"], few["exact"]["precision"])) / estimates["error"]
    assert z.max() < norm.isf(FAMILY_WISE / (2 * len(z)))


def test_nothing_to_find_is_an_empty_answer(tab: Any) -> None:
    for setting in ({"reach": [], "unranked": 5}, {"reach": [[], []], "unranked": 0}):
        (found,) = closed_forms(tab, [setting])
        assert found["prum"] == found["exact"] == {"leading": [], "consulted": [], "precision": []}
        assert crowds(tab, [setting], users=3, seed=1)[0]["precision"] == []
