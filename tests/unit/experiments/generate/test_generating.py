"""Made datasets: what their files say by the commands' own readers, beside their truth."""

import json
from collections import defaultdict
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from prum.analytic import closed_form
from prum.experiments.evaluate.inputs import read_judged, read_lists
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.generate.truth import World, scores_of
from prum.experiments.generate.verb import generate_dataset
from prum.experiments.measures.measure import measure_of
from prum.simulator import Independent, Links, simulate
from prum.simulator.collections import ideals_of, read_qrels, read_run
from prum.simulator.collections.judgements import judgements_from
from prum.simulator.collections.links import read_elements
from prum.simulator.generation.candidates import topics_of
from prum.simulator.generation.structures import Structure
from prum.simulator.model.assessments import check_propagation
from tests.made_datasets import ELEMENTS, LEVEL, TREES, WAYS, Made, every_way, specification
from tests.tiers import slow

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Made]:
    """Return a function that makes the dataset of a way once."""
    kept: dict[str, Made] = {}

    def find(way: str) -> Made:
        if way not in kept:
            folder = tmp_path_factory.mktemp("datasets") / "made"
            kept[way] = Made(folder, generate_dataset(specification(way), folder))
        return kept[way]

    return find


Making = Callable[[str], Made]


# --- true scores ----------------------------------------------------------------------------------


@every_way
def test_true_scores_are_what_evaluating_the_files_gives(way: str, made: Making) -> None:
    one = made(way)
    measures = [measure_of(name) for name in one.dials["truth"]["measures"]]
    found = score_runs(read_lists(one.runs, one.judged, takes="ranking"), one.judged, measures)
    rows = iter(one.scores)
    for system, by_topic in zip(found.systems, found.values, strict=True):
        for topic, values in zip(found.topics, by_topic, strict=True):
            for measure, value in zip(found.measures, values, strict=True):
                row = next(rows)
                assert (row["system"], row["topic"], row["measure"]) == (
                    system,
                    topic,
                    str(measure),
                )
                assert (row["method"], float(row["error"])) == ("computed", 0)
                assert float(row["score"]) == pytest.approx(value, abs=1e-9)
    assert next(rows, None) is None
    means = found.values.mean(axis=1)
    for entry, row in zip(one.described.systems.values(), means, strict=True):
        assert [score.mean for score in entry.scores.values()] == pytest.approx(row, abs=1e-9)
        assert {score.method for score in entry.scores.values()} == {"computed"}
    aimed = one.described.systems["aimed"]
    assert aimed.target == 0.5
    assert aimed.reached == aimed.scores["AP"].mean
    assert abs(aimed.reached - 0.5) <= 0.02
    # People who browse do find more or less.
    differ = abs(found.values[:, :, 0] - found.values[:, :, 2]).max() > 1e-3
    assert differ or way == "flat"


@every_way
def test_true_precision_is_that_of_simulated_users(way: str, made: Making) -> None:
    one = made(way)
    alone = Independent(Links({}))

    def far_off(*, browses: bool) -> bool:
        off = variance = 0.0
        for system in ("poor", "good-2"):
            for topic in one.campaign.ideals:
                task = one.campaign.task(system, topic)
                navigation = one.campaign.navigation_on(topic) if browses else alone
                users = simulate(task, navigation, num_users=4000, seed=99, threads=1)
                off += users.precision.mean() - one.score(system, topic, "ExactPRUM")
                # Recall values depend on each other: no more than as if wholly.
                variance += users.precision_error.mean() ** 2
        return bool(abs(off) > stats.norm.isf(LEVEL / 2) * sqrt(variance))

    assert not far_off(browses=True)
    # Who does not browse is told apart, where there is something to follow.
    assert far_off(browses=False) == (way != "flat")


# --- simulated truth ------------------------------------------------------------------------------

# Users who differ by one factor, and exclude visits or walk: no closed form.
OPEN = ("exclusive + one-factor .5", "walk + one-factor .5")


def open_specification(kind: str, **tables: Any) -> DatasetSpecification:
    return DatasetSpecification.read(
        {
            "seed": 7,
            "collection": {"kind": "web", "elements": 300, "following": 1.0},
            "topics": {"number": 2, "relevant": [5, 8], "candidates": 100, "places": [1, 1]},
            "browsing": {"kind": kind},
            "systems": [{"name": "s", "depth": 20, "near_misses": 0.5}],
            "truth": {"measures": ["ExactPRUM", "AP"], "users": 2000},
            **tables,
        }
    )


