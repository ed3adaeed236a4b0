"""Real lists, real targets, real links: part of Wikispeedia through the whole command."""

import json
from pathlib import Path

import pytest

from tests.commands import called, typed
from tests.end_to_end.wikispeedia import convert
from tests.tiers import slow

pytestmark = slow


@pytest.fixture(scope="module")
def wikispeedia(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = shared_data / "wikispeedia"
    if not source.is_dir():
        pytest.skip(f"no Wikispeedia data: {source} is missing")
    folder = tmp_path_factory.mktemp("wikispeedia")
    assert convert(source, folder, num_topics=6) == 4604
    return folder


def test_walks_agree_with_their_closed_form_and_prum_does_not(wikispeedia: Path) -> None:
    done = called(
        *typed("crosscheck --run passes.run --run outlinks.run --qrels qrels.txt"),
        *typed("--links links.csv --navigation walk --collection-size 4604 --users 10000"),
        *typed("--seed 1 --json out.json --csv out.csv"),
        folder=wikispeedia,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((wikispeedia / "out.json").read_text(encoding="utf-8"))
    assert result["verdict"] == "agrees"
    rows = result["comparisons"]
    assert {row["system"] for row in rows} == {"passes.run", "outlinks.run"}
    assert len({row["topic"] for row in rows}) == 6
    tested = [row for row in rows if row["verdict"] == "agrees"]
    assert len(tested) > len(rows) / 2
    # The noisy-or summary of a walk is not the walk: it errs by far more than simulation does.
    assert max(abs(row["prum_error"]) for row in rows) > 0.01
    assert any(abs(row["prum_error"]) > 5 * row["error"] for row in tested)
    assert (wikispeedia / "out.csv").read_text(encoding="utf-8").count("\n") == len(rows) + 1
