"""Scores from elsewhere: data frames, mappings, and files of every form, read as what they are."""

import bz2
import gzip
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import prum
from prum.experiments.commands.main import main
from prum.experiments.commands.main import prum as command
from prum.experiments.compare import ComparisonResult
from prum.experiments.compare.score_data import rows_of_frame, rows_of_mapping
from prum.experiments.compare.score_measures import is_measure
from prum.experiments.compare.score_rows import gathered
from prum.experiments.measures.catalogue import MEASURES
from prum.simulator.model import InputError

AP = {"bm25": {"q1": 0.5, "q2": 0.25, "q3": 1.0}, "dense": {"q1": 0.25, "q2": 0.75, "q3": 0.5}}
P = {"bm25": {"q1": 0.2, "q2": 0.4, "q3": 0.6}, "dense": {"q1": 0.1, "q2": 0.3, "q3": 0.5}}
LONG = pd.DataFrame(
    [
        (system, topic, measure, score)
        for measure, table in (("AP", AP), ("P@5", P))
        for system, by in table.items()
        for topic, score in by.items()
    ],
    columns=["system", "topic", "measure", "score"],
)
WIDE = pd.DataFrame(AP)


def same(result: ComparisonResult, *measures: str) -> None:
    """Assert that a result holds the scores above."""
    scores = result.scores
    assert (scores.systems, scores.topics) == (("bm25", "dense"), ("q1", "q2", "q3"))
    wanted = [[list(table[system].values()) for system in AP] for table in (AP, P)]
    assert scores.measures == measures
    np.testing.assert_array_equal(scores.values, np.stack(wanted[: len(measures)], axis=2))


# --- data ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ("system", "topic", "measure", "score"),
        ("Run", "qid", "metric", "value"),
        ("run_id", "query_id", "measure", "value"),
        ("model", "task", "metric", "score"),
        ("name of it", "topic", "measure", "score"),
    ],
)
def test_long_frames_by_any_usual_names(names: tuple[str, ...]) -> None:
    frame = LONG.set_axis(names, axis=1).assign(note="more")
    columns = {"system": names[0]} if names[0] == "name of it" else None
    same(prum.compare(frame, columns=columns), "AP", "P@5")


def test_frames_with_measures_across() -> None:
    frame = LONG.pivot_table(index=["system", "topic"], columns="measure", values="score")
    same(prum.compare(frame.reset_index()), "AP", "P@5")


def test_wide_frames() -> None:
    same(prum.compare(WIDE), "score")
    same(prum.compare(WIDE.rename_axis("topic").reset_index()), "score")
    turned = WIDE.T.rename_axis("system").reset_index()
    same(prum.compare(turned), "score")


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
    same(prum.compare(given), "AP", "P@5")


def test_an_index_of_systems_or_numbered_topics_is_a_column() -> None:
    same(prum.compare(WIDE.T.rename_axis("system").rename_axis("topic", axis=1)), "score")
    numbered = WIDE.set_axis(pd.RangeIndex(3, name="topic"))
    assert prum.compare(numbered).scores.topics == ("0", "1", "2")
    with pytest.raises(InputError, match="names of columns is"):
        prum.compare(LONG.set_index(["system", "topic"], drop=False))


def test_one_column_of_systems_counts_among_several() -> None:
    same(prum.compare(LONG.assign(model="x", run=None)), "AP", "P@5")
    same(prum.compare(LONG.rename(columns={"system": "run"}).assign(model=None)), "AP", "P@5")
    across = LONG.pivot_table(index=["system", "topic"], columns="measure", values="score")
    same(prum.compare(across.reset_index().assign(model=np.nan)), "AP", "P@5")


def test_whole_numbers_name_topics_and_systems() -> None:
    frame = pd.DataFrame({"topic": [301, 302], 1: [0.5, 0.25], 2: [0.1, 0.2]})
    scores = prum.compare(frame).scores
    assert (scores.systems, scores.topics) == (("1", "2"), ("301", "302"))


def test_mappings() -> None:
    same(prum.compare(AP), "score")
    nested = {system: {"AP": AP[system], "P@5": P[system]} for system in AP}
    same(prum.compare(nested), "AP", "P@5")
    turned = {
        system: {q: {"AP": AP[system][q], "P@5": P[system][q]} for q in AP[system]} for system in AP
    }
    same(prum.compare(turned), "AP", "P@5")
    with pytest.raises(InputError, match="names in the scores of bm25"):
        prum.compare({"bm25": {"x": {"y": 1.0}}})


