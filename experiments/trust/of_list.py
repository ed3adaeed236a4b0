"""One list under every dependence, with PRUM and bounds; lists as jobs for workers."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from prum.analytic.precision.bounds import PrecisionBounds, any_dependence_bounds, precision_bounds
from prum.analytic.precision.gradient import link_gradient
from prum.analytic.precision.independent import exact
from prum.analytic.precision.of_task import consulted_quantiles
from prum.analytic.precision.published import prum
from prum.analytic.precision.walks import NoWalkError
from prum.experiments.sweeps.cells import Source, loaded
from prum.experiments.trust.dependences import (
    NamedDependence,
    NoSuchUsersError,
    ReachedList,
    as_given,
    dependences,
)
from prum.experiments.trust.values import DependentValue, UserLimit, value_of
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import InputError, ListCosts, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.costs import costs_of_list

PRUM, INDEPENDENT = "PRUM", "independent"
# Shares of users who are done.
SHARES = (0.5, 0.9)
# Seconds of one processor for a list without links, and with them: always; for each rank, and each
# rank and squared ideal (quadrature, bounds); for each link from the list to an ideal; and for each
# link that is walked, once a topic.
_UNBROWSED, _ALWAYS, _BY_RANK, _BY_SQUARE, _BY_LINK, _BY_STEP = (
    0.01,
    0.03,
    4e-5,
    1.5e-8,
    1.9e-4,
    9e-7,
)
# Seconds until a process beside this one is at work.
STARTING = 3.0
# Links kept of those that would improve the list most.
_MOST_LINKS = 5


@dataclass(frozen=True, slots=True, eq=False)
class ListTrust:
    """A list under every dependence.

    Parameters
    ----------
    values
        "PRUM", "independent" and the names of dependences -> value; r = 1 .. t.
    lacking
        Dependence -> why no such users have these P(x -> y).
    bounds
        Of precision at r = 1 .. t, whatever the dependence between all visits.
    within
        The same, if visits from one element alone depend on each other.
    quantiles
        Elements within which each of `SHARES` of the users are done, shape (shares, t), under
        independence.
    paid
        What these elements cost; as many as there are where elements are counted.
    links
        (source, target, P(x -> y), derivative of mean precision) of the links that would improve it
        most, under independence; none where costs are counted.
    seconds
        What it took, of one processor.
    """

    values: Mapping[str, DependentValue]
    lacking: Mapping[str, str]
    bounds: PrecisionBounds
    within: PrecisionBounds
    quantiles: Ints
    paid: Floats
    links: tuple[tuple[str, str, float, float], ...]
    seconds: float

    @property
    def num_ideals(self) -> int:
        """t, the number of ideals."""
        return len(self.values[PRUM].precision)

    def average(self, name: str) -> float:
        """Return the mean of precision over r = 1 .. t.

        NaN if there are no such users, or too few at some r.
        """
        value = self.values.get(name)
        return float("nan") if value is None else float(value.precision.mean())

    def is_missing(self, name: str, r: int | None) -> bool:
        """Return whether users were too few: at r, or somewhere in the mean over r."""
        unresolved = self.values[name].unresolved
        return bool((unresolved if r is None else unresolved[r - 1 : r]).any())

    def is_idle(self, name: str) -> bool:
        """Return whether there are such users, and nothing can depend on it."""
        return name in self.values and self.values[name].how == "idle"


def list_trust(
    task: Task,
    navigation: Navigation,
    table: Sequence[NamedDependence],
    effort: UserLimit,
    *,
    costs: ListCosts | None = None,
) -> ListTrust:
    """Return what a list's precision is under each dependence with the same P(x -> y).

    The links, probabilities and ranks are those of `reach_matrix`; nobody browses after the list.
    With `costs` all of it counts what elements cost.
    """
    began = time.process_time()
    given = ReachedList(task, navigation, costs)
    u = task.num_unranked
    independent = exact(given.reach, u, costs=costs)
    values = {
        PRUM: DependentValue.of_exact(prum(given.reach, u, costs=costs).precision),
        INDEPENDENT: DependentValue.of_exact(independent.precision),
    }
    known = PrecisionBounds(
        np.arange(1, task.num_ideals + 1),
        *(independent.consulted, independent.consulted),
        *(independent.precision, independent.precision),
    )
    bounds, within = known, known
    if given.most_uncertain("user") > 1:
        bounds = any_dependence_bounds(given.reach, u, costs=costs)
    if given.most_uncertain("element") > 1:
        within = _tighter(precision_bounds(given.reach, u, costs=costs), bounds)
    lacking: dict[str, str] = {}
    for dependence in table:
        try:
            value = value_of(given, dependence, independent, effort)
        except (NoSuchUsersError, NoWalkError) as error:
            lacking[dependence.name] = str(error)
            continue
        if value.how == "simulated" and dependence.is_bound:
            ends = within if dependence.is_within else bounds
            value = value.within(ends.precision_low, ends.precision_high)
        values[dependence.name] = value
    quantiles = consulted_quantiles(task, given.table, SHARES)
    if quantiles is None:
        raise TypeError(given.table)
    paid = costs_of_list(costs, task.num_ranked).up_to(quantiles)
    links = _best_links(given) if costs is None else ()
    seconds = time.process_time() - began
    return ListTrust(values, lacking, bounds, within, quantiles, paid, links, seconds)


def _tighter(one: PrecisionBounds, other: PrecisionBounds) -> PrecisionBounds:
    """Return the tighter of two bounds that both hold, end by end."""
    low, high = ("consulted_low", "precision_low"), ("consulted_high", "precision_high")
    ends = {name: np.maximum(getattr(one, name), getattr(other, name)) for name in low}
    ends |= {name: np.minimum(getattr(one, name), getattr(other, name)) for name in high}
    return replace(one, **ends)


def _best_links(given: ReachedList) -> tuple[tuple[str, str, float, float], ...]:
    """Return the links that would improve mean precision most, those of P = 0 among them."""
    if not given.task.num_ranked or not (given.reach.data < 1).any():
        return ()
    best = link_gradient(given.task, given.table).best(_MOST_LINKS)
    return tuple(link for link in best if link[3] > 0)


# --- jobs for workers ----------------------------------------------------------------------------


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
    own = as_given(campaign.kind, given)
    return (*dependences(differ=differ, correlated=correlated), *([] if own is None else [own]))


def compute(job: TrustJob) -> ListTrust:
    """Return a list under every dependence; the same in whatever process.

    Raise InputError as `list_trust`, naming system and topic.
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
        links = navigation.links
        code = links.code
        wanted = np.isin(links.targets, [code[ideal] for ideal in ideals if ideal in code])
        sources = links.sources[wanted]
        walked = _BY_STEP * len(links) * navigation.base.is_walk
        for lists in campaign.runs.values():
            ranking = lists.get(topic, ())
            listed = [code[element] for element in ranking if element in code]
            by_rank = (_BY_RANK + _BY_SQUARE * t**2) * len(ranking)
            by_link = _BY_LINK * int(np.isin(sources, listed).sum())
            seconds.append(_ALWAYS + by_rank + by_link + walked if len(links) else _UNBROWSED)
            walked = 0.0
    return seconds
