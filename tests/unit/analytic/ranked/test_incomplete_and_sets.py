"""bpref, infAP, sets, success, interpolation, compatibility: beside their tools and definitions."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations, product
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.analytic import ranked
from prum.simulator.collections.trec import ranked_of
from prum.simulator.model import InputError

Grades = Mapping[str, int]
Score = Callable[[tuple[str, ...], Grades], float]

NAMES = [f"e{number:02}" for number in range(14)]


@st.composite
def topics(draw: st.DrawFn) -> tuple[dict[str, float], dict[str, int]]:
    """Scores with ties, and grades -1 to 4 of some elements, one at least of them ideal."""
    listed = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    run = {element: float(draw(st.integers(1, 6))) for element in listed}
    judged = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    grades = {element: draw(st.integers(-1, 4)) for element in judged}
    return run, grades | {judged[0]: draw(st.integers(1, 4))}


def ideals(grades: Grades, rel: int = 1) -> list[str]:
    return [element for element, grade in grades.items() if grade >= rel]


def others(grades: Grades, rel: int = 1) -> list[str]:
    return [element for element, grade in grades.items() if 0 <= grade < rel]


def pooled(grades: Grades) -> list[str]:
    return [element for element, grade in grades.items() if grade < 0]


def set_of(ranking: tuple[str, ...], grades: Grades) -> ranked.Retrieved:
    return ranked.retrieved(ranking, ideals(grades))


SCORES: dict[str, Score] = {
    "Bpref": lambda ranking, grades: ranked.bpref(ranking, ideals(grades), others(grades)),
    "Bpref(rel=2)": lambda ranking, grades: (
        ranked.bpref(ranking, ideals(grades, 2), others(grades, 2)) if ideals(grades, 2) else 0.0
    ),
    "infAP": lambda ranking, grades: ranked.inferred_average_precision(
        ranking, ideals(grades), others(grades), pooled(grades)
    ),
    "Success@2": lambda ranking, grades: ranked.success_at(ranking, ideals(grades), 2),
    "Judged@3": lambda ranking, grades: ranked.judged_at(ranking, grades, 3),
    "Judged": ranked.judged_at,
    "SetP": lambda ranking, grades: set_of(ranking, grades).precision,
    "SetP(relative=True)": lambda ranking, grades: set_of(ranking, grades).relative_precision,
    "SetR": lambda ranking, grades: set_of(ranking, grades).recall,
    "SetAP": lambda ranking, grades: set_of(ranking, grades).average_precision,
    "SetF": lambda ranking, grades: set_of(ranking, grades).f(),
    "SetF(beta=2.0)": lambda ranking, grades: set_of(ranking, grades).f(2.0),
    "SetF(beta=0.5)": lambda ranking, grades: set_of(ranking, grades).f(0.5),
    "Compat": ranked.compatibility,
    "Compat(p=0.8)": lambda ranking, grades: ranked.compatibility(ranking, grades, p=0.8),
    "Compat(normalize=False)": lambda ranking, grades: ranked.compatibility(
        ranking, grades, normalised=False
    ),
} | {
    f"IPrec@{level}": lambda ranking, grades, level=level: float(
        ranked.interpolated_precision(ranking, ideals(grades), [level], rounding="up")[0]
    )
    for level in (0.0, 0.1, 0.2, 0.25, 0.3, 0.33, 0.5, 0.6, 0.7, 0.75, 0.9, 1.0)
}


def by_ir_measures(name: str, run: Mapping[str, float], grades: Grades) -> float:
    ir_measures = pytest.importorskip("ir_measures")
    measure = ir_measures.parse_measure(name)
    (metric,) = ir_measures.iter_calc([measure], {"1": dict(grades)}, {"1": dict(run)})
    return float(metric.value)


@pytest.mark.parametrize("name", SCORES)
@given(topic=topics())
def test_scores_are_those_of_the_tool(
    name: str, topic: tuple[dict[str, float], dict[str, int]]
) -> None:
    run, grades = topic
    if name.startswith(("Compat", "Judged")):
        # Of equal scores these take the first id: no ties.
        run = {element: 20.0 - rank for rank, element in enumerate(ranked_of(run).elements)}
    if name.startswith("Compat"):
        grades = {element: max(grade, 0) for element, grade in grades.items()}
    ours = SCORES[name](ranked_of(run).elements, grades)
    assert ours == pytest.approx(by_ir_measures(name, run, grades), abs=1e-12)


@pytest.mark.parametrize(
    ("level", "rounding", "r"),
    [
        (0.35, "up", 1),  # where the ceiling rule takes 2
        (0.4, "up", 2),
        (0.4, "nearest", 1),
        (0.5, "nearest", 2),  # halves up
        (0.51, "nearest", 2),
    ],
)
def test_rounding_of_levels_by_hand(level: float, rounding: Any, r: int) -> None:
    ranking, wanted = ("a", "x", "b"), ["a", "b", "c"]
    precision = ranked.interpolated_precision(ranking, wanted, [level], rounding=rounding)
    assert precision == pytest.approx([1.0, 2 / 3][r - 1])
    by_rule = ranked.standard_precision_recall(ranking, wanted).interpolated([0.35])
    assert by_rule == pytest.approx(2 / 3)


# --- by hand and by definition --------------------------------------------------------------------


def test_bpref_by_hand() -> None:
    """Two ideals, one of them below 1 of 3 others: (1 + 1 - 1/2) / 2."""
    assert ranked.bpref(["a", "x", "b"], ["a", "b"], ["x", "y", "z"]) == 0.75
    assert ranked.bpref(["x", "y", "z", "a"], ["a", "b"], ["x", "y", "z"]) == 0
    assert ranked.bpref(["?", "a"], ["a"], []) == 1
    assert ranked.bpref([], ["a"], ["x"]) == 0


@pytest.mark.parametrize("order", list(product("ax?", repeat=3)))
def test_bpref_is_the_share_of_preferences_kept(order: tuple[str, ...]) -> None:
    """Of the pairs of an ideal and one of the first min(n, t) others, those in the right order."""
    ranking = [f"{kind}{number}" for number, kind in enumerate(order)]
    wanted = [x for x in ranking if x[0] == "a"] or ["a"]
    rest = [x for x in ranking if x[0] == "x"]
    t, n = len(wanted), len(rest)
    first = rest[: min(n, t)]
    kept = Fraction(0)
    for ideal in set(wanted) & set(ranking):
        right = [x for x in first if ranking.index(ideal) < ranking.index(x)]
        kept += Fraction(len(right), len(first)) if first else 1
    assert ranked.bpref(ranking, wanted, rest) == pytest.approx(float(kept / t), abs=1e-12)


def test_inferred_ap_is_ap_if_the_whole_pool_is_judged() -> None:
    """What is not in the pool counts as not ideal in both; the raised counts tell by 1e-5."""
    draws = np.random.default_rng(1)
    for _ in range(20):
        ranking = draws.permutation(NAMES).tolist()
        wanted, rest = ranking[::3], ranking[1::3]
        ours = ranked.inferred_average_precision(ranking, wanted, rest)
        assert ours == pytest.approx(ranked.average_precision(ranking, wanted), abs=1e-4)


def test_inferred_ap_expects_ap_over_samples_of_the_pool() -> None:
    """Mean over all ways to judge half of the pool, over those that judge an ideal."""
    ranking, wanted = ["a", "b", "c", "d", "e", "f"], {"a", "d", "e"}
    found = []
    for judged in product([False, True], repeat=6):
        known = {x for x, known in zip(ranking, judged, strict=True) if known}
        if known & wanted and len(known) >= 3:
            found.append(
                ranked.inferred_average_precision(
                    ranking, known & wanted, known - wanted, set(ranking) - known
                )
            )
    assert np.mean(found) == pytest.approx(ranked.average_precision(ranking, wanted), abs=0.05)


def test_compatibility_by_hand() -> None:
    """Ideal b a (b has the higher grade): overlaps 0 and 2/2 of 1 and 2/2, at p = 1/2."""
    ours = ranked.compatibility(["a", "b"], {"a": 1, "b": 2}, p=0.5)
    assert ours == pytest.approx(0.5 / 1.5)
    assert ranked.compatibility(["a", "b"], {}, p=0.5) == 0
    assert ranked.compatibility([], {"a": 1}) == 0


@given(topic=topics(), p=st.floats(0.05, 0.95))
def test_compatibility_is_rbo_with_the_nearest_ideal_list(
    topic: tuple[dict[str, float], dict[str, int]], p: float
) -> None:
    run, grades = topic
    grades = {element: max(grade, 0) for element, grade in list(grades.items())[:5]}
    ranking = ranked_of(run).elements
    wanted = ideals(grades)

    def overlap(ideal: list[str], depth: int) -> float:
        both = [len(set(ranking[:i]) & set(ideal[:i])) / i for i in range(1, depth + 1)]
        weights = [p**i for i in range(depth)]
        return float(np.dot(weights, both) / sum(weights))

    best = max(
        (
            overlap(list(order), max(len(ranking), len(order)))
            for order in permutations(wanted)
            if [grades[x] for x in order] == sorted((grades[x] for x in order), reverse=True)
        ),
        default=0.0,
    )
    ours = ranked.compatibility(ranking, grades, p=p, normalised=False)
    assert ours == pytest.approx(best if wanted else 0.0, abs=1e-12)


def test_what_stands_in_the_list_twice() -> None:
    assert ranked.bpref(["x", "x", "a", "a"], ["a", "b"], ["x"]) == 0
    assert ranked.retrieved(["a", "a"], ["a"]).precision == 0.5
    assert ranked.success_at(["a", "a"], ["a"], 2) == 1
    twice = ranked.compatibility(["a", "a", "b"], {"a": 1, "b": 1}, p=0.5)
    assert twice < ranked.compatibility(["a", "b"], {"a": 1, "b": 1}, p=0.5) == 1
    assert ranked.inferred_average_precision(["a", "a", "b"], ["a", "b"], []) == pytest.approx(
        (1 + 2 / 3) / 2, abs=1e-4
    )


def test_empty_lists_are_worth_nothing() -> None:
    nothing = ranked.retrieved([], ["a"])
    assert (nothing.precision, nothing.relative_precision, nothing.recall) == (0, 0, 0)
    assert (nothing.f(), nothing.average_precision) == (0, 0)
    assert ranked.judged_at([], ["a"]) == 0
    assert ranked.success_at([], ["a"], 1) == 0
    assert ranked.interpolated_precision([], ["a"], [0.0]) == 0
    assert ranked.inferred_average_precision([], ["a"], []) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ranked.bpref(["a"], [], ["b"]), "ideals is"),
        (lambda: ranked.bpref(["a"], ["a"], ["a"]), "others is 'a', must not hold an ideal"),
        (lambda: ranked.interpolated_precision(["a"], ["a"], [2]), "level 0 is 2"),
        (
            lambda: ranked.interpolated_precision(["a"], ["a"], [1], rounding=cast("Any", "down")),
            "rounding is 'down', must be nearest or up",
        ),
        (lambda: ranked.judged_at(["a"], ["a"], 0), "rank is 0"),
        (lambda: ranked.retrieved(["a"], ["a"]).f(-1), "beta is -1"),
        (lambda: ranked.compatibility(["a"], {"a": -1}), "grade of .a. is -1"),
        (lambda: ranked.compatibility(["a"], {"a": 1}, p=1), "p is 1"),
    ],
)
def test_mistakes(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
