"""Samplers: a task and a way of browsing, compiled into tables from which users are drawn.

A sampler only knows how to write C(r) and CL(r) of the next users of a block. The module named
like the navigation's class makes it: `sampler(task, navigation)`.
"""

from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar

from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Counts
from prum.simulator.sampling.streams import unranked_streams


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


class KeyedSampler(Protocol):
    """A sampler whose users have a name."""

    task: Task
    key: tuple[int, ...]


S = TypeVar("S", bound=KeyedSampler)


class ListBlock(Generic[S]):
    """The users of one block, with streams for their places behind the list."""

    def __init__(self, sampler: S, seed: int, number: int, *, sampled: bool) -> None:
        self.sampler, self.sampled, self.done = sampler, sampled, 0
        self.unranked, self.again = unranked_streams(seed, sampler.key, number, sampled)

    def ends(self, consulted: Counts, leading: Counts) -> tuple[Any, ...]:
        """Return what kernels take of how lists end, and room for C(r) and CL(r)."""
        task = self.sampler.task
        behind = self.unranked, self.again, task.num_ranked, task.num_unranked, self.sampled
        return *behind, consulted.T, leading.T


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
