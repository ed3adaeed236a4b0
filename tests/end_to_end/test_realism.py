"""Made collections beside real ones: Wikispeedia, Shakespeare, help pages, TREC-COVID, Naver."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from prum.experiments.generate import generate_dataset
from prum.experiments.statistics.distances import compare_samples
from prum.experiments.studies.realism import both
from prum.experiments.studies.realism.statistics import Samples
from tests.compared_folders import made_samples
from tests.end_to_end.logs_of_people import write_links
from tests.tiers import slow

pytestmark = slow

WEB = {"collection": {"kind": "web", "elements": 4600}}
# Of a false alarm where both sides are halves of one file.
ALPHA = 1e-3


def needed(shared_data: Path, *names: str) -> list[Path]:
    paths = [shared_data / name for name in names]
    for path in paths:
        if not path.is_file():
            pytest.skip(f"no such data: {path} is missing")
    return paths


def run(place: Path, words: str) -> str:
    command = [sys.executable, "-m", "prum.experiments.commands.main", "study", "realism"]
    done = subprocess.run(
        [*command, *words.split(), "--json", "o.json"],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def rows_of(place: Path) -> dict[str, dict[str, Any]]:
    content = json.loads((place / "o.json").read_text())
    return {row["statistic"]: row for row in content["rows"]}


def write_toml(path: Path, **values: object) -> None:
    # Texts and arrays of JSON are those of TOML.
    path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()))


def test_wikispeedia_and_a_web_that_is_made(shared_data: Path, tmp_path: Path) -> None:
    (links,) = needed(shared_data, "wikispeedia/links.tsv.gz")
    with gzip.open(links, "rt") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file if line[0] not in "#\n"]
    write_links(tmp_path / "links.csv", [(x, y) for x, y in pairs])
    write_toml(tmp_path / "a.toml", links="links.csv")
    generate_dataset(WEB, tmp_path / "made")
    run(tmp_path, "a.toml made --html o.html")
    rows = rows_of(tmp_path)
    # 12 of 4,604 articles have no link at all; 119,882 links, none twice, and some to themselves.
    degrees = rows["out_degree"]
    assert degrees["values_a"] == 4592
    assert degrees["mean_a"] == pytest.approx(119_882 / 4592, rel=0.001)
    assert degrees["mean_a"] == rows["in_degree"]["mean_a"]
    assert degrees["wasserstein_holm"] < 0.05


@pytest.mark.parametrize("kind", ["web", "xml"])
def test_collections_that_are_made_alike_are_told_alike(kind: str) -> None:
    content: dict[str, Any] = {
        "collection": {"kind": kind, "elements": 1000},
        "topics": {"number": 15, "candidates": 100},
        "systems": [{"name": "s", "number": 3, "strength": [0.5, 3.0]}],
        "truth": {"measures": ["AP"]},
    }
    other = {"web": {"least_degree": 2}, "xml": {"words": 60}}[kind]
    changed = {**content, "collection": {**content["collection"], **other}}
    pairs, num_pairs = ("out_degree", "leaf_length"), 12
    alarms, hits = dict[str, int](), 0
    rng = np.random.default_rng(1)

    def differ(first: Samples, second: Samples) -> dict[str, bool]:
        found = {
            name: compare_samples(*pair, permutations=99, rng=rng).wasserstein_p
            for name, pair in both(first, second).items()
        }
        return {name: p is not None and p <= 0.1 for name, p in found.items()}

    for number in range(num_pairs):
        one, two = (made_samples(content, 100 + 2 * number + side) for side in (0, 1))
        for name, alarm in differ(one, two).items():
            alarms[name] = alarms.get(name, 0) + alarm
        found = differ(one, made_samples(changed, number))
        hits += any(found.get(name, False) for name in pairs)
    assert max(alarms.values()) <= binom.ppf(1 - ALPHA / len(alarms), num_pairs, 0.1)
    assert hits == num_pairs
