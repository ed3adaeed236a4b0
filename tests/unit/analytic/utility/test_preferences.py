"""Preference judgements: Kendall's tau with its constant."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from prum.analytic.utility.diversity import preference_utility
from prum.analytic.utility.laws import StoppingLaw
from prum.simulator.model import InputError


@pytest.mark.parametrize("seed", range(5))
def test_kendalls_tau(seed: int) -> None:
    """E = (n - 1) (tau + 1) / 4; where discordant pairs count -1, E = (n - 1) tau / 2."""
    n = 9
    worth = np.random.default_rng(seed).permutation(n)
    tau = kendalltau(-worth, np.arange(n)).statistic
    uniform = StoppingLaw.of(np.full(n, 1 / n))
    concordant = (worth[:, None] > worth).astype(float)
    for itself in (True, False):
        found = preference_utility(uniform, concordant, sample="all", itself=itself)
        assert 4 * found / (n - 1) - 1 == pytest.approx(tau)
        signed = np.sign(worth[:, None] - worth)
        net = preference_utility(uniform, signed, sample="all", itself=itself)
        assert net == pytest.approx((n - 1) / 2 * tau)
    later = StoppingLaw.of(np.append(0, np.full(n - 1, 1 / (n - 1))))
    found = preference_utility(later, concordant, sample="one", itself=False)
    # tau_AP: of those above each, how many are above it by the reference.
    above = [(worth[:i] > worth[i]).mean() for i in range(1, n)]
    assert found == pytest.approx(np.mean(above))


@pytest.mark.parametrize(
    ("preferred", "sample", "told"),
    [
        ([[1, 0]], "one", "preferred is (1, 2), must have shape (2, 2) or (2, 3)"),
        ([[1, 0], [np.nan, 0]], "one", "ranks 2 and 1: preferred is nan, must be finite"),
        ([[1, 0], [0, 0]], "two", "sample is 'two', must be one or all"),
    ],
)
def test_bad_input(preferred: object, sample: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        preference_utility(StoppingLaw.of([0.5, 0.5]), preferred, sample=sample)
    assert told in str(caught.value)
