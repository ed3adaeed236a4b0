"""A campaign: topics with their ideals, systems with their lists, and one way of browsing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol

from prum.simulator.collections.linking import (
    Linked,
    LinkUse,
    LinkWatch,
    OpeningUse,
    brings_links,
)
from prum.simulator.model import Covering, Elements, InputError, Links, ListCosts, Navigation, Task
from prum.simulator.model.covering import NEEDS
from prum.simulator.model.kinds import kind_of
from prum.simulator.model.task import content_key
from prum.simulator.model.way_names import Way


class ElementCosts(Protocol):
    """What elements cost in one unit, as `Costs`."""

    def along(self, task: Task) -> ListCosts:
        """Return what the ranks of a task's list cost, and an element behind it."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """Several systems on several topics over one collection.

    Each topic has ideals, which are spans where lists hold chunks; each system a ranking for each
    topic, empty for one that it did not answer. The navigation says how users browse, for each
    topic where it depends on the topic's ideals. Of chunks each list's own `collection_size` may be
    larger: `Covering.collection_size`. Judged topics `without_ideals` are left out. `documents`,
    `way` and `elements` are those of links that were made. `costs` have units, where users are
    charged for what they consult; chunks cost what their table says.
    """

    name: str
    ideals: Mapping[str, Sequence[str]]
    runs: Mapping[str, Mapping[str, Sequence[str]]]
    navigation: Navigation | Mapping[str, Navigation]
    collection_size: int
    without_ideals: tuple[str, ...] = ()
    documents: Mapping[str, str] | None = None
    way: Way | None = None
    elements: Elements | None = None
    costs: Mapping[str, ElementCosts] = field(default_factory=dict)

    def task(self, system: str, topic: str) -> Task:
        """Return the task of one system on one topic."""
        ranking, size = self.runs[system].get(topic, ()), self.collection_size
        navigation = self.navigation_on(topic)
        if navigation.reading is not None:
            size = navigation.reading.collection_size(len(set(ranking)))
        try:
            return Task(ranking, self.ideals[topic], size)
        except InputError as error:
            raise error.at(f"system {system}, topic {topic}") from None

    def tasks(self) -> Iterator[tuple[str, str, Task]]:
        """Yield (system, topic, task), topic by topic."""
        for topic in self.ideals:
            for system in self.runs:
                yield system, topic, self.task(system, topic)

    def navigation_on(self, topic: str) -> Navigation:
        """Return how users browse on a topic."""
        if isinstance(self.navigation, Mapping):
            return self.navigation[topic]
        return self.navigation

    @property
    def of_spans(self) -> bool:
        """Whether the ideals are spans, and lists hold chunks that show them."""
        return self.navigation_on(next(iter(self.ideals))).reading is not None

    @property
    def links(self) -> Links | dict[str, Links]:
        """The links, each topic's if they differ."""
        if not isinstance(self.navigation, Mapping):
            return self.navigation.links
        tables = {topic: browsed.links for topic, browsed in self.navigation.items()}
        first = next(iter(tables.values()))
        return first if all(table is first for table in tables.values()) else tables

    @property
    def link_use(self) -> LinkUse:
        """How many links there are, start at a listed element, and lead to an ideal.

        Of spans, what shows a part of them is counted.
        """
        use = self.link_watch().use
        return OpeningUse(**asdict(use)) if self.of_spans else use

    def link_watch(self) -> LinkWatch:
        """Return a count of the links that matter, by all lists."""
        shown = dict(self.ideals)
        for topic, reading in self._readings().items():
            shown[topic] = reading.touching()
        watch = LinkWatch(self.links, shown)
        for lists in self.runs.values():
            watch.add(lists)
        return watch

    def check_links(self) -> None:
        """Raise InputError if there are links, but none matters; see `LinkWatch.checked`."""
        watch = self.link_watch()
        if watch.use.num_links:
            watch.checked("links")

    @property
    def navigation_keys(self) -> dict[str, str]:
        """The key of the navigation on each topic."""
        if isinstance(self.navigation, Mapping):
            return {topic: self.navigation[topic].key for topic in self.ideals}
        return dict.fromkeys(self.ideals, self.navigation.key)

    @property
    def navigation_key(self) -> str:
        """The key of how users browse on all topics."""
        if isinstance(self.navigation, Mapping):
            return content_key(self.navigation_keys)
        return self.navigation.key

    def costs_of(self, task: Task, navigation: Navigation, unit: str) -> ListCosts:
        """Return what the ranks of a task's list cost in a unit, in whole steps."""
        if navigation.reading is not None and unit not in self.costs:
            costs: ListCosts = navigation.reading.costs_along(task, unit)
        elif unit in self.costs:
            costs = self.costs[unit].along(task)
        else:
            rule = f"be one of {', '.join(map(repr, sorted(self.costs)))}"
            if not self.costs:
                rule = "be left out without costs"
            raise InputError("unit of cost", unit, rule, remedy="give what elements cost in it")
        return costs.stepped(task.num_unranked)

    @property
    def kind(self) -> str:
        """The kind of navigation, as `navigation_of` names it."""
        return kind_of(self.navigation_on(next(iter(self.ideals))))

    def browsed(self, kind: str) -> "Campaign":
        """Return the same campaign with its links browsed in another way, or by a fitted file."""
        if kind == self.kind:
            return self
        if self.of_spans:
            return replace(self, navigation=self._needing(kind))
        table = Linked(self.links, self.documents, way=self.way)
        if not brings_links(kind):
            return replace(self, navigation=table.browsed(kind))
        campaign = replace(self, navigation=table.browsed(kind), way=None)
        campaign.link_watch().checked(kind)
        return campaign

    def _readings(self) -> dict[str, Covering]:
        """Return how chunks are read on each topic; nothing where ideals are no spans."""
        readings = {topic: self.navigation_on(topic).reading for topic in self.ideals}
        return {topic: x for topic, x in readings.items() if x is not None}

    def _needing(self, kind: str) -> dict[str, Navigation]:
        """Return how chunks are read by those who need a share of a span, or the whole."""
        if kind not in NEEDS:
            rule = "be left out where chunks are read for spans"
            remedy = "say what is needed of spans instead, share or whole"
            raise InputError("navigation", kind, rule, remedy=remedy)
        return {topic: reading.needing(kind) for topic, reading in self._readings().items()}
