"""Scores of a list by a measure, and the users whose mean they are, if there are any."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from prum.experiments.studies.properties.cases import ExampleTask
from prum.simulator.model.arrays import Floats

RankedList = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListScores:
    """Scores of a list by a measure.

    Parameters
    ----------
    score
        Of the whole list.
    at
        At recall values, recall levels or ranks, as the measure reports them.
    found
        What the list reaches at its end, in the measure's own unit of what can be found.
    base
        All that can be found.
    """

    score: float
    at: Floats
    found: float
    base: float

    @property
    def recall(self) -> float:
        """The share of all that can be found."""
        return self.found / self.base


class UserMeans(NamedTuple):
    """Means over simulated users of what `ListScores.at` holds, and their standard errors."""

    mean: Floats
    error: Floats


@dataclass(frozen=True, slots=True)
class ExaminedMeasure:
    """A measure, and its users if it says who they are."""

    name: str
    scores: Callable[[ExampleTask, RankedList], ListScores]
    users: Callable[[ExampleTask, RankedList, int, int], UserMeans] | None = None
