"""Where the relevant elements of made topics lie, their grades, and all judgements of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from prum.simulator.generation.dials import Dials, Topics
from prum.simulator.generation.draws import Draws
from prum.simulator.generation.portable import exp
from prum.simulator.generation.structures import TREES, Structure, TreePart
from prum.simulator.model import Assessment, Elements, InputError
from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.model.assessments import best_on_each_path, generalised

_FIRST_BATCH = 16


@dataclass(frozen=True, eq=False, slots=True)
class Placed:
    """The relevant elements of a topic, before the elements that contain them are assessed.

    `relevant`: their numbers, sorted; in trees they are leaves. `grades`: the grade of each.
    `places`: number of the first element, and the number after the last, of each place that holds
    some, sorted; shape (places, 2).
    """

    relevant: Ints
    grades: Ints
    places: Ints


def placed(structure: Structure, dials: Dials, number: int) -> Placed:
    """Return the relevant elements of a topic: a function of seed, dials and its number alone.

    Places are those of elements drawn at random, so that a place is drawn in proportion to its
    size. Each holds a relevant leaf, as far as there are enough of these; the others are any leaves
    of the places. If the places have too few leaves, more places are added. The elements of a flat
    collection are their own places, which makes clustered the same as scattered.

    Grades are drawn one by one. If none is that of an ideal, one element is graded again until it
    is ideal.

    Raise InputError if the collection has fewer leaves than the topic has relevant elements.
    """
    topics = dials.topics
    draws = Draws(dials.seed, "topic", number, "size")
    num_relevant = _num_relevant(draws, topics)
    num_places = min(num_relevant, _from_range(draws, topics.places))
    elements = _in_random_order(
        Draws(dials.seed, "topic", number, "elements"), structure.num_elements
    )
    if topics.placement == "scattered" or dials.collection.kind == "flat":
        relevant = _scattered(structure, elements, num_relevant)
    else:
        leaves_of = _chosen_places(structure, elements, num_places, num_relevant)
        draws = Draws(dials.seed, "topic", number, "leaves")
        relevant = _spread(draws, leaves_of, num_relevant)
    if len(relevant) < num_relevant:
        thing = f"number of relevant elements of topic {number}"
        rule = f"be at most {len(relevant)}, the elements without children of the collection"
        remedy = "lower relevant of topics, or have more elements"
        raise InputError(thing, num_relevant, rule, remedy=remedy)
    grades = _graded(Draws(dials.seed, "topic", number, "grades"), topics, num_relevant)
    places = {structure.place(element) for element in relevant.tolist()}
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


def _scattered(structure: Structure, elements: Iterator[int], num_relevant: int) -> Ints:
    """Return the first leaves of a random order, sorted."""
    leaves = list[int]()
    for element in elements:
        if structure.is_leaf(element):
            leaves.append(element)
        if len(leaves) == num_relevant:
            break
    return np.array(sorted(leaves), dtype=np.int64)


def _chosen_places(
    structure: Structure, elements: Iterator[int], num_places: int, num_relevant: int
) -> list[Ints]:
    """Return the leaves of each of the first places of a random order, as many as are wanted."""
    chosen: dict[int, Ints] = {}
    num_leaves = 0
    for element in elements:
        first, after = structure.place(element)
        if first not in chosen:
            chosen[first] = structure.leaves(first, after)
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


HIGHEST = 3

_NOTHING = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class JudgedTopic:
    """The complete judgements of a topic, all sorted by element number.

    `relevant`, `grades`: the elements of positive grade, and their grades. `ideals`: the relevant
    elements of ideal_grade or more; at least one. `assessed`, `exhaustivity`, `specificity`: for
    trees, the relevant leaves and all that contain them; else empty.
    """

    relevant: Ints
    grades: Ints
    ideals: Ints
    assessed: Ints
    exhaustivity: Ints
    specificity: Ints


def judged(structure: Structure, dials: Dials, placed: Placed) -> JudgedTopic:
    """Return the complete judgements of a topic.

    Where ideals are "leaves", the relevant elements are those that were placed. Where they are
    "best", the best element of each path is relevant, by INEX's generalised quantisation of all
    assessments; it has the grade of an equally exhaustive leaf. The elements that it contains or
    that contain it are not relevant. If ideal_grade is 1 all relevant elements are ideal, as
    `prum evaluate --ideals best` finds from the assessments.

    Raise InputError for the best of a collection without trees.
    """
    topics, kind = dials.topics, dials.collection.kind
    relevant, grades = placed.relevant, placed.grades
    assessed = (_NOTHING, _NOTHING, _NOTHING)
    if kind in TREES:
        levels = len(topics.grades)
        spans = [structure.span(first) for first in placed.places[:, 0].tolist()]
        assessed = assessments(spans, relevant, exhaustivity_of(grades, levels))
        if topics.ideals == "best":
            kept = _best(spans, *assessed)
            relevant, grades = assessed[0][kept], grade_of(assessed[1][kept], levels)
    elif topics.ideals == "best":
        rule = f"be leaves in a collection of kind {kind}, which has no trees"
        remedy = f"leave it out, or take one of {', '.join(TREES)}"
        raise InputError("ideals", "best", rule, remedy=remedy, place="topics")
    return JudgedTopic(relevant, grades, relevant[grades >= topics.ideal_grade], *assessed)


def exhaustivity_of(grades: Ints, levels: int) -> Ints:
    """Return the exhaustivity of leaves: grades 1 to `levels`, spread up to 3.

    Of one level it is 3, of two 2 and 3, of three 1, 2 and 3.

    >>> exhaustivity_of(np.array([1, 2]), 2).tolist()
    [2, 3]
    """
    return -(-HIGHEST * grades // levels)


def grade_of(exhaustivity: Ints, levels: int) -> Ints:
    """Return the highest grade whose leaves are at most so exhaustive: undo `exhaustivity_of`.

    >>> grade_of(np.array([2, 3]), 2).tolist()
    [1, 2]
    """
    return exhaustivity * levels // HIGHEST


def assessments(
    spans: list[TreePart], relevant: Ints, exhaustivity: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return (number, exhaustivity, specificity) of relevant leaves and of all that contain them.

    Leaves have specificity 3. An element that contains some is as exhaustive as the most exhaustive
    of its children, and one level more, 3 at most, if two or more of them are relevant: together
    they hold more than each. Its specificity is 3 if relevant leaves cover two thirds of its length
    or more, 2 if a third or more, else 1. Where leaves overlap, their text counts once.

    Sorted by number. The spans are those of the documents, in order.

    >>> page = TreePart(first=7, parents=np.array([-1, 0, 0]), starts=np.array([0, 0, 150]),
    ...             lengths=np.array([300, 200, 150]))
    >>> [column.tolist() for column in assessments([page], np.array([8]), np.array([2]))]
    [[7, 8], [2, 2], [3, 3]]
    """
    numbers, levels, shares = list[int](), list[int](), list[int]()
    for span in spans:
        low, high = np.searchsorted(relevant, (span.first, span.after))
        places = (relevant[low:high] - span.first).tolist()
        exhaustive = dict(zip(places, exhaustivity[low:high].tolist(), strict=True))
        covered = _covered(span, places)
        pending = dict.fromkeys([*places, *covered], 0)
        # Children have higher numbers than their parents.
        for place in sorted(pending, reverse=True):
            if pending[place] > 1:
                exhaustive[place] = min(HIGHEST, exhaustive[place] + 1)
            above = span.above(place)
            if above >= 0:
                exhaustive[above] = max(exhaustive.get(above, 0), exhaustive[place])
                pending[above] += 1
        for place in sorted(pending):
            numbers.append(span.first + place)
            levels.append(exhaustive[place])
            shares.append(
                _level(covered[place], int(span.lengths[place])) if place in covered else HIGHEST
            )
    return _array(numbers), _array(levels), _array(shares)


