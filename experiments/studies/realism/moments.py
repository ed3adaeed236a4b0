"""Dials that can be read off data: sizes, shapes and numbers, by moments, quantiles, likelihood."""

from collections.abc import Callable, Iterator

import numpy as np

from prum.experiments.studies.realism import behaviour, structure
from prum.experiments.studies.realism.data import Data, samples
from prum.experiments.studies.realism.laws import (
    apart,
    popularity_slope,
    power_range,
    tail_of,
    uniform,
    uniform_range,
)
from prum.experiments.studies.realism.specifications import Change, Plain, dial_of, with_dial
from prum.experiments.studies.study import Floats
from prum.simulator.model.elements import Elements

# What the dials allow.
_MOST_DEPTH, _MOST_SPREAD, _MOST_GRADES = 20, 5.0, 3
_LEAST_ELEMENTS = 100
# Few leaves lie deeper than this share of them.
_DEEP = 0.95
_DIGITS = 4

Found = Iterator[tuple[str, object, str]]


def read_off(content: Plain, data: Data) -> tuple[dict[str, object], list[Change]]:
    """Return a specification with the dials set that data tell, and what was changed.

    A dial stays as it is where the data tell nothing of it.
    """
    changed, changes = dict(content), list[Change]()
    for dial, value, reason in _found(content, data):
        plain = round(value, _DIGITS) if isinstance(value, float) else value
        before = dial_of(changed, dial)
        changed = with_dial(changed, dial, plain)
        changes.append(Change(dial, before, plain, reason))
    return changed, changes


def _found(content: Plain, data: Data) -> Found:
    kind = str(dial_of(content, "collection.kind", ""))
    if kind == "web" and data.links is not None:
        yield from _web(data)
    trees: dict[str, Callable[[Elements], Found]] = {
        "xml": _xml, "video": _video, "chunks": _chunks,
    }  # fmt: skip
    if kind in trees and data.elements is not None:
        yield (
            "collection.elements", max(len(data.elements.ids), _LEAST_ELEMENTS), "elements counted"
        )  # fmt: skip
        yield from trees[kind](data.elements)
    yield from _topics(content, data)
    if data.runs is not None:
        lengths = [len(ranked) for lists in data.runs.values() for ranked in lists.values()]
        for number in range(len(dial_of(content, "systems", []))):
            yield f"systems.{number}.depth", int(np.median(lengths)), "median length of lists"
    elif data.clicks is not None:
        for number in range(len(dial_of(content, "systems", []))):
            yield f"systems.{number}.depth", data.clicks.last.shape[1], "length of lists"
    yield from _users(content, data)


def _web(data: Data) -> Found:
    own = samples(Data(links=data.links))
    out, into = own["out_degree"].values, own["in_degree"].values
    low, high, exponent = power_range(out)
    yield "collection.elements", max(len(out), _LEAST_ELEMENTS), "pages counted"
    yield "collection.least_degree", low, "closest power law of links of a page"
    yield "collection.most_degree", high, "closest power law of links of a page"
    yield "collection.degree_exponent", exponent, "maximum likelihood between these"
    # The dials of popularity inside a community and of choice are left as they are: with them the
    # search finds no better webs by as many collections.
    yield "collection.popularity", popularity_slope(into), "slope of links to a page over rank"
    if data.paths is not None:
        mean = float(data.paths.lengths.mean())
        yield "collection.following", max(0.0, 1 - 1 / mean), "mean length of paths"


def _xml(elements: Elements) -> Found:
    own = samples(Data(elements=elements))
    deep = np.quantile(own["leaf_depth"].values, _DEEP, method="inverted_cdf")
    depth = int(min(max(deep, 1), _MOST_DEPTH))
    counts, inner = structure.num_children(elements), ~structure.is_leaf(elements)
    ranges, shares = list[list[int]](), list[float]()
    for level in range(depth):
        own_level = elements.depths == level
        if (own_level & inner).any():
            ranges.append(uniform_range(counts[own_level & inner].astype(np.float64), 1))
        if level and own_level.any():
            shares.append(round(float(inner[own_level].mean()), _DIGITS))
    if ranges:
        value = ranges if len(ranges) > 1 else ranges[0]
        yield "collection.fan_out", value, "closest range of children at each level"
    yield "collection.depth", depth, f"quantile {_DEEP:g} of depths of leaves"
    if shares:
        nesting = shares if len(shares) > 1 else shares[0]
        yield "collection.nesting", nesting, "share of elements with children at each level"
    yield from _lognormal("words", own["leaf_length"].values, "leaves")


