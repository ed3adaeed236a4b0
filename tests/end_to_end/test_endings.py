"""How every command ends: files before print, any terminal, one line and its own status."""

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from html import unescape
from pathlib import Path
from typing import TextIO

import pytest

from prum.experiments.commands import main as cli
from prum.simulator.collections.examples import Example
from tests.commands import typed
from tests.compared_folders import folder_of
from tests.tiers import slow, spread

PRUM = [sys.executable, "-m", "prum.experiments.commands.main"]
FILES = {
    "bm25.run": "q1 Q0 hub 1 9 s\nq1 Q0 été 2 8 s\nq1 Q0 a 3 7 s\n",
    "other.run": "q1 Q0 a 1 9 s\nq1 Q0 hub 2 8 s\n",
    "qrels": "q1 0 a 1\nq1 0 b 1\nq1 0 hub 0\nq1 0 été 0\n",
    "links.csv": "source,target,probability\nhub,a,.4\nhub,b,.3\nété,b,.5\n",
    "sweep.toml": 'users = {num_users = 500}\n[[campaigns]]\nexample = "web"\n',
    "made.toml": "seed = 7\ncollection = {kind = 'web', elements = 100}\ntopics = {number = 2}\n"
    "truth = {measures = ['PRUM']}\n[[systems]]\nname = 's'\n",
    "totals.tsv": "rank\tclicks\n" + "".join(f"{k}\t{900 // k}\n" for k in range(1, 11)),
}
OWN = ("--qrels", "qrels", "--links", "links.csv", "--collection-size", "9")
RUNS = ("--run", "bm25.run", "--run", "other.run")
FEW = ("--users", "500", "--seed", "3")
# Each writes files named o.*, or a folder o. All studies are run, written and shown alike.
COMMANDS = {
    "crosscheck": ("crosscheck", *RUNS, *OWN, *FEW, "--json", "o.json", "--csv", "o.csv"),
    "evaluate": ("evaluate", "bm25.run", "other.run", *OWN, "--json", "o.json", "--csv", "o.csv"),
    "simulate": ("simulate", *RUNS, *OWN, *FEW, "--json", "o.json", "--log", "o.jsonl"),
    "user": ("simulate", "--user", "0", *RUNS[:2], *OWN, "--log", "o.jsonl"),
    "sweep": ("sweep", "sweep.toml", "--workers", "1", "--csv", "o.csv"),
    "generate": ("generate", "made.toml", "-o", "o", "--workers", "1"),
    "approximations": (
        *("study", "approximations", "--draws", "2", "--tasks", "2", "--json", "o.json"),
    ),
    "robustness": (
        *typed("study robustness one/runs/x one/runs/y --qrels one/qrels.txt --trials 2"),
        *typed("--json o.json"),
    ),
    "stops": ("study", "stops", "--totals", "totals.tsv", "--draws", "2", "--json", "o.json"),
    "realism": (*typed("study realism one two --permutations 0 --json o.json"),),
}

INPUTS = {*FILES, "one", "two"}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    folder_of(folder / "one")
    folder_of(folder / "two", ideal_grade=2)
    return folder


