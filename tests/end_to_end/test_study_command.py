"""The `prum study` commands as a person types them: tables, files, pages and mistakes."""

import csv
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.commands import called, refused
from tests.tiers import slow

PRUM = [sys.executable, "-m", "prum.experiments.commands.main", "study"]
WORDS = ("approximations", "--draws", "60", "--tasks", "4")
VOID = {"meta", "path", "circle", "use", "rect", "br", "link"}


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


@slow
def test_a_reader_who_goes_away_takes_no_file_along(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*PRUM, *WORDS, "--json", "o.json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141
    assert json.loads((tmp_path / "o.json").read_text())["study"] == "approximations"


@slow
def test_the_command_in_the_output_repeats_it(tmp_path: Path) -> None:
    one = written(*WORDS, "--seed", "3", "--json", "one.json", folder=tmp_path, by=alone)
    command = json.loads((tmp_path / "one.json").read_text())["command"]
    assert command.startswith("prum study approximations ")
    assert written(*command.split()[2:], "--json", "two.json", folder=tmp_path) == one
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


class _Whole(HTMLParser):
    """Checks that what is opened is closed, and collects text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.counts: dict[str, int] = {}

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@slow
def test_pages_are_whole_self_contained_and_the_same(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    for name, by in (("one.html", study), ("two.html", alone)):
        written(*WORDS, "--html", name, folder=tmp_path, by=by)
    page = (tmp_path / "one.html").read_text()
    assert page == (tmp_path / "two.html").read_text()
    # Nothing is loaded, and nothing runs but what sorts the tables.
    assert not re.search(
        r"<script (?!type=\"application/json\")|<link|<img|src=|https?://(?!www\.w3\.org)", page
    )
    assert "Content-Security-Policy" in page
    parser = _Whole()
    parser.feed(page)
    assert parser.open == []
    # Two figures, for wide pages and for narrow ones.
    assert parser.counts["svg"] == 4
    assert parser.counts["table"] >= 2
    text = " ".join(parser.text)
    assert "prum study approximations" in text
    assert "nan" not in text
    assert "--prum: " in page
    assert "mean error" in text
    assert "density 0.2" in text


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
        (("approximations", "--draws", "x"), "'x' is no whole number"),
        (("approximations", "--json", "missing/o.json"), "lie in a folder that exists"),
        (("approximations", "--json", "o", "--csv", "o"), "be none of the other files"),
        (("other",), "no command 'other'"),
    ],
)
def test_mistakes_are_one_line(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    refused("study", *words, folder=tmp_path, told=message)
