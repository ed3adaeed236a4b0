"""Scores as frames and mappings of every form, read as what they are; and names of measures."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import prum
from prum.experiments.compare.score_tables import rows_of_mapping, rows_of_table
from prum.experiments.compare.scores import gathered
from prum.simulator.model import InputError
from tests.unit.experiments.compare.made_scores import AP, BOTH, LONG, WIDE, P, assert_same

ACROSS = LONG.pivot_table(index=["system", "topic"], columns="measure", values="score")


NESTED = {system: {"AP": AP[system], "P@5": P[system]} for system in AP}
TURNED = {
    system: {q: {"AP": AP[system][q], "P@5": P[system][q]} for q in AP[system]} for system in AP
}


def named(*names: str) -> pd.DataFrame:
    return LONG.set_axis(names, axis=1).assign(note="more")


# Form -> the same scores, what compare is told of them, and the measures that it finds.
FORMS: dict[str, tuple[Any, dict[str, Any], tuple[str, ...]]] = {
    "long": (named("system", "topic", "measure", "score"), {}, BOTH),
    "long, ids": (named("run_id", "query_id", "measure", "value"), {}, BOTH),
    "long, MTEB": (named("model", "task", "metric", "score"), {}, BOTH),
    **{
        f"systems as {name}": (LONG.rename(columns={"system": name}), {}, BOTH)
        for name in ("retriever", "tag", "name", "Model", "system")
    },
    "measures across": (ACROSS.reset_index(), {}, BOTH),
    "wide": (WIDE, {}, ("score",)),
    "wide, topics named": (WIDE.rename_axis("topic").reset_index(), {}, ("score",)),
    "turned": (WIDE.T.rename_axis("system").reset_index(), {}, ("score",)),
    "index of systems": (WIDE.T.rename_axis("system").rename_axis("topic", axis=1), {}, ("score",)),
    "one of several systems": (LONG.assign(model="x", run=None), {}, BOTH),
    "an empty model": (LONG.rename(columns={"system": "run"}).assign(model=None), {}, BOTH),
    "mapping": (AP, {}, ("score",)),
    "mapping by measure": (NESTED, {}, BOTH),
    "mapping by topic": (TURNED, {}, BOTH),
    "scores": (prum.compare(LONG).scores, {}, BOTH),
    "a result's frame": (prum.compare(LONG).to_frame(), {}, BOTH),
    "chosen": (LONG, {"measures": "AP"}, ("AP",)),
}


@pytest.mark.parametrize("form", FORMS)
def test_data_of_every_form(form: str) -> None:
    given, told, measures = FORMS[form]
    assert_same(prum.compare(given, **told), *measures)


@pytest.mark.parametrize("form", ["frame", "parquet"])
@pytest.mark.parametrize(
    "levels", [["system", "topic"], ["topic", "system", "measure"], ["system"], ["topic"]]
)
def test_levels_of_the_index_are_columns(levels: list[str], form: str, tmp_path: Path) -> None:
    given: Any = LONG.set_index(levels)
    if form == "parquet":
        pytest.importorskip("pyarrow")
        given.to_parquet(tmp_path / "x.parquet")
        given = tmp_path / "x.parquet"
    assert_same(prum.compare(given), *BOTH)


# --- missing, twice, no number -------------------------------------------------------------------


def test_missing_scores_are_refused_dropped_or_zero() -> None:
    hole = LONG.drop(index=[1])
    with pytest.raises(
        InputError, match=r"missing, 1 of bm25 by AP \(topics q2\), is 1, must be 0"
    ):
        prum.compare(hole)
    dropped = prum.compare(hole, missing="drop")
    assert dropped.remarks == (
        "scores missing, those topics are left out: 1 of bm25 by AP (topics q2)",
    )
    assert dropped.decision.num_topics == 2
    assert dropped.scores.of(1).shape == (2, 3)
    zero = prum.compare(hole, missing="zero")
    assert zero.scores.values[0, zero.scores.topics.index("q2"), 0] == 0
    assert zero.decision.num_topics == 3
    holes = WIDE.astype(object)
    holes.loc["q3", "dense"] = None
    with pytest.raises(InputError, match=r"1 of dense by score \(topics q3\)"):
        prum.compare(holes)


WITH_A_HOLE = pd.DataFrame(
    {"system": ["a", "a", "b", "b"], "topic": ["1", "2"] * 2, "score": [0.5, np.nan, 0.3, 0.4]}
)
COLUMNS_MISSING = "beginning of the scores is 'system, score'"
TWO_COLUMNS = "columns that may be the system is 'model, chunker', must be one"
# Mistake -> scores, and the message.
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "twice": (
        lambda: pd.concat([LONG, LONG.head(1)]),
        "score of bm25 on topic q1 by AP is 0.5, must be given once",
    ),
    "infinite": (lambda: LONG.replace(0.5, np.inf), "is inf, must be finite"),
    "no topics": (lambda: LONG[["system", "score"]], COLUMNS_MISSING),
    "two systems": (
        lambda: LONG.rename(columns={"system": "model"}).assign(chunker="x"),
        TWO_COLUMNS,
    ),
    "versions": (
        lambda: pd.concat([LONG.assign(version=1), LONG.assign(version=2)]).reset_index(drop=True),
        "data frame: column 'version', which tells rows of the same topic apart, is '1, 2, ...'",
    ),
    "means": (
        lambda: pd.DataFrame({"system": ["a", "b"], "AP": [1.0, 2.0]}),
        "beginning of the scores",
    ),
    "nothing": (lambda: LONG.head(0), "number of scores is 0"),
    "empty": (list, "scores is []"),
    "measures that differ": (  # as map of trec_eval beside AP of ir_measures
        lambda: LONG.assign(
            measure=LONG.measure.where((LONG.system == "bm25") | (LONG.measure != "AP"), "map")
        ),
        "3 of bm25 by map (topics q1, q2, q3), 3 of dense by AP",
    ),
    "index and column": (
        lambda: LONG.set_index(["system", "topic"], drop=False),
        "columns of data frame is",
    ),
    "names that are none": (
        lambda: {"bm25": {"x": {"y": 1.0}}},
        "names in the scores of bm25",
    ),
    "a row counted from 1": (
        lambda: WITH_A_HOLE.astype(object).replace(0.3, "high"),
        "data frame, row 3: score in score is 'high', must be",
    ),
    "kind": (lambda: {"bm25": 3}, "scores of bm25 is 3, must map topics to scores"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_data(name: str) -> None:
    make, message = WRONG[name]
    with pytest.raises(InputError, match=re.escape(message)):
        prum.compare(make())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "MAP"}, "measure is 'MAP', must be one of AP, P@5"),
        ({"missing": "no"}, "missing is 'no', must be one of refuse, drop, zero"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        prum.compare(LONG, **options)


@pytest.mark.parametrize("role", ["system", "topic"])
def test_a_name_that_no_file_can_hold_is_refused(role: str) -> None:
    names = {"system": "bm25", "topic": "q1"}
    names[role] += "\ud800"
    given = {names["system"]: {"AP": {names["topic"]: 0.5}}}
    with pytest.raises(InputError, match=rf"name of a {role} is '.*', must be a string of Unicode"):
        gathered(rows_of_mapping(given))


def test_an_empty_score_is_no_value_in_a_long_table_and_missing_in_a_wide_one() -> None:
    scores, remarks = gathered(rows_of_table(WITH_A_HOLE))
    assert remarks == ()
    assert scores.values[:, :, 0].tolist() == [
        [0.5, pytest.approx(np.nan, nan_ok=True)],
        [0.3, 0.4],
    ]
    wide = WITH_A_HOLE.pivot(index="topic", columns="system", values="score")
    with pytest.raises(
        InputError, match=r"scores missing, 1 of a by score \(topics 2\), is 1, must be 0"
    ):
        gathered(rows_of_table(wide.reset_index()))


@pytest.mark.parametrize("form", ["frame", "csv", "jsonl"])
def test_a_column_nobody_knows_that_tells_scores_apart_is_refused(
    form: str, tmp_path: Path
) -> None:
    frame = LONG.rename(columns={"system": "engine"})
    given: Any = frame
    if form != "frame":
        given = tmp_path / f"scores.{form}"
        text = frame.to_csv(index=False)
        given.write_text(text if form == "csv" else frame.to_json(orient="records", lines=True))
    frame_or_file = "data frame" if form == "frame" else form
    message = (
        f"{frame_or_file}: column 'engine', which tells .*'bm25, dense, ...', must have a name"
    )
    with pytest.raises(InputError, match=message):
        prum.compare(given)
