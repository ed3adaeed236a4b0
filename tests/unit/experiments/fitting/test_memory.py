"""Walks of second order: memory is found where there is some, and only there."""

import numpy as np
import pytest

from prum.experiments.fitting import WalkEstimator
from prum.experiments.fitting.memory import Memory
from prum.experiments.logs import step_counts
from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import Links

NAMES = [f"e{number}" for number in range(8)]
LINKS = Links({(x, y): 1.0 for x in NAMES for y in NAMES if x != y})


def made(memory: float, num: int, seed: int) -> Sessions:
    """Return sessions; with probability `memory` people go on by the same stride as before."""
    rng = np.random.default_rng(seed)
    sessions = list[list[str]]()
    for _ in range(num):
        at, stride = int(rng.integers(8)), 0
        path = [at]
        while rng.random() < 0.8:
            stride = stride if stride and rng.random() < memory else int(rng.integers(1, 8))
            at = (at + stride) % 8
            path.append(at)
        sessions.append([NAMES[place] for place in path])
    return Sessions.of(sessions)


def test_planted_memory_is_found_and_predicts_what_was_held_out() -> None:
    learned, held_out = made(0.5, 1500, seed=1), made(0.5, 500, seed=2)
    first, second = (WalkEstimator(order, "uniform").fit(learned, LINKS) for order in (1, 2))
    assert second.memory is not None
    assert second.memory.gain > 500
    assert second.score(held_out) < first.score(held_out) - 0.1


def test_where_there_is_no_memory_none_is_believed_in() -> None:
    learned, held_out = made(0.0, 1500, seed=3), made(0.0, 500, seed=4)
    first, second = (WalkEstimator(order, "uniform").fit(learned, LINKS) for order in (1, 2))
    assert second.memory is not None
    assert second.memory.gain < 3
    assert second.score(held_out) == pytest.approx(first.score(held_out), abs=0.002)


def test_made_sessions_keep_the_memory_they_were_learned_with() -> None:
    learned = made(0.5, 3000, seed=5)
    second = WalkEstimator(2, "uniform").fit(learned, LINKS)
    again = WalkEstimator(2, "uniform").fit(second.simulate(3000, seed=6), LINKS)
    assert again.memory is not None
    assert second.memory is not None
    per_move = [walk.memory.gain / walk.counts.moves.sum() for walk in (second, again)]
    assert per_move[1] == pytest.approx(per_move[0], rel=0.2)


def test_without_end_memory_is_the_walk_of_first_order() -> None:
    walk = WalkEstimator(base="uniform").fit(made(0.5, 300, seed=7), LINKS)
    counts = step_counts([made(0.5, 300, seed=7)], LINKS, second_order=True)
    memory = Memory(counts, walk.shapes, np.inf)
    before, rows, _ = counts.after.T
    np.testing.assert_allclose(memory.shares(walk.shares, before, rows), walk.shares[rows])


def test_means_are_those_of_the_choices_of_others_and_of_ones_own() -> None:
    """(n + c m) / (N + c), where m is known from all who came to x from elsewhere."""
    sessions = made(0.5, 200, seed=8)
    walk = WalkEstimator(2, "uniform").fit(sessions, LINKS)
    memory, counts = walk.memory, walk.counts
    assert memory is not None
    w, x = 0, 1
    rows = np.flatnonzero(LINKS.sources == x)
    own = np.zeros(len(rows))
    for before, row, number in counts.after.tolist():
        if before == w and row in rows:
            own[row - rows[0]] = number
    others = walk.shapes[rows] - own
    k, whole = memory.concentration, others.sum()
    c = 1 / (1 / (k + 1) + k / (k + 1) / (whole + 1)) - 1
    mean = (own + c * others / whole) / (own.sum() + c)
    told = memory.shares(walk.shares, np.full(len(rows), w), rows)
    np.testing.assert_allclose(told, mean)
    assert told.sum() == pytest.approx(1)
