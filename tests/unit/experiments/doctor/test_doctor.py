"""What files are, what goes with what, and that the commands which are printed work."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.doctor import doctor
from prum.experiments.frame.frames import FrameResult
from tests.commands import called
from tests.tiers import slow

FILES: dict[str, tuple[str, str, str]] = {
    # Name -> what it holds, what it is, and what is said of that.
    "my.run": (
        "q1 Q0 a 1 2.5 my\nq1 Q0 b 2 2.5 my\nq2 Q0 c 1 3 my\nq2 Q0 a 2 1 my\n",
        "run",
        "1 system, 2 topics, 2 elements a list, 50 % of them tied",
    ),
    "other.csv": (
        "system,qid,docno,score\nx,q1,b,2.5\nx,q1,a,1.5\nx,q2,a,3\nx,q2,z,2.5\n",
        "run",
        "1 system, 2 topics, 2 elements a list, 0 % of them tied",
    ),
    "people": (
        "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq2 0 a 0\nq3 0 a 0\n",
        "judgements",
        "3 topics, 5 elements judged, 2 ideal, grades 0, 1, 2, 1 of the topics without an ideal",
    ),
    "judge.tsv": (
        "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t1\nq2\tc\t1\nq2\ta\t0\n",
        "judgements",
        "2 topics, 4 elements judged, 3 ideal, grades 0, 1",
    ),
    "links.csv": (
        "source,target,probability\na,c,.4\nb,a,.2\nb,d,.5\n",
        "links",
        "3 links, 4 elements",
    ),
    "log.csv": (
        "session,element\n1,b\n1,a\n1,c\n2,b\n2,d\n",
        "log",
        "2 sessions, 5 visits, 4 elements",
    ),
    "scores.csv": (
        "system,topic,measure,score\nx,1,AP,.5\nx,2,AP,.25\ny,1,AP,.5\ny,2,AP,.75\n",
        "scores",
        "4 scores, 2 systems, 2 topics, 1 measure",
    ),
    "lines": (
        "runid all z\nP_5 q1 0.2\nP_5 q2 0.4\nP_5 all 0.3\n",
        "scores",
        "2 scores, 1 system, 2 topics, 1 measure",
    ),
    "uncertain.csv": (
        "topic,element,probability\nq1,a,.9\nq1,b,.2\nq2,c,.6\n",
        "probabilities",
        "2 topics",
    ),
    "gold.csv": (
        "question,doc,start,end\nwho,d1,0,10\nwhat,d1,50,60\n",
        "gold spans",
        "2 questions",
    ),
    "chunks.csv": (
        "id,doc,start,end\nk1,d1,0,40\nk2,d1,40,80\n",
        "chunks",
        "2 chunks, 1 document",
    ),
    "chunks.run": (
        "who Q0 k1 1 2 ch\nwhat Q0 k1 1 2 ch\nwhat Q0 k2 2 1 ch\n",
        "run",
        "1 system, 2 topics, 2 elements a list, 0 % of them tied",
    ),
    "tree.csv": (
        "element,parent,length\ne,,100\na,e,40\nb,e,30\nc,e,5\nd,e,5\nz,e,5\n",
        "elements",
        "6 elements",
    ),
}
COMMANDS = {
    "evaluate my.run other.csv --qrels people",
    "evaluate my.run other.csv --qrels people --links links.csv",
    "trust --run my.run --run other.csv --qrels people --links links.csv",
    "evaluate my.run other.csv --qrels people --elements tree.csv",
    "evaluate my.run other.csv --judgements uncertain.csv",
    "evaluate chunks.run --chunks chunks.csv --spans gold.csv",
    "judges judge.tsv --human people",
    "compare scores.csv",
    "fit log.csv --links links.csv --skip-strays -o fitted.json",
}
GAME = {"runs": [{"model": "m", "result": "win", "steps": [{"article": "a"}, {"article": "c"}]}]}
# Other files -> what they are, and what is said of them.
ODD: dict[str, tuple[Any, str, str]] = {
    "qrels.json": ({"q1": {"a": 1, "b": 0}}, "judgements", "1 topic, 2 elements judged, 1 ideal"),
    "run.json": ({"q1": {"a": 0.5, "b": 0.25}}, "run", "1 system, 1 topic, 2 elements a list"),
    "whole.json": ({"q1": {"a": 25, "b": 12}}, "run", "1 system, 1 topic, 2 elements a list"),
    "of_ranx.json": ({"map": {"q1": 0.5}, "mrr": {"q1": 1.0}}, "scores", "2 measures"),
    "game.json": (GAME, "sessions", "1 session, 1 system, 1 topic"),
    "tests.json": (
        {"tests": [{"query": "who", "snippets": [{"file_path": "d", "span": [0, 5]}]}]},
        "gold spans",
        "1 question",
    ),
    "edges.csv": ("source,target\na,b\n", "edges", "1 link, 2 elements"),
    "liked.csv": ("topic,preferred,other\nq,a,b\n", "preferences", "2 elements judged"),
    "play.xml": ("<?xml version='1.0'?><p><a>one</a></p>", "elements", "2 elements"),
    "msmarco.qrels": ("7 30\n8 31\n", "judgements", "2 topics, 2 elements judged, 2 ideal"),
    "msmarco.run": ("7 30 1\n7 31 2\n8 31 1\n", "run", "1 system, 2 topics, 2 elements a list"),
    "beir.jsonl": (
        '{"query-id": "q", "corpus-id": "a", "score": 1}\n',
        "judgements",
        "1 element judged",
    ),
    "assessed": ("q1 0 a E3S2\n", "judgements", "1 element"),
    "wide.csv": ("query,document,nist\nq,a,2\n", "unknown", "add grade, or call a column so"),
    "half.run": ("q1 Q0 a 1 high my\n", "run", "line 1: score is 'high'"),
    "twice.run": ("q1 Q0 a 1 2 my\nq1 Q0 b 2 x my\n", "run", "line 2: score is 'x'"),
    "broken.json": ('{"q1": {"a": 1', "unknown", "must be JSON"),
    "asked.csv": (
        "judge,qid,docno,label,trial\nj,q,a,1,1\nj,q,a,0,2\nk,q,a,1,1\n",
        "judgements",
        "3 judges, 1 topic, 1 element judged",
    ),
    "empty": ("", "unknown", "beginning is"),
    "zeros": ("a\0b\n", "unknown", "beginning is"),
}


def made(folder: Path, names: Any = FILES) -> Path:
    for name in names:
        (folder / name).write_text(FILES[name][0], encoding="utf-8")
    return folder


def told(result: FrameResult) -> str:
    view = result.view()
    return "\n".join([view.headline, *view.sentences, *view.notes])


def test_each_file_is_what_it_is(tmp_path: Path) -> None:
    rows = {Path(row.file).name: row for row in doctor(made(tmp_path)).rows("files")}
    assert {name: (row.kind, row.holds) for name, row in rows.items()} == {
        name: (kind, holds) for name, (_, kind, holds) in FILES.items()
    }


@pytest.mark.parametrize("name", ODD)
def test_other_forms_and_what_is_wrong(name: str, tmp_path: Path) -> None:
    content, kind, said = ODD[name]
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    result = doctor(path)
    (row,) = result.rows("files")
    assert row.kind == kind
    assert said in f"{row.holds}\n{told(result)}"


def test_what_goes_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made(tmp_path))
    result = doctor([*FILES])
    by_judge = {x.replace("--qrels people", "--qrels judge.tsv") for x in COMMANDS}
    printed = {row.command for row in result.rows("commands")}
    assert printed == {f"prum {words}" for words in COMMANDS | by_judge}
    shared = {(row.file, row.other): row.share for row in result.rows("together")}
    assert shared["my.run", "people"] == "2 topics, 100 % of what is listed is judged"
    assert shared["other.csv", "people"] == "2 topics, 75 % of what is listed is judged"
    assert shared["my.run", "links.csv"] == "3 elements"
    assert ("chunks.run", "people") not in shared


@pytest.mark.parametrize(
    "words",
    [pytest.param(x, marks=[] if x.startswith("compare") else slow) for x in sorted(COMMANDS)],
)
def test_the_commands_that_are_printed_work(words: str, tmp_path: Path) -> None:
    done = called(*shlex.split(words), folder=made(tmp_path))
    assert done.returncode == 0, done.stderr


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    for name, lack in (
        ("my.run", "run: judgements, to score the runs"),
        ("people", "judgements: run, to score the runs"),
        ("log.csv", "log: links, to learn how people browse"),
        ("lines", "scores: scores of a second system"),
        ("gold.csv", "gold spans: run, chunks, to score"),
    ):
        folder = tmp_path / f"of {name}"
        folder.mkdir()
        result = doctor(made(folder, [name]) / name)
        assert f"Missing beside {lack}" in told(result)
        assert "no command to run" in told(result)


def test_an_empty_hand(tmp_path: Path) -> None:
    shown = called("doctor", folder=tmp_path)
    assert shown.stdout.startswith("No files: bring some of these")
    assert "topic Q0 element rank score tag" in shown.stdout
    assert "prum crosscheck --example web" in shown.stdout


def test_the_shared_files_are_known(shared_data: Path) -> None:
    kinds = {
        Path(row.file).name: row.kind
        for folder in ("field", "rag_spans", "judges", "agents")
        if (shared_data / folder).is_dir()
        for row in doctor(shared_data / folder).rows("files")
    }
    wanted = {"result_file": "run", "gain_file": "judgements", "qrels.parquet": "judgements"}
    wanted |= {"run.parquet": "run", "t1.json": "sessions", "otlp.json": "sessions"}
    wanted |= {"questions_df.csv": "gold spans", "llmjudge_33.tsv.gz": "unknown"}
    wanted = {name: kind for name, kind in wanted.items() if name in kinds}
    assert {name: kinds[name] for name in wanted} == wanted
