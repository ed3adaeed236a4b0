"""Error rates of the study of realism on made logs, and what it says where nothing can be shown."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from prum.experiments.statistics.distances import GroupedSample, compare_samples
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.realism import _verdict, both, compared, of_consulted
from tests.compared_folders import made_samples
from tests.tiers import slow

# Of a false alarm in any one statistical test below; seeds are fixed, so it comes at once or never.
ALPHA = 1e-4
Pairs = dict[str, tuple[GroupedSample, GroupedSample]]
STORY = Story.of("prum.experiments.studies.realism")


def made_log(rng: np.random.Generator, *, deeper: float = 0.0, topics: int = 12) -> Any:
    """Return searches of 100 users, two each, that end near a rank that hangs on the topic."""
    import pandas as pd

    first_ideals = rng.geometric(0.3, topics) + deeper
    searched = rng.integers(0, topics, (100, 2)).ravel()
    return pd.DataFrame(
        {
            "system": "s",
            "user": np.repeat(np.arange(100), 2),
            "session": np.tile([1, 2], 100),
            "query": [f"t{topic}" for topic in searched],
            "action": "consult",
            "elements": 1,
            "element": "e",
            "rank": first_ideals[searched] + rng.integers(0, 2, 200),
        }
    )


def last_rank_p(one: GroupedSample, two: GroupedSample, rng: np.random.Generator) -> float:
    p = compare_samples(one, two, permutations=39, rng=rng).p
    assert p is not None
    return p


@pytest.mark.parametrize("num_pairs", [20, pytest.param(200, marks=slow)])
def test_logs_made_alike_differ_at_the_promised_rate(num_pairs: int) -> None:
    rng = np.random.default_rng(21)
    alarms, by_user, found = 0, 0, 0
    for _ in range(num_pairs):
        logs = [made_log(rng), made_log(rng), made_log(rng, deeper=5)]
        one, two, deeper = (of_consulted(log)["last_rank"] for log in logs)
        alarms += last_rank_p(one, two, rng) <= 0.1
        found += last_rank_p(one, deeper, rng) <= 0.1
        # The control: users in place of topics.
        users = [GroupedSample.of(log["rank"], log["user"]) for log in logs[:2]]
        by_user += last_rank_p(*users, rng) <= 0.1
    assert alarms <= binom.ppf(1 - ALPHA, num_pairs, 0.1)
    assert by_user > 2 * binom.ppf(1 - ALPHA, num_pairs, 0.1)
    assert found >= 0.9 * num_pairs


@slow
def test_datasets_of_two_seeds_differ_at_the_promised_rate() -> None:
    content: dict[str, Any] = {
        "collection": {"kind": "web", "elements": 500},
        "topics": {"number": 15, "candidates": 60},
        "systems": [{"name": "s"}],
        "log": {"users": 300, "want": 1, "stop": []},
        "truth": {"measures": ["AP"]},
    }
    weaker = content | {"systems": [{"name": "s", "strength": 0}]}
    num_pairs, alarms, found = 40, dict[str, int](), 0
    rng = np.random.default_rng(22)
    for number in range(num_pairs):
        one, two = (made_samples(content, 100 + 2 * number + side) for side in (0, 1))
        for name, pair in both(one, two).items():
            p = compare_samples(*pair, permutations=99, rng=rng).p
            alarms[name] = alarms.get(name, 0) + (p is not None and p <= 0.1)
        other = made_samples(weaker, number)
        found += last_rank_p(one["last_rank"], other["last_rank"], rng) <= 0.1
    assert {"last_rank", "clicks", "out_degree"} <= alarms.keys()
    assert max(alarms.values()) <= binom.ppf(1 - ALPHA / len(alarms), num_pairs, 0.1)
    assert found >= 0.8 * num_pairs


def test_people_and_topics_are_not_permuted_together() -> None:
    log = of_consulted(made_log(np.random.default_rng(23)))["last_rank"]
    clicks = GroupedSample.of([1.0, 2.0, 3.0])
    (row,) = compared({"last_rank": (log, clicks)}, permutations=99, seed=1)
    assert (row.unit, row.wasserstein_p, row.least_p) == ("topic / person", None, None)
    sides = GroupedSample.of([0.0, 4.0]), GroupedSample.of([3.0, 7.0])
    (row,) = compared({"out_degree": sides}, permutations=0, seed=1)
    assert (row.sd_a, row.wasserstein, row.wasserstein_sd) == (2, 3, 1.5)


def told_of(pairs: Pairs, permutations: int) -> str:
    rows = compared(pairs, permutations=permutations, seed=1)
    return _verdict(STORY, rows, permutations)


BY_WASSERSTEIN = "tested statistics differ by Wasserstein's distance (Holm, 5%); farthest apart: "
VERDICTS = {
    (30, 9, 99): "99 permutations are too few to show a difference in any of 7 statistics (Holm, "
    "5%): give 140 at least",
    (30, 9, 140): f"7 of 7 {BY_WASSERSTEIN}",
    (30, 0, 140): "None of 7 tested statistics",
    (3, 9, 999): "The groups are too few to show a difference in any of 7 statistics",
}


@pytest.mark.parametrize(("size", "apart", "permutations"), VERDICTS)
def test_too_few_permutations_or_groups_give_no_verdict(
    size: int, apart: int, permutations: int
) -> None:
    rng = np.random.default_rng(24)
    names = "out_degree relevant ideal ideal_rank ideal_share overlap list_length"
    pairs = {
        name: (
            GroupedSample.of(rng.normal(size=size)),
            GroupedSample.of(rng.normal(apart, 1, size)),
        )
        for name in names.split()
    }
    told = VERDICTS[size, apart, permutations]
    assert told_of(pairs, permutations).startswith(told)
