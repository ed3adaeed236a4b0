"""Users of a system as jobs for workers: what they do does not depend on who else is there."""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from prum.experiments.sessions.settings import Settings
from prum.experiments.sessions.summary import counts_of
from prum.experiments.sweeps.cells import Source, loaded
from prum.simulator.sessions.crowd import House
from prum.simulator.sessions.trace import Session

# Sessions of a job, about.
_SESSIONS_EACH = 400


@dataclass(frozen=True, slots=True)
class UsersJob:
    """Users of one system, with their settings as bytes."""

    source: Source
    system: str
    packed: bytes
    users: range

    def parts(self, num_topics: int) -> "Iterator[UsersJob]":
        """Yield jobs of fewer users each."""
        each = max(1, _SESSIONS_EACH // num_topics)
        for first in range(0, len(self.users), each):
            yield replace(self, users=self.users[first : first + each])

    def house(self) -> House:
        """Return where these users meet."""
        settings: Settings = pickle.loads(self.packed)
        return settings.house(loaded(self.source), self.system)


def counts_of_users(job: UsersJob) -> list[list[float]]:
    """Return what `counts_of` says of each user.

    Raises
    ------
    InputError
        as `traffic`.
    """
    return [counts_of(sessions) for sessions in sessions_of_users(job)]


def sessions_of_users(job: UsersJob) -> list[list[Session]]:
    """Return each user's sessions.

    Raises
    ------
    InputError
        as `traffic`.
    """
    house = _house(job.source, job.system, job.packed)
    return [house.sessions(user) for user in job.users]


@lru_cache(maxsize=1)
def _house(source: Source, system: str, packed: bytes) -> House:
    """Return where users meet, kept for the next of them."""
    return UsersJob(source, system, packed, range(0)).house()
