"""Sweeps with judges: what they call ideal in the place of the ideals, and keys that stay."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from prum.experiments.sweeps import Here, Processes, Store, sweep
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Axes, Cell, Given, JudgedSource, grid, loaded
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.specification import SweepSpecification
from prum.experiments.sweeps.verb import csv_bytes
from prum.simulator import Campaign, Independent, InputError
from prum.simulator.generation.dials import ErringJudges, Topics
from prum.simulator.generation.judging import called_ideal
from tests.specifications import TOLD, errors_of

WEB = {"example": "web"}
PERFECT = {"hit": [1.0], "false_alarm": [0.0], "by_topic": [0.0, 0.3]}
ERRING = {"hit": [0.9, 0.6], "false_alarm": [0.3], "by_topic": [0.0, [0.2, 0.1]]}
USERS = {"num_users": 300}
# Two documents of two paragraphs each, and lists of them.
TREE = (
    "element,parent,length,start\nx,,20,0\nx1,x,10,0\nx2,x,10,10\ny,,30,0\ny1,y,10,0\ny2,y,20,10\n"
)
RUN = "".join(
    f"{topic} Q0 {element} {rank} {9 - rank} s\n"
    for topic, elements in {"t": "x1 y2 y x2 stranger", "u": "y1 x y2"}.items()
    for rank, element in enumerate(elements.split(), start=1)
)
QRELS = "t 0 x1 1\nt 0 y1 1\nu 0 y1 1\nu 0 x2 1\nu 0 x 0\n"
FILES = {"tree.csv": TREE, "run.txt": RUN, "qrels.txt": QRELS}


def specification(campaign: Any = None, **tables: Any) -> dict[str, Any]:
    return {"campaigns": [WEB if campaign is None else campaign], "users": USERS, **tables}


def trees(way: str, qrels: str = "qrels.txt") -> dict[str, Any]:
    names = {"runs": ["run.txt"], "qrels": qrels, "elements": ["tree.csv"]}
    return {**names, "way": way, "collection_size": 9, "name": "trees"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cells_of(content: dict[str, Any]) -> tuple[list[Cell], list[Cell]]:
    """Return the cells of the truth, and those of judges."""
    cells = SweepSpecification.read(content).cells()
    judged = [cell for cell in cells if isinstance(cell.source, JudgedSource)]
    return [cell for cell in cells if cell not in judged], judged


# --- keys -------------------------------------------------------------------------------------


def test_keys_are_those_of_versions_without_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written down before there were judges, so that stores of then are still found."""
    monkeypatch.setattr("prum.experiments.sweeps.cells.own_version", lambda: "0.0.0")
    before = {
        "no-browsing": "2f1b85c1ef75e16f124ebf04c1528fcaf45b3c4f415d981a7266753d5496cfb2",
        "prum": "1d8452a22824ffb0bda0b40f3cddd7bd7411caf5ecebad8cdc049ba090c5dd62",
        "exact": "2330fd4d1665483f79c94dfeb2e268aab1763f74dada427c0ee156c9cd90a91f",
        "simulated": "fe7c585f65fbd5c85b72def236c8055a16df62ef50a8f16135034f03f95f3772",
    }
    for tables in ({}, {"judges": ERRING}):
        truth, _ = cells_of(specification(**tables))
        assert {cell.estimator: cell.key for cell in truth} == before


