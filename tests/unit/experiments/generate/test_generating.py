"""Made datasets: what their files say by the commands' own readers, beside their truth."""

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from prum.analytic import closed_form
from prum.experiments.evaluate.reading import read_judged, read_lists
from prum.experiments.evaluate.scoring import score_runs
from prum.experiments.generate.description import Description
from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.generate.truth import scores_of
from prum.experiments.generate.verb import generate_dataset
from prum.experiments.generate.world import World
from prum.experiments.measures.judged import Judged
from prum.experiments.measures.measure import measure_of
from prum.simulator import Independent, Links, simulate
from prum.simulator.collections import ideals_of, read_qrels, read_run
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.campaign_files import read_campaign
from prum.simulator.collections.elements import read_elements
from prum.simulator.collections.links import read_links
from prum.simulator.collections.qrels import read_assessments
from prum.simulator.generation.candidates import topics_of
from prum.simulator.generation.structures import Structure
from prum.simulator.model import check_propagation
from prum.simulator.model.costs import Costs
from prum.simulator.model.rule_names import rule_of
from prum.simulator.model.stopping import Stopping
from prum.simulator.model.times import Constant
from prum.simulator.sessions.session import play
from tests.tiers import slow, spread

pytest.importorskip("pyarrow")

# P(a false alarm) of one comparison with chance; some two hundred are made here.
LEVEL = 1e-7
ELEMENTS = 400
TREES = ("xml", "video", "chunks")

# Each way of browsing with a closed form, and what is special about its topics.
WAYS: dict[str, tuple[str, dict[str, str], dict[str, Any]]] = {
    "flat": ("flat", {}, {}),
    "web": ("web", {}, {"intents": 3}),
    "web walk": ("web", {"kind": "walk"}, {"number": 3}),
    "web walk fading": ("web", {"kind": "walk + fading .9"}, {"number": 3}),
    "web walk beta": ("web", {"kind": "walk + beta 1 2"}, {"number": 3}),
    "web exclusive": ("web", {"kind": "exclusive"}, {"relevant": [6, 9], "places": [1, 1]}),
    "web beta": ("web", {"kind": "beta 1 1"}, {}),
    "web comonotone": ("web", {"kind": "comonotone"}, {}),
    "web fading": ("web", {"kind": "fading .9"}, {}),
    "web unranked": ("web", {"kind": "unranked"}, {}),
    "xml": ("xml", {}, {"ideals": "best"}),
    "xml no-revisit": ("xml", {"kind": "no-revisit"}, {}),
    "video": ("video", {"way": "timeline .01"}, {}),
    "video steps": ("video", {"way": "timeline-steps .01"}, {}),
    "chunks": ("chunks", {"way": "chunks next .5 previous .3"}, {"ideals": "best"}),
    "chunks walk": (
        "chunks", {"way": "chunks next .4 parent .2 child .005", "kind": "walk"}, {},
    ),
    "chunks tolerance": ("chunks", {"way": "tolerance 100 falling"}, {"ideal_grade": 2}),
}  # fmt: skip
# One of each kind of collection is fast, but videos, of which the log is.
every_way = pytest.mark.parametrize("way", spread(5, WAYS))


