"""ADM from samples of judged documents, by enumeration."""

from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.analytic.adm import adm, sampled_adm
from tests.unit.analytic.adm.test_distance import estimates

Floats = NDArray[np.float64]

RISING = np.array([0.1, 0.2, 0.3, 0.6, 0.5, 0.9, 0.7, 0.8])


def judged(ure: Floats, chosen: tuple[int, ...]) -> Floats:
    """Return URE of some documents, nan of the others."""
    return np.where(np.isin(np.arange(len(ure)), chosen), ure, np.nan)


@pytest.mark.parametrize(
    ("sre", "bounds", "drawn", "size"),
    [(estimates(3, 7)[0], [], [3], 10), (RISING, [0.4], [2, 3], 11), (RISING, [0.5], [3, 5], None)],
)
def test_estimates_are_unbiased_by_enumeration(
    sre: Floats, bounds: list[float], drawn: list[int], size: int | None
) -> None:
    """Mean and variance of the estimate, and the mean of its estimated variance."""
    ure = estimates(2, len(sre))[1]
    strata = np.digitize(sre, bounds)
    ways = (combinations(np.flatnonzero(strata == h), m) for h, m in enumerate(drawn))
    samples = [judged(ure, sum(way, ())) for way in product(*ways)]
    each = [sampled_adm(sre, sample, bounds, size=size) for sample in samples]
    values, errors = (
        np.array(column) for column in zip(*((x.adm, x.error) for x in each), strict=True)
    )
    assert values.mean() == pytest.approx(adm(sre, ure, size=size))
    assert (errors**2).mean() == pytest.approx(values.var())


def test_all_judged_is_certain_and_one_document_does_not_tell() -> None:
    sre, ure = estimates(0)
    everything = sampled_adm(sre, ure, [0.5])
    assert (everything.adm, everything.error) == (pytest.approx(adm(sre, ure)), 0)
    assert np.isnan(sampled_adm([0.1, 0.2, 0.9], [0.5, np.nan, 0.5], [0.5]).error)