def _video(elements: Elements) -> Found:
    own = samples(Data(elements=elements))
    if "children" in own:
        yield (
            "collection.scenes", uniform_range(own["children"].values, 1),
            "closest range of children",
        )  # fmt: skip
    yield from _lognormal("seconds", own["leaf_length"].values, "leaves")


def _chunks(elements: Elements) -> Found:
    own = samples(Data(elements=elements))
    leaves = structure.is_leaf(elements) & (elements.parents >= 0)
    yield from _lognormal("page_words", own["document_length"].values, "documents")
    if leaves.any():
        words = max(1, int(np.median(elements.lengths[leaves])))
        yield "collection.words", words, "median length of leaves"
        steps = np.diff(elements.starts[leaves])
        steps = steps[np.diff(elements.parents[leaves]) == 0]
        if len(steps):
            stride = min(max(1, int(np.median(steps))), words)
            yield "collection.stride", stride, "median step between leaves"


def _lognormal(name: str, lengths: Floats, what: str) -> Found:
    """Yield median and spread of a lognormal law, by those of the logarithms."""
    logs = np.log(lengths[lengths > 0])
    if len(logs):
        median = float(np.exp(np.median(logs)))
        yield f"collection.{name}", median, f"median length of {what}"
        spread = min(float(logs.std()), _MOST_SPREAD)
        yield f"collection.{name}_spread", spread, f"sd of the logarithm of lengths of {what}"


def _topics(content: Plain, data: Data) -> Found:
    if data.qrels is None:
        return
    grades = [[grade for grade in one.values() if grade >= 1] for one in data.qrels.values()]
    grades = [one for one in grades if one]
    if not grades:
        return
    sizes = np.array([len(one) for one in grades], dtype=np.float64)
    yield "topics.number", len(sizes), "topics with relevant elements"
    relevant = uniform_range(sizes, 1)
    median, spread = float(np.median(sizes)), min(float(np.log(sizes).std()), _MOST_SPREAD)
    ends = [int(sizes.min()), int(sizes.max())]
    if apart(sizes, tail_of(median, spread, ends)) < apart(sizes, uniform(*relevant)):
        relevant = ends
        yield "topics.relevant", ends, "fewest and most relevant elements"
        yield "topics.relevant_median", median, "median of relevant elements"
        yield "topics.relevant_spread", spread, "sd of the logarithm of relevant elements"
    else:
        yield "topics.relevant", relevant, "closest range of relevant elements"
        for name in ("relevant_median", "relevant_spread"):
            if dial_of(content, f"topics.{name}") is not None:
                yield f"topics.{name}", None, "a range is closer"
    all_grades = np.minimum(np.concatenate([np.array(one) for one in grades]), _MOST_GRADES)
    shares = np.bincount(all_grades)[1:] / len(all_grades)
    # Rounded shares still have to sum to 1.
    rounded = [round(float(share), _DIGITS) for share in shares[:-1]]
    yield "topics.grades", [*rounded, round(1 - sum(rounded), _DIGITS)], "shares of grades"
    yield "topics.ideal_grade", min(data.ideal_grade, len(shares)), "as in the data"
    least = 4 * relevant[1]
    if dial_of(content, "topics.candidates", 1000) < least:
        yield "topics.candidates", least, "four times what is relevant"
    if data.elements is not None:
        document_of = dict(zip(data.elements.ids, data.elements.documents.tolist(), strict=True))
        places = [
            len({document_of[one] for one, grade in judged.items() if grade > 0})
            for judged in data.qrels.values()
            if all(one in document_of for one in judged) and any(g > 0 for g in judged.values())
        ]
        if places:
            own = uniform_range(np.array(places, dtype=np.float64), 1)
            yield "topics.places", own, "closest range of documents of a topic"


def _users(content: Plain, data: Data) -> Found:
    """Yield how many queries users of a log have, and how far they go on."""
    if dial_of(content, "log") is None:
        return
    if data.clicks is not None:
        queries = data.clicks.num_searches / data.clicks.num_sessions
        yield "log.queries", queries, "mean searches of a session"
    elif data.log is not None:
        yield "log.queries", behaviour.searches_of_log(data.log), "mean searches of a session"
    last = samples(Data(log=data.log, clicks=data.clicks)).get("last_rank")
    if last is not None and not dial_of(content, "log.stop"):
        mean = float(last.values.mean())
        if mean > 1:
            going_on = f"persistence {round(1 - 1 / mean, _DIGITS)}"
            yield "log.stop", [going_on], "mean last rank of a search"
