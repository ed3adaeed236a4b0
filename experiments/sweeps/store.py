"""The store: what a sweep has computed, in one SQLite file that survives being cut off.

A cell's result is the sum of its parts: a formula is one part, a simulation a part for each range
of its users. Parts are written once and never changed. Which users are counted is in the key, so
nothing is counted twice, whoever computed it how often.
"""

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from prum.analytic.precision_recall import PrecisionRecall
from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.parts import Part, Range, missing
from prum.simulator.collections.files import place
from prum.simulator.model import InputError
from prum.simulator.model.task import canonical_json
from prum.simulator.simulation import Simulation

# "prum" in ASCII: says whose file it is.
_APPLICATION = 0x7072756D
_FORMAT = 1
# What SQLite complains about where the file is damaged: names in its statements are ours.
_DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
# What can befall any file, as the system calls it.
_OS_ERRORS = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_CANTOPEN: errno.ENOENT,
    sqlite3.SQLITE_BUSY: errno.EBUSY,
}
_TABLES = """
CREATE TABLE cell (
    key TEXT PRIMARY KEY,         -- SHA-256 of content
    content TEXT NOT NULL,        -- JSON: what is computed, without names
    recipe TEXT NOT NULL          -- JSON: where the list was found, and under which names
) STRICT, WITHOUT ROWID;
CREATE TABLE part (
    cell TEXT NOT NULL REFERENCES cell,
    first INTEGER NOT NULL,       -- number of the first user, 0 for a formula
    count INTEGER NOT NULL,       -- of users, 0 for a formula
    result TEXT NOT NULL,         -- JSON: PrecisionRecall, Simulation, or null: no closed form
    seconds REAL NOT NULL,        -- that it took
    PRIMARY KEY (cell, first)
) STRICT;
CREATE TABLE failure (
    cell TEXT PRIMARY KEY REFERENCES cell,
    error TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""


class Store:
    """The results of sweeps, by content key. One process at a time writes, any number read.

    Parameters
    ----------
    path
        The file, made if it isn't there; None for a store in memory.
    read_only
        Open an existing store for reading, also while another process writes.

    Raises
    ------
    InputError
        for a file that is no store, a damaged one, or one that another process writes.
    OSError
        if the file can't be opened, or later if the disk is full.
    """

    def __init__(self, path: str | Path | None = None, *, read_only: bool = False) -> None:
        self.path = None if path is None else Path(path)
        self._lock: int | None = None
        name = ":memory:"
        if self.path is not None:
            _check_file(self.path, read_only)
            if not read_only:
                self._lock = _locked(self.path)
            name = f"{self.path.absolute().as_uri()}?mode={_mode(self.path, read_only)}"
        try:
            with self._errors():
                self._connection = sqlite3.connect(name, uri=True, isolation_level=None, timeout=60)
                self._prepare(read_only)
        except BaseException:
            self.close()
            raise

    def _prepare(self, read_only: bool) -> None:
        execute = self._connection.execute
        application = execute("PRAGMA application_id").fetchone()[0]
        tables = {
            name for (name,) in execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        new = not application and not tables and not read_only
        if not new:
            if application != _APPLICATION:
                raise self._refused("be a store of sweeps", "name another file")
            found = execute("PRAGMA user_version").fetchone()[0]
            if found != _FORMAT:
                rule = f"have format {_FORMAT} (it has {found})"
                raise self._refused(rule, "use the prum that made it")
            if not {"cell", "part", "failure"} <= tables:
                raise self._damaged("a table is missing")
        if read_only:
            execute("PRAGMA query_only = ON")
            return
        # A committed transaction is on the disk, whatever is killed or loses power.
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
        if new:
            with self._transaction():
                for statement in _TABLES.split(";")[:-1]:
                    execute(statement)
                execute(f"PRAGMA application_id = {_APPLICATION}")
                execute(f"PRAGMA user_version = {_FORMAT}")

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

    def add(self, parts: Iterable[Part]) -> None:
        """Write parts; when this returns they are on the disk. A part that is there stays."""
        rows = [(part.key, part.first, part.count, part.result, part.seconds) for part in parts]
        with self._transaction():
            self._connection.executemany("INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?, ?)", rows)
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

    def ranges(self) -> dict[str, list[Range]]:
        """Return (first, count) of each cell's parts, in order."""
        found: dict[str, list[Range]] = {}
        for key, first, count in self._rows("SELECT cell, first, count FROM part ORDER BY 1, 2"):
            found.setdefault(key, []).append((first, count))
        return found

    def result(self, key: str) -> PrecisionRecall | Simulation | None:
        """Return a cell's result: its parts added up; None if it has no closed form.

        Raises
        ------
        KeyError
            for a cell without any part.
        """
        rows = self._rows("SELECT count, result FROM part WHERE cell = ? ORDER BY first", key)
        total: Simulation | None = None
        for count, text in rows:
            try:
                if not count:
                    return None if text == "null" else PrecisionRecall.from_json(text)
                simulation = Simulation.from_json(text)
            except (ValueError, TypeError, LookupError, AttributeError) as error:
                raise self._damaged(f"cell {key[:16]}: {error}") from None
            total = simulation if total is None else total + simulation
        if total is None:
            raise KeyError(key)
        return total

    def seconds(self) -> dict[str, tuple[float, int]]:
        """Return the seconds and the users of each cell's parts so far."""
        query = "SELECT cell, total(seconds), sum(count) FROM part GROUP BY cell"
        return {key: (seconds, users) for key, seconds, users in self._rows(query)}

    def failures(self) -> dict[str, str]:
        """Return the error of each cell that could not be computed."""
        return dict(self._rows("SELECT cell, error FROM failure ORDER BY cell"))

    def merge(self, other: "Store") -> int:
        """Take over what another store has and this one has not; return the number of parts.

        Users that both counted are counted once, also where they are cut into other parts: the
        fewer, larger parts stay.

        Raises
        ------
        InputError
            where a part of one overlaps a part of the other and neither contains the other.
        """
        if other is self:
            return 0
        with other._transaction("BEGIN"):
            return self._merge(other)

    def _merge(self, other: "Store") -> int:
        mine = self.ranges()
        taken: list[tuple[str, int]] = []
        dropped: list[tuple[str, int]] = []
        for key, theirs in other.ranges().items():
            here = mine.get(key, [])
            if here and _within(here, theirs) and not _within(theirs, here):
                # All that is here is there as well, perhaps cut elsewhere.
                dropped.extend((key, first) for first, _ in here)
                here = []
            for part in theirs:
                if here and _within([part], here):
                    continue
                inside = [one for one in here if _within([one], [part])]
                here = [one for one in here if one not in inside]
                for one in here:
                    if one[0] < sum(part) and part[0] < sum(one):
                        raise self._refused(
                            f"share whole parts with {other.path}: cell {key[:16]} has users "
                            f"{_shown(part)} there and {_shown(one)} here",
                            "simulate the cell anew in an empty store",
                        )
                dropped.extend((key, first) for first, _ in inside)
                taken.append((key, part[0]))
                here.append(part)
        with self._transaction():
            execute = self._connection.execute
            for row in dropped:
                execute("DELETE FROM part WHERE cell = ? AND first = ?", row)
            for key in dict.fromkeys(key for key, _ in taken):
                for row in other._rows("SELECT * FROM cell WHERE key = ?", key):
                    execute("INSERT OR IGNORE INTO cell VALUES (?, ?, ?)", row)
                execute("DELETE FROM failure WHERE cell = ?", (key,))
            for key, first in taken:
                query = "SELECT * FROM part WHERE cell = ? AND first = ?"
                for row in other._rows(query, key, first):
                    execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", row)
        return len(taken)

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        with self._errors():
            self._connection.execute(begin)
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Say in the project's words what SQLite complains about."""
        try:
            yield
        except UnicodeDecodeError as error:
            raise self._damaged(error) from None
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code in _DAMAGES:
                raise self._damaged(error) from None
            if code in _OS_ERRORS:
                told = f"{error}; what was stored before is safe, run again to go on"
                raise OSError(_OS_ERRORS[code], told, str(self.path)) from None
            raise

    def _damaged(self, error: object) -> InputError:
        told = " ".join(str(error).split())
        return self._refused(f"be a whole SQLite file ({told})", "restore it, or name another")

    def _refused(self, rule: str, remedy: str) -> InputError:
        return _refused(self.path, rule, remedy)


