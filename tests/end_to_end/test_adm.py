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
from scipy.stats import kendalltau

from prum.analytic.adm.measures import adm
from prum.analytic.adm.pooling import pooled_ure
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.measures.judged import Collection, Judged
from prum.experiments.measures.measure import measure_of
from prum.experiments.statistics.rankings import agreement, tau_b
from prum.experiments.studies.thresholds import of_runs
from tests.tiers import slow

pytestmark = slow

SIZE = 51_078
DEPTH = 1_000
RULES = {
    "linear": 1 - np.arange(DEPTH) / DEPTH,
    "reciprocal": 1 / np.arange(1, DEPTH + 1),
}
OTHERS = ("AP", "nDCG", "RP")


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


@pytest.fixture(scope="module")
def whole(covid: Round) -> dict[str, np.ndarray]:
    """Return ADM over the collection by rule, shape (systems, topics)."""
    return {rule: _whole(covid, rule) for rule in RULES}


@pytest.fixture(scope="module")
def judged(covid: Round) -> dict[str, np.ndarray]:
    """Return ADM over the judged documents only."""
    found = {}
    for rule in RULES:
        found[rule] = np.array(
            [
                [
                    adm(
                        covid.of_judged(rule, system, topic),
                        covid.ure(topic, np.array(list(grades))),
                    )
                    for topic, grades in enumerate(covid.grades)
                ]
                for system in range(len(covid.lists))
            ]
        )
    return found


@pytest.fixture(scope="module")
def others(covid: Round) -> dict[str, np.ndarray]:
    """Return scores by measures of rankings, shape (systems, topics)."""
    collection = Collection(size=SIZE, highest_grade=2)
    topics = [
        Judged(
            str(number),
            tuple(str(one) for one, grade in grades.items() if grade > 0),
            {str(one): grade for one, grade in grades.items()},
            None,
            collection,
        )
        for number, grades in enumerate(covid.grades)
    ]
    runs = (
        (
            str(system),
            {str(number): list(map(str, one.tolist())) for number, one in enumerate(lists)},
        )
        for system, lists in enumerate(covid.lists)
    )
    scores = score_runs(runs, topics, [measure_of(name) for name in OTHERS]).values
    return {name: scores[:, :, number] for number, name in enumerate(OTHERS)}


def _whole(covid: Round, rule: str) -> np.ndarray:
    scores = np.empty((len(covid.lists), len(covid.grades)))
    for system, lists in enumerate(covid.lists):
        for topic, listed in enumerate(lists):
            rest = np.setdiff1d(np.array(list(covid.grades[topic])), listed)
            documents = np.concatenate([listed, rest])
            sre = np.concatenate([covid.sre(rule, system, topic), np.zeros(len(rest))])
            scores[system, topic] = adm(sre, covid.ure(topic, documents), size=SIZE)
    return scores


def _pooled(covid: Round, rule: str) -> tuple[np.ndarray, list[float]]:
    """Return ADM by the mean estimate of all systems, and that mean's tau with grades by topic."""
    scores = np.empty((len(covid.lists), len(covid.grades)))
    taus = []
    for topic, grades in enumerate(covid.grades):
        found = np.unique(np.concatenate([lists[topic] for lists in covid.lists] + [[*grades]]))
        estimates = np.zeros((len(covid.lists), len(found)))
        for system, lists in enumerate(covid.lists):
            places = np.searchsorted(found, lists[topic])
            estimates[system, places] = covid.sre(rule, system, topic)
        pool = pooled_ure(estimates).ure
        for system, sre in enumerate(estimates):
            scores[system, topic] = adm(sre, pool, size=SIZE)
        own = pool[np.searchsorted(found, [*grades])]
        taus.append(float(kendalltau(own, [*grades.values()]).statistic))
    return scores, taus


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
        ("linear", "AP"): 0.28,
        ("linear", "nDCG"): 0.23,
        ("reciprocal", "AP"): 0.61,
        ("reciprocal", "nDCG"): 0.53,
        ("linear", "ADM"): 1.0,
        ("reciprocal", "ADM"): 142 / 143,
    }
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=0.0051), key


def agreed(one: np.ndarray, other: np.ndarray) -> tuple[float, float, float]:
    """Return Kendall's tau of two rankings of systems, with its interval over topics."""
    found = agreement(one, other, np.random.default_rng(1))
    assert found.tau_b_interval is not None
    return found.tau_b, *found.tau_b_interval


