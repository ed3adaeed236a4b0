"""The `prum study` commands as a person types them: tables, files, pages and mistakes."""

import csv
import json
from pathlib import Path

import pytest

from tests.commands import called, refused

WORDS = ("approximations", "--draws", "60", "--tasks", "4")


def written(*words: str, folder: Path) -> str:
    done = called("study", *words, folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_what_is_printed_and_written(tmp_path: Path) -> None:
    told = written(*WORDS, "--json", "o.json", "--csv", "o.csv", folder=tmp_path)
    assert "Largest error over s of P(F = s), mean over 60 draws" in told
    content = json.loads((tmp_path / "o.json").read_text())
    assert content["study"] == "approximations"
    shortcut = [row for row in content["rows"] if row["approximation"] == "noisy-or"]
    laws = [row for row in content["rows"] if row not in shortcut]
    (row,) = (
        row
        for row in laws
        if (row["approximation"], row["of"], row["ideals"]) == ("normal", "pmf", 10)
    )
    assert f"{row['largest']:.4g}" in told
    assert row["largest_low"] < 0.0095 < row["largest_high"]
    worst = content["found"]["worst"]
    assert f"Worst task: t = {worst['t']}" in told
    assert f"PRUM {worst['prum']:.5f}" in " ".join(told.split())
    assert "…" not in told
    assert all(row["last"] <= 1e-12 for row in shortcut)
    assert content["found"]["highest"] < 1e-12
    rows = list(csv.DictReader((tmp_path / "o.csv").read_text().splitlines()))
    assert len(rows) == len(shortcut) + len(laws) == 45 + 30


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("approximations", "--draws", "1"), "draws is 1, must be"),
        (("approximations", "--draws", "x"), "'x' is no whole number"),
        (("approximations", "--json", "missing/o.json"), "lie in a folder that exists"),
        (("approximations", "--json", "o", "--csv", "o"), "be none of the other files"),
        (("other",), "no command 'other'"),
    ],
)
def test_mistakes_are_one_line(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    refused("study", *words, folder=tmp_path, told=message)
