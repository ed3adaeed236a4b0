"""Summaries of logs: counted one by one, memory found where it was put."""

import numpy as np
import pytest

from prum.experiments.logs import LogSummary, Sessions

LOG = [["a", "b", "<", "c", "d", "<", "<", "b"], ["b"], ["c", "d", "c", "d"], ["d", "d"]]


def test_each_number_is_that_of_counting() -> None:
    log = LogSummary.of(Sessions.of(LOG, persons=["ann", "bo", "ann", None]))
    assert (log.num_sessions, log.num_persons, log.num_elements) == (4, 2, 4)
    assert (log.num_visits, log.num_entries, log.num_moves, log.num_backs) == (15, 4, 8, 3)
    # b again in the first, c and d again in the third, d again in the last.
    assert log.num_revisits == 4
    assert (log.length.mean, log.length.median, log.length.largest) == (15 / 4, 2, 8)
    assert (log.depth.mean, log.depth.median, log.depth.largest) == (6 / 4, 1, 3)


def test_several_paths_of_a_session_begin_at_the_top() -> None:
    one = Sessions.of([["a", "b", "c", "a", "b"]])
    entries = np.array([True, False, False, True, False])
    two = Sessions(
        one.elements, one.element, one.starts, entries, one.is_back, (), one.person, one.is_cut
    )
    log = LogSummary.of(two)
    assert (log.num_entries, log.num_moves, log.depth.largest, log.num_revisits) == (2, 3, 2, 2)


@pytest.mark.parametrize("faithful", [0.0, 0.5, 0.9])
def test_memory_is_found_where_there_is_some(faithful: float) -> None:
    """People move on as they came, w -> hub -> w, with probability `faithful`, else alike."""
    rng = np.random.default_rng(1)
    doors = [f"door {number}" for number in range(8)]
    sessions = []
    for _ in range(4000):
        came = int(rng.integers(8))
        goes = came if rng.random() < faithful else int(rng.integers(8))
        sessions.append(["start", doors[came], "hub", doors[goes]])
    log = LogSummary.of(Sessions.of(sessions))
    again = faithful + (1 - faithful) / 8
    entropy = -again * np.log(again) - (1 - again) * np.log((1 - again) / 7)
    # Half of the moves with an element before are from a door, where there is no choice.
    assert log.memory == pytest.approx((np.log(8) - entropy) / 2, abs=0.01)
    assert (log.memory > 0.02) == (faithful > 0)


def test_an_empty_log_has_no_memory() -> None:
    log = LogSummary.of(Sessions.of([["a"]]))
    assert (log.memory, log.remembered, log.depth.largest) == (0.0, 0.0, 0)
