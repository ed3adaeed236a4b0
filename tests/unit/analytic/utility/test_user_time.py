"""Time to find ideals and time-biased gain, against plain enumeration and simulated users."""

import itertools
import math

import numpy as np
import pytest

from prum.analytic import exact
from prum.analytic.stopping.rules import stopped
from prum.analytic.utility.time_biased import session_time, time_biased_gain, time_to_find
from prum.simulator.model import Costs, Independent, InputError, ListCosts, Task, Walk
from prum.simulator.model.stopping import Found

JUDGE, MOVE = 4.0, 1.5


def enumerated(reach, own, u, read_ranked, read_ideals, read_unranked):
    """Return E[T(r)] and E[visits], r = 1 .. t, from every user and every order of what is left."""
    o, t = reach.shape
    seconds, gone = np.zeros(t), np.zeros(t)
    left = [y for y in range(t) if y not in own]
    orders = list(itertools.permutations([*left, *["other"] * (u - len(left))]))
    for visits in itertools.product((0, 1), repeat=o * t):
        shown = np.reshape(visits, (o, t))
        probability = float(np.where(shown, reach, 1 - reach).prod())
        if probability == 0:
            continue
        for order in orders:
            for r in range(1, t + 1):
                seen, time, moves = set(), 0.0, 0
                for i in range(o):
                    if len(seen) >= r:
                        break
                    time += JUDGE + read_ranked[i]
                    for y in np.flatnonzero(shown[i]):
                        seen.add(int(y))
                        if y != own[i]:
                            moves += 1
                            time += MOVE + read_ideals[y]
                for element in order:
                    if len(seen) >= r:
                        break
                    ideal = element != "other"
                    time += JUDGE + (read_ideals[element] if ideal else read_unranked)
                    seen |= {element} if ideal else set()
                seconds[r - 1] += probability * time / len(orders)
                gone[r - 1] += probability * moves / len(orders)
    return seconds, gone


@pytest.mark.parametrize(
    ("reach", "own", "u"),
    [
        ([[0.3, 0.6], [1.0, 0.4]], [-1, 0], 3),
        ([[0.4, 0.4], [0.6, 0.4], [1, 0], [0.2, 1]], [-1, -1, 0, 1], 1),
        ([[0.3, 0.5, 0.0], [0.2, 1.0, 0.7], [0.0, 0.0, 0.0]], [-1, 1, -1], 4),
        ([[1.0, 0.5]], [-1], 3),  # surely seen by browsing, and still among the others
    ],
)
def test_expected_time_is_that_of_all_users_together(reach, own, u) -> None:
    reach = np.array(reach, dtype=float)
    rng = np.random.default_rng(u)
    read_ranked, read_ideals = rng.random(len(reach)) * 9, rng.random(reach.shape[1]) * 9
    answer = time_to_find(
        reach,
        u,
        own,
        judge=JUDGE,
        move=MOVE,
        read_ranked=read_ranked,
        read_ideals=read_ideals,
        read_unranked=2.5,
    )
    seconds, visits = enumerated(reach, own, u, read_ranked, read_ideals, 2.5)
    assert answer.seconds == pytest.approx(seconds)
    assert answer.visits == pytest.approx(visits)


def test_time_is_what_ranks_cost() -> None:
    """With what users spend at a rank, visits included, as its cost; behind the list all alike."""
    rng = np.random.default_rng(4)
    reach, read_ranked, read_ideals = rng.random((9, 4)) * 0.2, rng.random(9) * 9, rng.random(4)
    spent = ListCosts(2 + read_ranked + reach @ (1 + read_ideals), 7, unit="seconds")
    wanted = exact(reach, 30, costs=spent).consulted
    answer = time_to_find(
        reach,
        30,
        [-1] * 9,
        judge=2,
        move=1,
        read_ranked=read_ranked,
        read_ideals=read_ideals,
        read_unranked=5,
    )
    # The ideals behind the list are read in their own time, others in theirs.
    same = time_to_find(
        reach,
        30,
        [-1] * 9,
        judge=2,
        move=0,
        read_unranked=5,
        read_ideals=5,
        read_ranked=read_ranked + reach @ (1 + read_ideals) - 5 * reach.sum(axis=1),
    )
    assert same.seconds == pytest.approx(wanted)
    assert (answer.seconds < wanted).all()


