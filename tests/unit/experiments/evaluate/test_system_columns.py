"""Which column of a table of runs says the system of a row, and columns that nobody knows."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import prum
from prum.experiments.evaluate.given import given_runs
from prum.simulator.model import InputError
from tests.table_forms import json_lines, written
from tests.unit.experiments.evaluate.test_given import RUN, RUN_ROWS


def two_runs(heading: str) -> pd.DataFrame:
    """Return two systems' lists, without an element in both, in a column with this heading."""
    rows = [(t, x + "2", s) for t, x, s in RUN_ROWS]
    frame = pd.DataFrame(RUN_ROWS + rows, columns=["qid", "docno", "score"])
    return frame.assign(**{heading: ["bm25"] * len(rows) + ["dense"] * len(rows)})


@pytest.mark.parametrize("heading", ["model", "retriever", "run", "system", "Run ID", "model-name"])
def test_any_name_of_a_column_of_systems_counts(heading: str) -> None:
    frame = two_runs(heading)
    assert given_runs(frame)["bm25"] == RUN  # type: ignore[index, call-overload]
    assert set(given_runs(iter(frame.to_dict("records")))) == {"bm25", "dense"}
    with pytest.raises(InputError, match="systems of run mine is 'bm25, dense', must be one"):
        given_runs({"mine": frame})
    one = frame[frame[heading] == "bm25"]
    assert given_runs({"mine": one}) == {"mine": RUN}


HYBRID = pd.DataFrame({"qid": ["q1"] * 4, "docno": list("abcd"), "score": [4.0, 3.0, 2.0, 1.0]})
TWO = ["web", "news", "web", "news"]


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


def test_records_may_lack_what_others_have(tmp_path: Path) -> None:
    records = two_runs("model").to_dict("records")
    del records[0]["model"]
    with pytest.raises(InputError, match="column 'model', which names systems, in row 1 is"):
        given_runs(records)
    with pytest.raises(InputError, match="column 'model', which names systems, in row 10 is"):
        given_runs(iter(records[::-1]))
    path = written(tmp_path, "x.jsonl", json_lines(records))
    with pytest.raises(InputError, match="column 'model', which names systems, in row 1 is"):
        prum.evaluate(path, {"q1": {"a": 1}})
    del records[1]["docno"]
    with pytest.raises(InputError, match="row 2: docno is None"):
        given_runs([{**record, "model": "x"} for record in records])


@pytest.mark.parametrize("values", [TWO, [1, 1, 2, 2], [False, False, True, True]])
@pytest.mark.parametrize("heading", ["engine", "name", "tag"])  # documents have these, too
def test_a_column_nobody_knows_that_tells_rows_apart_is_refused(
    values: list[Any], heading: str
) -> None:
    frame = HYBRID.assign(**{heading: values})
    message = f"column '{heading}', which tells rows .* is '.*, ...'.*call it system if"
    twice = frame.assign(docno=["a", "b", "b", "a"] if values == TWO else list("abab"))
    ranks = [0, 0, 1, 1] if values == TWO else [0, 1, 0, 1]
    for table in (twice, frame.assign(rank=ranks)):
        with pytest.raises(InputError, match=f"runs: {message}"):
            given_runs(table)
        with pytest.raises(InputError, match=message):
            given_runs(table.to_dict("records"))
        with pytest.raises(InputError, match=f"run mine: {message}"):
            given_runs({"mine": table})
        assert len(given_runs(table.rename(columns={heading: "system"}).astype({"system": str})))
    # Where no row is there twice it is not read.
    assert given_runs(frame) == given_runs(frame.assign(rank=range(4))) == given_runs(HYBRID)
