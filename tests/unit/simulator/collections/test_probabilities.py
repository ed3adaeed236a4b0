"""Judgements that are probabilities, from files and from data."""

from pathlib import Path
from typing import Any

import pytest

from prum.simulator.collections import read_judgement_probabilities
from prum.simulator.model import InputError

ROWS = "topic,element,probability,case\nq 1,ä b,.5,1\nq 1,b,1,1\nq 1,b,.75,2\nq 1,ä b,0,2\n"


def test_cases_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(ROWS, "utf-8")
    read = read_judgement_probabilities(tmp_path / "p.csv")
    assert read.cases == ("1", "2")
    assert read.elements == {"q 1": ("ä b", "b")}
    assert read.probabilities["q 1"].tolist() == [[0.5, 1.0], [0.0, 0.75]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROWS.replace(".75", "1.75"), "line 4: probability is '?1.75"),
        (ROWS.replace("q 1,b,.75,2\n", ""), "case of element 'b' of topic 'q 1' is '2'"),
        ("topic,element,probability\n", "number of judgements is 0"),
    ],
)
def test_broken_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        read_judgement_probabilities(tmp_path / "p.csv")


@pytest.mark.parametrize(
    "data", [{}, {"q": {}}, {"q": {"a": True}}, {"q": {"a": -0.1}}, {"q": {"a": 1.01}}, 7]
)
def test_other_data_is_refused(data: Any) -> None:
    with pytest.raises(InputError):
        read_judgement_probabilities(data)
