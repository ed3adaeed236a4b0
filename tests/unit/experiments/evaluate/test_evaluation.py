"""Scores of lists by hand, means over topics, and comparisons against other software."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, ttest_rel

from prum.experiments.commands.terminal_view import print_view
from prum.experiments.compare.comparisons import compare_systems
from prum.experiments.compare.scores import Scores
from prum.experiments.evaluate.scoring import score_runs
from prum.experiments.evaluate.view import evaluation_view
from prum.experiments.measures.judged import Collection, Judged, TiedRanking
from prum.experiments.measures.measure import measure_of
from prum.experiments.statistics.multiplicity import LEVEL, simultaneous
from prum.simulator.model import Assessment, Elements, InputError
from tests.tiers import slow


def judged(
    grades: Mapping[str, int], *, topic: str = "q", size: int | None = 20, highest: int = 1
) -> Judged:
    ideals = tuple(sorted(x for x, grade in grades.items() if grade > 0))
    return Judged(topic, ideals, grades, None, Collection(size=size, highest_grade=highest))


def score(measure: str, ranking: TiedRanking, topic: Judged) -> float:
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


def test_an_element_that_comes_again_is_found_once() -> None:
    again = ["a", "a", "b"]
    assert score("AP", again, TOPIC) == pytest.approx((1 + 2 / 3) / 3)
    assert score("P@2", again, TOPIC) == 1 / 2
    assert score("nDCG@2", again, TOPIC) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert score("PRUM@r=2", again, TOPIC) == pytest.approx(2 / 3)
    assert score("RP@r=2", again, TOPIC) == pytest.approx(2 / 3)


def test_tied_elements_stand_in_random_order() -> None:
    """An ideal and one other on one rank: half of the users consult the other before."""
    tied: TiedRanking = [("x", "a"), "b", "c"]
    assert score("RP(tied=true)@r=1", tied, TOPIC) == pytest.approx(1 / 1.5)
    assert score("RP(tied=true)@r=2", tied, TOPIC) == pytest.approx(2 / 3)
    # The order that a run gives ties counts for all others.
    assert score("RP(tied=false)@r=1", ["x", "a", "b", "c"], TOPIC) == 1 / 2
    result = score_runs(
        [("s", {"q": tied})], [TOPIC], [measure_of("RP(tied=true)@r=1"), measure_of("RP@r=1")]
    )
    assert result.values[0, 0].tolist() == pytest.approx([2 / 3, 1 / 2])


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


def test_curves_are_shared_and_equal_alone() -> None:
    names = ("PRUM", "PRUM@0.5", "PRUM@r=1", "PRUM(counts=normal)", "AP", "AP@0.5", "AP")
    together = score_runs([("s", {"q": LIST})], [TOPIC], [measure_of(name) for name in names])
    for number, name in enumerate(names):
        assert together.values[0, 0, number] == score(name, LIST, TOPIC)


def test_mistakes_name_measure_run_and_topic() -> None:
    unknown = judged({"a": 1}, size=None)
    assert score("AP", ["a"], unknown) == 1
    with pytest.raises(InputError, match="EPRUM, run s, topic q: collection size is None"):
        score("EPRUM", ["a"], unknown)
    with pytest.raises(InputError, match="collection_size is 3, must be at least 4"):
        score("RP", ["x", "y"], judged({"a": 1, "b": 1}, size=3))
    with pytest.raises(InputError, match="elements is None"):
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


# --- comparisons ------------------------------------------------------------------------------


def evaluation(scores: Sequence[Sequence[Sequence[float]]], *names: str) -> Scores:
    values = np.array(scores, dtype=float)
    return Scores(
        names,
        tuple(f"s{number}" for number in range(values.shape[0])),
        tuple(f"q{number}" for number in range(values.shape[1])),
        values,
    )


def test_p_values_are_those_of_scipy() -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((4, 30, 2)) + np.array([0, 0.05, 0.2, 0.4])[:, None, None]
    result = evaluation(scores.tolist(), "AP", "P@5")
    table = compare_systems(result)
    assert len(table) == 2 * 6
    for row in table.to_dict(orient="records"):
        number = ["AP", "P@5"].index(row["measure"])
        one, other = (scores[int(row[key][1:]), :, number] for key in ("system", "other"))
        wanted = ttest_rel(one, other)
        assert row["p"] == pytest.approx(wanted.pvalue, rel=1e-9)
        interval = wanted.confidence_interval(1 - 0.05 / 12)
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
        assert row["difference"] == pytest.approx((one - other).mean())
        assert row["topics"] == 30
    assert table["adjusted"].tolist() == pytest.approx([min(12 * p, 1) for p in table["p"]])


def test_a_baseline_is_compared_with_all_others() -> None:
    scores = np.random.default_rng(2).random((3, 8, 1))
    result = evaluation(scores.tolist(), "AP")
    table = compare_systems(result, baseline="s1")
    assert list(zip(table["system"], table["other"], strict=True)) == [("s0", "s1"), ("s2", "s1")]
    for place, system in enumerate((0, 2)):
        wanted = ttest_rel(scores[system, :, 0], scores[1, :, 0]).pvalue
        assert table["p"][place] == pytest.approx(wanted)
    assert table["adjusted"].tolist() == pytest.approx([min(2 * p, 1) for p in table["p"]])
    with pytest.raises(InputError, match="baseline is 'none', must be one of the runs"):
        compare_systems(result, baseline="none")


def test_values_that_topics_lack_are_left_out_of_pairs() -> None:
    nan = np.nan
    scores = np.array([[1.0, nan, 0.5, 0.25], [0.5, nan, 0.25, 0.5]])[:, :, None]
    table = compare_systems(evaluation(scores.tolist(), "AP@r=2"))
    kept = scores[:, [0, 2, 3], 0]
    assert table["topics"].tolist() == [3]
    assert table["p"][0] == pytest.approx(ttest_rel(*kept).pvalue)


def test_degenerate_comparisons() -> None:
    same = [[0.3], [0.2], [0.4]]
    always = [[0.1 + row[0]] for row in same]
    table = compare_systems(evaluation([same, same, always], "AP"))
    assert table["p"].tolist() == [1, 0, 0]
    assert table["adjusted"].tolist() == [1, 0, 0]
    assert table["difference"].tolist() == pytest.approx([0, -0.1, -0.1])
    one = compare_systems(evaluation([[[0.3]], [[0.2]]], "AP"))
    assert np.isnan(one[["low", "high", "p", "adjusted"]].to_numpy()).all()
    assert one["difference"].tolist() == pytest.approx([0.1])
    none = compare_systems(evaluation([[[np.nan]], [[np.nan]]], "AP@r=2"))
    assert none["topics"].tolist() == [0]
    assert np.isnan(none["difference"][0])
    alone = compare_systems(evaluation([same], "AP"))
    assert len(alone) == 0
    assert len(compare_systems(evaluation([same], "AP"), baseline="s0")) == 0


DIFFERENCES = st.one_of(st.floats(-1, 1), st.sampled_from([0.0, 0.1, 0.1 + 1e-9]))


@slow
@given(
    st.integers(1, 8).flatmap(
        lambda n: st.lists(st.lists(DIFFERENCES, min_size=n, max_size=n), min_size=2, max_size=5)
    ),
    st.sampled_from([None, "s0"]),
)
def test_an_interval_leaves_out_nothing_if_and_only_if_p_is_small(
    scores: list[list[float]], baseline: str | None
) -> None:
    rows = [[[score] for score in of_system] for of_system in scores]
    table = compare_systems(evaluation(rows, "AP"), baseline=baseline)
    tested = table.dropna(subset=["p"])
    assert len(tested) == (0 if len(scores[0]) == 1 else len(table))
    leaves_out = (tested["low"] > 0) | (tested["high"] < 0)
    assert (leaves_out == (tested["adjusted"] < LEVEL)).all()
    assert (tested["low"] <= tested["difference"]).all()
    assert (tested["difference"] <= tested["high"]).all()


def test_comparisons_without_a_test_are_not_counted() -> None:
    nan = np.nan
    given = np.array([0.1, 0.2, nan]), np.array([0.05, nan, nan]), np.array([9.0, 1, 0])
    alone = simultaneous(*(values[:1] for values in given))
    for values, one in zip(simultaneous(*given), alone, strict=True):
        assert values[0] == one[0]
        assert np.isnan(values[1:]).all()


def test_false_alarms_and_misses_of_all_comparisons_together() -> None:
    """Four systems, two measures, twelve comparisons: in every other campaign systems are alike.

    An alarm where nothing differs, or an interval that misses its difference, comes in at most 5 %
    of the campaigns; without adjustment both come more often.
    """
    rng, n = np.random.default_rng(4), 20
    one, other = np.array(list(combinations(range(4), 2))).T
    counts = dict.fromkeys(("alarms", "misses", "unadjusted alarms", "unadjusted misses"), 0)
    num_campaigns = 800
    for campaign in range(num_campaigns):
        truth = np.array([0, 0.1, 0.2, 0.2]) * (campaign % 2)
        scores = rng.standard_normal((2, 4, n)) + rng.standard_normal((2, 1, n)) + truth[:, None]
        differences = (scores[:, one] - scores[:, other]).reshape(12, n)
        wanted = np.tile(truth[one] - truth[other], 2)
        mean, error = differences.mean(axis=1), differences.std(axis=1, ddof=1) / n**0.5
        low, high, p, adjusted = simultaneous(mean, error, np.full(12, float(n)))
        alone = [simultaneous(*(v[[k]] for v in (mean, error, np.full(12, float(n)))))
                 for k in range(12)]  # fmt: skip
        counts["misses"] += bool(((wanted < low) | (wanted > high)).any())
        counts["unadjusted misses"] += any(
            not ends[0][0] <= right <= ends[1][0] for ends, right in zip(alone, wanted, strict=True)
        )
        if not truth.any():
            counts["alarms"] += bool((adjusted < LEVEL).any())
            counts["unadjusted alarms"] += bool((p < LEVEL).any())
    # Two counts, each beyond its threshold by chance once in two thousand times.
    for name, num in (("alarms", num_campaigns // 2), ("misses", num_campaigns)):
        threshold = binom.ppf(1 - 0.001 / 2, num, LEVEL)
        assert 0 < counts[name] <= threshold
        assert counts[f"unadjusted {name}"] > threshold


# --- what is printed --------------------------------------------------------------------------


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


def test_tables_say_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    result = evaluation(
        [[[0.5, np.nan], [0.25, np.nan]], [[0.5, np.nan], [0.5, np.nan]]], "AP", "AP@r=9"
    )
    print_view(evaluation_view(result, compare_systems(result), (), ""))
    told = capsys.readouterr().out
    assert "0.3750 ±" in told
    assert "An interval leaves out 0 if and only if its adjusted p is below 0.05." in told
    assert "together" not in told
    assert "AP@r=9: 2 of 2 topics have no such value" in told
    assert "nan" not in told.lower()
    print_view(evaluation_view(result, None, (), ""))
    assert "paired" not in capsys.readouterr().out


def test_one_topic_has_no_interval(capsys: pytest.CaptureFixture[str]) -> None:
    result = evaluation([[[0.5]], [[0.25]]], "AP")
    print_view(evaluation_view(result, compare_systems(result), (), ""))
    told = capsys.readouterr().out
    assert "topic q0" in told
    assert "±" not in told
    assert "paired" not in told
    assert isinstance(result.frame(), pd.DataFrame)


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
