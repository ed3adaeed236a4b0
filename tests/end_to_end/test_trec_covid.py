"""`prum evaluate` on TREC-COVID: the official scores of 143 runs, and those by other programs."""

import gzip
import lzma
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.judged import Judged, RankingLike
from prum.experiments.measures.measure import measure_of
from prum.simulator.collections import read_qrels
from tests.commands import typed
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
    """Scores are read in single precision, what ties there goes by descending id."""
    _, official, qrels = covid
    files = sorted((qrels.parent / "runs-as-submitted").glob("*.gz"))
    assert len(files) == 8
    judged, _ = read_judged(qrels)
    read = read_lists(files, judged, takes="ranking")
    runs = {name.removesuffix(".gz"): lists for name, lists in read}
    assert official_differences(runs.items(), judged, official).max(axis=None) < PRINTED
    # In the order of double precision a run full of such ties has other scores.
    with gzip.open(files[0], "rt", encoding="utf-8") as lines:
        columns = sorted(map(str.split, lines), key=lambda line: float(line[4]), reverse=True)
    exact = {
        topic: tuple(line[2] for line in columns if line[0] == topic)
        for topic in {line[0] for line in columns}
    }
    assert official_differences([("BERT", exact)], judged, official).max(axis=None) > 10 * PRINTED


def test_satisfaction_by_grade_is_gdevals_on_trec_covid(
    covid: tuple[Lists, pd.DataFrame, Path],
) -> None:
    """gdeval divides by 2^4, though the highest grade is 2: its users are seldom satisfied."""
    ir_measures = pytest.importorskip("ir_measures")
    runs, _, qrels = covid
    judged, _ = read_judged(qrels)
    names = ("ERR@20", "nDCG(dcg='exp-log2')@20", "ERR(convention=chapelle)@20")
    result = score_runs([("run1", runs["run1"])], judged, [measure_of(name) for name in names])
    ours = result.means()[0]
    by_formula = []
    for topic in judged:
        score, goes_on = 0.0, 1.0
        for place, element in enumerate(runs["run1"].get(topic.topic, ())[:20], start=1):
            satisfied = (2 ** max((topic.grades or {}).get(element, 0), 0) - 1) / 2**4
            score += satisfied * goes_on / place
            goes_on *= 1 - satisfied
        by_formula.append(score)
    assert result.values[0, :, 0] == pytest.approx(np.array(by_formula))
    assert ours[[0, 2]].round(3).tolist() == [0.298, 0.742]
    wanted = [ir_measures.ERR @ 20, ir_measures.nDCG(dcg="exp-log2") @ 20]
    gdeval = ir_measures.providers.registry["gdeval"]
    if not gdeval.is_available():
        return
    run = [
        ir_measures.ScoredDoc(topic, element, -float(place))
        for topic, ids in runs["run1"].items()
        for place, element in enumerate(ids)
    ]
    found = gdeval.calc_aggregate(wanted, list(ir_measures.read_trec_qrels(str(qrels))), run)
    assert [found[measure] for measure in wanted] == pytest.approx(ours[:2].tolist(), abs=6e-6)


TREC_NAMES = (
    *typed("map map_cut_100 P_5 P_20 recall_1000 ndcg ndcg_cut_10 recip_rank Rprec"),
    *["num_rel_ret"],
)


def test_values_are_those_of_the_tools_to_the_last_digit(
    covid: tuple[Lists, pd.DataFrame, Path],
) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    ir_measures = pytest.importorskip("ir_measures")
    runs, _, path = covid
    qrels = {topic: dict(grades) for topic, grades in read_qrels(path).items()}
    chosen = sorted(runs)[::29]
    rbp = [ir_measures.RBP(rel=1), ir_measures.RBP(rel=2, p=0.5)]
    names = [*TREC_NAMES, *map(str, rbp), "AP(rel=2)@50", "P(rel=2,judged_only=True)@5"]
    judged, _ = read_judged(path)
    ours = score_runs(
        ((name, runs[name]) for name in chosen), judged, [measure_of(name) for name in names]
    )
    plain = pytrec_eval.RelevanceEvaluator(qrels, TREC_NAMES)
    strict = pytrec_eval.RelevanceEvaluator(qrels, ["map_cut_50"], relevance_level=2)
    known = pytrec_eval.RelevanceEvaluator(
        qrels, ["P_5"], relevance_level=2, judged_docs_only_flag=1
    )
    for system, name in enumerate(chosen):
        run = {
            topic: {element: -float(rank) for rank, element in enumerate(ids)}
            for topic, ids in runs[name].items()
        }
        theirs = [evaluator.evaluate(run) for evaluator in (plain, strict, known)]
        cwl = ir_measures.providers.registry["cwl_eval"].iter_calc(rbp, qrels, run)
        by_cwl = {(x.query_id, str(x.measure)): x.value for x in cwl}
        for row, topic in enumerate(ours.topics):
            wanted = [theirs[0].get(topic, {}).get(measure, 0.0) for measure in TREC_NAMES]
            wanted += [by_cwl.get((topic, str(measure)), 0.0) for measure in rbp]
            wanted += [theirs[1].get(topic, {}).get("map_cut_50", 0.0)]
            wanted += [theirs[2].get(topic, {}).get("P_5", 0.0)]
            assert ours.values[system, row].tolist() == pytest.approx(wanted, abs=1e-12), topic
