"""The measures that are examined: their scores of a list, and users if there are any."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from prum.analytic.precision.of_task import prum_of, reach_matrix
from prum.analytic.ranked.classical import raghavan
from prum.analytic.ranked.ranks import hundred_levels
from prum.analytic.ranked.scores import ndcg
from prum.analytic.structured.cumulated_gain import xcg
from prum.analytic.structured.generalised import grp, grp_ng
from prum.analytic.structured.reached import eprum, generalised_recall, graded_prum, t2i
from prum.analytic.utility.browsed import browsed_utility
from prum.analytic.utility.measures import MEASURES as GRID
from prum.analytic.utility.measures import utility
from prum.experiments.studies.properties.cases import ExampleTask
from prum.simulator.model import Independent, Task, tolerance
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.measured.effort import simulate_effort, simulate_graded
from prum.simulator.sampling.measured.stops import simulate_stops, stopping_users

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


# --- without users ------------------------------------------------------------------------------


def _grp(case: ExampleTask, ranking: RankedList) -> ListScores:
    result = grp(ranking, case.relevance, case.task(ranking).num_unranked)
    reached = sum(case.relevance.get(x, 0.0) for x in dict.fromkeys(ranking))
    return ListScores(result.average, result.at_levels(hundred_levels()), reached, result.total)


def _grp_ng(case: ExampleTask, ranking: RankedList) -> ListScores:
    result = grp_ng(ranking, case.assessments, case.elements)
    return ListScores(
        result.average, result.at_levels(hundred_levels()), _last(result.found), result.total
    )


def _xcg(case: ExampleTask, ranking: RankedList, *, alpha: float) -> ListScores:
    result = xcg(ranking, case.relevance, case.elements, alpha=alpha, ideals=case.ideals)
    ranks = range(1, max(len(ranking), len(result.best)) + 1)
    at = np.array([result.normalised_at(n) for n in ranks])
    return ListScores(float(at.mean()), at, _last(result.cumulated), float(result.best[-1]))


def _ndcg(case: ExampleTask, ranking: RankedList) -> ListScores:
    score = ndcg(ranking, case.relevance)
    found = sum(case.relevance.get(x, 0.0) for x in dict.fromkeys(ranking))
    return ListScores(score, np.array([score]), found, sum(case.relevance.values()))


# --- with users ---------------------------------------------------------------------------------


def _seen(
    score: float, at: Floats, reach: Floats, values: Sequence[float] | None = None
) -> ListScores:
    """Return scores by users; what the list finds is what its users see."""
    total = reach.shape[1] if values is None else sum(values)
    return ListScores(score, at, _last(generalised_recall(reach, values)) * total, total)


def _reach(task: Task, navigation: Independent) -> Floats:
    return np.asarray(reach_matrix(task, navigation).toarray(), dtype=np.float64)


def _browsing(case: ExampleTask) -> Independent:
    return Independent(case.links)


def _reading(case: ExampleTask) -> Independent:
    return Independent(tolerance(case.elements, case.ideals, words=case.words))


def _raghavan(case: ExampleTask, ranking: RankedList) -> ListScores:
    task = case.task(ranking, case.relevant)
    result = raghavan(ranking, task.ideals, task.num_unranked)
    return _seen(result.average, result.precision, _reach(task, Independent({})))


def _raghavan_users(case: ExampleTask, ranking: RankedList, num_users: int, seed: int) -> UserMeans:
    task = case.task(ranking, case.relevant)
    users = simulate_effort(task, Independent({}), num_users=num_users, seed=seed)
    return UserMeans(users.precision, users.precision_error)


def _t2i(case: ExampleTask, ranking: RankedList) -> ListScores:
    task = case.task(ranking)
    reach = _reach(task, _reading(case))
    result = t2i(reach, task.num_unranked)
    return _seen(result.average, result.precision, reach)


def _prum(case: ExampleTask, ranking: RankedList) -> ListScores:
    task = case.task(ranking)
    result = prum_of(task, _browsing(case))
    return _seen(result.average, result.precision, _reach(task, _browsing(case)))


def _users(
    case: ExampleTask,
    ranking: RankedList,
    num_users: int,
    seed: int,
    *,
    mean: Literal["precision", "recall", "effort_precision"],
    way: Callable[[ExampleTask], Independent] = _browsing,
) -> UserMeans:
    task = case.task(ranking)
    users = simulate_effort(
        task, way(case), num_users=num_users, seed=seed, values=_values(case, task)
    )
    return UserMeans(getattr(users, mean), getattr(users, f"{mean}_error"))


def _values(case: ExampleTask, task: Task) -> dict[str, float]:
    return {ideal: case.relevance[ideal] for ideal in task.ideals}


def _generalised_recall(case: ExampleTask, ranking: RankedList) -> ListScores:
    task = case.task(ranking)
    values, reach = list(_values(case, task).values()), _reach(task, _browsing(case))
    at = generalised_recall(reach, values)
    return _seen(_last(at), at, reach, values)


def _eprum(case: ExampleTask, ranking: RankedList) -> ListScores:
    task = case.task(ranking)
    values, reach = list(_values(case, task).values()), _reach(task, _browsing(case))
    elsewhere = tuple(x for x in case.elements.ids if x not in ranking)
    at = eprum(reach, _reach(case.task(elsewhere), _browsing(case)), values=values)
    return _seen(float(at.mean()), at, reach, values)


def _graded_prum(case: ExampleTask, ranking: RankedList) -> ListScores:
    task = case.task(ranking, tuple(case.relevance))
    values, reach = list(_values(case, task).values()), _reach(task, _browsing(case))
    result = graded_prum(reach, values, task.num_unranked)
    return _seen(result.average, result.precision, reach, values)


def _graded_users(case: ExampleTask, ranking: RankedList, num_users: int, seed: int) -> UserMeans:
    task = case.task(ranking, tuple(case.relevance))
    users = simulate_graded(
        task, _browsing(case), _values(case, task), num_users=num_users, seed=seed
    )
    return UserMeans(users.precision, users.precision_error)


def _last(values: Floats) -> float:
    return float(values[-1]) if len(values) else 0.0


# --- with users who stop at a rank (Carterette 2011) ----------------------------------------------


def _stopping_measure(name: str, cell: str, *, browses: bool) -> ExaminedMeasure:
    """Return a cell of the grid as a measure: of assessed elements, or of ideals by browsing."""
    distribution, model = GRID[cell]

    def scores(case: ExampleTask, ranking: RankedList) -> ListScores:
        reach, gains = _reach_and_gains(case, ranking, browses=browses)
        reached = float((1 - np.prod(1 - reach, axis=0)) @ gains)
        if browses:
            value = browsed_utility(cell, reach, gains=gains)
        else:
            by_rank = reach @ gains
            value = utility(cell, by_rank, list(gains), gain="linear", highest=1.0)
        return ListScores(value, np.array([value]), reached, float(gains.sum()))

    def users(case: ExampleTask, ranking: RankedList, num_users: int, seed: int) -> UserMeans:
        reach, gains = _reach_and_gains(case, ranking, browses=browses)
        kind = stopping_users(distribution, reach, gains=gains)
        stops = simulate_stops(kind, num_users=num_users, seed=seed)
        number = int(model.removeprefix("M")) - 1
        return UserMeans(stops.mean[[number]], stops.error[[number]])

    return ExaminedMeasure(name, scores, users)


def _reach_and_gains(
    case: ExampleTask, ranking: RankedList, *, browses: bool
) -> tuple[Floats, Floats]:
    """Return P(rank -> element) of ideals or of all assessed elements, and what each is worth."""
    task = case.task(ranking) if browses else case.task(ranking, tuple(case.relevance))
    reach = _reach(task, Independent(case.links if browses else {}))
    return reach, np.array([case.relevance[element] for element in task.ideals])


MEASURES: Mapping[str, ExaminedMeasure] = {
    measure.name: measure
    for measure in (
        ExaminedMeasure("RP", _raghavan, _raghavan_users),
        ExaminedMeasure("GRP", _grp),
        ExaminedMeasure("GRPng", _grp_ng),
        ExaminedMeasure("T2I", _t2i, partial(_users, mean="precision", way=_reading)),
        ExaminedMeasure("xCG", partial(_xcg, alpha=1.0)),
        ExaminedMeasure("GR", _generalised_recall, partial(_users, mean="recall")),
        ExaminedMeasure("PRUM", _prum, partial(_users, mean="precision")),
        ExaminedMeasure("xCG α=.5", partial(_xcg, alpha=0.5)),
        ExaminedMeasure("EPRUM", _eprum, partial(_users, mean="effort_precision")),
        ExaminedMeasure("GradedPRUM", _graded_prum, _graded_users),
        ExaminedMeasure("nDCG", _ndcg),
        _stopping_measure("RBP", "RBP", browses=False),
        _stopping_measure("ERR", "ERR", browses=False),
        _stopping_measure("ERR browsed", "ERR", browses=True),
    )
}