def test_runs_that_ranx_has_evaluated() -> None:
    class Run:
        def __init__(self, name: str, scores: dict[str, dict[str, Any]]) -> None:
            self.name, self.scores = name, scores

    runs = [Run(name, {"ndcg@10": {q: np.float64(x) for q, x in by.items()}})
            for name, by in AP.items()]  # fmt: skip
    same(prum.compare(runs), "ndcg@10")
    with pytest.raises(InputError, match="evaluate runs of ranx first"):
        prum.compare([Run("bm25", {})])


def test_results_are_compared_again() -> None:
    result = prum.compare(LONG)
    same(prum.compare(result.scores), "AP", "P@5")
    same(prum.compare(result.to_frame()), "AP", "P@5")


def test_measures_are_chosen() -> None:
    same(prum.compare(LONG, measures="AP"), "AP")
    assert prum.compare(LONG, measures=["P@5", "AP"]).decision.measure == "P@5"
    assert prum.compare(LONG, primary="P@5").decision.measure == "P@5"
    with pytest.raises(InputError, match=r"measure is 'MAP', must be one of AP, P@5"):
        prum.compare(LONG, measures="MAP")


# --- missing, twice, no number -------------------------------------------------------------------


def test_missing_scores_are_refused_dropped_or_zero() -> None:
    hole = LONG.drop(index=[1])
    with pytest.raises(InputError, match=r"missing, 1 of bm25 \(topics q2\), is 1, must be 0"):
        prum.compare(hole)
    dropped = prum.compare(hole, missing="drop")
    assert dropped.remarks == ("scores missing, those topics are left out: 1 of bm25 (topics q2)",)
    assert dropped.decision.num_topics == 2
    assert dropped.scores.of(1).shape == (2, 3)
    zero = prum.compare(hole, missing="zero")
    assert zero.scores.values[0, zero.scores.topics.index("q2"), 0] == 0
    assert zero.decision.num_topics == 3
    with pytest.raises(InputError, match="missing is 'no', must be one of refuse, drop, zero"):
        prum.compare(hole, missing="no")
    holes = WIDE.astype(object)
    holes.loc["q3", "dense"] = None
    with pytest.raises(InputError, match=r"1 of dense \(topics q3\)"):
        prum.compare(holes)


def test_measures_that_differ_are_named() -> None:
    """As map of trec_eval beside AP of ir_measures."""
    renamed = LONG.measure.where((LONG.system == "bm25") | (LONG.measure != "AP"), "map")
    other = LONG.assign(measure=renamed)
    with pytest.raises(InputError, match=r"3 of bm25 \(no map, topics q1, .*3 of dense \(no AP"):
        prum.compare(other)


def test_a_value_that_a_measure_lacks_is_not_missing() -> None:
    frame = LONG.copy()
    frame.loc[[1, 4], "score"] = np.nan
    decision = prum.compare(frame).decision
    assert decision.num_topics == 2


