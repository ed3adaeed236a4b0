"""Users who decide on an ideal once: enumerated by what each would do, beside trusted values."""

from itertools import pairwise, product

import numpy as np
import pytest

from prum.analytic.precision import any_dependence_bounds, exact
from prum.experiments.trust.dependences import DEPENDENCES, ReachedList
from prum.experiments.trust.values import UserLimit, value_of
from prum.simulator import Independent, Task
from prum.simulator.model.arrays import Floats

NAMED = {dependence.name: dependence for dependence in DEPENDENCES}


def _list(seed: int) -> ReachedList:
    """Return a list of a few elements, one of them twice, that lead to three ideals."""
    rng = np.random.default_rng(seed)
    ranking = ["x", "y", "z", "a", "x"][: int(rng.integers(1, 6))]
    links = {(x, y): float(rng.random() ** 2) for x in "xyz" for y in "abc" if rng.random() < 0.8}
    return ReachedList(Task(ranking, ["a", "b", "c"], 9), Independent(links))


def _first_ranks(probabilities: Floats) -> dict[int, float]:
    """Return how often users see an ideal first at each rank, by their one number in [0, 1).

    A user of taste u sees it from each rank with P > u.
    """
    shares = dict[int, float]()
    for low, high in pairwise(sorted({0.0, *probabilities.tolist(), 1.0})):
        u = (low + high) / 2
        shown = probabilities > u
        first = int(np.argmax(shown)) if shown.any() else len(shown)
        shares[first] = shares.get(first, 0.0) + high - low
    return shares


def _enumerated(given: ReachedList) -> Floats:
    task, reach = given.task, given.dense
    t, u = task.num_ideals, task.num_unranked
    firsts = [_first_ranks(reach[:, x]) for x in range(t)]
    consulted, leading = np.zeros((2, t))
    for ranks in product(*firsts):
        chance = np.prod([firsts[x][rank] for x, rank in enumerate(ranks)])
        seen = sorted(rank for rank in ranks if rank < task.num_ranked)
        for r in range(1, t + 1):
            if len(seen) >= r:
                consulted[r - 1] += chance * (seen[r - 1] + 1)
                leading[r - 1] += chance * len(set(seen[:r]))
            else:
                left = r - len(seen)
                draws = left * (u + 1) / (t - len(seen) + 1)
                consulted[r - 1] += chance * (task.num_ranked + draws)
                leading[r - 1] += chance * (len(set(seen)) + left)
    return leading / consulted


@pytest.mark.parametrize("seed", range(20))
def test_values_are_those_of_enumerated_users(seed: int) -> None:
    given = _list(seed)
    independent = exact(given.reach, given.task.num_unranked)
    bounds = any_dependence_bounds(given.reach, given.task.num_unranked)
    value = value_of(given, NAMED["taste"], independent, UserLimit())
    is_idle = NAMED["taste"].is_idle(given)
    assert value.how == ("idle" if is_idle else "exact")
    assert is_idle == bool(np.abs(value.precision - independent.precision).max() < 1e-12)
    assert value.precision == pytest.approx(_enumerated(given))
    assert (value.precision >= bounds.precision_low - 1e-9).all()
    assert (value.precision <= bounds.precision_high + 1e-9).all()


def test_each_has_the_same_probabilities_and_sees_otherwise() -> None:
    """Negative control: two ways show one ideal to .5 and to .75 of the users."""
    links = {("x", "b"): 0.5, ("y", "b"): 0.5}
    given = ReachedList(Task(["x", "y"], ["b"], 3), Independent(links))
    independent = exact(given.reach, 1)
    value = value_of(given, NAMED["taste"], independent, UserLimit()).precision[0]
    # C(1) is 1 for half of the users, 2 or 3 for others: none or half of these see it at y.
    assert [1 / value, 1 / independent.precision[0]] == pytest.approx(
        [0.5 + 0.5 * 3, 0.5 + 0.25 * 2 + 0.25 * 3]
    )
