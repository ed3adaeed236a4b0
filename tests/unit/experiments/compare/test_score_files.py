"""Scores in files of every form, read as what they are, and the command."""

import bz2
import gzip
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import prum
from prum.experiments.commands.main import prum as command
from prum.simulator.model import InputError
from tests.unit.experiments.compare.made_scores import AP, BOTH, LONG, WIDE, P, assert_same


def lines(system: str, *, topic_first: bool, mean: bool = True) -> str:
    rows = []
    for name, table in (("AP", AP), ("P@5", P)):
        by = {**table[system], **({"all": 0.5} if mean else {})}
        rows += [(q, name, x) if topic_first else (name, q, x) for q, x in by.items()]
    return "".join(f"{x:<22}\t{y}\t{score:.4f}\n" for x, y, score in rows)


def by_measure(written: Callable[[pd.DataFrame], str], suffix: str) -> dict[str, str]:
    """Return a file for each measure, of topics by systems."""
    tables = zip(BOTH, (WIDE, pd.DataFrame(P)), strict=True)
    return {f"{name}.{suffix}": written(table) for name, table in tables}


def as_lines(frame: pd.DataFrame) -> str:
    return str(frame.reset_index().to_json(orient="records", lines=True))


FORMS: dict[str, dict[str, str]] = {
    "csv": {"scores.csv": LONG.to_csv(index=False)},
    "tsv": {"scores.tsv": LONG.to_csv(index=False, sep="\t")},
    "jsonl": {"scores.jsonl": LONG.to_json(orient="records", lines=True)},
    "wide jsonl": by_measure(lambda table: as_lines(table.rename_axis("topic")), "jsonl"),
    "turned jsonl": by_measure(lambda table: as_lines(table.T.rename_axis("system")), "jsonl"),
    "records": {"scores.json": LONG.to_json(orient="records")},
    "trec_eval": {name: lines(name, topic_first=False) for name in AP},
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
    "wide": by_measure(lambda table: table.to_csv(), "csv"),
    "wide, topics named": by_measure(lambda table: table.to_csv(index_label="topic"), "csv"),
    "turned": by_measure(lambda table: table.T.to_csv(sep="\t", index_label="run"), "tsv"),
}


PACK: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2"])
def test_files_of_every_form(form: str, suffix: str, tmp_path: Path) -> None:
    names = []
    for name, content in FORMS[form].items():
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(PACK[suffix](content.encode()))
        names.append(path)
    assert_same(prum.compare(names), *BOTH)


def test_scores_of_ranx(tmp_path: Path) -> None:
    for name in AP:
        (tmp_path / f"{name}.json").write_text(
            json.dumps({"map@10": AP[name], "precision@5": P[name]}, indent=1)
        )
    assert_same(prum.compare(tmp_path), "map@10", "precision@5")


def test_a_mapping_as_json(tmp_path: Path) -> None:
    (tmp_path / "scores.json").write_text(json.dumps(AP))
    assert_same(prum.compare(tmp_path / "scores.json"), "score")
    topics = {q: {"map": AP["bm25"][q], "P_5": P["bm25"][q]} for q in ("q1", "q2", "q3")}
    (tmp_path / "bm25.json").write_text(json.dumps(topics))
    scores = prum.compare(tmp_path / "bm25.json").scores
    assert (scores.systems, scores.measures) == (("bm25",), ("map", "P_5"))


def test_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    LONG.to_parquet(tmp_path / "scores.parquet")
    assert_same(prum.compare(tmp_path / "scores.parquet"), *BOTH)
    WIDE.to_parquet(tmp_path / "wide.parquet")
    assert_same(prum.compare(tmp_path / "wide.parquet"), "wide")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing")
    with pytest.raises(InputError, match=r"broken\.parquet: content is"):
        prum.compare(tmp_path / "broken.parquet")


NOT_ALL = {q: {"nDCG@10": 0.5, "mine": 1.0} for q in ("q1", "q2")}

# Mistake -> file, content, and the message.
BROKEN = {
    "a measure and another": (
        "x.json",
        json.dumps(NOT_ALL),
        r"x\.json: names of measures and others",
    ),
    "a run": ("run", "q1 Q0 a 1 4 s\n", "must hold scores, not a run; score runs by prum ev"),
    "ambiguous lines": ("x", "one two 0.5\n", "must name a measure first"),
    "means alone": ("x", "map all 0.5\nP_5 all 0.25\n", "must be more than the mean of all"),
    "columns of lines": ("x", "map 301 0.5\nmap 302\n", "x, line 2: number of columns is 2"),
    "number": ("x.csv", "system,topic,measure,score\na,q,AP,high\n", r"x\.csv, line 2: score"),
    "two scores": (
        "x.csv",
        "system,topic,measure,score\na,q,AP,1\na,q,AP,1\n",
        r"x\.csv, line 3: score of a on topic q by AP is 1\.0, must be given once",
    ),
    "cells": ("x.csv", "system,topic,measure,score\na,q,AP\n", "number of columns"),
    "json": ("x.json", "{", "x.json, line 1: content is"),
    "system of a row": (
        "x.csv",
        "system,topic,score\na,q1,1\n,q1,1\n",
        r"x\.csv: column 'system', which names systems, in row 2 is 'empty'",
    ),
    "first line without scores": (
        "x.jsonl",
        '{"topic":"q1","bm25":null}\n{"topic":"q2","bm25":"high"}\n',
        r"x\.jsonl, line 2: score in bm25 is 'high'",
    ),
    "jsonl": ("x.jsonl", '{"topic":"q","score":1}\n{"topic":"q"}\n', r"x\.jsonl, line 2: score of"),
    "empty": ("x.csv", "", "x.csv"),
    "huge": (
        "x.csv",
        "system,topic,score\na,q,1e200\n",
        r"line 2: score of a .*is 1e\+200, must be fin",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(name: str, tmp_path: Path) -> None:
    file, content, message = BROKEN[name]
    (tmp_path / file).write_bytes(content.encode())
    with pytest.raises(InputError, match=message):
        prum.compare(tmp_path / file)


def test_folders_and_files_twice(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty: number of files is 0"):
        prum.compare(tmp_path / "empty")
    (tmp_path / "x.csv").write_text(LONG.to_csv(index=False))
    with pytest.raises(InputError, match="must be given once"):
        prum.compare([tmp_path / "x.csv", tmp_path])


def test_measures_stand_across_where_no_column_names_systems(tmp_path: Path) -> None:
    table = pd.DataFrame({"topic": ["q1", "q2"], "AP": [0.5, 1.0], "P@5": [0.1, 0.2]})
    for name in ("bm25", "dense"):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    found = prum.compare(tmp_path).scores
    assert (found.systems, found.measures) == (("bm25", "dense"), ("AP", "P@5"))


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
    words = ("--measures", "P@5,AP", "--method", "Holm", "--margin", "0.5", "--seed", "3")
    done = called("scores.csv", *words, "--json", "out.json", "--csv", "out.csv")
    assert done.exit_code == 0, done.output
    result = prum.compare("scores.csv", measures="P@5,AP", method="Holm", margin=0.5, seed=3)
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
    (files / "out.csv").write_text(first.to_csv())
    second = prum.compare("out.csv")
    assert second.decision.pairs == first.decision.pairs
    assert second.decision.places == first.decision.places
