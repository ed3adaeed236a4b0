"""A value that prum computes in the place of a printed one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.analytic import consulted_pmf, reach_matrix
from prum.simulator.collections.examples import EXAMPLES
from prum.simulator.model.arrays import Floats

if TYPE_CHECKING:
    from prum.simulator.model import Navigation, Task


@dataclass(frozen=True, slots=True)
class OwnValue:
    """A number or a word, and what stands beside it.

    Parameters
    ----------
    value
        What should be printed.
    mistaken
        What comes of the mistake that the paper is taken to have made.
    simulated, error
        The mean over simulated users, and its standard error.
    """

    value: float | str
    mistaken: float | str | None = None
    simulated: float | None = None
    error: float | None = None


OwnValues = dict[str, OwnValue]


def task_of(name: str, system: str = "list") -> "tuple[Task, Navigation]":
    """Return a list of an example, and how users browse from it."""
    campaign = EXAMPLES[name].load()
    return campaign.task(system, name), campaign.navigation_on(name)


def reach_of(task: "Task", navigation: "Navigation") -> Floats:
    """Return P(rank -> ideal), shape (o, t)."""
    return np.asarray(reach_matrix(task, navigation).toarray(), dtype=np.float64)


def found_law(reach: Any, unranked: int, rank: int) -> Floats:
    """Return P(F_rank = s) for s = 0 .. t: fewer than r ideals are found where C(r) is larger.

    >>> found_law([[0.5], [1.0]], 0, 1).tolist()
    [0.5, 0.5]
    """
    reach = np.asarray(reach, dtype=np.float64)
    at_least = [consulted_pmf(reach, unranked, r)[: rank + 1].sum()
                for r in range(1, reach.shape[1] + 1)]  # fmt: skip
    return -np.diff([1.0, *at_least, 0.0])
