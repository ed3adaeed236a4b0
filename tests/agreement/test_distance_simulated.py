"""The closed form of ADM's sampling variance, against samples drawn; planted mistakes are found."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.analytic.adm import adm, sampling_variance
from prum.simulator.model import InputError
from prum.simulator.sampling.measured.judging import Judgings, simulate_judging

Floats = NDArray[np.float64]

# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-3
NUM_POPULATIONS = 4
# Ranges of SRE and how many documents to draw of each, of 40.
SCHEMES: dict[str, tuple[list[float], list[int]]] = {
    "random": ([], [12]),
    "strata": ([0.2, 0.5], [4, 4, 4]),
}
THRESHOLD = float(norm.isf(FAMILY_WISE / 2 / (2 * NUM_POPULATIONS * len(SCHEMES) + 2)))
SAMPLES = 40_000


def documents(seed: int, n: int = 40) -> tuple[Floats, Floats]:
    """Return estimates that agree more where SRE is low, as in a database of mostly irrelevant."""
    rng = np.random.default_rng([94, seed])
    sre = rng.beta(0.6, 1.5, size=n)
    ure = np.clip(sre + sre * rng.normal(0, 0.5, size=n), 0, 1)
    return (np.round(8 * sre) / 8, np.round(8 * ure) / 8) if seed % 2 else (sre, ure)


def drawn_samples(name: str, seed: int) -> tuple[Judgings, float]:
    """Return samples of documents, and what the variance is by its formula."""
    sre, ure = documents(seed)
    bounds, drawn = SCHEMES[name]
    strata = np.digitize(sre, bounds)
    judgings = simulate_judging(sre, ure, strata, drawn, num_samples=SAMPLES, seed=seed)
    return judgings, sampling_variance(sre, ure, drawn, bounds)


def z_of_variance(judgings: Judgings, variance: float) -> float:
    return abs(judgings.variance - variance) / judgings.variance_error


@pytest.mark.parametrize("seed", range(NUM_POPULATIONS))
@pytest.mark.parametrize("name", SCHEMES)
def test_samples(name: str, seed: int) -> None:
    judgings, variance = drawn_samples(name, seed)
    assert judgings.adm == pytest.approx(adm(*documents(seed)))
    assert abs(judgings.bias) < THRESHOLD * judgings.bias_error
    assert z_of_variance(judgings, variance) < THRESHOLD
    rms = np.hypot(judgings.bias, np.sqrt(judgings.variance))
    assert judgings.rms_error == pytest.approx(rms, rel=1e-3)


def test_planted_mistakes_are_found() -> None:
    judgings, variance = drawn_samples("random", 0)
    assert z_of_variance(judgings, variance / (1 - 12 / 40)) > THRESHOLD
    assert z_of_variance(drawn_samples("strata", 0)[0], variance) > THRESHOLD


def test_same_seed_same_numbers() -> None:
    same = [
        simulate_judging(*documents(0), [0] * 40, [5], num_samples=9, seed=seed).estimates.tolist()
        for seed in (1, 1, 2)
    ]
    assert same[0] == same[1] != same[2]


@pytest.mark.parametrize(
    ("ure", "settings", "message"),
    [
        ([0.5, 1], {}, "shape of SRE"),
        ([0.5], {"num_samples": 1}, "num_samples is 1"),
        ([0.5], {"seed": -1}, "seed"),
    ],
)
def test_bad_input(ure: list[float], settings: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate_judging([0.5], ure, [0], [1], **{"num_samples": 10, "seed": 1, **settings})