def specification(way: str, **tables: Any) -> dict[str, Any]:
    """Return a small dataset whose systems, topics and files hold a bit of everything."""
    kind, browsing, topics = WAYS[way]
    nested = {"containers": 0.6, "nested": 0.4} if kind in TREES else {}
    trees = ["Overlap@10", "T2I(words=30)"] if kind in TREES else []
    return {
        "name": way,
        "seed": 7,
        "collection": {"kind": kind, "elements": ELEMENTS,
                       **({"most_degree": 10} if kind == "web" else {})},
        "topics": {"number": 6, "relevant": [3, 6], "candidates": 150, "grades": [0.4, 0.6],
                   **topics},
        "browsing": browsing,
        "systems": [
            {"name": "poor", "strength": 0.5, "depth": 40, "near_misses": 1.0, **nested},
            {"name": "good", "number": 2, "strength": [2, 3], "depth": 60, "ties": 0.3,
             "missing": 0.3, "entry_points": 0.5},
            {"name": "aimed", "target": {"measure": "AP", "value": 0.5, "tolerance": 0.02}},
        ],
        "pool": {"depth": 5, "systems": ["poor", "good-2"]},
        "assessors": {"number": 2, "agreement": 0.7},
        "truth": {"measures": ["ExactPRUM", "PRUM", "AP", "P@10", "nDCG@10", *trees]},
        **tables,
    }  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A dataset, and what its files hold by the readers of other commands."""

    folder: Path
    described: Description

    @property
    def dials(self) -> Mapping[str, Any]:
        return self.described.specification

    @cached_property
    def collection(self) -> dict[str, Any]:
        """How the commands are told of elements, links and browsing."""
        kind, browsing = self.dials["collection"]["kind"], self.dials["browsing"]
        told = {key: browsing[key] for key in ("kind", "way") if browsing[key] is not None}
        if kind == "web":
            told["links"] = self.folder / "links.parquet"
        elif kind != "flat":
            told["elements"] = [self.folder / "elements.parquet"]
        return {"collection_size": ELEMENTS, **told}

    @property
    def runs(self) -> list[Path]:
        return [self.folder / "runs" / system for system in self.described.systems]

    @cached_property
    def judged(self) -> list[Judged]:
        grade = self.dials["topics"]["ideal_grade"]
        found, without = read_judged(
            self.folder / "qrels.txt", ideal_grade=grade, **self.collection
        )
        assert not without
        return found

    @cached_property
    def campaign(self) -> Campaign:
        grade = self.dials["topics"]["ideal_grade"]
        return read_campaign(
            self.runs, self.folder / "qrels.txt", ideal_grade=grade, **self.collection
        )

    @cached_property
    def scores(self) -> list[dict[str, str]]:
        with (self.folder / "scores.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    @cached_property
    def qrels(self) -> dict[str, dict[str, int]]:
        return read_qrels(self.folder / "qrels.txt")

    def score(self, system: str, topic: str, measure: str) -> float:
        (row,) = (
            row
            for row in self.scores
            if (row["system"], row["topic"], row["measure"]) == (system, topic, measure)
        )
        return float(row["score"])


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
                    system, topic, str(measure),
                )  # fmt: skip
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
                judged.task(ranking), world.navigations[judged.topic], num_users=100_000, seed=1,
                threads=1,
            ).precision.mean()
            for judged, ranking in zip(world.judged, lists, strict=True)
        ]
    )  # fmt: skip
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
    judged = [read_qrels(one.folder / f"qrels-assessor-{number}.txt") for number in (1, 2)]
    assert all(list(by) == list(pooled) for by in judged)
    for by in judged:
        for topic, grades in by.items():
            assert grades.keys() == pooled[topic].keys()
            assert set(grades.values()) <= set(pooled[topic].values())
    assert judged[0] != judged[1]
    assert judged[0] != pooled


def test_assessors_without_a_pool_judge_what_is_retrieved_or_relevant(tmp_path: Path) -> None:
    content = specification("web", pool=None, assessors={"number": 1, "agreement": 1.0})
    one = Made(tmp_path / "made", generate_dataset(content, tmp_path / "made"))
    judged = read_qrels(one.folder / "qrels-assessor-1.txt")
    assert not (one.folder / "qrels-pooled.txt").exists()
    runs = [retrieved(one, system) for system in one.described.systems]
    for topic, truth in one.qrels.items():
        there = {element for run in runs for element in run.get(topic, ())} | set(truth)
        assert judged[topic] == {element: truth.get(element, 0) for element in there}


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
    for assessments in read_assessments(path).values():
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

LOG = {"users": 30, "arrivals": 30.0, "queries": 2.5, "stop": ["persistence 0.9"]}


@slow
def test_json_lines_hold_what_parquet_holds(tmp_path: Path) -> None:
    for way in ("web", "chunks"):
        folders = {}
        for ending in ("parquet", "jsonl"):
            folders[ending] = tmp_path / f"{way}.{ending}"
            generate_dataset(specification(way, format=ending, log=LOG), folders[ending])
        names = {ending: set() for ending in folders}
        for ending, folder in folders.items():
            for path in folder.rglob("*"):
                if path.is_file():
                    names[ending].add(str(path.relative_to(folder)).removesuffix(f".{ending}"))
        tables = {"navigation", "log", "links" if way == "web" else "elements"}
        assert names["parquet"] - {"topics.jsonl"} == names["jsonl"] - {"topics"}
        assert tables < names["parquet"]
        for name in tables:
            rows = pd.read_parquet(folders["parquet"] / f"{name}.parquet").astype(object)
            lines = (folders["jsonl"] / f"{name}.jsonl").read_text().splitlines()
            assert len(rows) == len(lines) > 0
            plain = rows.where(rows.notna(), None).to_dict(orient="records")
            assert plain == [json.loads(line) for line in lines]
        for name in sorted(names["jsonl"] - tables - {"dataset.json", "DATASHEET.md"}):
            name = "topics.jsonl" if name == "topics" else name
            assert (folders["parquet"] / name).read_bytes() == (
                folders["jsonl"] / name
            ).read_bytes()
        # Other commands read either.
        if way == "web":
            both = [read_links(folders[e] / f"links.{e}") for e in ("parquet", "jsonl")]
            assert both[0].key == both[1].key
        else:
            trees = [read_elements(folders[e] / f"elements.{e}") for e in ("parquet", "jsonl")]
            assert trees[0] == trees[1]


# --- the log --------------------------------------------------------------------------------------

USERS, QUERIES, PERSISTENCE = 600, 2.0, 0.8


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Made, pd.DataFrame]:
    log = {
        "users": USERS, "arrivals": 30.0, "queries": QUERIES, "systems": ["poor"],
        "stop": [f"persistence {PERSISTENCE}"], "judge": 4.0, "read": 7.0, "move": 1.5,
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("log") / "made"
    content = specification("video steps", log=log, truth={"measures": ["AP"]})
    content["topics"]["number"] = 12
    one = Made(folder, generate_dataset(content, folder))
    rows = pd.read_parquet(folder / "log.parquet")
    assert one.described.counts.events == len(rows)
    return one, rows


def sessions(rows: pd.DataFrame) -> Iterator[tuple[tuple[int, int, str], pd.DataFrame]]:
    yield from rows.groupby(["user", "session", "query"], sort=False)


@slow
def test_users_come_one_after_the_other_and_stop_each_session(
    logged: tuple[Made, pd.DataFrame],
) -> None:
    one, rows = logged
    assert set(rows["system"]) == {"poor"}
    assert (rows["time"].diff().dropna() >= 0).all()
    begun = rows.drop_duplicates("user")
    assert begun["user"].tolist() == list(range(USERS))
    assert (begun["session"] == 1).all()
    seen: dict[int, set[str]] = defaultdict(set)
    ends: dict[int, float] = {}
    for (user, session, query), some in sessions(rows[rows["user"] < 150]):
        assert query in one.campaign.ideals
        assert session == len(seen[user]) + 1
        assert query not in seen[user]
        seen[user].add(query)
        assert some["action"].tolist()[-1] == "stop"
        assert (some["action"] == "stop").sum() == 1
        assert some["reason"].notna().tolist() == (some["action"] == "stop").tolist()
        assert set(some["reason"].dropna()) <= {"persistence", "end"}
        first = some["time"].iloc[0]
        assert first > ends.get(user, 0)
        ends[user] = some["time"].iloc[-1]
        ideals = set(one.campaign.ideals[query])
        shown = some[some["action"] == "see"]
        assert (shown["element"].isin(ideals) == shown["ideal"]).all()
        assert not shown.loc[shown["new"], "element"].duplicated().any()
        listed = one.campaign.runs["poor"].get(query, ())
        for rank, element in some.loc[some["action"] == "consult", ["rank", "element"]].values:
            assert rank > len(listed) or listed[rank - 1] == element
    assert set(seen) == set(range(150))


@pytest.mark.parametrize(
    "way", spread(3, ["web", "web walk", "xml no-revisit", "chunks", "video steps", "chunks walk"])
)
def test_each_session_is_that_of_the_user_played_alone(way: str, tmp_path: Path) -> None:
    log = {**LOG, "systems": ["poor"], "judge": 4.0, "read": 7.0, "move": 1.5}
    content = specification(way, log=log, truth={"measures": ["AP"]})
    one = Made(tmp_path / "made", generate_dataset(content, tmp_path / "made"))
    rows = pd.read_parquet(one.folder / "log.parquet")
    costs = Costs(Constant(4.0), Constant(7.0), Constant(1.5))
    stopping = Stopping(rule_of(LOG["stop"][0]))
    num_others = 0
    for (user, _, query), some in sessions(rows):
        task, navigation = one.campaign.task("poor", query), one.campaign.navigation_on(query)
        alone = play(task, navigation, user=user, seed=7, stopping=stopping, costs=costs)
        columns = ["action", "rank", "element", "origin", "ideal", "new"]
        mine = list(some[columns].itertuples(index=False, name=None))
        assert mine == [tuple(getattr(event, name) for name in columns) for event in alone.events]
        times = np.array([event.time for event in alone.events])
        assert np.diff(some["time"]) == pytest.approx(np.diff(times), abs=2e-6)
        assert some["reason"].iloc[-1] == alone.reason
        other = play(task, navigation, user=user, seed=8, stopping=stopping, costs=costs)
        num_others += len(other.events) != len(alone.events)
    assert num_others > 20


@slow
def test_depths_numbers_of_queries_and_arrivals_have_the_laws_of_the_dials(
    logged: tuple[Made, pd.DataFrame],
) -> None:
    _, rows = logged
    bound = stats.norm.isf(LEVEL / 2)

    def is_mean(values: Any, mean: float) -> bool:
        values = np.asarray(values, dtype=float)
        return bool(abs(values.mean() - mean) < bound * values.std(ddof=1) / sqrt(len(values)))

    depths = [(some["action"] == "consult").sum() for _, some in sessions(rows)]
    # After each element they go on with probability .8; no list is so deep that they are stopped.
    assert is_mean(depths, 1 / (1 - PERSISTENCE))
    assert not is_mean(depths, 1 / (1 - PERSISTENCE) + 1)
    asked = rows.groupby("user")["session"].max()
    mean = sum((1 - 1 / QUERIES) ** k for k in range(12))  # 12 topics at most
    assert is_mean(asked, mean)
    assert not is_mean(asked, mean + 0.4)
    # When users come: what they do first takes the same for all, to judge an element.
    come = np.diff(rows.drop_duplicates("user")["time"], prepend=rows["time"].iloc[0] - 120)
    assert stats.kstest(come[1:], stats.expon(scale=120).cdf).pvalue > LEVEL
    assert stats.kstest(come[1:], stats.expon(scale=60).cdf).pvalue < LEVEL


def test_a_log_in_parts_goes_on_with_its_users_and_their_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prum.experiments.generate.jobs.USERS_EACH", 10)
    generate_dataset(specification("web", log=LOG), tmp_path / "made")
    rows = pd.read_parquet(tmp_path / "made" / "log.parquet")
    for _, some in rows.groupby("system", sort=False):
        begun = some.drop_duplicates("user")
        assert begun["user"].tolist() == list(range(30))
        assert (begun["time"].diff().dropna() >= 0).all()
    parts = rows["user"] // 10
    changes = [part for part, _ in groupby(zip(rows["system"], parts, strict=True))]
    assert len(changes) == 4 * 3
