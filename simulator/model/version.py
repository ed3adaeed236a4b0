"""The version of prum, looked up when it is first asked for."""

from functools import cache


@cache
def own_version() -> str:
    """Return the version of prum in this process."""
    from importlib.metadata import version  # slow to load

    return version("prum")
