"""The study of realism as a whole, and dials that are found again."""

import csv
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import norm

from prum.experiments.commands.generator import study
from prum.experiments.statistics.distances import GroupedSample
from prum.experiments.studies.realism import REALISM
from prum.experiments.studies.realism.fitting import (
    Dial,
    FittedSpecification,
    fit,
    mean_distance,
    pattern_search,
    reduced,
    scale,
)
from prum.experiments.studies.realism.moments import (
    dial_of,
    popularity_slope,
    power_exponent,
    power_range,
    read_off,
    toml_text,
    uniform_range,
    with_dial,
)
from prum.experiments.studies.realism.reading import Data, files_of, specification_of
from prum.experiments.studies.realism.statistics import samples
from prum.simulator.model import Elements, InputError
from tests.compared_folders import folder_of
from tests.tiers import slow

# Of a false alarm in any one statistical test below; seeds are fixed, so it comes at once or never.
ALPHA = 1e-4


@slow
def test_the_study_is_printed_written_and_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder_of(Path("one"))
    folder_of(Path("two"), ideal_grade=2)
    words = ["realism", "one", "two", "--json", "o.json", "--csv", "o.csv", "--html", "o.html"]
    told = CliRunner().invoke(study, words, catch_exceptions=False)
    assert told.exit_code == 0
    assert (
        "The groups are too few to show a difference in any of 14 statistics (Holm, 5%); farthest"
    ) in told.output
    content = json.loads(Path("o.json").read_text())
    assert content["command"] == "prum study realism one two --permutations 999 --seed 1"
    rows = list(csv.DictReader(Path("o.csv").read_text().splitlines()))
    assert [row["statistic"] for row in rows] == [row["statistic"] for row in content["rows"]]
    ranks = next(row for row in content["rows"] if row["statistic"] == "ideal_rank")
    assert (ranks["values_a"], ranks["values_b"], ranks["mean_a"]) == (4, 1, 1.5)
    assert ranks["wasserstein"] == pytest.approx(0.5)
    assert ranks["enumerated"]
    again = REALISM(a="one", b="two")
    assert json.loads(again.to_json()) == content
    assert again.to_html() == Path("o.html").read_text()
    assert "revisits of a path" in again.to_html()


@pytest.mark.parametrize("option", [{"budget": 9}, {"size": 200}])
def test_options_of_a_fit_are_refused_without_one(option: dict[str, int]) -> None:
    (name,) = option
    with pytest.raises(
        InputError, match=rf"^{name} is \d+, must be left out without fit; give fit"
    ):
        REALISM.design(a="one", b="two", **option)
    assert getattr(REALISM.design(a="one", b="two", fit="new.toml", **option), name)


def test_equal_values_have_no_standard_deviation() -> None:
    equal = GroupedSample.of([0.1] * 10)
    assert scale(equal.values) == pytest.approx(0.1)
    assert scale(np.zeros(3)) == 1


def test_toml_is_read_back() -> None:
    content = {
        "name": 'a "b" \\ \n\x7f é',
        "collection": {"kind": "web", "inside": 0.5, "elements": 100, "big": 1e22, "odd key": 1},
        "topics": {"relevant": [3, 12], "grades": [0.5, 0.5], "deep": {"yes": True}},
        "systems": [{"name": "a", "target": {"value": [0.1, 0.2]}}, {"name": "b"}],
        "empty": [],
    }
    assert tomllib.loads(toml_text(content)) == content
    assert tomllib.loads(toml_text({"a": None, "b": 1})) == {"b": 1}


def test_dials_are_read_and_set() -> None:
    content: dict[str, Any] = {"systems": [{"strength": [1, 2]}]}
    changed = with_dial(content, "systems.0.strength.1", 3)
    assert dial_of(changed, "systems.0.strength.1") == 3
    assert content["systems"][0]["strength"][1] == 2
    assert dial_of(changed, "systems.1.strength", 7) == 7


