"""Our values for Carterette (2011): formulas as printed beside ours, and what Table 2 implies."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import log2
from typing import Any, NamedTuple

import numpy as np

from prum.analytic.utility import beta_stopping, preference_utility, stopping, utility
from prum.analytic.utility.measures import MEASURES, preferred_if_relevant
from prum.experiments.studies.paper.printed import OwnValue, apart
from prum.simulator.model.arrays import Floats

# Fig. 1; the length of its list is not printed.
RELEVANT_RANKS = (1, 2, 3, 5, 8, 11, 17, 24)
_NUM_RANKS = 100
_ROUNDING = 1e-9
_THETAS = (0.2, 0.5, 0.8)
_STATIC, _DYNAMIC = ("RBP", "DCG", "RR"), ("ERR", "AP", "RRR")
# Table 2: Kendall's tau of each measure between two sets of judgements.
_TAUS = {
    "RBP": 0.813,
    "RBTR": 0.816,
    "RBAP": 0.801,
    "CDG": 0.831,
    "DCG": 0.920,
    "DAG": 0.819,
    "RRG": 0.819,
    "SumRR": 0.859,
    "RAP": 0.812,
    "ERR": 0.829,
    "EPR": 0.836,
    "ARR": 0.847,
    "AP": 0.896,
    "RRR": 0.826,
    "RRAP": 0.844,
}


class _Rank(NamedTuple):
    """A rank k: rel_k, R_k, R, and theta."""

    k: int
    rel: int
    found: int
    total: int
    theta: float


# P(k) as section 3 prints it.
_LAWS: dict[str, Callable[[_Rank], float]] = {
    "RBP": lambda at: (1 - at.theta) ** (at.k - 1) * at.theta,
    "DCG": lambda at: 1 / log2(at.k + 1) - 1 / log2(at.k + 2),
    "RR": lambda at: 1 / (at.k * (at.k + 1)),
    "ERR": lambda at: at.rel * (1 - at.theta) ** (at.found - 1) * at.theta,
    "AP": lambda at: at.rel / at.total,
    "RRR": lambda at: at.rel / (max(at.found, 1) * (at.found + 1)),
}
# What M2 weighs rel_k with, in its last form.
_VIEWING: dict[str, Callable[[_Rank], float]] = {
    "RBP": lambda at: (1 - at.theta) ** (at.k - 1),
    "DCG": lambda at: 1 / log2(at.k + 1),
    "RR": lambda at: 1 / at.k,
}


def _printed(name: str, at: _Rank) -> float:
    """Return what rank k adds to a measure, as sections 2 and 3.1 print it."""
    law, model = MEASURES[name]
    if model == "M2":
        return at.rel * _VIEWING[law](at)
    each = {"M1": float(at.rel), "M3": 1 / at.k, "M4": at.found / at.k}
    return each[model] * _LAWS[law](at)


def carterette() -> dict[str, Any]:
    """Return our values: formulas and claims of sections 2 to 5, and the means of Table 2."""
    return {
        **{f"law {name}": _same(_law_pairs(name)) for name in _LAWS},
        **{name: _same(_measure_pairs(name)) for name in MEASURES},
        **_models(),
        **_shapes(),
        **_cuts_and_mixtures(),
        **_table_2(),
        **_documents(),
    }


def relevance_of(ranks: Sequence[int]) -> Floats:
    """Return relevance by rank of a list of 100."""
    return np.isin(np.arange(1, _NUM_RANKS + 1), ranks).astype(np.float64)


def _lists() -> list[list[int]]:
    """Return Fig. 1's list, two ends, and some at random."""
    rng = np.random.default_rng(3)
    random = [(rng.random(30) < share).astype(int).tolist() for share in (0.1, 0.3, 0.6)]
    return [relevance_of(RELEVANT_RANKS).astype(int).tolist(), [1, 0, 0], [0, 0, 1, 1], *random]


def _same(pairs: Iterable[Sequence[Any]]) -> str:
    return apart(max(abs(one - other) for one, other in pairs))


def _ranks(relevance: Sequence[int], total: int, theta: float) -> list[_Rank]:
    found = np.cumsum(relevance).tolist()
    return [_Rank(k, rel, found[k - 1], total, theta) for k, rel in enumerate(relevance, start=1)]


def _cases() -> Iterator[tuple[list[int], int, float]]:
    for relevance, theta in product(_lists(), _THETAS):
        yield relevance, sum(relevance) + 2, theta


def _law_pairs(name: str) -> Iterator[tuple[float, float]]:
    for relevance, total, theta in _cases():
        own = stopping(name, relevance, total, theta=theta).mass.tolist()
        printed = map(_LAWS[name], _ranks(relevance, total, theta))
        yield from zip(own, printed, strict=True)


def _measure_pairs(name: str) -> Iterator[tuple[float, float]]:
    for relevance, total, theta in _cases():
        printed = sum(_printed(name, at) for at in _ranks(relevance, total, theta))
        yield utility(name, relevance, total, theta=theta), printed


