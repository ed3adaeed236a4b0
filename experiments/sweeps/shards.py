"""Shards: a sweep dealt to the tasks of a queue, each of which writes a store of its own."""

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.engine import UserBudget
from prum.experiments.sweeps.store import Store
from prum.simulator.model.errors import InputError


@dataclass(frozen=True, slots=True)
class Shard:
    """Shard `number` of `count`, counted from 1.

    A cell belongs to one shard of every count, by the hash that is its key. So it stays where it
    is when other cells come or go.

    >>> Shard.parse("3/200").store_of("grid.sqlite").name
    'grid-3-of-200.sqlite'
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Return the shard "I/N", with 1 <= I <= N."""
        match = re.fullmatch("([0-9]{1,9})/([0-9]{1,9})", str(text))
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise InputError("shard", text, "be I/N with 1 <= I <= N", remedy="the first is 1/N")
        return cls(int(match[1]), int(match[2]))

    def cells(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return those of `cells` that belong to the shard."""
        return [cell for cell in cells if shard_of(cell, self.count) == self.number]

    def store_of(self, place: str | Path) -> Path:
        """Return the shard's own store, beside the one of the whole sweep."""
        place = Path(place)
        return place.with_name(f"{place.stem}-{self.number}-of-{self.count}{place.suffix}")


def shard_of(cell: Cell, count: int) -> int:
    """Return the number of a cell's shard, of so many shards."""
    return int(cell.key[:16], 16) % count + 1


def status(
    cells: Iterable[Cell], stores: Sequence[str | Path], budget: UserBudget, command: str
) -> tuple[list[Cell], str]:
    """Return which of a sweep's cells all stores together lack, and the command that computes them.

    That is a SLURM array of the shards they belong to where the stores are named as those of
    shards, else a sweep that takes the stores over; "" if nothing is missing.
    """
    with Store() as whole:
        for place in stores:
            with Store(place, read_only=True) as store:
                whole.merge(store)
        lacking = not_complete(cells, whole, budget)
    if not lacking:
        return lacking, ""
    of_shard = r"-[1-9]\d*-of-([1-9]\d*)(\.[^.]*)?$"
    names = {re.sub(of_shard, "\\2\0\\1", str(store)) for store in stores}
    base, _, count = names.pop().rpartition("\0")
    if names or not base:
        return lacking, f"{command} --merge {shlex.join(map(str, stores))}"
    array = ",".join(map(str, sorted({shard_of(cell, int(count)) for cell in lacking})))
    task = f"{command} --store {shlex.quote(base)} --shard $SLURM_ARRAY_TASK_ID/{count}"
    return lacking, f"sbatch --array={array} --wrap {shlex.quote(task)}"


def not_complete(cells: Iterable[Cell], store: Store, budget: UserBudget) -> list[Cell]:
    """Return the distinct cells of which the store lacks something."""
    parts = store.ranges()
    return [
        cell
        for cell in {cell.key: cell for cell in cells}.values()
        if budget.missing(cell, parts.get(cell.key, []), partial(store.result, cell.key))
    ]
