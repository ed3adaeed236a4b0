"""Small made collections of every kind, and their whole truth put together slowly."""

import hashlib
from typing import Any

import numpy as np

from prum.simulator.generation.dials import Dials, Topics
from prum.simulator.generation.kinds import Chunks, Flat, Video, Web, Xml
from prum.simulator.generation.structures import Structure
from prum.simulator.model import Elements

# Two communities or documents at least; chunks overlap.
KINDS = {
    "flat": Flat(kind="flat", elements=150),
    "web": Web(kind="web", elements=300, community=20, most_degree=8),
    "xml": Xml(kind="xml", elements=250, nesting=0.4),
    "video": Video(kind="video", elements=150, scenes=(3, 12)),
    "chunks": Chunks(kind="chunks", elements=200),
}
TREES = ("xml", "video", "chunks")


def made(kind: str, seed: int = 1, **dials: Any) -> tuple[Structure, Dials]:
    """Return a small collection and its dials; those of topics are a dict."""
    topics = Topics(**{"number": 20, "candidates": 60, **dials.pop("topics", {})})
    whole = Dials(
        seed=seed, collection=dials.pop("collection", KINDS[kind]), topics=topics, **dials
    )
    return Structure(whole.collection, seed), whole


def whole_tree(structure: Structure) -> Elements:
    """Return all elements of trees."""
    firsts = {structure.place(element)[0] for element in range(structure.num_elements)}
    return structure.elements(sorted(firsts))


def leaves_of(structure: Structure) -> set[int]:
    """Return the elements that are nobody's parent."""
    parents = np.concatenate([structure.block(b).parents for b in range(structure.num_blocks)])
    return set(range(structure.num_elements)) - set(parents.tolist())


def digest(*arrays: Any) -> str:
    """Return the SHA-256 of arrays, their types and shapes."""
    found = hashlib.sha256()
    for array in map(np.ascontiguousarray, arrays):
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()
