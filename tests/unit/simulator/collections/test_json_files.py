"""JSON read whole: each key once, no halves of characters, no more than memory holds."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import prum
from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.generate.files import Outline
from prum.simulator.collections.fitted_files import read_navigation
from prum.simulator.collections.gold_files import read_gold
from prum.simulator.collections.links import read_elements
from prum.simulator.model import InputError
from prum.simulator.model.json_text import json_value
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.tables import json_files
from prum.simulator.tables.json_files import read_json
from prum.simulator.tables.read import tables

TWICE = {
    "fitted.json": (read_navigation, '{"fitted": "walk", "fitted": "walk"}'),
    "gold.json": (read_gold, '{"tests": [{"query": "q", "query": "r"}]}'),
    "gold.csv": (
        read_gold,
        'question,doc,references\nq,d,"[{""content"": ""a"", ""content"": ""b""}]"\n',
    ),
    "scores.json": (prum.compare, '{"a": {"q": 1, "r": 1, "q": 2}, "b": {"q": 1, "r": 3}}'),
    "scores.jsonl": (prum.compare, '{"topic": "q", "score": 1}\n{"topic": "q", "topic": "r"}\n'),
    "one.jsonl": (prum.compare, '{"topic": "q", "score": 1, "score": 2}\n'),
    "log.jsonl": (
        lambda path: list(tables(path, lambda names, _: dict.fromkeys(names, False))),
        '{"a": 1, "b": 2}\n{"a": 1, "a": 2}\n',
    ),
    "dataset.json": (lambda path: Outline.read(path.parent), '{"files": {}, "files": {}}'),
}


@pytest.mark.parametrize("name", TWICE)
def test_a_key_that_stands_twice_is_refused_by_every_reader(name: str, tmp_path: Path) -> None:
    read, text = TWICE[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=f"{name}.*") as caught:
        read(tmp_path / name)
    assert "stands twice" in str(caught.value)


def test_columns_that_stand_twice_in_json_lines_are_refused(tmp_path: Path) -> None:
    (tmp_path / "elements.jsonl").write_text('{"element": "a", "element": "b", "parent": null}\n')
    with pytest.raises(InputError, match="'element' stands twice"):
        read_elements(tmp_path / "elements.jsonl")


@pytest.mark.parametrize("read", [Simulation.from_json, PrecisionRecall.from_json])
def test_results_as_text_have_each_key_once(read: Callable[[str], object]) -> None:
    with pytest.raises(ValueError, match="the key 'leading' stands twice"):
        read('{"leading": [1], "leading": [2]}')


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "Expecting value"),
        ("{", "Expecting property name enclosed in double quotes"),
        ("[" * 100_000, "nested too deep"),
        (b"\xff", "in another encoding"),
        (r'["\ud83d"]', "it holds half of a surrogate pair"),
        (r'{"\udc00x": 1}', "it holds half of a surrogate pair"),
        ("1" * 5_000, "Exceeds the limit"),
    ],
)
def test_other_text_is_refused_in_a_line(text: str | bytes, fault: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=f"x.json.*: .* is '{fault}") as caught:
        read_json(tmp_path / "x.json")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [{"a": [{"b": None}, {"b": 1.5}]}, "\U0001f600", [], 7])
def test_any_other_value_is_read(value: Any, tmp_path: Path) -> None:
    assert json_value(json.dumps(value)) == value
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(json.dumps(value).encode()))
    assert read_json(path) == value


def test_what_unpacks_to_far_more_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_files, "_MOST_BYTES", 1_000)
    monkeypatch.setattr(json_files, "_PIECE", 100)
    text = json.dumps([0] * 2_000)
    plain, packed = tmp_path / "x.json", tmp_path / "y.json"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    assert len(read_json(plain)) == 2_000
    with pytest.raises(InputError, match=r"y\.json: bytes of JSON .* must be at most 1000; give"):
        read_json(packed)
    with pytest.raises(InputError, match=r"y\.json: bytes of JSON"):
        prum.compare(packed)