def _array(numbers: list[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)


def _covered(span: TreePart, leaves: list[int]) -> dict[int, int]:
    """Return for each element that contains leaves how much of its length they cover."""
    covered, reached = dict[int, int](), dict[int, int]()
    # In order of start, each leaf covers what lies beyond the end reached so far.
    for leaf in sorted(leaves, key=lambda leaf: (int(span.starts[leaf]), leaf)):
        start = int(span.starts[leaf])
        end = start + int(span.lengths[leaf])
        above = span.above(leaf)
        while above >= 0:
            begin = max(start, reached.get(above, start))
            covered[above] = covered.get(above, 0) + max(0, end - begin)
            reached[above] = max(end, begin)
            above = span.above(above)
    return covered


def _level(covered: int, length: int) -> int:
    """Return the specificity of an element by the length that relevant leaves cover.

    >>> [_level(covered, 6) for covered in (1, 2, 3, 4)]
    [1, 2, 2, 3]
    """
    return 1 + (3 * covered >= length) + (3 * covered >= 2 * length)


def _best(spans: list[TreePart], assessed: Ints, exhaustivity: Ints, specificity: Ints) -> Ints:
    """Return the places of the best of each path among what was assessed, sorted."""
    # All that contain an assessed element are assessed, so these are whole trees.
    names = [f"{number:020}" for number in assessed.tolist()]
    firsts = np.array([span.first for span in spans])
    owners = (np.searchsorted(firsts, assessed, side="right") - 1).tolist()
    rows = dict[str, tuple[str | None, float, float]]()
    for name, number, owner in zip(names, assessed.tolist(), owners, strict=True):
        span = spans[owner]
        place = number - span.first
        above = span.above(place)
        rows[name] = (
            None if above < 0 else f"{span.first + above:020}",
            float(span.lengths[place]),
            float(span.starts[place]),
        )
    scales = zip(exhaustivity.tolist(), specificity.tolist(), strict=True)
    worth = {name: generalised(Assessment(*both)) for name, both in zip(names, scales, strict=True)}
    best = best_on_each_path(worth, Elements(rows))
    return np.searchsorted(assessed, _array([int(name) for name in best]))


def intents_of(dials: Dials, number: int, num_relevant: int) -> Flags:
    """Return which intents the relevant elements of a topic serve, (num_relevant, intents).

    Each element serves one intent at random; the first as many elements as there are intents, in a
    random order, serve different ones. It serves any other intent with probability intents_shared.
    """
    topics = dials.topics
    draws = Draws(dials.seed, "topic", number, "intents")
    chosen = draws.below(topics.intents, num_relevant)
    different = min(num_relevant, topics.intents)
    chosen[draws.order(num_relevant)[:different]] = draws.order(topics.intents)[:different]
    coins = Draws(dials.seed, "topic", number, "intents shared")
    serves = coins.units(num_relevant, topics.intents) < topics.intents_shared
    serves[np.arange(num_relevant), chosen] = True
    return serves
