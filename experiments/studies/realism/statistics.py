"""The statistics that both sides have: of pages, trees, topics, lists, and what people did.

Each is a function that takes what its parameters name, of the content of files, to a sample of
numbers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from prum.experiments.statistics.distances import GroupedSample
from prum.experiments.studies.realism.reading import Content, LinkTable, Qrels, Runs, Samples
from prum.simulator import Elements
from prum.simulator.model.arrays import Flags, Floats, Ints

_Sampler = Callable[..., GroupedSample]

# Ranks on which lists are compared with each other and with what is ideal.
DEPTH = 20
# So many pages, drawn at random, tell how clustered a larger web is.
MOST_CLUSTERED = 20_000
_SEED = 1
_PAGES_AT_ONCE = 2_000
_NONE = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number that each of some things has.

    `name` as in the study's rows, `plain` as people read it. The `unit` is what is exchangeable:
    the group of a sample, which may name another.
    """

    name: str
    plain: str
    unit: str
    sample: _Sampler


STATISTICS: list[Statistic] = []


def _statistic(plain: str, unit: str) -> Callable[[_Sampler], _Sampler]:
    """Register a function as a statistic, in the order of the study's rows."""

    def registered(sample: _Sampler) -> _Sampler:
        STATISTICS.append(Statistic(sample.__name__.removeprefix("_"), plain, unit, sample))
        return sample

    return registered


def samples(content: Content) -> dict[str, GroupedSample]:
    """Return the samples of all statistics that the content of the files tells, by name."""
    known: dict[str, GroupedSample] = {}
    for statistic in STATISTICS:
        needs = signature(statistic.sample).parameters
        if needs.keys() <= content.keys():
            sample = statistic.sample(*(content[name] for name in needs))
            if len(sample.values):
                known[statistic.name] = sample
    return known


def both(first: Samples, second: Samples) -> dict[str, tuple[GroupedSample, GroupedSample]]:
    """Return the samples of statistics that both sides have, in their order.

    Where all that is relevant is ideal, on both sides, numbers of ideals tell nothing more.
    """
    names = (statistic.name for statistic in STATISTICS)
    pairs = {
        name: (first[name], second[name]) for name in names if name in first and name in second
    }
    if {"relevant", "ideal"} <= pairs.keys() and all(
        np.array_equal(side["relevant"].values, side["ideal"].values) for side in (first, second)
    ):
        del pairs["ideal"]
    return pairs


# --- pages ---------------------------------------------------------------------------------------
# Pages choose their own links, so their numbers are taken as independent. What is linked to whom
# hangs together over a whole web, by communities and by what is popular: there it is one group.


@_statistic("links of a page", "page")
def _out_degree(links: LinkTable) -> GroupedSample:
    return GroupedSample.of(links.out_degrees)


@_statistic("links to a page", "web")
def _in_degree(links: LinkTable) -> GroupedSample:
    return GroupedSample.whole(links.in_degrees)


@_statistic("share of links returned", "web")
def _returned(links: LinkTable) -> GroupedSample:
    """Return for each page with links the share of them whose targets link back."""
    size = links.num_pages
    there, back = links.sources * size + links.targets, links.targets * size + links.sources
    degrees = links.out_degrees
    answered = np.bincount(links.sources, weights=np.isin(back, there), minlength=size)
    return GroupedSample.whole(answered[degrees > 0] / degrees[degrees > 0])


@_statistic("share of targets linked", "web")
def _clustering(links: LinkTable) -> GroupedSample:
    """Return for pages with two links or more the share of pairs of their targets that are linked.

    Pairs count in both directions.
    """
    from scipy.sparse import csr_array

    ones, size = np.ones(len(links.sources)), links.num_pages
    table = csr_array((ones, (links.sources, links.targets)), shape=(size, size))
    degrees = np.diff(table.indptr).astype(np.float64)
    pages = np.flatnonzero(degrees >= 2)
    if len(pages) > MOST_CLUSTERED:
        rng = np.random.default_rng(_SEED)
        pages = np.sort(rng.choice(pages, MOST_CLUSTERED, replace=False))
    shares = [np.empty(0)]
    for begin in range(0, len(pages), _PAGES_AT_ONCE):
        block = pages[begin : begin + _PAGES_AT_ONCE]
        rows = table[block]
        linked: Floats = np.asarray((rows @ table).multiply(rows).sum(axis=1)).ravel()
        shares.append(linked / (degrees[block] * (degrees[block] - 1)))
    return GroupedSample.whole(np.concatenate(shares))


# --- trees ---------------------------------------------------------------------------------------


def num_children(elements: Elements) -> Ints:
    """Return the number of children of each element."""
    counts = np.bincount(elements.parents[elements.parents >= 0], minlength=len(elements.ids))
    return counts.astype(np.int64)


def is_leaf(elements: Elements) -> Flags:
    """Return whether each element has no children."""
    return np.equal(num_children(elements), 0)


def _by_document(elements: Elements, values: NDArray[np.generic], chosen: Flags) -> GroupedSample:
    return GroupedSample.of(values[chosen], elements.documents[chosen])


@_statistic("length of a leaf", "document")
def _leaf_length(elements: Elements) -> GroupedSample:
    return _by_document(elements, elements.lengths, is_leaf(elements))


@_statistic("length of a document", "document")
def _document_length(elements: Elements) -> GroupedSample:
    return GroupedSample.of(elements.lengths[elements.parents < 0])


@_statistic("depth of a leaf", "document")
def _leaf_depth(elements: Elements) -> GroupedSample:
    return _by_document(elements, elements.depths, is_leaf(elements))


