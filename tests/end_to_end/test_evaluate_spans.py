"""`prum evaluate` of chunks by gold spans: a small corpus in files, and real questions."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import prum
from tests.commands import called, typed
from tests.end_to_end.ranked_chunks import BM25, FIGURES, chunked
from tests.tiers import slow

# Two texts of 600 and 400 characters, cut into chunks of 100 without and with overlap.
TEXTS = {"fish": 600, "fowl": 400}
CHUNKERS = {"apart": (100, 100), "overlapping": (100, 50)}
GOLD = [
    ("q1", "fish", 90, 110),
    ("q1", "fowl", 10, 30),
    ("q2", "fowl", 120, 180),
    ("q3", "fish", 350, 500),
]
MEASURES = "Coverage@3,Coverage@240 tokens,CharPrecision@3,IoU@3,Efficiency,ExactPRUM(cost=tokens)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with texts, chunks and runs of two chunkers, and gold spans."""
    (tmp_path / "texts").mkdir()
    for name, length in TEXTS.items():
        text = "".join(chr(97 + k % 26) for k in range(length))
        (tmp_path / "texts" / name).write_text(text)
    for chunker, (size, step) in CHUNKERS.items():
        rows = [
            {
                "id": f"{name}-{start}",
                "doc": name,
                "start": start,
                "end": min(start + size, length),
                "tokens": 80,
            }
            for name, length in TEXTS.items()
            for start in range(0, length - size + 1, step)
        ]
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / f"{chunker}.jsonl").write_text(lines)
        # The chunks of a gold span's document from its start on, best first.
        with (tmp_path / f"{chunker}.run").open("w") as run:
            for topic in ("q1", "q2", "q3"):
                spans = [row for row in GOLD if row[0] == topic]
                listed = [
                    row["id"]
                    for row in rows
                    for _, name, start, end in spans
                    if row["doc"] == name and row["start"] < end and start < row["end"]
                ]
                for rank, chunk in enumerate(listed):
                    run.write(f"{topic} Q0 {chunk} {rank + 1} {-rank} {chunker}\n")
    with (tmp_path / "gold.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("topic", "doc", "start", "end"), *GOLD])
    return tmp_path


RUNS = ("apart.run", "overlapping.run")
INPUTS = (
    *RUNS,
    *typed("--chunks apart.jsonl --chunks overlapping.jsonl --spans gold.csv"),
)


def test_two_chunkers_are_compared_in_one_call(folder: Path) -> None:
    outputs = ("--json", "o.json", "--csv", "o.csv", "--html", "o.html", "--latex", "o.tex")
    done = called("evaluate", *INPUTS, "--measures", MEASURES, *outputs, folder=folder)
    assert done.returncode == 0, done.stderr
    # Chunks 0-100 and 100-200 show all of q1's first span; its second is in the third of the list.
    assert done.stdout.startswith("By Coverage@3, ")
    assert "Coverage@240 tokens" in done.stdout
    assert "2 systems on 3 topics, 4 gold spans" in done.stdout
    assert "gold spans split across chunks: 2 of 4 in apart.run" in done.stderr
    assert "text that the first ten chunks repeat" in done.stderr
    given = [folder / f"{name}.jsonl" for name in CHUNKERS]
    result = prum.evaluate(
        [folder / run for run in RUNS], chunks=given, spans=folder / "gold.csv", measures=MEASURES
    )
    with (folder / "o.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["system", "topic", "measure", "score"]
    assert [float(row["score"]) for row in rows] == result.scores.values.ravel().tolist()
    written = json.loads((folder / "o.json").read_text())
    assert list(written["scores"]) == list(result.scores.measures)
    assert [run["chunks"] for run in written["chunks"]] == [10, 18]
    assert "Coverage@240 tokens" in (folder / "o.html").read_text()
    assert "Coverage@240 tokens" in (folder / "o.tex").read_text()
    values = dict(zip(result.scores.measures, result.scores.values[0, :, :].T, strict=True))
    assert values["Coverage@3"].tolist() == [1.0, 1.0, 1.0]
    assert values["CharPrecision@3"] == pytest.approx([40 / 300, 60 / 100, 150 / 200])
    # Chunks that do not overlap and hold all of the spans: the union is what was read.
    assert np.array_equal(values["IoU@3"], values["CharPrecision@3"])


# --- real questions ------------------------------------------------------------------------------


@slow
def test_figures_of_real_chunkers_come_out(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "rag_spans"
    texts = {path.stem: path.read_text("utf-8") for path in sorted(source.glob("corpora/*"))}
    questions = pd.read_csv(source / "questions_df.csv")["question"].tolist()
    words = list[str]()
    for size, step in FIGURES:
        chunks = [(row[0].replace(" ", "-"), *row[1:]) for row in chunked(texts, size, step)]
        ranker = BM25([texts[name][start:end] for _, name, start, end in chunks])
        with (tmp_path / f"{size}-{step}").open("w") as run:
            for number, question in enumerate(questions, start=1):
                for rank, k in enumerate(ranker.top(question, 10)):
                    run.write(f"q{number} Q0 {chunks[k][0]} {rank + 1} {-rank} bm25\n")
        with (tmp_path / f"{size}-{step}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("id", "doc", "start", "end"), *chunks])
        words += ["--chunks", f"{size}-{step}.csv"]
    runs = [f"{size}-{step}" for size, step in FIGURES]
    words += ["--spans", str(source / "questions_df.csv"), "--texts", str(source / "corpora")]
    done = called("evaluate", *runs, *words, "--json", "o.json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "6 systems on 276 topics, 452 gold spans" in done.stdout
    means = {
        (row["system"], row["measure"]): row["mean"]
        for row in json.loads((tmp_path / "o.json").read_text())["means"]
    }
    for (size, step), (coverage, exact, efficiency) in FIGURES.items():
        system = f"{size}-{step}"
        assert means[system, "Coverage@10"] == pytest.approx(coverage, abs=6e-4)
        assert means[system, "ExactPRUM"] == pytest.approx(exact, abs=6e-4)
        assert means[system, "Efficiency"] == pytest.approx(efficiency, abs=6e-4)
