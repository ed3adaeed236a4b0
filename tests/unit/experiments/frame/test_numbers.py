"""Numbers in sentences."""

import numpy as np
import pytest

from prum.experiments.frame.numbers import number


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 1e3])
def test_a_bound_is_rounded_up_and_by_less_than_a_tenth(size: float) -> None:
    for x in [0.0201, 0.0299, 0.1, 0.99, 0.0999, *np.random.default_rng(1).random(500).tolist()]:
        told = float(number(x * size, up=True))
        assert x * size <= told <= 1.1 * x * size * (1 + 1e-9), x * size
