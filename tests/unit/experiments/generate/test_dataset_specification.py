"""Specifications of datasets: what is told of mistakes, defaults, and the way to JSON and back."""

import importlib.util
import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.generate.files import Description
from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.generate.verb import generate_dataset
from prum.simulator.generation.dials import Dials
from prum.simulator.generation.specifications import SpecificationError
from prum.simulator.model import InputError
from tests.tiers import slow

TOLD = "; prum generate --schema lists all"
ELEMENTS = 200
KINDS = ("flat", "web", "xml", "video", "chunks")


def specification(kind: str = "flat", **tables: Any) -> dict[str, Any]:
    collection = {"kind": kind, "elements": ELEMENTS, **tables.pop("collection", {})}
    return {"collection": collection, "topics": {"candidates": 100}, **tables}


def errors_of(content: Mapping[str, Any] | Path) -> list[str]:
    """Return what is told, each error in its line."""
    with pytest.raises(SpecificationError) as caught:
        DatasetSpecification.read(content)
    lines = str(caught.value).split("\n")
    assert lines == [str(one) for one in caught.value.errors]
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert caught.value.__context__ is None  # Dask would pickle it, too
    return lines


def only(content: Mapping[str, Any]) -> str:
    (line,) = errors_of(content)
    return line


# --- mistakes -------------------------------------------------------------------------------------

# Bounds of single dials are those of their declarations.
FORMS = [
    ({}, "collection must be given"),
    ({"collection": 3}, "collection is 3, must be an object"),
    (
        {"collection": {"kind": "tree", "elements": 100}},
        "must have a 'kind' that is known, one of 'flat', 'web', 'xml', 'video', 'chunks'",
    ),
    ({"collection": {"kind": "flat", "elements": 99}}, "collection.elements is 99, must be"),
    (
        specification("web", collection={"least_degree": 5, "most_degree": 4}),
        "must have least_degree up to most_degree",
    ),
    (
        specification("web", collection={"least_degree": 900, "most_degree": 1000}),
        "must have a mean degree of at most 200",
    ),
    (
        specification("xml", collection={"fan_out": [6, 2]}),
        "collection.fan_out is [6, 2], must give the least first, then the most",
    ),
    (
        specification("chunks", collection={"words": 10, "stride": 11}),
        "must have a stride of at most words",
    ),
    (specification(topics={"grades": [0.5, 0.4]}), "topics.grades is [0.5, 0.4], must be shares"),
    (
        specification(topics={"grades": [1.0, 0.0], "ideal_grade": 2}),
        "must have grades of which some reach ideal_grade",
    ),
    (specification(topics={"placement": "far"}), "topics.placement is 'far', must be 'clustered'"),
    (specification(browsing={"kind": "fly"}), "browsing.kind is 'fly', must be one of independent"),
    *(
        (specification(systems=[{"name": name}]), "must be fit to name a file")
        for name in ("a b", "a/b", "..", "a\u0000b")
    ),
    (specification(systems=[{"name": 101 * "é"}]), "must have at most 200 bytes, to name a file"),
    (
        specification(systems=[{"name": "a", "strength": [1, 2, 3]}]),
        "must be a number, or two in an array",
    ),
    (
        specification(systems=[{"name": "a", "strength": 1, "target": {"value": 0.5}}]),
        "must hold strength or target, not both",
    ),
    (specification(pool={"depth": 5, "systems": ["a", "a"]}), "name 'a' once"),
    (specification(judges={"by_topic": 1e-9}), "judges.by_topic is (1e-09, 1e-09), must be 0"),
    (specification(log={"users": 5, "stop": ["never"]}), "log.stop[0] is 'never', must be one of"),
    (specification(log={"users": 5, "stop": ["found 0"]}), "hold values that fit: ideals must"),
    (specification(colour="red"), "colour is 'red', must not be there"),
]


@pytest.mark.parametrize(("content", "told"), FORMS)
def test_each_mistake_is_told_with_its_path(content: dict[str, Any], told: str) -> None:
    for line in errors_of(content):
        assert line.startswith("specification: ")
        # One number stands for two.
        assert told in line or told.replace("[0] is", "[1] is") in line
        assert line.endswith(TOLD)
        assert ", must Input" not in line
        assert "validation" not in line


