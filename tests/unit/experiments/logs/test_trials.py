"""P(x -> y) from logs: counted a second time, and biased shares seen."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from prum.experiments.generate.dataset import Dataset, read_dataset
from prum.experiments.logs.trials import EVERY, TURN
from prum.simulator.model.stopping import Persistence
from tests.made_folders import LEVEL, logged, stand_in, write_lines
from tests.tiers import slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with everything: a pool of two systems of four, and a log."""
    return stand_in(
        tmp_path_factory.mktemp("whole") / "made",
        pool={"depth": 3, "systems": ["s0", "s2"]},
        users=60,
    )


def counted_by_hand(data: Dataset, path: Path) -> dict[str, dict[Any, list[int]]]:
    """Return seen and trials of each way to count, by topic, x and y, event by event."""
    sessions: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text().splitlines():
        row = json.loads(line)
        sessions[row["system"], row["user"], row["session"], row["query"]].append(row)
    ideals = {one.topic: one.ideals for one in data.judged()}
    tosses: dict[str, dict[Any, bool]] = {way: {} for way in (EVERY, TURN)}
    for (system, user, _, topic), rows in sessions.items():
        table = {(x, y) for x, y, _ in data.navigation[topic]}
        reason = rows[-1]["reason"]
        length = len(data.runs[system][topic])
        ranks = sorted({row["rank"] for row in rows if row["action"] == "consult"})
        for rank in ranks:
            here = [row for row in rows if row["rank"] == rank and row["action"] != "stop"]
            x = here[0]["element"]
            seen = [row["element"] for row in here if row["action"] == "see" and row["origin"]]
            broken = rank == ranks[-1] and reason in ("found", "budget", "patience")
            targets = [y for y in ideals[topic] if (x, y) in table and x != y]
            for place, y in enumerate(targets):
                if rank > length:
                    continue
                key = user, topic, x, y
                came = not broken or any(one in targets[place:] for one in seen)
                ways = {EVERY: True, TURN: came}
                for way, counts in ways.items():
                    if counts:
                        tosses[way][key] = tosses[way].get(key, False) or y in seen
    told: dict[str, dict[Any, list[int]]] = {}
    for way, by in tosses.items():
        counts = defaultdict(lambda: [0, 0])
        for (_, *pair), was_seen in by.items():
            counts[tuple(pair)][0] += was_seen
            counts[tuple(pair)][1] += 1
        told[way] = dict(counts)
    return told


@slow
@pytest.mark.parametrize("log", ["log.jsonl", "log.jsonl.gz", "log.parquet"])
def test_trials_are_those_counted_by_hand(tmp_path: Path, log: str) -> None:
    if log.endswith("parquet"):
        pytest.importorskip("pyarrow")
    rules = (Persistence(0.95),)
    made = [
        stand_in(
            tmp_path / name, num_topics=5, users=30, stop=["persistence .95"], rules=rules, log=name
        )
        for name in ("log.jsonl", log)[: 1 + (log != "log.jsonl")]
    ]
    data = read_dataset(made[-1])
    assert data.log is not None
    trials = logged(data, data.log)
    assert trials.are_same_people
    assert trials.unknown == 0
    wanted = counted_by_hand(data, made[0] / "log.jsonl")
    assert trials.broken_off > 0
    for way in (EVERY, TURN):
        happened, number = trials.counts(way)
        found = {
            (data.topics[topic], x, y): [k, n]
            for (topic, x, y, _), k, n in zip(
                trials.pairs.itertuples(index=False),
                happened.tolist(),
                number.tolist(),
                strict=True,
            )
            if n
        }
        assert found == wanted[way], way
        assert found


def _pull(trials: Any, way: str) -> float:
    """Return how many standard errors the sights of a way are from what is true."""
    happened, number = trials.counts(way)
    p = trials.pairs["probability"].to_numpy()
    return float((happened - number * p).sum() / (number * p * (1 - p)).sum() ** 0.5)


@slow
def test_shares_where_the_turn_came_are_unbiased_and_all_shares_are_not(tmp_path: Path) -> None:
    data = read_dataset(stand_in(tmp_path / "made", num_systems=1, users=1500))
    assert data.log is not None
    trials = logged(data, data.log)
    edge = stats.norm.ppf(1 - LEVEL / 2)
    assert abs(_pull(trials, TURN)) < edge
    assert _pull(trials, EVERY) < -2 * edge


@slow
def test_users_of_several_systems_may_be_different_people(tmp_path: Path) -> None:
    folder = stand_in(tmp_path / "made", users=40)
    data = read_dataset(folder)
    assert data.log is not None
    same = logged(data, data.log)
    rows = [json.loads(line) for line in data.log.read_text().splitlines()]
    # In every other system a number is somebody else's.
    for row in rows:
        row["user"] = (row["user"] + int(row["system"][1])) % 40
    write_lines(data.log, [json.dumps(row) for row in rows])
    others = logged(data, data.log)
    assert same.are_same_people
    assert not others.are_same_people
    assert others.counts(EVERY)[1].sum() > same.counts(EVERY)[1].sum()


def test_without_an_order_no_turn_is_known(tmp_path: Path) -> None:
    folder = stand_in(
        tmp_path / "made",
        num_topics=4,
        num_systems=1,
        users=60,
        want=None,
        rules=(Persistence(0.9),),
        stop=["persistence .9"],
    )
    data = read_dataset(folder)
    assert data.log is not None
    assert logged(data, data.log).ways == (EVERY, TURN)
    rows = [json.loads(line) for line in data.log.read_text().splitlines()]
    for one, two in pairwise(rows):
        if one["origin"] and one["origin"] == two["origin"]:
            one["element"], two["element"] = two["element"], one["element"]
            break
    write_lines(data.log, [json.dumps(row) for row in rows])
    assert logged(data, data.log).ways == (EVERY,)


def test_people_who_walk_and_people_who_differ(tmp_path: Path) -> None:
    folder = stand_in(tmp_path / "made", num_topics=3, num_systems=2, strength=0.2)
    specification = json.loads((folder / "dataset.json").read_text())
    plain = read_dataset(folder)
    for kind, base, factor in (("walk", "walk", 1), ("beta 1 3 + fading .9", "independent", 0.25)):
        specification["specification"]["browsing"] = {"kind": kind, "way": None}
        (folder / "dataset.json").write_text(json.dumps(specification))
        data = read_dataset(folder)
        assert (data.base, data.mean_factor, data.is_plain) == (base, factor, False)
    # One step at most leads from a listed element to an ideal: walks get there as links say.
    walked = {topic: {(x, y): p for x, y, p in data.navigation[topic]} for topic in data.topics}
    assert walked == {t: {(x, y): p for x, y, p in plain.navigation[t]} for t in data.topics}
