"""Lists as jobs for workers, and what they are expected to cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prum.experiments.sweeps.cells import Source, loaded
from prum.experiments.trust.dependences import NamedDependence, as_given, dependences
from prum.experiments.trust.of_list import ListTrust, list_trust
from prum.experiments.trust.values import Effort
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError

# Seconds of one processor for a list: always, for ranks, and for ranks times ideals.
_ALWAYS, _BY_RANK, _BY_CELL = 0.01, 2e-4, 1.2e-5
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
    effort: Effort

    def table(self) -> tuple[NamedDependence, ...]:
        """Return the dependences."""
        return table_of(loaded(self.source), self.differ, self.correlated)


def table_of(campaign: Campaign, differ: str, correlated: float) -> tuple[NamedDependence, ...]:
    """Return the dependences of a campaign: those of the table, and its own."""
    own = as_given(campaign.kind)
    return (*dependences(differ=differ, correlated=correlated), *([] if own is None else [own]))


def compute(job: TrustJob) -> ListTrust:
    """Return a list under every dependence; the same in whatever process.

    Raises
    ------
    InputError
        as `list_trust`, naming system and topic.
    """
    campaign = loaded(job.source)
    task = campaign.task(job.system, job.topic)
    try:
        return list_trust(task, campaign.navigation_on(job.topic), job.table(), job.effort)
    except InputError as error:
        raise error.at(f"system {job.system}, topic {job.topic}") from None


def jobs_of(
    source: Source, campaign: Campaign, differ: str, correlated: float, effort: Effort
) -> Iterator[TrustJob]:
    """Yield the jobs of a campaign, topic by topic."""
    for topic in campaign.ideals:
        for system in campaign.runs:
            yield TrustJob(source, system, topic, differ, correlated, effort)


def expected_seconds(campaign: Campaign) -> Sequence[float]:
    """Return about how many seconds of one processor each job takes, in the order of `jobs_of`."""
    seconds = []
    for topic, ideals in campaign.ideals.items():
        for lists in campaign.runs.values():
            ranks = len(lists.get(topic, ()))
            browsed = len(campaign_links(campaign, topic)) > 0
            cells = _BY_RANK * ranks + _BY_CELL * ranks * len(ideals)
            seconds.append(_ALWAYS + (cells if browsed else 0.0))
    return seconds


def campaign_links(campaign: Campaign, topic: str) -> Sequence[object]:
    """Return the links of a topic."""
    links: Sequence[object] = campaign.navigation_on(topic).links  # type: ignore[assignment]
    return links
