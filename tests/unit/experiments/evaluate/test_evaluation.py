"""Scores of lists by hand, means over topics, and comparisons against other software."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.judged import Collection, Judged, RankingLike
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import Assessment, Elements, InputError


def judged(
    grades: Mapping[str, int], *, topic: str = "q", size: int | None = 20, highest: int = 1
) -> Judged:
    ideals = tuple(sorted(x for x, grade in grades.items() if grade > 0))
    return Judged(topic, ideals, grades, None, Collection(size=size, highest_grade=highest))


def score(measure: str, ranking: RankingLike, topic: Judged) -> float:
    result = score_runs([("s", {topic.topic: ranking})], [topic], [measure_of(measure)])
    return float(result.values[0, 0, 0])


TOPIC = judged({"a": 1, "b": 1, "c": 1, "x": 0, "y": -1})
LIST = ["a", "x", "b", "z"]

BY_HAND = {
    # Ideals at ranks 1 and 3, the third is not retrieved.
    "AP": (1 + 2 / 3) / 3,
    "AP@0.0": 1,
    "AP@0.5": 2 / 3,
    "AP@1.0": 0,
    "AP@r=1": 1,
    "AP@r=2": 2 / 3,
    "AP@r=3": 0,
    "P@1": 1,
    "P@2": 1 / 2,
    "P@3": 2 / 3,
    "P@10": 2 / 10,
    "nDCG": (1 + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2),
    "nDCG@1": 1,
    "nDCG@2": 1 / (1 + 1 / math.log2(3)),
    # 16 elements are left, one of them ideal: 15 / 2 others before it on average.
    "RP@r=3": 3 / (4 + 1 + 15 / 2),
    "RP": (1 + 2 / 3 + 3 / (4 + 1 + 15 / 2)) / 3,
    "xCG": 2,
    "xCG@1": 1,
    "xCG@2": 1,
    "nxCG@3": 2 / 3,
    "nxCG@50": 2 / 3,
    "nxCG": (1 + 1 / 2 + 2 / 3 + 2 / 3) / 4,
    # Nobody browses: ideals are seen where they stand.
    "GR@1": 1 / 3,
    "GR@50": 2 / 3,
    "PRUM": (1 + 2 / 3 + 3 / (4 + 1 + 15 / 2)) / 3,
    "ExactPRUM@r=2": 2 / 3,
    "GradedPRUM@r=2": 2 / 3,
    "EPRUM@r=2": 2 / 3,
}


@pytest.mark.parametrize("measure", BY_HAND)
def test_values_by_hand(measure: str) -> None:
    assert score(measure, LIST, TOPIC) == pytest.approx(BY_HAND[measure])


def test_gains_are_grades() -> None:
    graded = judged({"a": 2, "b": 1, "c": 3, "x": 0, "y": -2}, highest=3)
    best = 3 + 2 / math.log2(3) + 1 / 2
    assert score("nDCG", ["b", "y", "c"], graded) == pytest.approx((1 + 3 / 2) / best)
    assert score("nDCG@2", ["c", "a"], graded) == pytest.approx(1)
    assert score("xCG", ["b", "y", "c"], graded) == pytest.approx(1 / 3 + 1)
    highest = Judged("q", ("c",), graded.grades, None, graded.collection)
    assert score("xCG(quantisation=strict)", ["b", "a", "c"], highest) == 1
    # Whom any grade of three satisfies alike: at r = 1 a first element of grade 1 serves a third.
    assert score("PRUM@r=1", ["b"], graded) == 1
    assert score("GradedPRUM@r=1", ["b"], graded) < 1


def test_a_missing_topic_is_an_empty_list() -> None:
    other = judged({"a": 1}, topic="other")
    names = ("AP", "P@3", "nDCG", "xCG", "nxCG", "GR", "RP", "PRUM")
    measures = [measure_of(name) for name in names]
    runs = [("s", {"q": ["a", "b", "c"], "unjudged": ["a"]}), ("empty", {"q": []})]
    result = score_runs(runs, [TOPIC, other], measures)
    assert result.systems == ("s", "empty")
    assert result.topics == ("q", "other")
    # One of 20 is ideal: 19 / 2 others come before it.
    wanted = [0, 0, 0, 0, 0, 0, 1 / (1 + 19 / 2), 1 / (1 + 19 / 2)]
    assert result.values[0, 1].tolist() == pytest.approx(wanted)
    assert result.values[1, 1].tolist() == pytest.approx(wanted)
    assert result.values[0, 0].tolist() == pytest.approx([1, 1, 1, 3, 1, 1, 1, 1])


def test_recall_values_beyond_the_ideals_are_left_out() -> None:
    few = judged({"a": 1}, topic="few")
    names = ("AP@r=2", "RP@r=2", "PRUM@r=2", "PRUM@r=1", "PRUM@0.5", "EPRUM@r=2", "AP@r=4")
    result = score_runs(
        [("s", {"q": LIST, "few": ["a"]}), ("t", {})],
        [TOPIC, few],
        [measure_of(name) for name in names],
    )
    assert np.isnan(result.values[:, 1, [0, 1, 2, 5, 6]]).all()
    assert not np.isnan(result.values[:, 1, [3, 4]]).any()
    assert result.of(0).shape == (2, 1)
    assert result.mean(0, 0)[0] == pytest.approx(2 / 3)
    assert result.mean(0, 0)[3] == 1
    assert result.of(6).shape == (2, 0)
    assert result.mean(0, 6)[3] == 0
    assert np.isnan(result.means()[:, 6]).all()
    frame = result.frame()
    assert len(frame) == 2 * 2 * 7
    assert frame.columns.tolist() == ["system", "topic", "measure", "score"]
    row = frame[(frame.system == "s") & (frame.topic == "q") & (frame.measure == "AP@r=2")]
    assert row["score"].tolist() == [pytest.approx(2 / 3)]


def test_mistakes_name_measure_run_and_topic() -> None:
    unknown = judged({"a": 1}, size=None)
    assert score("AP", ["a"], unknown) == 1
    with pytest.raises(InputError, match="EPRUM, run s, topic q: collection size must be"):
        score("EPRUM", ["a"], unknown)
    with pytest.raises(InputError, match="collection_size is 3, must be at least 4"):
        score("RP", ["x", "y"], judged({"a": 1, "b": 1}, size=3))
    with pytest.raises(InputError, match="elements must be"):
        score("T2I(words=3)", ["a"], TOPIC)
    with pytest.raises(InputError, match="be assessments"):
        score("GRPng", ["a"], TOPIC)
    with pytest.raises(InputError, match="measures"):
        score_runs([("s", {})], [TOPIC], [])
    with pytest.raises(InputError, match="runs"):
        score_runs([], [TOPIC], [measure_of("AP")])
    navigated = measure_of("ExactPRUM(navigation=swim)")
    with pytest.raises(InputError, match="'swim'"):
        score_runs([("s", {})], [TOPIC], [navigated])


def test_nested_elements_by_hand() -> None:
    """A page (100 long) holds s (40), which holds p (20); s and p are wanted."""
    tree = Elements({"page": (None, 100), "s": ("page", 40), "p": ("s", 20), "t": ("page", 60)})
    found = {"page": Assessment(3, 1), "s": Assessment(3, 3), "p": Assessment(2, 3)}
    topic = Judged("q", ("s",), None, found, Collection(size=4, elements=tree))
    assert score("xCG@1", ["s", "p"], topic) == 1
    assert score("xCG@2", ["s", "p"], topic) == 1
    # What is assessed E2S3 or E3S1 is worth .75, but s leaves no more than 1 below it.
    assert score("xCG(alpha=0)@2", ["p", "t"], topic) == 0.75
    assert score("nDCG", ["s", "page", "p"], topic) == pytest.approx(1)
    assert score("nDCG@1", ["page"], topic) == 0.75
    assert score("GRPng", ["s"], topic) > score("GRPng", ["page"], topic)
    assert score("T2I(words=25)@r=1", ["s"], topic) == 1


def evaluation(scores: Sequence[Sequence[Sequence[float]]], *names: str) -> Scores:
    values = np.array(scores, dtype=float)
    return Scores(
        names,
        tuple(f"s{number}" for number in range(values.shape[0])),
        tuple(f"q{number}" for number in range(values.shape[1])),
        values,
    )


# --- what is printed --------------------------------------------------------------------------


def test_a_topic_without_the_highest_grade_has_no_strict_value() -> None:
    collection = Collection(size=9, highest_grade=2)
    topics = [
        Judged("low", ("a",), {"a": 1}, None, collection),
        Judged("high", ("a",), {"a": 2}, None, collection),
    ]
    measures = [measure_of(f"{name}(quantisation=strict)") for name in ("GRP", "xCG", "GR")]
    run = ("run", {"low": ["a"], "high": ["a"]})
    scores = score_runs([run], topics, measures).values[0]
    assert np.isnan(scores[0]).all()
    assert (scores[1] == 1).all()


def test_lines_like_trec_evals() -> None:
    result = evaluation([[[0.5, np.nan], [0.25, 1]]], "AP", "PRUM@r=2")
    lines = list(result.trec_lines())
    assert lines == [
        "runid                 \tall\ts0",
        "AP                    \tq0\t0.5000",
        "AP                    \tq1\t0.2500",
        "PRUM@r=2              \tq1\t1.0000",
        "AP                    \tall\t0.3750",
        "PRUM@r=2              \tall\t1.0000",
    ]
