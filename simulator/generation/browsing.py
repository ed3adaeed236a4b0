"""How users of made topics come to see ideals by browsing: along which links, how probably."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from prum.simulator.generation.dials import Dials
from prum.simulator.generation.structures import TREES, Ground, Structure
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.kinds import navigation_of
from prum.simulator.model.way_names import Way, chosen_way

LinkRows = tuple[Ints, Ints, Floats]

# Exponentials in ways differ between machines in their last bits: whatever is computed from
# probabilities takes them as multiples of this, whose sums are exact.
GRAIN = 2.0**-24


@dataclass(frozen=True, slots=True)
class BrowsedCollection:
    """How users browse a made collection.

    Parameters
    ----------
    kind
        As `navigation_of` names it.
    way
        The way that makes the links of trees.
    is_walk
        Whether they move along the links.
    """

    kind: str
    way: Way | None
    is_walk: bool


def browsed(dials: Dials) -> BrowsedCollection:
    """Return how users browse, by the dials and the kind of collection.

    By default they walk where a way makes the steps of a walk, else they browse independently.

    Raises
    ------
    InputError
        for a way for a collection without trees, and as `chosen_way`, `Way.check_kind` and
        `navigation_of`.

    >>> from prum.simulator.generation.dials import Users
    >>> from prum.simulator.generation.kinds import Video
    >>> users = Users(way="timeline-steps 0.01")
    >>> browsed(Dials(collection=Video(kind="video", elements=100), browsing=users)).kind
    'walk'
    """
    users, collection = dials.browsing, dials.collection.kind
    has_trees = collection in TREES
    if users.way is not None and not has_trees:
        has = "links with probabilities" if collection == "web" else "no links"
        rule = f"not be given for a collection of kind {collection}: it has {has}"
        raise InputError("way", users.way, rule, remedy="leave it out", place="browsing")
    try:
        way = chosen_way(users.way, links=collection == "web", elements=has_trees)
        kind = users.kind or (way.kind if way is not None else "independent")
        if way is not None:
            way.check_kind(kind)
        # Any documents will do; nobody browses what is flat.
        documents = None if collection == "web" else {"element": "document"}
        navigation = navigation_of(kind, Links({}), documents)
    except InputError as error:
        raise error.at("browsing") from None
    return BrowsedCollection(kind, way, navigation.base.is_walk)


@dataclass(frozen=True, eq=False, slots=True)
class ShownIdeals:
    """The elements that lead to ideals of a topic and are not ideal themselves.

    Parameters
    ----------
    elements
        Their numbers, sorted.
    largest, sums
        For each, the largest of its probabilities of leading to an ideal, and their sum, as
        positive multiples of `GRAIN`. In a walk they are those of one step.
    """

    elements: Ints
    largest: Floats
    sums: Floats

    @classmethod
    def of(cls, rows: LinkRows, ideals: Ints) -> Self:
        """Return what leads to these ideals, by the links into them: sources, targets, P(x -> y).

        >>> rows = np.array([3, 3, 5]), np.array([1, 2, 2]), np.array([0.5, 0.25, 0.5])
        >>> shown = ShownIdeals.of(rows, np.array([1, 2]))
        >>> shown.elements.tolist(), shown.largest.tolist(), shown.sums.tolist()
        ([3, 5], [0.5, 0.5], [0.75, 0.5])
        """
        sources, _, probabilities = rows
        grains = np.rint(probabilities / GRAIN)
        kept = (grains > 0) & ~np.isin(sources, ideals)
        elements, owners = np.unique(sources[kept], return_inverse=True)
        largest, sums = np.zeros(len(elements)), np.zeros(len(elements))
        np.maximum.at(largest, owners, grains[kept])
        np.add.at(sums, owners, grains[kept])
        return cls(elements, largest * GRAIN, sums * GRAIN)


def links_of_web(structure: Structure, rows: LinkRows) -> Links:
    """Return numbered links by name."""
    sources, targets, probabilities = rows
    return Links.from_columns(structure.names(sources), structure.names(targets), probabilities)


def links_of_trees(ground: Ground, way: Way, ideals: Ints) -> tuple[Links, LinkRows]:
    """Return the links that a way makes from documents with ideals, and those into ideals.

    The latter are by number: sources, targets, P(x -> y).
    """
    documents = sorted({ground.place(ideal) for ideal in ideals.tolist()})
    tree = ground.elements(first for first, _ in documents)
    numbers = np.concatenate([np.arange(first, after) for first, after in documents])
    links = way.links(tree, ground.structure.names(ideals))
    own = np.array([tree.code[element] for element in links.elements], dtype=np.int64)
    sources, targets = numbers[own[links.sources]], numbers[own[links.targets]]
    into = np.isin(targets, ideals)
    return links, (sources[into], targets[into], links.probabilities[into])
