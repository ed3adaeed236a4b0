"""The `prum study` commands as a person types them: tables, files, pages and mistakes."""

import csv
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import called, refused
from tests.tiers import slow

PRUM = [sys.executable, "-m", "prum.experiments.commands.main", "study"]
LAWS = ("--draws", "60", "--size", "5", "--size", "10", "--size", "20")
SHORTCUT = ("--tasks", "4", "--ideals", "2", "--ideals", "6", "--ranks", "9")
WORDS = ("approximations", *LAWS, *SHORTCUT)


def study(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return called("study", *words, folder=folder)


def alone(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PRUM, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def written(
    *words: str, folder: Path, by: Callable[..., subprocess.CompletedProcess[str]] = study
) -> str:
    done = by(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_what_is_printed_and_written(tmp_path: Path) -> None:
    told = written(*WORDS, "--json", "o.json", "--csv", "o.csv", folder=tmp_path)
    assert "Largest error over s of P(F = s), mean over 60 draws" in told
    assert "Readings of the paper’s error at m = 10, printed there: 0.01" in told
    content = json.loads((tmp_path / "o.json").read_text())
    assert content["study"] == "approximations"
    shortcut = [row for row in content["rows"] if row["approximation"] == "noisy-or"]
    laws = [row for row in content["rows"] if row not in shortcut]
    assert {row["ideals"] for row in laws} == {5, 10, 20}
    (row,) = (
        row
        for row in laws
        if (row["approximation"], row["of"], row["ideals"]) == ("normal", "pmf", 10)
    )
    assert f"{row['largest']:.4g}" in told
    assert row["largest_low"] < 0.0095 < row["largest_high"]
    worst = content["found"]["worst"]
    assert f"Worst task: t = {worst['t']}" in told
    assert f"PRUM {worst['prum'][worst['r'] - 1]:.5f}" in " ".join(told.split())
    assert "…" not in told
    assert all(row["last"] <= 1e-12 for row in shortcut)
    assert content["found"]["highest"] < 1e-12
    rows = list(csv.DictReader((tmp_path / "o.csv").read_text().splitlines()))
    assert len(rows) == len(shortcut) + len(laws) == 18 + 18


def test_a_page_without_slope_or_the_papers_size(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    words = ("approximations", *SHORTCUT, "--draws", "9", "--size", "4", "--power", "2")
    told = written(*words, "--html", "o.html", folder=tmp_path)
    assert "slope" not in told
    assert "appendix" not in told
    page = (tmp_path / "o.html").read_text()
    assert "With 4 pages" in page
    assert "the paper printed" not in page


def test_a_page_where_nothing_is_approximate(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    words = ("--tasks", "3", "--ideals", "1", "--strength", "0", "--density", "1")
    written("approximations", *LAWS, *words, "--html", "o.html", folder=tmp_path)
    assert "and equals it to four decimals, in 3 random tasks" in (tmp_path / "o.html").read_text()


@slow
def test_a_terminal_sees_progress_and_the_same_table(tmp_path: Path) -> None:
    primary, secondary = pty.openpty()
    with subprocess.Popen(
        [*PRUM, *WORDS],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=secondary,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
        text=True,
    ) as process:
        os.close(secondary)
        assert process.stdout is not None
        told = process.stdout.read()
        shown = b""
        while True:
            try:
                part = os.read(primary, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
    os.close(primary)
    assert process.returncode == 0
    assert "━".encode() in shown
    assert told == written(*WORDS, folder=tmp_path, by=alone)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("approximations", "--draws", "1"), "draws is 1, must be"),
        (("approximations", "--draws", "x"), "'x' is no whole number"),
        (("approximations", "--power", "-1"), "power is -1.0, must be positive"),
        (("approximations", "--size", "0"), "size is 0, must be"),
        (("approximations", "--density", "7"), "density is 7.0, must lie in [0, 1]"),
        (("approximations", "--ideals", "101"), "unranked is 100, must be at least 101"),
        (("approximations", "--json", "missing/o.json"), "lie in a folder that exists"),
        (("approximations", "--json", "o", "--csv", "o"), "be none of the other files"),
        (("other",), "no command 'other'"),
    ],
)
def test_mistakes_are_one_line(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    refused("study", *words, folder=tmp_path, told=message)
