"""Shards: a sweep dealt to the tasks of a queue, each of which writes a store of its own."""

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.store import Store
from prum.simulator.model.errors import InputError

_NAME = re.compile(r"(.+)-([1-9]\d*)-of-([1-9]\d*)(\.[^.]*)?")


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
    def parse(cls, text: str) -> Self:
        """Return the shard "I/N", with 1 <= I <= N."""
        if match := re.fullmatch(r"0*([1-9][0-9]{0,8})/0*([1-9][0-9]{0,8})", str(text)):
            number, count = map(int, match.groups())
            if number <= count:
                return cls(number, count)
        raise InputError("shard", text, "be I/N with 1 <= I <= N", remedy="the first is 1/N")

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def cells(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return those of `cells` that belong to the shard."""
        return [cell for cell in cells if shard_of(cell, self.count) == self]

    def store_of(self, place: str | Path) -> Path:
        """Return the shard's own store, beside the one of the whole sweep."""
        place = Path(place)
        return place.with_name(f"{place.stem}-{self.number}-of-{self.count}{place.suffix}")


def shard_of(cell: Cell, count: int) -> Shard:
    """Return the shard of a cell, of so many shards."""
    return Shard(int(cell.key[:16], 16) % count + 1, count)


def status(
    cells: Iterable[Cell], stores: Sequence[str | Path], budget: UserBudget, command: str
) -> tuple[tuple[Cell, ...], str]:
    """Return which of a sweep's cells all stores together lack, and the command that computes them.

    That is a SLURM array of the shards they belong to where the stores are named as those of
    shards, else a sweep that takes the stores over; "" if nothing is missing.
    """
    with Store() as whole:
        for place in stores:
            with Store(place, read_only=True) as store:
                whole.merge(store)
        missing = not_complete(cells, whole, budget)
    return missing, _submission(missing, stores, command) if missing else ""


def not_complete(cells: Iterable[Cell], store: Store, budget: UserBudget) -> tuple[Cell, ...]:
    """Return the distinct cells of which the store lacks something."""
    parts = store.ranges()
    return tuple(
        cell
        for cell in {cell.key: cell for cell in cells}.values()
        if budget.missing(
            cell, parts.get(cell.key, []), cast("Any", partial(store.result, cell.key))
        )
    )


def _submission(missing: Sequence[Cell], stores: Sequence[str | Path], command: str) -> str:
    names = [_NAME.fullmatch(Path(store).name) for store in stores]
    bases = {
        (Path(store).with_name(name[1] + (name[4] or "")), int(name[3])) if name else None
        for store, name in zip(stores, names, strict=True)
    }
    base = bases.pop() if len(bases) == 1 else None
    if base is None:
        return f"{command} --merge {shlex.join(map(str, stores))}"
    place, count = base
    numbers = sorted({shard_of(cell, count).number for cell in missing})
    array = ",".join(map(str, numbers))
    task = f"{command} --store {shlex.quote(str(place))} --shard $SLURM_ARRAY_TASK_ID/{count}"
    return f"sbatch --array={array} --wrap {shlex.quote(task)}"
