"""This process: which version of prum it runs, and how many processors it may use."""

import os
from functools import cache


@cache
def own_version() -> str:
    """Return the version of prum in this process."""
    from importlib.metadata import version  # slow to load

    return version("prum")


# More threads than any machine has use for.
MOST_THREADS = 1024


def own_processors() -> int:
    """Return the number of processors of this process, of the machine where systems don't say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
