"""Locks of open files, of which the system lets go when a process ends, however it does."""

import importlib
from types import ModuleType

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

# Whether a folder can be opened, and its entries flushed and locked.
FOLDERS_OPEN = fcntl is not None


def lock(handle: int, *, wait: bool) -> None:
    """Lock an open file, or a folder where they open.

    Raises
    ------
    BlockingIOError
        if another process has locked it and one is not to wait.
    OSError
        where the file system knows no locks.
    """
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return
    msvcrt = importlib.import_module("msvcrt")
    try:
        msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    except PermissionError as held:
        raise BlockingIOError(*held.args) from held