def _within(parts: list[Range], others: list[Range]) -> bool:
    """Return whether all users of `parts` are in `others`; a formula is if there is another."""
    return all(not missing(others, part) for part in parts)


def _refused(path: Path | None, rule: str, remedy: str) -> InputError:
    name = "in memory" if path is None else path.name or str(path)
    where = "" if path is None else place(path.parent)
    return InputError("store", name, rule, remedy=remedy, place=where)


def _check_file(path: Path, read_only: bool) -> None:
    """Raise InputError unless `path` can be a store: a file that begins as one, or none yet."""
    if "\0" in str(path):
        raise _refused(path, "have a name", "name a file")
    if not path.exists():
        if read_only:
            raise _refused(path, "exist", "check the name")
        if not path.parent.is_dir():
            raise _refused(path, "lie in a folder that exists", f"create {path.parent}")
        return
    if not path.is_file():
        raise _refused(path, "be a file", "name a file")
    if not read_only and not os.access(path, os.W_OK):
        raise _refused(path, "be a file you may write to", "copy it, and name the copy")
    with path.open("rb") as file:
        head = file.read(100)
    if head:
        # 1 stands for 65,536, which two bytes can't hold.
        page_size = int.from_bytes(head[16:18], "big")
        page_size = 65_536 if page_size == 1 else page_size
        if not head.startswith(b"SQLite format 3\0"):
            raise _refused(path, "be a store of sweeps", "name another file")
        # Before the first checkpoint of its log a store has no application id in its file.
        application, form = (int.from_bytes(head[k : k + 4], "big") for k in (68, 60))
        if application not in (0, _APPLICATION):
            raise _refused(path, "be a store of sweeps", "name another file")
        if application and form != _FORMAT:
            rule = f"have format {_FORMAT} (it has {form})"
            raise _refused(path, rule, "use the prum that made it")
        if not page_size or path.stat().st_size % page_size:
            raise _refused(
                path, "be a whole SQLite file (it is cut off)", "restore it, or name another"
            )


def _mode(path: Path, read_only: bool) -> str:
    """Return how SQLite opens a file."""
    if not read_only:
        return "rwc"
    path = Path(os.path.realpath(path))
    # Readers announce themselves in files beside it, which only those who may write tidy up.
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        return "rw"
    # Without a log nobody is writing.
    return "ro" if Path(f"{path}-wal").exists() else "ro&immutable=1"


def _locked(path: Path) -> int:
    """Return an open file that keeps other writers out; the system lets go of it in any case."""
    # Not the store itself: closing it would end SQLite's own locks.
    lock = os.open(f"{os.path.realpath(path)}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise _refused(
            path,
            "be written by one process at a time",
            "wait for the sweep that writes it, or give another --store and merge them",
        ) from None
    return lock


def _shown(users: Range) -> str:
    return f"{users[0]} to {users[0] + users[1] - 1}"