COLUMNS_MISSING = "beginning of the scores is 'system, score'"
TWO_COLUMNS = "columns that may be the system is 'model, run', must be one"
WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "twice": (
        lambda: pd.concat([LONG, LONG.head(1)]),
        "score of bm25 on topic q1 by AP is 0.5, must be there once",
    ),
    "infinite": (lambda: LONG.replace(0.5, np.inf), "is inf, must be finite"),
    "text": (
        lambda: LONG.astype(object).replace(0.5, "high"),
        "score in score is 'high', must be a number",
    ),
    "no topics": (lambda: LONG[["system", "score"]], COLUMNS_MISSING),
    "two systems": (lambda: LONG.rename(columns={"system": "model"}).assign(run="x"), TWO_COLUMNS),
    "no system in a row": (
        lambda: LONG.assign(system=["bm25", None] * 6),
        "data frame: column 'system', which names systems, in row 2 is 'empty'",
    ),
    "seeds": (
        lambda: pd.concat([LONG.assign(seed=1), LONG.assign(seed=2)]).reset_index(drop=True),
        "data frame: column 'seed', which tells rows of the same topic apart, is '1, 2, ...'",
    ),
    "means": (
        lambda: pd.DataFrame({"system": ["a", "b"], "AP": [1.0, 2.0]}), "beginning of the scores"
    ),
    "nothing": (lambda: LONG.head(0), "number of scores is 0"),
    "empty": (list, "scores is []"),
    "kind": (lambda: {"bm25": 3}, "scores of bm25 is 3, must map topics to scores"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_data(name: str) -> None:
    make, message = WRONG[name]
    with pytest.raises(InputError, match=re.escape(message)):
        prum.compare(make())  # type: ignore[arg-type]


@pytest.mark.parametrize("role", ["system", "topic"])
def test_a_name_that_no_file_can_hold_is_refused(role: str) -> None:
    names = {"system": "bm25", "topic": "q1"}
    names[role] += "\ud800"
    given = {names["system"]: {"AP": {names["topic"]: 0.5}}}
    with pytest.raises(InputError, match=rf"name of a {role} is '.*', must be a string of Unicode"):
        gathered(rows_of_mapping(given))


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(InputError, match="column of the system is 'x'"):
        prum.compare(LONG, columns={"system": "x"})
    with pytest.raises(InputError, match="kind of column is 'sys'"):
        prum.compare(LONG, columns={"sys": "x"})


# --- files --------------------------------------------------------------------------------------


def lines(system: str, *, topic_first: bool, mean: bool = True) -> str:
    rows = []
    for name, table in (("AP", AP), ("P@5", P)):
        by = {**table[system], **({"all": 0.5} if mean else {})}
        rows += [(q, name, x) if topic_first else (name, q, x) for q, x in by.items()]
    return "".join(f"{x:<22}\t{y}\t{score:.4f}\n" for x, y, score in rows)


def ranx(system: str) -> str:
    return json.dumps({"map@10": AP[system], "precision@5": P[system]}, indent=1)


FORMS: dict[str, dict[str, str]] = {
    "csv": {"scores.csv": LONG.to_csv(index=False)},
    "no suffix": {"scores": LONG.to_csv(index=False)},
    "tsv": {"scores.tsv": LONG.to_csv(index=False, sep="\t")},
    "jsonl": {"scores.jsonl": LONG.to_json(orient="records", lines=True)},
    "wide jsonl": {
        f"{name}.jsonl": table.rename_axis("topic")
        .reset_index()
        .to_json(orient="records", lines=True)
        for name, table in (("AP", WIDE), ("P@5", pd.DataFrame(P)))
    },
    "turned jsonl": {
        f"{name}.jsonl": table.T.rename_axis("system")
        .reset_index()
        .to_json(orient="records", lines=True)
        for name, table in (("AP", WIDE), ("P@5", pd.DataFrame(P)))
    },
    "records": {"scores.json": LONG.to_json(orient="records")},
    "trec_eval": {name: lines(name, topic_first=False) for name in AP},
    "trec_eval without means": {name: lines(name, topic_first=False, mean=False) for name in AP},
    "trec_eval with names": {
        "both": "".join(f"runid\tall\t{x}\n" + lines(x, topic_first=False) for x in AP)
    },
    "ir_measures": {name: lines(name, topic_first=True) for name in AP},
    "ir_measures without means": {name: lines(name, topic_first=True, mean=False) for name in AP},
    "ir_measures jsonl": {
        f"{name}.jsonl": "".join(
            json.dumps({"query_id": q, "measure": measure, "value": x}) + "\n"
            for measure, table in (("AP", AP), ("P@5", P))
            for q, x in {**table[name], "all": 0.5}.items()
        )
        for name in AP
    },
    "a file a system": {
        f"{name}.csv": LONG[LONG.system == name].drop(columns="system").to_csv(index=False)
        for name in AP
    },
    "wide": {"AP.csv": WIDE.to_csv(), "P@5.csv": pd.DataFrame(P).to_csv(index_label="topic")},
    "turned": {
        "AP.tsv": WIDE.T.to_csv(sep="\t", index_label="system"),
        "P@5.tsv": pd.DataFrame(P).T.to_csv(sep="\t", index_label="run"),
    },
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("packed", [False, True])
def test_files_of_every_form(form: str, packed: bool, tmp_path: Path) -> None:
    names = []
    for name, content in FORMS[form].items():
        path = tmp_path / (f"{name}.gz" if packed else name)
        path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
        names.append(path)
    same(prum.compare(names), "AP", "P@5")


def test_scores_of_ranx(tmp_path: Path) -> None:
    for name in AP:
        (tmp_path / f"{name}.json").write_text(ranx(name))
    same(prum.compare(tmp_path), "map@10", "precision@5")
    report = {"stat_test": "student", "metrics": ["map"], "model_names": ["a"], "a": {"scores": {}}}
    (tmp_path / "report.json").write_text(json.dumps(report))
    with pytest.raises(InputError, match=r"report\.json: scores is .*means alone.*Run\.scores"):
        prum.compare(tmp_path / "report.json")


def test_a_mapping_as_json(tmp_path: Path) -> None:
    (tmp_path / "scores.json").write_text(json.dumps(AP))
    same(prum.compare(tmp_path / "scores.json"), "score")
    topics = {q: {"map": AP["bm25"][q], "P_5": P["bm25"][q]} for q in ("q1", "q2", "q3")}
    (tmp_path / "bm25.json").write_text(json.dumps(topics))
    scores = prum.compare(tmp_path / "bm25.json").scores
    assert (scores.systems, scores.measures) == (("bm25",), ("map", "P_5"))


def test_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    LONG.to_parquet(tmp_path / "scores.parquet")
    same(prum.compare(tmp_path / "scores.parquet"), "AP", "P@5")
    WIDE.to_parquet(tmp_path / "wide.parquet")
    same(prum.compare(tmp_path / "wide.parquet"), "wide")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing")
    with pytest.raises(InputError, match=r"broken\.parquet: content is"):
        prum.compare(tmp_path / "broken.parquet")


def mteb(folder: Path, *, layout: str = "{model}/{revision}/{task}.json") -> Path:
    """Write results as mteb 1.12 to 2 writes them."""
    for model, by in AP.items():
        for task, score in by.items():
            path = folder / layout.format(
                model=f"org__{model}",
                revision="a5beb1e3e68b9ab74eb54cfd186867f64f240e1a",
                task=task,
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            entry = {
                "hf_subset": "default", "languages": ["eng-Latn"], "main_score": score,
                "ndcg_at_10": score, "map_at_10": score / 2, "scores_per_experiment": [{"f1": 1}],
            }  # fmt: skip
            content = {
                "dataset_revision": "1", "evaluation_time": 3.5, "kg_co2_emissions": None,
                "mteb_version": "1.12.41", "scores": {"test": [entry]}, "task_name": task,
            }  # fmt: skip
            path.write_text(json.dumps(content, indent=2))
    return folder


@pytest.mark.parametrize(
    "layout", ["{model}/{revision}/{task}.json", "{model}/{task}.json",
               "{model}/no_revision_available/{task}.json"],
)  # fmt: skip
def test_folders_of_mteb(layout: str, tmp_path: Path) -> None:
    scores = prum.compare(mteb(tmp_path, layout=layout)).scores
    assert scores.systems == ("org/bm25", "org/dense")
    assert (scores.topics, scores.measures) == (("q1", "q2", "q3"), ("main_score",))
    np.testing.assert_array_equal(scores.values[:, :, 0], [list(by.values()) for by in AP.values()])
    chosen = prum.compare(tmp_path, measures="map_at_10").scores
    np.testing.assert_array_equal(chosen.values, scores.values / 2)


def test_models_of_mteb_say_their_names_and_lack_tasks(tmp_path: Path) -> None:
    mteb(tmp_path)
    folder = next((tmp_path / "org__dense").iterdir())
    (folder / "model_meta.json").write_text(
        json.dumps({"name": "Org/Dense", "revision": "a5", "n_parameters": 7})
    )
    assert prum.compare(tmp_path).scores.systems == ("org/bm25", "Org/Dense")
    (folder / "q2.json").unlink()
    with pytest.raises(InputError, match=r"1 of Org/Dense \(topics q2\)"):
        prum.compare(tmp_path)


WITH_A_HOLE = pd.DataFrame(
    {"system": ["a", "a", "b", "b"], "topic": ["1", "2"] * 2, "score": [0.5, np.nan, 0.3, 0.4]}
)


def test_an_empty_score_is_no_value_in_a_long_table_and_missing_in_a_wide_one() -> None:
    scores, remarks = gathered(rows_of_frame(WITH_A_HOLE, {}))
    assert remarks == ()
    assert scores.values[:, :, 0].tolist() == [
        [0.5, pytest.approx(np.nan, nan_ok=True)],
        [0.3, 0.4],
    ]
    wide = WITH_A_HOLE.pivot(index="topic", columns="system", values="score")
    with pytest.raises(InputError, match=r"scores missing, 1 of a \(topics 2\), is 1, must be 0"):
        gathered(rows_of_frame(wide.reset_index(), {}))


def test_a_row_of_a_frame_is_counted_from_1() -> None:
    wrong = WITH_A_HOLE.astype(object).replace(0.3, "high")
    with pytest.raises(InputError, match=r"data frame, row 3: score in score is 'high', must be"):
        gathered(rows_of_frame(wrong, {}))


def test_a_text_that_tells_no_rows_apart_is_not_blamed_for_scores_that_stand_twice() -> None:
    twice = pd.concat([WITH_A_HOLE, WITH_A_HOLE[:1]]).assign(note="x").reset_index(drop=True)
    with pytest.raises(InputError, match=r"row 5: score of a on topic 1 .* must be there once"):
        gathered(rows_of_frame(twice, {}))
    with pytest.raises(InputError, match="column 'note', which tells rows"):
        gathered(rows_of_frame(twice.assign(note=list("xxxxy")), {}))


def test_splits_and_subsets_of_mteb_are_topics(tmp_path: Path) -> None:
    entry = {"languages": ["eng-Latn"], "main_score": 0.5}
    splits = {
        "dev": [{**entry, "hf_subset": "default"}],
        "test": [{**entry, "hf_subset": "en"}, {**entry, "hf_subset": "fr"}],
    }
    content = {"task_name": "T", "scores": splits, "mteb_version": "2.1.0"}
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "T.json").write_text(json.dumps(content))
    assert prum.compare(tmp_path).scores.topics == ("T (dev)", "T (test) en", "T (test) fr")


BROKEN = {
    "a run": ("run", "q1 Q0 a 1 4 s\n", r"run: beginning of the scores is 'q1 Q0 a 1 4 s'"),
    "ambiguous lines": ("x", "one two 0.5\n", "must name a measure first"),
    "means alone": ("x", "map all 0.5\nP_5 all 0.25\n", "must be more than the mean of all"),
    "columns of lines": ("x", "map 301 0.5\nmap 302\n", "x, line 2: number of columns is 2"),
    "number": ("x.csv", "system,topic,measure,score\na,q,AP,high\n", r"x\.csv, line 2: score"),
    "two scores": (
        "x.csv", "system,topic,measure,score\na,q,AP,1\na,q,AP,1\n",
        r"x\.csv, line 3: score of a on topic q by AP is 1\.0, must be there once",
    ),
    "cells": ("x.csv", "system,topic,measure,score\na,q,AP\n", "number of columns"),
    "json": ("x.json", "{", "x.json, line 1: content is"),
    "system of a row": (
        "x.csv", "system,topic,score\na,q1,1\n,q1,1\n",
        r"x\.csv: column 'system', which names systems, in row 2 is 'empty'",
    ),
    "first line without scores": (
        "x.jsonl", '{"topic":"q1","bm25":null}\n{"topic":"q2","bm25":"high"}\n',
        r"x\.jsonl, line 2: score in bm25 is 'high'",
    ),
    "wide jsonl": (
        "x.jsonl", '{"index":"q1","bm25":0.5}\n{"index":"q2","bm25":0.25}\n',
        r"x\.jsonl: beginning of the scores is 'index, bm25', must be a table with columns",
    ),
    "other json": ("x.json", '{"a": 3}', "beginning of the scores"),
    "jsonl": ("x.jsonl", '{"topic":"q","score":1}\n{"topic":"q"}\n', r"x\.jsonl, line 2: names of"),
    "empty": ("x.csv", "", "x.csv"),
    "prum's scores": (
        "x.json", '{"means": [], "topics": ["q", "r"], "scores": {"AP": {"a": [0.5]}}}',
        r"x\.json: scores of prum is .* a score for each topic",
    ),
    "prum's score": (
        "x.json", '{"means": [], "topics": ["q"], "scores": {"AP": {"a": ["high"]}}}',
        r"x\.json: score in AP is 'high', must be a number",
    ),
    "prum's measures": (
        "x.json", '{"means": [], "topics": ["q"], "scores": null}', r"x\.json: scores of prum"
    ),
    "mteb's splits": ("x.json", '{"task_name": "T", "scores": []}', r"x\.json: scores of T is"),
    "mteb's subsets": (
        "x.json", '{"task_name": "T", "scores": {"test": []}}', r"x\.json: scores of T is"
    ),
    "huge": (
        "x.csv", "system,topic,score\na,q,1e200\n", r"line 2: score of a .*is 1e\+200, must be fin"
    ),
    "old mteb": ("x.json", '{"mteb_dataset_name": "T", "test": {}}', "that before version 1.11"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(name: str, tmp_path: Path) -> None:
    file, content, message = BROKEN[name]
    (tmp_path / file).write_text(content)
    with pytest.raises(InputError, match=message):
        prum.compare(tmp_path / file)


def test_parquet_of_far_more_cells_than_bytes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pd.DataFrame({"system": ["a"] * 5_000, "topic": "q", "score": 0.5})
    rows.to_parquet(tmp_path / "x.parquet")
    monkeypatch.setattr("prum.simulator.tables.parquet._MOST_CELLS", 10_000)
    with pytest.raises(InputError, match=r"x\.parquet: number of cells .* is 15000, must be"):
        prum.compare(tmp_path / "x.parquet")
    distinct = LONG.assign(**{f"noise {k}": np.random.default_rng(k).random(12) for k in range(9)})
    distinct.to_parquet(tmp_path / "y.parquet")
    monkeypatch.setattr("prum.simulator.tables.parquet._MOST_CELLS", 100)
    same(prum.compare(tmp_path / "y.parquet"), "AP", "P@5")


def test_a_carriage_return_in_the_row_of_names_is_a_mistake(tmp_path: Path) -> None:
    for text in ("system,to\rpic,score\na,q,1\n", "system,topic,score\ra,q,1\r"):
        (tmp_path / "x.csv").write_bytes(text.encode())
        with pytest.raises(InputError, match=r"x\.csv, line 1: row of names is .*rules of CSV"):
            prum.compare(tmp_path / "x.csv")


def test_folders_and_files_twice(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty: number of files is 0"):
        prum.compare(tmp_path / "empty")
    (tmp_path / "x.csv").write_text(LONG.to_csv(index=False))
    with pytest.raises(InputError, match="must be given once"):
        prum.compare([tmp_path / "x.csv", tmp_path])


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        *((name, True) for name in (
            "nDCG(dcg='exp-log2')@10", "ndcg_cut.10", "recip_rank", "P_10", "RBP(p=0.8)@20",
            "R@1000", "r-precision", "iprec_at_recall_0.10",
        )),
        *((name, True) for name in ("ndcg_at_10", "gm_map", "num_rel_ret", "SetP", "Efficiency")),
        *((name, False) for name in (
            "bm25+rm3", "r1", "monot5", "301", "prompt", "rrf", "p1", "map-question", "p-1", "AP@z",
        )),
    ],
)  # fmt: skip
def test_names_of_measures(name: str, wanted: bool) -> None:
    assert is_measure(name) == wanted


def test_every_measure_of_the_catalogue_is_one() -> None:
    for name, definition in MEASURES.items():
        ends = {"rank": "@10", "level": "@0.5", "recall": "@r=2", "budget": "@500 tokens"}
        names = [name, *(name + ends[kind] for kind in definition.cutoffs)]
        assert [one for one in names if not is_measure(one)] == []


def test_topics_with_names_like_measures_are_topics(tmp_path: Path) -> None:
    topics = ["p1", "judged", "map-question"]
    scores = {name: dict(zip(topics, (0.1, 0.3, 0.2), strict=True)) for name in ("bm25", "dense")}
    wide = pd.DataFrame(scores).T.rename_axis("system")
    (tmp_path / "scores.json").write_text(json.dumps(scores))
    frames = wide.reset_index(), wide.T.rename_axis("topic")
    for given in (scores, *frames, tmp_path / "scores.json"):
        found = prum.compare(given).scores
        assert (set(found.systems), set(found.topics)) == ({"bm25", "dense"}, set(topics))


def test_measures_that_only_the_catalogue_knows_stand_across(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"topic": ["q1", "q2"], "Efficiency": [0.5, 1.0], "CharPrecision@10": [0.1, 0.2]}
    )
    table.to_csv(tmp_path / "bm25.csv", index=False)
    table.to_csv(tmp_path / "dense.csv", index=False)
    found = prum.compare(tmp_path).scores
    assert found.systems == ("bm25", "dense")
    assert found.measures == ("Efficiency", "CharPrecision@10")
    with pytest.raises(InputError, match="measures and others is 'nDCG@10, mine', must be all of"):
        prum.compare(table.set_axis(["topic", "nDCG@10", "mine"], axis=1))
    nested = {"q1": {"nDCG@10": 0.5, "mine": 1.0}, "q2": {"nDCG@10": 0.5, "mine": 1.0}}
    (tmp_path / "nested.json").write_text(json.dumps(nested))
    with pytest.raises(InputError, match=r"nested\.json: names of measures and others"):
        prum.compare(tmp_path / "nested.json")


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
    names = {"system": "engine"}
    same(prum.compare(given, columns=names), "AP", "P@5")


@pytest.mark.parametrize("heading", ["retriever", "tag", "name", "Model", "system"])
def test_a_system_is_called_by_any_usual_name(heading: str) -> None:
    same(prum.compare(LONG.rename(columns={"system": heading})), "AP", "P@5")


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    (tmp_path / "scores.csv").write_text(LONG.to_csv(index=False))
    return tmp_path


def called(*words: str) -> Result:
    return CliRunner().invoke(command, ["compare", *words], catch_exceptions=False)


def test_the_command_gives_what_python_does(files: Path) -> None:
    words = ("--primary", "P@5", "--method", "holm", "--margin", "0.5", "--seed", "3")
    done = called("scores.csv", *words, "--json", "out.json", "--csv", "out.csv")
    assert done.exit_code == 0, done.output
    result = prum.compare("scores.csv", primary="P@5", method="Holm", margin=0.5, seed=3)
    written = json.loads((files / "out.json").read_text())
    made = json.loads(result.to_json())
    for key in written.keys() - {"command", "arguments"}:
        assert written[key] == made[key], key
    assert (files / "out.csv").read_text() == result.to_csv()
    assert result.decision.pairs[0].sentence in " ".join(done.stdout.split())
    assert written["decision"]["method"] == "Holm"
    assert written["decision"]["seed"] == 3
    again = called(*shlex.split(written["command"])[2:], "--json", "again.json")
    assert again.exit_code == 0
    assert json.loads((files / "again.json").read_text()) == written


def test_a_table_written_by_evaluate_is_decided_alike(files: Path) -> None:
    runs = {"good": {"q1": ["a", "x"], "q2": ["b"]}, "poor": {"q1": ["x", "a"], "q2": ["x"]}}
    first = prum.evaluate(runs, {"q1": {"a": 1}, "q2": {"b": 1}}, measures="AP,P@2,AP@r=1")
    (files / "out.json").write_text(first.to_json())
    (files / "out.csv").write_text(first.to_csv())
    for name in ("out.json", "out.csv"):
        second = prum.compare(name)
        assert second.decision.pairs == first.decision.pairs
        assert second.decision.places == first.decision.places


MISTAKES = {
    "columns": (("--columns", "system"), "'system' is no KIND=NAME"),
    "method": (("--method", "t"), "'t' is not one of"),
    "column": (("--columns", "system=x"), "column of the system is 'x'"),
    "baseline": (("--baseline", "x"), "baseline is 'x', must be one of the systems, like 'bm25'"),
    "level": (("--level", "2"), "level is 2.0, must be at least 1e-12"),
    "output": (("--json", "scores.csv"), "scores.csv"),
    "file": (("none.csv",), "none.csv: No such file"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line(
    name: str, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words, message = MISTAKES[name]
    monkeypatch.setattr("sys.argv", ["prum", "compare", "scores.csv", *words])
    with pytest.raises(SystemExit) as ending:
        main()
    assert ending.value.code == 2
    told = capsys.readouterr().err
    assert message in told
    assert len(told.strip().splitlines()) == 1
    assert (files / "scores.csv").read_text() == LONG.to_csv(index=False)


def test_a_packed_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "scores.csv.bz2").write_bytes(bz2.compress(LONG.to_csv(index=False).encode()))
    packed = prum.compare(tmp_path / "scores.csv.bz2").to_frame()
    assert packed.equals(prum.compare(LONG).to_frame())


@pytest.mark.parametrize("header", ["system,topic,measure\rscore", "topic\ta\r\tb"])
def test_a_lone_carriage_return_in_a_header_is_told(header: str, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_bytes(f"{header}\na,1,.5\n".encode())
    with pytest.raises(InputError, match=r"scores.csv, line 1: row of names is .*rules of CSV"):
        prum.compare(tmp_path / "scores.csv")
