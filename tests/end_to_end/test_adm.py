"""ADM of the 143 runs of TREC-COVID's first round, beside AP and nDCG, in the study of thresholds.

Runs come without estimates of relevance: these are made from ranks, by 1 - (rank - 1) / 1000 or by
1 / rank, 0 for what is not listed. URE is grade / 2, 0 for what nobody judged.
"""

import lzma
from pathlib import Path

import numpy as np
import pytest

from prum.experiments.studies.thresholds import of_runs
from prum.simulator import read_qrels
from tests.tiers import slow

SIZE, DEPTH = 51_078, 1_000


@slow
def test_the_study_of_thresholds_has_these_orders_of_runs(shared_data: Path) -> None:
    source = shared_data / "trec_covid"
    if not source.is_dir():
        pytest.skip(f"no TREC-COVID: {source} is missing")
    judged = {topic: dict(of) for topic, of in read_qrels(source / "qrels-rnd1.txt.gz").items()}
    lists: dict[str, dict[str, dict[str, float]]] = {}
    with lzma.open(source / "round1-runs-top1000.tsv.xz", "rt", encoding="utf-8") as text:
        for line in text:
            if not line.startswith("#"):
                run, topic, elements = line.rstrip("\n").split("\t")
                ranked = list(dict.fromkeys(elements.split()))[:DEPTH]
                lists.setdefault(run, {})[topic] = {x: -rank for rank, x in enumerate(ranked)}
    runs = [{topic: lists[run].get(topic, {}) for topic in judged} for run in sorted(lists)]
    rows = of_runs(runs, judged, SIZE, np.random.default_rng(1))
    found = {(row["level"], row["measure"]): row["value"] for row in rows}
    expected = {
        ("linear", "AP"): 0.28,
        ("linear", "nDCG"): 0.23,
        ("reciprocal", "AP"): 0.61,
        ("reciprocal", "nDCG"): 0.53,
        ("linear", "ADM"): 1.0,
        ("reciprocal", "ADM"): 142 / 143,
    }
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=0.0051), key
