"""The statistics that both sides have: of pages, trees, topics, lists, and what people did."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from prum.experiments.logs import read_log, read_sessions
from prum.experiments.statistics.distances import GroupedSample
from prum.simulator import Elements, Links
from prum.simulator.collections import read_click_log
from prum.simulator.model.arrays import Flags

# Samples by statistic.
Samples = dict[str, GroupedSample]
Runs = Mapping[str, Mapping[str, Sequence[str]]]
Qrels = Mapping[str, Mapping[str, float]]
# Ranks on which lists are compared with each other and with what is ideal.
DEPTH = 20
# So many pages, drawn at random, tell how clustered a larger web is.
MOST_CLUSTERED = 20_000
_SEED, _PAGES_AT_ONCE = 1, 2_000
# What each is in plain words, and what is exchangeable: the group of a sample, which may name
# another. Pages choose their own links, so their numbers are taken as independent; what is linked
# to whom hangs together over a whole web, by communities and by what is popular. Systems share
# their topics.
STATISTICS = {
    "out_degree": ("links of a page", "page"),
    "in_degree": ("links to a page", "web"),
    "returned": ("share of links returned", "web"),
    "clustering": ("share of targets linked", "web"),
    "leaf_length": ("length of a leaf", "document"),
    "document_length": ("length of a document", "document"),
    "leaf_depth": ("depth of a leaf", "document"),
    "children": ("children, where there are", "document"),
    "document_size": ("elements of a document", "document"),
    "list_length": ("length of a list", "topic"),
    "overlap": (f"overlap of lists to rank {DEPTH}", "topic"),
    "relevant": ("relevant elements of a topic", "topic"),
    "ideal": ("ideal elements of a topic", "topic"),
    "ideal_rank": (f"rank of an ideal, to {DEPTH}", "topic"),
    "ideal_share": (f"share of ideals to rank {DEPTH}", "topic"),
    "system_spread": ("AP of systems, sd on a topic", "topic"),
    "topic_spread": ("AP on topics, sd of a system", "campaign"),
    "last_rank": ("last rank of a search", "person"),
    "clicks": ("clicks of a session", "person"),
    "path_length": ("elements of a path", "path"),
    "revisits": ("revisits of a path", "path"),
}
# What is used of a log; `prum simulate` writes more. A session of it is a search: all searches of a
# user are what others call a session.
_LOG = ("system", "user", "session", "query", "action", "rank", "element", "elements")
_SEARCH, _VISIT = ["system", "user", "session"], ["system", "user"]


# --- statistics -----------------------------------------------------------------------------------


def of_links(links: Links) -> Samples:
    """Return degrees of pages, those some link names, and how links are connected.

    Links from a page to itself do not count. `returned` is the share of a page's links whose
    targets link back, `clustering` that of pairs of its targets that are linked, in both
    directions.
    """
    from scipy.sparse import csr_array

    size, apart = len(links.elements), links.sources != links.targets
    sources, targets = links.sources[apart], links.targets[apart]
    degrees, into = (np.bincount(ends, minlength=size) for ends in (sources, targets))
    there, back = sources * size + targets, targets * size + sources
    answered = np.bincount(sources, weights=np.isin(back, there), minlength=size)
    table = csr_array((np.ones(len(sources)), (sources, targets)), shape=(size, size))
    pages = np.flatnonzero(degrees >= 2)
    if len(pages) > MOST_CLUSTERED:
        rng = np.random.default_rng(_SEED)
        pages = np.sort(rng.choice(pages, MOST_CLUSTERED, replace=False))
    shares = [np.empty(0)]
    for begin in range(0, len(pages), _PAGES_AT_ONCE):
        block = pages[begin : begin + _PAGES_AT_ONCE]
        rows = table[block]
        linked = np.asarray((rows @ table).multiply(rows).sum(axis=1), dtype=np.float64).ravel()
        shares.append(linked / (degrees[block] * (degrees[block] - 1)))
    return {
        "out_degree": GroupedSample.of(degrees),
        "in_degree": GroupedSample.whole(into),
        "returned": GroupedSample.whole(answered[degrees > 0] / degrees[degrees > 0]),
        "clustering": GroupedSample.whole(np.concatenate(shares)),
    }


def of_elements(elements: Elements) -> Samples:
    """Return lengths, depths and numbers of children, by document."""
    parents, documents = elements.parents, np.flatnonzero(elements.parents < 0)
    children = np.bincount(parents[parents >= 0], minlength=len(elements.ids))
    is_leaf = children == 0

    def by_document(values: Any, chosen: Flags) -> GroupedSample:
        return GroupedSample.of(values[chosen], elements.documents[chosen])

    return {
        "leaf_length": by_document(elements.lengths, is_leaf),
        "document_length": GroupedSample.of(elements.lengths[documents]),
        "leaf_depth": by_document(elements.depths, is_leaf),
        "children": by_document(children, ~is_leaf),
        "document_size": GroupedSample.of(elements.afters[documents] - documents),
    }


def _grouped(groups: Iterable[Sequence[float]]) -> GroupedSample:
    """Return a sample of numbers by group."""
    groups = list(groups)
    sizes = [len(group) for group in groups]
    values = [value for group in groups for value in group]
    return GroupedSample.of(values, np.repeat(np.arange(len(sizes)), sizes))


def of_runs(runs: Runs) -> Samples:
    """Return lengths of lists, and of each topic the mean overlap of first ranks (Jaccard's)."""
    topics = dict.fromkeys(topic for lists in runs.values() for topic in lists)
    by_topic = [[lists[topic] for lists in runs.values() if topic in lists] for topic in topics]
    overlaps = []
    for lists in by_topic:
        heads = [set(ranked[:DEPTH]) for ranked in lists]
        shares = [len(a & b) / max(len(a | b), 1) for a, b in combinations(heads, 2)]
        overlaps.append([float(np.mean(shares))] if shares else [])
    return {
        "list_length": _grouped([len(ranked) for ranked in lists] for lists in by_topic),
        "overlap": _grouped(overlaps),
    }


def of_qrels(qrels: Qrels, ideal_grade: int) -> Samples:
    """Return numbers of relevant and of ideal elements of each topic."""
    return {
        name: GroupedSample.of([sum(g >= least for g in qrels[topic].values()) for topic in qrels])
        for name, least in (("relevant", 1), ("ideal", ideal_grade))
    }


def of_judged_runs(runs: Runs, qrels: Qrels, ideal_grade: int) -> Samples:
    """Return ranks and shares of ideals at the first ranks, and how average precision varies.

    Of topics with ideals and a list; a system without one has an average precision of 0.
    """
    ranks, shares, precisions = list[list[int]](), list[list[float]](), list[list[float]]()
    for topic, grades in qrels.items():
        ideals = {element for element, grade in grades.items() if grade >= ideal_grade}
        # An element that stands there twice leads nowhere new.
        hits = {
            system: np.flatnonzero([x in ideals for x in dict.fromkeys(lists[topic])]) + 1
            for system, lists in runs.items()
            if topic in lists
        }
        if ideals:
            heads = [places[places <= DEPTH] for places in hits.values()]
            ranks.append([rank for head in heads for rank in head.tolist()])
            shares.append([len(head) / DEPTH for head in heads])
        if ideals and hits:
            of_systems = [hits.get(system, np.zeros(0)) for system in runs]
            precisions.append(
                [float((np.arange(1, len(x) + 1) / x).sum()) / len(ideals) for x in of_systems]
            )
    table = np.array(precisions).reshape(len(precisions), len(runs)).T
    return {
        "ideal_rank": _grouped(ranks),
        "ideal_share": _grouped(shares),
        "system_spread": GroupedSample.of(table.std(axis=0) if len(table) > 1 else []),
        "topic_spread": GroupedSample.whole(table.std(axis=1) if table.shape[1] > 1 else []),
    }


def of_simulated(path: Path) -> Samples:
    """Return what users of a log did, and their paths from each element that they consulted.

    The last ranks of a topic's searches belong together, which hang on its lists; and so do all
    users' consultations, who search for the same topics, and walk from the same pages.
    """
    import pandas as pd

    log = pd.DataFrame(read_log(path, _LOG))
    return of_consulted(log)


def of_consulted(log: Any) -> Samples:
    """Return the same of a data frame."""
    consulted = log[log["action"] == "consult"]
    consulted = consulted.assign(rank=consulted["rank"] + consulted["elements"] - 1)
    last = consulted.groupby(_SEARCH, sort=False, observed=True)[["rank", "query"]].last()
    sizes = consulted.groupby(_VISIT, sort=False, observed=True)["elements"].sum()
    ranks, topics = last["rank"].to_numpy(), last["query"].factorize()[0]
    number, seen = (log["action"] == "consult").cumsum(), log["action"] == "see"
    walks = log[seen].groupby(number[seen], sort=False)["element"]
    lengths = walks.size().to_numpy()
    return {
        "last_rank": GroupedSample.of(ranks, topics, unit="topic"),
        "clicks": GroupedSample.whole(sizes.to_numpy()),
        "path_length": GroupedSample.whole(lengths),
        "revisits": GroupedSample.whole(lengths - walks.nunique().to_numpy()),
    }


def of_people(path: Path) -> Samples:
    """Return the paths of a log of people: a session each, taken as another person's."""
    sessions = [session for batch in read_sessions(path) for session in batch]
    return {
        "path_length": GroupedSample.of([len(session) for session in sessions]),
        "revisits": GroupedSample.of([len(session) - len(set(session)) for session in sessions]),
    }


def of_clicks(path: Path) -> Samples:
    """Return what people did whose clicks a search engine logged; a person's belong together."""
    log = read_click_log(path)
    sessions, ranks = np.nonzero(log.last)
    times = log.last[sessions, ranks]
    return {
        "last_rank": GroupedSample.of(np.repeat(ranks + 1, times), np.repeat(sessions, times)),
        "clicks": GroupedSample.of(log.every.sum(axis=1)),
    }
