"""`prum study thresholds` on runs of TREC-COVID as they were submitted."""

import csv
import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands import called
from tests.tiers import slow

pytestmark = slow

RUNS = ("BERT", "RMITBFuseM2", "UIowaS_Run3", "bm25_baseline", "elhuyar_rRnk_cbert",
        "run1", "sab20.1.meta.docs", "tm_lda400")  # fmt: skip


def submitted(folder: Path, run: str) -> Path:
    return folder / "runs-as-submitted" / f"{run}.gz"


@pytest.fixture(scope="module")
def source(shared_data: Path) -> Path:
    """Return the folder of TREC-COVID's first round."""
    folder = shared_data / "trec_covid"
    for path in (folder / "qrels-rnd1.txt.gz", *(submitted(folder, run) for run in RUNS)):
        if not path.is_file():
            pytest.skip(f"no runs of TREC-COVID: {path} is missing")
    return folder


@pytest.fixture(scope="module")
def study(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the command writes, and says."""
    folder = tmp_path_factory.mktemp("thresholds")
    words = [word for run in RUNS for word in ("--run", str(submitted(source, run)))]
    done = called(
        "study", "thresholds", *words, "--qrels", str(source / "qrels-rnd1.txt.gz"),
        "--draws", "10", "--json", "out.json", "--csv", "out.csv", "--html", "out.html",
        folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    content = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(content["rows"])
    page = (folder / "out.html").read_text(encoding="utf-8")
    return {**content, "stderr": done.stderr, "stdout": done.stdout, "page": page}


def judged(source: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    with gzip.open(source / "qrels-rnd1.txt.gz", "rt") as file:
        for line in file:
            topic, _, document, grade = line.split()
            grades[topic][document] = int(grade)
    return grades


def listed(source: Path, run: str) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    with gzip.open(submitted(source, run), "rt") as file:
        for line in file:
            topic, _, document, _, score, _ = line.split()
            scores[topic][document] = float(np.float32(score))
    return scores


@pytest.mark.parametrize("run", RUNS)
def test_scores_are_those_of_plain_python_on_the_same_files(
    run: str, source: Path, study: dict[str, Any]
) -> None:
    grades, lists = judged(source), listed(source, run)
    scored = {s["topic"]: s for s in study["found"]["scores"] if s["run"] == run}
    assert len(scored) == 30
    unjudged = 0
    for topic, of_topic in scored.items():
        scores = lists[topic]
        low, high = min(scores.values()), max(scores.values())
        unjudged += len(scores.keys() - grades[topic].keys())
        shown = wanted = both = 0
        distance = 0.0
        for document, grade in grades[topic].items():
            sre = (scores[document] - low) / (high - low) if document in scores else 0.0
            distance += abs(sre - max(grade, 0) / 2)
            shown += sre >= 0.5
            wanted += grade >= 1
            both += sre >= 0.5 and grade >= 1
        found = of_topic["scores"]
        assert (of_topic["documents"], of_topic["relevant"]) == (len(grades[topic]), wanted)
        assert found["ADM"] == pytest.approx(1 - distance / len(grades[topic]), rel=1e-12)
        assert found["P"] == (pytest.approx(both / shown) if shown else None)
        assert found["R"] == pytest.approx(both / wanted)
    [documents] = [d for d in study["found"]["documents"] if d["run"] == run]
    assert documents["unjudged"] == unjudged
    total = sum(map(len, lists.values()))
    assert documents["listed"] == total
    assert f"{run}: {unjudged:,} of {total:,} listed documents are not judged" in study["stderr"]


def value(study: dict[str, Any], **keys: str) -> Any:
    [row] = [row for row in study["rows"] if all(row[name] == text for name, text in keys.items())]
    return row


def test_small_errors_move_precision_more_than_adm(study: dict[str, Any]) -> None:
    """The first problem that the paper expects in real experiments, of every run.

    Recall hardly moves where a run lists few judged documents.
    """
    for run in RUNS:
        of_run = {"part": "jitter", "level": "0.05", "quantity": "sd of a query", "run": run}
        moved = {m: value(study, measure=m, **of_run)["value"] for m in ("P", "E", "ADM")}
        assert 0 < moved["ADM"] < min(moved["P"], moved["E"]), run
        pushed = value(study, part="push", level="1", measure="ADM", run=run)
        assert pushed["high"] < 0
        for measure in ("P", "R", "E"):
            assert value(study, part="push", level="1", measure=measure, run=run)["value"] == 0


def test_pairs_and_topics(study: dict[str, Any]) -> None:
    needed = [
        row for row in study["rows"]
        if (row["part"], row["quantity"]) == ("power", "queries, formula")
    ]  # fmt: skip
    assert len(needed) == 28 * 5
    for row in needed:
        assert row["topics"] <= 30
        assert row["low"] <= row["value"] <= (row["high"] or np.inf)
    assert value(study, part="order", quantity="pairs", measure="P", level="ADM")["value"] == 28
    changed = [(c["run"], c["other"]) for c in study["found"]["changed"] if c["measure"] == "R"]
    turned = value(
        study, part="order", quantity="pairs in another order", measure="R", level="ADM"
    )["value"]
    # A run of topics models that lists few of the judged documents.
    assert (changed, turned) == ([("BERT", "tm_lda400")], 1)
    assert "ADM tells 5 of 28 pairs of runs apart on 30 topics (Holm, 5%)" in study["stdout"]


def test_page_has_a_plane_for_each_run(study: dict[str, Any]) -> None:
    for run in RUNS:
        assert run in study["page"]
        assert run in study["stdout"]
    assert "URE" in study["page"]
    assert study["page"].count("<svg") == 2  # one for wide pages, one for narrow ones
    assert "not judged" in study["stdout"]
