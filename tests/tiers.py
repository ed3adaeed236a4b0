"""The two tiers of tests: `make test` leaves out those that are marked slow."""

import os
from collections.abc import Collection, Iterable
from typing import Any

import pytest

slow = pytest.mark.slow


def examples(number: int) -> int:
    """Return how many of so many examples hypothesis draws: all in CI, elsewhere a quarter."""
    return number if os.environ.get("CI") else max(15, number // 4)


def spread(step: int, values: Iterable[Any]) -> list[Any]:
    """Return values of a parameter, of which the first of each `step` is fast and the rest slow.

    Let `step` have no divisor in common with the period of the values, that the fast ones hold a
    bit of every kind.
    """
    return [
        pytest.param(value, marks=slow) if number % step else value
        for number, value in enumerate(values)
    ]


def spread_random(step: int, names: Iterable[str], large: Collection[str] = ()) -> list[Any]:
    """Return names of cases: those made by hand are fast unless `large`, random ones spread."""
    names = list(names)
    at_random = [name for name in names if name.startswith("random")]
    by_hand = [
        pytest.param(name, marks=slow) if name in large else name
        for name in names
        if name not in at_random
    ]
    return by_hand + spread(step, at_random)
