"""Calibration: the strength at which a system reaches its target score."""

from collections.abc import Callable
from dataclasses import dataclass

from prum.simulator.generation.dials import Target
from prum.simulator.model import InputError

# Strengths are multiples of this: the same number on every machine.
_STEP = 2.0**-12
_LEAST, _MOST = -20.0, 20.0
_FIRST, _WIDTH = 2.0, 1.0


@dataclass(frozen=True, slots=True)
class Reached:
    """A strength, and the mean score that it reaches."""

    strength: float
    mean: float


def calibrated(
    name: str, target: Target, value: float, mean_at: Callable[[float], float]
) -> Reached:
    """Return a strength at which the mean is `value`, up to the tolerance.

    By false position (the Illinois variant) between strengths of -20 and 20, beginning around 2;
    the mean grows with strength, except for steps where elements of a list change places.

    Raises
    ------
    InputError
        if no strength reaches the value, or it lies between two steps of the mean; with the closest
        mean.

    >>> target = Target(measure="AP", value=0.5, tolerance=0.01)
    >>> calibrated("s", target, 0.5, lambda strength: strength / 10)
    Reached(strength=5.0, mean=0.5)
    """
    tried: dict[float, float] = {}

    def at(strength: float) -> float:
        if strength not in tried:
            tried[strength] = mean_at(strength)
        return tried[strength]

    def close() -> Reached | None:
        strength = min(tried, key=lambda strength: (abs(tried[strength] - value), strength))
        near = abs(tried[strength] - value) <= target.tolerance
        return Reached(strength, tried[strength]) if near else None

    low = high = _FIRST
    width = _WIDTH
    at(_FIRST)
    while at(low) > value and low > _LEAST:
        high, low, width = low, max(low - width, _LEAST), 2 * width
    while at(high) < value and high < _MOST:
        low, high, width = high, min(high + width, _MOST), 2 * width
    below, above, moved = at(low) - value, at(high) - value, 0
    while (pair := close()) is None:
        if below > 0 or above < 0 or high - low <= _STEP:
            raise _not_reached(name, target, value, tried)
        middle = low + (high - low) * below / (below - above) if below < above else low
        middle = round(middle / _STEP) * _STEP
        if not low < middle < high:
            middle = round((low + high) / 2 / _STEP) * _STEP
        there = at(middle) - value
        # An end that stays twice counts half, since otherwise it would stay for ever.
        if there < 0:
            above, moved = above / 2 if moved < 0 else above, -1
            low, below = middle, there
        else:
            below, moved = below / 2 if moved > 0 else below, 1
            high, above = middle, there
    return pair


def _not_reached(name: str, target: Target, value: float, tried: dict[float, float]) -> InputError:
    closest = min(tried.values(), key=lambda mean: abs(mean - value))
    return InputError(
        f"target of system {name}",
        value,
        f"be a mean {target.measure} it can reach within {target.tolerance:g}, with these topics "
        f"and its other dials: from {min(tried.values()):.4f} to {max(tried.values()):.4f}",
        remedy=f"ask for {closest:.9g}, the closest, or allow more tolerance",
    )
