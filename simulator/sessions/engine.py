"""Sessions as an engine beside the kernels: C(r) and CL(r) of many users, each played alone."""

import numpy as np

from prum.simulator.model import InputError, ListCosts, Navigation, Task
from prum.simulator.model.arrays import Counts, Ints
from prum.simulator.model.browsing import browsing_of
from prum.simulator.model.stopping import Found, Stopping
from prum.simulator.sampling.sampler import simulate_by
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sessions.session import sessions
from prum.simulator.sessions.trace import Session


def simulate_sessions(
    task: Task,
    navigation: Navigation,
    *,
    num_users: int,
    seed: int,
    costs: ListCosts | None = None,
) -> Simulation:
    """Simulate users as processes; as `prum.simulator.simulate`, and some thousand times slower.

    A user wants all ideals; C(r) and CL(r) are the counts when they have seen r of them. If
    browsing depends on r (`need`), each distinct factor of need is a session of its own.

    >>> from prum.simulator.model import Independent
    >>> task = Task(["x", "a"], ["a"], 2)
    >>> simulate_sessions(task, Independent({("x", "a"): 0.5}), num_users=100, seed=1)
    Simulation(100 users of seed 1, t = 1: precision .6494±.0211)
    """
    played = _Played(task, navigation)
    return simulate_by(played, navigation, num_users=num_users, seed=seed, costs=costs)


class _Played:
    """A sampler whose users are processes."""

    def __init__(self, task: Task, navigation: Navigation) -> None:
        self.task, self.navigation = task, navigation

    def block(self, seed: int, number: int, *, sampled: bool) -> "_PlayedBlock":
        """Return block `number` of the users of `seed`."""
        if not sampled:
            raise InputError("sessions", "expected", "be sampled", remedy="use the kernels")
        return _PlayedBlock(self.task, self.navigation, seed, number * BLOCK)


class _PlayedBlock:
    def __init__(self, task: Task, navigation: Navigation, seed: int, first: int) -> None:
        self.task, self.navigation, self.seed, self.next_user = task, navigation, seed, first
        t = task.num_ideals
        of_types = [
            browsing_of(way).needed(t).tolist() for way in navigation.types or (navigation,)
        ]
        self.needed = list(zip(*of_types, strict=True))
        # Where users browse alike for several r, a session for the largest of them is enough.
        self.wanted = {need: r for r, need in enumerate(self.needed, start=1)}

    def draw(self, consulted: Counts, leading: Counts) -> None:
        """Write C(r) and CL(r) of the next users."""
        for need, most in self.wanted.items():
            played = sessions(
                self.task,
                self.navigation,
                num_users=len(consulted),
                first_user=self.next_user,
                seed=self.seed,
                stopping=Stopping(Found(most)),
                detail="named",
            )
            chosen = [k for k, other in enumerate(self.needed) if other == need]
            for user, session in enumerate(played):
                c, cl = _at_each(session)
                consulted[user, chosen], leading[user, chosen] = c[chosen], cl[chosen]
        self.next_user += len(consulted)


def _at_each(session: Session) -> tuple[Ints, Ints]:
    """Return C(r) and CL(r): the rank of the r-th ideal, and how many ranks led to new ideals."""
    ranks = np.array([event.rank for event in session.events if event.new], dtype=np.int64)
    return ranks, np.cumsum(np.append(1, np.diff(ranks) > 0))
