"""`prum crosscheck --approximation` as a person types it: results, files, mistakes."""

import csv
import json
from pathlib import Path

import pytest

from tests.commands import called, refused

RIGHT = [1 / 1.4464, 1.7536 / 2.7136]
FILES = {
    "run": "q1 Q0 c 1 4 s\nq1 Q0 d 2 3 s\nq1 Q0 a 3 2 s\nq1 Q0 b 4 1 s\n",
    "qrels": "q1 0 a 1\nq1 0 b 1\n",
    "links.csv": "source,target,probability\nc,a,.4\nc,b,.4\nd,a,.6\nd,b,.4\n",
    "right.csv": "topic,system,r,precision\n"
    + "".join(f"q1,run,{r},{value!r}\n" for r, value in enumerate(RIGHT, start=1)),
    "2 % high.csv": "r,precision\n"
    + "".join(f"{r},{1.02 * value!r}\n" for r, value in enumerate(RIGHT, start=1)),
    "means.csv": "r,CL,C\n1,1,1.4464\n2,1.7536,2.7136\n",
    "one.csv": "r,precision\n1,.5\n",
}
WORDS = ("crosscheck", "--run", "run", "--qrels", "qrels", "--links", "links.csv")
SIZED = (*WORDS, "--collection-size", "4", "--users", "100000", "--seed", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_right_files_agree_and_one_two_percent_high_does_not(folder: Path) -> None:
    given = ("right.csv", "off=2 % high.csv", "means.csv")
    words = [word for file in given for word in ("--approximation", file)]
    outputs = ("--json", "out.json", "--csv", "out.csv", "--html", "out.html")
    done = called(*SIZED, *words, folder=folder)
    # What is found of approximations does not change how the command ends.
    assert done.returncode == 0, done.stderr
    assert called(*SIZED, *words, *outputs, folder=folder).returncode == 0

    result = json.loads((folder / "out.json").read_text())
    expected = {"right": "agrees", "off": "disagrees", "means": "agrees"}
    assert result["verdicts"] == {"exact": "agrees", "PRUM": "disagrees", **expected}
    rows = list(csv.DictReader((folder / "out.csv").read_text().splitlines()))
    assert len(rows) == len(result["comparisons"]) == 2
    for row, kept, value in zip(rows, result["comparisons"], RIGHT, strict=True):
        assert float(row["off"]) == kept["off"] == pytest.approx(1.02 * value)
        assert kept["off_error"] == pytest.approx(0.02 * value, abs=1e-6)
        assert kept["right_error"] == pytest.approx(0, abs=1e-6)
        assert float(row["means_consulted"]) == kept["means_consulted"]
        assert "right_consulted" not in kept
    page = (folder / "out.html").read_text()
    for text in (done.stdout, page):
        assert "off, largest error: +.01" in text
        assert {name for name in expected if name in text} == set(expected)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["one.csv"], ("one.csv", "r = 2")),
        (["exact=right.csv"], ("'exact'", "NAME=FILE")),
        (["a=right.csv", "--approximation", "a=one.csv"], ("'a'", "once")),
        (["absent.csv"], ("absent.csv",)),
    ],
)
def test_a_mistake_is_one_line(words: list[str], parts: tuple[str, ...], folder: Path) -> None:
    refused(*SIZED, "--approximation", *words, folder=folder, told=parts)
