"""The study of people on real logs: games of Wikispeedia, and votes on paragraphs."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import called
from tests.end_to_end.logs_of_people import convert_games, convert_votes
from tests.tiers import slow

pytestmark = slow

SETTING = "2P-OrdPar-High"


def result(folder: Path, *words: str) -> dict[str, dict[str, Any]]:
    """Run the study, and return its rows by quantity."""
    more = ("--permutations", "199", "--json", "o.json")
    done = called("study", "people", *words, *more, folder=folder)
    assert done.returncode == 0, done.stderr
    rows = json.loads((folder / "o.json").read_text())["rows"]
    return {row["quantity"]: row for row in rows if row["part"] == "joint visits"}


def test_votes_go_together_as_in_the_findings(shared_data: Path, tmp_path: Path) -> None:
    """The gap between noisy-or and people is that of `paragraph_votes`, by another road."""
    source = shared_data / "paragraph_votes" / "nyt_paragraph_votes.tsv.gz"
    if not source.is_file():
        pytest.skip(f"no votes: {source} is missing")
    convert_votes(source, tmp_path)
    rows = result(
        tmp_path, "--log", f"{SETTING}.csv", "--links", f"{SETTING}-links.csv", "--least", "10"
    )
    gap = rows["sees nothing, minus noisy-or"]
    assert gap["value"] == pytest.approx(0.171, abs=0.001)
    assert gap["value_low"] > 0.08 > gap["control_high"]
    assert rows["contexts that go together"]["value"] > 0.3
    assert rows["contexts that go together"]["control"] <= 0.05


def test_games_are_no_products(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "wikispeedia"
    for name in ("links", "paths_finished_raw_one_per_pair", "paths_unfinished"):
        if not (source / f"{name}.tsv.gz").is_file():
            pytest.skip(f"no games: {source / name}.tsv.gz is missing")
    convert_games(source, tmp_path)
    with gzip.open(source / "paths_unfinished.tsv.gz", "rt") as lines:
        num_games = sum(line.strip() != "" and line[0] != "#" for line in lines)
    log = (tmp_path / "unfinished.csv").read_text().splitlines()
    assert 0 < num_games - len({row.partition(",")[0] for row in log[1:]}) < 100
    rows = result(
        tmp_path, "--log", "unfinished.csv", "--links", "links.csv", "--contexts", "visits"
    )
    assert rows["contexts that go together"]["value"] > 0.9
