"""Measures of preferences: pair by pair, by users who stop and compare, and what they need."""

from typing import Any

import numpy as np
import pytest

import prum
from prum.analytic.ranked import preference_counts, preference_score
from prum.analytic.utility import graded_average_precision
from prum.analytic.utility.laws import StoppingLaw
from prum.simulator.model import InputError

PAIRS = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "b"), ("d", "e")]


def scores(names: str, run: Any, pairs: Any = PAIRS) -> list[float]:
    result = prum.evaluate({"s": {"q": run}}, {"q": pairs}, measures=names, collection_size=9)
    found: list[float] = result.scores.values[0, 0].tolist()
    return found


@pytest.mark.parametrize("seed", range(10))
def test_counts_pair_by_pair(seed: int) -> None:
    rng = np.random.default_rng(seed)
    elements = list("abcdefg")
    pairs = [tuple(rng.choice(elements, 2, replace=False).tolist()) for _ in range(12)]
    listed = rng.permutation(elements)[:5].tolist()
    ranking = [*listed[:2], tuple(listed[2:4]), *listed[4:], listed[0]]
    place = {listed[0]: 0, listed[1]: 1, listed[2]: 2, listed[3]: 2, listed[4]: 3}
    for cutoff in (None, 1, 2, 3):
        top = {x: rank for x, rank in place.items() if cutoff is None or rank < cutoff}
        kept = wrong = either = 0
        for better, worse in pairs:
            either += better in top or worse in top
            kept += better in top and (worse not in top or top[better] < top[worse])
            wrong += worse in top and (better not in top or top[worse] < top[better])
        counts = preference_counts(ranking, pairs, cutoff)
        assert (counts.kept, counts.reversed, counts.total) == (kept, wrong, 12)
        assert counts.recall == kept / 12
        assert counts.precision == (kept / either if either else 0)
        assert counts.distance == pytest.approx(1 - (kept + (12 - kept - wrong) / 2) / 12)


@pytest.mark.parametrize("sample", ["one", "all"])
def test_users_who_stop_and_compare(sample: Any) -> None:
    """Each user stops at a rank drawn from the law; all users together, one after the other."""
    rng = np.random.default_rng(5)
    mass = rng.dirichlet(np.ones(6))[:5]
    ranking = ["d", "a", "x", "c", "b"]
    met = 0.0
    for k, probability in enumerate(mass):
        above = sum((ranking[j], ranking[k]) in PAIRS for j in range(k))
        met += probability * (above / max(k, 1) if sample == "one" else above)
    law = StoppingLaw.of(mass)
    assert preference_score(law, ranking, PAIRS, sample=sample) == pytest.approx(met)
    swapped = preference_score(law, ranking[::-1], PAIRS, sample=sample)
    assert swapped != pytest.approx(met)


def test_measures_of_a_list_by_hand() -> None:
    """Of (d, a, c): d > b, d > e, a > b, a > c are kept; b > c is not."""
    assert scores("PrefR,PrefP,ndpm", ["d", "a", "c"]) == pytest.approx([0.8, 0.8, 0.2])
    assert scores("PrefR@1,PrefP@1", ["d", "a", "c"]) == pytest.approx([0.4, 1])
    # Only a stands above c: at rank 3 users of RBP stop with .2 .8^2, of RR with 1/12.
    names = "PrefU,PrefU(p=0.5),PrefU(law=RR),PrefU(sample=one),PrefU@2"
    wanted = [0.128, 0.125, 1 / 12, 0.064, 0]
    assert scores(names, ["d", "a", "c"]) == pytest.approx(wanted)
    assert scores("prefs_simp,prefs_simp_imp,PrefU", []) == [0, 0, 0]


def test_relevance_that_preferences_make_is_scored() -> None:
    """a and d have 1, b .5, c and e 0: of a perfect order every measure of grades is 1."""
    assert scores("nDCG,ndpm", ["a", "d", "b"]) == pytest.approx([1, 0.0])
    estimates = {"a": 1.0, "d": 1.0, "b": 0.5, "c": 0.0, "e": 0.5}
    assert scores("ADM", estimates) == pytest.approx([1 - 0.5 / 9])


@pytest.mark.parametrize(
    ("names", "qrels", "told"),
    [
        ("PrefR", {"q": {"a": 1}}, "must be preferences for PrefR"),
        ("PrefU", {"q": {"a": 1}}, "must be preferences for PrefU"),
        ("PrefU(law=DCG,p=0.5)", {"q": PAIRS}, "must be used with law=RBP"),
        ("PrefU(law=AP)", {"q": PAIRS}, "law of PrefU"),
    ],
)
def test_mistakes(names: str, qrels: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        prum.evaluate({"s": {"q": ["a"]}}, qrels, measures=names)
    with pytest.raises(InputError, match="preferences is 0, must be at least 1"):
        preference_counts(["a"], [])


def test_gap_takes_a_decimal_for_the_last_grade_that_it_reaches() -> None:
    runs = {"s": {"q": ["d", "c", "b", "a"]}}
    decimals, whole = {"a": 2.9, "b": 1.5, "c": 0.5, "d": 0.4}, {"a": 2, "b": 1, "c": 1, "d": 0}
    found = [
        float(prum.evaluate(runs, {"q": of}, measures="GAP").scores.values[0, 0, 0])
        for of in (decimals, whole)
    ]
    assert found[0] == found[1]


def test_gap_needs_no_table_of_all_grades() -> None:
    """Thresholds between two grades that were given are alike: of 5 and 2, by 1 .. 5."""
    runs, qrels = {"s": {"q": ["c", "b", "a"]}}, {"q": {"a": 5, "b": 2, "c": 0}}
    for name, shares in (("GAP", [1] * 5), ("GAP(thresholds=grade)", range(1, 6))):
        wanted = graded_average_precision([0, 2, 5], [5, 2, 0], list(shares))
        for top in (5, 10**15):
            table = prum.evaluate(runs, {"q": {**qrels["q"], "a": top}}, measures=name).scores
            assert (float(table.values[0, 0, 0]) == pytest.approx(wanted)) == (top == 5)
