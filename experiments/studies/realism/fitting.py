"""Dials of a made collection fitted to data: what can be read off, then a search for the rest."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from prum.experiments.frame.study import Advance
from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.statistics.distances import wasserstein
from prum.experiments.studies.realism.moments import Change, Plain, dial_of, read_off, with_dial
from prum.experiments.studies.realism.reading import Data
from prum.experiments.studies.realism.statistics import Samples, both, samples
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

# Takes a specification and a seed to the content of the collection's files.
Make = Callable[[Plain, int], Data]


@dataclass(frozen=True, slots=True)
class Dial:
    """A dial to search: its path, its ends, its scale, whether it is whole, and its default.

    `needs`: the search leaves it alone unless data tell one of these statistics.
    """

    path: str
    low: float
    high: float
    default: float
    needs: tuple[str, ...]
    scale: Literal["linear", "log"] = "linear"
    whole: bool = False

    def place(self, value: float) -> float:
        """Return where a value lies between the ends, 0 to 1."""
        low, high, value = map(self._on_scale, (self.low, self.high, value))
        return float(np.clip((value - low) / (high - low), 0, 1))

    def value(self, place: float) -> float:
        """Return the value at a place, with four digits behind the point or none."""
        low, high = self._on_scale(self.low), self._on_scale(self.high)
        value = low + (high - low) * place
        value = math.exp(value) if self.scale == "log" else value
        return round(value) if self.whole else round(value, 4)

    def _on_scale(self, value: float) -> float:
        return math.log(max(value, 1e-300)) if self.scale == "log" else value


_WEB = ("out_degree", "in_degree", "clustering")
_TREES = ("leaf_depth", "document_size")
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
        Dial("collection.depth", 1, 20, 4, _TREES, "log", whole=True),
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
# A collection of the search is no larger than this, but for its elements.
_MOST_TOPICS, _MOST_SYSTEMS, _MOST_USERS = 25, 8, 200


@dataclass(frozen=True, slots=True)
class FittedSpecification:
    """A specification whose dials were fitted.

    Parameters
    ----------
    changes
        What was read off, and what was found by the search.
    losses
        The mean distance of each collection that the search made, in turn; None where dials did
        not go together.
    specification
        With the dials set.
    """

    changes: tuple[Change, ...]
    losses: tuple[float | None, ...]
    specification: Annotated[Plain, DatasetSpecification]


def fit(
    specification: Plain,
    data: Data,
    make: Make,
    *,
    budget: int,
    size: int,
    seed: int,
    progress: Advance = lambda _: None,
) -> FittedSpecification:
    """Return the specification whose collections lie closer to the data.

    Dials that the data tell are read off. Of the others a few are searched: `budget` small
    collections of `size` elements are made, all with one seed, and the mean of their distances
    (`mean_distance`) is made small. A dial is searched if it bears on a statistic of both.

    Raises
    ------
    InputError
        as `make`, before anything was searched.
    """
    goal = samples(data)
    start, changes = read_off(specification, data)
    common = both(goal, samples(make(reduced(start, size), seed)))
    dials, values = list[Dial](), list[float]()
    for dial in dials_of(start):
        if any(name in common for name in dial.needs):
            value = float(dial_of(start, dial.path, dial.default))
            # Where it starts lies between the ends, whatever it is.
            dials.append(replace(dial, low=min(dial.low, value), high=max(dial.high, value)))
            values.append(value)

    def distance(point: tuple[float, ...]) -> float:
        content: Plain = reduced(start, size)
        for dial, value in zip(dials, point, strict=True):
            content = with_dial(content, dial.path, value)
        try:
            return mean_distance(goal, samples(make(content, seed)))
        except InputError:
            # Dials that do not go together.
            return np.inf

    best, losses = pattern_search(distance, dials, values, budget=budget, progress=progress)
    content: Plain = start
    reasons = {change.dial: change.reason for change in changes}
    for dial, value, before in zip(dials, best, values, strict=True):
        if value != round(before, 4):
            content = with_dial(content, dial.path, value)
            # Of what was read off perhaps a part.
            wholes = (name for name in reasons if f"{dial.path}.".startswith(f"{name}."))
            name = next(wholes, dial.path)
            reasons[name] = f"{reasons.get(name, '').removesuffix(', search')}, search"
    return FittedSpecification(
        changes=tuple(
            Change(dial, dial_of(specification, dial), dial_of(content, dial), reason.lstrip(", "))
            for dial, reason in reasons.items()
        ),
        losses=tuple(loss if np.isfinite(loss) else None for loss in losses),
        specification=content,
    )


def mean_distance(first: Samples, second: Samples) -> float:
    """Return the mean over the statistics of both of Wasserstein's distance, in sds of the first.

    Infinite where they have none in common.
    """
    pairs = both(first, second).values()
    apart = [wasserstein(a.values, b.values) / scale(a.values) for a, b in pairs]
    return float(np.mean(apart)) if apart else np.inf


def spread(values: Floats) -> float:
    """Return the standard deviation; 0 for values that are all equal."""
    return float(values.std()) if values.min() < values.max() else 0.0


def scale(values: Floats) -> float:
    """Return the standard deviation; of equal values their size, of zeros 1."""
    return spread(values) or abs(float(values.mean())) or 1.0


def reduced(specification: Plain, size: int) -> dict[str, Any]:
    """Return a specification of a smaller collection, of the same law."""
    small: dict[str, Any] = dict(specification)
    limits = {"collection.elements": size, "topics.number": _MOST_TOPICS, "log.users": _MOST_USERS}
    for number in range(len(dial_of(small, "systems", []))):
        limits[f"systems.{number}.number"] = _MOST_SYSTEMS
    for dial, most in limits.items():
        value = dial_of(small, dial)
        if value is not None and value > most:
            small = with_dial(small, dial, most)
    # What is not compared need not be computed.
    for name in ("assessors", "pool"):
        small.pop(name, None)
    return with_dial(small, "truth.measures", ["AP"])


def dials_of(content: Plain) -> list[Dial]:
    """Return the dials to search of a specification, most important first."""
    kind = str(dial_of(content, "collection.kind", ""))
    levels = _levels(content) if kind == "xml" else []
    return [*DIALS.get(kind, ()), *levels, *DIALS[""], *_strengths(content)]


def _levels(content: Plain) -> list[Dial]:
    """Return the dials of documents that may differ by level: most children, share of sections."""
    fan_out = dial_of(content, "collection.fan_out") or [2, 6]
    nesting = dial_of(content, "collection.nesting", 0.5)
    levels, ends = [""], ["1"]
    if isinstance(nesting, (list, tuple)):
        levels = [f".{level}" for level in range(len(nesting))]
    if isinstance(fan_out[0], (list, tuple)):
        ends = [f"{level}.1" for level in range(len(fan_out))]
    shares = [Dial(f"collection.nesting{level}", 0, 1, 0.5, _TREES) for level in levels]
    most = Dial("collection.fan_out", 1, 1_000, 6, ("children",), "log", whole=True)
    return [*shares, *(replace(most, path=f"{most.path}.{end}") for end in ends)]


def _strengths(content: Plain) -> list[Dial]:
    """Return the dials of the systems' strengths: of several systems their ends."""
    dials = list[Dial]()
    for number, system in enumerate(dial_of(content, "systems", [])):
        if system.get("target") is None:
            path = f"systems.{number}.strength"
            has_ends = isinstance(system.get("strength"), (list, tuple))
            paths = [f"{path}.0", f"{path}.1"] if has_ends else [path]
            dials += [Dial(path, -2.0, 8.0, 2.0, _SCORED) for path in paths]
    return dials


