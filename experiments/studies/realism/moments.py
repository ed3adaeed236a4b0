"""Dials that can be read off data: sizes, shapes and numbers, by moments, quantiles, likelihood."""

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.experiments.studies.realism.reading import Data, LinkTable, Paths, Qrels
from prum.experiments.studies.realism.statistics import is_leaf, num_children
from prum.simulator.model.arrays import Floats
from prum.simulator.model.elements import Elements

Plain = Mapping[str, Any]
# What a dial is set to.
Setting = str | float | int | bool | Sequence[str | float | Sequence[int]] | None


@dataclass(frozen=True, slots=True)
class Change:
    """A dial that was set: its path, its values (None: not given before), and why."""

    dial: str
    before: Setting
    after: Setting
    reason: str


def dial_of(content: Plain, dial: str, default: Any = None) -> Any:
    """Return the value of a dial, or the default.

    >>> dial_of({"systems": [{"depth": 5}]}, "systems.0.depth")
    5
    """
    value: Any = content
    for step in dial.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, (list, tuple)) and int(step) < len(value):
            value = value[int(step)]
        else:
            value = None
        if value is None:
            return default
    return value


def with_dial(content: Plain, dial: str, value: Any) -> dict[str, Any]:
    """Return the tables with a dial set; missing tables are made.

    >>> with_dial({"name": "a"}, "collection.inside", 0.5)
    {'name': 'a', 'collection': {'inside': 0.5}}
    """
    changed = copy.deepcopy(dict(content))
    table: Any = changed
    *steps, last = dial.split(".")
    for step in steps:
        table = table[int(step)] if isinstance(table, list) else table.setdefault(step, {})
    if isinstance(table, list):
        table[int(last)] = value
    else:
        table[last] = value
    return changed


