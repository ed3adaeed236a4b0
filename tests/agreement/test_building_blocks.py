"""The probabilities that PRUM is derived from: of users who are simulated, dials, and bad input.

They are enumerated in test_forms.
"""

import numpy as np
import pytest
from scipy.stats import norm

from prum.analytic import closed_form, found_pmf, new_probability, precision_parts
from prum.simulator import InputError, Task
from prum.simulator.model import Navigation
from prum.simulator.sampling.ways.samplers import compiled
from tests.agreement.test_forms import TABLES
from tests.samples import Floats, random_browsing
from tests.tiers import spread
from tests.twins.drawing import drawn

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


# --- simulated users --------------------------------------------------------------------------

USERS = 40_000


def _off(reach: Floats, task: Task, navigation: Navigation, level: float) -> int:
    """Return how many of P(F_i >= r) are refuted by users, who have C(r) <= i then."""
    block = compiled(task, navigation).block(8, 0, sampled=True)
    consulted, _ = drawn(block, [USERS], task.num_ideals)
    at_least = 1 - np.cumsum(found_pmf(reach), axis=1)[:, :-1]
    refuted = 0
    for i in range(1, task.num_ranked + 1):
        for r in range(1, task.num_ideals + 1):
            share = float((consulted[:, r - 1] <= i).mean())
            p = float(np.clip(at_least[i, r - 1], 0, 1))
            error = (p * (1 - p) / USERS) ** 0.5
            far = norm.isf(level / 2 / at_least.size) * error + (
                1 / USERS if p not in (0, 1) else TOLERANCE
            )
            refuted += abs(share - p) > far
    return refuted


@pytest.mark.parametrize("name", spread(6, [name for name in TABLES if "0" not in name][:40]))
def test_users_find_so_many(name: str) -> None:
    case = TABLES[name]
    assert _off(case.reach, case.task, case.navigation, FAMILY_WISE) == 0


def test_users_refute_other_links() -> None:
    """Negative control: links that are followed a tenth more often."""
    case = TABLES["table III"]
    assert _off(np.minimum(case.reach * 1.1, 1), case.task, case.navigation, FAMILY_WISE) > 0


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
