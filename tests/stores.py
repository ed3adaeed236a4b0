"""Stores of a few users of the Web example, for tests of stores."""

from pathlib import Path

from prum.experiments.sweeps.cells import Cell, CellPart, Given, UsersOfPart, grid
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.store import Store
from prum.simulator import Simulation, simulate
from prum.simulator.collections.examples import example_campaign

WEB = example_campaign("web")
CELLS = grid([Given(WEB)], estimators=("prum", "simulated"), seeds=(1, 2))
FORMULA, ONE, TWO = CELLS


def part(cell: Cell, first: int = 0, count: int = 0) -> CellPart:
    return compute(Job(cell, first, count))


def store_of(*ranges: UsersOfPart, cell: Cell = ONE, path: Path | None = None) -> Store:
    store = Store(path)
    store.add(part(cell, *users) for users in ranges)
    return store


def run_of(first: int, count: int, seed: int = 1) -> Simulation:
    """Return the simulation of these users in one run, as a store keeps it."""
    task = WEB.task("list", "web")
    return simulate(task, WEB.navigation, num_users=count, first_user=first, seed=seed)


def contents(store: Store) -> list[tuple[object, ...]]:
    """Return all rows."""
    return list(store._rows("SELECT * FROM part ORDER BY 1, 2"))


def files(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}
