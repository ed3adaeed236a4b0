"""ADM of the 143 runs of TREC-COVID's first round, beside AP, nDCG and PRUM.

Runs come without estimates of relevance: these are made from ranks, by 1 - (rank - 1) / 1000 or by
1 / rank, 0 for what is not listed. URE is grade / 2, 0 for what nobody judged.
"""

import gzip
import lzma
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from prum.experiments.studies.thresholds.runs import of_runs
from tests.tiers import slow

pytestmark = slow

SIZE = 51_078
DEPTH = 1_000
RULES = {
    "linear": 1 - np.arange(DEPTH) / DEPTH,
    "reciprocal": 1 / np.arange(1, DEPTH + 1),
}


@dataclass(frozen=True)
class Round:
    """Lists as numbers of documents by system and topic; grades by topic and document."""

    lists: list[list[np.ndarray]]
    grades: list[dict[int, int]]

    def ure(self, topic: int, documents: np.ndarray) -> np.ndarray:
        """Return grade / 2, 0 for what is not judged."""
        return np.array([self.grades[topic].get(one, 0) / 2 for one in documents.tolist()])

    def sre(self, rule: str, system: int, topic: int) -> np.ndarray:
        """Return the estimates of a list, by rank."""
        return RULES[rule][: len(self.lists[system][topic])]

    def of_judged(self, rule: str, system: int, topic: int) -> np.ndarray:
        """Return the estimates of the judged documents."""
        listed = self.lists[system][topic].tolist()
        found = dict(zip(listed, self.sre(rule, system, topic).tolist(), strict=True))
        return np.array([found.get(one, 0.0) for one in self.grades[topic]])


@pytest.fixture(scope="module")
def covid(shared_data: Path) -> Round:
    source = shared_data / "trec_covid"
    if not source.is_dir():
        pytest.skip(f"no TREC-COVID: {source} is missing")
    numbers: dict[str, int] = {}
    grades: dict[str, dict[int, int]] = {}
    with gzip.open(source / "qrels-rnd1.txt.gz", "rt", encoding="utf-8") as text:
        for line in text:
            topic, _, element, grade = line.split()
            grades.setdefault(topic, {})[numbers.setdefault(element, len(numbers))] = int(grade)
    lists: dict[str, dict[str, np.ndarray]] = {}
    with lzma.open(source / "round1-runs-top1000.tsv.xz", "rt", encoding="utf-8") as text:
        for line in text:
            if line.startswith("#"):
                continue
            run, topic, elements = line.rstrip("\n").split("\t")
            of_topic = [numbers.setdefault(one, len(numbers)) for one in elements.split()]
            lists.setdefault(run, {})[topic] = np.array(list(dict.fromkeys(of_topic))[:DEPTH])
    nothing = np.array([], dtype=int)
    return Round(
        [[lists[run].get(topic, nothing) for topic in grades] for run in sorted(lists)],
        list(grades.values()),
    )


def test_the_study_of_thresholds_has_these_orders_of_runs(covid: Round) -> None:
    topics = [str(number) for number in range(len(covid.grades))]
    runs = [
        {
            topic: {str(element): -rank for rank, element in enumerate(one.tolist())}
            for topic, one in zip(topics, lists, strict=True)
        }
        for lists in covid.lists
    ]
    judged = {
        topic: {str(one): grade for one, grade in grades.items()}
        for topic, grades in zip(topics, covid.grades, strict=True)
    }
    rows = of_runs(runs, judged, SIZE, np.random.default_rng(1))
    found = {(row.level, row.measure): row.value for row in rows}
    expected = {
        ("linear, whole collection", "AP"): 0.28,
        ("linear, whole collection", "nDCG"): 0.23,
        ("linear, judged documents", "AP"): -0.41,
        ("linear, judged documents", "nDCG"): -0.45,
        ("reciprocal, whole collection", "AP"): 0.61,
        ("reciprocal, whole collection", "nDCG"): 0.53,
        ("reciprocal, judged documents", "AP"): 0.64,
        ("reciprocal, judged documents", "nDCG"): 0.60,
        ("linear, pooled", "AP"): 0.31,
        ("linear, pooled", "ADM, whole collection"): 0.74,
        ("reciprocal, pooled", "AP"): 0.68,
        ("reciprocal, pooled", "ADM, whole collection"): 0.67,
        ("linear, whole collection", "ADM"): 1.0,
        ("reciprocal, whole collection", "ADM"): 142 / 143,
    }
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=0.0051), key