# What fits by itself, but not with the rest.
COMBINATIONS = [
    (specification(browsing={"kind": "walk"}), "browsing is 'walk', must be left out"),
    (specification(browsing={"way": "structural"}), "browsing is 'structural', must be left out"),
    (specification("web", browsing={"way": "structural"}), "browsing: way is 'structural'"),
    (specification("web", browsing={"kind": "no-revisit"}), "browsing: documents of no-revisit"),
    (specification("video", browsing={"way": "chunks next .5"}), None),
    (specification("xml", browsing={"way": "structural", "kind": "walk"}), "browsing"),
    (specification(systems=[{"name": "a"}, {"name": "a"}]), "name of a system is 'a', must be its"),
    (
        specification(systems=[{"name": "a", "target": {"measure": "APP", "value": 0.5}}]),
        "systems[0].target.measure: measure is 'APP'",
    ),
    (
        specification(systems=[{"name": "a", "target": {"measure": "EPRUM", "value": 0.5}}]),
        "systems[0].target.measure is 'EPRUM', must have values that are computed",
    ),
    (
        specification(pool={"depth": 5, "systems": ["none"]}),
        "pool.systems[0] is 'none', must be a system; choose from system",
    ),
    (
        specification(log={"users": 5, "systems": ["system", "none"]}),
        "log.systems[1] is 'none', must be a system",
    ),
    (specification(truth={"measures": ["AP", "nothing"]}), "truth.measures[1]: measure is"),
    (specification(truth={"measures": ["EPRUM"]}), "truth.measures[0] is 'EPRUM'"),
    *(
        (
            specification(
                kind,
                topics={"ideal_grade": 2, "grades": [0.5, 0.5]},
                truth={"measures": [f"GradedPRUM(quantisation={quantisation})"]},
            ),
            None,
        )
        for kind, quantisation in (("xml", "strict"), ("flat", "generalised"))
    ),
    (
        specification(
            "xml",
            topics={"ideal_grade": 2, "grades": [0.5, 0.5]},
            truth={"measures": ["AP", "GradedPRUM"]},
        ),
        "truth.measures[1]: measure is 'GradedPRUM', must credit ideals alone, where links lead",
    ),
    (
        specification(truth={"measures": ["P@10", "AP", "P@010"]}),
        "truth.measures[2] is 'P@010', must be given once: it is P@10",
    ),
]


@pytest.mark.parametrize(("content", "told"), COMBINATIONS)
def test_dials_that_do_not_fit_together_are_told(content: dict[str, Any], told: str | None) -> None:
    if told is None:
        DatasetSpecification.read(content)
        return
    line = only(content)
    assert told in line
    assert "Traceback" not in line


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    forms = {
        "seed": "one",
        "collection": {"kind": "xml", "elements": 5, "fan_out": [3, 1]},
        "topics": {"near": 2, "far": 1},
        "systems": [{"name": "a"}, {"name": "b c", "depth": 0}],
    }
    paths = [line.split(": ")[1].split(" is ")[0] for line in errors_of(forms)]
    assert sorted(paths) == [
        "collection.elements",
        "collection.fan_out",
        "seed",
        "systems[1].depth",
        "systems[1].name",
        "topics.far",
        "topics.near",
    ]
    together = specification(
        browsing={"kind": "walk"},
        systems=[{"name": "a"}, {"name": "a"}],
        truth={"measures": ["no", "EPRUM"]},
    )
    assert len(errors_of(together)) == 4
    # Of a file each line names it.
    path = tmp_path / "bad.toml"
    path.write_text('[collection]\nkind = "flat"\nelements = 100\n[truth]\nmeasures = ["x", "y"]\n')
    lines = errors_of(path)
    assert len(lines) == 2
    assert all(line.startswith(f"{path}: truth.measures[") for line in lines)


@pytest.mark.parametrize("content", [{1: {}}, {"seed": {1, 2}}, {"seed": object()}])
def test_what_no_file_could_hold_is_refused(content: Any) -> None:
    with pytest.raises(InputError):
        DatasetSpecification.read(content)


# --- what is read ---------------------------------------------------------------------------------


def test_defaults() -> None:
    found = DatasetSpecification.read({"collection": {"kind": "flat", "elements": 100}})
    assert (found.name, found.seed, found.format) == ("made", 1, "parquet")
    assert found.topics.number == 50
    assert found.truth.measures == ("ExactPRUM", "PRUM", "AP")
    assert [system.name for system in found.systems] == ["system"]
    assert found.systems[0].strength is None
    assert found.pool is found.judges is found.log is None
    kinds = {kind: DatasetSpecification.read(specification(kind)) for kind in KINDS}
    assert {(one.kind, one.walks) for one in kinds.values()} == {("independent", False)}
    assert {kind for kind, one in kinds.items() if one.has_tree} == {"xml", "video", "chunks"}
    assert {kind for kind, one in kinds.items() if one.is_web} == {"web"}
    assert {kind for kind, one in kinds.items() if one.way} == {"xml", "video", "chunks"}


