"""Numbers that tell of topics and ranked lists: what is ideal, where it stands, who agrees."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from prum.experiments.statistics.distances import GroupedSample
from prum.simulator.model.arrays import Flags, Floats

# Ranks on which lists are compared with each other and with what is ideal.
DEPTH = 20

Runs = Mapping[str, Mapping[str, Sequence[str]]]
Qrels = Mapping[str, Mapping[str, int]]


def num_graded(qrels: Qrels, least: int = 1) -> GroupedSample:
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
        columns = {element: number for number, element in enumerate(set().union(*heads))}
        held = np.zeros((len(heads), max(len(columns), 1)))
        for row, head in enumerate(heads):
            held[row, [columns[element] for element in head]] = 1
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
    shares, topics = list[float](), list[int]()
    for _, topic, hits in _hits(runs, qrels, least):
        shares.append(float(hits[:DEPTH].sum()) / DEPTH)
        topics.append(topic)
    return GroupedSample.of(shares, topics)


def precisions(runs: Runs, qrels: Qrels, least: int) -> Floats:
    """Return the average precision of each system on each topic that has ideals and a list.

    0 where a system has no list. Topics come in the order of the qrels, shape (systems, topics).
    """
    sizes = np.array([len(ideals) for ideals in _ideals(qrels, least).values()])
    table, is_asked = np.zeros((len(runs), len(sizes))), np.zeros(len(sizes), dtype=np.bool_)
    for system, topic, hits in _hits(runs, qrels, least):
        ranks = np.flatnonzero(hits) + 1
        table[system, topic] = (np.arange(1, len(ranks) + 1) / ranks).sum() / sizes[topic]
        is_asked[topic] = True
    return table[:, is_asked]


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


def _by_topic(runs: Runs, values_of: Callable[[list[Sequence[str]]], list[float]]) -> GroupedSample:
    values, groups = list[float](), list[int]()
    topics = dict.fromkeys(topic for lists in runs.values() for topic in lists)
    for number, topic in enumerate(topics):
        of_topic = values_of([lists[topic] for lists in runs.values() if topic in lists])
        values += of_topic
        groups += [number] * len(of_topic)
    return GroupedSample.of(values, groups)


def _ideals(qrels: Qrels, least: int) -> dict[str, set[str]]:
    """Return the ideals of topics that have some."""
    ideals = {
        topic: {element for element, grade in grades.items() if grade >= least}
        for topic, grades in qrels.items()
    }
    return {topic: elements for topic, elements in ideals.items() if elements}


def _hits(runs: Runs, qrels: Qrels, least: int) -> Iterator[tuple[int, int, Flags]]:
    """Yield the number of system and topic, and whether each rank shows a new ideal."""
    for number, (topic, ideals) in enumerate(_ideals(qrels, least).items()):
        for system, lists in enumerate(runs.values()):
            if topic in lists:
                # An element that stands there twice leads nowhere new.
                ranked = dict.fromkeys(lists[topic])
                hits = [element in ideals for element in ranked]
                yield system, number, np.array(hits, dtype=np.bool_)