def test_session_time_takes_no_dependent_visits() -> None:
    task = Task(["c", "a"], ["a"], 3)
    with pytest.raises(InputError, match=r"navigation is .*Walk.*, must be Independent"):
        session_time(task, Walk({("c", "a"): 0.5}), Costs.unit())  # type: ignore[arg-type]
    counted = session_time(task, Independent({("c", "a"): 0.5}), Costs.unit()).seconds
    assert counted.tolist() == [1.5]


@pytest.mark.parametrize("r", [1, 3])
def test_visits_are_those_from_the_ranks_that_users_get_to(r: int) -> None:
    reach = np.random.default_rng(2).random((9, 4)) * 0.2
    answer = time_to_find(reach, 9, [-1] * 9, judge=0, read_ranked=0, read_ideals=0, move=1)
    reaching = stopped(reach, 9, Found(r)).reaching
    assert answer.visits[r - 1] == pytest.approx(float(reaching[:9] @ reach.sum(axis=1)))
    assert answer.seconds == pytest.approx(answer.visits)


def test_nothing_that_takes_time_is_infinitely_fast() -> None:
    free = time_to_find([[1.0]], 0, [0], judge=0, read_ranked=0, read_ideals=0)
    assert free.ideals_per_minute.tolist() == [math.inf]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"own": [0]}, "length of own is 1, must be 2"),
        ({"own": [0, -1]}, "rank surely shows"),
        ({"own": [-1, 1]}, "own.1. is 1"),
        ({"unranked": -1}, "unranked is -1"),
        ({"own": [-1, -1]}, "unranked is 0, must be at least 1"),
        ({"judge": -1}, "judge is -1"),
        ({"move": math.inf}, "move is inf"),
        ({"read_ranked": [1, 2, 3]}, "read_ranked"),
        ({"read_ideals": -1}, "read_ideals is -1"),
        ({"read_unranked": "long"}, "read_unranked"),
    ],
)
def test_times_that_are_none_are_refused(change, message: str) -> None:
    given = {
        "reach": [[0.5], [1.0]],
        "unranked": 0,
        "own": [-1, 0],
        "judge": 1,
        "read_ranked": 1,
        "read_ideals": 1,
    }
    with pytest.raises(InputError, match=message):
        time_to_find(**given | change)


def test_time_biased_gain_by_hand() -> None:
    answer = time_biased_gain([1, 0, 1], [100, 1000, 7])
    first = 4.4 + 0.64 * (1.8 + 7.8)
    second = first + 4.4 + 0.39 * (18 + 7.8)
    assert answer.seconds == pytest.approx([0, first, second])
    gain = 0.64 * 0.77
    assert answer.value == pytest.approx(gain * (1 + 2 ** (-second / 224)))


@pytest.mark.parametrize("m", [1, 2, 6])
def test_the_exact_gain_is_the_mean_over_all_patterns_of_clicks(m: int) -> None:
    rng = np.random.default_rng(m)
    relevance, words = rng.integers(0, 2, m), rng.integers(50, 3000, m)
    expected = 0.0
    for clicks in itertools.product((0, 1), repeat=m):
        probability, time, gain = 1.0, 0.0, 0.0
        for k, clicked in enumerate(clicks):
            p = 0.64 if relevance[k] else 0.39
            probability *= p if clicked else 1 - p
            gain += clicked * relevance[k] * 0.77 * math.exp(-time * math.log(2) / 224)
            time += 4.4 + clicked * (0.018 * words[k] + 7.8)
        expected += probability * gain
    answer = time_biased_gain(relevance, words)
    assert answer.exact == pytest.approx(expected)
    assert (answer.expected_decay >= answer.decay - 1e-15).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"relevance": [2]}, "relevance is"),
        ({"relevance": [[1]]}, "relevance is"),
        ({"words": [1, 2]}, "words is"),
        ({"words": -1}, "words is -1"),
        ({"half_life": 0}, "half_life is 0"),
        ({"click": (0.5, 1.5)}, "click is 1.5"),
        ({"save": -0.5}, "save is -0.5"),
        ({"judge": -1}, "judge is -1"),
    ],
)
def test_gains_that_are_none_are_refused(change, message: str) -> None:
    with pytest.raises(InputError, match=message):
        time_biased_gain(**{"relevance": [1], "words": 100} | change)
