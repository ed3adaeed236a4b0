"""`prum trust`: words, files, an estimate, an early end, and one line for every mistake."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from tests.commands import called, refused, typed
from tests.deadline import SOON
from tests.tiers import slow

HUB = "".join(
    f"q{n} Q0 {x} 1 {9 - rank} hub\n"
    for n in (1, 2, 3)
    for rank, x in enumerate(("gate", "n", "a", "b"))
)
DIRECT = "".join(
    f"q{n} Q0 {x} 1 {9 - rank} direct\n"
    for n in (1, 2, 3)
    for rank, x in enumerate(("n", "a", "b", "gate"))
)
FILES = {
    "hub": HUB,
    "direct": DIRECT,
    "qrels": "".join(f"q{n} 0 {x} 1\n" for n in (1, 2, 3) for x in "ab") + "q4 0 a 0\n",
    "links.csv": "source,target,probability\ngate,a,.5\ngate,b,.5\n",
    "tree.csv": "element,parent,length,start\npage,,100,0\na,page,40,0\nb,page,40,40\n"
    "gate,page,10,80\nn,page,10,90\n",
}
WORDS = ("trust", "--run", "hub", "--run", "direct", "--qrels", "qrels", "--collection-size", "5")
MAIN = "prum.experiments.commands.main"
LINKED = (*WORDS, "--links", "links.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def test_it_answers_in_words_first_and_says_what_it_costs(folder: Path) -> None:
    run = called(*LINKED, folder=folder)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("The order of hub and direct turns if")
    assert "Values do not hold: PRUM may be off by up to ." in run.stdout.split("\n\n")[0]
    for part in (
        "error of PRUM by r (worst system; mean over topics with at least r ideals)",
        "differences of systems",
        "what is assumed",
    ):
        assert part in run.stdout
    assert "precision, mean over recall values" not in run.stdout  # but on the page
    assert "left out, no ideal: q4" in run.stderr


@slow
def test_files_hold_everything_and_the_command_repeats_it(folder: Path) -> None:
    files = ("--json", "o.json", "--csv", "o.csv", "--html", "o.html")
    run = called(*LINKED, *files, "--differ", ".5", folder=folder)
    assert run.returncode == 0, run.stderr
    content = json.loads((folder / "o.json").read_text())
    assert content["means"]["hub"]["PRUM"] == pytest.approx((4 / 7 + 0.5) / 2, abs=0.2)
    frame = pd.read_csv(folder / "o.csv")
    of_hub = frame[(frame.system == "hub") & (frame.dependence == "comonotone")]
    assert of_hub.precision.mean() == pytest.approx(content["means"]["hub"]["comonotone"])
    page = (folder / "o.html").read_text()
    assert page.count('<svg class="panel') == 1
    assert page.index("</h1>") < page.index("<figure") < page.index("differences of systems")
    assert content["command"] in page.replace("&#39;", "'").replace("&#34;", '"')
    words = content["command"].split(" ", 1)
    assert words[0] == "prum"
    assert "--differ 0.5" in words[1]
    again = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m {MAIN} {words[1]} --json p.json"],
        cwd=folder,
        capture_output=True,
        check=True,
    )
    assert again.returncode == 0
    assert json.loads((folder / "p.json").read_text()) == content


def test_elements_make_links_and_folders_hold_runs(folder: Path) -> None:
    (folder / "runs").mkdir()
    for name in ("hub", "direct"):
        (folder / name).rename(folder / "runs" / name)
    run = called(
        *typed("trust --run runs --qrels qrels --elements tree.csv --way"),
        "chunks next .5",
        folder=folder,
    )
    assert run.returncode == 0, run.stderr
    assert "hub" in run.stdout
    assert "direct" in run.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*LINKED, "--differ", "2"), "rho"),
        ((*LINKED, "--correlated", "2"), "rho"),
        ((*LINKED, "--baseline", "third"), "baseline"),
        ((*LINKED, "--json", "qrels"), "qrels"),
        (("trust", "--qrels", "qrels"), "--run"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(
    folder: Path, words: tuple[str, ...], told: str
) -> None:
    refused(*words, folder=folder, told=told)


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@slow
def test_an_interrupt_gives_what_there_is(folder: Path) -> None:
    topics = range(2_000)
    for name, content in {"hub": "gate n a b", "direct": "n a b gate"}.items():
        lines = (
            f"q{n} Q0 {x} 1 {9 - rank} s\n"
            for n in topics
            for rank, x in enumerate(content.split())
        )
        (folder / name).write_text("".join(lines))
    (folder / "qrels").write_text("".join(f"q{n} 0 {x} 1\n" for n in topics for x in "ab"))
    process = subprocess.Popen(
        [sys.executable, "-m", MAIN, *LINKED, "--workers", "1"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    # Of the processor's time, not the clock's: enough for a topic or two, and hardly for all.
    while processor_seconds(process.pid) < 6:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=SOON)
    assert process.returncode == 130
    assert "prum: interrupted: this is of " in told
    assert " of 2,000 topics" in told
    assert "PRUM may be" in out
