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


def again(visits: Iterable[list[str]]) -> tuple[int, int, int]:
    """Return moves and back clicks, those to a page seen before, and links straight back."""
    moves = seen_before = straight = 0
    for path in visits:
        trail, seen = path[:1], set(path[:1])
        for page in path[1:]:
            moves += 1
            seen_before += page in seen or page == "<"
            straight += page != "<" and page in trail[-2:-1]
            trail = (trail[:-1] or trail) if page == "<" else [*trail, page]
            seen.add(trail[-1])
    return moves, seen_before, straight


@pytest.mark.parametrize(
    ("model", "shares", "won", "ran_out"),
    [("Qwen3-14B", (0.30, 0.20), 0.07, 0.43), ("Qwen3-30B-A3B", (0.28, 0.17), 0.08, 0.43)],
)
def test_agents_come_back_by_links(
    games: list[dict[str, Any]],
    model: str,
    shares: tuple[float, float],
    won: float,
    ran_out: float,
) -> None:
    """As the page says: most in games that run out of moves."""
    own = [game for game in games if game["model"] == model]
    moves, before, straight = again(paths(own))
    assert (round(before / moves, 2), round(straight / moves, 2)) == shares
    for result, share in (("win", won), ("move", ran_out)):
        moves, before, _ = again(paths(game for game in own if game["result"] == result))
        assert round(before / moves, 2) == share


def test_people_come_back_by_the_back_click(shared_data: Path) -> None:
    folder = shared_data / "wikispeedia"
    for name, column, number, share in (
        ("paths_finished_raw_one_per_pair", 4, 28_719, 0.08),
        ("paths_unfinished", 3, 24_875, 0.16),
    ):
        text = gzip.decompress((folder / f"{name}.tsv.gz").read_bytes()).decode()
        rows = [line.split("\t") for line in text.splitlines() if line[:1] != "#"]
        games = [row[column].split(";") for row in rows if len(row) > 5]
        moves, before, straight = again(games)
        assert len(games) == number
        assert round(before / moves, 2) == share
        assert straight / moves < 0.01
