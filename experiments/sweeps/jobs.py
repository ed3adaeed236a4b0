"""Jobs: what a worker computes, a cell or some of its users, and the result as text."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, cast

from prum.analytic.precision.of_task import closed_form, independent_of, prum_of
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.ranked.classical import without_browsing
from prum.experiments.sweeps.cells import (
    Cell,
    CellPart,
    browsed,
    loaded,
)
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError, ListCosts, Navigation, Task
from prum.simulator.model.process import own_version
from prum.simulator.sampling.sampler import simulate
from prum.simulator.sampling.simulation import Simulation


class Simulate(Protocol):
    """How users are simulated: `prum.simulator.simulate`, or an engine to be checked."""

    def __call__(
        self, task: Task, navigation: Navigation, *, num_users: int, seed: int
    ) -> Simulation:
        """Return the simulation of `num_users` users, the first of the seed.

        `costs` too are given if any are charged.
        """


@dataclass(frozen=True, slots=True)
class Job:
    """A cell to compute: a formula whole, a simulation for users `first` .. `first + count - 1`.

    For a formula `first` and `count` are 0.
    """

    cell: Cell
    first: int = 0
    count: int = 0

    def __str__(self) -> str:
        users = f", users {self.first} to {self.first + self.count - 1}" if self.count else ""
        return f"{self.cell}{users}"


def compute(job: Job, threads: int | None = 1, simulate: Simulate | None = None) -> CellPart:
    """Compute a job; the same job gives the same result in whatever process."""
    began = time.perf_counter()
    result = _result(job, threads, simulate)
    text = "null" if result is None else result.to_json()
    return CellPart(job.cell.key, job.first, job.count, text, time.perf_counter() - began)


def _result(
    job: Job, threads: int | None, engine: Simulate | None
) -> PrecisionRecall | Simulation | None:
    cell = job.cell
    _check_same("version of prum", own_version(), cell.content["version"], cell)
    campaign = loaded(cell.source)
    task = campaign.task(cell.system, cell.topic)
    _check_same("content key of the list or ideals", task.key, cell.content["task_key"], cell)
    if cell.estimator == "no-browsing":
        alone = campaign.navigation_on(cell.topic).alone
        costs = _costs(cell, campaign, task, alone)
        if costs is None and alone.reading is None and not alone.is_tied:
            return without_browsing(task)
        return closed_form(task, alone, costs=costs)
    campaign = browsed(cell.source, cell.navigation)
    navigation = campaign.navigation_on(cell.topic)
    costs = _costs(cell, campaign, task, navigation)
    _check_same("content key of the links", navigation.key, cell.content["navigation_key"], cell)
    if cell.estimator in _FORMULAS:
        return _FORMULAS[cell.estimator](task, navigation, costs=costs)
    content = cell.content
    if engine is not None:
        options = {} if costs is None else {"costs": costs}
        # Other engines do not go on where they stopped: all users up to the last.
        charged = cast("Simulate", partial(cast("Any", engine), **options))
        return charged(task, navigation, num_users=job.first + job.count, seed=content["seed"])
    return simulate(
        task,
        navigation,
        num_users=job.count,
        first_user=job.first,
        seed=content["seed"],
        unranked=content["unranked"],
        costs=costs,
        threads=threads,
    )


def _costs(cell: Cell, campaign: Campaign, task: Task, navigation: Navigation) -> ListCosts | None:
    """Return what the list costs in the cell's unit, None where elements are counted."""
    if "cost" not in cell.content:
        return None
    costs = campaign.costs_of(task, navigation, cell.content["cost"])
    _check_same("content key of the costs", costs.key, cell.content["costs_key"], cell)
    return costs


_FORMULAS: dict[str, Callable[..., PrecisionRecall | None]] = {
    "prum": prum_of,
    "prum-normal": partial(prum_of, counts="normal"),
    "exact": closed_form,
    "independent": independent_of,
    "independent-normal": partial(independent_of, counts="normal"),
}


def _check_same(thing: str, key: str, expected: str, cell: Cell) -> None:
    if key != expected:
        raise InputError(
            thing,
            key[:16],
            f"be {expected[:16]}, as when the sweep began",
            remedy="let all workers see the same prum and files, and leave them alone",
            place=str(cell),
        )
