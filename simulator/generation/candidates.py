"""Made topics: judgements, links and how users browse them, and the candidates of systems."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from prum.simulator.generation.dials import Dials
from prum.simulator.generation.draws import Draws
from prum.simulator.generation.structures import TREES, Structure
from prum.simulator.generation.topics import JudgedTopic, intents_of, judged, placed
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.kinds import navigation_of
from prum.simulator.model.way_names import Way, chosen_way

LinkRows = tuple[Ints, Ints, Floats]

# Exponentials in ways differ between machines in their last bits: whatever is computed from
# probabilities takes them as multiples of this, whose sums are exact.
GRAIN = 2.0**-24


@dataclass(frozen=True, slots=True)
class BrowsedCollection:
    """How users browse a made collection.

    `kind`: as `navigation_of` names it. `way`: the way that makes the links of trees. `is_walk`:
    whether they move along the links.
    """

    kind: str
    way: Way | None
    is_walk: bool


def browsed(dials: Dials) -> BrowsedCollection:
    """Return how users browse, by the dials and the kind of collection.

    By default they walk where a way makes the steps of a walk, else they browse independently.

    Raise InputError for a way for a collection without trees, and as `chosen_way`, `Way.check_kind`
    and `navigation_of`.

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

    `elements`: their numbers, sorted. `largest`, `sums`: for each, the largest of its probabilities
    of leading to an ideal, and their sum, as positive multiples of `GRAIN`. In a walk they are
    those of one step.
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


def links_of_trees(structure: Structure, way: Way, ideals: Ints) -> tuple[Links, LinkRows]:
    """Return the links that a way makes from documents with ideals, and those into ideals.

    The latter are by number: sources, targets, P(x -> y).
    """
    documents = sorted({structure.place(ideal) for ideal in ideals.tolist()})
    tree = structure.elements(first for first, _ in documents)
    numbers = np.concatenate([np.arange(first, after) for first, after in documents])
    links = way.links(tree, structure.names(ideals))
    codes = np.array([tree.code[element] for element in links.elements], dtype=np.int64)
    sources, targets = numbers[codes[links.sources]], numbers[codes[links.targets]]
    into = np.isin(targets, ideals)
    return links, (sources[into], targets[into], links.probabilities[into])


_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Topic(JudgedTopic):
    """A topic with its complete judgements, and the elements that systems choose from.

    Elements are numbers of the structure; all arrays of them are sorted.

    Parameters
    ----------
    name
        "topic" and its number.
    intents
        Which intents each relevant element serves; shape (relevant, intents).
    links
        P(x -> y), or steps, that matter to users of this topic: for trees, the links that the way
        makes from documents with ideals; for the web, the links into ideals, or none if users walk,
        since then all links matter.
    candidates
        The elements that systems choose from; the arrays below have an entry for each.
    relevance
        1 for an ideal, its grade as a share of the highest for another relevant element, else 0.
    near_miss
        The root of the largest probability of leading to an ideal; 0 for ideals.
    container
        1 for an element that contains an ideal and is not ideal, else 0.
    entry_point
        1 for the best entry point of each place that holds a relevant element, else 0: among the
        elements that are not ideal, the first with the largest sum of probabilities of leading to
        ideals. A place where nothing leads to ideals has none.
    documents
        The number of the first element of its document; for the web and flat collections its own.
    afters
        The number after its last descendant: x contains the candidates from x + 1 to before that.
    """

    name: str
    intents: Flags
    links: Links
    candidates: Ints
    relevance: Floats
    near_miss: Floats
    container: Floats
    entry_point: Floats
    documents: Ints
    afters: Ints


def topics_of(structure: Structure, dials: Dials, numbers: Sequence[int]) -> list[Topic]:
    """Return topics by their numbers, from 0; each is a function of seed, dials and its number.

    Each call goes through the collection once or twice, so many topics are best made at once.

    Raise InputError as `placed`, `judged` and `browsed`.
    """
    browsing = browsed(dials)
    places = [placed(structure, dials, number) for number in numbers]
    wholes = [judged(structure, dials, placement) for placement in places]
    into: LinkRows = (_NONE, _NONE, np.empty(0))
    if dials.collection.kind == "web":
        ideals = np.concatenate([_NONE, *(whole.ideals for whole in wholes)])
        into = structure.links_to(np.unique(ideals))
    topics = list[Topic]()
    for number, placement, whole in zip(numbers, places, wholes, strict=True):
        if browsing.way is not None:
            links, rows = links_of_trees(structure, browsing.way, whole.ideals)
        else:
            rows = _links_into(into, whole.ideals)
            sources, targets, probabilities = rows
            links = Links({})
            if not browsing.is_walk:
                names = structure.names(sources), structure.names(targets)
                links = Links.from_columns(*names, probabilities)
        around = placement.places
        topics.append(_topic(structure, dials, number, around, whole, links, rows))
    return topics


