"""A pattern search over a few dials: steps along one dial at a time, halved where none helps."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True, slots=True)
class Dial:
    """A dial to search: its path, its ends, its scale, whether it is whole, and its default.

    Parameters
    ----------
    needs
        The search leaves it alone unless data tell one of these statistics.
    """

    path: str
    low: float
    high: float
    default: float
    needs: tuple[str, ...]
    scale: Literal["linear", "log"] = "linear"
    whole: bool = False

    def place(self, value: float) -> float:
        """Return where a value lies between the ends, 0 to 1."""
        low, high, value = map(self._on_scale, (self.low, self.high, value))
        return float(np.clip((value - low) / (high - low), 0, 1))

    def value(self, place: float) -> float:
        """Return the value at a place, with four digits behind the point or none."""
        low, high = self._on_scale(self.low), self._on_scale(self.high)
        value = low + (high - low) * place
        value = math.exp(value) if self.scale == "log" else value
        return round(value) if self.whole else round(value, 4)

    def _on_scale(self, value: float) -> float:
        return math.log(max(value, 1e-300)) if self.scale == "log" else value


def pattern_search(
    loss: Callable[[tuple[float, ...]], float],
    dials: Sequence[Dial],
    start: Sequence[float],
    *,
    budget: int,
    step: float = 0.2,
    least_step: float = 0.01,
    progress: Callable[[float], object] = lambda _: None,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the best values of some dials, of `budget` that are tried, and all losses in turn.

    From the start one dial after the other is moved by a step, first to the side that helped
    last, and stays where the loss became less. A round without success halves the step. `loss`
    has to be the same each time: give it one seed.

    >>> x = Dial("x", 0, 1, 0.5, ())
    >>> best, losses = pattern_search(lambda v: (v[0] - 0.7) ** 2, [x], [0.2], budget=40)
    >>> best
    (0.7,)
    """
    tried: dict[tuple[float, ...], float] = {}

    def values_at(places: Sequence[float]) -> tuple[float, ...]:
        return tuple(dial.value(place) for dial, place in zip(dials, places, strict=True))

    def at(places: Sequence[float]) -> float:
        values = values_at(places)
        if values not in tried:
            tried[values] = loss(values)
            progress(len(tried) / budget)
        return tried[values]

    here = [dial.place(value) for dial, value in zip(dials, start, strict=True)]
    best = at(here)
    sides = [1] * len(dials)
    while step >= least_step and len(tried) < budget and dials:
        better = False
        for number in range(len(dials)):
            for side in (sides[number], -sides[number]):
                moved = list(here)
                moved[number] = min(1.0, max(0.0, here[number] + side * step))
                if len(tried) >= budget or moved == here:
                    continue
                if (reached := at(moved)) < best:
                    here, best, sides[number], better = moved, reached, side, True
                    break
        if not better:
            step /= 2
    return values_at(here), tuple(tried.values())
