"""`trust` against everything that users may do, and against simulated users."""

import json
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import prum
from prum import Independent, Task
from prum.analytic import exact
from prum.experiments.trust import UserLimit, values
from prum.experiments.trust.dependences import ReachedList
from prum.experiments.trust.trusted import trusted_recall
from prum.experiments.trust.values import value_of
from prum.simulator.model.arrays import Floats
from tests.unit.experiments.trust.made import (
    QRELS,
    turning,
)
from tests.unit.experiments.trust.test_trust import NAMED

# --- brute force ---------------------------------------------------------------------------------

Outcomes = list[tuple[float, frozenset[int]]]


def outcomes(p: Sequence[float], coupling: str) -> Outcomes:
    """Return the joint law of the visits from one element: probability and set."""
    if coupling == "independent":
        return [
            (
                float(np.prod([x if hit else 1 - x for x, hit in zip(p, hits, strict=True)])),
                frozenset(np.flatnonzero(hits).tolist()),
            )
            for hits in product((False, True), repeat=len(p))
        ]
    if coupling == "comonotone":
        cuts = sorted({0.0, 1.0, *p})
        return [
            (high - low, frozenset(k for k, x in enumerate(p) if x > low))
            for low, high in pairwise(cuts)
        ]
    assert sum(p) <= 1
    alone = [(x, frozenset([k])) for k, x in enumerate(p)]
    return [*alone, (1 - sum(p), frozenset())]


def by_enumeration(rows: list[Outcomes], t: int, u: int) -> Floats:
    """Return E[CL(r)] / E[C(r)] over all that may happen, rank by rank."""
    leading, consulted = np.zeros(t), np.zeros(t)
    for happening in product(*rows):
        probability = float(np.prod([share for share, _ in happening]))
        for r in range(1, t + 1):
            seen: set[int] = set()
            c = lead = 0
            for _, shown in happening:
                if len(seen) >= r:
                    break
                c += 1
                lead += not shown <= seen
                seen |= shown
            left = max(r - len(seen), 0)
            after = left * (u + 1) / (t - len(seen) + 1) if left else 0.0
            leading[r - 1] += probability * (lead + left)
            consulted[r - 1] += probability * (c + after)
    return leading / consulted


def cases(rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any], dict[Any, float]]:
    ideals = ["a", "b", "c"]
    hubs = ["x", "y", "z"]
    links = {
        (hub, ideal): float(rng.uniform(0.05, 0.33))
        for hub in hubs
        for ideal in ideals
        if rng.random() < 0.8
    }
    links.setdefault(("x", "a"), 0.2)
    runs = {
        name: {topic: rng.permutation([*ideals[:2], *hubs])[:4].tolist() for topic in ("q1", "q2")}
        for name in ("one", "two")
    }
    return runs, {topic: dict.fromkeys(ideals, 1) for topic in ("q1", "q2")}, links


@pytest.mark.parametrize("seed", range(6))
def test_values_and_turned_orders_are_those_of_enumeration(seed: int) -> None:
    runs, qrels, links = cases(np.random.default_rng(seed))
    result = prum.trust(runs, qrels, links=links, collection_size=9)
    means: dict[str, list[float]] = {}
    for coupling in ("independent", "exclusive", "comonotone"):
        means[coupling] = []
        for system in result.systems:
            scores = []
            for topic in result.topics:
                rows = []
                for element in runs[system][topic]:
                    own = "abc".find(element)
                    p = [
                        1.0 if k == own else links.get((element, y), 0.0)
                        for k, y in enumerate("abc")
                    ]
                    if own >= 0:
                        rows.append([(1.0, frozenset([own]))])
                    else:
                        rows.append(outcomes(p, coupling))
                scores.append(by_enumeration(rows, 3, 5).mean())
            means[coupling].append(float(np.mean(scores)))
            assert result.mean(system, coupling) == pytest.approx(means[coupling][-1], abs=1e-12)
    (pair,) = result.pairs
    sign = 1 if pair.system == "one" else -1
    assert pair.by_prum.difference >= 0
    for coupling, (one, two) in means.items():
        turned = sign * (one - two) < 0
        assert (coupling in (*pair.turned, *pair.extremes_turned)) == turned
        assert pair.under[coupling].difference == pytest.approx(sign * (one - two), abs=1e-12)
        assert pair.bound_low - 1e-9 <= sign * (one - two) <= pair.bound_high + 1e-9
    assert (pair.standing == "turns") == bool(pair.turned or pair.extremes_turned)


