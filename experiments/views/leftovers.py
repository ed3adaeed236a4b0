"""Parts of results, locked by the process that writes them; unlocked ones are removed.

A file or folder is written beside its place, as `.NAME.XXXXXXXX.part`, under a lock that the
system lets go when the process ends, however it does. `.old` is what was there before, between the
two renames of a replacement. Where the file system knows no locks, or folders do not open
(Windows), nothing is cleared.
"""

import importlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
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


_LONGEST = 100  # letters of a name; with the rest a file system takes it


@contextmanager
def part_of(target: Path, *, folder: bool) -> Iterator[Path]:
    """Yield a new file or folder beside `target`, locked until the context ends."""
    handle = None
    with _alone_in(target.parent) as locks:
        prefix = f".{target.name[:_LONGEST]}."
        if folder:
            part = tempfile.mkdtemp(dir=target.parent, prefix=prefix, suffix=".part")
            if locks:
                handle = os.open(part, os.O_RDONLY)
        else:
            handle, part = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=".part")
            if not locks:  # Windows replaces no file that is open
                os.close(handle)
                handle = None
        if handle is not None:
            lock(handle, wait=True)
    try:
        yield Path(part)
    finally:
        if handle is not None:
            os.close(handle)


def clear(target: Path) -> None:
    """Remove the parts of `target` that nobody holds; put back what was to be replaced by one."""
    if not target.parent.is_dir():
        return
    name = re.compile(rf"\.{re.escape(target.name[:_LONGEST])}\.[a-z0-9_]{{8}}\.(part|old)")
    with _alone_in(target.parent) as locks:
        if not locks:
            return
        # What lies aside comes before its part, and is held as that is.
        for path in sorted(target.parent.iterdir()):
            if not name.fullmatch(path.name) or _is_held(path.with_suffix(".part")):
                continue
            if path.suffix == ".old" and not target.exists():
                path.rename(target)
            elif path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def _is_held(part: Path) -> bool:
    """Return whether a process holds a part; what is no file or folder counts as held."""
    try:
        handle = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        lock(handle, wait=False)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


@contextmanager
def _alone_in(folder: Path) -> Iterator[bool]:
    """Keep others from making or clearing parts; say whether there are locks here."""
    handle = None
    try:
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
        try:
            if handle is not None:
                lock(handle, wait=True)
        except OSError:
            yield False
        else:
            yield handle is not None
    finally:
        if handle is not None:
            os.close(handle)
