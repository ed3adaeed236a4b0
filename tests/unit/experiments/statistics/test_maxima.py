"""The largest t of a family: critical values, what can be resampled, and bits by threads."""

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from prum.experiments.statistics.maxima import (
    bonferroni_critical,
    critical_value,
    has_spread,
    least_topics,
    resampled,
)
from tests.tiers import slow
from tests.unit.experiments.statistics.families import LEVEL, all_pairs, made


def _wrong(largest: Any, level: float) -> float:
    """Take an order statistic too small."""
    return float(np.sort(largest)[-1 - int(np.ceil(level * (1 + len(largest))))])


@pytest.mark.parametrize(("value", "right"), [(critical_value, True), (_wrong, False)])
def test_the_critical_value_is_that_of_p(value: Callable[..., Any], right: bool) -> None:
    rng = np.random.default_rng(1)
    differs = 0
    for number in [1, 18, 19, 20, 99, 100]:
        largest = np.round(rng.gamma(3, size=number), 1)  # some are tied
        own = np.concatenate([largest, largest - 0.05, largest + 0.05])
        share = (1 + (largest >= own[:, None]).sum(axis=1)) / (1 + number)
        for level in (0.01, 0.05, 0.1, 0.5):
            try:
                critical = value(largest, level)
            except IndexError:
                continue
            differs += int(((share < level) != (own > critical)).sum())
    assert (differs == 0) == right


def by_loops(differences: Any, draws: int, seed: int) -> tuple[Any, Any]:
    """Return p and adjusted p: step down from the largest |t|, each beside those not yet taken."""
    pairs, num = differences.shape
    mean = differences.mean(axis=1)

    def t_of(values: Any) -> Any:
        return np.abs(values.mean(axis=1) / (values.std(axis=1, ddof=1) / num**0.5))

    own = t_of(differences)
    t = [
        t_of(np.repeat(differences - mean[:, None], counts, axis=1))
        for counts in np.random.default_rng(seed).multinomial(num, np.full(num, 1 / num), draws)
    ]
    drawn = np.array(t)
    p = (1 + (drawn >= own).sum(axis=0)) / (1 + draws)
    adjusted, left, least = np.empty(pairs), list(range(pairs)), 0.0
    while left:
        best = max(left, key=lambda pair: own[pair])
        reached = (drawn[:, left].max(axis=1) >= own[best]).sum()
        least = adjusted[best] = max(least, (1 + reached) / (1 + draws))
        left.remove(best)
    return p, adjusted


@pytest.mark.parametrize("apart", [0.0, 0.6])
def test_resamples_are_stepped_down_as_by_loops(apart: float) -> None:
    values, pairs = made(4, 9, 6, apart), all_pairs(4)
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    found = resampled(differences, 199, LEVEL, np.random.default_rng(3))
    p, adjusted = by_loops(differences, 199, 3)
    assert found.p == pytest.approx(p)
    assert found.adjusted == pytest.approx(adjusted)
    own = np.abs(differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / 3))
    # Who exceeds the critical value of all pairs is shown, and stepping down shows no fewer.
    assert ((found.adjusted < LEVEL) >= (own > found.critical)).all()
    assert (own.max() > found.critical) == (found.adjusted.min() < LEVEL)


@pytest.mark.parametrize("alike", [1, 2, 3, 4])
def test_what_cannot_be_resampled_is_lost_with_a_chance_that_is_counted(alike: int) -> None:
    """Of 5 topics, enumerated: all 5 drawn have one difference."""
    values = np.array([0.0] * alike + list(np.arange(5.0 - alike) + 1))
    draws = product(values.tolist(), repeat=5)
    chance = sum(len(set(drawn)) == 1 for drawn in draws) / 5**5
    for level in (10 * chance * 1.001, 10 * chance * 0.999):
        assert bool(has_spread(values[None], level)[0]) == (level > 10 * chance)


def test_the_least_topics_are_those_that_can_be_resampled_or_flipped() -> None:
    for pairs, level in product([1, 3, 10, 45], [0.001, 0.05, 0.3]):
        least = least_topics(pairs, level)
        for num in range(2, 12):
            distinct = np.tile(np.arange(float(num)), (pairs, 1))
            by_signs = pairs * 2.0 ** (1 - num) < level
            assert (has_spread(distinct, level).all() or by_signs) == (num >= least)


def test_bonferronis_value_is_that_of_student() -> None:
    assert bonferroni_critical(1, 14, LEVEL) == pytest.approx(2.1604, abs=1e-4)
    assert bonferroni_critical(5, 14, LEVEL) == bonferroni_critical(1, 14, LEVEL / 5)


@slow
def test_results_do_not_depend_on_threads() -> None:
    code = (
        "import numpy as np; from prum.experiments.statistics import compared;"
        "values = np.random.default_rng(1).normal(size=(80, 30));"
        "pairs = np.array(np.triu_indices(80, 1)).T;"
        "print(compared(values, pairs, draws=199).adjusted.tobytes().hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(outputs) == 1


def test_resampled_pairs_need_no_scipy() -> None:
    """To load it takes longer than to compare a few runs."""
    code = (
        "import sys; import numpy as np; from prum.experiments.statistics import compared;"
        "values = np.random.default_rng(1).normal(size=(3, 30));"
        "compared(values, np.array([[0, 1], [0, 2], [1, 2]]));"
        "assert not [name for name in sys.modules if name.startswith('scipy')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