@_statistic("children, where there are", "document")
def _children(elements: Elements) -> GroupedSample:
    return _by_document(elements, num_children(elements), ~is_leaf(elements))


@_statistic("elements of a document", "document")
def _document_size(elements: Elements) -> GroupedSample:
    """Return the number of elements of each document, itself among them."""
    documents = np.flatnonzero(elements.parents < 0)
    return GroupedSample.of(elements.afters[documents] - documents)


# --- topics and lists ----------------------------------------------------------------------------


def _grouped(groups: Iterable[Sequence[float]]) -> GroupedSample:
    """Return a sample of numbers by group."""
    sizes, values = list[int](), list[float]()
    for own in groups:
        sizes.append(len(own))
        values += own
    return GroupedSample.of(values, np.repeat(np.arange(len(sizes)), sizes))


def _by_topic(runs: Runs) -> list[list[Sequence[str]]]:
    """Return the lists of each topic."""
    topics = dict.fromkeys(topic for lists in runs.values() for topic in lists)
    return [[lists[topic] for lists in runs.values() if topic in lists] for topic in topics]


@_statistic("length of a list", "topic")
def _list_length(runs: Runs) -> GroupedSample:
    return _grouped([len(ranked) for ranked in lists] for lists in _by_topic(runs))


@_statistic(f"overlap of lists to rank {DEPTH}", "topic")
def _overlap(runs: Runs) -> GroupedSample:
    """Return for each topic the mean overlap of two systems' first ranks (Jaccard's)."""
    means = []
    for lists in _by_topic(runs):
        heads = [set(ranked[:DEPTH]) for ranked in lists]
        shares = [len(a & b) / max(len(a | b), 1) for a, b in combinations(heads, 2)]
        means.append([float(np.mean(shares))] if shares else [])
    return _grouped(means)


@_statistic("relevant elements of a topic", "topic")
def _relevant(qrels: Qrels) -> GroupedSample:
    return _ideal(qrels, 1)


@_statistic("ideal elements of a topic", "topic")
def _ideal(qrels: Qrels, ideal_grade: int) -> GroupedSample:
    return GroupedSample.of(
        [sum(grade >= ideal_grade for grade in grades.values()) for grades in qrels.values()]
    )


def _hits(runs: Runs, qrels: Qrels, ideal_grade: int) -> list[tuple[int, dict[str, Flags]]]:
    """Return of topics with ideals their number, and by system which ranks show a new one."""
    found = []
    for topic, grades in qrels.items():
        ideals = {element for element, grade in grades.items() if grade >= ideal_grade}
        if ideals:
            # An element that stands there twice leads nowhere new.
            hits = {
                system: np.array([one in ideals for one in dict.fromkeys(lists[topic])], np.bool_)
                for system, lists in runs.items()
                if topic in lists
            }
            found.append((len(ideals), hits))
    return found


@_statistic(f"rank of an ideal, to {DEPTH}", "topic")
def _ideal_rank(runs: Runs, qrels: Qrels, ideal_grade: int) -> GroupedSample:
    """Return the ranks of ideals among the first of each list; a topic's belong together."""
    return _grouped(
        [rank for own in by.values() for rank in (np.flatnonzero(own[:DEPTH]) + 1).tolist()]
        for _, by in _hits(runs, qrels, ideal_grade)
    )


@_statistic(f"share of ideals to rank {DEPTH}", "topic")
def _ideal_share(runs: Runs, qrels: Qrels, ideal_grade: int) -> GroupedSample:
    """Return for each list the share of ideals at its first ranks; a topic's belong together."""
    return _grouped(
        [float(own[:DEPTH].sum()) / DEPTH for own in by.values()]
        for _, by in _hits(runs, qrels, ideal_grade)
    )


def precisions(runs: Runs, qrels: Qrels, ideal_grade: int) -> Floats:
    """Return the average precision of each system on each topic that has ideals and a list.

    0 where a system has no list. Topics come in the order of the qrels, shape (systems, topics).
    """
    rows = []
    for num_ideals, by in _hits(runs, qrels, ideal_grade):
        if by:
            ranks = [np.flatnonzero(by[system]) + 1 if system in by else _NONE for system in runs]
            rows.append([(np.arange(1, len(own) + 1) / own).sum() / num_ideals for own in ranks])
    return np.array(rows).reshape(len(rows), len(runs)).T


@_statistic("AP of systems, sd on a topic", "topic")
def _system_spread(runs: Runs, qrels: Qrels, ideal_grade: int) -> GroupedSample:
    """Return for each topic the standard deviation of average precision over systems."""
    table = precisions(runs, qrels, ideal_grade)
    return GroupedSample.of(table.std(axis=0) if len(table) > 1 else [])


@_statistic("AP on topics, sd of a system", "campaign")
def _topic_spread(runs: Runs, qrels: Qrels, ideal_grade: int) -> GroupedSample:
    """Return for each system the standard deviation of average precision over topics.

    Systems share their topics, so that all of them are one group.
    """
    table = precisions(runs, qrels, ideal_grade)
    return GroupedSample.whole(table.std(axis=1) if table.shape[1] > 1 else [])


# --- people --------------------------------------------------------------------------------------


@_statistic("last rank of a search", "person")
def _last_rank(people: Samples) -> GroupedSample:
    return people["last_rank"]


@_statistic("clicks of a session", "person")
def _clicks(people: Samples) -> GroupedSample:
    return people["clicks"]


@_statistic("elements of a path", "path")
def _path_length(paths: Samples) -> GroupedSample:
    return paths["path_length"]


@_statistic("revisits of a path", "path")
def _revisits(paths: Samples) -> GroupedSample:
    """Return how many elements of each path were on it before."""
    return paths["revisits"]