@pytest.fixture(autouse=True)
def files(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder we are in, which has the files that commands read."""
    for name in INPUTS:
        (tmp_path / name).symlink_to(inputs / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def prum(words: Sequence[str], stdout: TextIO) -> int:
    """Run the command in this process, and return its status."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["prum", *words])
        patch.setattr(sys, "stdout", stdout)
        with pytest.raises(SystemExit) as ended:
            cli.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


def printed(*words: str, encoding: str = "utf-8") -> tuple[int, str]:
    """Return the status, and what a terminal of that encoding shows."""
    stdout = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    status = prum(words, stdout)
    return status, stdout.buffer.getvalue().decode(encoding)


def unread(*words: str) -> int:
    """Return the status where nobody reads what is printed."""
    reader, writer = os.pipe()
    os.close(reader)
    with suppress(BrokenPipeError), open(writer, "w", encoding="utf-8") as stdout:
        status = prum(words, stdout)
    return status


def written() -> dict[str, bytes]:
    """Return what a command has written here, and remove it."""
    content = {
        str(path): path.read_bytes()
        for path in (*Path().glob("o.*"), *Path().glob("o/**/*"))
        if path.is_file()
    }
    shutil.rmtree("o", ignore_errors=True)
    for path in Path().glob("o.*"):
        path.unlink()
    assert {path.name for path in Path().iterdir()} - {
        "sweep.sqlite",
        "sweep.sqlite.lock",
    } == INPUTS
    return content


@slow
@pytest.mark.parametrize("command", spread(3, COMMANDS))
def test_files_are_written_though_nobody_reads_and_any_terminal_will_do(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = COMMANDS[command]
    assert unread(*words) == 141
    content = written()
    assert content
    assert all(content.values())
    status, shown = printed(*words, encoding="ascii")
    again = written()
    assert status == 0
    assert shown
    if command == "generate":  # it tells what it took to make it
        content, again = ({k: v for k, v in c.items() if "json" not in k} for c in (content, again))
    assert again == content
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("sweep", "--schema"),
        ("sweep", "sweep.toml", "--dry-run"),
        ("simulate", "--user", "0", "--example", "web"),
    ],
    ids=lambda words: words[0],
)
def test_what_only_prints_ends_quietly_too(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert unread(*words) == 141
    assert capsys.readouterr().err == ""


@slow
def test_no_standard_output_at_all() -> None:
    done = subprocess.run(
        f"{shlex.join([*PRUM, *WEB, '--log', 'o.jsonl'])} >&-",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert written()


REPEATED = ("crosscheck", "evaluate", "simulate")
EXAMPLES = {
    "crosscheck": ("crosscheck", "--example", "web", "--users", "100"),
    "simulate": ("simulate", "--example", "web", "--users", "9", "--stop", "budget 5"),
}


@pytest.mark.parametrize(
    "words",
    [
        *(COMMANDS[name] for name in REPEATED),
        *((*e, "--json", "o.json") for e in EXAMPLES.values()),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_the_command_that_is_told_gives_the_same(words: tuple[str, ...]) -> None:
    assert printed(*words)[0] == 0
    content = written()["o.json"]
    program, *again = shlex.split(json.loads(content)["command"])
    assert program == "prum"
    assert "--json" not in again
    assert printed(*again, "--json", "o.json")[0] == 0
    # Options may stand in another order.
    assert json.loads(written()["o.json"]) == json.loads(content)


def test_names_are_quoted_in_the_command_and_the_page_has_it(files: Path) -> None:
    assert printed(*COMMANDS["crosscheck"][:-2], "--html", "o.html")[0] == 0
    content = written()
    told = re.findall("<code>(.*)</code>", content["o.html"].decode())
    assert [unescape(command) for command in told] == [json.loads(content["o.json"])["command"]]
    (files / "-q els").symlink_to(files / "qrels")
    (files / "-x.run").symlink_to(files / "other.run")
    words = ("--qrels", "-q els", *OWN[2:], "--", "-x.run")
    assert printed("evaluate", "--json", "o.json", *words)[0] == 0
    first = json.loads(Path("o.json").read_text())
    assert first["command"].endswith(" -- -x.run")
    _, subcommand, *again = shlex.split(first["command"])
    assert printed(subcommand, "--json", "o.json", *again)[0] == 0
    assert json.loads(Path("o.json").read_text()) == first


PLACES = {"no folder": "missing/o.json", "a folder": "folder.json", "a full device": "/dev/full"}
WRITING = {"crosscheck": "--store", "user": "--log", "sweep": "--csv", "generate": "-o"}


@pytest.mark.parametrize("command", WRITING)
def test_where_nothing_can_be_written_is_told_in_a_line(
    command: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("folder.json", "folder.jsonl"):
        (files / folder / "inside").mkdir(parents=True)
    words = [word for word in COMMANDS[command] if word != "o" and not word.startswith("o.")]
    words = [word for word in words if word not in ("--json", "--csv", "--log", "-o")]
    for place in PLACES.values():
        name = place.replace(".json", ".jsonl") if command == "user" else place
        status, _ = printed(*words, WRITING[command], name)
        (line,) = capsys.readouterr().err.splitlines()
        assert (status, line[:6]) == (2, "prum: "), (place, line)


def raising(error: BaseException) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise error

    return fail


WEB = ("simulate", "--user", "0", "--example", "web")


def test_an_error_of_prum_has_a_line_and_a_status_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Example, "load", raising(KeyError("x")))
    monkeypatch.delenv("PRUM_TRACEBACK", raising=False)
    assert printed(*WEB) == (70, "")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("prum: internal error, KeyError: 'x' (test_endings.py, line ")
    assert "please report" in line
    assert "PRUM_TRACEBACK=1" in line
    monkeypatch.setenv("PRUM_TRACEBACK", "1")
    assert printed(*WEB)[0] == 70
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first.startswith("Traceback")
    assert last == line


def test_a_full_standard_output_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with suppress(OSError), open("/dev/full", "w", encoding="utf-8") as full:
        assert prum(WEB, full) == 2
    assert capsys.readouterr().err == "prum: standard output: No space left on device\n"
