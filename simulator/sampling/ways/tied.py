"""Sampler of users who meet tied elements in random order."""

from prum.simulator.model import Browsing, Task, Tied
from prum.simulator.sampling.ways.stepwise import StepwiseSampler


def sampler(task: Task, tied: Tied) -> StepwiseSampler:
    """Return the sampler of users who draw an order of each group, and consult in this order."""
    return StepwiseSampler(task, Browsing(tied.navigation), tied.groups(task))
