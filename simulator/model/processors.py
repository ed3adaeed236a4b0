"""How many processors this process may use."""

import os

# More threads than any machine has use for.
MOST_THREADS = 1024


def own_processors() -> int:
    """Return the number of processors of this process, of the machine where systems don't say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
