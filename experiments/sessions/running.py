"""Users of every system of a campaign, in time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prum.experiments.sessions.summary import Summary
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Task
from prum.simulator.model.costs import Costs
from prum.simulator.model.errors import whole_number
from prum.simulator.model.stopping import Rule, Stopping, stopping_on
from prum.simulator.model.times import Duration
from prum.simulator.sampling.streams import MOST_USERS
from prum.simulator.sessions.crowd import traffic
from prum.simulator.sessions.trace import Detail
from prum.simulator.sessions.visits import Entry, Geometric, Poisson, Query

# Called with the system of an entry, and the entry.
Tell = Callable[[str, Entry], object]


@dataclass(frozen=True, slots=True)
class Settings:
    """What users of every system have in common.

    Parameters
    ----------
    num_users, first_user, seed, arrivals, queries_each, pause, costs, detail
        As in `traffic`.
    wanted
        How many ideals they want, all where there are fewer.
    rules
        Other rules by which they stop. Without any rule they want all ideals.

    Raises
    ------
    InputError
        for a number of ideals that is not a whole number of at least 1.
    """

    num_users: int
    seed: int
    first_user: int = 0
    wanted: int | None = None
    rules: tuple[Rule, ...] = ()
    arrivals: Poisson | None = None
    queries_each: int | Geometric | None = None
    pause: Duration | None = None
    costs: Costs | None = None
    detail: Detail = "every"

    def __post_init__(self) -> None:
        whole_number("users", self.num_users, least=1, most=MOST_USERS, remedy="give 1000, say")
        if self.wanted is not None:
            whole_number("want", self.wanted, least=1, remedy="say how many ideals they want")

    def stopping(self, task: Task) -> Stopping:
        """Return the rules by which a user stops on a task."""
        return stopping_on(task.num_ideals, wanted=self.wanted, rules=self.rules)


@dataclass(frozen=True, slots=True)
class SystemResult:
    """The summary of a system's users."""

    campaign: str
    system: str
    summary: Summary

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"campaign": self.campaign, "system": self.system, **self.summary.to_dict()}


def simulate_system(
    campaign: Campaign, system: str, settings: Settings, tell: Iterable[Tell] = ()
) -> SystemResult:
    """Return what the users of one system did; `tell` are told of each event when it happens.

    Raises
    ------
    InputError
        as `traffic`.
    """
    tasks = {topic: campaign.task(system, topic) for topic in campaign.ideals}
    queries = [
        Query(topic, task, campaign.navigation_on(topic), settings.stopping(task))
        for topic, task in tasks.items()
    ]
    summary, tell = Summary(), tuple(tell)
    for entry in traffic(
        queries,
        num_users=settings.num_users,
        first_user=settings.first_user,
        seed=settings.seed,
        arrivals=settings.arrivals,
        queries_each=settings.queries_each,
        pause=settings.pause,
        costs=settings.costs,
        detail=settings.detail,
    ):
        summary.add(entry)
        for call in tell:
            call(system, entry)
    return SystemResult(campaign.name, system, summary)


def simulate_campaigns(
    campaigns: Sequence[Campaign], settings: Settings, tell: Iterable[Tell] = ()
) -> list[SystemResult]:
    """Return what the users of each system did, one system after the other.

    Raises
    ------
    InputError
        as `traffic`.
    """
    tell = tuple(tell)
    return [
        simulate_system(campaign, system, settings, tell)
        for campaign in campaigns
        for system in campaign.runs
    ]


def to_dict(
    results: Iterable[SystemResult],
    settings: Settings,
    command: str,
    arguments: Mapping[str, Any],
) -> dict[str, Any]:
    """Return all of it as plain data; `command` repeats it."""
    return {
        "command": command,
        "arguments": dict(arguments),
        "num_users": settings.num_users,
        "first_user": settings.first_user,
        "seed": settings.seed,
        "systems": [result.to_dict() for result in results],
    }
