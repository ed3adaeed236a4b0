"""Files of what elements cost."""

import gzip
import json
from pathlib import Path

import pytest

from prum.simulator.collections import read_costs
from prum.simulator.collections.costs import units_of
from prum.simulator.model import Costs, Elements, InputError, Task

ROWS = [("a", 120, 30.5), ("b b", 80, 20), ("é", 40, 1e-3)]


def _csv(path: Path, rows: list[tuple[str, object, object]], separator: str = ",") -> None:
    lines = ["element,tokens,seconds", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines).replace(",", separator), encoding="utf-8")


@pytest.fixture(params=["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / f"costs.{request.param}"
    if request.param == "parquet":
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pandas.DataFrame(ROWS, columns=["element", "tokens", "seconds"]).to_parquet(file)
    elif request.param == "jsonl":
        names = ("element", "tokens", "seconds")
        file.write_text(
            "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in ROWS)
        )
    elif request.param == "csv.gz":
        _csv(tmp_path / "plain.csv", ROWS)
        file.write_bytes(gzip.compress((tmp_path / "plain.csv").read_bytes()))
    else:
        _csv(file, ROWS, "\t" if request.param == "tsv" else ",")
    return file


def test_every_column_is_a_unit(path: Path) -> None:
    assert read_costs(path) == {
        unit: Costs.of({row[0]: float(row[at]) for row in ROWS}, unit=unit)
        for at, unit in ((1, "tokens"), (2, "seconds"))
    }


def test_units_in_any_order_of_objects(tmp_path: Path) -> None:
    path = tmp_path / "costs.jsonl"
    path.write_text('{"tokens": 3, "element": "a"}\n{"element": "b", "tokens": 4}\n')
    assert read_costs(path) == {"tokens": Costs.of({"a": 3.0, "b": 4.0}, unit="tokens")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "element,tokens\na,0\n",
            "line 2: tokens of element 'a' is 0.0, must be a positive number",
        ),
        ("element,tokens\na,1\nb,-2\n", "line 3: tokens of element 'b' is -2.0, must be a"),
        ("element,tokens\na,1e999\n", "line 2: tokens of element 'a' is inf"),
        ("element,tokens\na,many\n", "line 2: tokens is 'many', must be a positive, finite number"),
        ("element,tokens\na,\n", "line 2: tokens is '', must be a positive, finite number"),
        ("element,tokens\na,1\nb,2\na,1\n", "line 4: element is 'a', must have one row; drop"),
        ("element,tokens\n,1\n", "line 2: element is '', must"),
        ("element\na\n", "columns of costs is 'element', must hold a unit of cost beside element"),
        ("tokens\n1\n", "the row of names is 'tokens', must be element or docno or"),
        ("element,\na,1\n", "unit of cost is '', must"),
        ("element,tokens,tokens\na,1,2\n", "wrong column names"),
        ("element,tokens\na,1,2\n", "line 2: number of columns of 'a,1,2' is 3, must be 2"),
        ("", "must"),
    ],
)
def test_rules_of_csv(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_costs(path)
    assert message in str(error.value)
    assert "costs.csv" in str(error.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"element": "b"}', "line 2: wrong column names: the row of names is 'element', must be"),
        ('{"element": "b", "tokens": 1, "words": 2}', "docno or doc_id, tokens in any order"),
        ('{"element": "b", "tokens": -1}', "line 2: tokens is -1, must be a positive, finite"),
        ('{"element": "b", "tokens": null}', "line 2: tokens is None, must be"),
        ('{"element": "b", "tokens": "1"}', "line 2: tokens is '1', must be"),
        ('{"element": 7.5, "tokens": 1}', "line 2: element is 7.5, must be text"),
        ('{"element": "a", "tokens": 1}', "line 2: element is 'a', must have one row"),
    ],
)
def test_rules_of_jsonl(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "costs.jsonl"
    path.write_text('{"element": "a", "tokens": 3}\n' + line)
    with pytest.raises(InputError) as error:
        read_costs(path)
    assert message in str(error.value)


def test_an_element_without_a_cost_is_told(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("element,tokens\na,3\n")
    with pytest.raises(
        InputError, match=r"tokens of 'b' is None, must be positive; give what it costs"
    ):
        read_costs(path)["tokens"].along(Task(["a", "b"], ["a"], 3))


# --- units from several sources -------------------------------------------------------------------

TREE = Elements({"page": (None, 60), "part": ("page", 40)})


def _file(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_elements_have_lengths() -> None:
    assert units_of([], TREE) == {"length": Costs.of({"page": 60.0, "part": 40.0}, unit="length")}
    assert units_of([]) == {}


def test_smucker_clarke_take_words_before_length(tmp_path: Path) -> None:
    words = _file(tmp_path, "costs.csv", "element,words\npage,1000\n")
    units = units_of([words, "smucker-clarke"], TREE)
    assert list(units) == ["length", "words", "seconds"]
    assert units["seconds"].mean("page") == Costs.smucker_clarke({"page": 1000.0}).mean("page")
    by_length = units_of(["smucker-clarke"], TREE)["seconds"]
    assert by_length.mean("part") == pytest.approx(4.4 + 7.8 + 0.018 * 40)
    with pytest.raises(InputError, match=r"seconds of 'x' is None, must be positive"):
        by_length.along(Task(["x"], ["x"], 2))


def test_units_are_given_once(tmp_path: Path) -> None:
    one = _file(tmp_path, "one.csv", "element,tokens\na,3\n")
    two = _file(tmp_path, "two.csv", "element,tokens,length\na,3,4\n")
    with pytest.raises(InputError, match=r"two.csv: unit of cost is 'tokens', must be given once"):
        units_of([one, two])
    with pytest.raises(InputError, match=r"two.csv: unit of cost is 'length', must be given once"):
        units_of([two], TREE)
    seconds = {"seconds": Costs.of({"page": 3.0}, unit="seconds")}
    with pytest.raises(
        InputError, match="smucker-clarke: unit of cost is 'seconds', must be given"
    ):
        units_of([seconds, "smucker-clarke"], TREE)
    with pytest.raises(
        InputError, match="costs is 'smucker-clarke', must have lengths of elements"
    ):
        units_of([one, "smucker-clarke"])
