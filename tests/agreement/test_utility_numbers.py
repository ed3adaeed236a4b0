"""Measures of the grid against expectations taken otherwise, other programs, and all judgements.

Section, equation and figure numbers are those of Carterette (2011).
"""

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from prum.analytic.utility.laws import DYNAMIC, STATIC, StoppingLaw
from prum.analytic.utility.measures import MODELS, utility, utility_bounds
from prum.simulator.model import InputError
from tests.tiers import slow, spread

CELLS = [(name, model) for name in STATIC + DYNAMIC for model in MODELS]


def random_topics(
    rng: np.random.Generator, grades: int
) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    qrels, rankings = {}, {}
    for topic in range(1, 41):
        judged = rng.choice(60, size=35, replace=False)
        qrels[str(topic)] = {f"d{d}": int(rng.integers(0, grades)) for d in judged} | {"d99": 1}
        length = int(rng.integers(1, 50))
        rankings[str(topic)] = [f"d{d}" for d in rng.permutation(60)[:length]]
    return qrels, rankings


def run_of(rankings: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {
        topic: {document: 1000.0 - k for k, document in enumerate(ranking)}
        for topic, ranking in rankings.items()
    }


@pytest.mark.parametrize("grades", [2, 4])
def test_trec_eval(grades: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, rankings = random_topics(np.random.default_rng(7), grades)
    measures = {"map", "map_cut.10", "ndcg", "ndcg_cut.10", "P.5"}
    found = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run_of(rankings))
    for topic, ranking in rankings.items():
        ranked = [qrels[topic].get(document) for document in ranking]
        pool = list(qrels[topic].values())
        relevant = sum(grade > 0 for grade in pool)
        theirs = found[topic]
        assert utility("AP", ranked, relevant) == pytest.approx(theirs["map"])
        assert utility("AP", ranked, pool) == pytest.approx(theirs["map"])
        assert utility("AP", ranked, pool, cutoff=10) == pytest.approx(theirs["map_cut_10"])
        for gain in ("linear", lambda grade: grade):
            for cutoff, name in ((None, "ndcg"), (10, "ndcg_cut_10")):
                ours = utility("DCG", ranked, pool, gain=gain, cutoff=cutoff, normalised=True)
                assert ours == pytest.approx(theirs[name])
        everyone_at_5 = np.zeros(5)
        everyone_at_5[4] = 1
        padded = np.array([*ranked, *[0] * 5], dtype=float)[:5]
        five = StoppingLaw.of(everyone_at_5)
        assert utility((five, "M4"), padded) == pytest.approx(theirs["P_5"])


def test_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels, rankings = random_topics(np.random.default_rng(9), 4)
    by_grade = {"theta": "exponential", "highest": 4, "cutoff": 20}
    wanted = {
        ir_measures.RBP(rel=1, p=0.7): ("RBP", {"theta": 1 - 0.7}),
        ir_measures.ERR @ 20: ("ERR", by_grade),
        ir_measures.AP: ("AP", {}),
        ir_measures.nDCG(dcg="exp-log2") @ 20: (
            "DCG",
            {"gain": "exponential", "highest": 4, "cutoff": 20, "normalised": True},
        ),
    }
    # Its providers are programs that may be missing.
    providers = [one for one in ir_measures.DefaultPipeline.providers if one.is_available()]
    wanted = {
        measure: ours
        for measure, ours in wanted.items()
        if any(provider.supports(measure) for provider in providers)
    }
    results = ir_measures.iter_calc(list(wanted), qrels, run_of(rankings))
    count = 0
    for result in results:
        name, parameters = wanted[result.measure]
        ranked = [qrels[result.query_id].get(document) for document in rankings[result.query_id]]
        pool = list(qrels[result.query_id].values())
        relevant = pool if name == "DCG" else sum(grade > 0 for grade in pool)
        ours = utility(name, ranked, relevant, **parameters)
        # gdeval, which computes ERR and this DCG, prints five digits.
        rounded = 6e-6 if name in ("ERR", "DCG") else 1e-12
        assert ours == pytest.approx(result.value, abs=rounded)
        count += 1
    assert count == 40 * len(wanted)


@slow
def test_average_precision_of_cwl_eval_is_over_what_was_retrieved() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    cwl = ir_measures.providers.registry["cwl_eval"]
    if not cwl.is_available():
        pytest.skip("no cwl_eval")
    qrels, rankings = random_topics(np.random.default_rng(13), 2)
    differ = 0
    for result in cwl.iter_calc([ir_measures.AP], qrels, run_of(rankings)):
        grades = qrels[result.query_id]
        ranked = [grades.get(document, 0) for document in rankings[result.query_id]]
        if any(ranked):
            assert result.value == pytest.approx(utility("AP", ranked, sum(ranked)))
            differ += result.value > utility("AP", ranked, sum(grades.values())) + 1e-9
    assert differ > 20


def enumerated(
    cell: tuple[str, str],
    ranking: list[float],
    pool: int | list[int],
    grades: list[int],
    **how: object,
) -> tuple[float, float]:
    """Return the lowest and the highest score over all judgements, one by one."""
    unjudged = [k for k, grade in enumerate(ranking) if math.isnan(grade)]
    scores = []
    for way in product(grades, repeat=len(unjudged)):
        judged = list(ranking)
        for k, grade in zip(unjudged, way, strict=True):
            judged[k] = grade
        num = pool + sum(way) if isinstance(pool, int) else [*pool, *way]
        scores.append(utility(cell, judged, num, **how))  # type: ignore[arg-type]
    return min(scores), max(scores)


@pytest.mark.parametrize("cell", spread(5, CELLS))
@pytest.mark.parametrize("normalised", [False, True])
def test_bounds_over_all_binary_judgements(cell: tuple[str, str], normalised: bool) -> None:
    rng = np.random.default_rng(11)
    for trial in range(25):
        ranking = rng.choice([0.0, 1.0, np.nan], size=8, p=[0.3, 0.2, 0.5]).tolist()
        R = int(np.nansum(ranking)) + int(rng.integers(0, 3))
        how = {"cutoff": [None, 3, 6][trial % 3], "normalised": normalised, "theta": 0.3}
        bounds = utility_bounds(cell, ranking, R, **how)  # type: ignore[arg-type]
        assert bounds == pytest.approx(enumerated(cell, ranking, R, [0, 1], **how), abs=1e-12)


@pytest.mark.parametrize("cell", spread(5, CELLS))
@pytest.mark.parametrize("normalised", [False, True])
def test_bounds_over_all_graded_judgements(cell: tuple[str, str], normalised: bool) -> None:
    rng = np.random.default_rng(13)
    cases = []
    for trial in range(6):
        ranking = rng.choice([0.0, 1.0, 2.0, np.nan], size=6).tolist()
        pool = [int(grade) for grade in ranking if not math.isnan(grade)] + [0, 1, 2]
        how = {"cutoff": [None, 4][trial % 2], "normalised": normalised, "gain": "linear"}
        cases.append((ranking, pool, how))
    for ranking, pool, how in cases:
        truth = enumerated(cell, ranking, pool, [0, 1, 2], **how)
        assert utility_bounds(cell, ranking, pool, **how) == pytest.approx(truth, abs=1e-12)  # type: ignore[arg-type]


@pytest.mark.parametrize("cell", CELLS)
def test_no_ranking_beats_the_best_one_but_for_one_cell(cell: tuple[str, str]) -> None:
    """By ERR and M2, who is satisfied misses what comes after: the best document may come later."""
    how: dict[str, Any] = {"gain": "linear", "highest": 2, "normalised": True}
    if cell[0] == "ERR":
        how["theta"] = "exponential"
    grades = (2, 2, 1, 1, 0)
    best = max(utility(cell, ranking, grades, **how) for ranking in set(permutations(grades)))
    is_odd = cell == ("ERR", "M2")
    assert best > 1.05 if is_odd else best == pytest.approx(1)


def test_bounds_where_what_is_worth_less_satisfies_more() -> None:
    ranking, theta = [math.nan, 1.0, math.nan], {0: 0.0, 1: 0.6, 2: 0.2}
    how: dict[str, Any] = {"gain": "linear", "theta": theta}
    truth = enumerated(("ERR", "M3"), ranking, [1, 2], [0, 1, 2], **how)
    assert utility_bounds(("ERR", "M3"), ranking, [1, 2], **how) == pytest.approx(truth)


def test_too_many_ways_of_judging_are_refused() -> None:
    ranking = [None] * 8
    assert utility_bounds("EPR", ranking, 0)[0] == 0
    with pytest.raises(InputError, match="ways of judging what is unjudged is 6561, must be"):
        utility_bounds("EPR", ranking, [2], gain="linear")
