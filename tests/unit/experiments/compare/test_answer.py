"""The answer in a sentence: which system is best, tied with which, or that it is undecided."""

import re

import numpy as np
import pytest

from prum.experiments.compare import ComparisonResult, Question, Scores
from prum.experiments.compare.answer import answer, verdicts
from tests.unit.experiments.compare.made_scores import made_result


def result_of(values: list[list[float]], **question: object) -> ComparisonResult:
    scores = np.array(values, dtype=float)[:, :, None]
    names = tuple("abcdefghijklmnopqrstuvwxyz"[: len(values)])
    topics = tuple(f"q{number}" for number in range(scores.shape[1]))
    return ComparisonResult(
        scores=Scores(("AP",), names, topics, scores),
        question=Question(**question),  # type: ignore[arg-type]
    )


def test_one_best() -> None:
    decision = made_result(4, gap=0.5).decision
    wanted = "By AP, system0 is the best of 4 systems: better than each of the others"
    assert answer(decision) == wanted
    assert list(verdicts(decision)) == [pair.sentence for pair in decision.pairs]


def test_a_mean_of_equal_scores_has_no_interval() -> None:
    assert answer(result_of([[0.1, 0.1, 0.1]]).decision) == (
        "a has a mean AP of 0.1000, the same on each of 3 topics"
    )
    few, scaled = ([[1.0, 1.0, 0.0]], [[2.0, 2.0, 0.0]])
    # No interval is wider than the scale.
    assert answer(result_of(few).decision) == "a has a mean AP of 0.6667"
    assert answer(result_of(scaled).decision) == "a has a mean AP of 1.3333"
    assert answer(result_of([[0.5]]).decision) == "a has a mean AP of 0.5000"


def test_those_that_are_alike_are_not_undecided() -> None:
    same = [0.3, 0.2, 0.4]
    for margin in (None, 0.1):
        assert answer(result_of([same] * 3, margin=margin).decision) == (
            "By AP, all 3 systems score the same on every topic, 0.3000 on average"
        )
    near = made_result(4, gap=0, margin=5.0).decision
    assert re.fullmatch(
        r"By AP, no system differs by more than the margin of 5 from system\d, "
        r"which has the highest mean \(0\.\d{4}\)",
        answer(near),
    )
    both = answer(result_of([same, same, [0.1, 0.2, 0]], baseline="c").decision)
    assert both.endswith("a and b have the highest mean (0.3000)")
    assert answer(result_of([[0.5], [0.5]]).decision) == (
        "By AP, a and b have the highest value (0.5000), but one topic decides nothing"
    )


def test_beside_a_baseline() -> None:
    result = made_result(12, gap=0.2, baseline="system3")
    said = answer(result.decision)
    assert said.startswith("By AP, 3 of 11 systems are better than system3, 8 worse; system0 has ")
    groups = list(verdicts(result.decision))
    assert groups == [
        "system0, system1 and system2 are better than system3",
        "8 systems (system11, system10, system9, system8 and 4 more) are worse than system3",
    ]


@pytest.mark.parametrize(("num", "verb"), [(1, "is"), (2, "are")])
def test_those_behind_another_are_counted_apart(num: int, verb: str) -> None:
    """The best by its mean is uncertain; all but so many cannot be told from the steady second."""
    rng = np.random.default_rng(1)
    values = rng.normal(0, 0.001, (9, 20)) + 0.5
    values[0] += 0.1 + rng.normal(0, 0.5, 20)
    values[9 - num :] -= 0.1
    decision = result_of(values.tolist()).decision
    assert decision.best == "a"
    (told, closest) = verdicts(decision)
    assert told.startswith("It is undecided whether a is better than 8 others (")
    assert told.endswith(f"; {num} of them {verb} worse than another system")
    assert closest.startswith("The closest: a against ")


def test_one_system_one_topic_and_none() -> None:
    assert answer(result_of([[0.6, 0.61]]).decision).startswith("a has a mean AP of 0.6050 ± ")
    assert answer(result_of([[0.5]]).decision) == "a has a mean AP of 0.5000"
    assert answer(result_of([[0.5], [0.4], [0.3]]).decision) == (
        "By AP, a has the highest value (0.5000), but one topic decides nothing"
    )
    assert answer(result_of([[0.5], [0.4], [0.5]]).decision) == (
        "By AP, a and c have the highest value (0.5000), but one topic decides nothing"
    )
    none = result_of([[np.nan], [0.5], [0.4]])
    assert "nothing can be decided" in answer(none.decision)
    none.view()