def _links_into(rows: LinkRows, targets: Ints) -> LinkRows:
    """Return the links into some targets, by target."""
    kept = np.flatnonzero(np.isin(rows[1], targets))
    kept = kept[np.argsort(rows[1][kept], kind="stable")]
    return rows[0][kept], rows[1][kept], rows[2][kept]


def _topic(
    structure: Structure,
    dials: Dials,
    number: int,
    places: Ints,
    judgements: JudgedTopic,
    links: Links,
    rows: LinkRows,
) -> Topic:
    shown = ShownIdeals.of(rows, judgements.ideals)
    containers = np.setdiff1d(structure.containers(judgements.ideals), judgements.ideals)
    special = _special(dials.topics.candidates, judgements.relevant, shown, containers)
    draws = Draws(dials.seed, "topic", number, "candidates")
    candidates = _filled_up(draws, dials, special, places)
    is_ideal = np.isin(candidates, judgements.ideals)
    relevance = np.zeros(len(candidates))
    relevance[np.searchsorted(candidates, judgements.relevant)] = judgements.grades / len(
        dials.topics.grades
    )
    near_miss = np.zeros(len(candidates))
    near, kept = _common(candidates, shown.elements)
    near_miss[near] = np.sqrt(shown.largest[kept])
    documents, afters = structure.nesting(candidates)
    width = len(str(dials.topics.number - 1))
    values: dict[str, Any] = {
        each.name: getattr(judgements, each.name) for each in fields(judgements)
    }
    return Topic(
        **values,
        name=f"topic{number:0{width}}",
        intents=intents_of(dials, number, len(judgements.relevant)),
        links=links,
        candidates=candidates,
        relevance=np.where(is_ideal, 1.0, relevance),
        near_miss=near_miss,
        container=np.isin(candidates, containers).astype(np.float64),
        entry_point=np.isin(candidates, entry_points(shown, places)).astype(np.float64),
        documents=documents,
        afters=afters,
    )


def _common(candidates: Ints, elements: Ints) -> tuple[Ints, Ints]:
    """Return where the common numbers of candidates and elements are in each; both sorted."""
    _, places, kept = np.intersect1d(candidates, elements, assume_unique=True, return_indices=True)
    return places, kept


def entry_points(shown: ShownIdeals, places: Ints) -> Ints:
    """Return the best entry point of each place that has any, as `Topic` says.

    >>> shown = ShownIdeals(np.array([3, 5, 6]), np.ones(3), np.array([0.5, 0.75, 0.75]))
    >>> entry_points(shown, np.array([[0, 4], [4, 8], [8, 9]])).tolist()
    [3, 5]
    """
    best = list[int]()
    for first, after in places.tolist():
        low, high = np.searchsorted(shown.elements, (first, after))
        if low < high:
            best.append(int(shown.elements[low + np.argmax(shown.sums[low:high])]))
    return np.array(best, dtype=np.int64)


def _special(number: int, relevant: Ints, shown: ShownIdeals, containers: Ints) -> Ints:
    """Return what is relevant, near or around ideals: all of it, or as many as are candidates.

    What is relevant is kept anyway, then what leads to an ideal most probably.
    """
    others = np.setdiff1d(np.union1d(shown.elements, containers), relevant)
    room = max(0, number - len(relevant))
    if len(others) > room:
        largest = np.zeros(len(others))
        places, kept = _common(others, shown.elements)
        largest[places] = shown.largest[kept]
        others = others[np.argsort(-largest, kind="stable")[:room]]
    return np.union1d(relevant, others)


def _filled_up(draws: Draws, dials: Dials, special: Ints, places: Ints) -> Ints:
    """Return candidates with distractors, as many as there are to be, if there are so many."""
    missing = max(0, dials.topics.candidates - len(special))
    around = np.concatenate([np.arange(first, after) for first, after in places.tolist()])
    around = np.setdiff1d(around, special, assume_unique=True)
    num_near = min(len(around), int(dials.topics.near * missing + 0.5))
    near = around[draws.subset(len(around), num_near)]
    chosen = np.union1d(special, near)
    num_others = dials.collection.elements - len(chosen)
    free = draws.subset(num_others, min(missing - num_near, num_others))
    # The number of the first free one, the second, ...: so many taken ones come before it.
    others = free + np.searchsorted(chosen - np.arange(len(chosen)), free, side="right")
    return np.union1d(chosen, others)