def test_one_value_or_two() -> None:
    one = {"name": "a", "strength": 1}
    two = {"name": "b", "strength": [1, 3]}
    aim = {"name": "c", "target": {"value": 0.5}}
    both = {"name": "d", "target": {"value": [0.5, 0.25]}}
    found = DatasetSpecification.read(specification(systems=[one, two, aim, both])).systems
    assert [system.strength for system in found] == [(1.0, 1.0), (1.0, 3.0), None, None]
    targets = [system.target for system in found]
    assert [target.value for target in targets if target] == [(0.5, 0.5), (0.5, 0.25)]


def test_words_are_named_alike() -> None:
    content = specification("video", browsing={"way": "timeline .01", "kind": "fading .9"})
    found = DatasetSpecification.read(content).browsing
    assert (found.way, found.kind) == ("timeline 0.01", "fading 0.9")


FULL = specification(
    "xml",
    name='Ärger | "quoted"',
    seed=2**64 - 1,
    format="jsonl",
    browsing={"way": "structural", "kind": "no-revisit"},
    topics={"candidates": 100, "grades": [0.1, 0.2, 0.7], "relevant": [1, 2], "ideals": "best"},
    systems=[
        {"name": "a", "number": 3, "strength": [0.1, 1 / 3]},
        {"name": "b", "target": {"measure": "AP", "value": [0.3, 0.1]}, "nested": 0.1, "ties": 0.2},
    ],
    dependence={"difficulty": 0.1},
    judges={"hit": [0.2, 0.5, 0.8], "by_topic": [0.1, 0.2]},
    pool={"depth": 7, "systems": ["b"]},
    truth={"measures": ["AP", "PRUM@0.5"], "users": 5000},
    log={"users": 7, "systems": ["a-1"], "want": 2, "stop": ["patience 30", "ranks .5 .5"]},
)


@pytest.mark.parametrize("content", [*map(specification, KINDS), FULL])
def test_json_gives_it_back(content: dict[str, Any], tmp_path: Path) -> None:
    found = DatasetSpecification.read(content)
    again = DatasetSpecification.read(found.model_dump(mode="json"))
    assert again == found
    assert pickle.loads(pickle.dumps(found)) == found
    # Where it stood is no part of it.
    path = tmp_path / "spec.toml"
    path.write_text('[collection]\nkind = "flat"\nelements = 100\n')
    read = DatasetSpecification.read(path)
    assert read.name == "spec"
    assert DatasetSpecification.read(read.model_dump(mode="json")) == read
    assert DatasetSpecification.read({**content, "seed": 5}) != found
    # The simulator takes the same.
    assert Dials.read(found.model_dump(mode="json")).model_dump() == found.model_dump()


# --- schemas --------------------------------------------------------------------------------------


def test_the_schema_names_every_dial_and_explains_tables() -> None:
    found = DatasetSpecification.model_json_schema()
    json.dumps(found)
    assert set(found["properties"]) == set(DatasetSpecification.model_fields)
    tables = found["$defs"]
    for name in ("Flat", "Web", "Xml", "Video", "Chunks", "Topics", "System", "Target", "Log"):
        assert tables[name]["additionalProperties"] is False
        assert tables[name]["description"]
    for table in (found, *tables.values()):
        for name, dial in table.get("properties", {}).items():
            assert dial.get("description"), (table["title"], name)


@slow
@pytest.mark.skipif(
    importlib.util.find_spec("jsonschema") is None, reason="jsonschema is not installed"
)
def test_specifications_are_valid_by_their_schema(tmp_path: Path) -> None:
    import jsonschema

    described = generate_dataset({**FULL, "log": None}, tmp_path / "made")
    dials = DatasetSpecification.model_json_schema()
    jsonschema.Draft202012Validator.check_schema(dials)
    for one in (*map(specification, KINDS), FULL, described.specification):
        jsonschema.validate(one, dials)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**FULL, "seed": "one"}, dials)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "must be JSON"),
        ("[]", "must be an object"),
        ("{}", "name must be given"),
    ],
)
def test_a_damaged_description_is_told(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "dataset.json").write_text(text)
    with pytest.raises(InputError, match=r"dataset\.json") as caught:
        Description.read(tmp_path)
    assert told in str(caught.value)
    assert "make the dataset again" in str(caught.value)


def test_a_folder_without_a_description_is_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"dataset is .* must be a folder with dataset\.json"):
        Description.read(tmp_path)
