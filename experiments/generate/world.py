"""The world of a dataset: its structure and topics, for users and measures."""

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.measures.judged import Collection, Judged
from prum.simulator.collections.linking import Linked
from prum.simulator.generation.candidates import Topic
from prum.simulator.generation.structures import Ground, Structure
from prum.simulator.model import Elements, Links, Navigation
from prum.simulator.model.arrays import Ints
from prum.simulator.model.kinds import navigation_of

# Trees of more elements are not held at once: measures of nested elements are refused there.
MOST_NESTED = 200_000


@dataclass(frozen=True, eq=False)
class World:
    """What a worker needs of a dataset.

    Parameters
    ----------
    specification, topics
        Its parts.
    links
        All links of a Web on which users walk, if they do.
    shortened
        The same for each topic, as `shorten_walks` returns them, where no dial of browsing needs
        all links.
    """

    specification: DatasetSpecification
    topics: Sequence[Topic]
    links: Links | None = None
    shortened: Mapping[str, Links] | None = None

    @property
    def admits_shortened(self) -> bool:
        """Whether users walk on a Web, browse from the list alone, and do not differ."""
        words = self.specification.kind.split()
        return self.links is not None and not {"unranked", "one-factor"} & set(words)

    @cached_property
    def structure(self) -> Structure:
        """The structure of the collection."""
        return Structure(self.specification.collection, self.specification.seed)

    @cached_property
    def names(self) -> list[str]:
        """The names of the topics."""
        return [topic.name for topic in self.topics]

    @cached_property
    def navigations(self) -> dict[str, Navigation]:
        """How users browse on each topic, step by step."""
        navigation = self._linked(self.links).browsed(self.specification.kind)
        if isinstance(navigation, Mapping):
            return dict(navigation)
        return dict.fromkeys(self.names, navigation)

    @cached_property
    def judged(self) -> list[Judged]:
        """The topics as measures take them, all with one collection."""
        specification = self.specification
        grades = [self._grades(topic) for topic in self.topics]
        collection = Collection(
            size=specification.collection.elements,
            elements=self._tree(),
            linked=self._linked(self.shortened or self.links),
            kind=specification.kind,
            highest_grade=max(grade for by in grades for grade in by.values()),
        )
        return [
            Judged(topic.name, tuple(self.ids(topic.ideals)), by, None, collection)
            for topic, by in zip(self.topics, grades, strict=True)
        ]

    def navigation_from(self, number: int, listed: Ints) -> Navigation:
        """Return how users who consult some elements browse on a topic, step by step.

        On trees users walk in every document, not only where ideals are.
        """
        specification, topic = self.specification, self.topics[number]
        if not (specification.walks and specification.has_tree):
            return self.navigations[topic.name]
        met = np.union1d(listed, topic.ideals).tolist()
        tree = self._ground.elements(sorted({self._ground.place(element)[0] for element in met}))
        links = specification.links_of(tree, self.ids(topic.ideals))
        return navigation_of(specification.kind, links, tree.document_of)

    @cached_property
    def _ground(self) -> Ground:
        return Ground(self.structure)

    def _linked(self, links: Links | Mapping[str, Links] | None) -> Linked:
        """Return links, those of each topic by default, with what they are made of."""
        if links is None:
            links = {topic.name: topic.links for topic in self.topics}
        documents = self._documents if "no-revisit" in self.specification.kind else None
        way = self.specification.way if self.specification.has_tree else None
        return Linked(links if isinstance(links, Links) else dict(links), documents, way=way)

    def ids(self, numbers: Ints) -> list[str]:
        """Return the ids of elements."""
        return self.structure.names(numbers)

    def _grades(self, topic: Topic) -> dict[str, int]:
        return dict(zip(self.ids(topic.relevant), topic.grades.tolist(), strict=True))

    @cached_property
    def _documents(self) -> Mapping[str, str]:
        """The document of each candidate."""
        document_of: dict[str, str] = {}
        for topic in self.topics:
            ids, documents = self.ids(topic.candidates), self.ids(topic.documents)
            document_of.update(zip(ids, documents, strict=True))
        return document_of

    def _tree(self) -> Elements | None:
        specification = self.specification
        if not specification.has_tree or specification.collection.elements > MOST_NESTED:
            return None
        blocks = [self.structure.block(number) for number in range(self.structure.num_blocks)]
        places = np.unique(np.concatenate([block.places for block in blocks]))
        return self.structure.elements(places)


class Packed:
    """A world as bytes, unpacked once by each process that uses it."""

    def __init__(self, world: World) -> None:
        self.content = pickle.dumps(world, protocol=pickle.HIGHEST_PROTOCOL)
        self.digest = hashlib.sha256(self.content).hexdigest()

    def world(self) -> World:
        """Return the world."""
        if _last.get("digest") != self.digest:
            _last.clear()
            _last.update(digest=self.digest, world=pickle.loads(self.content))
        world: World = _last["world"]
        return world


# The world that this process used last.
_last: dict[str, Any] = {}
