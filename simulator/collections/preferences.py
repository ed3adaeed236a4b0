"""Preferences: which of two elements is the better, in files of trec_eval, tables and mappings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from itertools import chain, combinations
from typing import Any, TypeAlias

import numpy as np

from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import Opened, place
from prum.simulator.tables.layout import id_of, text_of
from prum.simulator.tables.lines import LineForm
from prum.simulator.tables.names import OTHER, PREFERRED, TOPIC
from prum.simulator.tables.read import read
from prum.simulator.tables.schemas import SCHEMAS

PREFERENCE_LINES = LineForm("preferences", (("topic", "judge", "group", "element", "relevance"),))
# The preferred element, and the other one.
Pair: TypeAlias = tuple[str, str]
# Topic -> all preferences; one that two judges have stands there twice.
Preferences = Mapping[str, tuple[Pair, ...]]

_ROLES = (TOPIC[0], PREFERRED[0], OTHER[0])


def read_trec_preferences(file: Opened) -> dict[str, tuple[Pair, ...]]:
    """Return the preferences of a file of trec_eval: topic, judge, group, element, relevance.

    Of two elements of a topic, judge and group that of higher relevance is preferred, and so is
    what follows from several groups of a judge. A topic may be left without any.
    """
    judges: dict[tuple[str, str], dict[str, list[tuple[str, float]]]] = {}
    table = read(file, SCHEMAS["preference lines"], lines=PREFERENCE_LINES)
    for topic, judge, group, element, relevance in zip(*table.columns.values(), strict=True):
        judges.setdefault((topic, judge), {}).setdefault(group, []).append((element, relevance))
    rows = [
        (topic, *pair)
        for (topic, _), groups in judges.items()
        for pair in _followed(groups.values())
    ]
    preferences = checked_preferences(rows, lambda _: place(file), place(file))
    return {topic: preferences.get(topic, ()) for topic, _ in judges}


def _followed(groups: Iterable[Sequence[tuple[str, float]]]) -> list[Pair]:
    """Return the pairs of a judge, each once, with those that follow from several groups."""
    ordered = [
        [
            (first, second) if more > less else (second, first)
            for (first, more), (second, less) in combinations(group, 2)
            if more != less
        ]
        for group in groups
    ]
    pairs = list(dict.fromkeys(chain(*ordered)))
    if len(ordered) == 1:
        return pairs  # one order of elements holds all that follows
    names = list(dict.fromkeys(chain(*pairs)))
    number = {element: row for row, element in enumerate(names)}
    above = np.zeros((len(names),) * 2, dtype=np.bool_)
    for upper, lower in pairs:
        above[number[upper], number[lower]] = True
    for middle in range(len(names)):
        above |= np.outer(above[:, middle], above[middle])
    np.fill_diagonal(above, False)  # of circles
    return [(names[upper], names[lower]) for upper, lower in np.argwhere(above).tolist()]


def checked_preferences(
    rows: Iterable[tuple[Any, Any, Any]], where: Callable[[int], str], origin: str
) -> dict[str, tuple[Pair, ...]]:
    """Return the preferences of each topic; rows are (topic, preferred, other).

    Raise InputError for what is no id, an element preferred to itself, no preference at all;
    `where` says where a row stands.
    """
    by_topic: dict[str, list[Pair]] = {}
    for row, values in enumerate(rows):
        topic, preferred, other = (
            text_of(value) or id_of(value, thing, where(row))
            for thing, value in zip(_ROLES, values, strict=True)
        )
        if preferred == other:
            thing, rule = f"element preferred to {other!r}", "be another one"
            raise InputError(thing, preferred, rule, remedy="leave it out", place=where(row))
        by_topic.setdefault(topic, []).append((preferred, other))
    if not by_topic:
        rule, remedy = "be at least 1", "say which element is preferred to which"
        raise InputError("number of preferences", 0, rule, remedy=remedy, place=origin)
    return {topic: tuple(pairs) for topic, pairs in by_topic.items()}


def preferences_of_pairs(
    by: Mapping[Any, Iterable[Any]], origin: str = "preferences"
) -> dict[str, tuple[Pair, ...]]:
    """Return preferences given as topic -> pairs, checked; raise InputError for what is no pair."""
    rows = []
    for topic, pairs in by.items():
        for pair in pairs:
            is_pair = isinstance(pair, Sequence) and len(pair) == len(_ROLES) - 1
            if isinstance(pair, str) or not is_pair:
                rule, remedy = "be a pair", "give (preferred, other)"
                thing = f"preference of topic {topic!r}"
                raise InputError(thing, pair, rule, remedy=remedy, place=origin)
            rows.append((topic, *pair))
    return checked_preferences(rows, lambda row: f"{origin}, topic {rows[row][0]!r}", origin)


def relevance_by_preference(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return relevance in [0, 1] made of preferences: the best has 1, the worst 0, others evenly.

    So Mizzaro (2001, section 5) makes preferences continuous. The level of an element is the length
    of the longest chain of preferences below it; elements that are preferred to one another in a
    circle share a level. The levels of a topic lie evenly between 0 and 1, so that relevance keeps
    every preference outside circles. In one circle alone all have 1/2.

    >>> relevance_by_preference([("a", "b"), ("b", "c"), ("a", "c")])
    {'a': 1.0, 'b': 0.5, 'c': 0.0}
    >>> relevance_by_preference([("a", "b"), ("b", "a"), ("a", "c")])
    {'a': 1.0, 'b': 1.0, 'c': 0.0}
    """
    if not pairs:
        return {}
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    numbers = {x: row for row, x in enumerate(dict.fromkeys(chain(*pairs)))}
    uppers, lowers = np.array([[numbers[x] for x in pair] for pair in pairs]).T
    graph = csr_array((np.ones(len(pairs)), (uppers, lowers)), shape=(len(numbers),) * 2)
    count, circle = connected_components(graph, connection="strong")
    below = [set[int]() for _ in range(count)]
    for upper, lower in zip(circle[uppers].tolist(), circle[lowers].tolist(), strict=True):
        if upper != lower:
            below[upper].add(lower)
    level = dict.fromkeys(range(count), 0)  # the length of the longest chain below
    for number in TopologicalSorter(dict(enumerate(below))).static_order():
        level[number] = max((level[lower] + 1 for lower in below[number]), default=0)
    top = max(level.values())
    return {x: level[circle[row]] / top if top else 0.5 for x, row in numbers.items()}
