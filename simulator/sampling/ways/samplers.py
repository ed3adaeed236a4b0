"""Samplers: a task and a way of browsing, compiled into tables from which users are drawn.

A sampler only knows how to write C(r) and CL(r) of the next users of a block. The module named
like the navigation's class makes it: `sampler(task, navigation)`.
"""

from importlib import import_module
from typing import ClassVar, Protocol

import numpy as np

from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Counts
from prum.simulator.sampling.streams import AGAIN, UNRANKED, stream

# In place of room for first-seen ranks, where nobody asks for them.
NOBODY: Counts = np.empty((0, 0), dtype=np.int32)


class UserBlock(Protocol):
    """The users of one block, drawn in order."""

    def draw(self, consulted: Counts, leading: Counts) -> None:
        """Write C(r) and CL(r) of the next users to arrays of shape (users, t).

        It is fastest if the arrays are in column order (``order="F"``). Where the unranked part is
        not sampled and the list did not suffice, C(r) is 0 and CL(r) is that of the list.
        """


class Sampler(Protocol):
    """Draws the users of a task."""

    task: Task

    def block(self, seed: int, number: int, *, sampled: bool) -> UserBlock:
        """Return block `number` of the users of `seed`, from its first user on."""


class KernelSampler:
    """A sampler whose users a kernel draws, from streams of some `purposes`, the first its own."""

    purposes: ClassVar[tuple[int, ...]]
    # How often users are drawn, each time with places behind the list of their own.
    num_stories = 1
    task: Task
    key: tuple[int, ...]

    def block(self, seed: int, number: int, *, sampled: bool) -> "KernelBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        return KernelBlock(self, seed, number, sampled=sampled)

    def draw(self, block: "KernelBlock") -> None:
        """Draw the next users of a block."""
        raise NotImplementedError


class KernelBlock:
    """The users of one block, as `Block` of `kernels.h`."""

    consulted: Counts
    leading: Counts
    seen = NOBODY

    def __init__(self, sampler: KernelSampler, seed: int, number: int, *, sampled: bool) -> None:
        self.sampler, self.sampled, self.done = sampler, sampled, 0
        self.num_ranked, self.num_unranked = sampler.task.num_ranked, sampler.task.num_unranked
        self.source, *self.more = (
            stream(seed, sampler.key, number, purpose) for purpose in sampler.purposes
        )
        self.behind = [
            tuple(stream(seed, key, number, purpose) for purpose in (UNRANKED, AGAIN))
            if sampled
            else (self.source, self.source)
            for key in (sampler.key, *((*sampler.key, k) for k in range(1, sampler.num_stories)))
        ]
        self.state, self.again = self.behind[0]

    def draw(self, consulted: Counts, leading: Counts, seen: Counts = NOBODY) -> None:
        """Draw the next users; write when they first saw which ideal, shape (t, users), if asked.

        Where users browse by their need, first-seen ranks are those of the largest factor of it.
        """
        self.consulted, self.leading, self.seen = consulted.T, leading.T, seen
        self.sampler.draw(self)
        self.done += len(consulted)


def compiled(task: Task, navigation: Navigation) -> Sampler:
    """Return the sampler of a task under a navigation.

    Raise InputError for an object that is not a navigation.
    """
    if not isinstance(navigation, Navigation):
        rule = "be Independent, Coupled, Walk, Browsing, Mixture or Covering"
        raise InputError("navigation", navigation, rule, remedy=Navigation.instead)
    way = import_module(f"prum.simulator.sampling.ways.{type(navigation).__name__.lower()}")
    sampler: Sampler = way.sampler(task, navigation)
    return sampler
