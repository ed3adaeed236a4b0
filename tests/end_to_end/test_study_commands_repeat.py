"""The command that every study prints runs as it stands, and gives the same bytes again."""

import html
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from prum.experiments.commands.main import prum
from prum.experiments.commands.study import study
from prum.experiments.sweeps.store import Store
from prum.simulator.model import InputError
from tests.compared_folders import folder_of
from tests.made_folders import stand_in

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

QRELS = "".join(f"t{t} 0 e{e} {int(e < 2)}\n" for t in range(3) for e in range(3))
RUN = "".join(f"t{t} Q0 e{e} {e} SIGN{e} x\n" for t in range(3) for e in range(4))
LOG = "".join(f"{i}\t0\tQ\tq\tr\tu1\tu2\n{i}\t1\tC\tu{1 + i % 2}\n" for i in range(6))
SPECIFICATION = """
format = "jsonl"
topics = {number = 1, relevant = [1, 2], candidates = 20}
collection = {kind = "web", elements = 100}
"""


def _files(folder: Path) -> None:
    (folder / "the qrels").write_text(QRELS)
    (folder / "-first.run").write_text(RUN.replace("SIGN", "-"))
    (folder / "it's second.run").write_text(RUN.replace("SIGN", ""))
    (folder / "links.csv").write_text("source,target,probability\ne3,e0,0.5\n")
    (folder / "a log").write_text(LOG)


def _made(folder: Path) -> None:
    stand_in(folder / "made data", num_topics=2, num_systems=2)
    rows = "".join(f"s{s},t{t},0.{s}{t}\n" for s in range(2) for t in range(2))
    (folder / "my scores.csv").write_text(f"system,topic,estimate\n{rows}")


def _compared(folder: Path) -> None:
    folder_of(folder / "one side")
    (folder / "made.toml").write_text(SPECIFICATION)


def _texts(folder: Path) -> None:
    (folder / "the texts").mkdir()
    (folder / "the texts" / "a.txt").write_text(
        "An alder is a tree. A beech is one, too. Cats are not."
    )
    (folder / "gold.csv").write_text(
        "question,doc,start,end\nWhat is a beech?,a.txt,20,39\nAre cats trees?,a.txt,41,54\n"
    )


CASES: dict[str, tuple[str, Callable[[Path], None] | None]] = {
    "chunks": (
        "--texts 'the texts' --spans gold.csv --chunker 20/10 --chunker 20/20 --depth 2 --budget 9",
        _texts,
    ),
    "normal": ("--size 3 --size 2 --power 1.5 --draws 2 --seed 3", None),
    "noisy-or": ("--ideals 2 --density .5 --strength .7 --ranks 3 --listed .3 --draws 2", None),
    "hypotheses": (
        "--run ./-first.run --run \"it's second.run\" --qrels 'the qrels' --links links.csv "
        "--collection-size 9 --within exclusive --across 'types 1:1' --need 'need 1' --users 50 "
        "--workers 1 --seed 2",
        _files,
    ),
    "paper": ("--users 100 --draws 20 --seed 2", None),
    "people": ("--permutations 39 --draws 2 --seed 2", None),
    "properties": ("--draws 1 --seed 2", None),
    "utility": ("--users 100 --theta .25 --seed 2", None),
    "robustness": (
        "--qrels 'the qrels' --deeper 'the qrels' --ideal-grade 1 --trials 2 --dial .3 --dial .1 "
        '--seed 2 -- -first.run "it\'s second.run"',
        _files,
    ),
    "stops": ("--sessions 'a log' --ranks 2 --draws 2", _files),
    "thresholds": ("--queries 10 --documents 10 --draws 2 --error .8 --worse 1.2", None),
    "estimators": (
        "'made data' --measure PRUM --measure AP --scores 'mine too=my scores.csv' --draws 2 "
        "--seed 2",
        _made,
    ),
    "realism": (
        "'one side' made.toml --permutations 3 --fit 'it fits.toml' --budget 1 --size 100",
        _compared,
    ),
}
QUICK = ("noisy-or", "normal", "utility", "estimators")


def written(words: list[str]) -> tuple[str, str]:
    """Run a command; return what it writes as JSON and as a page."""
    outputs = ["--json", "o.json", "--html", "o.html"]
    done = CliRunner().invoke(prum, [*words[:2], *outputs, *words[2:]], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return Path("o.json").read_text(), Path("o.html").read_text()


def test_every_study_is_here() -> None:
    assert set(CASES) == set(study.list_commands(click.Context(study)))


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.slow]) for n in CASES]
)
def test_the_printed_command_repeats_the_study(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words, make = CASES[name]
    if make is not None:
        make(tmp_path)
    content, page = written(["study", name, *shlex.split(words)])
    command = json.loads(content)["command"]
    assert f">{command}<" in re.sub(r"\s*(<[^>]*>)\s*", r"\1", html.unescape(page))
    first, *again = shlex.split(command)
    assert first == "prum"
    for store in tmp_path.glob("hypotheses-*"):
        store.unlink()
    assert written(again) == (content, page)


@pytest.mark.slow
def test_a_study_of_hypotheses_that_is_cut_off_goes_on(tmp_path: Path) -> None:
    words = [*["study", "hypotheses", "--example", "web", "--users", "40"], "--workers", "1"]
    command = [sys.executable, "-m", "prum.experiments.commands.main", *words]
    place = tmp_path / "hypotheses-40.sqlite"
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while not (place.exists() and kept(place)):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        told = process.stderr.read()
    assert process.returncode == 130
    assert "what was computed is in hypotheses-40.sqlite, run again to go on" in told
    before = kept(place)
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Values are kept in hypotheses-40.sqlite" in again.stdout
    assert before.items() < kept(place).items()


def kept(place: Path) -> dict[str, Any]:
    """Return the parts of a store, none before it is one."""
    try:
        with Store(place, read_only=True) as store:
            return store.ranges()
    except InputError:
        return {}


def test_a_mistake_leaves_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ("--users 1", "--seed -1", "--within walk", "--across x", f"--users {10**40}"):
        done = CliRunner().invoke(study, ["hypotheses", "--example", "web", *words.split()])
        assert isinstance(done.exception, InputError), done.output
    assert list(tmp_path.iterdir()) == []
