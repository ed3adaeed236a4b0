"""The world of a dataset: its structure and its topics, as users and measures meet them."""

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.experiments.evaluating.judged import Collection, Judged
from prum.experiments.generating.specification import Specification
from prum.simulator.collections.linking import Linked
from prum.simulator.generation.candidates import Topic
from prum.simulator.generation.structures import Structure
from prum.simulator.model import Elements, Links, Navigation

# Trees of more elements are not held at once: measures of nested elements are refused there.
MOST_NESTED = 200_000


@dataclass(frozen=True, eq=False)
class World:
    """What a worker has to know of a dataset: the specification, its topics, and all links of a
    Web on which people walk, if they do.
    """

    specification: Specification
    topics: Sequence[Topic]
    links: Links | None = None

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
        """How people browse on each topic."""
        return {topic: self.judged[0].collection.navigation(topic, None) for topic in self.names}

    @cached_property
    def judged(self) -> list[Judged]:
        """The topics as measures take them, all with one collection."""
        specification = self.specification
        grades = [self._grades(topic) for topic in self.topics]
        way = specification.way if specification.has_tree else None
        linked = Linked(
            self.links
            if self.links is not None
            else {topic.name: topic.links for topic in self.topics},
            self._documents if "no-revisit" in specification.kind else None,
            way=way,
        )
        collection = Collection(
            size=specification.collection.elements,
            elements=self._tree(),
            linked=linked,
            kind=specification.kind,
            highest_grade=max(grade for by in grades for grade in by.values()),
        )
        return [
            Judged(topic.name, tuple(self.ids(topic.ideals)), by, None, collection)
            for topic, by in zip(self.topics, grades, strict=True)
        ]

    def ids(self, numbers: NDArray[np.int64]) -> list[str]:
        """Return the ids of elements."""
        return self.structure.names(numbers)

    def _grades(self, topic: Topic) -> dict[str, int]:
        return dict(zip(self.ids(topic.relevant), topic.grades.tolist(), strict=True))

    @cached_property
    def _documents(self) -> Mapping[str, str]:
        """The document of each candidate, and of what shows an ideal."""
        found: dict[str, str] = {}
        for topic in self.topics:
            ids, documents = self.ids(topic.candidates), self.ids(topic.documents)
            found.update(zip(ids, documents, strict=True))
        return found

    def _tree(self) -> Elements | None:
        specification = self.specification
        if not specification.has_tree or specification.collection.elements > MOST_NESTED:
            return None
        blocks = [self.structure.block(number) for number in range(self.structure.num_blocks)]
        places = np.unique(np.concatenate([block.places for block in blocks]))
        return self.structure.elements(places)


class Packed:
    """A world as bytes, unpacked once by each process that has to do with it."""

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


# The world that this process had to do with last.
_last: dict[str, Any] = {}
