"""Datasets made in each way of browsing, and what their files hold."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.evaluate.inputs import read_judged
from prum.experiments.generate.files import Description
from prum.experiments.measures.judged import Judged
from prum.simulator.collections import read_qrels
from prum.simulator.collections.campaign import Campaign, read_campaign
from tests.tiers import spread

# P(a false alarm) of one comparison with chance; some two hundred are made here.
LEVEL = 1e-7
ELEMENTS = 400
LOG = {"users": 30, "arrivals": 30.0, "queries": 2.5, "stop": ["persistence 0.9"]}
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
        "chunks",
        {"way": "chunks next .4 parent .2 child .005", "kind": "walk"},
        {},
    ),
    "chunks tolerance": ("chunks", {"way": "tolerance 100 falling"}, {"ideal_grade": 2}),
}
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
        "collection": {
            "kind": kind,
            "elements": ELEMENTS,
            **({"most_degree": 10} if kind == "web" else {}),
        },
        "topics": {
            "number": 6,
            "relevant": [3, 6],
            "candidates": 150,
            "grades": [0.4, 0.6],
            **topics,
        },
        "browsing": browsing,
        "systems": [
            {"name": "poor", "strength": 0.5, "depth": 40, "near_misses": 1.0, **nested},
            {
                "name": "good",
                "number": 2,
                "strength": [2, 3],
                "depth": 60,
                "ties": 0.3,
                "missing": 0.3,
                "entry_points": 0.5,
            },
            {"name": "aimed", "target": {"measure": "AP", "value": 0.5, "tolerance": 0.02}},
        ],
        "pool": {"depth": 5, "systems": ["poor", "good-2"]},
        "judges": {"number": 2, "hit": 0.8},
        "truth": {"measures": ["ExactPRUM", "PRUM", "AP", "P@10", "nDCG@10", *trees]},
        **tables,
    }


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
