"""Sampler of users who browse with dials."""

from prum.simulator.model import Browsing, OneFactor, Task
from prum.simulator.sampling.ways.populations import PopulationSampler
from prum.simulator.sampling.ways.samplers import NavigationSampler, compiled
from prum.simulator.sampling.ways.stepwise import StepwiseSampler


def sampler(task: Task, browsing: Browsing) -> NavigationSampler:
    """Return the sampler of a task: without dials, of a population alone, or step by step."""
    tossed, population = browsing.base.tossed, browsing.population
    if browsing.is_plain:
        return compiled(task, browsing.base)
    if (
        browsing.turned == ("population",)
        and tossed is not None
        and population is not None
        and not isinstance(population, OneFactor)
    ):
        return PopulationSampler(task, tossed, population)
    return StepwiseSampler(task, browsing)
