"""Measures of users who stop at a rank (Carterette 2011), and of those who browse, too."""

import numpy as np

from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.utility.browsed import browsed_utility
from prum.analytic.utility.measures import MEASURES, utility
from prum.experiments.studies.properties.cases import ExampleTask
from prum.experiments.studies.properties.scores import (
    ExaminedMeasure,
    Floats,
    ListScores,
    Ranking,
    UserMeans,
)
from prum.simulator.model import Independent
from prum.simulator.sampling.measured.stopping_users import stopping_users
from prum.simulator.sampling.measured.stops import simulate_stops


def stopping_measure(name: str, cell: str, *, browses: bool) -> ExaminedMeasure:
    """Return a cell of the grid as a measure: of assessed elements, or of ideals by browsing."""
    distribution, model = MEASURES[cell]

    def scores(case: ExampleTask, ranking: Ranking) -> ListScores:
        reach, gains = _seen(case, ranking, browses=browses)
        reached = float((1 - np.prod(1 - reach, axis=0)) @ gains)
        if browses:
            value = browsed_utility(cell, reach, gains=gains)
        else:
            by_rank = reach @ gains
            value = utility(cell, by_rank, list(gains), gain="linear", highest=1.0)
        return ListScores(value, np.array([value]), reached, float(gains.sum()))

    def users(case: ExampleTask, ranking: Ranking, num_users: int, seed: int) -> UserMeans:
        reach, gains = _seen(case, ranking, browses=browses)
        kind = stopping_users(distribution, reach, gains=gains)
        stops = simulate_stops(kind, num_users=num_users, seed=seed)
        number = int(model.removeprefix("M")) - 1
        return UserMeans(stops.mean[[number]], stops.error[[number]])

    return ExaminedMeasure(name, scores, users)


def _seen(case: ExampleTask, ranking: Ranking, *, browses: bool) -> tuple[Floats, Floats]:
    """Return P(rank -> element) of ideals or of all assessed elements, and what each is worth."""
    task = case.task(ranking) if browses else case.task(ranking, tuple(case.relevance))
    navigation = Independent(case.links if browses else {})
    reach = np.asarray(reach_matrix(task, navigation).toarray(), dtype=np.float64)
    return reach, np.array([case.relevance[element] for element in task.ideals])
