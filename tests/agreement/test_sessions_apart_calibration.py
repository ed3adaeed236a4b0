"""Systems are told apart by their sessions at the rate that is promised.

More worlds, and the figures of docs/statistics.md: `tests.reliability.sessions_apart`.
"""

from dataclasses import replace

import pytest
from scipy import stats

from tests.reliability.sessions_apart import DOUBLED, KINDS, MANY, claimed, claims
from tests.tiers import slow

LEVEL, RATE = 1e-3, 0.05


def is_too_often(count: int, num: int) -> bool:
    """Return whether so many of these worlds have a false claim by chance with less than .001."""
    return bool(stats.binom.sf(count - 1, num, RATE) < LEVEL)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_systems_of_a_few_worlds_are_seldom_told_apart(kind: str) -> None:
    few = replace(KINDS[kind], questions=10)
    assert not is_too_often(claimed(range(1, 9), few), 8)


def test_a_system_that_is_twice_as_good_is_told() -> None:
    """With power .8, fewer than 4 of 8 come with a chance of .01; nobody is told the reverse."""
    told = [claims(seed, DOUBLED) for seed in range(1, 9)]
    assert told.count([-1]) >= 4
    assert [1] not in told


@slow
@pytest.mark.parametrize("kind", KINDS)
def test_equal_systems_are_told_apart_at_the_level(kind: str) -> None:
    assert not is_too_often(claimed(range(1, 101), KINDS[kind]), 100)


@slow
def test_sessions_that_count_as_questions_tell_equal_systems_apart() -> None:
    """The negative control: what the tests above must refuse."""
    assert is_too_often(claimed(range(1, 81), MANY, by_session=True), 80)