def test_a_uniform_range_is_found_again() -> None:
    rng = np.random.default_rng(6)
    assert uniform_range(rng.integers(3, 10, 5000).astype(float)) == [3, 9]
    assert uniform_range(np.array([4.0, 4, 4])) == [4, 4]
    assert uniform_range(np.array([0.0, 0, 2]))[0] == 1


@pytest.mark.parametrize("exponent", [0.0, 0.7, 2.5])
def test_a_degree_exponent_is_found_again(exponent: float) -> None:
    degrees = np.arange(0, 60)
    logs = np.log(np.maximum(degrees, 1))
    weights = np.exp(-exponent * logs)
    weights /= weights.sum()
    drawn = np.random.default_rng(7).choice(degrees, 20_000, p=weights).astype(float)
    found = power_exponent(drawn, 0, 59)
    # Of an exponential family the information is the variance of what is summed.
    error = 1 / np.sqrt(20_000 * (weights @ logs**2 - (weights @ logs) ** 2))
    assert abs(found - exponent) <= norm.ppf(1 - ALPHA / 2) * error + 1e-4
    assert power_exponent(drawn + 1, 1, 60) != pytest.approx(found, abs=error) or exponent == 0


def test_a_power_law_and_a_popularity_are_found_again() -> None:
    degrees = np.arange(4, 101)
    weights = degrees**-1.2 / (degrees**-1.2).sum()
    drawn = np.random.default_rng(8).choice(degrees, 20_000, p=weights).astype(float)
    least, most, exponent = power_range(drawn)
    assert least == 4
    assert 75 <= most <= 100
    assert exponent == pytest.approx(1.2, abs=0.1)
    assert power_range(np.zeros(5))[:2] == (0, 1)
    assert popularity_slope(np.arange(1, 5000) ** -0.6 * 1e6) == pytest.approx(0.6)
    assert popularity_slope(np.zeros(5)) == 0


def read_from(elements: Elements, kind: str = "xml") -> tuple[Any, set[str]]:
    """Return the dials of a collection that are read off its elements, and which were set."""
    changed, changes = read_off({"collection": {"kind": kind}}, Data(elements=elements))
    return changed["collection"], {change.dial for change in changes}


def test_trees_are_read_off() -> None:
    tree = Elements.from_columns(
        ["d", "s", "t", "p", "q", "r"], [None, "d", "d", "s", "s", "t"], [60, 40, 20, 10, 30, 20]
    )
    collection, changes = read_from(tree)
    assert (collection["depth"], collection["nesting"]) == (2, 1.0)
    assert (collection["words"], collection["elements"]) == (20, 100)
    assert collection["words_spread"] == pytest.approx(np.log([10, 30, 20]).std(), abs=1e-4)
    assert {"collection.fan_out", "collection.words"} <= changes
    assert read_from(tree, "web") == ({"kind": "web"}, set())


def test_levels_of_trees_are_read_off_and_searched() -> None:
    # Two acts; one has a scene with three lines and a title, the other two scenes with a line each.
    parents = [None, "p", "p", "a", "a", "s", "s", "s", "b", "b", "t", "u"]
    names = ["p", "a", "b", "s", "x", "1", "2", "3", "t", "u", "4", "5"]
    sizes = [8, 5, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1]
    tree = Elements.from_columns(names, parents, sizes)
    collection, _ = read_from(tree)
    assert collection["fan_out"] == [[2, 2], [2, 2], [1, 3]]
    assert (collection["depth"], collection["nesting"]) == (3, [1.0, 0.75])
    asked = set[str]()

    def make(content: Mapping[str, Any], _: int) -> Data:
        asked.add(json.dumps(dial_of(content, "collection.fan_out")))
        asked.add(json.dumps(dial_of(content, "collection.nesting")))
        return Data(elements=tree)

    content = {"collection": {"kind": "xml"}}
    found = fit(content, Data(elements=tree), make, budget=25, size=200, seed=1)
    assert {"[[2, 2], [2, 8], [1, 3]]", "[0.8, 0.75]", "[1.0, 0.95]"} <= asked
    (change,) = (one for one in found.changes if one.dial == "collection.fan_out")
    assert change.after == [[2, 2], [2, 2], [1, 3]]


