"""Lists as jobs for workers, and what they are expected to cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prum.experiments.sweeps.cells import Source, loaded
from prum.experiments.trust.dependences import NamedDependence, as_given, dependences
from prum.experiments.trust.of_list import ListTrust, list_trust
from prum.experiments.trust.values import UserLimit, is_quick_joint
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError

# Seconds of one processor for a list: always; for each rank and squared ideal (quadrature, bounds);
# for each rank and set of ideals (exact values), or each rank if these are too many (simulation);
# and for each link that is walked, once a topic.
_UNBROWSED, _ALWAYS, _BY_SQUARE, _BY_SET, _BY_RANK, _BY_STEP = (
    0.01,
    0.08,
    5e-8,
    2.6e-6,
    3.5e-4,
    4e-6,
)
# Seconds until a process beside this one is at work.
STARTING = 3.0


@dataclass(frozen=True, slots=True)
class TrustJob:
    """One list to compute: of which campaign, and under which dependences."""

    source: Source
    system: str
    topic: str
    differ: str
    correlated: float
    effort: UserLimit
    cost: str | None = None

    def table(self) -> tuple[NamedDependence, ...]:
        """Return the dependences."""
        return table_of(loaded(self.source), self.differ, self.correlated)


def table_of(campaign: Campaign, differ: str, correlated: float) -> tuple[NamedDependence, ...]:
    """Return the dependences of a campaign: those of the table, and its own."""
    given = campaign.navigation_on(next(iter(campaign.ideals)))
    own = as_given(campaign.kind, is_within=given.takes_dials and not given.is_walk)
    return (*dependences(differ=differ, correlated=correlated), *([] if own is None else [own]))


def compute(job: TrustJob) -> ListTrust:
    """Return a list under every dependence; the same in whatever process.

    Raises
    ------
    InputError
        as `list_trust`, naming system and topic.
    """
    campaign = loaded(job.source)
    task, navigation = campaign.task(job.system, job.topic), campaign.navigation_on(job.topic)
    try:
        costs = None if job.cost is None else campaign.costs_of(task, navigation, job.cost)
        return list_trust(task, navigation, job.table(), job.effort, costs=costs)
    except InputError as error:
        raise error.at(f"system {job.system}, topic {job.topic}") from None


def jobs_of(
    source: Source,
    campaign: Campaign,
    differ: str,
    correlated: float,
    effort: UserLimit,
    cost: str | None,
) -> Iterator[TrustJob]:
    """Yield the jobs of a campaign, topic by topic."""
    for topic in campaign.ideals:
        for system in campaign.runs:
            yield TrustJob(source, system, topic, differ, correlated, effort, cost)


def expected_seconds(campaign: Campaign) -> Sequence[float]:
    """Return about how many seconds of one processor each job takes, in the order of `jobs_of`."""
    seconds = []
    for topic, ideals in campaign.ideals.items():
        navigation, t = campaign.navigation_on(topic), len(ideals)
        num_links = len(navigation.links)
        walked = _BY_STEP * num_links * navigation.base.is_walk
        for lists in campaign.runs.values():
            ranks = len(lists.get(topic, ()))
            each = _BY_SET * ranks * 2**t if is_quick_joint(ranks, t) else _BY_RANK * ranks
            browsed = _ALWAYS + _BY_SQUARE * ranks * t**2 + each + walked
            seconds.append(browsed if num_links else _UNBROWSED)
            walked = 0.0
    return seconds
