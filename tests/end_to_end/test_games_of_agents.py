"""Real games of two agents: what the page on fitting says of them."""

import csv
import gzip
import io
import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.commands import called

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def games(shared_data: Path) -> list[dict[str, Any]]:
    file = shared_data / "agents" / "wikirace_qwen_games.tsv.gz"
    if not file.is_file():
        pytest.skip(f"no games of agents: {file} is missing")
    text = io.StringIO(gzip.decompress(file.read_bytes()).decode())
    rows = csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        {
            "model": row["model"],
            "result": row["result"],
            "start_article": row["start"],
            "destination_article": row["target"],
            "steps": [{"type": "move", "article": name} for name in row["path"].split(";") if name],
        }
        for row in rows
    ]


def paths(games: Iterable[dict[str, Any]]) -> list[list[str]]:
    return [[step["article"] for step in game["steps"]] for game in games]


@pytest.mark.slow
def test_the_page_shows_what_one_model_says_of_the_other(
    games: list[dict[str, Any]], tmp_path: Path
) -> None:
    for file, model in (("qwen3-14b.json", "Qwen3-14B"), ("qwen3-30b.json", "Qwen3-30B-A3B")):
        own = [game for game in games if game["model"] == model]
        (tmp_path / file).write_text(json.dumps({"runs": own}))
    steps = {pair for path in paths(games) for pair in itertools.pairwise(path)}
    with (tmp_path / "links.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("source", "target"), *sorted(steps)])
    words = "fit qwen3-14b.json --links links.csv --test qwen3-30b.json --skip-strays"
    done = called(*words.split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (ROOT / "docs" / "howto" / "fitting.md").read_text(encoding="utf-8")
    shown = page.partition(f"$ prum {words}\n")[2].partition("```")[0].splitlines()
    printed = [line.strip() for line in done.stdout.splitlines()]
    lines = [line.strip() for line in shown if line != "..."]
    assert len(lines) > 2
    assert [line for line in lines if line not in printed] == []
