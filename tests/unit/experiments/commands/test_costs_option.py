"""`prum evaluate --costs`: units of cost from files, lengths and times."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from prum.experiments.commands.main import prum
from prum.simulator.model import InputError
from tests.commands import typed

CONTENT = {
    "good": "q1 Q0 a 1 4 s\nq1 Q0 x 2 3 s\nq1 Q0 b 3 2 s\nq2 Q0 a 1 1 s\n",
    "poor": "q1 Q0 x 1 4 s\nq1 Q0 a 2 3 s\nq2 Q0 x 1 2 s\nq2 Q0 a 2 1 s\n",
    "qrels": "q1 0 a 1\nq1 0 b 2\nq1 0 x 0\nq2 0 a 1\n",
    "links.csv": "source,target,probability\nx,b,.5\n",
    "page.csv": "element,parent,length,start\np,,100,0\na,p,40,0\nb,p,40,40\nx,p,20,80\n",
}
TWO = ("good", "poor", "--qrels", "qrels", "--links", "links.csv")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in CONTENT.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluate(*words: str) -> None:
    result = CliRunner().invoke(prum, ["evaluate", *TWO, *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output


def test_costs_come_from_files_and_lengths(files: Path) -> None:
    (files / "costs.csv").write_text("element,tokens\na,40\nb,40\nx,20\np,100\n")
    words = (*typed("--elements page.csv --costs costs.csv --costs smucker-clarke --measures"),)
    evaluate(*words, "PRUM(cost=tokens),PRUM(cost=length),PRUM(cost=seconds)", "--json", "out.json")
    content = json.loads((files / "out.json").read_text())
    tokens, length, seconds = (
        content["scores"][f'PRUM(cost="{unit}")'] for unit in ("tokens", "length", "seconds")
    )
    for system in ("good", "poor"):
        assert tokens[system] == length[system] != seconds[system]
    assert content["arguments"]["costs"] == ["costs.csv", "smucker-clarke"]
    assert "--costs costs.csv --costs smucker-clarke" in content["command"]


@pytest.mark.parametrize(
    ("costs", "measure", "message"),
    [
        (None, "PRUM(cost=tokens)", "unit of cost is 'tokens', must be given, and none is"),
        (
            "element,words\na,1\n",
            "PRUM(cost=tokens)",
            "must be one of: words; give --costs, a file",
        ),
        (
            "element,tokens\na,1\nb,0\n",
            "AP",
            "costs.csv, line 3: tokens of element 'b' is 0.0, mus",
        ),
        (
            "element,tokens\na,1\nb,2\n",
            "PRUM(cost=tokens)",
            "tokens of 'x' is None, must be positiv",
        ),
    ],
)
def test_bad_costs_in_a_line(files: Path, costs: str | None, measure: str, message: str) -> None:
    words = ["--collection-size", "5", "--measures", measure]
    if costs is not None:
        (files / "costs.csv").write_text(costs)
        words += ["--costs", "costs.csv"]
    with pytest.raises(InputError) as error:
        evaluate(*words)
    assert message in str(error.value)