@slow
@pytest.mark.parametrize("kind", OPEN)
def test_where_there_is_no_formula_truth_is_simulated_with_an_error(
    kind: str, tmp_path: Path
) -> None:
    described = generate_dataset(open_specification(kind), tmp_path / "made")
    one = Made(tmp_path / "made", described)
    errors = []
    for topic in one.campaign.ideals:
        task, navigation = one.campaign.task("s", topic), one.campaign.navigation_on(topic)
        assert closed_form(task, navigation) is None
        by_measure = {row["measure"]: row for row in one.scores if row["topic"] == topic}
        assert by_measure["ExactPRUM"]["method"] == "simulated"
        assert by_measure["AP"]["method"] == "computed"
        assert float(by_measure["AP"]["error"]) == 0
        errors.append(float(by_measure["ExactPRUM"]["error"]))
    assert min(errors) > 0
    found = described.systems["s"].scores
    assert found["ExactPRUM"].method == "simulated"
    assert found["ExactPRUM"].error == pytest.approx(np.hypot(*errors) / 2, abs=1e-9)
    assert (found["AP"].method, found["AP"].error) == ("computed", 0)


@slow
def test_the_error_of_simulated_truth_is_honest() -> None:
    specification = open_specification("exclusive + one-factor .5")
    structure = Structure(specification.collection, specification.seed)
    topics = topics_of(structure, specification, range(2))
    world = World(specification, topics)
    lists = [tuple(world.ids(topic.candidates[::-4])) for topic in topics]
    exact = np.array(
        [
            simulate(
                judged.task(ranking),
                world.navigations[judged.topic],
                num_users=100_000,
                seed=1,
                threads=1,
            ).precision.mean()
            for judged, ranking in zip(world.judged, lists, strict=True)
        ]
    )
    measure = [measure_of("ExactPRUM")]
    z = []
    for seed in range(100, 130):
        other = World(specification.model_copy(update={"seed": seed}), topics)
        # The links are those of before: users alone are others.
        other.__dict__["structure"] = structure
        found = scores_of(other, lists, measure, system="s")
        assert (found.methods == "simulated").all()
        z += ((found.values[:, 0] - exact) / found.errors[:, 0]).tolist()
    outside = (np.abs(z) > stats.t.isf(0.025, 19)).sum()
    law = stats.binom(len(z), 0.05)
    assert law.isf(LEVEL) >= outside
    assert abs(np.mean(z)) < stats.norm.isf(LEVEL / 2) * 1.3 / sqrt(len(z))
    # Half the error would be seen.
    assert (2 * np.abs(z) > stats.t.isf(0.025, 19)).sum() > law.isf(LEVEL)


# --- judgements -----------------------------------------------------------------------------------


def retrieved(one: Made, system: str) -> dict[str, tuple[str, ...]]:
    return read_run(one.folder / "runs" / system)


@every_way
def test_topics_name_the_ideals_of_the_judgements(way: str, made: Making) -> None:
    one = made(way)
    dials = one.dials["topics"]
    lines = [json.loads(line) for line in (one.folder / "topics.jsonl").read_text().splitlines()]
    wanted = ideals_of(one.qrels, ideal_grade=dials["ideal_grade"])
    assert [line["topic"] for line in lines] == list(wanted)
    for line in lines:
        assert set(line["ideals"]) == set(wanted[line["topic"]])
        assert line["ideals"]
    assert one.described.counts.ideals == sum(map(len, wanted.values()))
    assert all(grade in (1, 2) for by in one.qrels.values() for grade in by.values())
    assert [one.topic for one in one.judged] == list(wanted)


@every_way
def test_pools_are_the_tops_of_their_systems_with_true_grades(way: str, made: Making) -> None:
    one = made(way)
    pooled = read_qrels(one.folder / "qrels-pooled.txt")
    poor, good = (retrieved(one, system) for system in ("poor", "good-2"))
    for topic, truth in one.qrels.items():
        tops = {*poor.get(topic, ())[:5], *good.get(topic, ())[:5]}
        assert pooled[topic] == {element: truth.get(element, 0) for element in tops}


