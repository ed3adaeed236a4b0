"""`prum fit` as people type it: small logs of every format, what is written, mistakes."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from prum import read_fitted
from tests.commands import called, refused
from tests.end_to_end.held_out_games import convert
from tests.tiers import slow

LINKS = [("home", "news"), ("home", "shop"), ("news", "home"), ("news", "shop"), ("shop", "cart")]
SESSIONS = [
    ("ann", ["home", "news", "<", "shop", "cart"]),
    ("ann", ["home", "shop", "cart"]),
    ("bob", ["news", "shop"]),
    ("bob", ["home", "shop"]),
    ("eve", ["home", "news", "home", "shop", "cart"]),
]
HELD_OUT = [("ann", ["home", "shop", "cart"]), ("eve", ["news", "home"]), ("eve", ["home", "news"])]
FIT = ("fit", "log.csv", "--links", "links.csv")


def rows_of(sessions: list[tuple[str, list[str]]]) -> list[dict[str, Any]]:
    return [
        {"session": f"s{number}", "time": time, "element": element, "person": person}
        for number, (person, visits) in enumerate(sessions)
        for time, element in enumerate(visits)
    ]


def write_csv(path: Path, sessions: list[tuple[str, list[str]]], delimiter: str = ",") -> None:
    rows = rows_of(sessions)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_csv(tmp_path / "log.csv", SESSIONS)
    write_csv(tmp_path / "test.csv", HELD_OUT)
    text = "".join(f"{source},{target}\n" for source, target in LINKS)
    (tmp_path / "links.csv").write_text(f"source,target\n{text}")
    return tmp_path


def test_what_was_learned_is_told_and_written(folder: Path) -> None:
    files = ["-o", "fitted.json", "--json", "fit.json", "--csv", "fit.csv", "--html", "fit.html"]
    done = called(*FIT, "--test", "test.csv", *files, "--latex", "fit.tex", folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("The log ")
    assert "Nothing was written" not in done.stdout
    for words in (
        "predictions on 3 held-out sessions",
        "calibration, which link",
        "how the sessions",
    ):
        assert words in done.stdout.lower()
    assert (folder / "fit.tex").read_text().startswith("\\begin{table}")
    report = json.loads((folder / "fit.json").read_text())
    # From home two links lead on, from news two, from shop one.
    assert report["uniform"]["nats_per_step"] == pytest.approx(3 * math.log(2) / 4)
    assert report["perplexity"] == pytest.approx(math.exp(report["nats_per_step"]))
    assert report["log"]["num_backs"] == 1
    assert report["held_out_log"]["num_persons"] == 2
    fitted = read_fitted(folder / "fitted.json")
    assert report["nats_per_step"] == pytest.approx(fitted.score([x for _, x in HELD_OUT]))
    links = list(csv.DictReader((folder / "fit.csv").read_text().splitlines()))
    table = fitted.to_links()
    assert [float(row["probability"]) for row in links] == table.probabilities.tolist()
    assert all(float(x["low"]) <= float(x["probability"]) <= float(x["high"]) for x in links)
    assert (folder / "fit.html").read_text().startswith("<!DOCTYPE html>")


def test_nothing_is_written_unasked(folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = called(*FIT, folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Learned from 5 sessions; hold out sessions")
    assert done.stdout.endswith("-o fitted.json keeps it for --navigation fitted.json.\n")
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        ((), "session,element\ns,home\ns,cart\n", ("1", "'home' -> 'cart'", "--skip-strays")),
        (("--navigation", "fly"), None, ("'fly', must be one of walk",)),
        (("--navigation", "types two"), None, ("is 'two', must be a whole number",)),
        (("-o", "out.txt"), None, ("'out.txt', must end with .json",)),
    ],
)
def test_mistakes_are_told_in_a_line(
    folder: Path, words: tuple[str, ...], text: str | None, told: tuple[str, ...]
) -> None:
    if text is not None:
        (folder / "log.csv").write_text(text)
    output = () if "-o" in words else ("-o", "out.json")
    refused(*FIT, *words, *output, folder=folder, told=told)


@slow
def test_games_of_people_are_predicted(shared_data: Path, tmp_path: Path) -> None:
    """Below what counts over links with the click rate as base give: 3.608 nats of 400 games."""
    source = shared_data / "wikispeedia"
    if not source.is_dir():
        pytest.skip(f"no Wikispeedia data: {source} is missing")
    convert(source, tmp_path)
    words = ("fit", "train-400.csv", "--links", "links.csv", "--test", "heldout.csv")
    done = called(*words, "--json", "fit.json", "-o", "fitted.json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "fit.json").read_text())
    assert report["nats_per_step"] < 3.608 - 0.04
    assert report["uniform"]["nats_per_step"] == pytest.approx(3.787, abs=0.001)
    low, high = report["held_out"]["kinds"]["step"]["gain"][1:]
    assert 0.2 < low < high < 0.4
