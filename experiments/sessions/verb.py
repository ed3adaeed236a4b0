"""Users of every system of a campaign, in time."""

import itertools
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prum.experiments.frame.frames import FrameResult
from prum.experiments.sessions.result import Settings, Summary, counts_of, sessions_result
from prum.experiments.sweeps.cells import Given, Kept, Source, loaded
from prum.experiments.sweeps.workers import Workers, in_order, on_processors
from prum.simulator.collections.campaign import Campaign
from prum.simulator.sessions.crowd import Entry, Traffic
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

    def traffic(self) -> Traffic:
        """Return where these users meet."""
        settings: Settings = pickle.loads(self.packed)
        return settings.traffic(loaded(self.source), self.system)


def counts_of_users(job: UsersJob) -> list[list[float]]:
    """Return what `counts_of` says of each user."""
    return [counts_of(sessions) for sessions in sessions_of_users(job)]


def sessions_of_users(job: UsersJob) -> list[list[Session]]:
    """Return each user's sessions."""
    traffic = _traffic(job.source, job.system, job.packed)
    return [traffic.sessions(user) for user in job.users]


@lru_cache(maxsize=1)
def _traffic(source: Source, system: str, packed: bytes) -> Traffic:
    """Return where users meet, kept for the next of them."""
    return UsersJob(source, system, packed, range(0)).traffic()


# Called with the system of an entry, and the entry.
Tell = Callable[[str, Entry], object]


def simulate_campaigns(
    campaigns: Sequence[Campaign],
    settings: Settings,
    tell: Tell | None = None,
    *,
    workers: int = 1,
    gone: Callable[[int], object] | None = None,
) -> FrameResult:
    """Return what the users of each system did, one system after the other.

    Parameters
    ----------
    tell
        Called with each event, in the order of time within a system. Without it users' own clocks
        are enough.
    workers
        Processes; what comes of it does not depend on their number.
    gone
        Called with the number of users of all systems who have left.
    """
    systems = list[dict[str, Any]]()
    numbers = itertools.count(1)
    with TemporaryDirectory(prefix="prum-") as folder, on_processors(workers) as hands:
        for number, campaign in enumerate(campaigns):
            source: Source = Given(campaign)
            if workers > 1:
                source = Kept.of(campaign, Path(folder, f"campaign{number}"))
            for system in campaign.runs:
                job = UsersJob(source, system, pickle.dumps(settings), settings.users)
                summary = Summary()
                for _ in _counted(job, len(campaign.ideals), hands, summary, tell):
                    if gone is not None:
                        gone(next(numbers))
                systems.append({"campaign": campaign.name, "system": system, **summary.row()})
    return sessions_result(systems, settings)


def _counted(
    job: UsersJob, num_topics: int, hands: Workers, summary: Summary, tell: Tell | None
) -> Iterator[None]:
    """Add the users of a system to its summary, one after the other, and yield after each."""
    parts = job.parts(num_topics)
    if tell is None:
        for part in in_order(hands, counts_of_users, parts):
            for counts in part:
                summary.add_user(counts)
                yield
        return

    def counted() -> Iterator[list[Session]]:
        for sessions in itertools.chain.from_iterable(in_order(hands, sessions_of_users, parts)):
            summary.add_user(counts_of(sessions))
            yield sessions

    for entry in job.traffic().entries(job.users, counted()):
        tell(job.system, entry)
        if entry.last:
            yield
