"""Our values for Carterette (2011): formulas as printed beside ours, and what Table 2 implies."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from prum.analytic.utility import (
    MEASURES,
    beta_stopping,
    preference_utility,
    stopping,
    utility,
)
from prum.experiments.studies.paper import OwnValue, apart, numbers
from prum.simulator.model.arrays import Floats

# Fig. 1; the length of its list is not printed.
RELEVANT_RANKS = (1, 2, 3, 5, 8, 11, 17, 24)
_NUM_RANKS = 100
_ROUNDING = 1e-9
_THETAS = (0.2, 0.5, 0.8)
_STATIC, _DYNAMIC = ("RBP", "DCG", "RR"), ("ERR", "AP", "RRR")
_LAWS, _MODELS = (*_STATIC, *_DYNAMIC), ("M1", "M2", "M3", "M4")
FIG_1 = np.isin(np.arange(1, _NUM_RANKS + 1), RELEVANT_RANKS).astype(np.float64)


def printed_laws(relevance: Sequence[int], total: int, theta: float) -> dict[str, Floats]:
    """Return P(k) as section 3 prints it, by law."""
    rel, hits, k = np.array(relevance), np.cumsum(relevance), np.arange(1, len(relevance) + 1)
    return {
        "RBP": (1 - theta) ** (k - 1) * theta,
        "DCG": 1 / np.log2(k + 1) - 1 / np.log2(k + 2),
        "RR": 1 / (k * (k + 1)),
        "ERR": rel * (1 - theta) ** (hits - 1.0) * theta,
        "AP": rel / total,
        "RRR": rel / (np.maximum(hits, 1) * (hits + 1)),
    }


def printed_measures(relevance: Sequence[int], total: int, theta: float) -> dict[str, float]:
    """Return the fifteen measures as sections 2 and 3.1 print them, M2 in its last form."""
    laws = printed_laws(relevance, total, theta)
    rel, hits, k = np.array(relevance), np.cumsum(relevance), np.arange(1, len(relevance) + 1)
    weights = {"M1": rel, "M3": 1 / k, "M4": hits / k}
    viewing = {"RBP": (1 - theta) ** (k - 1), "DCG": 1 / np.log2(k + 1), "RR": 1 / k}
    return {
        name: float(rel @ viewing[law] if model == "M2" else weights[model] @ laws[law])
        for name, (law, model) in MEASURES.items()
    }


def values(seed: int) -> dict[str, Any]:  # noqa: ARG001 - as of the other papers
    """Return our values: formulas and claims of sections 2 to 5, and the means of Table 2."""
    formulas = {name: apart(error) for name, error in _errors().items()}
    return formulas | dict(_claims()) | dict(_table_2()) | dict(_documents())


def _cases() -> Iterator[tuple[list[int], int, float]]:
    """Yield relevance by rank, R and theta, of Fig. 1's list, two ends, and some at random."""
    rng = np.random.default_rng(3)
    random = [(rng.random(30) < share).astype(int).tolist() for share in (0.1, 0.3, 0.6)]
    for relevance in (FIG_1.astype(int).tolist(), [1, 0, 0], [0, 0, 1, 1], *random):
        yield from ((relevance, sum(relevance) + 2, theta) for theta in _THETAS)


def _errors() -> dict[str, float]:
    """Return how far formulas as printed are from ours, at most."""
    errors: dict[str, float] = defaultdict(float)

    def compare(name: str, ours: Any, printed: Any) -> None:
        errors[name] = max(errors[name], float(np.abs(np.subtract(ours, printed)).max()))

    for relevance, total, theta in _cases():
        rel, hits, k = np.array(relevance), np.cumsum(relevance), np.arange(1, len(relevance) + 1)
        for name, law in printed_laws(relevance, total, theta).items():
            compare(f"law {name}", stopping(name, relevance, total, theta=theta).mass, law)
            mass = stopping(name, relevance, total).mass
            compare("rows and columns", rel @ mass[::-1].cumsum()[::-1], hits @ mass)
            compare("average utility", rel @ (mass / k)[::-1].cumsum()[::-1], (hits / k) @ mass)
        for name, value in printed_measures(relevance, total, theta).items():
            compare(name, utility(name, relevance, total, theta=theta), value)
        mass, length = stopping("DCG", n=len(rel)).mass, len(rel)
        within = rel @ (1 / np.log2(k + 1) - 1 / np.log2(length + 2))
        compare("dcg within", hits @ mass, within)
        for name, end in product(("DCG", "RBTR", "SumRR"), (1, 2, length)):
            mass = stopping(MEASURES[name][0], relevance, total, theta=theta).mass[:end]
            cut = utility(name, relevance, total, theta=theta, cutoff=end)
            formula = hits[:end] @ mass + hits[end - 1] * (1 - mass.sum())
            for kind in ("cut M2", *(["cut DCG"] if name == "DCG" else [])):
                compare(kind, cut, formula)
        arr, rr = (utility(name, relevance, total, normalised=True) for name in ("ARR", "SumRR"))
        compare("arr and rr", arr, rr)
    for theta, last in product(_THETAS, (1, 5, 10)):
        search = stopping("RBP", n=last, theta=theta).mass
        both = (1 - theta) ** (last - np.arange(1, last + 1)) * search
        compare("quitting", both, (1 - theta) ** (last - 1) * theta)
    n = 50
    mass = stopping("RR", n=n).mass
    compare("summed RR", mass[::-1].cumsum()[::-1], 1 / np.arange(1, n + 1) - 1 / (n + 1))
    compare("mixed RBP", beta_stopping("RBP", n=n).mass, mass)
    compare("mixed ERR", beta_stopping("ERR", FIG_1).mass, stopping("RRR", FIG_1, 8).mass)
    return errors


