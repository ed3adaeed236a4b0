"""Which column of a table of runs says the system of a row, and columns that nobody knows."""

from typing import Any

import pandas as pd
import pytest

from prum.experiments.evaluate.given import given_runs
from prum.simulator.model import InputError
from tests.unit.experiments.evaluate.test_given import RUN, RUN_ROWS, average_precisions


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