def test_a_store_of_before_is_added_to(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    plain = sweep(specification(), store=place)
    judged = sweep(specification(judges=ERRING), store=place)
    assert judged.num_computed == judged.num_distinct - plain.num_distinct > 0
    rows = judged.to_frame()
    truth = rows[rows["judges"].isna()].drop(columns="judges").reset_index(drop=True)
    pd.testing.assert_frame_equal(truth, plain.to_frame())


# --- labels -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "campaign",
    [WEB, {"example": "table3"}, *(trees(way) for way in ("structural", "tolerance 9"))],
)
def test_a_judge_who_never_errs_gives_the_same_bits(campaign: dict[str, Any]) -> None:
    truth, judged = cells_of(specification(campaign, judges=PERFECT))
    assert len(judged) == 2 * len(truth)
    assert [cell.key for cell in judged] == [cell.key for cell in truth] * 2
    # Each computed by itself: from the labels alone, and from the truth alone.
    with Store() as mine, Store() as others:
        for cells, store in ((truth, mine), (judged, others)):
            assert not run(cells, store, Here(), UserBudget(300)).failures
        parts = [[(p.key, p.first, p.result) for p in store._parts()] for store in (mine, others)]
    assert parts[0] == parts[1]
    # The control: one who errs does not.
    _, erring = cells_of(specification(campaign, judges={"hit": [0.0], "false_alarm": [1.0]}))
    assert not {cell.key for cell in erring} & {cell.key for cell in truth}


@pytest.mark.parametrize("way", ["structural", "tolerance 9", "chunks next .5"])
def test_judged_cells_are_those_of_a_file_of_the_labels(folder: Path, way: str) -> None:
    """Links too: the way makes them for what the judge calls ideal."""
    pools = {"t": ["x1", "x2", "y", "y1", "y2"], "u": ["x", "x2", "y1", "y2"]}
    ideals = {"t": {"x1", "y1"}, "u": {"y1", "x2"}}
    dials = ErringJudges(hit=0.7, false_alarm=0.5, by_topic=(0.1, 0.1))
    for seed in (1, 2, 3):
        lines = []
        for topic, pool in pools.items():
            grades = np.array([int(element in ideals[topic]) for element in pool])
            (labels,) = called_ideal(dials, Topics(), seed, topic, pool, grades)
            lines += [f"{topic} 0 {x} {int(y)}\n" for x, y in zip(pool, labels, strict=True)]
        (folder / "judged.txt").write_text("".join(lines))
        judges = {"hit": [0.7], "false_alarm": [0.5], "by_topic": [0.1]}
        seeds = {"seeds": [seed]}
        _, judged = cells_of(specification(trees(way), grid=seeds, judges=judges))
        written, _ = cells_of(specification(trees(way, "judged.txt"), grid=seeds))
        assert {cell.key for cell in judged} == {cell.key for cell in written}


NUM_TOPICS, IDEALS, OTHERS = 400, 6, 12


def made(num_topics: int = NUM_TOPICS) -> Campaign:
    """Return a campaign of topics with lists that hold most ideals, and others."""
    ideals, lists = {}, {}
    for topic in range(num_topics):
        wanted = [f"{topic} ideal {x}" for x in range(IDEALS)]
        others = [f"{topic} other {x}" for x in range(OTHERS)]
        ideals[str(topic)] = wanted
        lists[str(topic)] = [*others, *wanted[2:]]
    size = num_topics * (IDEALS + OTHERS)
    return Campaign("made", ideals, {"run": lists}, Independent({}), size)


def counted(dials: ErringJudges) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares called ideal of each topic's ideals and others, counted in the cells."""
    campaign = made()
    cells = grid([Given(campaign)], Axes(estimators=("prum",), judges=(dials,)))
    hits, alarms = np.zeros(NUM_TOPICS), np.zeros(NUM_TOPICS)
    for cell in cells:
        if isinstance(cell.source, JudgedSource):
            called = set(loaded(cell.source).ideals[cell.topic])
            assert cell.num_ideals == len(called)
            wanted = called & set(campaign.ideals[cell.topic])
            hits[int(cell.topic)] = len(wanted) / IDEALS
            alarms[int(cell.topic)] = len(called - wanted) / OTHERS
    return hits, alarms


LIMIT = stats.norm.isf(1e-4 / 2 / 12)


def z_of(values: np.ndarray, expected: float) -> float:
    return float((values.mean() - expected) / (values.std(ddof=1) / np.sqrt(len(values))))


