"""Time-biased gain by hand, and over all patterns of clicks."""

import itertools
import math

import numpy as np
import pytest

from prum.analytic.utility.time_biased import time_biased_gain
from prum.simulator.model import InputError


def test_time_biased_gain_by_hand() -> None:
    answer = time_biased_gain([1, 0, 1], [100, 1000, 7])
    first = 4.4 + 0.64 * (1.8 + 7.8)
    second = first + 4.4 + 0.39 * (18 + 7.8)
    assert answer.seconds == pytest.approx([0, first, second])
    gain = 0.64 * 0.77
    assert answer.value == pytest.approx(gain * (1 + 2 ** (-second / 224)))


@pytest.mark.parametrize("m", [1, 2, 6])
def test_the_exact_gain_is_the_mean_over_all_patterns_of_clicks(m: int) -> None:
    rng = np.random.default_rng(m)
    relevance, words = rng.integers(0, 2, m), rng.integers(50, 3000, m)
    expected = 0.0
    for clicks in itertools.product((0, 1), repeat=m):
        probability, time, gain = 1.0, 0.0, 0.0
        for k, clicked in enumerate(clicks):
            p = 0.64 if relevance[k] else 0.39
            probability *= p if clicked else 1 - p
            gain += clicked * relevance[k] * 0.77 * math.exp(-time * math.log(2) / 224)
            time += 4.4 + clicked * (0.018 * words[k] + 7.8)
        expected += probability * gain
    answer = time_biased_gain(relevance, words)
    assert answer.exact == pytest.approx(expected)
    assert (answer.expected_decay >= answer.decay - 1e-15).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"relevance": [2]}, "relevance is"),
        ({"relevance": [[1]]}, "relevance is"),
        ({"words": [1, 2]}, "words is"),
        ({"words": -1}, "words is -1"),
        ({"words": math.inf}, "words is inf"),
        ({"half_life": 0}, "half_life is 0"),
        ({"click": (0.5, 1.5)}, "click is 1.5"),
        ({"save": -0.5}, "save is -0.5"),
        ({"judge": -1}, "judge is -1"),
    ],
)
def test_gains_that_are_none_are_refused(change, message: str) -> None:
    with pytest.raises(InputError, match=message):
        time_biased_gain(**{"relevance": [1], "words": 100} | change)
