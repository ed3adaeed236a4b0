"""`prum evaluate` on TREC-COVID: the official scores of 143 runs, and those by other programs."""

import lzma
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
import pytest

from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.judged import Judged, RankingLike
from prum.experiments.measures.measure import measure_of
from tests.tiers import slow

pytestmark = slow

# What official scores are rounded to.
PRINTED = 5.1e-5

Lists = dict[str, dict[str, tuple[str, ...]]]


@pytest.fixture(scope="module")
def covid(shared_data: Path) -> tuple[Lists, pd.DataFrame, Path]:
    """Return the 143 runs of round 1, their official scores and the judgements."""
    folder = shared_data / "trec_covid"
    if not folder.is_dir():
        pytest.skip(f"no TREC-COVID: {folder} is missing")
    runs: Lists = {}
    with lzma.open(folder / "round1-runs-top1000.tsv.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                run, topic, ids = line.rstrip("\n").split("\t")
                runs.setdefault(run, {})[topic] = tuple(ids.split())
    official = pd.read_csv(folder / "round1-leaderboard.csv").set_index("run")
    return runs, official, folder / "qrels-rnd1.txt.gz"


OFFICIAL = {"AP": "MAP", "P@5": "p@5", "nDCG@10": "ndcg@10", "RBP(gain=linear,p=.5)": "RBP(p=.5)"}


def official_differences(
    runs: Iterable[tuple[str, Mapping[str, RankingLike]]], judged: list[Judged], board: pd.DataFrame
) -> pd.DataFrame:
    """Return how far means are from those of the board, a row for each run."""
    result = score_runs(runs, judged, [measure_of(name) for name in OFFICIAL])
    means = pd.DataFrame(
        result.means(), index=list(result.systems), columns=list(OFFICIAL.values())
    )
    return (means - board.loc[means.index, means.columns]).abs()


def test_all_runs_of_trec_covid_have_their_official_scores(
    covid: tuple[Lists, pd.DataFrame, Path],
) -> None:
    runs, official, qrels = covid
    assert len(runs) == len(official) == 143
    assert set(runs) == set(official.index)
    judged, without = read_judged(qrels)
    assert (len(judged), without) == (30, [])
    assert official_differences(runs.items(), judged, official).max(axis=None) < PRINTED


def test_runs_as_submitted_have_their_official_scores(
    covid: tuple[Lists, pd.DataFrame, Path],
) -> None:
    """They are those of version 9: scores in single precision, ties by descending id."""
    _, official, qrels = covid
    files = sorted((qrels.parent / "runs-as-submitted").glob("*.gz"))
    assert len(files) == 8
    judged, _ = read_judged(qrels)
    for precision, is_official in (("single", True), ("double", False)):
        read = read_lists(files, judged, takes="ranking", precision=precision)
        runs = {name.removesuffix(".gz"): lists for name, lists in read}
        differ = official_differences(runs.items(), judged, official).max(axis=1)
        assert (differ.max() < PRINTED) == is_official
    # A run full of such ties has other scores in double precision, as trec_eval 10 has it.
    assert differ["BERT"] > 10 * PRINTED