def test_a_tail_of_relevant_elements_is_read_off() -> None:
    rng = np.random.default_rng(10)
    content = {"collection": {"kind": "flat"}, "topics": {"relevant_spread": 2.0}}
    for sizes, has_tail in (
        (np.exp(3 + 0.9 * rng.normal(size=400)).round() + 1, True),
        (rng.integers(5, 40, 400), False),
    ):
        qrels = {f"{n}": {f"e{k}": 1 for k in range(int(size))} for n, size in enumerate(sizes)}
        changed, _ = read_off(content, Data(qrels=qrels))
        topics: Any = changed["topics"]
        if has_tail:
            assert topics["relevant"] == [sizes.min(), sizes.max()]
            assert topics["relevant_median"] == np.median(sizes)
            assert topics["relevant_spread"] == pytest.approx(0.85, abs=0.1)
        else:
            assert topics["relevant"] == [5, 39]
            assert (topics["relevant_spread"], "relevant_median" in topics) == (None, False)


def test_chunks_are_read_off() -> None:
    pages = Elements(
        {
            "p": (None, 50.0),
            **{f"c{k}": ("p", 20.0, 15.0 * k) for k in range(3)},
            "q": (None, 20.0),
            "x": ("q", 20.0),
        }
    )
    collection, _ = read_from(pages, "chunks")
    assert (collection["words"], collection["stride"]) == (20, 15)
    assert collection["page_words"] == pytest.approx(np.sqrt(1000), abs=1e-4)


def test_topics_lists_and_users_are_read_off(tmp_path: Path) -> None:
    data = files_of(folder_of(tmp_path / "one")).read()
    content = {"collection": {"kind": "flat"}, "systems": [{"name": "s"}], "log": {"users": 5}}
    changed, _ = read_off(content, data)
    assert changed["topics"] == {
        "number": 2,
        "relevant": [1, 2],
        "grades": [0.6667, 0.3333],
        "ideal_grade": 1,
    }
    assert changed["systems"] == [{"name": "s", "depth": 2}]
    # Three visits with four searches, which end at rank 5/4 in the mean.
    assert changed["log"] == {"users": 5, "queries": 1.3333, "stop": ["persistence 0.2"]}


def test_a_pattern_search_finds_the_least_and_keeps_its_budget() -> None:
    dials = [Dial("x", 0, 1, 0.5, ()), Dial("y", 1, 1000, 50, (), "log", whole=True)]
    seen = list[tuple[float, ...]]()

    def loss(values: tuple[float, ...]) -> float:
        seen.append(values)
        return (values[0] - 0.2) ** 2 + np.log(values[1] / 200) ** 2

    best, losses = pattern_search(loss, dials, [0.9, 3], budget=60)
    assert best[0] == pytest.approx(0.2, abs=0.02)
    assert best[1] == pytest.approx(200, rel=0.1)
    assert len(seen) == len(set(seen)) == len(losses) <= 60
    assert loss(best) == min(losses) < losses[0] == loss((0.9, 3))
    assert pattern_search(loss, dials, [0.9, 3], budget=1)[0] == (0.9, 3)
    assert pattern_search(lambda _: 1.0, [], [], budget=5)[0] == ()


def agreeing(content: Mapping[str, Any], seed: int) -> Data:
    """Return lists of two systems that share elements as far as they are to agree."""
    agreement = float(dial_of(content, "dependence.agreement", 0.3))
    if agreement > 0.95:
        raise InputError("agreement", agreement, "be less", remedy="lower it")
    rng = np.random.default_rng(seed)
    runs: dict[str, dict[str, list[str]]] = {"x": {}, "y": {}}
    for topic in range(int(dial_of(content, "topics.number", 20))):
        shared = rng.random(20) < agreement
        runs["x"][f"{topic}"] = [f"x{k}" for k in range(20)]
        runs["y"][f"{topic}"] = [f"{'x' if shared[k] else 'y'}{k}" for k in range(20)]
    return Data(runs=runs)


