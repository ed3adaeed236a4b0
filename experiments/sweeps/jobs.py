"""Jobs: what a worker computes, a cell or some of its users, and the result as text."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from prum.analytic.precision.of_task import closed_form, independent_of, prum_of
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.ranked.classical import without_browsing
from prum.experiments.sweeps.cells import NO_BROWSING, Cell, CellPart, browsed
from prum.simulator.model import InputError, Navigation, Task
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
    result = _result(job, threads, simulate)
    text = "null" if result is None else result.to_json()
    return CellPart(job.cell.key, job.first, job.count, text)


_FORMULAS: dict[str, Callable[..., PrecisionRecall | None]] = {
    "no-browsing": closed_form,
    "prum": prum_of,
    "prum-normal": partial(prum_of, counts="normal"),
    "exact": closed_form,
    "independent": independent_of,
    "independent-normal": partial(independent_of, counts="normal"),
}


def _result(
    job: Job, threads: int | None, engine: Simulate | None
) -> PrecisionRecall | Simulation | None:
    cell, content = job.cell, job.cell.content
    _check_same(cell, "version of prum", "version", own_version())
    is_alone = cell.kind == NO_BROWSING
    campaign = browsed(cell.source, cell.kind)
    task = campaign.task(cell.system, cell.topic)
    _check_same(cell, "content key of the list or ideals", "task_key", task.key)
    navigation = campaign.navigation_on(cell.topic)
    navigation = navigation.alone if is_alone else navigation
    if "navigation_key" in content:
        _check_same(cell, "content key of the links", "navigation_key", navigation.key)
    costs = None
    if "cost" in content:
        costs = campaign.costs_of(task, navigation, content["cost"])
        _check_same(cell, "content key of the costs", "costs_key", costs.key)
    elif is_alone and "navigation_key" not in content:
        return without_browsing(task)
    if cell.estimator in _FORMULAS:
        return _FORMULAS[cell.estimator](task, navigation, costs=costs)
    if engine is not None:
        options: Any = {} if costs is None else {"costs": costs}
        # Other engines do not go on where they stopped: all users up to the last.
        num_users = job.first + job.count
        return engine(task, navigation, num_users=num_users, seed=content["seed"], **options)
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


def _check_same(cell: Cell, thing: str, name: str, key: str) -> None:
    if key != cell.content[name]:
        rule = f"be {cell.content[name][:16]}, as when the sweep began"
        remedy = "let all workers see the same prum and files, and leave them alone"
        raise InputError(thing, key[:16], rule, remedy=remedy, place=str(cell))
