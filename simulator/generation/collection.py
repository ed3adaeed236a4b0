"""Make a collection in memory: from dials to a campaign that can be evaluated and simulated."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.linking import Linked
from prum.simulator.generation.browsing import browsed
from prum.simulator.generation.candidates import Topic, topics_of
from prum.simulator.generation.dials import Dials
from prum.simulator.generation.structures import Structure
from prum.simulator.generation.systems import NoisySystem, systems_of
from prum.simulator.model import InputError, Links


@dataclass(frozen=True, eq=False, slots=True)
class MadeCollection:
    """A collection that was made.

    Parameters
    ----------
    dials
        What it was made by.
    structure
        Its elements, by number.
    topics
        What is relevant, and what systems choose from, by number.
    campaign
        Topics, lists and browsing by id, as files would give them.
    """

    dials: Dials
    structure: Structure
    topics: tuple[Topic, ...]
    campaign: Campaign


def generate(source: str | Path | Mapping[str, Any] | Dials) -> MadeCollection:
    """Make a collection with topics and systems, all in memory and in this process.

    The same dials give the same collection on any machine. Users, logs, pools and true scores are
    not made: `prum.experiments.generate.generate_dataset` makes them, with files.

    Parameters
    ----------
    source
        Dials: a TOML file, a mapping like one, or `Dials`.

    Raises
    ------
    SpecificationError
        with all that is wrong, each with its path.
    InputError
        for systems with a target, which have to be scored; for topics that find too few elements,
        a way that does not fit the collection, two systems of one name.
    OSError
        if the file can't be read.

    >>> made = generate({"collection": {"kind": "web", "elements": 500}, "topics": {"number": 2}})
    >>> task = made.campaign.task("system", "topic0")
    >>> made.campaign.kind, task.num_ranked, task.collection_size
    ('independent', 100, 500)
    """
    dials = source if isinstance(source, Dials) else Dials.read(source)
    systems = systems_of(dials)
    for system in systems:
        if system.target is not None:
            thing, rule = f"target of system {system.name}", "be left out where nothing is scored"
            remedy = "give a strength, or take prum.generate_dataset"
            raise InputError(thing, system.value, rule, remedy=remedy)
    structure = Structure(dials.collection, dials.seed)
    topics = topics_of(structure, dials, range(dials.topics.number))
    runs = {
        system.name: {
            topic.name: tuple(structure.names(ranked.elements))
            for topic, ranked in zip(topics, scored.lists(system.strength or 0.0), strict=True)
        }
        for system in systems
        for scored in [NoisySystem(system, topics, dials.dependence, dials.seed)]
    }
    browsing = browsed(dials)
    documents: dict[str, str] | None = None
    if browsing.way is not None:
        documents = {}
        for topic in topics:
            ids, homes = structure.names(topic.candidates), structure.names(topic.documents)
            documents.update(zip(ids, homes, strict=True))
    links: Links | dict[str, Links] = {topic.name: topic.links for topic in topics}
    if browsing.is_walk and dials.collection.kind == "web":
        links = all_links(structure)
    table = Linked(links, documents, way=browsing.way)
    campaign = Campaign(
        name=dials.name,
        ideals={topic.name: tuple(structure.names(topic.ideals)) for topic in topics},
        runs=runs,
        navigation=table.browsed(browsing.kind),
        collection_size=dials.collection.elements,
        documents=documents,
        way=browsing.way,
    )
    return MadeCollection(dials, structure, tuple(topics), campaign)


def all_links(structure: Structure) -> Links:
    """Return all links of a Web, by id."""
    blocks = [structure.block(number) for number in range(structure.num_blocks)]
    return Links.from_columns(
        structure.names(np.concatenate([block.sources for block in blocks])),
        structure.names(np.concatenate([block.targets for block in blocks])),
        np.concatenate([block.probabilities for block in blocks]),
    )
