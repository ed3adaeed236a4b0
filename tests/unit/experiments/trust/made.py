"""Runs, judgements and links for tests of `trust`, and results with other values."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import prum
from prum.experiments.trust import DependentValue, ListTrust, TrustResult, jobs

WIDTH = 0.01
# x leads to each of two ideals with one half: .8 and 7/9 if independent.
HALVES = {("x", "a"): 0.5, ("x", "b"): 0.5}
QRELS = {"q": {"a": 1, "b": 1}}


def trusted(width: float, **given: Any) -> TrustResult:
    """Return the result where users are simulated until half of an interval is `width`."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(jobs, "WIDTH", width)
        return prum.trust(**given)


def campaign(sizes: Mapping[str, int], *, ranks: int, seed: int) -> dict[str, Any]:
    """Return three systems on topics with so many ideals: hubs, some ideals, and the rest."""
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, list[str]]] = {"early": {}, "late": {}, "mixed": {}}
    qrels, links = {}, {}
    for topic, size in sizes.items():
        ideals = [f"{topic}i{number}" for number in range(size)]
        hubs = [f"{topic}h{number}" for number in range(ranks // 2)]
        for hub in hubs:
            for ideal in rng.choice(ideals, min(size, 5), replace=False).tolist():
                links[hub, ideal] = float(rng.uniform(0.05, 0.6))
        some = ideals[: ranks - len(hubs)]
        runs["early"][topic] = [*hubs, *some]
        runs["late"][topic] = [*some, *hubs]
        runs["mixed"][topic] = rng.permutation([*hubs, *some]).tolist()
        qrels[topic] = dict.fromkeys(ideals, 1)
    return {
        "runs": runs,
        "qrels": qrels,
        "links": links,
        "collection_size": 3 * max(sizes.values()),
    }


def turning() -> dict[str, Any]:
    """Return runs of which one lives on browsing that may go together, and one does not."""
    ideals = [f"i{number}" for number in range(4)]
    links = {("gate", ideal): 0.45 for ideal in ideals} | {("aside", ideals[0]): 0.75}
    runs = {
        "hub": {f"q{n}": ["gate", "n", "m", *ideals] for n in range(3)},
        "direct": {f"q{n}": ["aside", "n", ideals[0], "m", *ideals[1:]] for n in range(3)},
    }
    qrels = {f"q{n}": dict.fromkeys(ideals, 1) for n in range(3)}
    return {"runs": runs, "qrels": qrels, "links": links, "collection_size": 9}


def changed(result: TrustResult, news: Mapping[tuple[str, str], DependentValue]) -> TrustResult:
    """Return a result with other values: (system, dependence) -> value on each topic.

    Bounds, which know nothing of them, are those of any precision.
    """
    lists = dict(result.lists)
    for (system, topic), one in result.lists.items():
        own = {name: value for (of, name), value in news.items() if of == system}
        lists[system, topic] = unbounded(replace(one, values={**one.values, **own}))
    return replace(result, lists=lists)


def unbounded(one: ListTrust) -> ListTrust:
    t = one.num_ideals
    loose = replace(one.bounds, precision_low=np.zeros(t), precision_high=np.ones(t))
    return replace(one, bounds=loose)


def drawn(precision: float, half: float, *, t: int = 4) -> DependentValue:
    none = np.zeros(t, dtype=np.bool_)
    return DependentValue(np.full(t, precision), np.full(t, half), "simulated", 1_024, none)