def _models() -> dict[str, Any]:
    """Return what M2, M4 and Table 1 say of themselves."""
    rows, average, within = [], [], []
    for relevance, total, _ in _cases():
        rel, found, k = np.array(relevance), np.cumsum(relevance), np.arange(1, len(relevance) + 1)
        for name in _LAWS:
            mass = stopping(name, relevance, total).mass
            rows.append((rel @ mass[::-1].cumsum()[::-1], found @ mass))
            average.append((rel @ (mass / k)[::-1].cumsum()[::-1], (found / k) @ mass))
        mass = stopping("DCG", n=len(rel)).mass
        within.append((found @ mass, rel @ (1 / np.log2(k + 1) - 1 / np.log2(len(rel) + 2))))
    # A cell without a name is the same whatever the order of the list.
    rng = np.random.default_rng(4)
    orders = [rng.permutation([1, 1, 1, 0, 0, 0, 0, 0]) for _ in range(20)]
    cells = [
        pair for pair in product(_LAWS, ("M1", "M2", "M3", "M4")) if pair not in MEASURES.values()
    ]
    constant = [np.ptp([utility(cell, order, 3) for order in orders]) < _ROUNDING for cell in cells]
    perfect = [
        utility(name, [1] * 4 + [0] * 6, 4, normalised=True)
        for name, (_, model) in MEASURES.items()
        if model == "M2" or name == "ARR"
    ]
    return {
        "rows and columns": _same(rows),
        "average utility": _same(average),
        "dcg within": _same(within),
        "sum RBP": sum(stopping("RBP", n=200).mass),
        "measures beside": len(MEASURES) - 4,
        "empty cells": sum(constant),
        "perfect list": max(perfect),
    }


def _shapes() -> dict[str, Any]:
    """Fig. 1: whose tail is fatter, by viewing probability at rank 11."""
    relevance = relevance_of(RELEVANT_RANKS)[:24]
    tail = {name: stopping(name, relevance, 8).viewing[10] for name in _LAWS}

    def order(names: Sequence[str]) -> str:
        return ", ".join(sorted(names, key=lambda name: -tail[name]))

    return {"tails static": order(_STATIC), "tails dynamic": order(_DYNAMIC)}


def _cuts_and_mixtures() -> dict[str, Any]:
    cut: dict[str, list[tuple[float, float]]] = {"DCG": [], "RBTR": [], "SumRR": []}
    for relevance, total, theta in _cases():
        so_far = np.cumsum(relevance)
        for name, end in product(cut, (1, 2, len(relevance))):
            law = stopping(MEASURES[name][0], relevance, total, theta=theta)
            beyond = 1 - law.mass[:end].sum()
            formula = so_far[:end] @ law.mass[:end] + so_far[end - 1] * beyond
            cut[name].append((utility(name, relevance, total, theta=theta, cutoff=end), formula))
    n = 50
    rr = stopping("RR", n=n).mass
    sums = [(rr[k - 1 :].sum(), 1 / k - 1 / (n + 1)) for k in range(1, n + 1)]
    fig_1 = relevance_of(RELEVANT_RANKS)
    mixed = {
        "RBP": (beta_stopping("RBP", n=n).mass, rr),
        "ERR": (beta_stopping("ERR", fig_1).mass, stopping("RRR", fig_1, 8).mass),
    }
    quits = [
        (
            (1 - theta) ** (last - k) * stopping("RBP", n=last, theta=theta).mass[k - 1],
            (1 - theta) ** (last - 1) * theta,
        )
        for theta, last in product(_THETAS, (1, 5, 10))
        for k in range(1, last + 1)
    ]
    return {
        "cut DCG": _same(cut["DCG"]),
        "cut M2": _same(pair for pairs in cut.values() for pair in pairs),
        "summed RR": _same(sums),
        "quitting": _same(quits),
        **{f"mixed {name}": _same(zip(*laws, strict=True)) for name, laws in mixed.items()},
    }


def _table_2() -> dict[str, Any]:
    """Return the means of Table 2, and who is firm and who is not by them."""

    def mean(kind: str, *, but: str = "") -> float:
        taus = [
            tau
            for name, tau in _TAUS.items()
            if kind in MEASURES[name] and but not in MEASURES[name]
        ]
        return float(np.mean(taus))

    laws, models = sorted(_LAWS, key=mean), sorted(("M1", "M2", "M3", "M4"), key=mean)
    by_type = {
        word: float(np.mean([tau for name, tau in _TAUS.items() if MEASURES[name][0] in names]))
        for word, names in (("static", _STATIC), ("dynamic", _DYNAMIC))
    }
    least = ", ".join(min(names, key=mean) for names in (_STATIC, _DYNAMIC))
    return {
        **{f"tau {kind}": mean(kind) for kind in (*laws, *models)},
        "tau ARR": _TAUS["SumRR"],
        "arr and rr": _same(
            [utility(name, relevance, total, normalised=True) for name in ("ARR", "SumRR")]
            for relevance, total, _ in _cases()
        ),
        "most robust": ", ".join(laws[:-3:-1]),
        "least robust": OwnValue(", ".join(laws[:2]), mistaken=least),
        "more robust type": max(by_type, key=lambda word: by_type[word]),
        "most robust model": models[-1],
        "least robust model": models[0],
        "without AP": max(("M3", "M4"), key=lambda model: mean(model, but="AP")),
    }


def _documents() -> dict[str, Any]:
    """Section 5: preferences, and P_ERR of grades as it is printed."""
    relevance = relevance_of(RELEVANT_RANKS)
    law, preferred = stopping("RR", relevance), preferred_if_relevant(relevance)
    values: dict[str, Any] = {}
    for sample, model in (("one", "M4"), ("all", "M2")):
        value = utility(("RR", model), relevance)
        above, itself = (
            _same([(preference_utility(law, preferred, sample=sample, itself=kept), value)])  # type: ignore[arg-type]
            for kept in (False, True)
        )
        values[f"{sample} above"] = OwnValue(above, mistaken=itself)
    theta = {0: 0.0, 1: 0.5}
    products = []
    for k in range(1, len(relevance) + 1):
        counts = {grade: int((relevance[:k] == grade).sum()) for grade in theta}
        seen = [grade for grade, count in counts.items() if count]
        if seen == [0, 1]:
            products.append(np.prod([(1 - theta[g]) ** (counts[g] - 1) * theta[g] for g in seen]))
    return {**values, "printed product": max(products)}
