"""Presets: right where they say PRUM is, wrong elsewhere; and every column of theirs described."""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from prum.experiments.commands.main import prum
from prum.experiments.generate import generate_dataset, preset
from prum.experiments.generate.datasheet import CONTENTS, columns_of, stem_of
from prum.experiments.generate.presets import PRESETS, preset_text
from prum.experiments.generate.specification import DatasetSpecification
from prum.simulator.model import InputError
from tests.tiers import slow

Make = Callable[[str], Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Return what makes a preset once, smaller than it is where that changes no column."""
    folder = tmp_path_factory.mktemp("presets")

    def make(name: str) -> Path:
        if not (folder / name).exists():
            dials = preset(name)
            dials["topics"]["number"] = 3
            if "log" in dials:
                dials["log"]["users"] = 5
            generate_dataset(dials, folder / name)
        return folder / name

    return make


def test_there_are_no_other_presets() -> None:
    names = {file.name for file in files("prum.experiments.generate.presets").iterdir()}
    assert {name.removesuffix(".toml") for name in names if name.endswith(".toml")} == set(PRESETS)
    for name in PRESETS:
        # What it is for comes first.
        assert preset_text(name).startswith("# ")
        read = DatasetSpecification.read(preset(name))
        assert read.name == name
        # As a dataset describes it, to be verified.
        assert DatasetSpecification.read(read.model_dump(mode="json")) == read


@slow
@pytest.mark.parametrize("name", PRESETS)
def test_prum_is_right_or_wrong_on(name: str, made: Make) -> None:
    with (made(name) / "scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    scores = {(x["system"], x["topic"], x["measure"]): float(x["score"]) for x in rows}
    pairs = [key[:2] for key in scores if key[2] == "PRUM"]
    misses = [abs(scores[*pair, "PRUM"] - scores[*pair, "ExactPRUM"]) for pair in pairs]
    assert (max(misses) > 0.01) == (name in ("walked", "chunks"))


# --- columns -------------------------------------------------------------------------------------


def columns_in(path: Path) -> list[str] | int:
    """Return the names of a file's columns, or how many there are where they have no names."""
    with path.open(encoding="utf-8") as file:
        if path.suffix == ".csv":
            return next(csv.reader(file))
        if path.suffix == ".jsonl":
            rows = [list(json.loads(line)) for line in file]
            assert all(row == rows[0] for row in rows)
            return rows[0]
        if path.name == "dataset.json":
            return list(json.load(file))
        (number,) = {len(line.split(" ")) for line in file}
        return number


@slow
@pytest.mark.parametrize("name", PRESETS)
def test_the_datasheet_describes_every_column_of_every_file(name: str, made: Make) -> None:
    folder = made(name)
    text = (folder / "DATASHEET.md").read_text()
    section = text.partition("### Columns")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\S+) \| (?:\d+: )?(\S+) \| (\S.*) \|$", section, re.M)[1:]
    described: dict[str, list[str]] = {}
    for file, column, _ in rows:
        described.setdefault(stem_of(file), []).append(column)
    found = set()
    for path in folder.rglob("*"):
        file = path.relative_to(folder).as_posix()
        if path.is_dir() or file == "DATASHEET.md":
            continue
        columns = columns_in(path)
        told = described[stem_of(file)]
        assert columns in (told, len(told)), file
        assert isinstance(columns, int) == bool(CONTENTS[stem_of(file)].form), file
        found.add(stem_of(file))
    assert found == set(described)


def test_columns_of_other_files_are_those_of_their_writers(tmp_path: Path) -> None:
    dials = {
        "format": "jsonl",
        "collection": {"kind": "xml", "elements": 300},
        "topics": {"number": 2, "candidates": 40, "intents": 2},
        "truth": {"measures": ["AP"]},
    }
    generate_dataset(dials, tmp_path / "made")
    for path in sorted((tmp_path / "made").iterdir()):
        if path.is_file() and (told := list(columns_of(path.name, num_intents=2))):
            assert columns_in(path) in (told, len(told)), path.name
    assert "| topics.jsonl | intents |" in (tmp_path / "made" / "DATASHEET.md").read_text()


def test_the_datasheet_says_what_it_is_how_right_prum_is_and_how_to_repeat_it(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made("chunks")
    text = (folder / "DATASHEET.md").read_text()
    first, known = (" ".join(part.split()) for part in text.split("\n\n")[1:3])
    assert first.startswith("This folder is a made test collection with known true scores: 2,000 ")
    assert ", 3 topics, and the ranked lists of 4 systems. " in first
    with (folder / "scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    scores = {(row["system"], row["topic"], row["measure"]): float(row["score"]) for row in rows}
    systems, topics = {system for system, _, _ in scores}, {topic for _, topic, _ in scores}
    errors = {
        system: np.mean(
            [scores[system, topic, "PRUM"] - scores[system, topic, "ExactPRUM"] for topic in topics]
        )
        for system in systems
    }
    worst = max(errors, key=lambda system: abs(errors[system]))
    side = "above" if errors[worst] > 0 else "below"
    assert (
        f"PRUM is at most {abs(errors[worst]):.5f} off in its means over topics: {side} " in known
    )
    assert known.endswith(f"for system {worst}.")
    # Every section is in the list of contents.
    headings = [name.lower().replace(" ", "-") for name in re.findall(r"^## (.+)$", text, re.M)]
    assert re.findall(r"^- \[.+\]\(#(.+)\)$", text, re.M) == headings
    (command,) = re.findall(r"^```sh\n(.+)\n```$", text, re.M)
    name, *words = command.split()
    assert name == "prum"
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(prum, [*words, "--workers", "1"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "all are the same, byte by byte" in done.output


# --- the command ---------------------------------------------------------------------------------


@slow
def test_a_printed_preset_makes_what_the_preset_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> str:
        done = CliRunner().invoke(prum, ["generate", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    Path("mine.toml").write_text(run("--preset", "pooled", "--print"))
    assert Path("mine.toml").read_text() == preset_text("pooled")
    run("--preset", "pooled", "--workers", "1")
    run("mine.toml", "-o", "mine", "--workers", "1")
    run("--preset", "pooled", "-o", "other", "--seed", "2", "--workers", "1")
    runs = [(Path(name) / "runs" / "in-1").read_bytes() for name in ("pooled", "mine", "other")]
    assert runs[0] == runs[1] != runs[2]
    assert json.loads(Path("other/dataset.json").read_text())["seed"] == 2


def test_help_does_not_wait_for_numbers() -> None:
    code = (
        "import sys; from prum.experiments.commands.generate import generate; "
        "from prum.experiments.generate.presets import preset; preset('small'); "
        "sys.exit('numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_preset_is_told() -> None:
    with pytest.raises(InputError, match="preset is 'large', must be one of small, walked, chun"):
        preset("large")
