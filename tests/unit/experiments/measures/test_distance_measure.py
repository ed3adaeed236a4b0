"""ADM as `prum evaluate` computes it: scores of run files beside relevance."""

import pytest

from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.judged import Collection, Judged, taken
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import InputError

TOPIC = Judged(
    "q", ("d1", "d2"), {"d1": 2, "d2": 1, "d3": 0}, None, Collection(size=10, highest_grade=2)
)


def score(name: str, scores: object) -> float:
    result = score_runs([("run", {"q": scores})], [TOPIC], [measure_of(name)])  # type: ignore[dict-item]
    return float(result.values[0, 0, 0])


def test_distances_over_the_whole_collection() -> None:
    estimates = {"d1": 0.75, "d3": 0.5, "x": 0.25}
    distances = 0.25 + 0.5 + 0.5 + 0.25  # d2 has estimate 0 and relevance 1/2
    assert score("ADM", estimates) == pytest.approx(1 - distances / 10)
    squares = 0.25**2 + 0.5**2 + 0.5**2 + 0.25**2
    assert score("ADM(deviation=true)", estimates) == pytest.approx(1 - (squares / 10) ** 0.5)
    assert score("ADM(quantisation=strict)", estimates) == pytest.approx(
        1 - (0.25 + 0 + 0.5 + 0.25) / 10
    )


def test_an_empty_list_estimates_nothing() -> None:
    assert score("ADM", {}) == score("ADM", ()) == pytest.approx(1 - 1.5 / 10)


def test_scores_outside_are_refused_or_calibrated() -> None:
    scores = {"d1": 12.0, "d2": 7.0, "x": 2.0}
    with pytest.raises(InputError, match=r"score of 'd1' is 12\.0, must lie in \[0, 1\]"):
        score("ADM", scores)
    assert score("ADM(calibration=min-max)", scores) == pytest.approx(1)
    ranked = 1 - (0 + abs(2 / 3 - 0.5) + 1 / 3) / 10
    assert score("ADM(calibration=rank)", scores) == pytest.approx(ranked)
    assert score("ADM(calibration=rank)", {"d1": 5.0}) == pytest.approx(1 - 0.5 / 10)


def test_other_measures_of_the_same_run_take_its_order() -> None:
    names = ["ADM", "AP", "RP(tied=true)@r=1"]
    tied = {"x": 0.5, "d1": 0.5, "d2": 0.25}
    result = score_runs([("run", {"q": tied})], [TOPIC], [measure_of(name) for name in names])
    assert result.values[0, 0, 1] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert result.values[0, 0, 2] == pytest.approx(1 / 1.5)


def test_a_list_without_scores_is_refused() -> None:
    with pytest.raises(InputError, match="must have a score for each element"):
        score("ADM", ["d1", "x"])
    assert taken(["a", "b"], "ranking") == ("a", "b")
