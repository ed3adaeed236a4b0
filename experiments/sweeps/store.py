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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.sweeps.cells import CellPart, UsersOfPart, missing
from prum.simulator.model import InputError
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.tables.files import place

# "prum" in ASCII: says whose file it is.
_APPLICATION = 0x7072756D
_FORMAT = 3
# What can befall any file, as the system calls it; all else that SQLite complains about is damage.
_OS_ERRORS = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_BUSY: errno.EBUSY,
}
_RESTORE = "restore it, or name another"
_TABLES = (
    """CREATE TABLE part (
    cell TEXT NOT NULL,           -- key: SHA-256 of what is computed
    first INTEGER NOT NULL,       -- number of the first user, 0 for a formula
    count INTEGER NOT NULL,       -- of users, 0 for a formula
    result TEXT NOT NULL,         -- JSON: PrecisionRecall, Simulation, or null: no closed form
    seconds REAL NOT NULL,        -- that it took
    hash TEXT NOT NULL,           -- SHA-256 of what stands before, as lines
    PRIMARY KEY (cell, first)
) STRICT""",
    """CREATE TABLE failure (
    cell TEXT PRIMARY KEY,
    error TEXT NOT NULL
) STRICT, WITHOUT ROWID""",
)


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
                prepare(self._connection, read_only=read_only)
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
        new, dropped = list[tuple[str, int]](), list[tuple[str, int]]()
        for key, added in other.ranges().items():
            # Of these cells only: of all, so many stores would each read all that was taken over.
            kept = [(part.first, part.count) for part in self.parts("WHERE cell = ?", key)]
            if _within(kept, added) and not _within(added, kept):
                # All that is here is there as well, perhaps cut elsewhere.
                dropped += [(key, first) for first, _ in kept]
                kept = []
            for part in added:
                if kept and _within([part], kept):
                    continue
                over = [users for users in kept if users[0] < sum(part) and part[0] < sum(users)]
                for users in over:
                    if not _within([users], [part]):
                        raise refused(
                            self.path,
                            f"share whole parts with {other.path}: cell {key[:16]} has users "
                            f"{_shown(part)} there and {_shown(users)} here",
                            "simulate the cell anew in an empty store",
                        )
                dropped += [(key, first) for first, _ in over]
                new.append((key, part[0]))
                kept = [part, *(users for users in kept if users not in over)]
        with self._transaction():
            write = self._connection.executemany
            write("DELETE FROM part WHERE cell = ? AND first = ?", dropped)
            write("DELETE FROM failure WHERE cell = ?", {(key,) for key, _ in new})
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


def _within(parts: list[UsersOfPart], others: list[UsersOfPart]) -> bool:
    """Return whether all users of `parts` are in `others`; a formula is if there is another."""
    return all(not missing(others, part) for part in parts)


def _shown(users: UsersOfPart) -> str:
    return f"{users[0]} to {users[0] + users[1] - 1}"


def check_identity(connection: sqlite3.Connection, path: Path | None) -> None:
    """Raise InputError unless this is a store of this format, or a file with nothing in it."""
    execute = connection.execute
    application, form = (
        execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    is_new = _is_new(connection)
    if application != _APPLICATION and not (is_new and application == 0):
        raise refused(path, "be a store of sweeps", "name another file")
    if form != _FORMAT and not is_new:
        raise refused(path, f"have format {_FORMAT} (it has {form})", "use the prum that made it")


def _is_new(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT 1 FROM sqlite_schema").fetchone()


def prepare(connection: sqlite3.Connection, *, read_only: bool) -> None:
    """Make a new store's tables."""
    execute, is_new = connection.execute, _is_new(connection)
    if read_only:
        if is_new:  # A process that was killed first thing leaves a file without tables.
            for statement in _TABLES:
                execute(statement.replace("TABLE", "TEMP TABLE", 1))
        execute("PRAGMA query_only = ON")
        return
    # A committed transaction is on the disk, whatever is killed or loses power.
    execute("PRAGMA journal_mode = WAL")
    execute("PRAGMA synchronous = FULL")
    if is_new:
        execute("BEGIN IMMEDIATE")
        for statement in _TABLES:
            execute(statement)
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
        raise damaged(path, error) from None


def damaged(path: Path | None, what: object) -> InputError:
    """Return the error of a store that is not what was written."""
    return refused(path, f"be a whole SQLite file ({_line(what)})", _RESTORE)


def refused(path: Path | None, rule: str, remedy: str) -> InputError:
    """Return the error of a store that can't be used."""
    name = "in memory" if path is None else path.name or str(path)
    where = "" if path is None or path.parent == Path() else place(path.parent)
    return InputError("store", name, rule, remedy=remedy, place=where)


def check_file(path: Path, read_only: bool) -> None:
    """Raise InputError unless `path` can be a store: a file, or none yet."""
    if "\0" in str(path):
        raise refused(path, "have a name", "name a file")
    if not path.exists():
        if read_only:
            raise refused(path, "exist", "check the name")
        if not path.parent.is_dir():
            raise refused(path, "lie in a folder that exists", f"create {path.parent}")
    elif not path.is_file():
        raise refused(path, "be a file", "name a file")
    elif not read_only and not os.access(path, os.W_OK):
        raise refused(path, "be a file you may write to", "copy it, and name the copy")


def _line(what: object) -> str:
    return " ".join(str(what).split())


def mode(path: Path, read_only: bool) -> str:
    """Return how SQLite opens a file."""
    if not read_only:
        return "rwc"
    path = Path(os.path.realpath(path))
    # Readers announce themselves in files beside it, which only those who may write tidy up.
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        return "rw"
    # Without a log nobody is writing.
    return "ro" if Path(f"{path}-wal").exists() else "ro&immutable=1"


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
