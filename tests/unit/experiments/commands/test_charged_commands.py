"""`--costs FILE --cost UNIT` in `prum crosscheck`, `prum sweep` and `prum trust`."""

import json
from pathlib import Path

import pytest

from tests.commands import called, refused
from tests.tiers import slow

FILES = {
    "run": "t Q0 c 1 4 s\nt Q0 d 2 3 s\nt Q0 a 3 2 s\nt Q0 b 4 1 s\n",
    "other": "t Q0 a 1 4 s\nt Q0 c 2 3 s\n",
    "qrels": "t 0 a 1\nt 0 b 1\n",
    "links.csv": "source,target,probability\nc,a,.4\nc,b,.4\nd,a,.6\n",
    "costs.csv": "element,tokens,words\nc,400,90\nd,120,30\na,75,10\nb,160,20\ne,7,3\n",
    "cheap.csv": "element,tokens\nc,400\nd,120\na,75\n",
    "chunks.jsonl": '{"id": "1", "doc": "x", "start": 0, "end": 100, "tokens": 60}\n'
    '{"id": "2", "doc": "x", "start": 100, "end": 200, "tokens": 25}\n'
    '{"id": "3", "doc": "x", "start": 200, "end": 300, "tokens": 70}\n',
    "spans.csv": "topic,doc,start,end\nq,x,50,150\n",
    "listed": "q Q0 2 1 3 s\nq Q0 3 2 2 s\nq Q0 1 3 1 s\n",
}
GIVEN = ("--run", "run", "--qrels", "qrels", "--links", "links.csv", "--collection-size", "5")
CHECKED = ("crosscheck", *GIVEN, "--users", "20000")
CHARGED = ("--costs", "costs.csv", "--cost", "tokens")
CHUNKS = ("crosscheck", "--run", "listed", "--chunks", "chunks.jsonl", "--spans", "spans.csv")
# E[cost of C(1)] of GIVEN: c alone, or d too, or a too.
TOKENS = 0.64 * 400 + 0.36 * (0.6 * 520 + 0.4 * 595)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "engine", [(), pytest.param(("--engine", "sessions", "--users", "4000"), marks=slow)]
)
def test_a_crosscheck_in_a_unit(folder: Path, engine: tuple[str, ...]) -> None:
    words = (*CHECKED, *CHARGED, *engine, "--json", "x.json", "--html", "x.html")
    ended = called(*words, folder=folder)
    assert ended.returncode == 0, ended.stderr
    content = json.loads((folder / "x.json").read_text())
    assert (content["unit"], content["verdict"]) == ("tokens", "agrees")
    first = content["comparisons"][0]
    assert first["exact"] == pytest.approx((0.64 * 400 + 0.36 * (0.6 * 120 + 0.4 * 75)) / TOKENS)
    assert "costs in tokens" in ended.stdout
    assert "--costs costs.csv --cost tokens" in content["command"]
    assert "what the consulted elements cost in tokens" in (folder / "x.html").read_text()


def test_chunks_are_charged_by_their_own_tokens(folder: Path) -> None:
    words = (*CHUNKS, "--cost", "tokens", "--users", "20000", "--json", "x.json")
    ended = called(*words, folder=folder)
    assert ended.returncode == 0, ended.stderr
    content = json.loads((folder / "x.json").read_text())
    assert (content["unit"], content["verdict"]) == ("tokens", "agrees")
    # Half of the users are done by chunk 2; the others read chunk 3 for nothing.
    (row,) = content["comparisons"]
    assert row["exact"] == pytest.approx((25 / 2 + 60 / 2) / (25 / 2 + 155 / 2))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*CHECKED, "--costs", "costs.csv"), "cost must be given with --costs; name the"),
        ((*CHECKED, "--engine", "sessions", "--by-rank"), "sessions goes without --by-rank"),
        ((*CHECKED, "--cost", "tokens"), "unit of cost is 'tokens', must be left out without cost"),
        ((*CHECKED, *CHARGED[:3], "token"), "unit of cost is 'token', must be one of 'tokens'"),
        ((*CHUNKS, "--cost", "minutes"), "minutes"),
        (("trust", *GIVEN, *CHARGED[:3], "token"), "must be one of 'tokens', 'words'"),
        (("trust", *GIVEN, "--costs", "cheap.csv", *CHARGED[2:]), "tokens of 'b'"),
    ],
)
def test_what_is_wrong_is_one_line(folder: Path, words: tuple[str, ...], told: str) -> None:
    refused(*words, folder=folder, told=told)


def test_trust_in_a_unit(folder: Path) -> None:
    words = ("trust", *GIVEN, "--run", "other", *CHARGED, "--json", "x.json", "--html", "x.html")
    ended = called(*words, folder=folder)
    assert ended.returncode == 0, ended.stderr
    content = json.loads((folder / "x.json").read_text())
    assert content["unit"] == "tokens"
    assert "Values do not hold: PRUM in tokens may be " in content["headline"]
    assert "--costs costs.csv --cost tokens" in content["command"]
    assert "tokens" in (folder / "x.html").read_text()
