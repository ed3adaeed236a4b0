"""Topics without ideals, by the lowest grade of one, stay in measures that need none."""

import math
from collections.abc import Mapping
from pathlib import Path

import pytest
import pytrec_eval

import prum

QRELS = {
    "some": {"a": 2, "b": 1, "c": 0, "d": 3},
    "low": {"a": 1, "b": 1, "c": 0},
    "none": {"a": 0, "b": 0},
}
RUN = {topic: {"x": 4.0, "b": 3.0, "c": 2.5, "a": 2.0} for topic in QRELS}


def scores(measures: str, **options: object) -> Mapping[tuple[str, str], float]:
    frame = prum.evaluate(RUN, QRELS, measures=measures, ideal_grade=2, **options).to_frame()  # type: ignore[arg-type]
    return dict(
        zip(zip(frame["measure"], frame["topic"], strict=True), frame["score"], strict=True)
    )


def test_graded_measures_are_those_of_trec_eval() -> None:
    measures = {"ndcg", "ndcg_cut_2", "map"}
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, measures, relevance_level=2)
    theirs = evaluator.evaluate(RUN)
    ours = scores("AP,nDCG,nDCG@2")
    for name, other in {"nDCG": "ndcg", "nDCG@2": "ndcg_cut_2"}.items():
        for topic in ("some", "low"):
            assert ours[name, topic] == pytest.approx(theirs[topic][other], abs=1e-12)
    assert ours["nDCG", "low"] > 0.5
    assert ours["AP", "some"] == pytest.approx(theirs["some"]["map"])
    # Where nothing is ideal AP is of nobody; where nothing has a grade nDCG is, too.
    assert math.isnan(ours["AP", "low"])
    assert not [topic for _, topic in ours if topic == "none"]


@pytest.mark.parametrize(
    ("measure", "is_kept"),
    [
        ("DCG(gain=grade)@3", True),
        ("ERR@3", True),
        ("AP(gain=linear)", True),
        ("DCG@3", False),
        ("ERR(theta=0.5)", False),
        ("RBP", False),
        ("PRUM", False),
        ("Rprec", False),
    ],
)
def test_what_needs_ideals(measure: str, is_kept: bool) -> None:
    """Beside nDCG, which keeps the topic; alone, only what needs none does."""
    beside = scores(f"{measure},nDCG", links={("x", "d"): 0.5})
    name = next(key[0] for key in beside if key[0] != "nDCG")
    assert math.isnan(beside[name, "low"]) != is_kept
    assert ((name, "low") in scores(measure, links={("x", "d"): 0.5})) == is_kept


def test_it_is_told_and_counted_by_measure() -> None:
    result = prum.evaluate({"r": RUN}, QRELS, measures="AP,nDCG", ideal_grade=2)
    assert result.remarks[:2] == (
        "left out, no ideal: none",
        "no ideal, scored by grades alone, as nDCG does: low",
    )
    assert [mean["topics"] for mean in result.values()["means"]] == [1, 2]
    alone = prum.evaluate({"r": RUN}, QRELS, measures="AP", ideal_grade=2)
    assert alone.remarks[0] == "left out, no ideal: low, none"
    assert alone.scores.topics == ("some",)


def test_lists_as_files_are_alike(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{t} 0 {x} {g}\n" for t, by in QRELS.items() for x, g in by.items()))
    run.write_text("".join(f"{t} Q0 {x} 1 {s} r\n" for t, by in RUN.items() for x, s in by.items()))
    result = prum.evaluate(run, qrels, measures="nDCG", ideal_grade=2)
    assert result.to_frame()["score"].tolist() == [
        value for (_, topic), value in scores("nDCG").items() if topic != "none"
    ]
