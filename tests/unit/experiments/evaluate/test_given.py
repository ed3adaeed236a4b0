"""Runs, judgements and links from Python: every form of the same data gives the same scores."""

import re
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import prum
from prum.experiments.evaluate.given import given_qrels, given_runs
from prum.experiments.evaluate.given_tables import given_elements, given_links
from prum.simulator.model import Elements, InputError, Links

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


RUNS: dict[str, Any] = {
    "topics of scores": RUN,
    "topics of lists": {"q1": ["b", "a", "x"], "q2": ("y", "c")},
    "pyterrier": frame("qid", "docno", "score"),
    "ir_measures": frame("query_id", "doc_id", "score"),
    "ranx frame": frame("q_id", "doc_id", "score"),
    "ranks": frame(
        "qid", "docno", "rank", rows=[("q1", "b", 0), ("q1", "a", 1), ("q1", "x", 2),
        ("q2", "y", 0), ("q2", "c", 1)],
    ),
    "records": [ScoredDoc(*row) for row in RUN_ROWS],
    "iterator": iter([ScoredDoc(*row) for row in RUN_ROWS]),
    "dicts": [dict(zip(("qid", "docno", "score"), row, strict=True)) for row in RUN_ROWS],
    "ranx": Ranx(RUN),
    "ir_datasets": Dataset(),
}  # fmt: skip
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


def test_runs_with_names_may_differ_in_form(tmp_path: Path) -> None:
    file = tmp_path / "a.run"
    file.write_text("".join(f"{t} Q0 {x} 1 {s} tag\n" for t, x, s in RUN_ROWS))
    runs = {
        "file": file, "text": str(file), "frame": RUNS["pyterrier"], "ranx": Ranx(RUN),
        "scores": RUN, "lists": RUNS["topics of lists"], "records": RUNS["records"],
    }  # fmt: skip
    result = prum.evaluate(runs, QRELS, measures="AP")
    assert result.scores.systems == tuple(runs)
    assert result.scores.values[:, :, 0].tolist() == [WANTED] * len(runs)


def test_a_frame_may_hold_several_runs() -> None:
    table = pd.concat([RUNS["pyterrier"].assign(run=name) for name in ("one", "two")])
    result = prum.evaluate(table, QRELS, measures="AP")
    assert result.scores.systems == ("one", "two")
    assert result.scores.values[:, :, 0].tolist() == [WANTED] * 2


def two_runs(heading: str) -> pd.DataFrame:
    """Return two systems' lists, without an element in both, in a column with this heading."""
    rows = [(t, x + "2", s) for t, x, s in RUN_ROWS]
    frame = pd.DataFrame(RUN_ROWS + rows, columns=["qid", "docno", "score"])
    return frame.assign(**{heading: ["bm25"] * len(rows) + ["dense"] * len(rows)})


@pytest.mark.parametrize(
    "heading", ["model", "retriever", "run", "tag", "name", "system", "Run ID", "model-name"]
)
def test_any_name_of_a_column_of_systems_counts(heading: str) -> None:
    frame = two_runs(heading)
    if heading in ("tag", "name"):
        # Documents may have these, too, unless one of them is in both lists.
        frame.loc[5, "docno"] = "b"
    assert given_runs(frame)["bm25"] == RUN  # type: ignore[index, call-overload]
    assert set(given_runs(iter(frame.to_dict("records")))) == {"bm25", "dense"}
    with pytest.raises(InputError, match="systems of run mine is 'bm25, dense', must be one"):
        given_runs({"mine": frame})
    one = frame[frame[heading] == "bm25"]
    assert given_runs({"mine": one}) == {"mine": RUN}


def test_a_title_of_documents_names_no_system_beside_one() -> None:
    frame = two_runs("model").assign(name=[f"title {k}" for k in range(10)])
    assert set(given_runs(frame)) == {"bm25", "dense"}
    with pytest.raises(InputError, match="columns that may be the system is 'model, run', must be"):
        given_runs(frame.assign(run=1))


HYBRID = pd.DataFrame({"qid": ["q1"] * 4, "docno": list("abcd"), "score": [4.0, 3.0, 2.0, 1.0]})
TWO = ["web", "news", "web", "news"]


