"""Stores of a few users of the Web example, for tests of stores."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from prum.experiments.sweeps.cells import Axes, Cell, CellPart, Given, UsersOfPart, grid
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.store import Store
from prum.simulator import Simulation, simulate
from prum.simulator.collections.examples import example_campaign

WEB = example_campaign("web")
CELLS = grid([Given(WEB)], Axes(estimators=("prum", "simulated"), seeds=(1, 2)))
FORMULA, ONE, TWO = CELLS
NOBODY = 65534


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
    """Return all rows of all tables."""
    return [
        row
        for name in ("part", "failure")
        for row in store._rows(f"SELECT * FROM {name} ORDER BY 1, 2")
    ]


def files(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


@contextlib.contextmanager
def no_superuser() -> Iterator[None]:
    """Give up the rights of root, for whom no file is closed.

    The project itself may be closed to others, in root's home say: meanwhile nothing can be
    imported from it. Make stores and simulate users before; what they need is then in memory.
    """
    if os.getuid():
        yield
        return
    os.setresgid(NOBODY, NOBODY, 0)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