def test_an_order_that_lives_on_independence_turns() -> None:
    result = prum.trust(**turning())
    (pair,) = result.pairs
    assert pair.system == "hub"
    assert pair.standing == "turns"
    assert "comonotone" in pair.extremes_turned
    assert "correlated" in pair.turned
    assert "The order of hub and direct turns if" in result.headline
    assert pair.bound_low < 0 < pair.by_prum.difference
    assert not pair.is_kept_by_bounds
    # The same lists without what may go together: nothing turns.
    kept = {pair: p for pair, p in turning()["links"].items() if pair == ("aside", "i0")}
    result = prum.trust(**{**turning(), "links": kept})
    assert result.pairs[0].standing == "kept"
    assert result.pairs[0].is_kept_by_bounds
    assert (
        "is kept under every dependence tried, and under any between visits; over "
        "3 topics the difference by PRUM is not significant." in result.headline
    )


# --- simulated users -----------------------------------------------------------------------------


def test_simulated_users_agree_with_what_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task(["x", "y", "a", "z", "b"], ["a", "b", "c", "d"], 20)
    links = Independent(
        {(x, y): p for x in "xyz" for y, p in zip("abcd", (0.3, 0.2, 0.15, 0.1), strict=True)}
    )
    given = ReachedList(task, links)
    independent = exact(given.reach, task.num_unranked)
    effort = UserLimit(half_width=0.004)
    known = {
        name: value_of(given, NAMED[name], independent, effort)
        for name in ("exclusive", "correlated", "comonotone")
    }
    assert {value.how for value in known.values()} == {"exact"}
    monkeypatch.setattr(values, "_MOST_JOINT", 0)
    for name, value in known.items():
        simulated = value_of(given, NAMED[name], independent, effort)
        assert simulated.how == "simulated"
        assert simulated.half.max() < 0.005
        # 24 comparisons at a family-wise level of .001.
        z = (simulated.precision - value.precision) / (simulated.half / 1.96)
        assert np.abs(z).max() < 4.1
        # Negative control: another dependence is told from it.
        other = known["exclusive" if name == "comonotone" else "comonotone"]
        z = (simulated.precision - other.precision) / (simulated.half / 1.96)
        assert np.abs(z).max() > 4.1


def test_users_too_few_for_what_happens_rarely_have_no_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(values, "_MOST_JOINT", 0)
    links = {
        ("x", "a"): 0.99,
        ("y", "a"): 0.999,
        ("z", "a"): 0.9999,
        ("x", "b"): 0.99,
        ("y", "b"): 0.999,
        ("z", "b"): 0.9999,
    }
    result = prum.trust({"list": {"q": ["x", "y", "z"]}}, QRELS, links=links)
    (one,) = result.lists.values()
    value = one.values["comonotone"]
    assert value.unresolved.all()
    assert np.isnan(value.precision).all()
    assert np.isnan(value.half).all()
    assert np.isnan(result.mean("list", "comonotone"))
    assert np.isnan(result.mean("list", "comonotone", 2))
    assert trusted_recall(result).last == 0
    assert "Users are too few for a value at some recall values" in result.headline
    assert "missing: users are too few" in " ".join(result.view().notes)
    assert json.loads(result.to_json())["means"]["list"]["comonotone"] is None
    assert "taken as infinite" in " ".join(result.remarks)
