"""Cells of a grid: values to compute, named by the user's words and keyed by content.

The result of a cell comes in parts: ranges of its users, each of which is counted once.
"""

import pickle
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.fitted_files import located
from prum.simulator.model import Navigation
from prum.simulator.model.process import own_version
from prum.simulator.model.task import content_key
from prum.simulator.sampling.sampler import Unranked
from prum.simulator.tables.files import readable

EstimatorName = Literal[
    "prum", "exact", "no-browsing", "simulated", "prum-normal", "independent", "independent-normal"
]
# The navigation of cells that do not depend on browsing.
NO_BROWSING = "none"
# The first user and how many; (0, 0) is a formula.
UsersOfPart = tuple[int, int]
# What a grid computes by default; the others are for telling PRUM's approximations apart.
ESTIMATORS: tuple[EstimatorName, ...] = get_args(EstimatorName)[:4]


class Source(Hashable, Protocol):
    """Where a campaign comes from; small, hashable, and the same for every worker."""

    @property
    def name(self) -> str:
        """The campaign's name."""

    def load(self) -> Campaign:
        """Read or make the campaign."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A campaign that exists already, in this process."""

    campaign: Campaign

    @property
    def name(self) -> str:
        """The campaign's name."""
        return self.campaign.name

    def load(self) -> Campaign:
        """Return the campaign."""
        return self.campaign


@dataclass(frozen=True, slots=True)
class Kept:
    """A campaign that exists already, in a file for other processes."""

    name: str
    path: Path

    @classmethod
    def of(cls, campaign: Campaign, path: Path) -> "Kept":
        """Write a campaign to a file."""
        path.write_bytes(pickle.dumps(campaign))
        return cls(campaign.name, path)

    def load(self) -> Campaign:
        """Return the campaign from its file."""
        campaign: Campaign = pickle.loads(self.path.read_bytes())
        return campaign


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One value to compute: an estimator's on one list, for one topic and way of browsing.

    Users browse as `navigation` names it, which is `kind` where a file is named from anywhere.
    `content` says what is computed and `key` is its SHA-256 as canonical JSON: no name is in it,
    so lists that two systems share are one computation.
    """

    source: Source
    topic: str
    system: str
    navigation: str
    kind: str
    num_ranked: int
    num_ideals: int
    content: dict[str, Any]
    key: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", content_key(self.content))

    @property
    def names(self) -> dict[str, Any]:
        """The names of the cell: campaign, topic, system, navigation, estimator, users."""
        return {
            "campaign": readable(self.source.name),
            "topic": readable(self.topic),
            "system": readable(self.system),
            "navigation": self.navigation,
            "estimator": self.estimator,
            **{name: self.content.get(name) for name in ("seed", "unranked")},
            **({"cost": self.content["cost"]} if "cost" in self.content else {}),
        }

    @property
    def estimator(self) -> EstimatorName:
        """What computes the value."""
        estimator: EstimatorName = self.content["estimator"]
        return estimator

    def __str__(self) -> str:
        return ", ".join(
            f"{name} {value}" for name, value in self.names.items() if value is not None
        )


@dataclass(frozen=True, slots=True)
class CellPart:
    """A result for some of a cell's users, as JSON: `count` of them, from `first` on."""

    key: str
    first: int
    count: int
    result: str


def missing(parts: Iterable[UsersOfPart], asked: UsersOfPart) -> list[UsersOfPart]:
    """Return which users of `asked`, (first, count), are in none of `parts`.

    >>> missing([(10, 10), (30, 5)], (0, 40))
    [(0, 10), (20, 10), (35, 5)]
    """
    begin, end = asked[0], sum(asked)
    gaps = []
    for first, count in sorted(parts):
        if begin < min(first, end):
            gaps.append((begin, min(first, end) - begin))
        begin = max(begin, first + count)
    return [*gaps, (begin, end - begin)] if begin < end else gaps


def grid(
    sources: Iterable[Source],
    *,
    topics: Collection[str] | None = None,
    systems: Collection[str] | None = None,
    navigation: Sequence[str] | None = None,
    estimators: Sequence[EstimatorName] = ESTIMATORS,
    seeds: Sequence[int] = (1,),
    unranked: Sequence[Unranked] = ("sampled",),
    cost: str | None = None,
    folder: Path = Path(),
) -> list[Cell]:
    """Return every cell of a grid, campaign by campaign, topic by topic.

    None means all there are, or the campaign's own navigation. `cost` is the unit in which users
    are charged for elements, None to count them. Files of navigations start from `folder`.
    """
    users = [{"seed": seed, "unranked": ranks} for seed, ranks in product(seeds, unranked)]
    browsing = [estimator for estimator in estimators if estimator != "no-browsing"]
    version, cells = own_version(), list[Cell]()
    for source in sources:
        campaign = loaded(source)
        ways = [(NO_BROWSING, NO_BROWSING)] if len(browsing) < len(estimators) else []
        ways += [(name, located(name, folder)) for name in navigation or (campaign.kind,)]
        navigations = {kind: _navigations(source, kind) for _, kind in ways}
        for system, topic, task in campaign.tasks():
            if not (topics is None or topic in topics) or not (
                systems is None or system in systems
            ):
                continue
            for name, kind in ways:
                browses, key = navigations[kind][topic]
                common = {"version": version, "task_key": task.key}
                # What does not depend on browsing is computed once.
                if kind != NO_BROWSING or browses.reading is not None or browses.is_tied:
                    common["navigation_key"] = key
                if cost is not None:
                    costs = campaign.costs_of(task, browses, cost)
                    common |= {"cost": cost, "costs_key": costs.key}
                sizes = task.num_ranked, task.num_ideals
                for estimator in ["no-browsing"] if kind == NO_BROWSING else browsing:
                    for manner in users if estimator == "simulated" else [{}]:
                        content = {"estimator": estimator, **common, **manner}
                        cells.append(Cell(source, topic, system, name, kind, *sizes, content))
    return cells


@lru_cache(maxsize=4)
def loaded(source: Source) -> Campaign:
    """Return the campaign of a source, kept for the next cells."""
    return source.load()


@lru_cache(maxsize=32)
def browsed(source: Source, kind: str) -> Campaign:
    """Return a source's campaign under a way of browsing, kept for the next cells."""
    return loaded(source) if kind == NO_BROWSING else loaded(source).browsed(kind)


def forget() -> None:
    """Forget the campaigns that were loaded: their files may have changed."""
    loaded.cache_clear()
    browsed.cache_clear()


def _navigations(source: Source, kind: str) -> dict[str, tuple[Navigation, str]]:
    """Return how users browse on each topic, and its key."""
    campaign = browsed(source, kind)
    if kind != NO_BROWSING:
        keys = campaign.navigation_keys
        return {topic: (campaign.navigation_on(topic), keys[topic]) for topic in campaign.ideals}
    alone = {topic: campaign.navigation_on(topic).alone for topic in campaign.ideals}
    return {topic: (navigation, navigation.key) for topic, navigation in alone.items()}
