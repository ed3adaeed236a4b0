"""The probabilities that PRUM is derived from: digits, dials, and bad input.

They are enumerated in test_forms.
"""

import numpy as np
import pytest

from prum.analytic import closed_form, found_pmf, new_probability, precision_parts
from prum.simulator import InputError
from tests.samples import random_browsing

TOLERANCE = 1e-12
# P(any false alarm in a test of this file), whatever the seed.
FAMILY_WISE = 1e-6


@pytest.mark.parametrize("left", [1e-3, 1e-6, 1e-9, 1e-12])
def test_what_hardly_anybody_has_not_seen_keeps_its_digits(left: float) -> None:
    """Two ranks show both ideals but for `left` squared each; whoever missed s - 1 tosses coins."""
    almost = 1 - left
    reach = [[almost, almost], [almost, almost], [0.5, 0.5]]
    law = found_pmf(reach)[2]
    unseen = (1 - almost) ** 2
    np.testing.assert_allclose(law[:2], [unseen**2, 2 * unseen * (1 - unseen)], rtol=1e-12)
    np.testing.assert_allclose(new_probability(reach, of="exact")[2], [0.75, 0.5, 0], rtol=1e-12)
    # q_x = P(x at rank 3 first, nothing else seen) / P(F = 1) = 1/4 of each ideal.
    np.testing.assert_allclose(new_probability(reach)[2], [0.75, 7 / 16, 0], rtol=1e-12)


# --- dials, and bad input ---------------------------------------------------------------------


@pytest.mark.parametrize("dial", ["types", "beta", "need", "fading", "satiation", "unranked"])
def test_parts_sum_to_the_value_of_every_dial(dial: str) -> None:
    for seed in range(4):
        case = random_browsing(np.random.default_rng([seed, 9]), "independent", (dial,))
        result = closed_form(*case)
        assert result is not None
        assert result.parts is not None
        a, b, c, d = result.parts
        np.testing.assert_allclose(a + b, result.leading, rtol=TOLERANCE)
        np.testing.assert_allclose(c + d, result.consulted, rtol=TOLERANCE)


def test_bad_input() -> None:
    law = found_pmf([[0.5, 0.5]])
    new = new_probability([[0.5, 0.5]])
    for call, message in (
        (lambda: found_pmf([[0.5]], unseen=1), "unseen is 1, must be a whole number from 0 to 0"),
        (lambda: new_probability([[0.5]], of="noisy"), "of is 'noisy', must be one of"),  # type: ignore[arg-type]
        (lambda: precision_parts(law, new[:, :2], 2), r"shape of new is (1, 2), must be (1, 3)"),
        (lambda: precision_parts(law * 2, new, 2), "found[0] is 2.0, must lie in [0, 1]"),
        (lambda: precision_parts(law, new - 1, 2), "new[0] is -0.25, must lie in [0, 1]"),
        (lambda: precision_parts(law, new, 1), "unranked is 1, must be at least 2"),
        (lambda: precision_parts([[1.0]], new, 1), "shape of found is (1, 1), must have a row"),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value).startswith(message)
