"""Sampler of users who meet tied elements in random order."""

from prum.simulator.model import Browsing, Task, Tied
from prum.simulator.sampling.streams import users_key
from prum.simulator.sampling.ways.samplers import UserBlock
from prum.simulator.sampling.ways.stepwise import StepwiseSampler


class TiedSampler:
    """Each user draws an order of each group, and consults element by element in this order."""

    def __init__(self, task: Task, tied: Tied) -> None:
        self.task, self.key = task, users_key(task)
        groups = tied.groups(task)
        self.stepwise = StepwiseSampler(task, Browsing(tied.navigation), groups)

    def block(self, seed: int, number: int, *, sampled: bool) -> UserBlock:
        """Return block `number` of the users of `seed`, from its first user on."""
        return self.stepwise.block(seed, number, sampled=sampled)


sampler = TiedSampler
