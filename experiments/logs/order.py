"""The order in which users look at what an element leads to, found in the log itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from prum.experiments.logs.consultations import places_in
from prum.simulator.model.arrays import Ints

# Takes places of topics and codes of elements to the turns of these; -1 for what is no ideal.
TurnOf = Callable[[Ints, Ints], Ints]


def order_of(
    orders: Iterable[Mapping[str, Sequence[str]]],
    places: Mapping[str, int],
    codes: Mapping[str, int],
    topics: Ints,
    elements: Ints,
    during: Ints,
) -> TurnOf | None:
    """Return the first order of ideals that no sight contradicts; None if there is none.

    Parameters
    ----------
    orders
        Each by topic: ideals as they may be looked at.
    places, codes
        The numbers of topics and of elements.
    topics, elements, during
        Sights as they follow each other: topic, element, and in which consultation.
    """
    follows = during[1:] == during[:-1]
    for wanted in orders:
        order = _order(wanted, places, codes)
        turns = order(topics, elements)
        if not (turns[1:] <= turns[:-1])[follows].any():
            return order
    return None


def _order(
    wanted: Mapping[str, Sequence[str]], places: Mapping[str, int], codes: Mapping[str, int]
) -> TurnOf:
    size = len(codes)
    keys, turns = list[int](), list[int]()
    for topic, place in places.items():
        for turn, ideal in enumerate(wanted.get(topic, ())):
            if ideal in codes:
                keys.append(place * size + codes[ideal])
                turns.append(turn)
    known = np.array(keys, dtype=np.int64)
    order = np.argsort(known)
    known, by_key = known[order], np.array(turns, dtype=np.int64)[order]

    def turn_of(topics: Ints, elements: Ints) -> Ints:
        place = places_in(known, topics * size + elements)
        turns: Ints = np.append(by_key, -1)[place]
        return turns

    return turn_of