@pytest.mark.parametrize("heading", ["name", "tag", "Name"])
def test_a_name_that_differs_from_row_to_row_describes_documents(heading: str) -> None:
    cities = ["Berlin", "Paris", None, "Oslo"]
    frame = HYBRID.assign(**{heading: cities})
    wanted = {"run": {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
    assert given_runs(frame) == wanted
    assert given_runs(frame.assign(rank=range(4), model=None)) == wanted
    assert given_runs(iter(frame.to_dict("records"))) == wanted
    assert given_runs({"mine": frame}) == {"mine": wanted["run"]}
    assert average_precisions(frame, {"q1": {"a": 1, "b": 1}}) == [1.0]
    # It is the system's where a document is there twice.
    assert set(given_runs(frame.assign(docno=list("abca"), **{heading: TWO}))) == set(TWO)


@pytest.mark.parametrize(
    ("heading", "ranked"), [("name", False), ("tag", True), ("retriever", True), ("model", True)]
)
def test_a_column_that_may_be_of_systems_or_documents_is_refused(
    heading: str, ranked: bool
) -> None:
    frame = HYBRID.assign(**{heading: TWO})
    if ranked:
        frame["rank"] = range(4)
    message = f"runs: column '{heading}', which may name .*'web, news, ...', must be called system"
    with pytest.raises(InputError, match=message):
        given_runs(frame)
    with pytest.raises(InputError, match=message):
        given_runs(frame.to_dict("records"))
    assert set(given_runs(frame.rename(columns={heading: "system"}))) == set(TWO)
    # One value says nothing else than the name of the run; nor is there doubt if ranks repeat.
    assert set(given_runs(frame.assign(**{heading: "web"}))) == {"web"}
    assert set(given_runs(frame.assign(rank=[1, 1, 2, 2]))) == set(TWO)


def test_the_column_called_system_is_the_systems() -> None:
    frame = two_runs("system").assign(model="x", retriever=list("vwxyz") * 2, rank=range(10))
    assert set(given_runs(frame)) == {"bm25", "dense"}
    with pytest.raises(InputError, match="columns that may be the system is 'system, System'"):
        given_runs(frame.assign(System="x"))


@pytest.mark.parametrize("empty", [None, float("nan"), pd.NA, ""])
def test_columns_of_systems_without_values_are_not_there(empty: Any) -> None:
    frame = two_runs("model").assign(run=empty, system=empty)
    assert set(given_runs(frame)) == {"bm25", "dense"}
    assert set(given_runs(frame.drop(columns="model").head(5))) == {"run"}
    frame = two_runs("model").astype(object)
    frame.loc[3, "model"] = empty
    message = "runs: column 'model', which names systems, in row 4 is 'empty', must name a system"
    with pytest.raises(InputError, match=message):
        given_runs(frame)


def test_records_may_lack_what_others_have() -> None:
    records = two_runs("model").to_dict("records")
    del records[0]["model"]
    with pytest.raises(InputError, match="column 'model', which names systems, in row 1 is"):
        given_runs(records)
    with pytest.raises(InputError, match="column 'model', which names systems, in row 10 is"):
        given_runs(iter(records[::-1]))
    del records[1]["docno"]
    with pytest.raises(InputError, match="element is None"):
        given_runs([{**record, "model": "x"} for record in records])


@pytest.mark.parametrize("values", [[1, 1, 2, 2], [False, False, True, True]])
def test_numbers_that_split_lists_are_refused(values: list[Any]) -> None:
    twice = HYBRID.assign(seed=values)
    for frame in (twice.assign(rank=[0, 1, 0, 1]), twice.assign(docno=list("abab"))):
        with pytest.raises(InputError, match="runs: column 'seed', which tells rows"):
            given_runs(frame)
        assert len(given_runs(frame.rename(columns={"seed": "system"}).astype({"system": int})))
    # They describe documents where these and ranks are there once, or they explain nothing.
    assert set(given_runs(twice)) == set(given_runs(twice.assign(rank=range(4)))) == {"run"}
    assert set(given_runs(twice.assign(rank=[0, 0, 0, 1]))) == {"run"}
    assert set(given_runs(twice.assign(seed=range(4), rank=[0, 1, 0, 1]))) == {"run"}


@pytest.mark.parametrize("ranked", [False, True])
def test_a_column_nobody_knows_that_splits_lists_is_refused(ranked: bool) -> None:
    frame = two_runs("engine")
    if ranked:
        frame["rank"] = [1, 2, 3, 1, 2] * 2
    message = "runs: column 'engine', which tells rows .* is 'bm25, dense, ...'.*call it system if"
    with pytest.raises(InputError, match=message):
        given_runs(frame)
    with pytest.raises(InputError, match="column 'engine'"):
        given_runs(frame.to_dict("records"))
    with pytest.raises(InputError, match="run mine: column 'engine'"):
        given_runs({"mine": frame})
    # Lists of one element, which another topic's list has from the other system.
    short = [("1", "a", 1.0, "x"), ("1", "b", 2.0, "y"), ("2", "b", 1.0, "x"), ("2", "a", 2.0, "y")]
    with pytest.raises(InputError, match="column 'engine'"):
        given_runs(pd.DataFrame(short, columns=["qid", "docno", "score", "engine"]))


def test_what_describes_topics_and_elements_is_let_be() -> None:
    frame = pd.DataFrame(RUN_ROWS, columns=["qid", "docno", "score"])
    words = frame.assign(query=frame.qid + " words", text="text of " + frame.docno, Q0="Q0")
    assert given_runs(words) == {"run": RUN}
    # With ranks it is seen that each topic has one list, whatever else is said of its elements.
    sites = pd.DataFrame({"qid": [1] * 4, "docno": list("abcd"), "score": [4.0, 3.0, 2.0, 1.0]})
    sites["site"] = ["x", "x", "y", "y"]
    assert set(given_runs(sites.assign(rank=[0, 1, 2, 3]))) == {"run"}
    for ranks in ([0, 1, 0, 1], [0, 1, 2, 2]):
        with pytest.raises(InputError, match="column 'site'"):
            given_runs(sites.assign(rank=ranks))
    # Languages repeat, but each element has one, and hardly any list has two of the same.
    tongues = pd.DataFrame({"qid": [1] * 3 + [2] * 3, "docno": list("abcdef"), "score": 1.0})
    tongues["language"] = ["en", "de", "fr"] * 2
    assert set(given_runs(tongues)) == {"run"}


def test_whole_numbers_are_ids_and_grades_may_be_floats() -> None:
    run = pd.DataFrame({"qid": [7, 7], "docno": [1, 2], "score": [1, 2]})
    qrels = pd.DataFrame({"qid": [7], "docno": [2], "label": [1.0]})
    assert average_precisions(run, qrels) == [1.0]


def test_grades_for_subtopics_are_kept() -> None:
    qrels = [Qrel("q", "a", 1, "1"), Qrel("q", "a", 2, "2"), Qrel("q", "b", 0, "1")]
    assert given_qrels(qrels) == {"q": {"a": {"1": 1, "2": 2}, "b": {"1": 0}}}


def test_links_may_be_a_frame() -> None:
    rows = {("x", "a"): 0.5, ("y", "c"): 0.25}
    table = pd.DataFrame(
        [(*pair, p) for pair, p in rows.items()], columns=["source", "target", "probability"]
    )
    scores = [
        prum.evaluate(RUN, QRELS, measures="PRUM", links=links, collection_size=9).to_frame()
        for links in (rows, Links(rows), table)
    ]
    assert scores[0].equals(scores[1])
    assert scores[0].equals(scores[2])


MISTAKES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "twice": ([*RUNS["records"], RUNS["records"][0]], ("'b'", "there once", "q1")),
    "no score": (frame("qid", "docno", "sim"), ("columns of runs", "qid, docno, sim", "score")),
    "no topic": (frame("words", "docno", "score"), ("topic or qid", "PyTerrier")),
    "missing id": (frame("qid", "docno", "score", rows=[("q1", None, 1.0)]), ("element", "None")),
    "fraction": (frame("qid", "docno", "score", rows=[(1.5, "a", 1.0)]), ("topic", "1.5")),
    "text": (frame("qid", "docno", "score", rows=[("q1", "a", "high")]), ("'high'", "a number")),
    "no number": (
        frame("qid", "docno", "score", rows=[("q1", "a", float("nan"))]), ("finite number",)
    ),
    "no names": ([("q1", "a", 1.0)], ("list", "a data frame")),
    "nothing": (None, ("NoneType", "a data frame")),
    "number": ({"bm25": 3}, ("run bm25", "int")),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_in_a_run_is_named(case: str) -> None:
    runs, words = MISTAKES[case]
    with pytest.raises(InputError) as error:
        prum.evaluate(runs, QRELS, measures="AP")
    assert all(word in str(error.value) for word in words), str(error.value)


QREL_MISTAKES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "twice": (frame("qid", "docno", "label", rows=[QREL_ROWS[0]] * 2), ("'a'", "there once")),
    "twice for a subtopic": (
        [Qrel("q", "a", 1, "1"), Qrel("q", "a", 2, "1"), Qrel("q", "a", 2, "2")],
        ("subtopic of element 'a'", "there once"),
    ),
    "fraction": (frame("qid", "docno", "label", rows=[("q1", "a", 0.5)]), ("0.5", "whole number")),
    "no grade": (frame("qid", "docno", "x", rows=QREL_ROWS), ("columns of qrels", "grade")),
    "number": (3, ("int", "a data frame")),
}


@pytest.mark.parametrize("case", QREL_MISTAKES)
def test_a_mistake_in_judgements_is_named(case: str) -> None:
    qrels, words = QREL_MISTAKES[case]
    with pytest.raises(InputError) as error:
        prum.evaluate(RUN, qrels, measures="AP")
    assert all(word in str(error.value) for word in words), str(error.value)


def test_files_stay_files() -> None:
    assert given_runs("a") == ["a"]
    assert given_runs([Path("a"), "b"]) == [Path("a"), "b"]
    assert given_qrels(Path("q")) == Path("q")


def test_systems_are_told_from_topics() -> None:
    systems: dict[str, Any] = {"bm25": {"q1": ["b"], "q2": []}, "none": {}}
    assert given_runs(systems) == systems
    assert given_runs({"q1": [], "q2": ["b"]}) == {"run": {"q1": [], "q2": ["b"]}}
    assert given_runs({"q1": [("a", "b"), "c"]}) == {"run": {"q1": [("a", "b"), "c"]}}
    assert Elements({"a": (None, 1.0)})  # else it would pass for no elements at all


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
        [told] = [line for line in result.remarks if "rounds of judging" in line]
        assert "no element is judged for two subtopics" in told
        assert "('1', '2') is taken for subtopics" in told
        assert not prum.evaluate(run, qrels, measures="AP").remarks
    file.write_text("q 0 a 1\nq 0 b 1\n")
    with pytest.raises(InputError, match="StRecall"):
        prum.evaluate(run, file, measures="StRecall@2")


def test_rounds_of_judging_are_no_subtopics(tmp_path: Path) -> None:
    lines = [("q", "3.5", "a", 1), ("q", "4", "b", 1), ("q", "4", "c", 0)]
    file = tmp_path / "qrels"
    file.write_text("".join(f"{t} {s} {x} {g}\n" for t, s, x, g in lines))
    records = [Qrel(t, x, g, s) for t, s, x, g in lines]
    for qrels, place in ((file, str(file)), (records, "qrels")):
        with pytest.raises(InputError) as told:
            prum.evaluate({"q": ["a", "b"]}, qrels, measures="alpha_nDCG@2")
        assert f"{place}: subtopic is '3.5', must be a name or a whole number" in str(told.value)
        assert not prum.evaluate({"q": ["a", "b"]}, qrels, measures="AP").remarks
    # Subtopics that are named as such, or of which an element has two, are what they are.
    named = {"q": {"a": {"1": 1}, "b": {"2": 1}}}
    several = [*records, Qrel("q", "a", 1, "4"), Qrel("q", "b", 1, "5")][1:]
    for qrels in (named, several):
        remarks = prum.evaluate({"q": ["a", "b"]}, qrels, measures="StRecall@2").remarks
        assert not any("rounds" in line for line in remarks)


def test_elements_may_be_a_frame() -> None:
    rows = {"page": (None, 90.0), "a": ("page", 40.0), "b": ("page", 30.0), "x": (None, 5.0),
            "c": (None, 6.0), "y": (None, 7.0)}  # fmt: skip
    table = pd.DataFrame(
        [(x, parent, length) for x, (parent, length) in rows.items()],
        columns=["element", "parent", "length"],
    )
    scores = [
        prum.evaluate(RUN, QRELS, measures="xCG@3, PRUM", elements=elements).to_frame()
        for elements in (rows, Elements(rows), table)
    ]
    assert scores[0].equals(scores[1])
    assert scores[0].equals(scores[2])
    for wrong, words in ((table.drop(columns="length"), "length"), (3, "a data frame")):
        with pytest.raises(InputError, match=words):
            prum.evaluate(RUN, QRELS, elements=wrong)


def test_a_measure_with_two_names_is_scored_once() -> None:
    run, qrels = {"q": ["a"]}, {"q": {"a": 1}}
    scores = prum.evaluate(run, qrels, measures="map, P@1, AP, P_1").scores
    assert scores.measures == ("AP", "P@1")
    assert scores.frame()["measure"].tolist() == ["AP", "P@1"]


@pytest.mark.parametrize(
    ("by", "thing"),
    [
        (["a", "b"], "type of the judgements of topic q1 is 'list'"),
        ({"a": "x"}, "grade of element 'a' is 'x'"),
        ({"a": 0.5}, "grade of element 'a' is 0.5"),
        ({"a": {"1": "x"}}, "grade of element 'a' is 'x'"),
    ],
)
def test_wrong_judgements_in_mappings_are_named(by: Any, thing: str) -> None:
    with pytest.raises(InputError, match=re.escape(thing)):
        given_qrels({"q1": by})


def test_a_score_that_is_a_text_is_named() -> None:
    with pytest.raises(InputError, match="score of 'b' is 'x', must be a finite number"):
        prum.evaluate({"one": {"q1": {"a": 1.0, "b": "x"}}}, QRELS, measures="AP")


LISTS: dict[str, Any] = {
    "series": pd.Series(["b", "a", "x"]),
    "index": pd.Index(["b", "a", "x"]),
    "array": np.array(["b", "a", "x"]),
    "generator": (x for x in "bax"),
}


@pytest.mark.parametrize("form", LISTS)
def test_a_topic_may_have_any_list_that_has_an_order(form: str) -> None:
    lists = {"q1": LISTS[form], "q2": ["y", "c"]}
    runs = {"one": lists} if form == "generator" else lists
    assert average_precisions(runs, QRELS) == WANTED


NUMBERED = {1: {10: 1, 20: 2}}


@pytest.mark.parametrize(
    "run",
    [{1: [20, 10]}, {1: (20, 10)}, {1: np.array([20, 10])}, {1: {20: 2.0, 10: 1.0}},
     {"bm25": {1: [20, 10]}}, {"1": [(20, "10")]}, {"one": {1: [np.int64(20), "10"]}}],
)  # fmt: skip
def test_ids_in_mappings_may_be_whole_numbers_as_in_frames(run: Any) -> None:
    frames = (
        pd.DataFrame({"qid": [1, 1], "docno": [20, 10], "score": [2.0, 1.0]}),
        pd.DataFrame({"qid": [1, 1], "docno": [10, 20], "label": [1, 2]}),
    )
    for runs, qrels in ((run, NUMBERED), (run, frames[1]), (frames[0], NUMBERED)):
        assert average_precisions(runs, qrels) == [1.0]


def test_links_and_elements_may_have_whole_numbers_for_ids() -> None:
    rows = {(20, 10): 0.5}
    table = pd.DataFrame({"source": [20], "target": [10], "probability": [0.5]})
    texts, *numbers = (
        prum.evaluate({"q": ["20", "30"]}, {"q": {"10": 1}}, measures="PRUM", links=links,
                      collection_size=9).to_frame()
        for links in ({("20", "10"): 0.5}, rows, table)
    )  # fmt: skip
    assert all(frame.equals(texts) for frame in numbers)
    # Beside an empty cell a data frame holds whole numbers as floats.
    columns = {"element": [1, 2, 3], "parent": [None, 1, 2], "length": [9.0, 4.0, 1.0]}
    for elements in (pd.DataFrame(columns), {1: (None, 9.0), 2: (1, 4.0), 3: (2, 1.0)}):
        tree = given_elements(elements)
        assert tree == Elements({"1": (None, 9.0), "2": ("1", 4.0), "3": ("2", 1.0)})


NO_LISTS: dict[str, tuple[Any, str]] = {
    "series of scores": (pd.Series({"a": 2.0}), "type of the list of topic q1 is 'Series'"),
    "set": ({"a"}, "type of the list of topic q1 is 'set'"),
    "text": ("ab", "type of the list of topic q1 is 'str'"),
    "none": (None, "type of the list of topic q1 is 'NoneType'"),
    "fraction": (["a", 1.5], "element of topic q1 is 1.5, must be a text"),
    "truth value": ([True], "element of topic q1 is True, must be a text"),
    "twice": ({"1": 2.0, 1: 1.0}, "element of topic q1 is '1', must be there once"),
}


@pytest.mark.parametrize("case", NO_LISTS)
def test_what_is_no_list_is_named(case: str) -> None:
    given, words = NO_LISTS[case]
    with pytest.raises(InputError, match=re.escape(f"run bm25: {words}")) as error:
        prum.evaluate({"bm25": {"q1": given}}, QRELS, measures="AP")
    assert "\n" not in str(error.value)


def test_links_and_elements_that_are_the_same_text_are_named() -> None:
    with pytest.raises(InputError, match="there once"):
        given_links({(1, "a"): 0.5, ("1", "a"): 0.5})
    with pytest.raises(InputError, match="there once"):
        given_elements({1: (None, 2.0), "1": (None, 2.0)})


def test_a_run_without_a_name_is_called_the_run() -> None:
    for runs in ([["a", "b"]], [1, 2], 5, {"other": ["a"]}):
        with pytest.raises(InputError, match="the run") as error:
            prum.evaluate(runs, QRELS, measures="AP")
        assert "run run" not in str(error.value)
