"""What users regret who trust the estimates shown, by quadrature."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from prum.analytic.adm.measures import (
    adm,
    adm_deviation,
)
from prum.analytic.adm.regret import expected_regret
from tests.unit.analytic.adm.test_distance import Floats, estimates

# --- regret -------------------------------------------------------------------------------------


def reach_of(seed: int, n: int = 12) -> Floats:
    rng = np.random.default_rng([92, seed])
    return np.where(rng.random((n, n)) < 0.3, rng.random((n, n)), 0)


def by_hand(sre: Floats, ure: Floats, reach: Floats, loss: str, tau: float) -> float:
    total = 0.0
    for d in range(len(sre)):
        unseen = 1.0
        for x in range(len(sre)):
            if sre[x] >= tau:
                unseen *= 0 if x == d else 1 - reach[x, d]
        wrong = unseen if ure[d] >= tau else 1 - unseen
        total += wrong * (abs(ure[d] - tau) if loss == "distance" else 1)
    return total / len(sre)


@pytest.mark.parametrize("size", [None, 40])
@pytest.mark.parametrize("seed", range(6))
def test_regret_is_what_adm_lacks(seed: int, size: int | None) -> None:
    sre, ure = estimates(seed)
    assert expected_regret(sre, ure, size=size) == pytest.approx(1 - adm(sre, ure, size=size))
    found = expected_regret(sre, ure, loss="distance", size=size)
    assert found == pytest.approx((1 - adm_deviation(sre, ure, size=size)) ** 2 / 2)


@pytest.mark.parametrize("loss", ["decision", "distance"])
@pytest.mark.parametrize("seed", range(6))
def test_regret_by_quadrature(seed: int, loss: Any) -> None:
    (sre, ure), reach = estimates(seed), reach_of(seed)
    ends = np.unique(np.concatenate(([0, 1], sre, ure)))
    # Linear between the ends: three points are more than enough.
    total = 0.0
    for low, high in pairwise(ends):
        nodes, weights = np.polynomial.legendre.leggauss(3)
        points = low + (high - low) * (nodes + 1) / 2
        values = [by_hand(sre, ure, reach, loss, point) for point in points]
        total += (high - low) / 2 * float(weights @ values)
    assert expected_regret(sre, ure, reach=reach, loss=loss) == pytest.approx(total)
    scattered = sparse.coo_array(reach)
    assert expected_regret(sre, ure, reach=scattered, loss=loss) == pytest.approx(total)


@pytest.mark.parametrize("loss", ["decision", "distance"])
@pytest.mark.parametrize("tau", [0, 0.25, 0.3, 0.5, 1])
@pytest.mark.parametrize("seed", range(4))
def test_regret_at_a_threshold(seed: int, tau: float, loss: Any) -> None:
    (sre, ure), reach = estimates(seed), reach_of(seed)
    found = expected_regret(sre, ure, reach=reach, loss=loss, tau=tau)
    assert found == pytest.approx(by_hand(sre, ure, reach, loss, tau))
