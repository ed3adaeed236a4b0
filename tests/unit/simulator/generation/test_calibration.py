"""The search for a strength: functions of all shapes, within the tolerance or refused rightly."""

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from prum.experiments.generate.truth import Reached, calibrated
from prum.simulator.generation.dials import Target
from prum.simulator.model import InputError

Mean = Callable[[float], float]


def logistic(strength: float) -> float:
    return 1 / (1 + math.exp(-strength))


class Searched:
    """A search, and what it tried."""

    def __init__(self, mean_at: Mean, value: float, tolerance: float = 0.005) -> None:
        self.tried: dict[float, float] = {}
        self.value, self.tolerance, self._mean_at = value, tolerance, mean_at

    def _at(self, strength: float) -> float:
        assert strength not in self.tried, "tried twice"
        self.tried[strength] = self._mean_at(strength)
        return self.tried[strength]

    def _run(self) -> Reached:
        target = Target(measure="AP", value=(self.value, self.value), tolerance=self.tolerance)
        return calibrated("s", target, self.value, self._at)

    def reached(self) -> Reached:
        """Return what was found, which is what it says it is."""
        found = self._run()
        assert abs(found.mean - self.value) <= self.tolerance
        assert self.tried[found.strength] == found.mean
        assert min(abs(mean - self.value) for mean in self.tried.values()) == abs(
            found.mean - self.value
        )
        self._check()
        return found

    def refused(self) -> tuple[float, float, float]:
        """Return least, most and closest of what the refusal tells."""
        with pytest.raises(InputError) as caught:
            self._run()
        self._check()
        told = str(caught.value)
        assert told.startswith(f"target of system s is {self.value}, must be a mean AP")
        numbers = re.search(r"from ([\d.e-]+) to ([\d.e-]+); ask for ([\d.e-]+), the closest", told)
        assert numbers is not None
        least, most, closest = map(float, numbers.groups())
        assert least == pytest.approx(min(self.tried.values()), abs=5e-5)
        assert most == pytest.approx(max(self.tried.values()), abs=5e-5)
        distances = [abs(mean - self.value) for mean in self.tried.values()]
        assert abs(closest - self.value) == pytest.approx(min(distances), abs=1e-8)
        assert min(distances) > self.tolerance
        return least, most, closest

    def _check(self) -> None:
        assert all(-20 <= strength <= 20 for strength in self.tried)
        # The same number on every machine.
        assert all((strength * 4096).is_integer() for strength in self.tried)


@pytest.mark.parametrize("value", [0.001, 0.1, 0.5, 0.8808, 0.9, 0.999])
@pytest.mark.parametrize("tolerance", [0.05, 0.005, 0.0005])
def test_a_smooth_mean_is_reached_in_a_few_steps(value: float, tolerance: float) -> None:
    search = Searched(logistic, value, tolerance)
    search.reached()
    assert len(search.tried) <= 15


@pytest.mark.parametrize(
    ("mean_at", "value", "closest"),
    [
        (lambda _: 0.3, 0.5, 0.3),
        (lambda _: 0.3, 0.1, 0.3),
        (lambda strength: 0.4 * logistic(strength), 0.9, 0.4 * logistic(20)),
        (lambda strength: 0.2 + 0.5 * logistic(strength), 0.1, 0.2 + 0.5 * logistic(-20)),
        (lambda strength: float(strength > 13.37), 0.3, 0.0),
        (lambda strength: float(strength > -13.37), 0.7, 1.0),
        (lambda strength: float(strength > 19.9999), 0.6, 1.0),
    ],
)
def test_a_value_out_of_reach_is_refused_with_the_closest(
    mean_at: Mean, value: float, closest: float
) -> None:
    search = Searched(mean_at, value)
    assert search.refused()[2] == pytest.approx(closest, abs=1e-9)
    assert len(search.tried) <= 40


def test_stairs_of_random_heights_always_end_soon() -> None:
    draw = np.random.default_rng(1)
    outcomes = [0, 0]
    for _ in range(400):
        law = draw.uniform(-5, 8), draw.uniform(0.01, 4)
        places = np.sort(draw.normal(*law, draw.integers(200)))
        heights = draw.exponential(size=len(places)) ** 3
        levels = np.concatenate([[0], heights.cumsum() / max(heights.sum(), 1e-300)])

        def mean_at(strength: float, stairs: tuple[np.ndarray, ...] = (places, levels)) -> float:
            return float(stairs[1][np.searchsorted(stairs[0], strength)])

        value, tolerance = float(draw.uniform()), float(10 ** draw.uniform(-6, -1))
        search = Searched(mean_at, value, tolerance)
        try:
            search.reached()
            outcomes[0] += 1
            assert (abs(levels - value) <= tolerance).any()
        except InputError:
            outcomes[1] += 1
        assert len(search.tried) <= 60
    assert min(outcomes) > 40
