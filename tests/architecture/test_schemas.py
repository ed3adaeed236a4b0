"""Every file that is written is as its schema says, and no schema accepts what is not."""

import csv
import json
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import prum
from prum.experiments.commands.formats import _TABLES, CHANGES, _known, schemas
from prum.experiments.studies.kit.registry import studies
from tests.answer_cases import ANSWERS
from tests.architecture.test_claims import QUICK
from tests.cases import CASES as EVERY
from tests.cases import SILENT, answer, command_of, shared_folder
from tests.commands import called
from tests.schemas import SUMS, mistakes, sums, validator
from tests.small_commands import COMMANDS
from tests.tiers import slow

CASES = {name: case for name, case in EVERY.items() if command_of(name) not in SILENT}
JSON = sorted(name for name, one in schemas().items() if "headline" in one["properties"])
ROOT = Path(__file__).resolve().parents[2]
NONSENSE = {"nonsense": {"nonsense": {"nonsense": "here"}}}


def places(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value within a value, of lists the first and the last."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, item in value.items():
            yield from places(item, *path, name)
    elif isinstance(value, list):
        for number in sorted({0, len(value) - 1} & set(range(len(value)))):
            yield from places(value[number], *path, number)


def refuses(name: str, value: Any, path: tuple[Any, ...], new: Any) -> bool:
    """Return whether a schema refuses a value in which another stands at a place."""
    inner = value
    for step in path[:-1]:
        inner = inner[step]
    before, inner[path[-1]] = inner[path[-1]], new
    is_valid = validator(name).is_valid(value)
    inner[path[-1]] = before
    return not is_valid


def accepted(name: str, value: Any) -> list[str]:
    """Return what a schema should refuse and does not: nonsense, a missing name, one too many."""
    found = [
        f"nonsense at {path}" for path in places(value) if not refuses(name, value, path, NONSENSE)
    ]
    for key in schemas()[name]["required"]:
        less = {one: item for one, item in value.items() if one != key}
        found += [f"without {key}"] if validator(name).is_valid(less) else []
    return found


@pytest.mark.parametrize(
    "case", [pytest.param(x, marks=[] if command_of(x) in QUICK else [slow]) for x in CASES]
)
def test_what_is_written_is_as_the_schema_says(
    case: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = answer(case, shared_folder(tmp_path_factory))["content"]
    assert content is not None
    assert mistakes(content["kind"], content) == []
    assert mistakes(content["kind"], {**content, "nonsense": 1}) != []


def test_each_kind_of_result_has_a_case_and_a_schema() -> None:
    other = {"simulate --user 1": "replay", "evaluate: sessions": "evaluate sessions"}
    assert {other.get(case, command_of(case)) for case in CASES} | {"report"} == set(JSON)
    assert {f"study {name}" for name in studies()} < set(JSON)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, marks=[] if command_of(case) in ("compare", "fit", "explore") else [slow]
        )
        for case in (
            *COMMANDS,
            "evaluate: a fitted navigation",
            "evaluate: spans",
            "crosscheck: quantiles",
            "explore",
            "fit: predicts",
            "simulate",
        )
    ],
)
def test_no_schema_accepts_what_is_not(case: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    content = answer(case, shared_folder(tmp_path_factory))["content"]
    assert content is not None
    assert accepted(content["kind"], content) == []


def test_a_schema_that_accepts_anything_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    loose = {"type": "object", "properties": {"a": {}}, "required": []}
    monkeypatch.setitem(_known(), "loose", loose)
    assert accepted("loose", {"a": {"b": 1}}) == ["nonsense at ('a',)", "nonsense at ('a', 'b')"]


def test_a_report(tmp_path: Path) -> None:
    words, make = ANSWERS["report"]
    assert make is not None
    make(tmp_path)
    content = json.loads(prum.report(str(tmp_path / shlex.split(words)[0])).to_json())
    assert mistakes("report", content) == []
    assert accepted("report", content) == []


# Files and tables.


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(frame.to_json(orient="records", double_precision=15))
    return rows


def check_rows(name: str, rows: list[dict[str, Any]]) -> None:
    assert rows
    for row in (rows[0], rows[-1]):
        assert mistakes(name, row) == []
    assert accepted(name, rows[0]) == []


MADE = """
format = "jsonl"
topics = {number = 2, relevant = [1, 2], candidates = 20}
collection = {kind = "web", elements = 100}
log = {users = 5, arrivals = 5.0, queries = 2.0, stop = ["persistence 0.9"]}
"""


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_files_of_a_made_collection(tmp_path: Path) -> None:
    (tmp_path / "made.toml").write_text(MADE)
    done = called("generate", "made.toml", "-o", "made", "--workers", "1", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "made"
    description = json.loads((folder / "dataset.json").read_text())
    assert mistakes("dataset", description) == []
    assert mistakes("dataset", {**description, "counts": {}}) != []
    assert mistakes("dataset specification", description["specification"]) == []
    assert mistakes("dataset specification", {**description["specification"], "seed": "one"}) != []
    check_rows("topics", lines(folder / "topics.jsonl"))
    check_rows("links", lines(folder / "links.jsonl"))
    check_rows("true navigation", lines(folder / "navigation.jsonl"))
    check_rows("log of users", lines(folder / "log.jsonl"))
    check_rows(
        "true scores", list(csv.DictReader((folder / "scores.csv").read_text().splitlines()))
    )


def test_a_fitted_navigation(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("session,element\n1,a\n1,b\n2,a\n2,c\n")
    (tmp_path / "links.csv").write_text("source,target\na,b\na,c\n")
    given = ("fit", "log.csv", "--links", "links.csv", "-o", "fitted.json")
    for kind in ("walk", "independent", "types 2"):
        done = called(*given, "--navigation", kind, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        content = json.loads((tmp_path / "fitted.json").read_text())
        assert mistakes("fitted navigation", content) == []
        for name in schemas()["fitted navigation"]["required"]:
            assert refuses("fitted navigation", content, (name,), NONSENSE)
        for path in places(content["navigation"], "navigation"):
            assert refuses("fitted navigation", content, path, NONSENSE)


def test_probabilities_that_judges_write(tmp_path: Path) -> None:
    words, make = COMMANDS["judges"]
    assert make is not None
    make(tmp_path)
    given = (*shlex.split(words), "--probabilities", "made.csv")
    assert called("judges", *given, folder=tmp_path).returncode == 0
    read = pd.read_csv(tmp_path / "made.csv", dtype={"topic": str, "element": str, "case": str})
    check_rows("uncertain judgements", records(read))


def test_rows_and_specification_of_a_sweep() -> None:
    specification = {"campaigns": [{"example": "web"}], "users": {"num_users": 100}}
    assert mistakes("sweep specification", specification) == []
    assert mistakes("sweep specification", {**specification, "users": {"users": 100}}) != []
    assert mistakes("sweep specification", {}) != []
    check_rows("sweep rows", records(prum.sweep(specification).to_frame()))
    judged = {**specification, "judges": {"hit": [1.0], "by_topic": [0.0, [0.1, 0.2]]}}
    assert mistakes("sweep specification", judged) == []
    check_rows("sweep rows", records(prum.sweep(judged).to_frame()))


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("chunks", {"id": "a", "doc": "d", "start": 0, "end": 9, "parent": None, "text": "some"}),
        ("approximation", {"topic": "1", "system": None, "r": 1, "precision": 0.5, "CL": 1.0}),
        ("costs", {"element": "a", "tokens": 4.5}),
        ("elements", {"element": "a", "parent": None, "length": 9.5, "start": 0}),
        ("estimates", {"system": "s", "topic": "1", "estimate": 0.5}),
        ("features", {"element": "a", "age": 3, "kind": "old"}),
        ("gold spans", {"query_id": "q", "doc": "d", "start": 0, "end": 9}),
        ("intents", {"topic": "1", "subtopic": 2, "probability": 0.5}),
        ("log of people", {"session": 1, "element": "a", "time": "2001-02-03", "person": "ann"}),
        ("texts", {"_id": "d", "text": "some"}),
    ],
)
def test_a_row_of_a_table_that_is_read(name: str, row: dict[str, Any]) -> None:
    assert accepted(name, row) == []
    assert mistakes(name, row) == []


# Names, versions, and what changed.


def unsaid(now: dict[str, list[Any]], before: dict[str, list[Any]]) -> list[str]:
    """Return the schemas that changed without a new version."""
    return [
        name
        for name, (version, content) in now.items()
        if name in before and content != before[name][1] and version == before[name][0]
    ]


def test_a_schema_that_changed_has_a_new_version() -> None:
    before = json.loads(SUMS.read_text())
    # Of what was released say in experiments/commands/formats.py what changed; then write the sums
    # by python -m tests.schemas.
    assert unsaid(sums(), before) == []
    assert sums() == before
    assert unsaid({"a": ["1", "x"]}, {"a": ["1", "y"]}) == ["a"]
    assert unsaid({"a": ["2", "x"]}, {"a": ["1", "y"]}) == []
    assert set(CHANGES) <= set(before)


def test_bounds_of_lists_are_not_those_of_texts() -> None:
    found: list[dict[str, Any]] = []
    json.loads(json.dumps(schemas()), object_hook=found.append)
    lists = [one for one in found if one.get("type") == "array"]
    assert [one for one in lists if "minLength" in one or "maxLength" in one] == []
    assert any("minItems" in one for one in lists)


def test_every_schema_is_checked_here() -> None:
    text = Path(__file__).read_text()
    assert [name for name in schemas() if name not in JSON and f'"{name}"' not in text] == []
    for name, schema in schemas().items():
        assert validator(name) is not None
        assert schema["title"] == name


# Layouts of tables that another schema describes, with less.
VARIANTS = {
    "simulator/collections/links.py": "_PAIRS",
    "experiments/studies/estimators/given.py": "_LINKS",
    "experiments/studies/realism/reading.py": "_LINKS",
}


def test_every_layout_of_a_table_has_a_schema() -> None:
    found = [
        (str(path.relative_to(ROOT)), name)
        for package in ("experiments", "simulator")
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in re.findall(r"^(\w+) = _?[Ll]ayout\(", path.read_text("utf-8"), re.MULTILINE)
    ]
    of_modules = {
        (path, name): getattr(import_module(f"prum.{path[:-3].replace('/', '.')}"), name)
        for path, name in found
        if VARIANTS.get(path) != name
    }
    known = list(_TABLES.values())
    assert [place for place, layout in of_modules.items() if layout not in known] == []
    assert len(of_modules) > 10


def test_schemas_are_listed_and_printed(tmp_path: Path) -> None:
    listed = called("list", "schemas", folder=tmp_path).stdout.splitlines()
    assert [line[:26].strip() for line in listed] == list(schemas())
    printed = called("list", "schemas", "study approximations", folder=tmp_path).stdout
    assert json.loads(printed) == json.loads(json.dumps(schemas()["study approximations"]))
    done = called("list", "schemas", "study approximation", folder=tmp_path)
    assert done.returncode == 2
    assert "did you mean 'study approximations'" in done.stderr
