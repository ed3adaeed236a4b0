"""Users who come to a common clock."""

from collections.abc import Iterator, Sequence
from typing import Any

from prum.simulator.sessions.crowd import Entry, Query, Traffic


def traffic(
    queries: Sequence[Query], *, num_users: int, seed: int, first_user: int = 0, **how: Any
) -> Iterator[Entry]:
    """Return what users do, in the order of time."""
    users = range(first_user, first_user + num_users)
    return Traffic(queries, seed, **how).entries(users)
