"""The order in which users look at what an element leads to, found in the log itself."""

import json
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from prum.experiments.studies.estimators.dataset import Dataset
from prum.simulator.collections.files import place, text_lines
from prum.simulator.model import InputError

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
    for number, topic in enumerate(dataset.topics):
        for turn, ideal in enumerate(wanted.get(topic, ())):
            if ideal in codes:
                keys.append(number * size + codes[ideal])
                turns.append(turn)
    known = np.array(keys, dtype=np.int64)
    order = np.argsort(known)
    known, by_key = known[order], np.array(turns, dtype=np.int64)[order]

    def turn_of(topics: Ints, elements: Ints) -> Ints:
        at = topics * size + elements
        if not len(known):
            return np.full(len(at), -1, dtype=np.int64)
        nearest = np.minimum(np.searchsorted(known, at), len(known) - 1)
        found: Ints = np.where(known[nearest] == at, by_key[nearest], -1)
        return found

    return turn_of


def _written(dataset: Dataset) -> dict[str, tuple[str, ...]] | None:
    """Return the ideals in the order of topics.jsonl, if it has them."""
    path = dataset.folder / "topics.jsonl"
    if not path.is_file():
        return None
    orders: dict[str, tuple[str, ...]] = {}
    for line, text in enumerate(text_lines(path), start=1):
        try:
            row = json.loads(text)
            topic, ideals = row["topic"], row["ideals"]
            if not all(isinstance(name, str) for name in (topic, *ideals)):
                raise TypeError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(
                "line", text.strip(), "be a JSON object with a topic and its ideals",
                remedy="make the folder anew with prum generate", place=place(path, line),
            ) from None  # fmt: skip
        orders[topic] = tuple(ideals)
    return orders
