"""Dials of a made collection fitted to data: what can be read off, then a search for the rest."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prum.experiments.studies.realism.data import Data, both, samples
from prum.experiments.studies.realism.distances import GroupedSample, distances, spread
from prum.experiments.studies.realism.moments import read_off
from prum.experiments.studies.realism.search import Dial, pattern_search
from prum.experiments.studies.realism.specifications import Change, Plain, dial_of, with_dial
from prum.experiments.studies.study import Advance, Floats
from prum.simulator.model import InputError

# Takes a specification and a seed to the content of the collection's files.
Make = Callable[[Plain, int], Data]

_WEB = ("out_degree", "in_degree", "clustering")
_SCORED = ("ideal_rank", "ideal_share", "system_spread", "topic_spread")
# Of each kind of collection, and of all.
DIALS: Mapping[str, tuple[Dial, ...]] = {
    "web": (
        Dial("collection.degree_exponent", 0, 4, 1.5, _WEB),
        Dial("collection.least_degree", 0, 50, 1, _WEB, whole=True),
        Dial("collection.most_degree", 1, 1_000, 100, _WEB, "log", whole=True),
        Dial("collection.popularity", 0, 0.99, 0.5, _WEB),
        Dial("collection.inside", 0, 1, 0.8, _WEB),
        Dial("collection.following", 0, 1, 0.85, ("path_length",)),
        Dial("collection.community", 2, 10_000, 50, _WEB, "log", whole=True),
    ),
    "xml": (
        Dial("collection.depth", 1, 20, 4, ("leaf_depth", "document_size"), "log", whole=True),
        Dial("collection.words_spread", 0, 5, 0.8, ("leaf_length",)),
    ),
    "video": (Dial("collection.seconds_spread", 0, 5, 0.8, ("leaf_length",)),),
    "chunks": (Dial("collection.page_words_spread", 0, 5, 0.8, ("document_length",)),),
    "": (
        Dial("dependence.difficulty", 0, 4, 0.5, _SCORED),
        Dial("dependence.correlation", 0, 1, 0.5, _SCORED),
        Dial("dependence.agreement", 0, 1, 0.3, ("overlap",)),
    ),
}
_STRENGTHS = (-2.0, 8.0, 2.0)
# A collection of the search is no larger than this, but for its elements.
_MOST_TOPICS, _MOST_SYSTEMS, _MOST_USERS = 25, 8, 200


@dataclass(frozen=True, slots=True)
class Fitted:
    """A specification whose dials were fitted.

    Parameters
    ----------
    specification
        With the dials set.
    changes
        What was read off, and what was found by the search.
    losses
        The mean distance of each collection that the search made, in turn.
    """

    specification: dict[str, Any]
    changes: tuple[Change, ...]
    losses: tuple[float, ...]


def fit(
    specification: Plain,
    data: Data,
    make: Make,
    *,
    budget: int,
    size: int,
    seed: int,
    progress: Advance = lambda _: None,
) -> Fitted:
    """Return the specification whose collections lie closer to the data.

    Dials that the data tell are read off. Of the others a few are searched: `budget` small
    collections of `size` elements are made, all with one seed, and the mean of their distances
    (`mean_distance`) is made small. A dial is searched if it bears on a statistic of both.

    Raises
    ------
    InputError
        as `make`, before anything was searched.
    """
    own = samples(data)
    told, changes = read_off(specification, data)
    kind = str(dial_of(told, "collection.kind", ""))
    common = both(own, samples(make(reduced(told, size), seed)))
    dials = [
        dial
        for dial in (*DIALS.get(kind, ()), *_levels(told), *DIALS[""], *_strengths(told))
        if any(name in common for name in dial.needs)
    ]
    start = [float(dial_of(told, dial.path, dial.default)) for dial in dials]
    # What was given lies between the ends, whatever it is.
    dials = [
        replace(dial, low=min(dial.low, value), high=max(dial.high, value))
        for dial, value in zip(dials, start, strict=True)
    ]

    def loss(values: tuple[float, ...]) -> float:
        tried: Plain = reduced(told, size)
        for dial, value in zip(dials, values, strict=True):
            tried = with_dial(tried, dial.path, value)
        try:
            return mean_distance(own, samples(make(tried, seed)))
        except InputError:
            # Dials that do not go together.
            return np.inf

    found = pattern_search(loss, dials, start, budget=budget, progress=progress)
    fitted: dict[str, Any] = dict(told)
    reasons = {one.dial: one.reason for one in changes}
    for dial, value, before in zip(dials, found.values, start, strict=True):
        if value != round(before, 4):
            fitted = with_dial(fitted, dial.path, value)
            # Of what was read off perhaps a part.
            wholes = (one for one in reasons if f"{dial.path}.".startswith(f"{one}."))
            name = next(wholes, dial.path)
            reasons[name] = f"{reasons.get(name, '').removesuffix(', search')}, search"
    all_changes = tuple(
        Change(dial, dial_of(specification, dial), dial_of(fitted, dial), reason.lstrip(", "))
        for dial, reason in reasons.items()
    )
    return Fitted(fitted, all_changes, found.losses)


def mean_distance(first: Mapping[str, GroupedSample], second: Mapping[str, GroupedSample]) -> float:
    """Return the mean over the statistics of both of Wasserstein's distance, in sds of the first.

    Infinite where they have none in common.
    """
    pairs = both(first, second).values()
    apart = [distances(a.values, b.values)[1] / scale(a.values) for a, b in pairs]
    return float(np.mean(apart)) if apart else np.inf


def scale(values: Floats) -> float:
    """Return the standard deviation; of equal values their size, of zeros 1."""
    return spread(values) or abs(float(values.mean())) or 1.0


def reduced(specification: Plain, size: int) -> dict[str, Any]:
    """Return a specification of a smaller collection, of the same law."""
    small: dict[str, Any] = dict(specification)
    limits = {
        "collection.elements": size, "topics.number": _MOST_TOPICS, "log.users": _MOST_USERS,
        **{
            f"systems.{number}.number": _MOST_SYSTEMS
            for number in range(len(dial_of(small, "systems", [])))
        },
    }  # fmt: skip
    for dial, most in limits.items():
        value = dial_of(small, dial)
        if value is not None and value > most:
            small = with_dial(small, dial, most)
    # What is not compared need not be computed.
    for name in ("assessors", "pool"):
        small.pop(name, None)
    return with_dial(small, "truth.measures", ["AP"])


def _levels(content: Plain) -> list[Dial]:
    """Return the dials of documents that may differ by level: most children, share of sections."""
    if dial_of(content, "collection.kind") != "xml":
        return []
    fan_out = dial_of(content, "collection.fan_out") or [2, 6]
    nesting = dial_of(content, "collection.nesting", 0.5)
    ends, shares = ["1"], ["collection.nesting"]
    if isinstance(fan_out[0], (list, tuple)):
        ends = [f"{level}.1" for level in range(len(fan_out))]
    if isinstance(nesting, (list, tuple)):
        shares = [f"collection.nesting.{level}" for level in range(len(nesting))]
    return [
        *(Dial(one, 0, 1, 0.5, ("leaf_depth", "document_size")) for one in shares),
        *(
            Dial(f"collection.fan_out.{end}", 1, 1_000, 6, ("children",), "log", whole=True)
            for end in ends
        ),
    ]


def _strengths(content: Plain) -> list[Dial]:
    """Return the dials of the systems' strengths: of several systems their ends."""
    low, high, default = _STRENGTHS
    dials = list[Dial]()
    for number, system in enumerate(dial_of(content, "systems", [])):
        if system.get("target") is not None:
            continue
        path = f"systems.{number}.strength"
        ends = (0, 1) if isinstance(system.get("strength"), (list, tuple)) else ()
        dials += [
            Dial(one, low, high, default, _SCORED)
            for one in ([f"{path}.{end}" for end in ends] or [path])
        ]
    return dials