def test_judges_label_the_pool_and_err_as_their_dials_say(tmp_path: Path) -> None:
    topics = {"number": 40, "relevant": [20, 30], "grades": [0.5, 0.5], "ideal_grade": 2}
    judges = {"number": 2, "hit": 0.7, "false_alarm": [0.1, 0.4], "by_topic": 0.0}
    content = specification("flat", topics=topics, judges=judges)
    content["systems"] = [{"name": "good", "strength": 3, "depth": 60}]
    content["pool"] = {"depth": 40}
    one = Made(tmp_path / "made", generate_dataset(content, tmp_path / "made"))
    pooled = read_qrels(one.folder / "qrels-pooled.txt")
    for number in (1, 2):
        judged = read_qrels(one.folder / f"qrels-judge-{number}.txt")
        assert {topic: set(by) for topic, by in judged.items()} == {
            topic: set(by) for topic, by in pooled.items()
        }
        said = [(pooled[t][x], grade) for t, by in judged.items() for x, grade in by.items()]
        assert {grade for _, grade in said} == {0, 2}
        for true, rate in ((0, 0.1), (1, 0.4), (2, 0.7)):
            labels = [grade == 2 for grade_, grade in said if grade_ == true]
            for wanted, holds in ((rate, True), (rate + 0.15, False)):
                pvalue = stats.binomtest(sum(labels), len(labels), wanted).pvalue
                assert (pvalue > 1e-4) == holds
    # Labels do not hang on which systems there are: an element keeps its label in a deeper pool.
    content["pool"] = {"depth": 60}
    generate_dataset(content, tmp_path / "deep")
    judged, deep = (read_qrels(tmp_path / name / "qrels-judge-1.txt") for name in ("made", "deep"))
    assert all(deep[topic][x] == grade for topic, by in judged.items() for x, grade in by.items())


def test_judges_without_a_pool_judge_what_is_retrieved_or_relevant(tmp_path: Path) -> None:
    content = specification(
        "web", pool=None, judges={"hit": 1.0, "false_alarm": 0.0, "by_topic": 0.0}
    )
    one = Made(tmp_path / "made", generate_dataset(content, tmp_path / "made"))
    judged = read_qrels(one.folder / "qrels-judge-1.txt")
    assert not (one.folder / "qrels-pooled.txt").exists()
    runs = [retrieved(one, system) for system in one.described.systems]
    for topic, truth in one.qrels.items():
        there = {element for run in runs for element in run.get(topic, ())} | set(truth)
        assert judged[topic].keys() == there
        assert {element for element, grade in judged[topic].items() if grade} == set(truth)


def test_intents_are_those_of_topics_and_of_the_file(made: Making) -> None:
    one = made("web")
    rows = [line.split() for line in (one.folder / "qrels-intents.txt").read_text().splitlines()]
    by_intent: dict[tuple[str, str], list[int]] = defaultdict(list)
    for topic, intent, element, grade in rows:
        by_intent[topic, element].append(int(intent))
        assert one.qrels[topic][element] == int(grade)
    assert rows == sorted(rows, key=lambda row: (row[0], int(row[1])))
    for line in (one.folder / "topics.jsonl").read_text().splitlines():
        told = json.loads(line)
        intents = told["intents"]
        assert intents == {element: by_intent[told["topic"], element] for element in intents}
        assert intents.keys() == one.qrels[told["topic"]].keys()
        assert all(intents.values())
        assert set().union(*intents.values()) == {1, 2, 3}
    assert not (made("flat").folder / "qrels-intents.txt").exists()


@pytest.mark.parametrize("way", [way for way in WAYS if WAYS[way][0] in TREES])
def test_assessments_are_consistent_and_give_the_same_best(way: str, made: Making) -> None:
    one = made(way)
    tree = read_elements(one.folder / "elements.parquet")
    assert len(tree) == ELEMENTS
    path = one.folder / "assessments.txt"
    for assessments in judgements_from(path).assessed.values():
        check_propagation(assessments, tree)
        assert len(assessments) > 1
    judged, without = read_judged(path, ideals="best", **one.collection)
    assert not without
    found = {topic.topic: set(topic.ideals) for topic in judged}
    wanted = {topic.topic: set(topic.ideals) for topic in one.judged}
    assert found == wanted or WAYS[way][2].get("ideals") != "best"


# --- browsing -------------------------------------------------------------------------------------


@every_way
def test_navigation_is_the_probabilities_by_which_people_browse(way: str, made: Making) -> None:
    one = made(way)
    path = one.folder / "navigation.parquet"
    if way == "flat" or "web walk" in way:  # all links matter to those who walk the Web
        assert not path.exists()
        return
    written: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for topic, source, target, probability in pd.read_parquet(path).itertuples(index=False):
        assert (source, target) not in written[topic]
        written[topic][source, target] = probability
    assert list(written) == list(one.campaign.ideals)
    for topic, ideals in one.campaign.ideals.items():
        navigation = one.campaign.navigation_on(topic)
        browsed = getattr(navigation, "navigation", navigation)
        every = {(x, y): p for x, y, p in getattr(browsed, "navigation", browsed).links}
        for pair, probability in written[topic].items():
            assert every[pair] == pytest.approx(probability, abs=1e-12)
        into = {(x, y) for (x, y), p in every.items() if y in ideals and p > 0}
        assert into <= written[topic].keys()


# --- formats --------------------------------------------------------------------------------------
