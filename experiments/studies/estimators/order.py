"""The order in which users look at what an element leads to, found in the log itself."""

import json
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from prum.experiments.studies.estimators.dataset import Dataset
from prum.simulator.collections.files import text_lines

Ints = NDArray[np.int64]
Order = Callable[[Ints, Ints], Ints]


def order_of(
    dataset: Dataset, codes: Mapping[str, int], topics: Ints, elements: Ints, during: Ints
) -> Order | None:
    """Return what gives the turn of an ideal of a topic, by places of topics and codes of ideals.

    That of topics.jsonl, or of ids, whichever no sight contradicts; None if both are, as on a walk.

    Parameters
    ----------
    topics, elements, during
        Sights as they follow each other: topic, element, and in which consultation.
    """
    ideals = {one.topic: one.ideals for one in dataset.judged()}
    for wanted in (_written(dataset), ideals):
        if wanted is None:
            continue
        order = _order(dataset, codes, wanted)
        turns = order(topics, elements)
        follows = during[1:] == during[:-1]
        if not (turns[1:] <= turns[:-1])[follows].any():
            return order
    return None


def _order(
    dataset: Dataset, codes: Mapping[str, int], wanted: Mapping[str, tuple[str, ...]]
) -> Order:
    size = len(codes)
    keys, turns = list[int](), list[int]()
    for place, topic in enumerate(dataset.topics):
        for turn, ideal in enumerate(wanted.get(topic, ())):
            if ideal in codes:
                keys.append(place * size + codes[ideal])
                turns.append(turn)
    known = np.array(keys, dtype=np.int64)
    order = np.argsort(known)
    known, by_key = known[order], np.array(turns, dtype=np.int64)[order]

    def turn_of(topics: Ints, elements: Ints) -> Ints:
        at = topics * size + elements
        place = np.minimum(np.searchsorted(known, at), max(len(known) - 1, 0))
        if not len(known):
            return np.full(len(at), -1, dtype=np.int64)
        found: Ints = np.where(known[place] == at, by_key[place], -1)
        return found

    return turn_of


def _written(dataset: Dataset) -> dict[str, tuple[str, ...]] | None:
    """Return the ideals in the order of topics.jsonl, if it has them."""
    path = dataset.folder / "topics.jsonl"
    if not path.is_file():
        return None
    try:
        rows = [json.loads(line) for line in text_lines(path)]
        return {str(row["topic"]): tuple(map(str, row["ideals"])) for row in rows}
    except (ValueError, KeyError, TypeError):
        return None
