"""Numbers that tell of topics and ranked lists: what is ideal, where it stands, who agrees."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from prum.experiments.studies.realism.distances import GroupedSample
from prum.experiments.studies.study import Floats

# Ranks on which lists are compared with each other and with what is ideal.
DEPTH = 20

Runs = Mapping[str, Mapping[str, Sequence[str]]]
Qrels = Mapping[str, Mapping[str, int]]
_Tell = Callable[[list[Sequence[str]]], list[float]]


def num_graded(qrels: Qrels, least: int) -> GroupedSample:
    """Return the number of elements of each topic with a grade of `least` or more."""
    return GroupedSample.of(
        [sum(grade >= least for grade in grades.values()) for grades in qrels.values()]
    )


def list_lengths(runs: Runs) -> GroupedSample:
    """Return the length of each list; a topic's lists belong together."""
    return _by_topic(runs, lambda lists: [float(len(ranked)) for ranked in lists])


def overlaps(runs: Runs) -> GroupedSample:
    """Return for each topic the mean overlap of two systems' first ranks (Jaccard's)."""

    def mean_overlap(lists: list[Sequence[str]]) -> list[float]:
        if len(lists) < 2:
            return []
        heads = [set(ranked[:DEPTH]) for ranked in lists]
        column_of: dict[str, int] = {}
        for head in heads:
            for element in head:
                column_of.setdefault(element, len(column_of))
        held = np.zeros((len(heads), max(len(column_of), 1)))
        for row, head in enumerate(heads):
            held[row, [column_of[element] for element in head]] = 1
        shared, sizes = held @ held.T, held.sum(axis=1)
        either = sizes[:, None] + sizes - shared
        pairs = np.triu_indices(len(heads), 1)
        return [float(np.mean(shared[pairs] / np.maximum(either[pairs], 1)))]

    return _by_topic(runs, mean_overlap)


def ideal_ranks(runs: Runs, qrels: Qrels, least: int) -> GroupedSample:
    """Return the ranks of ideals among the first of each list; a topic's belong together."""
    values, groups = list[int](), list[int]()
    for _, topic, hits in _hits(runs, qrels, least):
        ranks = (np.flatnonzero(hits[:DEPTH]) + 1).tolist()
        values += ranks
        groups += [topic] * len(ranks)
    return GroupedSample.of(values, groups)


def ideal_shares(runs: Runs, qrels: Qrels, least: int) -> GroupedSample:
    """Return for each list the share of ideals at its first ranks; a topic's belong together."""
    found = [
        (float(hits[:DEPTH].sum()) / DEPTH, topic) for _, topic, hits in _hits(runs, qrels, least)
    ]
    return GroupedSample.of([share for share, _ in found], [topic for _, topic in found])


def precisions(runs: Runs, qrels: Qrels, least: int) -> Floats:
    """Return the average precision of each system on each topic that has ideals and a list.

    0 where a system has no list. Topics come in the order of the qrels, shape (systems, topics).
    """
    sizes = np.array([len(ideals) for ideals in _ideals(qrels, least).values()])
    table, asked = np.zeros((len(runs), len(sizes))), np.zeros(len(sizes), dtype=np.bool_)
    for system, topic, hits in _hits(runs, qrels, least):
        ranks = np.flatnonzero(hits) + 1
        table[system, topic] = (np.arange(1, len(ranks) + 1) / ranks).sum() / sizes[topic]
        asked[topic] = True
    return table[:, asked]


def system_spreads(runs: Runs, qrels: Qrels, least: int) -> GroupedSample:
    """Return for each topic the standard deviation of average precision over systems."""
    table = precisions(runs, qrels, least)
    return GroupedSample.of(table.std(axis=0) if len(table) > 1 else [])


def topic_spreads(runs: Runs, qrels: Qrels, least: int) -> GroupedSample:
    """Return for each system the standard deviation of average precision over topics.

    Systems share their topics, so that all of them are one group.
    """
    table = precisions(runs, qrels, least)
    return GroupedSample.whole(table.std(axis=1) if table.shape[1] > 1 else [])


def _by_topic(runs: Runs, tell: _Tell) -> GroupedSample:
    values, groups = list[float](), list[int]()
    topics = dict.fromkeys(topic for lists in runs.values() for topic in lists)
    for number, topic in enumerate(topics):
        found = tell([lists[topic] for lists in runs.values() if topic in lists])
        values += found
        groups += [number] * len(found)
    return GroupedSample.of(values, groups)


def _ideals(qrels: Qrels, least: int) -> dict[str, set[str]]:
    """Return the ideals of topics that have some."""
    found = {
        topic: {element for element, grade in grades.items() if grade >= least}
        for topic, grades in qrels.items()
    }
    return {topic: ideals for topic, ideals in found.items() if ideals}


def _hits(runs: Runs, qrels: Qrels, least: int) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
    """Yield the number of system and topic, and whether each rank shows a new ideal."""
    for number, (topic, ideals) in enumerate(_ideals(qrels, least).items()):
        for system, lists in enumerate(runs.values()):
            if topic in lists:
                # An element that stands there twice leads nowhere new.
                ranked = dict.fromkeys(lists[topic])
                yield system, number, np.array([one in ideals for one in ranked], dtype=np.bool_)
