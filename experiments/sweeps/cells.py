"""Cells of a grid: values to compute, named by the user's words and keyed by content.

The result of a cell comes in parts: ranges of its users, each of which is counted once.
"""

import pickle
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.fitted_files import located
from prum.simulator.model import Task
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

    `content` says what is computed and `key` is its SHA-256 as canonical JSON: no name is in it,
    so lists that two systems share are one computation.
    """

    source: Source
    topic: str
    system: str
    navigation: str
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
    """A result for some of a cell's users, as JSON, and the seconds it took."""

    key: str
    first: int
    count: int
    result: str
    seconds: float


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


@dataclass(frozen=True, slots=True)
class Axes:
    """The values a grid crosses; None means all there are, or the campaign's own.

    `cost` is the unit in which users are charged for elements, None to count them.
    """

    topics: tuple[str, ...] | None = None
    systems: tuple[str, ...] | None = None
    navigation: tuple[str, ...] | None = None
    estimators: tuple[EstimatorName, ...] = ESTIMATORS
    seeds: tuple[int, ...] = (1,)
    unranked: tuple[Unranked, ...] = ("sampled",)
    cost: str | None = None


def grid(sources: Iterable[Source], axes: Axes) -> list[Cell]:
    """Return every cell of a grid, campaign by campaign, topic by topic."""
    return [cell for source in sources for cell in _of_campaign(source, loaded(source), axes)]


@lru_cache(maxsize=4)
def loaded(source: Source) -> Campaign:
    """Return the campaign of a source, kept for the next cells."""
    return source.load()


def forget() -> None:
    """Forget the campaigns that were loaded: their files may have changed."""
    loaded.cache_clear()
    browsed.cache_clear()


@lru_cache(maxsize=32)
def browsed(source: Source, kind: str) -> Campaign:
    """Return a source's campaign under a way of browsing, kept for the next cells."""
    # Paths in a specification start from its folder.
    return loaded(source).browsed(located(kind, getattr(source, "folder", Path())))


def _of_campaign(source: Source, campaign: Campaign, axes: Axes) -> Iterator[Cell]:
    contents = _contents(source, axes, tuple(campaign.ideals))
    for system, topic, task in campaign.tasks():
        if axes.topics is not None and topic not in axes.topics:
            continue
        if axes.systems is not None and system not in axes.systems:
            continue
        for navigation, content in contents[topic]:
            whole = {**content, "task_key": task.key}
            if axes.cost is not None:
                whole |= _priced(source, navigation, topic, task, axes.cost)
            sizes = task.num_ranked, task.num_ideals
            yield Cell(source, topic, system, navigation, *sizes, whole)


def _priced(source: Source, kind: str, topic: str, task: Task, unit: str) -> dict[str, str]:
    """Return what names the costs of a list in a cell's content."""
    if kind == NO_BROWSING:
        campaign = loaded(source)
        navigation = campaign.navigation_on(topic).alone
    else:
        campaign = browsed(source, kind)
        navigation = campaign.navigation_on(topic)
    return {"cost": unit, "costs_key": campaign.costs_of(task, navigation, unit).key}


def _contents(
    source: Source, axes: Axes, topics: tuple[str, ...]
) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return, topic by topic, the kind of navigation and the content of cells without the task."""
    users = [
        {"seed": seed, "unranked": unranked} for seed in axes.seeds for unranked in axes.unranked
    ]
    version = own_version()
    contents: dict[str, list[tuple[str, dict[str, Any]]]] = {topic: [] for topic in topics}
    # What does not depend on browsing is computed once.
    if "no-browsing" in axes.estimators:
        for topic, of_topic in contents.items():
            content = {"estimator": "no-browsing", "version": version}
            alone = loaded(source).navigation_on(topic).alone
            if alone.reading is not None or alone.is_tied:
                content["navigation_key"] = alone.key
            of_topic.append((NO_BROWSING, content))
    for kind in axes.navigation or (loaded(source).kind,):
        for topic, key in browsed(source, kind).navigation_keys.items():
            for estimator in axes.estimators:
                content = {"estimator": estimator, "navigation_key": key, "version": version}
                if estimator == "simulated":
                    contents[topic].extend((kind, {**content, **manner}) for manner in users)
                elif estimator != "no-browsing":
                    contents[topic].append((kind, content))
    return contents
