"""The store: what a sweep has computed, in one SQLite file that survives being cut off.

A cell's result is the sum of its parts: a formula is one part, a simulation a part for each range
of its users. Parts are written once and never changed. Which users are counted is in the key, so
nothing is counted twice, even if it is computed twice.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.sweeps.cells import Cell, CellPart, UsersOfPart, missing
from prum.experiments.sweeps.store_file import (
    check_file,
    check_identity,
    damaged,
    errors,
    locked,
    mode,
    prepare,
    refused,
)
from prum.simulator.model.task import canonical_json
from prum.simulator.sampling.simulation import Simulation


class Store:
    """The results of sweeps, by content key. One process at a time writes, any number read.

    Parameters
    ----------
    path
        The file, made if it isn't there; None for a store in memory.
    read_only
        Open an existing store for reading, also while another process writes.
    """

    def __init__(self, path: str | Path | None = None, *, read_only: bool = False) -> None:
        self.path = None if path is None else Path(path)
        self._lock: int | None = None
        name = ":memory:"
        if self.path is not None:
            check_file(self.path, read_only)
            name = f"{self.path.absolute().as_uri()}?mode={mode(self.path, read_only)}"
        try:
            with errors(self.path):
                self._connection = sqlite3.connect(name, uri=True, isolation_level=None, timeout=60)
                check_identity(self._connection, self.path)
                if self.path is not None and not read_only:
                    self._lock = locked(self.path)
                prepare(self._connection, self.path, read_only=read_only)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file and let others write."""
        if hasattr(self, "_connection"):
            self._connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def register(self, cells: Iterable[Cell]) -> None:
        """Write down what the cells compute and how to find their lists, where it is new."""
        rows = (
            (
                cell.key,
                canonical_json(cell.content),
                canonical_json({**cell.source.recipe(), **cell.names}),
            )
            for cell in cells
        )
        with self._transaction():
            self._connection.executemany("INSERT OR IGNORE INTO cell VALUES (?, ?, ?)", rows)

    def add(self, parts: Iterable[CellPart]) -> None:
        """Write parts; when this returns they are on the disk. A part that is there stays."""
        rows = [
            (part.key, part.first, part.count, part.result, float(part.seconds)) for part in parts
        ]
        with self._transaction():
            self._connection.executemany(
                "INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?, ?, ?)",
                [(*row, row_hash(row)) for row in rows],
            )
            self._connection.executemany(
                "DELETE FROM failure WHERE cell = ?", [(row[0],) for row in rows]
            )

    def fail(self, errors: Mapping[str, str]) -> None:
        """Write down why cells could not be computed; their next parts wipe it out."""
        if errors:
            with self._transaction():
                self._connection.executemany(
                    "INSERT OR REPLACE INTO failure VALUES (?, ?)", errors.items()
                )

    def cells(self) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        """Return of each cell, computed or not, its content and where its list was found.

        Lists that are the same are one cell, found where the first of them was.
        """
        rows = self._rows("SELECT key, content, recipe FROM cell ORDER BY key")
        try:
            return {key: (json.loads(content), json.loads(recipe)) for key, content, recipe in rows}
        except ValueError as error:
            raise damaged(self.path, error) from None

    def ranges(self) -> dict[str, list[UsersOfPart]]:
        """Return (first, count) of each cell's parts, in order."""
        ranges: dict[str, list[UsersOfPart]] = {}
        for part in self._parts():
            ranges.setdefault(part.key, []).append((part.first, part.count))
        return ranges

    def result(self, key: str) -> PrecisionRecall | Simulation | None:
        """Return a cell's result: its parts added up; None if it has no closed form."""
        total: Simulation | None = None
        for part in self._parts("WHERE cell = ?", key):
            if not part.count:
                return None if part.result == "null" else PrecisionRecall.from_json(part.result)
            simulation = Simulation.from_json(part.result)
            total = simulation if total is None else total + simulation
        if total is None:
            raise KeyError(key)
        return total

    def seconds(self) -> dict[str, tuple[float, int]]:
        """Return the seconds and the users of each cell's parts so far."""
        sums: dict[str, tuple[float, int]] = {}
        for part in self._parts():
            seconds, users = sums.get(part.key, (0.0, 0))
            sums[part.key] = seconds + part.seconds, users + part.count
        return sums

    def failures(self) -> dict[str, str]:
        """Return the error of each cell that could not be computed."""
        return dict(self._rows("SELECT cell, error FROM failure ORDER BY cell"))

    def merge(self, other: "Store") -> int:
        """Take over what another store has and this one has not; return the number of parts.

        Users that both counted are counted once, also where they are cut into other parts: the
        fewer, larger parts stay.
        """
        if other is self:
            return 0
        with other._transaction("BEGIN"):
            return self._merge(other)

    def _merge(self, other: "Store") -> int:
        new: list[tuple[str, int]] = []
        dropped: list[tuple[str, int]] = []
        for key, added in other.ranges().items():
            # Of these cells only: of all, so many stores would each read all that was taken over.
            kept = [(part.first, part.count) for part in self._parts("WHERE cell = ?", key)]
            if kept and _within(kept, added) and not _within(added, kept):
                # All that is here is there as well, perhaps cut elsewhere.
                dropped.extend((key, first) for first, _ in kept)
                kept = []
            for part in added:
                if kept and _within([part], kept):
                    continue
                inside = [other_part for other_part in kept if _within([other_part], [part])]
                kept = [other_part for other_part in kept if other_part not in inside]
                for other_part in kept:
                    if other_part[0] < sum(part) and part[0] < sum(other_part):
                        raise refused(
                            self.path,
                            f"share whole parts with {other.path}: cell {key[:16]} has users "
                            f"{_shown(part)} there and {_shown(other_part)} here",
                            "simulate the cell anew in an empty store",
                        )
                dropped.extend((key, first) for first, _ in inside)
                new.append((key, part[0]))
                kept.append(part)
        with self._transaction():
            execute = self._connection.execute
            for row in dropped:
                execute("DELETE FROM part WHERE cell = ? AND first = ?", row)
            for key in dict.fromkeys(key for key, _ in new):
                for row in other._rows("SELECT * FROM cell WHERE key = ?", key):
                    execute("INSERT OR IGNORE INTO cell VALUES (?, ?, ?)", row)
                execute("DELETE FROM failure WHERE cell = ?", (key,))
            for key, first in new:
                query = "SELECT * FROM part WHERE cell = ? AND first = ?"
                for row in other._rows(query, key, first):
                    execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
        return len(new)

    def _parts(self, where: str = "", *values: Any) -> Iterator[CellPart]:
        """Yield parts in the order of cells and users, each of them as it was written."""
        query = f"SELECT * FROM part {where} ORDER BY cell, first"
        with errors(self.path):
            for *row, expected in self._connection.execute(query, values):
                if row_hash(row) != expected:
                    raise damaged(self.path, f"cell {row[0][:16]} has a part not as it was written")
                yield CellPart(*row)

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with errors(self.path):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        with errors(self.path):
            self._connection.execute(begin)
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def row_hash(row: Iterable[object]) -> str:
    """Return the hash that stands beside a part's key, first user, count, result and seconds."""
    return hashlib.sha256("\n".join(map(str, row)).encode()).hexdigest()


def _within(parts: list[UsersOfPart], others: list[UsersOfPart]) -> bool:
    """Return whether all users of `parts` are in `others`; a formula is if there is another."""
    return all(not missing(others, part) for part in parts)


def _shown(users: UsersOfPart) -> str:
    return f"{users[0]} to {users[0] + users[1] - 1}"
