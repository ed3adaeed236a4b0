"""Where the relevant elements of made topics lie, and their grades."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from prum.simulator.generation.dials import Dials, Topics
from prum.simulator.generation.draws import Draws
from prum.simulator.generation.ground import Ground
from prum.simulator.generation.portable import exp
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Ints

_FIRST_BATCH = 16


@dataclass(frozen=True, eq=False, slots=True)
class Placed:
    """The relevant elements of a topic, before the elements that contain them are assessed.

    Parameters
    ----------
    relevant
        Their numbers, sorted; in trees they are leaves.
    grades
        The grade of each.
    places
        Number of the first element, and the number after the last, of each place that holds some,
        sorted; shape (places, 2).
    """

    relevant: Ints
    grades: Ints
    places: Ints


def placed(ground: Ground, dials: Dials, number: int) -> Placed:
    """Return the relevant elements of a topic: a function of seed, dials and its number alone.

    Places are those of elements drawn at random, so that a place is drawn in proportion to its
    size. Each holds a relevant leaf, as far as there are enough of these; the others are any leaves
    of the places. If the places have too few leaves, more places are added. The elements of a flat
    collection are their own places, which makes clustered the same as scattered.

    Grades are drawn one by one. If none is that of an ideal, one element is graded again until it
    is ideal.

    Raises
    ------
    InputError
        if the collection has fewer leaves than the topic has relevant elements.
    """
    topics = dials.topics
    draws = Draws(dials.seed, "topic", number, "size")
    num_relevant = _num_relevant(draws, topics)
    num_places = min(num_relevant, _from_range(draws, topics.places))
    elements = _in_random_order(
        Draws(dials.seed, "topic", number, "elements"), ground.structure.num_elements
    )
    if topics.placement == "scattered" or dials.collection.kind == "flat":
        relevant = _scattered(ground, elements, num_relevant)
    else:
        leaves_of = _chosen_places(ground, elements, num_places, num_relevant)
        draws = Draws(dials.seed, "topic", number, "leaves")
        relevant = _spread(draws, leaves_of, num_relevant)
    if len(relevant) < num_relevant:
        thing = f"number of relevant elements of topic {number}"
        rule = f"be at most {len(relevant)}, the elements without children of the collection"
        remedy = "lower relevant of topics, or have more elements"
        raise InputError(thing, num_relevant, rule, remedy=remedy)
    grades = _graded(Draws(dials.seed, "topic", number, "grades"), topics, num_relevant)
    places = {ground.place(element) for element in relevant.tolist()}
    return Placed(relevant, grades, np.array(sorted(places), dtype=np.int64))


def _num_relevant(draws: Draws, topics: Topics) -> int:
    """Return how many elements are relevant, by either law of `Topics`; takes one number."""
    least, most = topics.relevant
    if topics.relevant_spread is None:
        return _from_range(draws, topics.relevant)
    median = topics.relevant_median
    if median is None:
        median = float(np.sqrt(float(least) * most))
    number = np.floor(median * exp(topics.relevant_spread * draws.normals(1)) + 0.5)
    # The largest is far below infinity: no normal number is beyond 8.3.
    return int(np.clip(number, least, most)[0])


def _from_range(draws: Draws, bounds: tuple[int, int]) -> int:
    """Return a whole number from the first to the second, both included."""
    return bounds[0] + int(draws.below(bounds[1] - bounds[0] + 1))


def _in_random_order(draws: Draws, num_elements: int) -> Iterator[int]:
    """Yield all elements in a random order, the first of them at little cost."""
    seen = set[int]()
    size = _FIRST_BATCH
    while len(seen) + size < num_elements // 2:
        for element in draws.below(num_elements, size).tolist():
            if element not in seen:
                seen.add(element)
                yield element
        size *= 2
    for element in draws.order(num_elements).tolist():
        if element not in seen:
            yield element


def _scattered(ground: Ground, elements: Iterator[int], num_relevant: int) -> Ints:
    """Return the first leaves of a random order, sorted."""
    leaves = list[int]()
    for element in elements:
        if ground.is_leaf(element):
            leaves.append(element)
        if len(leaves) == num_relevant:
            break
    return np.array(sorted(leaves), dtype=np.int64)


def _chosen_places(
    ground: Ground, elements: Iterator[int], num_places: int, num_relevant: int
) -> list[Ints]:
    """Return the leaves of each of the first places of a random order, as many as are wanted."""
    chosen: dict[int, Ints] = {}
    num_leaves = 0
    for element in elements:
        first, after = ground.place(element)
        if first not in chosen:
            chosen[first] = ground.leaves(first, after)
            num_leaves += len(chosen[first])
        if len(chosen) >= num_places and num_leaves >= num_relevant:
            break
    return list(chosen.values())


def _spread(draws: Draws, leaves_of: list[Ints], num_relevant: int) -> Ints:
    """Return leaves of places, sorted: one of each place, then any, all if there are too few."""
    everything = np.concatenate(leaves_of)
    sizes = np.array([len(some) for some in leaves_of], dtype=np.int64)
    if len(everything) <= num_relevant:
        return np.sort(everything)
    one_each = (np.cumsum(sizes) - sizes + draws.below(sizes))[:num_relevant]
    rest = np.delete(everything, one_each)
    more = rest[draws.subset(len(rest), num_relevant - len(one_each))]
    return np.sort(np.concatenate((everything[one_each], more)))


def _graded(draws: Draws, topics: Topics, num_relevant: int) -> Ints:
    """Return grades by their shares, one of an ideal at least."""
    grades = 1 + draws.picks(topics.grades, num_relevant)
    if grades.max() < topics.ideal_grade:
        again = topics.ideal_grade + draws.picks(topics.grades[topics.ideal_grade - 1 :], 1)
        grades[draws.below(num_relevant, 1)] = again
    return grades
