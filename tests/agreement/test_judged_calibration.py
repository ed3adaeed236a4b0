"""What is said of made collections, judged by a judge that errs, is right at its rate.

More worlds, and the figures of docs/statistics.md: `tests.reliability.judged`.
"""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.reliability.judged import KINDS, covered, ordered
from tests.tiers import slow

LEVEL = 1e-3


def held(num: int, *how: Any, seed: int = 1) -> Any:
    """Return of so many worlds how many intervals of each kind hold, for AP and P@10."""
    return np.sum([covered(world, *how) for world in range(seed, seed + num)], axis=0)


def is_as_promised(counts: Any, num: int) -> Any:
    """Return which counts are not too small for intervals of 95 %."""
    return stats.binom.cdf(counts, num, 0.95) > LEVEL / counts.size


@slow
def test_intervals_of_a_few_worlds_hold_the_truth() -> None:
    assert is_as_promised(held(4), 4).all()


@slow
def test_lists_that_know_more_than_the_judge_score_better_than_is_expected() -> None:
    assert not is_as_promised(held(4, None, "more"), 4).all()


@slow
def test_intervals_hold_the_truth_where_errors_go_together() -> None:
    assert is_as_promised(held(40), 40).all()


@slow
def test_intervals_are_too_narrow_if_errors_count_as_independent() -> None:
    counts = held(25, "independent")
    assert (counts[0] / 25 < 0.9).all()


@slow
@pytest.mark.parametrize("kind", KINDS)
def test_new_labels_of_a_judge_order_systems_as_is_said(kind: str) -> None:
    found = np.array([ordered(world, kind) for world in range(1, 9)])
    good, inside, same = found.T
    assert is_as_promised(inside.sum(), 8)
    assert stats.binom.sf((good & ~same).sum() - 1, max(good.sum(), 1), 0.05) > LEVEL
    # Careful judges are told from poor ones.
    assert kind == "fair" or (good.mean() > 0.5) == (kind == "careful")
