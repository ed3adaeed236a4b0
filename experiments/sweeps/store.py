"""The store: what a sweep has computed, in one SQLite file that survives being cut off.

A cell's result is the sum of its parts: a formula is one part, a simulation a part for each range
of its users. Parts are written once and never changed. Which users are counted is in the key, so
nothing is counted twice, even if it is computed twice.
"""

import errno
import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.sweeps.cells import CellPart, UsersOfPart, missing
from prum.simulator.model import InputError
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.tables.files import place

# "prum" in ASCII: says whose file it is.
_APPLICATION = 0x7072756D
_FORMAT = 4
# What can befall any file, as the system calls it; all else that SQLite complains about is damage.
_OS_ERRORS = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_BUSY: errno.EBUSY,
}
_TABLE = """CREATE TABLE part (
    cell TEXT NOT NULL,           -- key: SHA-256 of what is computed
    first INTEGER NOT NULL,       -- number of the first user, 0 for a formula
    count INTEGER NOT NULL,       -- of users, 0 for a formula
    result TEXT NOT NULL,         -- JSON: PrecisionRecall, Simulation, or null: no closed form
    seconds REAL NOT NULL,        -- that it took
    hash TEXT NOT NULL,           -- SHA-256 of what stands before, as lines
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
        self._lock: int | None = None
        name = ":memory:"
        if self.path is not None:
            if read_only and not self.path.exists():
                raise refused(self.path, "exist", "check the name")
            # A file, or a log beside it, that only others may write is read as it is.
            name = f"{self.path.absolute().as_uri()}?mode={'rw' if read_only else 'rwc'}"
        try:
            with errors(self.path):
                self._connection = sqlite3.connect(name, uri=True, isolation_level=None, timeout=60)
                is_new = check_identity(self._connection, self.path)
                if self.path is not None and not read_only:
                    self._lock = locked(self.path)
                prepare(self._connection, is_new=is_new, read_only=read_only)
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

    def __exit__(self, *_: object) -> None:
        self.close()

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

    def ranges(self) -> dict[str, list[UsersOfPart]]:
        """Return (first, count) of each cell's parts, in order."""
        ranges: dict[str, list[UsersOfPart]] = {}
        for part in self.parts():
            ranges.setdefault(part.key, []).append((part.first, part.count))
        return ranges

    def result(self, key: str) -> PrecisionRecall | Simulation | None:
        """Return a cell's result: its parts added up; None if it has no closed form."""
        total: Simulation | None = None
        for part in self.parts("WHERE cell = ?", key):
            if not part.count:
                return None if part.result == "null" else PrecisionRecall.from_json(part.result)
            simulation = Simulation.from_json(part.result)
            total = simulation if total is None else total + simulation
        if total is None:
            raise KeyError(key)
        return total

    def merge(self, other: "Store") -> int:
        """Take over what another store has and this one has not; return the number of parts.

        Users that both counted are counted once: of a cell that is cut into other parts there, the
        parts of either store stay, those with more users.
        """
        if other is self:
            return 0
        new, dropped = list[tuple[str, int]](), list[tuple[str]]()
        with other._transaction("BEGIN"):
            for key, theirs in other.ranges().items():
                # Of this cell only: of all, so many stores would each read all that was taken over.
                ours = [(part.first, part.count) for part in self.parts("WHERE cell = ?", key)]
                lacking = {part: missing(ours, part) for part in theirs}
                added = [part for part, gaps in lacking.items() if gaps or not ours]
                if ours and any(lacking[part] != [part] for part in added):
                    fewer = sum(count for _, count in theirs) <= sum(count for _, count in ours)
                    added = [] if fewer else theirs
                    dropped += [(key,)] * (not fewer)
                new += [(key, first) for first, _ in added]
            with self._transaction():
                write = self._connection.executemany
                write("DELETE FROM part WHERE cell = ?", dropped)
                query = "SELECT * FROM part WHERE cell = ? AND first = ?"
                rows = (row for place in new for row in other._rows(query, *place))
                write("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", rows)
        return len(new)

    def parts(self, where: str = "", *values: Any) -> Iterator[CellPart]:
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


def check_identity(connection: sqlite3.Connection, path: Path | None) -> bool:
    """Return whether nothing is in a file; raise InputError unless it is a store of this format."""
    application, form = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    )
    is_new = not connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    if application != _APPLICATION and not (is_new and application == 0):
        raise refused(path, "be a store of sweeps", "name another file")
    if form != _FORMAT and not is_new:
        raise refused(path, f"have format {_FORMAT} (it has {form})", "use the prum that made it")
    return is_new


def prepare(connection: sqlite3.Connection, *, is_new: bool, read_only: bool) -> None:
    """Make a new store's table."""
    execute = connection.execute
    if read_only:
        if is_new:  # A process that was killed first thing leaves a file without a table.
            execute(_TABLE.replace("TABLE", "TEMP TABLE", 1))
        execute("PRAGMA query_only = ON")
        return
    # A committed transaction is on the disk, whatever is killed or loses power.
    execute("PRAGMA journal_mode = WAL")
    execute("PRAGMA synchronous = FULL")
    if is_new:
        execute("BEGIN IMMEDIATE")
        execute(_TABLE)
        execute(f"PRAGMA application_id = {_APPLICATION}")
        execute(f"PRAGMA user_version = {_FORMAT}")
        execute("COMMIT")


@contextmanager
def errors(path: Path | None) -> Iterator[None]:
    """Say in the project's words what SQLite complains about."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise damaged(path, error) from None
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in _OS_ERRORS:
            message = f"{error}; what was stored before is safe, run again to go on"
            raise OSError(_OS_ERRORS[code], message, str(path)) from None
        if code == sqlite3.SQLITE_NOTADB:
            raise refused(path, "be a store of sweeps", "name another file") from None
        if code == sqlite3.SQLITE_CANTOPEN:
            rule = "be a file, or a new one in a folder that you may write to"
            raise refused(path, rule, "name another") from None
        raise damaged(path, error) from None


def damaged(path: Path | None, what: object) -> InputError:
    """Return the error of a store that is not what was written."""
    rule = f"be a whole SQLite file ({' '.join(str(what).split())})"
    return refused(path, rule, "restore it, or name another")


def refused(path: Path | None, rule: str, remedy: str) -> InputError:
    """Return the error of a store that can't be used."""
    name = "in memory" if path is None else path.name or str(path)
    where = "" if path is None or path.parent == Path() else place(path.parent)
    return InputError("store", name, rule, remedy=remedy, place=where)


def locked(path: Path) -> int:
    """Return an open file that keeps other writers out; the system lets go of it in any case."""
    # Not the store itself: closing it would end SQLite's own locks.
    handle = os.open(f"{os.path.realpath(path)}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise refused(
            path,
            "be written by one process at a time",
            "wait for the sweep that writes it, or give another --store and merge them",
        ) from None
    return handle
