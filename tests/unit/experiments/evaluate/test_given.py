"""Runs, judgements and links from Python: every form of the same data gives the same scores."""

import pickle
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import prum
from prum.experiments.evaluate.given import given_qrels, given_runs
from prum.simulator.model import Elements, InputError, Links, Tie

RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q2": {"y": 2.0, "c": 1.0}}
QRELS = {"q1": {"a": 1, "b": 2, "x": 0}, "q2": {"c": 1}}
RUN_ROWS = [(topic, x, score) for topic, scores in RUN.items() for x, score in scores.items()]
QREL_ROWS = [(topic, x, grade) for topic, grades in QRELS.items() for x, grade in grades.items()]

ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")


class Ranx:
    """What ranx's Run and Qrels have in common."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def to_dict(self) -> Any:
        return self.rows


class Dataset:
    """What a dataset of ir_datasets has."""

    def scoreddocs_iter(self) -> Any:
        return iter([ScoredDoc(*row) for row in RUN_ROWS])

    def qrels_iter(self) -> Any:
        return iter([Qrel(*row, "0") for row in QREL_ROWS])


def frame(*names: str, rows: list[Any] = RUN_ROWS) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(names))


def scored(*rows: Any) -> pd.DataFrame:
    return frame("qid", "docno", "score", rows=list(rows))


def graded(*rows: Any) -> pd.DataFrame:
    return frame("qid", "docno", "label", rows=list(rows))


def listed(items: Any) -> dict[str, Any]:
    """Return a run whose first topic has this list."""
    return {"bm25": {"q1": items}}


NO_LIST = "run bm25: ", "type of the list of topic q1 is"
IN_LIST = "run bm25: ", "element of topic q1"
TEXT_FOR_A_SCORE = ("score of 'b' is 'x', must be a finite number",)

RUNS: dict[str, Any] = {
    "topics of scores": RUN,
    "topics of lists": {"q1": ["b", "a", "x"], "q2": ("y", "c")},
    "pyterrier": frame("qid", "docno", "score"),
    "ir_measures": frame("query_id", "doc_id", "score"),
    "ranx frame": frame("q_id", "doc_id", "score"),
    "ranks": frame(
        "qid",
        "docno",
        "rank",
        rows=[("q1", "b", 0), ("q1", "a", 1), ("q1", "x", 2), ("q2", "y", 0), ("q2", "c", 1)],
    ),
    "records": [ScoredDoc(*row) for row in RUN_ROWS],
    "iterator": iter([ScoredDoc(*row) for row in RUN_ROWS]),
    "dicts": [dict(zip(("qid", "docno", "score"), row, strict=True)) for row in RUN_ROWS],
    "ranx": Ranx(RUN),
    "ir_datasets": Dataset(),
}
JUDGED: dict[str, Any] = {
    "mapping": QRELS,
    "pyterrier": frame("qid", "docno", "label", rows=QREL_ROWS),
    "ir_measures": frame("query_id", "doc_id", "relevance", rows=QREL_ROWS),
    "records": [Qrel(*row, "0") for row in QREL_ROWS],
    "ranx": Ranx(QRELS),
    "ir_datasets": Dataset(),
}
WANTED = [1.0, 0.5]


def average_precisions(runs: Any, qrels: Any) -> list[float]:
    result = prum.evaluate(runs, qrels, measures="AP")
    scores: list[float] = result.to_frame()["score"].tolist()
    return scores


@pytest.mark.parametrize("form", RUNS)
def test_a_run_may_come_in_any_form(form: str) -> None:
    assert average_precisions(RUNS[form], QRELS) == WANTED


@pytest.mark.parametrize("form", JUDGED)
def test_judgements_may_come_in_any_form(form: str) -> None:
    assert average_precisions(RUN, JUDGED[form]) == WANTED


def test_a_frame_may_hold_several_runs() -> None:
    table = pd.concat([RUNS["pyterrier"].assign(run=name) for name in ("one", "two")])
    result = prum.evaluate(table, QRELS, measures="AP")
    assert result.scores.systems == ("one", "two")
    assert result.scores.values[:, :, 0].tolist() == [WANTED] * 2


# Mistake -> runs, judgements, and words of the message.
MISTAKES: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    name: (runs, QRELS, words)
    for name, (runs, *words) in {
        "twice": ([*RUNS["records"], RUNS["records"][0]], "'b'", "given once", "q1"),
        "no topic": (frame("words", "docno", "score"), "topic or qid", "words"),
        "score that is a text": ({"one": {"q1": {"a": 1.0, "b": "x"}}}, *TEXT_FOR_A_SCORE),
        "nothing": (None, "NoneType", "a data frame"),
        "number": ({"bm25": 3}, "run bm25", "int"),
        "set": (listed({"a"}), *NO_LIST, "'set'"),
        "fraction in a list": (listed(["a", 1.5]), *IN_LIST, "is 1.5, must be a text"),
        "twice in a list": (listed({"1": 2.0, 1: 1.0}), *IN_LIST, "is '1', must be given once"),
        "list of lists": ([["a", "b"]], "runs: record is"),
        "other topics": ({"other": ["a"]}, "the run"),
    }.items()
} | {
    f"judgements: {name}": (RUN, qrels, words)
    for name, (qrels, *words) in {
        "twice": (graded(QREL_ROWS[0], QREL_ROWS[0]), "'a'", "given once"),
        "fraction": (graded(("q1", "a", -0.5)), "-0.5", "whole number"),
        "no grade": (
            frame("qid", "docno", "x", rows=QREL_ROWS),
            "qrels: wrong column names",
            "grade",
        ),
        "number": (3, "int", "a data frame"),
        "list": ({"q1": ["a", "b"]}, "preference of topic 'q1' is 'a'", "be a pair"),
        "text": ({"q1": {"a": "x"}}, "grade of element 'a' is 'x'"),
        "text for a subtopic": ({"q1": {"a": {"1": "x"}}}, "grade of element 'a' is 'x'"),
    }.items()
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_named(case: str) -> None:
    runs, qrels, words = MISTAKES[case]
    with pytest.raises(InputError) as error:
        prum.evaluate(runs, qrels, measures="AP")
    told = str(error.value)
    assert all(word in told for word in words), told
    assert "\n" not in told
    assert "run run" not in told


def test_files_stay_files() -> None:
    assert given_runs("a") == ["a"]
    assert given_runs([Path("a"), "b"]) == [Path("a"), "b"]
    assert given_qrels(Path("q")) == Path("q")


def test_systems_are_told_from_topics() -> None:
    systems: dict[str, Any] = {"bm25": {"q1": ["b"], "q2": []}, "none": {}}
    assert given_runs(systems) == systems
    assert given_runs({"q1": [], "q2": ["b"]}) == {"run": {"q1": [], "q2": ["b"]}}
    assert given_runs({"q1": [Tie("a", "b"), "c"]}) == {"run": {"q1": (Tie("a", "b"), "c")}}
    assert Elements({"a": (None, 1.0)})  # else it would pass for no elements at all


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ([("a", 2), ("b", 1)], r"\('a', 2\), must be an element; .* {element: score} for"),
        (["c", ("a", "b")], r"\('a', 'b'\), must be an element; give prum\.Tie\("),
    ],
)
def test_other_pairs_are_refused_at_every_door(items: list[Any], told: str) -> None:
    runs, qrels = {"q": items}, {"q": {"b": 1, "a": 0}}
    links = {("a", "b"): 0.5}
    doors: list[Callable[[], object]] = [
        lambda: prum.evaluate(runs, qrels),
        lambda: prum.evaluate({"bm25": runs}, qrels),
        lambda: prum.trust(runs, qrels, links=links, collection_size=4),
        lambda: prum.crosscheck(runs, qrels=qrels, links=links, collection_size=4),
    ]
    for door in doors:
        with pytest.raises(InputError, match=told):
            door()


def test_a_tie_is_no_pair_of_an_element_and_its_score() -> None:
    tie = prum.Tie("a", "b")
    assert eval(repr(tie), {"Tie": Tie}) == pickle.loads(pickle.dumps(tie)) == tie
    qrels = {"q": {"b": 1, "a": 0}}
    result = prum.evaluate({"q": [tie]}, qrels, measures="RR, NumRet")
    assert result.scores.values[0, 0].tolist() == [0.5, 2]


def test_a_run_of_which_nothing_is_judged_is_told_first() -> None:
    result = prum.evaluate({"q": ["x", "y"]}, {"q": {"Doc-A": 1}}, measures="RR")
    assert str(result).startswith("Nothing that run lists is judged. run has a mean RR of 0.0000.")
    result = prum.evaluate({"q": ["x", "Doc-A"]}, {"q": {"Doc-A": 1}}, measures="RR")
    assert "is judged" not in str(result).splitlines()[0]


def test_a_measure_of_subtopics_reads_them_where_no_element_has_several(tmp_path: Path) -> None:
    lines = [("q", "1", "a", 1), ("q", "2", "b", 1), ("q", "2", "c", 0)]
    file = tmp_path / "qrels"
    file.write_text("".join(f"{t} {s} {x} {g}\n" for t, s, x, g in lines))
    records = [Qrel(t, x, g, s) for t, s, x, g in lines]
    run = {"q": ["c", "a", "b"]}
    for qrels in (file, records):
        result = prum.evaluate(run, qrels, measures="StRecall@2, AP")
        assert result.scores.values[0, 0].tolist() == [0.5, (1 / 2 + 2 / 3) / 2]
        assert any("highest grade" in line for line in result.remarks)
        assert not prum.evaluate(run, qrels, measures="AP").remarks
    file.write_text("q 0 a 1\nq 0 b 1\n")
    with pytest.raises(InputError, match="StRecall"):
        prum.evaluate(run, file, measures="StRecall@2")


NUMBERED = {1: {10: 1, 20: 2}}


@pytest.mark.parametrize(
    "run",
    [
        {1: [20, 10]},
        {1: (20, 10)},
        {1: np.array([20, 10])},
        {1: {20: 2.0, 10: 1.0}},
        {"bm25": {1: [20, 10]}},
        {"1": [Tie(20, "10")]},
        {"one": {1: [np.int64(20), "10"]}},
    ],
)
def test_ids_in_mappings_may_be_whole_numbers_as_in_frames(run: Any) -> None:
    frames = (
        pd.DataFrame({"qid": [1, 1], "docno": [20, 10], "score": [2.0, 1.0]}),
        pd.DataFrame({"qid": [1, 1], "docno": [10, 20], "label": [1, 2]}),
    )
    for runs, qrels in ((run, NUMBERED), (run, frames[1]), (frames[0], NUMBERED)):
        assert average_precisions(runs, qrels) == [1.0]


def test_links_of_each_topic_are_scored_as_each_topic_alone() -> None:
    links = {"q1": Links({("x", "a"): 0.5}), "q2": Links({("y", "c"): 0.9, ("x", "c"): 0.1})}
    together = prum.evaluate(RUN, QRELS, links=links, measures="PRUM").to_frame()
    for topic, own in links.items():
        alone = prum.evaluate(
            {topic: RUN[topic]}, {topic: QRELS[topic]}, links=own, measures="PRUM"
        ).to_frame()
        (value,) = together[together.topic == topic].score
        assert value == alone.score[0]
    with pytest.raises(InputError, match="topic is 'q2', must have links, as others do"):
        prum.evaluate(RUN, QRELS, links={"q1": links["q1"]}, measures="PRUM")
    with pytest.raises(InputError, match="must go without links of each topic"):
        prum.evaluate(RUN, QRELS, links=links, way="web .5", measures="PRUM")