@pytest.mark.parametrize("within", [0.0, 0.2])
def test_labels_are_drawn_at_the_rates_of_the_dials(within: float) -> None:
    """Topics are independent; a topic's m labels have the variance p q (1 + (m - 1) w) / m."""
    dials = ErringJudges(hit=0.7, false_alarm=0.15, by_topic=(within, within))
    for values, rate, number in zip(counted(dials), (0.7, 0.15), (IDEALS, OTHERS), strict=True):
        assert abs(z_of(values, rate)) < LIMIT
        squares = (values - rate) ** 2
        variance = rate * (1 - rate) * (1 + (number - 1) * within) / number
        assert abs(z_of(squares, variance)) < LIMIT
        # The controls: other rates, and labels as dependent as those of the other dial.
        assert abs(z_of(values, rate + 0.08)) > LIMIT
        other = rate * (1 - rate) * (1 + (number - 1) * (0.2 - within)) / number
        assert abs(z_of(squares, other)) > LIMIT


def test_a_judge_who_calls_nothing_ideal_has_no_cells() -> None:
    truth, judged = cells_of(specification(judges={"hit": [0.0], "false_alarm": [0.0]}))
    assert len(truth) == 4
    assert judged == []


def test_seeds_and_judges_have_labels_of_their_own() -> None:
    axes = Axes(estimators=("exact",), seeds=(1, 2), judges=(ErringJudges(number=2),))
    cells = [c for c in grid([Given(made(5))], axes) if isinstance(c.source, JudgedSource)]
    ideals = {(cell.source.number, cell.source.seed): loaded(cell.source).ideals for cell in cells}
    assert list(ideals) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert len({json.dumps(one) for one in ideals.values()}) == 4
    # Systems that the grid leaves out are in the pool, and so is what they list.
    campaign = made(5)
    more = replace(campaign, runs={**campaign.runs, "none": {}})
    own = grid([Given(more)], replace(axes, systems=("none",)))
    theirs = {
        c.source.number: loaded(c.source).ideals for c in own if isinstance(c.source, JudgedSource)
    }
    assert theirs == {number: ideals[number, 2] for number in (0, 1)}


def test_what_judges_are_called() -> None:
    def names(**judges: Any) -> list[str]:
        read = SweepSpecification.read(specification(judges=judges)).judges
        assert read is not None
        axes = Axes(estimators=("prum",), judges=read.settings())
        cells = grid([Given(made(1))], axes)
        return list(dict.fromkeys(c.names["judges"] for c in cells if "judges" in c.names))

    assert names(false_alarm=[0.1, 0.2], by_topic=[0, [0.1, 0.2]]) == [
        f"judge 1 false_alarm {rate} by_topic {within}"
        for rate in (0.1, 0.2)
        for within in ("0.0", "0.1 0.2")
    ]
    assert names(number=2, hit=[1]) == ["judge 1 hit 1.0", "judge 2 hit 1.0"]
    assert names() == ["judge 1"]
    assert names(like=["Olz-gpt4o", "h2oloo-fewself"], by_document=[0.1]) == [
        "Olz-gpt4o by_document 0.1",
        "h2oloo-fewself by_document 0.1",
    ]


# --- rows -------------------------------------------------------------------------------------


GRID = {"navigation": ["independent", "walk"], "seeds": [1, 2]}


def test_rows_are_the_same_for_any_workers_and_shards() -> None:
    content = specification(grid=GRID, judges=ERRING)
    rows = sweep(content, workers=Here()).to_frame()
    with Processes(2) as workers:
        assert csv_bytes(sweep(content, workers=workers).to_frame()) == csv_bytes(rows)
    parts = [sweep(content, shard=f"{number}/3").to_frame() for number in (1, 2, 3)]
    assert all(0 < len(part) < len(rows) for part in parts)
    lines = [line for part in parts for line in csv_bytes(part).splitlines()[1:]]
    assert sorted(lines) == sorted(csv_bytes(rows).splitlines()[1:])


