"""Dials that can be read off data: sizes, shapes and numbers, by moments, quantiles, likelihood."""

from collections.abc import Callable, Iterator

import numpy as np

from prum.experiments.studies.realism import behaviour, structure
from prum.experiments.studies.realism.data import Data, samples
from prum.experiments.studies.realism.specifications import Change, Plain, dial_of, with_dial
from prum.experiments.studies.study import Floats
from prum.simulator.model.elements import Elements

# What the dials allow.
_MOST_DEGREE, _MOST_DEPTH, _MOST_SPREAD, _MOST_GRADES = 1_000, 20, 5.0, 3
_LEAST_ELEMENTS, _MOST_EXPONENT = 100, 10.0
# Quantiles of degrees that may be the least and the most of a power law.
_LEAST_DEGREES, _MOST_DEGREES = np.linspace(0.005, 0.5, 20), np.linspace(0.75, 0.995, 12)
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


def uniform_range(values: Floats, least: int) -> list[int]:
    """Return the ends of the uniform law of whole numbers that is closest by Wasserstein.

    Of ranges between quantiles of the values, none of which lies below `least`.

    >>> uniform_range(np.array([2.0, 3, 4, 5, 6]), 1)
    [2, 6]
    """
    shares = (np.arange(100) + 0.5) / 100
    own = np.quantile(values, shares, method="inverted_cdf")
    ends = np.unique(np.maximum(np.quantile(values, np.linspace(0, 1, 65)).round(), least))
    best, found = np.inf, [least, least]
    for low in ends.astype(int).tolist():
        for high in ends[ends >= low].astype(int).tolist():
            drawn = low + np.floor(shares * (high - low + 1))
            apart = float(np.abs(drawn - own).mean())
            if apart < best:
                best, found = apart, [low, high]
    return found


def power_range(degrees: Floats) -> tuple[int, int, float]:
    """Return least, most and exponent of the power law that is closest by Wasserstein.

    Of laws between quantiles of the degrees, the exponent by maximum likelihood (`power_exponent`).
    """
    shares = (np.arange(200) + 0.5) / 200
    own = np.quantile(degrees, shares, method="inverted_cdf")
    lows, highs = (
        np.unique(np.quantile(degrees, some, method="inverted_cdf")).astype(int).tolist()
        for some in (_LEAST_DEGREES, _MOST_DEGREES)
    )
    best, found = np.inf, (0, 1, 0.0)
    for low in lows:
        for high in highs:
            least, most = min(low, _MOST_DEGREE), min(max(high, low, 1), _MOST_DEGREE)
            exponent = power_exponent(degrees, least, most)
            weights = np.maximum(np.arange(least, most + 1), 1) ** -exponent
            drawn = least + np.searchsorted(np.cumsum(weights) / weights.sum(), shares)
            apart = float(np.abs(drawn - own).mean())
            if apart < best:
                best, found = apart, (least, most, exponent)
    return found


def power_exponent(degrees: Floats, least: int, most: int) -> float:
    """Return the exponent e >= 0 by maximum likelihood, P(k) ~ max(k, 1)^-e from least to most.

    Degrees outside are left out.
    """
    from scipy.optimize import minimize_scalar

    inside = degrees[(degrees >= least) & (degrees <= most)]
    if least == most or not len(inside):
        return 0.0
    logs = np.log(np.maximum(np.arange(least, most + 1), 1))
    mean = float(np.log(np.maximum(inside, 1)).mean())

    def loss(exponent: float) -> float:
        weights = -exponent * logs
        top = weights.max()
        return exponent * mean + float(top + np.log(np.exp(weights - top).sum()))

    found = minimize_scalar(loss, bounds=(0, _MOST_EXPONENT), method="bounded")
    return float(found.x)


def popularity_exponent(degrees: Floats) -> float:
    """Return -slope of log in-degree over log rank, by least squares, of degrees of 1 or more."""
    some = np.sort(degrees[degrees >= 1])[::-1]
    # The steps of small numbers bend the line: it goes by the upper half.
    some = some[: max(len(some) // 2, 2)]
    if len(some) < 2:
        return 0.0
    slope = np.polyfit(np.log(np.arange(1, len(some) + 1)), np.log(some), 1)[0]
    return float(np.clip(-slope, 0, 0.99))


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
    yield "collection.popularity", popularity_exponent(into), "slope of links to a page over rank"
    if data.paths is not None:
        mean = float(data.paths.lengths.mean())
        yield "collection.following", max(0.0, 1 - 1 / mean), "mean length of paths"


def _xml(elements: Elements) -> Found:
    own = samples(Data(elements=elements))
    deep = np.quantile(own["leaf_depth"].values, _DEEP, method="inverted_cdf")
    depth = int(min(max(deep, 1), _MOST_DEPTH))
    inner = ~structure.is_leaf(elements)
    choice = (elements.depths >= 1) & (elements.depths < depth)
    if "children" in own:
        yield (
            "collection.fan_out", uniform_range(own["children"].values, 1),
            "closest range of children",
        )  # fmt: skip
    yield "collection.depth", depth, f"quantile {_DEEP:g} of depths of leaves"
    if choice.any():
        share = float(inner[choice].mean())
        yield "collection.nesting", share, "share of elements above that depth with children"
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
    yield "topics.relevant", relevant, "closest range of relevant elements"
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
