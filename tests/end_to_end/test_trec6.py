"""`prum compare` on 560 systems and the 50 topics of TREC-6: scores that others computed."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from tests.commands import called, typed
from tests.tiers import slow


@pytest.fixture(scope="module")
def scores(shared_data: Path) -> dict[str, Path]:
    folder = shared_data / "trec6"
    if not folder.is_dir():
        pytest.skip(f"no TREC-6: {folder} is missing")
    return {name: folder / f"gop560_{name}.tsv.gz" for name in ("ap", "ndcg", "rbp")}


def table(path: Path) -> pd.DataFrame:
    with gzip.open(path) as file:
        return pd.read_csv(file, sep="\t", index_col="system")


def test_a_few_of_many_systems(scores: dict[str, Path], tmp_path: Path) -> None:
    """Every fortieth system: all pairs, two measures in two files."""
    wanted = {name: table(scores[name]).iloc[::40] for name in ("ap", "ndcg")}
    for name, some in wanted.items():
        some.to_csv(tmp_path / f"{name}.tsv", sep="\t")
    done = called("compare", "ap.tsv", "ndcg.tsv", "--json", "out.json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    means = {(row["measure"], row["system"]): row["mean"] for row in result["means"]}
    for name, some in wanted.items():
        assert {system: means[name, system] for system in some.index} == pytest.approx(
            some.mean(axis=1).to_dict()
        )
    decision = result["decision"]
    assert (decision["measure"], decision["family"], decision["topics"]) == ("ap", 14 * 13 / 2, 50)
    assert decision["places"][0]["system"] == wanted["ap"].mean(axis=1).idxmax()
    assert {pair["verdict"] for pair in decision["pairs"]} == {"better", "undecided"}
    for pair in decision["pairs"]:
        tied = next(row for row in decision["places"] if row["system"] == pair["other"])
        assert not (tied["is_tied_with_best"] and pair["verdict"] == "better")


@slow
def test_all_systems(scores: dict[str, Path], tmp_path: Path) -> None:
    """Holm's method, which draws nothing: 156,520 pairs."""
    done = called(
        "compare",
        str(scores["ap"]),
        *typed("--method Holm --top 5 --json out.json"),
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out.json").read_text())
    decision = result["decision"]
    assert decision["family"] == 560 * 559 / 2
    assert len(decision["places"]) == 560
    assert len(decision["pairs"]) == 559
    # The pools were judged for other runs, and many of these are variants of each other.
    tied = sum(place["is_tied_with_best"] for place in decision["places"])
    assert 1 < tied < 560
    for place in decision["places"]:
        assert place["first"] <= place["place"] <= place["last"]
