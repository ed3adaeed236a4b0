"""Chunks and spans in the commands that name campaigns: numbers, words, and what is refused."""

import json
from pathlib import Path

import pytest

from prum.experiments.studies.kit.campaigns import SpanCampaignDesign
from prum.experiments.sweeps import sweep
from prum.simulator import InputError
from prum.simulator.collections import read_span_campaign
from tests.commands import called, refused

CHUNKS = """\
{"id": "é1", "doc": "a <b> é", "start": 0, "end": 100}
{"id": "é2", "doc": "a <b> é", "start": 100, "end": 200}
{"id": "é3", "doc": "a <b> é", "start": 200, "end": 300}
{"id": "n1", "doc": "n", "start": 0, "end": 60}
"""
SPANS = """\
topic,doc,start,end
q 1,a <b> é,50,150
q 1,n,50,70
2,a <b> é,180,260
"""
NAMED = ("--run", "run", "--chunks", "chunks.jsonl", "--spans", "spans.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "chunks.jsonl").write_text(CHUNKS, encoding="utf-8")
    (tmp_path / "spans.csv").write_text(SPANS, encoding="utf-8")
    lines = ["2 Q0 é2 1 2 r", "2 Q0 é3 2 1 r", "2 Q0 é1 3 0 r"]
    (tmp_path / "run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "halves.jsonl").write_text(
        CHUNKS.replace('"end": 200', '"end": 190'), encoding="utf-8"
    )
    return tmp_path


def test_exact_beside_simulated_beside_noisy_or(folder: Path) -> None:
    """Question 2 is answered: two chunks show a quarter and three quarters of its span."""
    ended = called("crosscheck", *NAMED, "--users", "50000", "--json", "x.json", folder=folder)
    assert ended.returncode == 0, ended.stderr
    content = json.loads((folder / "x.json").read_text())
    assert content["verdict"] == "agrees"
    assert content["arguments"]["chunks"] == ["chunks.jsonl"]
    (row,) = [row for row in content["comparisons"] if row["topic"] == "2"]
    # Found at rank 1 with 1/4, else at rank 2; noisy-or leaves 3/16 to the fourth chunk, or later.
    assert row["exact"] == pytest.approx(1 / 1.75)
    assert row["prum"] == pytest.approx(1 / (1 / 4 + 2 * 9 / 16 + 4 * 3 / 16))
    assert row["simulated"] == pytest.approx(row["exact"], abs=0.01)
    assert "no links: nobody browses" in ended.stdout
    assert "--chunks chunks.jsonl --spans spans.csv" in content["command"]


def test_openings_and_need(folder: Path) -> None:
    """Whoever opens the next chunk sees the whole span at rank 1; else at rank 2."""
    ended = called(
        "crosscheck",
        *NAMED,
        "--way",
        "chunks next .5",
        *["--need", "whole", "--users", "20000", "--html", "x.html", "--csv", "x.csv"],
        folder=folder,
    )
    assert ended.returncode == 0, ended.stderr
    assert "2 links: 2 from listed elements, 2 to ideals" in ended.stdout
    assert "exact, whole" in ended.stdout
    row = next(x for x in (folder / "x.csv").read_text().splitlines() if ",run,2," in x)
    assert ",0.666666" in row
    assert "exact, whole" in (folder / "x.html").read_text()


def test_a_file_of_chunks_for_each_run(folder: Path) -> None:
    (folder / "other").write_text("2 Q0 é3 1 2 r\n")
    named = ("--run", "run", "--run", "other", "--spans", "spans.csv")
    both = (*named, "--chunks", "chunks.jsonl", "--chunks", "halves.jsonl")
    ended = called("crosscheck", *both, "--users", "2000", "--json", "x.json", folder=folder)
    assert ended.returncode == 0, ended.stderr
    rows = json.loads((folder / "x.json").read_text())["systems"]
    assert [(row["campaign"], row["system"]) for row in rows] == [
        ("chunks.jsonl", "run"),
        ("halves.jsonl", "other"),
    ]
    ended = called("simulate", "--user", "0", *both, folder=folder)
    assert ended.returncode == 2
    assert "number of campaigns is 2, must be 1; give one file of chunks" in ended.stderr
    # One file is that of all runs.
    shared = SpanCampaignDesign(
        run=[folder / "run", folder / "other"],
        chunks=[folder / "chunks.jsonl"],
        spans=folder / "spans.csv",
    )
    assert list(shared.campaign.runs) == ["run", "other"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("crosscheck", *NAMED[2:]), "run must be given; --run, --chunks and --spans go"),
        (("crosscheck", *NAMED[:4], "--need", "whole"), "spans must be given; --run"),
        (("crosscheck", *NAMED, "--qrels", "x"), "qrels is 'x', must be left out with spans"),
        (("crosscheck", *NAMED, "--chunks", "x"), "number of files of chunks is 2, must be 1; "),
        (("crosscheck", *NAMED, "--way", "structural"), "way is 'structural', must be chunks"),
        (("simulate", *NAMED), "take prum crosscheck, or simulate and closed_form in Python"),
    ],
)
def test_what_does_not_go_together_is_one_line(
    folder: Path, words: tuple[str, ...], told: str
) -> None:
    refused(*words, folder=folder, told=told)


def test_the_same_campaign_with_another_need(folder: Path) -> None:
    campaign = read_span_campaign([folder / "run"], folder / "chunks.jsonl", folder / "spans.csv")
    whole = campaign.browsed("whole")
    assert (campaign.kind, whole.kind, whole.browsed("share")) == ("share", "whole", campaign)
    with pytest.raises(InputError, match="navigation is 'walk', must be left out where chunks"):
        campaign.browsed("walk")


def test_a_sweep_over_chunks_and_spans(folder: Path) -> None:
    chunks, spans = str(folder / "chunks.jsonl"), str(folder / "spans.csv")
    files = {"runs": [str(folder / "run")], "chunks": chunks, "spans": spans}
    campaigns = [files, {**files, "need": "whole", "name": "all"}]
    frame = sweep({"campaigns": campaigns, "users": {"num_users": 1000}}).to_frame()
    assert set(frame["navigation"]) == {"none", "share", "whole"}