def _claims() -> Iterator[tuple[str, Any]]:
    """Yield sums, counts, what Table 1 says of its cells, and whose tail is fatter in Fig. 1."""
    yield "sum RBP", sum(stopping("RBP", n=200).mass)
    yield "measures beside", len(MEASURES) - 4
    # A cell without a name is the same whatever the order of the list.
    rng = np.random.default_rng(4)
    orders = [rng.permutation([1, 1, 1, 0, 0, 0, 0, 0]) for _ in range(20)]
    cells = [pair for pair in product(_LAWS, _MODELS) if pair not in MEASURES.values()]
    constant = [np.ptp([utility(cell, order, 3) for order in orders]) < _ROUNDING for cell in cells]
    yield "empty cells", sum(constant)
    perfect = [
        utility(name, [1] * 4 + [0] * 6, 4, normalised=True)
        for name, (_, model) in MEASURES.items()
        if model == "M2" or name == "ARR"
    ]
    yield "perfect list", max(perfect)
    # By viewing probability at rank 11.
    tail = {name: stopping(name, FIG_1[:24], 8).viewing[10] for name in _LAWS}
    for kind, names in (("static", _STATIC), ("dynamic", _DYNAMIC)):
        yield f"tails {kind}", ", ".join(sorted(names, key=lambda name: -tail[name]))


def _table_2() -> Iterator[tuple[str, Any]]:
    """Yield the means of Table 2, and who is firm and who is not by them.

    Kendall's tau of each measure between two sets of judgements is as printed.
    """
    taus = {
        number.what.removeprefix("τ of ").partition(",")[0]: float(number.printed)
        for number in numbers("carterette")
        if number.where == "Table 2" and number.what.startswith("τ of")
    }
    taus["SumRR"] = taus.pop("RR")

    def mean(*kinds: str, but: str = "") -> float:
        chosen = (n for n in MEASURES if {*kinds} & {*MEASURES[n]} and but not in MEASURES[n])
        return float(np.mean([taus[name] for name in chosen]))

    laws, models = sorted(_LAWS, key=mean), sorted(_MODELS, key=mean)
    yield from ((f"tau {kind}", mean(kind)) for kind in (*laws, *models))
    yield "tau ARR", taus["SumRR"]
    yield "most robust", ", ".join(laws[:-3:-1])
    least = ", ".join(min(names, key=mean) for names in (_STATIC, _DYNAMIC))
    yield "least robust", OwnValue(", ".join(laws[:2]), mistaken=least)
    yield "more robust type", "static" if mean(*_STATIC) > mean(*_DYNAMIC) else "dynamic"
    yield "most robust model", models[-1]
    yield "least robust model", models[0]
    yield "without AP", max(("M3", "M4"), key=lambda model: mean(model, but="AP"))


def _documents() -> Iterator[tuple[str, Any]]:
    """Section 5: preferences, and P_ERR of grades as it is printed."""
    law, preferred = stopping("RR", FIG_1), np.repeat(FIG_1[:, np.newaxis], _NUM_RANKS + 1, axis=1)
    for sample, model in (("one", "M4"), ("all", "M2")):
        value = utility(("RR", model), FIG_1)
        above, itself = (
            apart(abs(preference_utility(law, preferred, sample=sample, itself=kept) - value))  # type: ignore[arg-type]
            for kept in (False, True)
        )
        yield f"{sample} above", OwnValue(above, mistaken=itself)
    theta, products = {0: 0.0, 1: 0.5}, []
    for k in range(1, len(FIG_1) + 1):
        counts = {grade: int((FIG_1[:k] == grade).sum()) for grade in theta}
        if all(counts.values()):
            products.append(np.prod([(1 - theta[g]) ** (counts[g] - 1) * theta[g] for g in theta]))
    yield "printed product", max(products)