def pattern_search(
    loss: Callable[[tuple[float, ...]], float],
    dials: Sequence[Dial],
    start: Sequence[float],
    *,
    budget: int,
    step: float = 0.2,
    least_step: float = 0.01,
    progress: Callable[[float], object] = lambda _: None,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the best values of some dials, of `budget` that are tried, and all losses in turn.

    A pattern search: from the start one dial after the other is moved by a step, first to the side
    that helped last, and stays where the loss became less. A round without success halves the step.
    `loss` has to be the same each time: give it one seed.

    >>> x = Dial("x", 0, 1, 0.5, ())
    >>> best, losses = pattern_search(lambda v: (v[0] - 0.7) ** 2, [x], [0.2], budget=40)
    >>> best
    (0.7,)
    """
    tried: dict[tuple[float, ...], float] = {}

    def values_at(places: Sequence[float]) -> tuple[float, ...]:
        return tuple(dial.value(place) for dial, place in zip(dials, places, strict=True))

    def at(places: Sequence[float]) -> float:
        values = values_at(places)
        if values not in tried:
            tried[values] = loss(values)
            progress(len(tried) / budget)
        return tried[values]

    here = [dial.place(value) for dial, value in zip(dials, start, strict=True)]
    best = at(here)
    sides = [1] * len(dials)
    while step >= least_step and len(tried) < budget and dials:
        better = False
        for number in range(len(dials)):
            for side in (sides[number], -sides[number]):
                moved = list(here)
                moved[number] = min(1.0, max(0.0, here[number] + side * step))
                if len(tried) >= budget or moved == here:
                    continue
                if (reached := at(moved)) < best:
                    here, best, sides[number], better = moved, reached, side, True
                    break
        if not better:
            step /= 2
    return values_at(here), tuple(tried.values())
