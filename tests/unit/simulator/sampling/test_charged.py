"""Simulations in units of cost: twins, unit costs, sums that add up, what names them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from prum.simulator import Independent, Simulation, Task, simulate
from prum.simulator.model import Browsing, InputError, ListCosts, Navigation, Types, Walk
from prum.simulator.sampling.kernels import add_costs, charge
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sampling.sums import CostSums, empty_sums, tally_sums
from prum.simulator.sampling.ways.samplers import compiled
from tests.samples import random_browsing
from tests.twins.charging import reference_charged

LINKS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.2, ("c", "z"): 0.5}
TASK = Task(["c", "d", "a", "c", "b"], ["a", "b", "z"], 9)
MODES: list[dict[str, Any]] = [{}, {"unranked": "expected"}]
DIALS = ["types", "fading", "satiation", "documents", "unranked"]
COSTS = ListCosts([4.4, 0.1, 12.25, 3, 7.7], 5.3, unit="seconds")


def navigations(seed: int) -> list[tuple[Task, Navigation]]:
    """Return random tasks under every kind of navigation."""
    rng = np.random.default_rng(seed)
    made = []
    for way in ("independent", "exclusive", "comonotone", "copula", "walk"):
        for dials in ([], list(rng.permutation(DIALS)[:2])):
            task, browsing = random_browsing(rng, way, [str(dial) for dial in dials])
            made.append((task, browsing if dials else browsing.navigation))
    return made


@pytest.mark.parametrize("seed", range(6))
def test_costs_follow_from_where_users_stop(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    for task, navigation in navigations(seed):
        costs = ListCosts(rng.integers(1, 99, task.num_ranked), rng.integers(1, 99))
        for sampled in (True, False):
            if not sampled and isinstance(navigation, Browsing) and navigation.unranked:
                continue
            block = compiled(task, navigation).block(seed, 0, sampled=sampled)
            consulted, leading = np.empty((2, task.num_ideals, 60), dtype=np.int32)
            block.draw(consulted.T, leading.T)
            for each in (ListCosts.units(task.num_ranked), costs):
                steps = each.in_steps(task.num_unranked)
                charged = np.empty((2, *consulted.shape), dtype=np.int64)
                charge(consulted, leading, steps.before, steps.unranked, *charged)
                for user, own in enumerate(consulted.T.tolist()):
                    wanted = reference_charged(own, steps.before.tolist(), steps.unranked)
                    assert [of[:, user].tolist() for of in charged] == list(wanted)
            # With a cost of 1 each they are what the sampler wrote.
            steps = ListCosts.units(task.num_ranked).in_steps(task.num_unranked)
            charge(consulted, leading, steps.before, steps.unranked, *charged)
            assert np.array_equal(charged, [consulted, leading])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_unit_costs_give_the_same_numbers(seed: int, mode: dict[str, Any]) -> None:
    for task, navigation in navigations(seed):
        try:
            plain = simulate(task, navigation, num_users=2_000, seed=seed, **mode)
        except InputError:
            continue
        units = ListCosts.units(task.num_ranked)
        charged = simulate(task, navigation, num_users=2_000, seed=seed, costs=units, **mode)
        assert charged.tally == plain.tally
        assert charged.to_frame().equals(plain.to_frame())


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("navigation", [Independent(LINKS), Walk({("c", "a"): 0.4})], ids=str)
def test_any_threads_and_parts_give_the_same(navigation: Navigation, mode: dict[str, Any]) -> None:
    run = {"seed": 3, "costs": COSTS, **mode}
    whole = simulate(TASK, navigation, num_users=2 * BLOCK, threads=2, **run)
    ranges = (0, 1_024), (1_024, BLOCK), (1_024 + BLOCK, BLOCK - 1_024)
    parts = [
        simulate(TASK, navigation, num_users=num_users, first_user=first, threads=1, **run)
        for first, num_users in ranges
    ]
    assert parts[0] + parts[1] + parts[2] == whole
    assert Simulation.from_json(whole.to_json()) == whole


def test_large_sums_are_those_of_python() -> None:
    task = Task(["c", "d", "a", "c", "b"], ["a", "b", "z"], 2**30)
    steps = ListCosts([0.1, 3.3, 1e3, 1e-3, 7.7], 0.7).in_steps(task.num_unranked)
    kind, rng = CostSums(steps), np.random.default_rng(4)
    largest = steps.total(task.num_unranked)
    assert largest > 2**46
    costs = rng.integers(1, largest, (BLOCK, 3))
    costs[:5_000] = largest
    costs[rng.random(costs.shape) < 0.1] = 0
    costs[:, 0] = np.maximum(costs[:, 0], 1)
    costs[:, 1][costs[:, 2] > 0] = np.maximum(costs[:, 1][costs[:, 2] > 0], 1)
    leading = np.minimum(costs, rng.integers(1, largest, (BLOCK, 3)))
    leading[:2_500] = costs[:2_500]
    leading[costs == 0] = largest
    sums, ends = empty_sums(kind, 3)
    add_costs(np.ascontiguousarray(costs.T), np.ascontiguousarray(leading.T), sums, ends)
    c, cl = costs.astype(object), np.where(costs, leading, 0).astype(object)
    rows = tally_sums(kind, sums, ends, None)
    assert rows[0].tolist() == (c.sum(axis=0) << 40).tolist()
    assert rows[1].tolist() == cl.sum(axis=0).tolist()
    assert rows[2].tolist() == ((c * c).sum(axis=0) << 80).tolist()
    assert rows[3].tolist() == (cl * cl).sum(axis=0).tolist()
    assert rows[4].tolist() == ((c * cl).sum(axis=0) << 40).tolist()
    ratio = (np.where(costs, leading, 0) / np.maximum(costs, 1) * 2.0**40).astype(np.int64)
    ratio = ratio.astype(object)
    assert rows[5].tolist() == ratio.sum(axis=0).tolist()
    assert rows[6].tolist() == (ratio * ratio).sum(axis=0).tolist()


def test_means_are_costs() -> None:
    navigation = Independent({})
    task = Task(["x", "a", "y", "b"], ["a", "b"], 4)
    costs = ListCosts([10, 20, 30, 40], 5, unit="tokens")
    run = simulate(task, navigation, num_users=100, seed=1, costs=costs)
    assert run.consulted.tolist() == [30, 100]
    assert run.leading.tolist() == [20, 60]
    assert run.unit == "tokens"


def test_expected_draws_of_many_elements() -> None:
    task = Task([], ["a"], 2**31 - 1)
    run = simulate(task, Independent({}), num_users=10, seed=1, unranked="expected")
    assert run.consulted.tolist() == [2.0**30]
    costs = ListCosts([], 3, unit="tokens")
    run = simulate(task, Independent({}), num_users=10, seed=1, unranked="expected", costs=costs)
    assert (run.consulted.tolist(), run.leading.tolist()) == ([3 * 2.0**30], [3])


def test_costs_name_a_simulation() -> None:
    run = simulate(TASK, Independent(LINKS), num_users=64, seed=1, costs=COSTS)
    plain = simulate(TASK, Independent(LINKS), num_users=64, seed=1)
    assert run.parameters["costs"]["unit"] == run.unit == "seconds"
    assert "costs" not in plain.parameters
    assert "costs" not in plain.to_json()
    assert plain.unit == "elements"
    assert "seconds" in repr(run)
    assert run != plain
    later = simulate(TASK, Independent(LINKS), num_users=64, seed=1, first_user=64)
    with pytest.raises(InputError, match="costs of the simulation to add is None, must be"):
        run + later
    other = replace(later, costs=ListCosts.units(5))
    with pytest.raises(InputError, match="costs of the simulation to add"):
        later + other


@pytest.mark.parametrize(
    ("costs", "navigation", "message"),
    [
        (ListCosts.units(4), Independent(LINKS), "number of costs is 4, must be 5"),
        ([1, 2, 3, 4, 5], Independent(LINKS), "costs is .*, must be ListCosts"),
        (
            COSTS,
            Browsing(Independent(LINKS), need=(0.5, 1)),
            "must be left out where users browse by their need",
        ),
    ],
)
def test_costs_that_do_not_fit(costs: Any, navigation: Navigation, message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate(TASK, navigation, num_users=10, seed=1, costs=costs)


def test_need_that_is_the_same_for_all_is_none() -> None:
    users = Browsing(Independent(LINKS), Types([0.5, 0.5], [1, 0.5]), need=(0.5,))
    assert simulate(TASK, users, num_users=10, seed=1, costs=COSTS).unit == "seconds"