def toml_text(content: Plain) -> str:
    """Return tables, arrays and plain values as TOML, tables in tables inline; None is left out.

    >>> print(toml_text({"name": "a", "systems": [{"name": "b", "strength": [0.5, 2]}]}), end="")
    name = "a"
    <BLANKLINE>
    [[systems]]
    name = "b"
    strength = [0.5, 2]
    """
    tables = {name: value for name, value in content.items() if _is_table(value)}
    lines = _pairs({name: value for name, value in content.items() if name not in tables})
    for name, value in tables.items():
        begin, end, parts = (
            ("[", "]", [value]) if isinstance(value, Mapping) else ("[[", "]]", value)
        )
        for part in parts:
            lines += ["", f"{begin}{_key(name)}{end}", *_pairs(part)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _is_table(value: object) -> bool:
    """Return whether a value is a table, or an array of tables."""
    if isinstance(value, (list, tuple)) and value:
        return all(isinstance(part, Mapping) for part in value)
    return isinstance(value, Mapping)


def _pairs(table: Plain) -> list[str]:
    return [f"{_key(name)} = {_value(value)}" for name, value in table.items() if value is not None]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(text: str) -> str:
    # JSON leaves DEL as it is, which TOML does not take.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(_pairs(value))}}}"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


# What the dials allow.
_MOST_DEPTH, _MOST_SPREAD, _MOST_GRADES = 20, 5.0, 3
_MOST_DEGREE, _MOST_EXPONENT = 1_000, 10.0
_LEAST_ELEMENTS = 100
# Few leaves lie deeper than this share of them.
_DEEP = 0.95
_DIGITS = 4
# Quantiles of degrees that may be the least and the most of a power law.
_LEAST_DEGREES, _MOST_DEGREES = np.linspace(0.005, 0.5, 20), np.linspace(0.75, 0.995, 12)
# Quantiles by which laws are compared with values.
_SHARES, _FINE_SHARES = ((np.arange(number) + 0.5) / number for number in (100, 200))

# Dials, their values, and why.
DialValues = Iterator[tuple[str, Setting, str]]


def read_off(content: Plain, data: Data) -> tuple[dict[str, object], list[Change]]:
    """Return a specification with the dials set that data tell, and what was changed.

    A dial stays as it is where the data tell nothing of it.
    """
    copy, changes = dict(content), list[Change]()
    for dial, value, reason in _settings(content, data):
        plain = round(value, _DIGITS) if isinstance(value, float) else value
        changes.append(Change(dial, dial_of(copy, dial), plain, reason))
        copy = with_dial(copy, dial, plain)
    return copy, changes


def _settings(content: Plain, data: Data) -> DialValues:
    kind = str(dial_of(content, "collection.kind", ""))
    if kind == "web" and data.links is not None:
        yield from _web(data.links, data.paths)
    if kind in _TREES and data.elements is not None:
        size = max(len(data.elements.ids), _LEAST_ELEMENTS)
        yield "collection.elements", size, "elements counted"
        yield from _TREES[kind](data.elements)
    yield from _topics(content, data)
    depth, reason = None, ""
    if data.runs is not None:
        lengths = [len(ranked) for lists in data.runs.values() for ranked in lists.values()]
        depth, reason = int(np.median(lengths)), "median length of lists"
    elif data.people is not None:
        depth, reason = data.people.list_length, "length of lists"
    if depth is not None:
        for number in range(len(dial_of(content, "systems", []))):
            yield f"systems.{number}.depth", depth, reason
    yield from _users(content, data)


def _web(links: LinkTable, paths: Paths | None) -> DialValues:
    degrees = links.out_degrees.astype(np.float64)
    low, high, exponent = power_range(degrees)
    yield "collection.elements", max(len(degrees), _LEAST_ELEMENTS), "pages counted"
    yield "collection.least_degree", low, "closest power law of links of a page"
    yield "collection.most_degree", high, "closest power law of links of a page"
    yield "collection.degree_exponent", exponent, "maximum likelihood between these"
    # The dials of popularity inside a community and of choice are left as they are: with them the
    # search finds no better webs by as many collections.
    slope = popularity_slope(links.in_degrees.astype(np.float64))
    yield "collection.popularity", slope, "slope of links to a page over rank"
    if paths is not None and not paths.one_draw:
        mean = float(paths.lengths.mean())
        yield "collection.following", max(0.0, 1 - 1 / mean), "mean length of paths"


def _xml(elements: Elements) -> DialValues:
    counts, inner = num_children(elements), ~is_leaf(elements)
    deep = np.quantile(elements.depths[~inner], _DEEP, method="inverted_cdf")
    depth = int(min(max(deep, 1), _MOST_DEPTH))
    ranges, shares = list[list[int]](), list[float]()
    for level in range(depth):
        on_level = elements.depths == level
        if (on_level & inner).any():
            ranges.append(uniform_range(counts[on_level & inner].astype(np.float64)))
        if level and on_level.any():
            shares.append(round(float(inner[on_level].mean()), _DIGITS))
    if ranges:
        fan_out = ranges if len(ranges) > 1 else ranges[0]
        yield "collection.fan_out", fan_out, "closest range of children at each level"
    yield "collection.depth", depth, f"quantile {_DEEP:g} of depths of leaves"
    if shares:
        nesting = shares if len(shares) > 1 else shares[0]
        yield "collection.nesting", nesting, "share of elements with children at each level"
    yield from _lognormal("words", elements.lengths[~inner], "leaves")


def _video(elements: Elements) -> DialValues:
    counts, inner = num_children(elements), ~is_leaf(elements)
    if inner.any():
        scenes = uniform_range(counts[inner].astype(np.float64))
        yield "collection.scenes", scenes, "closest range of children"
    yield from _lognormal("seconds", elements.lengths[~inner], "leaves")


def _chunks(elements: Elements) -> DialValues:
    leaves = is_leaf(elements) & (elements.parents >= 0)
    yield from _lognormal("page_words", elements.lengths[elements.parents < 0], "documents")
    if leaves.any():
        words = max(1, int(np.median(elements.lengths[leaves])))
        yield "collection.words", words, "median length of leaves"
        steps = np.diff(elements.starts[leaves])
        steps = steps[np.diff(elements.parents[leaves]) == 0]
        if len(steps):
            stride = min(max(1, int(np.median(steps))), words)
            yield "collection.stride", stride, "median step between leaves"


_TREES: Mapping[str, Callable[[Elements], DialValues]] = {
    "xml": _xml,
    "video": _video,
    "chunks": _chunks,
}


def _lognormal(name: str, lengths: Floats, what: str) -> DialValues:
    """Yield median and spread of a lognormal law, by those of the logarithms."""
    logs = np.log(lengths[lengths > 0])
    if len(logs):
        median = float(np.exp(np.median(logs)))
        yield f"collection.{name}", median, f"median length of {what}"
        spread = min(float(logs.std()), _MOST_SPREAD)
        yield f"collection.{name}_spread", spread, f"sd of the logarithm of lengths of {what}"


def _topics(content: Plain, data: Data) -> DialValues:
    qrels = data.qrels or {}
    grades = [[grade for grade in judged.values() if grade >= 1] for judged in qrels.values()]
    grades = [of_topic for of_topic in grades if of_topic]
    if not grades:
        return
    sizes = np.array([len(of_topic) for of_topic in grades], dtype=np.float64)
    yield "topics.number", len(sizes), "topics with relevant elements"
    relevant = uniform_range(sizes)
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
    all_grades = np.minimum(np.concatenate([np.array(column) for column in grades]), _MOST_GRADES)
    shares = np.bincount(all_grades)[1:] / len(all_grades)
    # Rounded shares still have to sum to 1.
    first = [round(float(share), _DIGITS) for share in shares[:-1]]
    yield "topics.grades", [*first, round(1 - sum(first), _DIGITS)], "shares of grades"
    yield "topics.ideal_grade", min(data.ideal_grade, len(shares)), "as in the data"
    least = 4 * relevant[1]
    if dial_of(content, "topics.candidates", 1000) < least:
        yield "topics.candidates", least, "four times what is relevant"
    if data.elements is not None:
        places = _places(qrels, data.elements)
        if len(places):
            yield "topics.places", uniform_range(places), "closest range of documents of a topic"


def _places(qrels: Qrels, elements: Elements) -> Floats:
    """Return the number of documents with something relevant, of topics where there is such."""
    document_of = dict(zip(elements.ids, elements.documents.tolist(), strict=True))
    places = [
        len({document_of[element] for element, grade in judged.items() if grade > 0})
        for judged in qrels.values()
        if judged.keys() <= document_of.keys()
    ]
    return np.array([number for number in places if number], dtype=np.float64)


def _users(content: Plain, data: Data) -> DialValues:
    """Yield how many queries users of a log have, and how far they go on."""
    if data.people is None or dial_of(content, "log") is None:
        return
    yield "log.queries", data.people.searches, "mean searches of a session"
    last_ranks = data.people.last_ranks.values
    if len(last_ranks) and not dial_of(content, "log.stop"):
        mean = float(last_ranks.mean())
        if mean > 1:
            going_on = f"persistence {round(1 - 1 / mean, _DIGITS)}"
            yield "log.stop", [going_on], "mean last rank of a search"


def uniform_range(values: Floats) -> list[int]:
    """Return the ends of the uniform law of whole numbers that is closest by Wasserstein.

    Of ranges between quantiles of the values, none of which lies below 1.

    >>> uniform_range(np.array([2.0, 3, 4, 5, 6]))
    [2, 6]
    """
    quantiles = np.quantile(values, np.linspace(0, 1, 65)).round()
    ends = np.unique(np.maximum(quantiles, 1)).astype(int).tolist()
    ranges = ([low, high] for low in ends for high in ends if high >= low)
    return min(ranges, key=lambda ends: apart(values, uniform(*ends)))


def tail_of(median: float, spread: float, ends: list[int]) -> Floats:
    """Return 100 quantiles of the lognormal law of numbers from the first end to the second."""
    from scipy.stats import norm

    drawn = median * np.exp(spread * norm.ppf(_SHARES))
    return np.clip(np.floor(drawn + 0.5), ends[0], ends[1])


def uniform(low: int, high: int) -> Floats:
    """Return 100 quantiles of the uniform law of whole numbers from low to high."""
    return np.asarray(low + np.floor(_SHARES * (high - low + 1)))


def apart(values: Floats, quantiles: Floats) -> float:
    """Return how far a law's 100 quantiles are from those of values: Wasserstein's distance."""
    own = np.quantile(values, _SHARES, method="inverted_cdf")
    return float(np.abs(quantiles - own).mean())


def power_range(degrees: Floats) -> tuple[int, int, float]:
    """Return least, most and exponent of the power law that is closest by Wasserstein.

    Of laws between quantiles of the degrees, the exponent by maximum likelihood (`power_exponent`).
    """
    own = np.quantile(degrees, _FINE_SHARES, method="inverted_cdf")
    lows, highs = (
        np.unique(np.quantile(degrees, shares, method="inverted_cdf")).astype(int).tolist()
        for shares in (_LEAST_DEGREES, _MOST_DEGREES)
    )
    ranges = (
        (min(low, _MOST_DEGREE), min(max(high, low, 1), _MOST_DEGREE))
        for low in lows
        for high in highs
    )
    laws = ((*ends, power_exponent(degrees, *ends)) for ends in ranges)

    def off(law: tuple[int, int, float]) -> float:
        least, most, exponent = law
        weights = np.maximum(np.arange(least, most + 1), 1) ** -exponent
        quantiles = least + np.searchsorted(np.cumsum(weights) / weights.sum(), _FINE_SHARES)
        return float(np.abs(quantiles - own).mean())

    return min(laws, key=off)


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

    return float(minimize_scalar(loss, bounds=(0, _MOST_EXPONENT), method="bounded").x)


def popularity_slope(degrees: Floats) -> float:
    """Return -slope of log in-degree over log rank, by least squares, of degrees of 1 or more."""
    top = np.sort(degrees[degrees >= 1])[::-1]
    # The steps of small numbers bend the line: it goes by the upper half.
    top = top[: max(len(top) // 2, 2)]
    if len(top) < 2:
        return 0.0
    slope = np.polyfit(np.log(np.arange(1, len(top) + 1)), np.log(top), 1)[0]
    return float(np.clip(-slope, 0, 0.99))
