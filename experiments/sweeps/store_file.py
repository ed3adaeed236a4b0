"""The file of a store: an SQLite file with certain tables, checked when it is opened."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prum.experiments.frame.files import lock
from prum.simulator.model import InputError
from prum.simulator.tables.files import place

# "prum" in ASCII: says whose file it is.
_APPLICATION = 0x7072756D
_FORMAT = 2
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
    """CREATE TABLE cell (
    key TEXT PRIMARY KEY,         -- SHA-256 of content
    content TEXT NOT NULL,        -- JSON: what is computed, without names
    recipe TEXT NOT NULL          -- JSON: where the list was found, and under which names
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE part (
    cell TEXT NOT NULL REFERENCES cell,
    first INTEGER NOT NULL,       -- number of the first user, 0 for a formula
    count INTEGER NOT NULL,       -- of users, 0 for a formula
    result TEXT NOT NULL,         -- JSON: PrecisionRecall, Simulation, or null: no closed form
    seconds REAL NOT NULL,        -- that it took
    hash TEXT NOT NULL,           -- SHA-256 of what stands before, as lines
    PRIMARY KEY (cell, first)
) STRICT""",
    """CREATE TABLE failure (
    cell TEXT PRIMARY KEY REFERENCES cell,
    error TEXT NOT NULL
) STRICT, WITHOUT ROWID""",
)


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


def prepare(connection: sqlite3.Connection, path: Path | None, *, read_only: bool) -> None:
    """Make a new store's tables, or check that an old one is whole."""
    execute, is_new = connection.execute, _is_new(connection)
    answer = execute("PRAGMA integrity_check(1)").fetchone()[0]
    if answer != "ok":
        raise damaged(path, answer)
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
        lock(handle)
    except BlockingIOError:
        os.close(handle)
        raise refused(
            path,
            "be written by one process at a time",
            "wait for the sweep that writes it, or give another --store and merge them",
        ) from None
    return handle