def test_a_fit_comes_closer_and_finds_the_dial_again() -> None:
    real = agreeing({"dependence": {"agreement": 0.8}, "topics": {"number": 300}}, seed=1)
    content = {"collection": {"kind": "flat", "elements": 1000}, "topics": {"number": 300}}
    found: FittedSpecification = fit(content, real, agreeing, budget=30, size=200, seed=9)
    assert found.specification["dependence"]["agreement"] == pytest.approx(0.8, abs=0.05)
    losses = [loss for loss in found.losses if loss is not None]
    assert losses[0] > 5 * min(losses)
    assert found.specification["topics"] == {"number": 300}
    (change,) = found.changes
    assert (change.dial, change.before, change.reason) == ("dependence.agreement", None, "search")
    before, after = (
        mean_distance(samples(real), samples(agreeing(one, seed=2)))
        for one in (content, found.specification)
    )
    assert before > 5 * after


def test_a_fit_to_nothing_common_or_of_what_fails_says_so() -> None:
    real = agreeing({}, seed=1)
    content = {"collection": {"kind": "flat"}, "dependence": {"agreement": 1.0}}
    with pytest.raises(InputError, match="must be less; lower it"):
        fit(content, real, agreeing, budget=1, size=200, seed=9)
    assert mean_distance({}, samples(real)) == np.inf


def test_a_smaller_collection_is_of_the_same_law() -> None:
    content = {
        "collection": {"kind": "flat", "elements": 90_000},
        "pool": {"depth": 5},
        "systems": [{"name": "s", "number": 50}, {"name": "t"}],
    }
    assert reduced(content, 2_000) == {
        "collection": {"kind": "flat", "elements": 2_000},
        "systems": [{"name": "s", "number": 8}, {"name": "t"}],
        "truth": {"measures": ["AP"]},
    }
    assert content["collection"] == {"kind": "flat", "elements": 90_000}


def test_the_fit_is_written_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from prum.experiments.studies.realism import study as studying

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(studying, "made_data", agreeing)
    folder_of(Path("real"))
    Path("b.toml").write_text('[collection]\nkind = "flat"\nelements = 500\n')
    assert specification_of("b.toml") is not None
    words = ["realism", "real", "b.toml", "--fit", "o.toml", "--budget", "9", "--html", "o.html"]
    told = CliRunner().invoke(study, words, catch_exceptions=False)
    assert told.exit_code == 0
    assert "Fitted dials bring the mean Wasserstein distance from" in told.output
    text = Path("o.toml").read_text()
    assert text.startswith("# prum study realism real b.toml --permutations 999 --seed 1 --budget")
    written = tomllib.loads(text)
    assert written["topics"]["number"] == 2
    result = REALISM(a="real", b="b.toml", fit="o.toml", budget=9)
    content = json.loads(result.to_json())
    assert written == content["found"]["fit"]["specification"]
    assert list(dict.fromkeys(row.b for row in result.rows)) == ["as given", "fitted"]
    view = result.view()
    assert [table.label for table in view.tables[:2]] == ["Distances before and after", "Dials"]
    assert "topics.number" in str(view.tables[1].data)
    assert sum(note.startswith("A and fitted: ") for note in view.notes) == 1
    assert result.to_html() == Path("o.html").read_text()


def test_a_collection_is_not_compared_with_itself(tmp_path: Path) -> None:
    sides = [tmp_path / f"{seed}.toml" for seed in (2, 3)]
    for side, seed in zip(sides, (2, 3), strict=True):
        side.write_text(f"seed = {seed}\n[collection]\npages = 100\n")
    with pytest.raises(InputError, match=r"B is .* in more than its seed, .* with a seed each"):
        REALISM(a=str(sides[0]), b=str(sides[1]))
