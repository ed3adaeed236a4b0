"""Made collections beside real ones: Wikispeedia, Shakespeare, help pages, TREC-COVID, Naver."""

import gzip
import json
import lzma
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from prum.experiments.statistics.distances import compare_samples
from prum.experiments.studies.realism import both, made_samples
from prum.experiments.studies.realism.statistics import Samples
from tests.end_to_end.logs_of_people import write_links, write_log
from tests.end_to_end.wikispeedia import read_games
from tests.tiers import slow

pytestmark = slow

WEB = '[collection]\nkind = "web"\nelements = 4600\n'
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
    # What takes half a minute, on a busy machine, says how long it still takes.
    told = [line for line in done.stderr.splitlines() if not line.endswith(" left")]
    assert (done.returncode, told) == (0, [])
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
        pairs = [tuple(line.rstrip("\n").split("\t")) for line in file if line[0] not in "#\n"]
    write_links(tmp_path / "links.csv", pairs)
    write_toml(tmp_path / "a.toml", links="links.csv")
    (tmp_path / "b.toml").write_text(WEB)
    run(tmp_path, "a.toml b.toml --html o.html")
    rows = rows_of(tmp_path)
    # 12 of 4,604 articles have no link at all; 119,882 links, none twice, and some to themselves.
    degrees = rows["out_degree"]
    assert degrees["values_a"] == 4592
    assert degrees["mean_a"] == pytest.approx(119_882 / 4592, rel=0.001)
    assert degrees["mean_a"] == rows["in_degree"]["mean_a"]
    assert degrees["wasserstein_sd"] > 10 * degrees["made_twice_sd"]


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


def test_halves_of_real_paths_are_alike_and_given_up_games_are_not(
    shared_data: Path, tmp_path: Path
) -> None:
    articles, _, _ = needed(
        shared_data,
        "wikispeedia/articles.tsv.gz",
        "wikispeedia/paths_finished_resolved.tsv.gz",
        "wikispeedia/paths_unfinished.tsv.gz",
    )
    source = articles.parent
    with gzip.open(source / "paths_finished_resolved.tsv.gz", "rt") as file:
        finished = [line for line in file if not line.startswith("#")]
    sides = np.random.default_rng(1).random(len(finished)) < 0.5
    for name, half in (("one", sides), ("two", ~sides)):
        lines = [line for line, inside in zip(finished, half, strict=True) if inside]
        walks = [line.rstrip("\n").split("\t") for line in lines]
        write_log(tmp_path / f"{name}.csv", ((f"{at}", "", walk) for at, walk in enumerate(walks)))
        write_toml(tmp_path / f"{name}.toml", log=f"{name}.csv")
    given_up = [
        sorted(game.passed)
        for game in read_games(source, [f"{number}" for number in range(5000)])
        if not game.finished and game.passed
    ]
    walks = ((f"{at}", "", walk) for at, walk in enumerate(given_up))
    write_log(tmp_path / "three.csv", walks)
    write_toml(tmp_path / "three.toml", log="three.csv")
    run(tmp_path, "one.toml two.toml")
    halves = rows_of(tmp_path)
    assert min(row["wasserstein_p"] for row in halves.values()) > ALPHA
    assert halves["path_length"]["values_a"] + halves["path_length"]["values_b"] == 51_312
    assert halves["path_length"]["drawn_a"] == 10_000
    run(tmp_path, "one.toml three.toml")
    assert rows_of(tmp_path)["path_length"]["wasserstein_p"] == 0.001


def test_plays_are_not_like_help_pages(shared_data: Path, tmp_path: Path) -> None:
    plays, pages = needed(
        shared_data,
        "xml/shakespeare_nltk_8plays.zip",
        "xml/gnome-help-43_C_mallard_pages.tar.gz",
    )
    zipfile.ZipFile(plays).extractall(tmp_path / "plays")
    with tarfile.open(pages) as archive:
        archive.extractall(tmp_path / "pages", filter="data")
    write_toml(tmp_path / "a.toml", elements=["plays/*/*.xml"])
    write_toml(tmp_path / "b.toml", elements=["pages/gnome-help/*.page"])
    run(tmp_path, "a.toml b.toml")
    rows = rows_of(tmp_path)
    assert {row["groups_a"] for row in rows.values()} == {8}
    assert {row["groups_b"] for row in rows.values()} == {293}
    assert rows["document_size"]["mean_b"] == pytest.approx(13_958 / 293)
    assert rows["document_size"]["wasserstein_p"] == 0.001


def test_judgements_of_later_rounds_are_deeper(shared_data: Path, tmp_path: Path) -> None:
    runs, first, complete = needed(
        shared_data,
        "trec_covid/round1-runs-top1000.tsv.xz",
        "trec_covid/qrels-rnd1.txt.gz",
        "trec_covid/qrels-complete.txt.gz",
    )
    (tmp_path / "runs").mkdir()
    with lzma.open(runs, "rt") as file:
        for line in file:
            if line[0] not in "bB":
                continue
            name, topic, ids = line.rstrip("\n").split("\t")
            with open(tmp_path / "runs" / name, "a") as out:
                for rank, element in enumerate(ids.split(), start=1):
                    out.write(f"{topic} Q0 {element} {rank} {-rank} {name}\n")
    for name, qrels in (("a", first), ("b", complete)):
        write_toml(tmp_path / f"{name}.toml", runs="runs/*", qrels=str(qrels), ideal_grade=2)
    run(tmp_path, "a.toml b.toml --html o.html")
    rows = rows_of(tmp_path)
    assert rows["overlap"]["wasserstein"] == rows["list_length"]["wasserstein"] == 0
    assert (rows["relevant"]["groups_a"], rows["relevant"]["groups_b"]) == (30, 50)
    assert rows["relevant"]["wasserstein_holm"] < 0.01
    assert rows["ideal"]["mean_a"] < rows["relevant"]["mean_a"] < rows["ideal"]["mean_b"]
    assert rows["topic_spread"]["wasserstein_p"] is None


def test_clicks_beside_users_that_are_made(shared_data: Path, tmp_path: Path) -> None:
    (clicks,) = needed(shared_data, "clicks/CLARA2SearchLog_beta.gz")
    write_toml(tmp_path / "a.toml", clicks=str(clicks))
    (tmp_path / "b.toml").write_text(
        '[collection]\nkind = "web"\nelements = 1000\n[topics]\nnumber = 10\n'
        '[[systems]]\nname = "s"\n[log]\nusers = 500\n'
    )
    run(tmp_path, "a.toml b.toml")
    # As the study of stops counts them.
    last = rows_of(tmp_path)["last_rank"]
    assert (last["values_a"], last["groups_a"]) == (8037, 7090)
    assert last["wasserstein_sd"] > 0.3