@pytest.mark.parametrize("rule", RULES)
def test_over_the_collection_adm_is_near_1(rule: str, whole: dict[str, np.ndarray]) -> None:
    means = whole[rule].mean(axis=1)
    assert means.shape == (143,)
    assert 0.98 < means.min() < means.max() < 1


def test_a_system_that_gives_0_to_all_beats_nearly_every_run(
    covid: Round, whole: dict[str, np.ndarray]
) -> None:
    nothing = np.mean([1 - sum(of.values()) / 2 / SIZE for of in covid.grades])
    assert nothing == pytest.approx(0.99883, abs=1e-5)
    assert (whole["linear"].mean(axis=1) < nothing).all()
    beaten = (whole["reciprocal"].mean(axis=1) < nothing).mean()
    assert 0.95 < beaten < 1


@pytest.mark.parametrize(("rule", "least", "most"), [("linear", 0.85, 1), ("reciprocal", 0, 0.15)])
def test_what_is_listed_and_not_relevant_makes_up_distances_by_one_rule(
    rule: str, least: float, most: float, covid: Round
) -> None:
    """By the other it is what is relevant and not estimated so."""
    wrong, all_distances = 0.0, 0.0
    for system, lists in enumerate(covid.lists):
        for topic, listed in enumerate(lists):
            sre, ure = covid.sre(rule, system, topic), covid.ure(topic, listed)
            missed = sum(covid.grades[topic].values()) / 2 - ure.sum()
            wrong += sre[ure == 0].sum()
            all_distances += np.abs(sre - ure).sum() + missed
    assert least < wrong / all_distances < most


def test_linear_estimates_are_better_the_shorter_a_list(
    covid: Round, whole: dict[str, np.ndarray], others: dict[str, np.ndarray]
) -> None:
    lengths = np.array([[len(one) for one in lists] for lists in covid.lists]).mean(axis=1)
    assert tau_b(whole["linear"].mean(axis=1), -lengths) > 0.3
    assert tau_b(others["AP"].mean(axis=1), -lengths) < 0.1
    full = lengths == DEPTH
    assert full.sum() == 75
    for rule in RULES:
        assert agreed(whole[rule][full], others["AP"][full])[1] > 0.65


def test_one_over_rank_agrees_with_measures_of_rankings_and_linear_hardly_does(
    whole: dict[str, np.ndarray], others: dict[str, np.ndarray]
) -> None:
    for name in OTHERS:
        _, low, high = agreed(whole["reciprocal"], others[name])
        assert 0.4 < low < high < 0.75
        _, low, high = agreed(whole["linear"], others[name])
        assert 0.1 < low < high < 0.4


def test_over_judged_documents_linear_estimates_rank_systems_the_other_way(
    judged: dict[str, np.ndarray], whole: dict[str, np.ndarray], others: dict[str, np.ndarray]
) -> None:
    for name in OTHERS:
        assert agreed(judged["linear"], others[name])[2] < 0
        assert agreed(judged["reciprocal"], others[name])[1] > 0.4
    for rule in RULES:
        assert judged[rule].mean(axis=1).max() < 0.85
    assert abs(agreed(judged["linear"], whole["linear"])[0]) < 0.25


def test_the_rule_decides_more_than_the_measure(
    whole: dict[str, np.ndarray], others: dict[str, np.ndarray]
) -> None:
    """Both rules keep the order within each list; AP, nDCG and RP hardly differ."""
    assert agreed(whole["linear"], whole["reciprocal"])[2] < 0.65
    assert agreed(others["nDCG"], others["AP"])[1] > 0.8
    assert agreed(others["RP"], others["AP"])[1] > 0.98


def test_relevance_pooled_from_systems_agrees_with_judgements(
    covid: Round, whole: dict[str, np.ndarray], others: dict[str, np.ndarray]
) -> None:
    """Without any judgement, of documents and of systems; with AP as far as the rule agrees."""
    found = {rule: _pooled(covid, rule) for rule in RULES}
    for rule, (scores, taus) in found.items():
        assert min(taus) > 0
        assert 0.2 < np.mean(taus) < 0.5
        assert agreed(scores, whole[rule])[1] > 0.55
    assert agreed(found["linear"][0], others["AP"])[2] < 0.4
    assert agreed(found["reciprocal"][0], others["AP"])[1] > 0.55
