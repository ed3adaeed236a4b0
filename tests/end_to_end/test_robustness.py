"""`prum study robustness` on TREC-COVID's first round."""

import json
import lzma
from pathlib import Path

import pytest

from tests.end_to_end.test_command import prum
from tests.tiers import slow

pytestmark = slow


@pytest.fixture(scope="module")
def study(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict:
    """Return what the command writes for all runs."""
    source = shared_data / "trec_covid"
    if not source.is_dir():
        pytest.skip(f"no TREC-COVID: {source} is missing")
    folder = tmp_path_factory.mktemp("round")
    lines: dict[str, list[str]] = {}
    with lzma.open(source / "round1-runs-top1000.tsv.xz", "rt", encoding="utf-8") as text:
        for line in text:
            if not line.startswith("#"):
                run, topic, ids = line.rstrip("\n").split("\t")
                lines.setdefault(run, []).extend(
                    f"{topic} Q0 {element} 0 {-rank} -\n"
                    for rank, element in enumerate(ids.split())
                )
    runs = folder / "runs"
    runs.mkdir()
    for run, written in lines.items():
        (runs / run).write_text("".join(written))
    judged = (
        f"--qrels {source / 'qrels-rnd1.txt.gz'} --other deeper={source / 'qrels-complete.txt.gz'}"
    )
    words = f"study robustness {judged} --trials 20 --json out.json --csv out.csv".split()
    done = prum(*words, *map(str, sorted(runs.iterdir())), folder=folder)
    assert done.returncode == 0, done.stderr
    assert "fat against slim tails" in done.stdout
    return json.loads((folder / "out.json").read_text())


def test_ap_by_deeper_judgements_ranks_as_is_known(study: dict) -> None:
    (row,) = (r for r in study["rows"] if (r["kind"], r["measure"]) == ("judgements", "AP"))
    assert row["tau_a"] == pytest.approx(0.895, abs=0.002)
    assert len(study["found"]["systems"]) == 143
    assert len(study["found"]["topics"]) == 30


def test_what_is_said_of_the_hypotheses(study: dict) -> None:
    found = {
        (row["kind"], row["level"], row["hypothesis"]): (row["low"], row["high"])
        for row in study["found"]["contrasts"]
    }
    assert found["topics", 5, "fat against slim tails"][0] > 0
    assert found["assessors", 0.2, "fat against slim tails"][0] > 0
    assert found["pool", 2, "fat against slim tails"][1] < 0
    assert found["assessors", 0.2, "static against dynamic"][1] < 0
    assert found["assessors", 0.2, "viewing against stopping"][0] > 0
