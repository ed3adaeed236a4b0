"""Scores of ranked lists without browsing, beside trec_eval's own and beside their definitions."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.analytic import ranked
from prum.analytic.ranked import ndcg
from prum.simulator.model import InputError

Grades = Mapping[str, int]
Score = Callable[[list[str], Grades], float]


def ideals(grades: Grades) -> list[str]:
    return [element for element, grade in grades.items() if grade > 0]


SCORES: dict[str, Score] = {
    "AP": lambda ranking, grades: ranked.average_precision(ranking, ideals(grades)),
    "P@5": lambda ranking, grades: ranked.precision_at(ranking, ideals(grades), 5),
    "R@5": lambda ranking, grades: ranked.recall_at(ranking, ideals(grades), 5),
    "Rprec": lambda ranking, grades: ranked.r_precision(ranking, ideals(grades)),
    "RR": lambda ranking, grades: ranked.reciprocal_rank(ranking, ideals(grades)),
    "nDCG": ndcg,
    "nDCG@5": lambda ranking, grades: ndcg(ranking, grades, 5),
}


def topics(seed: int, count: int = 40) -> dict[str, tuple[list[str], Grades]]:
    """Lists of 1 to 20 of 30 elements, of which some have grades."""
    draws = np.random.default_rng(seed)
    names = [f"e{number:02}" for number in range(30)]
    made: dict[str, tuple[list[str], Grades]] = {}
    for topic in range(count):
        judged = draws.choice(names, size=draws.integers(2, 25), replace=False).tolist()
        grades = {element: int(draws.integers(0, 4)) for element in judged} | {judged[0]: 1}
        ranking = draws.permutation(names)[: draws.integers(1, 21)].tolist()
        made[f"t{topic}"] = ranking, grades
    return made


def disagreements(name: str, score: Score) -> int:
    """Count the topics on which a score is not that of trec_eval."""
    ir_measures = pytest.importorskip("ir_measures")
    lists = topics(1)
    run = {t: {x: 100.0 - i for i, x in enumerate(ranking)} for t, (ranking, _) in lists.items()}
    qrels = {topic: grades for topic, (_, grades) in lists.items()}
    measure = ir_measures.parse_measure(name)
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    ours = {topic: score(ranking, grades) for topic, (ranking, grades) in lists.items()}
    assert theirs.keys() == ours.keys()
    return sum(abs(ours[topic] - theirs[topic]) > 1e-9 for topic in ours)


@pytest.mark.parametrize("name", SCORES)
def test_scores_are_those_of_trec_eval(name: str) -> None:
    assert disagreements(name, SCORES[name]) == 0


def test_another_discount_or_cutoff_is_noticed() -> None:
    def first_discount(ranking: list[str], grades: Grades) -> float:
        def gained(gains: list[int]) -> float:
            return sum(gain / max(np.log2(i), 1) for i, gain in enumerate(gains, start=1))

        best = sorted(grades.values(), reverse=True)
        return gained([grades.get(x, 0) for x in ranking]) / gained(best)

    assert disagreements("nDCG", first_discount) > 20
    assert disagreements("P@5", SCORES["R@5"]) > 20


@given(
    st.lists(st.sampled_from("abcdefgh"), max_size=12),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1),
    st.integers(1, 15),
)
def test_what_is_listed_again_is_worth_nothing(
    ranking: list[str], grades: dict[str, int], rank: int
) -> None:
    """By their definitions, with a new name for what was listed before."""
    wanted = set(ideals(grades))
    fresh = [x if x not in ranking[:i] else f"again {i}" for i, x in enumerate(ranking)]
    gains = [grades.get(x, 0) for x in fresh][:rank]
    best = sorted(grades.values(), reverse=True)[:rank]
    most = sum(gain / np.log2(i + 2) for i, gain in enumerate(best))
    dcg = sum(gain / np.log2(i + 2) for i, gain in enumerate(gains))
    assert ndcg(ranking, grades, rank) == pytest.approx(dcg / most if most else 0)
    if not wanted:
        return
    hits = [rank for rank, element in enumerate(fresh, start=1) if element in wanted]
    t = len(wanted)
    values = {
        "average_precision": sum(r / hit for r, hit in enumerate(hits, start=1)) / t,
        "r_precision": sum(hit <= t for hit in hits) / t,
        "reciprocal_rank": 1 / hits[0] if hits else 0,
    }
    for name, value in values.items():
        assert getattr(ranked, name)(ranking, wanted) == pytest.approx(value)
    count = sum(hit <= rank for hit in hits)
    assert ranked.precision_at(ranking, wanted, rank) == count / rank
    assert ranked.recall_at(ranking, wanted, rank) == count / t


def test_mistakes_are_named() -> None:
    for rank in (0, -1, 2.0, True):
        with pytest.raises(InputError, match=r"rank is .* must be a whole number of at least 1"):
            ndcg(["a"], {"a": 1}, rank)  # type: ignore[arg-type]
        with pytest.raises(InputError, match=r"rank is .* must be a whole number of at least 1"):
            ranked.precision_at(["a"], ["a"], rank)  # type: ignore[arg-type]
    for gain in (-1, np.nan, np.inf):
        with pytest.raises(InputError, match=r"gain of .b. is .* must be a finite number"):
            ndcg(["a"], {"a": 1, "b": gain})
    with pytest.raises(InputError, match=r"ideals .* must hold at least one element"):
        ranked.recall_at(["a"], [], 1)
    with pytest.raises(InputError, match=r"ranking is .* must be a sequence of ids"):
        ndcg("abc", {"a": 1})
    assert ndcg(["a"], {"a": 0, "b": 0}) == 0
