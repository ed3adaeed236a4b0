"""From the steps of walks to P(x -> y)."""

from collections import defaultdict

import pytest

from prum.experiments.fitting.fitted import reached
from prum.simulator.model import Links


def test_a_walk_gets_where_its_steps_lead() -> None:
    steps = {
        ("a", "b"): 0.3,
        ("a", "c"): 0.5,
        ("b", "c"): 0.4,
        ("b", "y"): 0.5,
        ("c", "a"): 0.2,
        ("c", "y"): 0.1,
        ("y", "z"): 0.9,
    }

    def hits(x: str, y: str, moves: int = 60) -> float:
        """The chance to be at y within some moves, by one step after the other."""
        at, arrived = {x: 1.0}, 0.0
        for _ in range(moves):
            then: dict[str, float] = defaultdict(float)
            for (source, target), p in steps.items():
                then[target] += at.get(source, 0.0) * p
            arrived += then.pop(y, 0.0)
            at = then
        return arrived

    found = reached(Links(steps), ["a", "b", "c", "y", "d"], ["y", "z"])
    told = {(x, y): p for x, y, p in found}
    assert set(told) == {("a", "y"), ("b", "y"), ("c", "y"), *((x, "z") for x in "abcy")}
    assert told == pytest.approx({pair: hits(*pair) for pair in told})