def test_rows_name_the_judge_and_the_seed() -> None:
    rows = sweep(specification(grid=GRID, judges=ERRING)).to_frame()
    judged = rows[rows["judges"].notna()]
    assert list(rows.columns)[7:9] == ["judges", "r"]
    assert judged["judges"].nunique() == 4
    assert set(judged["seed"]) == {1, 2}
    assert (judged["r"] <= judged["num_ideals"]).all()
    told = json.loads(judged["parameters"].iloc[0])
    assert told["judges"] == "judge 1 hit 0.9 false_alarm 0.3 by_topic 0.0"
    assert told["judging"]["hit"] == 0.9
    assert (told["judging"]["seed"], told["judging"]["judge"]) == (1, 0)
    # Nothing of it where no judges are.
    assert "judges" not in sweep(specification()).to_frame().columns


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("judges", "told"),
    [
        (5, "judges is 5, must be an object"),
        ({"hit": 0.5}, "judges.hit is 0.5, must be a valid array"),
        ({"hit": [0.5, 1.5]}, "judges.hit[1] is 1.5, must be less than or equal to 1"),
        ({"false_alarm": []}, "judges.false_alarm is [], must hold something"),
        ({"hit": [0.5, 0.5]}, "judges.hit is [0.5, 0.5], must name 0.5 once"),
        ({"hit": [[0.1, 0.2]]}, "judges.hit[0] is [0.1, 0.2], must be a valid number"),
        ({"by_topic": [1e-9]}, "judges.by_topic[0] is (1e-09, 1e-09), must be 0, or 0.0001 at"),
        ({"by_topic": [[1, 2, 3]]}, "judges.by_topic[0] is [1, 2, 3], must be a number, or two"),
        ({"number": 0}, "judges.number is 0, must be greater than or equal to 1"),
        ({"hits": [0.5]}, "judges.hits is [0.5], must not be there: the name is unknown; did you"),
    ],
)
def test_a_mistake_is_told_in_one_line(judges: Any, told: str) -> None:
    (line,) = errors_of(specification(judges=judges))
    assert told in line
    assert line.endswith((TOLD, "'?"))


@pytest.mark.parametrize(
    ("judges", "told"),
    [
        (
            {"like": ["Olz-gpt4"]},
            "judges.like[0] is 'Olz-gpt4', must be one of the measured judges; did you mean "
            "'Olz-gpt4o'?",
        ),
        (
            {"like": ["Olz-gpt4o"], "hit": [0.5, 0.6]},
            "judges.hit is 0.6, must be left out where judges are like others; leave out it or "
            "like",
        ),
    ],
)
def test_dials_that_do_not_go_together(judges: Any, told: str) -> None:
    assert errors_of(specification(judges=judges)) == [told]


def test_campaigns_that_cannot_be_labelled(folder: Path) -> None:
    (folder / "chunks.csv").write_text("id,doc,start,end\na,d,0,10\nb,d,10,20\n")
    (folder / "gold.csv").write_text("topic,doc,start,end\nt,d,2,5\n")
    (folder / "chunks.txt").write_text("t Q0 a 1 2 s\nt Q0 b 2 1 s\n")
    spans = {"runs": ["chunks.txt"], "chunks": "chunks.csv", "spans": "gold.csv"}
    rule = "be left out with spans and with the way assessed, which need more than labels"
    for campaign in ({**spans, "name": "chunks"}, {**trees("assessed"), "name": "chunks"}):
        assert errors_of(specification(campaign, judges={"hit": [0.5]})) == [
            f"chunks: judges is 'judge 1 hit 0.5', must {rule}; sweep this campaign without judges"
        ]
        SweepSpecification.read(specification(campaign)).cells()


@pytest.mark.usefixtures("folder")
def test_a_way_by_judgements_takes_no_other_ideals() -> None:
    (source,) = SweepSpecification.read(specification(trees("assessed"))).campaigns
    with pytest.raises(InputError, match="must be used with judgements"):
        loaded(source).with_ideals({"t": ("x1",)})
