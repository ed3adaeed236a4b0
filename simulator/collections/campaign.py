"""A campaign: topics with their ideals, systems with their lists, and one way of browsing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from prum.simulator.collections.link_use import LinkUse, LinkWatch, OpeningUse
from prum.simulator.collections.linking import Linked
from prum.simulator.model import Covering, Elements, InputError, Links, Navigation, Task
from prum.simulator.model.kinds import kind_of
from prum.simulator.model.task import content_key
from prum.simulator.model.way_names import Way


@dataclass(frozen=True, slots=True)
class Campaign:
    """Several systems on several topics over one collection.

    Parameters
    ----------
    name
        A name to show.
    ideals
        Topic -> ideal elements; of chunks, spans.
    runs
        System -> topic -> ranking, empty for a topic that the system did not answer.
    navigation
        How users browse; topic -> navigation where it depends on the topic's ideals.
    collection_size
        Number of elements of the collection; of chunks, where spans have no chunk each list's own
        may be larger: `Covering.collection_size`.
    without_ideals
        Judged topics that hold no ideal and are left out.
    documents
        Element -> document, if it is known.
    way
        The way that made the links, if they were made.
    elements
        The elements, if links were made from them.
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

    def task(self, system: str, topic: str) -> Task:
        """Return the task of one system on one topic.

        Raises
        ------
        InputError
            as `Task`, naming system and topic.
        """
        ranking, size = self.runs[system].get(topic, ()), self.collection_size
        navigation = self.navigation_on(topic)
        if isinstance(navigation, Covering):
            size = navigation.collection_size(len(set(ranking)))
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
        return isinstance(self.navigation_on(next(iter(self.ideals))), Covering)

    @property
    def links(self) -> Links | dict[str, Links]:
        """The links, each topic's if they differ."""
        if isinstance(self.navigation, Mapping):
            first = self.navigation_on(next(iter(self.ideals)))
            if isinstance(first, Covering):  # what is opened does not depend on the topic
                return first.links
            return {topic: browsed.links for topic, browsed in self.navigation.items()}
        return self.navigation.links

    @property
    def link_use(self) -> LinkUse:
        """How many links there are, start at a listed element, and lead to an ideal.

        Of spans, what shows a part of them is counted.
        """
        use = self.link_watch().use
        return OpeningUse(**asdict(use)) if self.of_spans else use

    def link_watch(self) -> LinkWatch:
        """Return a count of the links that matter, by all lists."""
        watch = LinkWatch(self.links, {x: self._showing(x) for x in self.ideals})
        for lists in self.runs.values():
            watch.add(lists)
        return watch

    def _showing(self, topic: str) -> Sequence[str]:
        """Return the elements that show an ideal by themselves: the ideals, or chunks of spans."""
        navigation = self.navigation_on(topic)
        return navigation.showing() if isinstance(navigation, Covering) else self.ideals[topic]

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

    @property
    def kind(self) -> str:
        """The kind of navigation, as `navigation_of` names it."""
        return kind_of(self.navigation_on(next(iter(self.ideals))))

    def browsed(self, kind: str) -> "Campaign":
        """Return the same campaign with its links browsed in another way.

        Raises
        ------
        InputError
            as `navigation_of`, and if the links do not admit it; of spans, unless it is what is
            needed of them, "share" or "whole".
        """
        if kind == self.kind:
            return self
        if self.of_spans:
            if kind not in ("share", "whole"):
                rule = "be left out where chunks are read for spans"
                remedy = "say what is needed of spans instead, share or whole"
                raise InputError("navigation", kind, rule, remedy=remedy)
            return replace(self, navigation={
                topic: Covering(x.chunks, x.spans, links=x.links, whole=kind == "whole")
                for topic in self.ideals
                if isinstance(x := self.navigation_on(topic), Covering)
            })  # fmt: skip
        table = Linked(self.links, self.documents, way=self.way)
        return replace(self, navigation=table.browsed(kind))
