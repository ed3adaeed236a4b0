"""What holds of every study: the seed decides, files hold every digit, mistakes are one line."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from prum.experiments.commands.main import prum
from prum.experiments.studies.kit.registry import studies
from prum.simulator.model import InputError
from tests.made_folders import stand_in
from tests.tiers import slow


def _totals(folder: Path) -> dict[str, Any]:
    path = folder / "totals.tsv"
    path.write_text("1\t50\n2\t20\n3\t9\n4\t6\npage1\t85\nlater\t15\n")
    return {"totals": str(path), "draws": 2}


def _scores(folder: Path) -> dict[str, Any]:
    rows = np.random.default_rng(2).random((4, 8))
    lines = ["\t".join(["system", *(f"t{k}" for k in range(8))])]
    lines += ["\t".join([f"s{k}", *map(str, row)]) for k, row in enumerate(rows)]
    (folder / "AP.tsv").write_text("\n".join(lines) + "\n")
    return {"scores": [str(folder / "AP.tsv")], "trials": 3}


def _links(folder: Path) -> dict[str, Any]:
    for name, links in (("a", "a,b b,c c,a a,c"), ("b", "a,b b,a b,c c,b d,a")):
        (folder / name).mkdir()
        (folder / name / "links.csv").write_text("\n".join(["source,target", *links.split(), ""]))
    return {name: str(folder / name) for name in "ab"} | {"permutations": 39}


# Small options of each study.
SMALL: dict[str, Callable[[Path], dict[str, Any]]] = {
    "approximations": lambda _: {"tasks": 2, "draws": 2},
    "estimators": lambda folder: {"folder": stand_in(folder / "made", users=5), "draws": 3},
    "judges": lambda _: {"hits": [0.6], "dependences": [0.2], "topics": 6, "human": 3, "draws": 2},
    "paper": lambda _: {"of": "mizzaro"},
    "realism": _links,
    "robustness": _scores,
    "stops": _totals,
    "thresholds": lambda _: {"queries": 10, "draws": 2},
}
QUICK = ("approximations", "paper", "realism", "robustness")
CASES = [n if n in QUICK else pytest.param(n, marks=slow) for n in SMALL]
# Those whose numbers, of so few permutations, hang on no seed.
UNDRAWN = ("paper", "realism")


@pytest.fixture(scope="module", params=CASES)
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The result of a study on small options, which other results are compared with."""
    options = SMALL[request.param](tmp_path_factory.mktemp(request.param))
    return studies()[request.param](**options, seed=3), options


def test_numbers_depend_on_the_seed_alone(small: Any) -> None:
    result, options = small
    told: list[float] = []
    again = result.study.run(result.design, told.append)
    assert (again.to_json(), again.to_csv()) == (result.to_json(), result.to_csv())
    assert told == sorted(told)
    assert not told or 0.9 < told[-1] <= 1
    other = result.study(**options, seed=4)
    assert (other.rows == result.rows) == (result.study.name in UNDRAWN)


def test_files_hold_every_digit_and_the_page_its_figures(small: Any) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    result, _ = small
    # What is no number is null, and empty.
    rows = [
        {name: None if value != value else value for name, value in asdict(row).items()}
        for row in result.rows
    ]
    content = json.loads(result.to_json())
    assert (content["rows"], content["command"]) == (rows, result.command)
    assert result.to_frame().to_dict("list").keys() == rows[0].keys()
    read = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert [list(row) for row in read] == [list(row) for row in rows]
    texts = [value for row in read for value in row.values()]
    for value, text in zip((own for row in rows for own in row.values()), texts, strict=True):
        assert text == "" if value is None else type(value)(text) == value or str(value) == text
    view = result.view()
    for table in view.tables:
        assert table.rows
        assert {len(cells) for cells in table.rows} == {len(table.columns)}
    words = " ".join((view.headline, *view.story, *view.notes))
    assert "nan" not in words.replace("finan", "")
    assert not {"{", "}"} & set(words)
    page = result.to_html()
    assert f"prum study {result.study.name}" in page
    assert page.count("</svg>") == len(view.drawn)
    assert bool(view.drawn) == (result.study.name == "realism")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("thresholds --run a", "files is ('a', None, None), must be runs and qrels, with a size"),
        ("estimators nowhere", "must be a folder with dataset.json"),
        ("estimators --measure XYZ", "measure is 'XYZ'"),
        ("estimators --scores PRUM=a", "name of an estimate is 'PRUM', must differ"),
        ("estimators --scores x=a --scores x=b", "name of an estimate is 'x', must differ"),
        ("robustness a --qrels b --scores c", "must be runs and qrels, or scores"),
        ("robustness a", "must be runs and qrels, or scores"),
        ("robustness a --qrels b --other x=c --other x=d", "must be one for each file"),
        ("robustness a --qrels b --other =c", "must be one for each file"),
    ],
)
def test_a_mistake_is_one_line(words: str, message: str) -> None:
    result = CliRunner().invoke(prum, ["study", *words.split()])
    assert isinstance(result.exception, InputError), result.output
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
