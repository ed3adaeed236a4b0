"""`prum evaluate`: tables, files, trec_eval's lines, and one line for every mistake."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from prum import evaluate as prum_evaluate
from prum.experiments.commands.main import prum
from prum.experiments.measures.catalogue import MEASURES
from tests.commands import refused

GOOD = "q1 Q0 a 1 4 s\nq1 Q0 x 2 3 s\nq1 Q0 b 3 2 s\nq2 Q0 a 1 1 s\n"
POOR = "q1 Q0 x 1 4 s\nq1 Q0 a 2 3 s\nq2 Q0 x 1 2 s\nq2 Q0 a 2 1 s\n"
QRELS = "q1 0 a 1\nq1 0 b 2\nq1 0 x 0\nq2 0 a 1\n"
LINKS = "source,target,probability\nx,b,.5\n"
PAGE = "element,parent,length,start\np,,100,0\na,p,40,0\nb,p,40,40\nx,p,20,80\n"
ASSESSED = "q1 0 p E3S1\nq1 0 a E3S3\nq1 0 b E2S3\nq2 0 p E3S1\nq2 0 x E3S3\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in {
        "good": GOOD,
        "poor": POOR,
        "qrels": QRELS,
        "links.csv": LINKS,
        "page.csv": PAGE,
        "assessed": ASSESSED,
    }.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    # Tables are as wide as the terminal.
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path


def evaluate(*words: str) -> Result:
    return CliRunner().invoke(prum, ["evaluate", *words], catch_exceptions=False)


def done(*words: str) -> str:
    result = evaluate(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


TWO = ("good", "poor", "--qrels", "qrels", "--collection-size", "5")


# --- what it writes ---------------------------------------------------------------------------


def test_a_table_of_default_measures(files: Path) -> None:
    told = done(*TWO)
    for words in ("Mean over 2 topics", "AP", "nDCG@10", "P@10", "R@100", "RR", "RBP", "poor"):
        assert words in told
    assert "for PRUM give links or elements, and the collection's size" in told
    assert f"{(1 + 2 / 3 + 2) / 4:.4f}" in told
    assert told.startswith("By AP, good against poor is undecided: 2 topics are too few to decide")
    assert "Decided by AP on 2 topics: studentised bootstrap, seed 1." in " ".join(told.split())
    told = done(*TWO, "--method", "Holm")
    assert told.startswith("By AP, good is better than poor by .01 to 1.00 (p = .049).")
    assert done(*TWO, "--links", "links.csv").startswith("By PRUM, ")
    assert sorted(os.listdir(files)) == sorted(
        ["assessed", "good", "links.csv", "page.csv", "poor", "qrels"]
    )


def test_scores_as_csv(files: Path) -> None:
    done(*TWO, "--measures", "AP,P@2,AP@r=2", "--csv", "out.csv")
    table = pd.read_csv(files / "out.csv")
    assert table.columns.tolist() == ["system", "topic", "measure", "score"]
    found = table.set_index(["system", "topic", "measure"])["score"].to_dict()
    assert len(table) == len(found) == 2 * 2 * 3
    assert found["good", "q1", "AP"] == pytest.approx((1 + 2 / 3) / 2)
    assert found["poor", "q2", "AP"] == pytest.approx(1 / 2)
    assert found["poor", "q1", "P@2"] == pytest.approx(1 / 2)
    assert pd.isna(found["good", "q2", "AP@r=2"])


def test_everything_as_json(files: Path) -> None:
    done(*TWO, "--measures", "AP, PRUM@r=2", "--links", "links.csv", "--json", "out.json")
    found = json.loads((files / "out.json").read_text())
    assert found["topics"] == ["q1", "q2"]
    assert found["without_ideals"] == []
    assert found["confidence"] == 0.95
    assert found["arguments"]["runs"] == ["good", "poor"]
    assert found["arguments"]["links"] == "links.csv"
    assert found["scores"]["AP"]["good"] == pytest.approx([(1 + 2 / 3) / 2, 1])
    # From x to b with .5: q2 has no second ideal.
    assert found["scores"]["PRUM@r=2"]["good"][1] is None
    means = {(row["measure"], row["system"]): row for row in found["means"]}
    assert means["AP", "poor"]["mean"] == pytest.approx((1 / 4 + 1 / 2) / 2)
    assert means["PRUM@r=2", "good"]["topics"] == 1
    assert means["PRUM@r=2", "good"]["low"] is None
    decision = found["decision"]
    assert (decision["measure"], decision["family"], decision["topics"]) == ("AP", 1, 2)
    assert (decision["method"], decision["level"], decision["seed"]) == ("bootstrap", 0.05, 1)
    (pair,) = decision["pairs"]
    assert (pair["system"], pair["other"], pair["topics"]) == ("good", "poor", 2)
    assert pair["sentence"].startswith("good against poor is undecided: ")
    assert [place["system"] for place in decision["places"]] == ["good", "poor"]
    done(*TWO, "--measures", "AP@r=2, AP", "--json", "out.json")
    (pair,) = json.loads((files / "out.json").read_text())["decision"]["pairs"]
    assert (pair["p"], pair["low"], pair["verdict"]) == (None, None, "no test")


def test_top_rows(files: Path) -> None:
    out = done(*TWO, "--measures", "AP", "--top", "1", "--latex", "out.tex")
    assert "the first of 2 systems: 1 more follows" in out
    tex = (files / "out.tex").read_text()
    assert ("good" in tex, "poor" in tex) == (True, False)


def test_the_listing_has_every_measure() -> None:
    listed = CliRunner().invoke(prum, ["list", "measures"]).output
    for name, definition in MEASURES.items():
        assert re.search(rf"^{name}\b", listed, re.MULTILINE), name
        assert definition.about in listed
    for words in (
        "p=0.8 theta=N",
        "convention=gdeval|chapelle",
        "rel=N",
    ):
        assert words in listed


@pytest.mark.usefixtures("files")
def test_what_is_odd_of_lists_is_counted(files: Path) -> None:
    (files / "odd").write_text(GOOD.replace("q2", "q7") + "q1 Q0 a 4 1 s\nq1 Q0 z 5 0 s\n" * 2)
    words = ("good", "odd", *TWO[2:], "--measures", "AP,RBP", "--json", "out.json")
    result = evaluate(*words)
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "prum: elements listed again for a topic, of no worth then: 3 of 7 in odd",
        "prum: judged topics that a run lacks, scored as empty lists: 1 of 2 in odd",
        "prum: places among the first ten whose element nobody judged, scored as not relevant: "
        "2 of 7 in odd",
    ]
    names = "system places repeated different unjudged top_places unjudged_in_top missing_topics"
    assert json.loads((files / "out.json").read_text())["lists"] == [
        dict(zip((*names.split(), "merged_places"), row, strict=True))
        for row in (("good", 4, 0, 4, 0, 4, 0, [], 0), ("odd", 7, 3, 4, 1, 7, 2, ["q2"], 0))
    ]
    assert evaluate("good", *TWO[2:]).stderr == ""
    # Negative grades mark what was pooled and not judged.
    (files / "pooled").write_text(QRELS.replace("x 0", "x -1"))
    result = evaluate("good", "poor", "--qrels", "pooled", "--measures", "AP")
    assert result.stderr == (
        "prum: places among the first ten whose element nobody judged, scored as not relevant: "
        "2 of 4 in poor, 1 of 4 in good\n"
    )


def test_runs_of_one_file_name_are_told_apart_by_their_paths(files: Path) -> None:
    for folder, content in {"old": POOR, "new": GOOD}.items():
        (files / folder).mkdir()
        (files / folder / "bm25").write_text(content)
    words = ("old/bm25", "new/bm25", "good", *TWO[2:], "--measures", "AP", "--json", "out.json")
    done(*words, "--baseline", "old/bm25")
    means = json.loads((files / "out.json").read_text())["means"]
    assert [row["system"] for row in means] == ["old/bm25", "new/bm25", "good"]
    assert means[0]["mean"] < means[1]["mean"] == means[2]["mean"]


@pytest.mark.usefixtures("files")
def test_topics_without_ideals_are_named_and_left_out() -> None:
    result = evaluate("good", "--qrels", "qrels", "--measures", "AP", "--ideal-grade", "2")
    assert result.exit_code == 0
    assert result.stderr == "prum: left out, no ideal: q2\n"
    assert "topic q1" in result.stdout


def test_assessments_and_elements(files: Path) -> None:
    words = ("good", "--qrels", "assessed", "--elements", "page.csv", "--json", "out.json")
    names = "GRPng,PRUM,ExactPRUM,xCG@2,T2I(words=10),GradedPRUM,EPRUM(users=100),GR@1"
    done(*words, "--measures", names)
    strict: dict[str, Any] = json.loads((files / "out.json").read_text())["scores"]
    assert strict["PRUM"]["good"][0] == 1
    assert strict["xCG@2"]["good"][0] == 1
    done(*words, "--measures", names, "--ideals", "best")
    best = json.loads((files / "out.json").read_text())["scores"]
    # Then b is an ideal too, third of the list.
    assert best["PRUM"]["good"][0] < 1
    assert best["GRPng"] == strict["GRPng"]


# --- from Python ------------------------------------------------------------------------------

RUNS = {
    "good": {"q1": ["a", "x", "b"], "q2": {"a": 1.0}},
    "poor": {"q1": {"a": 3.0, "x": 4.0}, "q2": ["x", "a"]},
}
GRADES = {"q1": {"a": 1, "b": 2, "x": 0}, "q2": {"a": 1}}
NAMES = "PRUM,ExactPRUM@r=2,AP,P@2,nDCG,RP(tied=true)"


def test_python_gives_what_the_command_writes(files: Path) -> None:
    words = ("--measures", NAMES, "--links", "links.csv", "--baseline", "poor")
    told = done(*TWO, *words, "--json", "out.json", "--csv", "out.csv")
    given: dict[str, Any] = {"measures": NAMES, "collection_size": 5, "baseline": "poor"}
    of_files = prum_evaluate([files / "good", "poor"], "qrels", links="links.csv", **given)
    of_data = prum_evaluate(RUNS, GRADES, links={("x", "b"): 0.5}, **given)
    written = json.loads((files / "out.json").read_text())
    for result in (of_files, of_data):
        made = json.loads(result.to_json())
        for key in written.keys() - {"command", "arguments"}:
            assert made[key] == written[key], key
        assert made.keys() == written.keys()
        assert result.to_csv() == (files / "out.csv").read_text()
        assert result.view().headline in told
    assert of_files.arguments["links"] == "links.csv"
    assert "links" not in of_data.arguments
    another = prum_evaluate(RUNS, GRADES, links={("x", "b"): 0.25}, **given)
    assert another.to_csv() != of_data.to_csv()


def test_hostile_names_stay_on_their_line(files: Path) -> None:
    (files / "go\x1b[31mod").write_text(GOOD)
    told = done("go\x1b[31mod", *TWO[1:], "--measures", "AP")
    assert "\x1b" not in told
    assert "[31mod" in told


# --- mistakes ---------------------------------------------------------------------------------

MISTAKES = {
    "no run": (("--qrels", "qrels"), ("RUNS",)),
    "no qrels": (("good",), ("--qrels",)),
    "run is missing": (("none", "--qrels", "qrels"), ("none: No such file",)),
    "broken run": (("broken", "--qrels", "qrels", "--measures", "AP"), ("broken, line 1",)),
    "no size": (
        ("good", "--qrels", "qrels", "--measures", "EPRUM"),
        ("EPRUM, run good, topic q1", "collection size must be", "--collection-size"),
    ),
    "best without elements": (
        ("good", "--qrels", "assessed", "--ideals", "best"),
        ("ideals is 'best'", "--elements"),
    ),
    "output over input": ((*TWO, "--csv", "qrels"), ("qrels", "none of the other files")),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line(mistake: str, files: Path) -> None:
    (files / "broken").write_text("q1 Q0 a 1\n")
    words, told = MISTAKES[mistake]
    outputs = () if {"--csv", "--json"} & set(words) else ("--csv", "out.csv", "--json", "out.json")
    refused("evaluate", *words, *outputs, folder=files, told=told)


@pytest.mark.usefixtures("files")
def test_lines_as_trec_eval_prints_them() -> None:
    lines = done(*TWO, "--measures", "AP,P@2", "--trec").splitlines()
    fields = [tuple(field.strip() for field in line.split("\t")) for line in lines]
    assert fields[0] == ("runid", "all", "good")
    assert fields.count(("runid", "all", "poor")) == 1
    assert ("AP", "q1", "0.8333") in fields
    assert ("AP", "all", "0.9167") in fields
    assert len(lines) == 2 * (1 + 2 * 2 + 2)


@pytest.mark.usefixtures("files")
def test_nothing_is_decided_that_nobody_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("decided")

    monkeypatch.setattr("prum.experiments.compare.result.decide", refused)
    done(*TWO, "--measures", "AP", "--trec", "--csv", "out.csv")
    with pytest.raises(AssertionError, match="decided"):
        evaluate(*TWO, "--measures", "AP")
