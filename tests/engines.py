"""Other engines for the cross-check: simulations made of users' C(r) and CL(r), however drawn."""

import numpy as np
from numpy.typing import NDArray

from prum.experiments.crosscheck.verb import Simulate
from prum.simulator.model import Navigation, Task
from prum.simulator.sampling.simulation import Simulation, UserRange
from prum.simulator.sampling.tally import CONSULTED_BITS, RATIO_BITS, Tally
from tests.oracle.naive import naive_users

Ints = NDArray[np.int64]


def simulation_of(
    task: Task, navigation: Navigation, consulted: Ints, leading: Ints, *, seed: int
) -> Simulation:
    """Return the simulation of users given by C(r) and CL(r), shape (users, t).

    The tally is summed in Python integers from its own docstring, not by the sampler's kernel.
    """
    num_users = len(consulted)
    ratio = np.divide(
        leading, consulted, out=np.zeros(consulted.shape), where=consulted > 0, dtype=float
    )
    c = consulted.astype(object) << CONSULTED_BITS
    cl = leading.astype(object)
    shares = (ratio * (1 << RATIO_BITS)).astype(np.int64).astype(object)
    rows = [c, cl, c * c, cl * cl, c * cl, shares, shares * shares]
    return Simulation(
        Tally(num_users, np.array([row.sum(axis=0) for row in rows])),
        (UserRange(seed, 0, num_users),),
        task.key,
        navigation.key,
        task.num_ranked,
        task.num_unranked,
        "sampled",
    )


def naive_engine(fault: str | None = None) -> Simulate:
    """Return the naive walker, with a fault if one is named, as an engine to be checked."""

    def engine(task: Task, navigation: Navigation, *, num_users: int, seed: int) -> Simulation:
        rng = np.random.default_rng(seed)
        consulted, leading = naive_users(task, navigation, num_users, rng, fault=fault)
        return simulation_of(task, navigation, consulted, leading, seed=seed)

    return engine
