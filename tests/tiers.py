"""The two tiers of tests: `make test` leaves out those that are marked slow."""

import os
from collections.abc import Collection, Iterable
from typing import Any

import pytest

slow = pytest.mark.slow
# Tests that draw examples, as those of hypothesis do, and more of them in the slow tier.
drawn = pytest.mark.drawn
# The slow tier draws all examples, and repeats the tests of the fast one that draw some.
DRAWS_ALL = os.environ.get("PRUM_EXAMPLES") == "all"


def examples(number: int) -> int:
    """Return how many of so many examples are drawn: all in the slow tier, else a sixteenth."""
    return number if DRAWS_ALL else max(3, number // 16)


def spread(step: int, values: Iterable[Any]) -> list[Any]:
    """Return values of a parameter, of which the first of each `step` is fast and the rest slow.

    Let `step` have no divisor in common with the period of the values, that the fast ones hold a
    bit of every kind.
    """
    return [
        pytest.param(value, marks=slow) if number % step else value
        for number, value in enumerate(values)
    ]


def spread_rows(step: int, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return rows of several parameters, spread in the same way."""
    return [
        pytest.param(*row, marks=slow) if number % step else row for number, row in enumerate(rows)
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
