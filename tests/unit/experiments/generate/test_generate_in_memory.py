"""A collection made in memory is the one that the command writes."""

import csv
from pathlib import Path
from typing import Any

import pytest

from prum.analytic.precision.of_task import prum_of
from prum.experiments.generate import generate_dataset
from prum.simulator import InputError, read_run
from prum.simulator.generation.dials import Dials
from prum.simulator.generation.specifications import SpecificationError
from prum.simulator.generation.systems import generate
from tests.made_collections import KINDS

TOPICS = {"number": 4, "candidates": 60, "relevant": [2, 5]}
BROWSING: dict[str, dict[str, str]] = {
    "flat": {},
    "web": {"kind": "walk + fading .9"},
    "xml": {"kind": "no-revisit"},
    "video": {"way": "timeline .01"},
    "chunks": {"way": "tolerance 100 falling", "kind": "beta 1 2"},
}


def specification(kind: str, **more: Any) -> dict[str, Any]:
    return {
        "format": "jsonl",
        "collection": KINDS[kind].model_dump(mode="json"),
        "topics": TOPICS,
        "browsing": BROWSING[kind],
        "systems": [{"name": "s", "number": 2, "strength": [1.0, 2.0], "near_misses": 0.5}],
        "truth": {"measures": ["PRUM"]},
        **more,
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_lists_and_browsing_are_those_of_the_files(kind: str, tmp_path: Path) -> None:
    wanted = specification(kind)
    made = generate(wanted).campaign
    generate_dataset(wanted, tmp_path / "made")
    for system, lists in made.runs.items():
        assert read_run(tmp_path / "made" / "runs" / system) == {**lists}
    with (tmp_path / "made" / "scores.csv").open() as file:
        for row in csv.DictReader(file):
            task = made.task(row["system"], row["topic"])
            found = prum_of(task, made.navigation_on(row["topic"])).average
            assert found == pytest.approx(float(row["score"]), abs=1e-9)


def test_another_seed_makes_another_collection() -> None:
    one, other = generate(specification("web")), generate(specification("web", seed=2))
    assert one.campaign.runs == generate(specification("web")).campaign.runs
    assert one.campaign.runs != other.campaign.runs


def test_a_target_needs_scores() -> None:
    with pytest.raises(InputError, match=r"target of system s is 0\.5, must be left out"):
        generate(specification("web", systems=[{"name": "s", "target": {"value": 0.5}}]))


def test_dials_are_taken_as_they_are_and_mistakes_told_together() -> None:
    dials = Dials.read(specification("flat"))
    assert generate(dials).dials is dials
    with pytest.raises(SpecificationError) as caught:
        generate({"collection": {"kind": "flat", "elements": 5, "more": 1}, "seed": -1})
    assert [error.thing for error in caught.value.errors] == [
        "seed",
        "collection.elements",
        "collection.more",
    ]
