"""The store: what a sweep has computed, in one SQLite file that survives being cut off.

A cell's result is the sum of its parts: a formula is one part, a simulation a part for each range
of its users. Parts are written once and never changed. Which users are counted is in the key, so
nothing is counted twice, even if it is computed twice.
"""

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.sweeps.cells import CellPart, UsersOfPart
from prum.simulator.model import InputError
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.tables.files import place

# "prum" in ASCII: says whose file it is.
_APPLICATION = 0x7072756D
_FORMAT = 5
_RESTORE = "restore it, or name another file"
_TABLE = """CREATE TABLE part (
    cell TEXT NOT NULL,           -- key: SHA-256 of what is computed
    first INTEGER NOT NULL,       -- number of the first user, 0 for a formula
    count INTEGER NOT NULL,       -- of users, 0 for a formula
    result TEXT NOT NULL,         -- JSON: PrecisionRecall, Simulation, or null: no closed form
    PRIMARY KEY (cell, first)
) STRICT"""


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
        self._lock: IO[str] | None = None
        name = ":memory:"
        if self.path is not None:
            if read_only and not self.path.exists():
                raise self._refused("exist", "check the name")
            # A file, or a log beside it, that only others may write is read as it is.
            name = f"{self.path.absolute().as_uri()}?mode={'rw' if read_only else 'rwc'}"
        with self._errors():
            self._connection = sqlite3.connect(name, uri=True, isolation_level=None, timeout=60)
        try:
            self._prepare(read_only=read_only)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file and let others write."""
        self._connection.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, parts: Iterable[CellPart]) -> None:
        """Write parts; when this returns they are on the disk. A part that is there stays."""
        with self._transaction():
            insert = "INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?)"
            rows = ((part.key, part.first, part.count, part.result) for part in parts)
            self._connection.executemany(insert, rows)

    def ranges(self) -> dict[str, list[UsersOfPart]]:
        """Return (first, count) of each cell's parts, in order."""
        ranges: dict[str, list[UsersOfPart]] = {}
        for key, *users in self._rows("SELECT cell, first, count FROM part ORDER BY cell, first"):
            ranges.setdefault(key, []).append((users[0], users[1]))
        return ranges

    def result(self, key: str) -> PrecisionRecall | Simulation | None:
        """Return a cell's result: its parts added up; None if it has no closed form."""
        total: Simulation | None = None
        query = "SELECT count, result FROM part WHERE cell = ? ORDER BY first"
        for count, text in self._rows(query, key):
            try:
                if not count:
                    return None if text == "null" else PrecisionRecall.from_json(text)
                simulation = Simulation.from_json(text)
            except (LookupError, TypeError, ValueError):
                rule = f"be whole, but cell {key[:16]} is not as it was written"
                raise self._refused(rule, _RESTORE) from None
            total = simulation if total is None else total + simulation
        if total is None:
            raise KeyError(key)
        return total

    def merge(self, other: "Store") -> int:
        """Take over each cell of which another store has more users; return the number of parts.

        Users that both counted are counted once: a cell's parts are those of one store.
        """
        count = "SELECT ifnull(sum(count), -1) FROM part"
        cells = [
            (key,)
            for key, users in other._rows("SELECT cell, sum(count) FROM part GROUP BY cell")
            for (ours,) in self._rows(f"{count} WHERE cell = ?", key)
            if users > ours
        ]
        query = "SELECT * FROM part WHERE cell = ?"
        with self._transaction():
            write = self._connection.executemany
            write("DELETE FROM part WHERE cell = ?", cells)
            rows = (row for cell in cells for row in other._rows(query, *cell))
            return write("INSERT INTO part VALUES (?, ?, ?, ?)", rows).rowcount if cells else 0

    def _rows(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        with self._errors():
            yield from self._connection.execute(query, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _prepare(self, *, read_only: bool) -> None:
        """Check whose file it is, keep other writers out, and make a new store's table."""
        query = (
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)"
            " FROM pragma_application_id, pragma_user_version"
        )
        ((application, form, tables),) = self._rows(query)
        if (application, form) != (_APPLICATION, _FORMAT) and (tables or application):
            rule = f"be a store of sweeps, of format {_FORMAT}"
            raise self._refused(rule, "name another file, or use the prum that made it")
        if self.path is not None and not read_only:
            self._lock = self._locked(self.path)
        with self._errors():
            execute = self._connection.execute
            if read_only:
                if not tables:  # A process that was killed first thing leaves a file without any.
                    execute(_TABLE.replace("TABLE", "TEMP TABLE", 1))
                execute("PRAGMA query_only = ON")
                return
            # A committed transaction is on the disk, whatever is killed or loses power.
            execute("PRAGMA journal_mode = WAL")
            execute("PRAGMA synchronous = FULL")
            if not tables:
                with self._transaction():
                    execute(_TABLE)
                    execute(f"PRAGMA application_id = {_APPLICATION}")
                    execute(f"PRAGMA user_version = {_FORMAT}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Say in the project's words what SQLite complains about."""
        try:
            yield
        except sqlite3.OperationalError as error:  # what can befall any file
            raise OSError(errno.EIO, str(error), str(self.path)) from None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            rule = f"be a store of sweeps, and whole ({' '.join(str(error).split())})"
            raise self._refused(rule, _RESTORE) from None

    def _refused(self, rule: str, remedy: str) -> InputError:
        """Return the error of a store that can't be used."""
        path = self.path or Path("in memory")
        where = "" if path.parent == Path() else place(path.parent)
        return InputError("store", path.name or str(path), rule, remedy=remedy, place=where)

    def _locked(self, path: Path) -> IO[str]:
        """Return an open file that keeps other writers out, until it is closed in whatever way."""
        # Not the store itself: closing it would end SQLite's own locks.
        file = Path(f"{os.path.realpath(path)}.lock").open("a")  # noqa: SIM115 - until `close`
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            remedy = "wait for the sweep that writes it, or give another --store and merge them"
            raise self._refused("be written by one process at a time", remedy) from None
        return file
