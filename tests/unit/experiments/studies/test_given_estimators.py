"""Estimators that are given: graded as measures are, and refused in a line where they are wrong."""

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prum.analytic.precision.of_task import prum_of
from prum.experiments.commands.main import prum
from prum.experiments.generate.dataset import Dataset, read_dataset
from prum.experiments.studies.estimators import ESTIMATORS
from prum.experiments.studies.estimators.given import estimates_of
from prum.experiments.studies.estimators.resampling import DIFFERENCE, EQUAL, MEAN
from prum.simulator.model import InputError, Navigation, Task
from tests.made_folders import stand_in, value
from tests.tiers import slow

Row = tuple[str, str, float]
NAMES = ("system", "topic", "estimate")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("given") / "made"
    return stand_in(place, pool={"depth": 3, "systems": ["s0", "s2"]})


@pytest.fixture(scope="module")
def data(folder: Path) -> Dataset:
    return read_dataset(folder)


def rows_of(data: Dataset, measure: str = "PRUM", more: float = 0.0) -> list[Row]:
    """Return a measure's scores of the folder as estimates, a little more or less."""
    return [
        (system, topic, min(max(float(data.scores[measure][s, t]) + more, 0), 1))
        for s, system in enumerate(data.systems)
        for t, topic in enumerate(data.topics)
    ]


def written(path: Path, rows: Sequence[Sequence[Any]], names: str = "system topic estimate") -> str:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names.split(), *rows])
    return str(path)


def frame_of(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return rows as a table from Python."""
    columns = map(list, zip(*rows, strict=True))
    return dict(zip(NAMES, columns, strict=True))


def numbers(rows: Sequence[Any], name: str, *groups: str) -> list[tuple[Any, ...]]:
    """Return the rows of a method without its name."""
    return [
        (row.group, row.subject, row.at, row.quantity, row.value, row.low, row.high)
        for row in rows
        if row.method == name and row.group in groups
    ]


# --- grading -------------------------------------------------------------------------------------


def test_scores_of_prum_are_graded_as_prum_is(folder: Path, data: Dataset, tmp_path: Path) -> None:
    mine = written(tmp_path / "mine.csv", rows_of(data))
    found = ESTIMATORS(folder=folder, draws=5, scores=[mine])
    rows = found.rows
    groups = ("truth", "topics", "coverage by estimate", "power by estimate")
    groups = (*groups, "false alarms by estimate")
    assert numbers(rows, "mine", *groups) == numbers(rows, "PRUM", *groups)
    assert {row.group for row in found.rows if row.method == "mine"} == set(groups)
    told = "mine: scores are given on complete judgements alone"
    assert any(note.startswith(told) for note in found.found.notes)
    view = found.view()
    assert view.headline.startswith("mine is off by 0.0")
    (row,) = (r for r in rows if (r.subject, r.method, r.quantity) == ("all", "mine", "bias"))
    truth = view.tables[0].data
    at = truth["estimate"].index("mine")
    assert (truth["bias"][at], truth["bias ±"][at]) == (row.value, (row.high - row.low) / 2)
    assert "largest ±" not in truth
    assert found.command == (f"prum study estimators {folder} --scores {mine} --draws 5 --seed 1")
    assert mine in found.design.files("input")


@slow
def test_a_function_that_is_prum_is_graded_as_prum_is_in_every_part(
    folder: Path, data: Dataset
) -> None:
    asked = list[Task]()

    def mine(task: Task, navigation: Navigation) -> float:
        asked.append(task)
        return float(prum_of(task, navigation).average)

    found = ESTIMATORS(folder=folder, draws=5, measures=["PRUM"], scores={"mine": mine})
    rows = found.rows
    for group in ("truth", "topics", "coverage by estimate", "power by estimate", "pooling"):
        ours, theirs = (numbers(rows, name, group) for name in ("mine", "PRUM"))
        assert ours
        for one, other in zip(ours, theirs, strict=True):
            assert one[:4] == other[:4]
            if one[3].startswith("tau") and group == "pooling":
                # Resamples of its own: the value is the same, its interval about.
                assert one[4] == other[4]
            else:
                assert one[4:] == pytest.approx(other[4:], abs=1e-7)
    assert {task.ranking for task in asked[: len(data.topics)]} <= {
        ranking for by in data.runs.values() for ranking in by.values()
    }
    assert found.command == (
        f"prum.study('estimators', folder={str(folder)!r}, measures=('PRUM',), "
        "scores={'mine': ...}, draws=5, seed=1)"
    )


@slow
def test_built_in_numbers_do_not_hang_on_what_is_given(folder: Path, data: Dataset) -> None:
    frame = frame_of(rows_of(data))
    alone = ESTIMATORS(folder=folder, draws=5).to_csv().splitlines()
    beside = ESTIMATORS(folder=folder, draws=5, scores={"given": frame, "f": lambda *_: 0.5})
    names = ("given", "f")
    kept = [
        line
        for line in beside.to_csv().splitlines()
        if " by estimate" not in line.split(",")[0] and line.split(",")[2] not in names
    ]
    assert kept == alone


@slow
def test_a_table_is_graded_by_the_exact_precision_it_gives(
    folder: Path, data: Dataset, tmp_path: Path
) -> None:
    links = [(x, y, p, topic) for topic, table in data.navigation.items() for x, y, p in table]
    names = "source target probability topic"
    true = written(tmp_path / "true.csv", links, names)
    half = written(tmp_path / "half.csv", [(x, y, p / 2, t) for x, y, p, t in links[1:]], names)
    found = ESTIMATORS(folder=folder, draws=5, reach=[f"all={true}", half])
    assert value(found.rows, "truth", subject="all", method="all", quantity="largest") < 1e-8
    assert value(found.rows, "truth", subject="all", method="half", quantity="bias") < -0.01
    assert value(found.rows, "tables", subject="all", quantity="rmse") == pytest.approx(0, abs=1e-9)
    error = [-p / 2 for *_, p, _ in links[1:]] + [-links[0][2]]
    told = value(found.rows, "tables", subject="half", quantity="bias")
    assert told == pytest.approx(sum(error) / len(error))
    lacking = value(found.rows, "tables", subject="half", quantity="lacking")
    assert lacking == pytest.approx(1 / len(links))
    pooled, exact = (
        [row.value for row in found.rows if row.group == "pooling" and row.method == name]
        for name in ("all", "ExactPRUM")
    )
    assert pooled == pytest.approx(exact, abs=1e-7)


@slow
def test_an_estimate_that_is_kind_to_one_system_raises_alarms_and_misses(
    folder: Path, data: Dataset
) -> None:
    rows = rows_of(data, "ExactPRUM", -0.2)
    kind = [(s, t, min(p + 0.5, 1.0) if s == "s3" else p) for s, t, p in rows]
    fair, unfair = frame_of(rows), frame_of(kind)
    found = ESTIMATORS(folder=folder, draws=60, scores={"fair": fair, "unfair": unfair}).rows

    def at(group: str, subject: str, method: str, quantity: str) -> float:
        return value(found, group, subject=subject, method=method, quantity=quantity, at=10)

    covered = [at("coverage by estimate", MEAN, name, "coverage") for name in ("ExactPRUM", "fair")]
    assert covered[0] > 0.85 > 0.6 > covered[1]
    apart = [at("coverage by estimate", DIFFERENCE, x, "coverage") for x in ("fair", "unfair")]
    assert apart[0] > 0.85 > apart[1]
    names = ("ExactPRUM", "fair", "unfair")
    alarms = [at("false alarms by estimate", EQUAL, name, "rejected") for name in names]
    assert max(alarms[:2]) < 0.15 < 0.3 < alarms[2]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".jsonl", ".parquet"])
def test_files_of_any_format_hold_the_same(data: Dataset, tmp_path: Path, ending: str) -> None:
    rows, path = rows_of(data, more=-0.05), tmp_path / f"mine{ending}"
    if ending == ".parquet":
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as pq

        pq.write_table(pa.table(frame_of(rows)), path)
    elif ending == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(NAMES, r, strict=True))) + "\n" for r in rows))
    else:
        comma = "\t" if ending == ".tsv" else ","
        text = "\n".join(comma.join(map(str, row)) for row in (NAMES, *rows))
        path.write_bytes(gzip.compress(text.encode()) if ending == ".csv.gz" else text.encode())
    assert estimates_of(path, "mine", data).ravel().tolist() == [row[2] for row in rows]


# --- mistakes ------------------------------------------------------------------------------------

# What becomes of some of 48 rows, and what is said of it.
MISTAKES: dict[str, tuple[slice, list[Row | tuple[str, str, str]], str]] = {
    "missing": (
        slice(2, 5),
        [],
        ": number of estimates missing, the first of system s0 on topic t2, is 3, must be 0; give "
        "one for each of 4 systems on each of 12 topics",
    ),
    "twice": (
        slice(48, 48),
        [("s0", "t0", 0.5)],
        ", line 50: estimate of system s0 on topic t0 is",
    ),
    "system": (
        slice(48, 48),
        [("bm25", "t0", 0.5)],
        ", line 50: system is 'bm25', must be one of s0, s1, s2, s3; name systems as",
    ),
    "topic": (
        slice(48, 48),
        [("s0", "t99", 0.5)],
        ", line 50: topic is 't99', must be one of t0, t1, t2, t3, t4, ...; name topics",
    ),
    **{
        name: (
            slice(3, 4),
            [("s0", "t3", name)],
            f", line 5: estimate is '{name}', must be a number in [0, 1]; give an estimate of",
        )
        for name in ("nan", "1.5", "-0.1")
    },
    "none": (
        slice(None),
        [],
        ": number of estimates missing, the first of system s0 on topic t0, is 48, must",
    ),
}


def refused(*words: str) -> str:
    """Return the message of a command that refuses its input."""
    done = CliRunner().invoke(prum, ["study", "estimators", *words])
    assert isinstance(done.exception, InputError), done.output
    assert "\n" not in str(done.exception)
    return str(done.exception)


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_scores_are_told_in_a_line(
    folder: Path, data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    where, instead, told = MISTAKES[name]
    rows: list[Any] = rows_of(data)
    rows[where] = instead
    written(Path("mine.csv"), rows)
    assert f"mine.csv{told}" in refused(str(folder), "--scores", "mine.csv")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--scores", "missing.csv"], None),
        (["--scores", "PRUM=a.csv"], "name of an estimator is 'PRUM', must differ from those"),
        (["--scores", "a.csv", "--reach", "b/a.csv"], "name of an estimator is 'a', must differ"),
        (["--scores", "=a.csv"], "name of an estimator is '', must be a text that prints"),
        (["--scores", "a.txt"], "name of a table of estimates is 'a.txt', must end with .csv"),
        (["--reach", "names.csv"], "names.csv: number of links to an ideal is 0, must be at least"),
        (["--reach", "topics.csv"], "topics.csv, line 2: topic is 't77', must be one of t0, t1"),
        (["--reach", "above.csv"], "above.csv, line 2: probability is '2', must be a number in"),
        (["--scores", "above.csv"], "estimate in any order, and others"),
    ],
)
def test_mistakes_in_names_and_tables_are_told_in_a_line(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    told: str | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("system\n")
    written(Path("names.csv"), [("other", "ids", 0.5)], "source target probability")
    written(Path("topics.csv"), [("e1", "e2", 0.5, "t77")], "source target probability topic")
    written(Path("above.csv"), [("e1", "e2", 2)], "source target probability")
    if told is None:
        done = CliRunner().invoke(prum, ["study", "estimators", str(folder), *words])
        assert isinstance(done.exception, FileNotFoundError)
    else:
        assert told in refused(str(folder), *words)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (lambda *_: 1.5, "mine: estimate of system s0 on topic t0 is 1.5, must be a number in"),
        (lambda *_: "high", "mine: estimate of system s0 on topic t0 is 'high', must be a number"),
        (lambda *_: float("nan"), "mine: estimate of system s0 on topic t0 is nan, must be a"),
        (3, "mine is 'int', must be a file, a table, a mapping or a data frame"),
        ({"system": ["s0"], "topic": ["t0"]}, "the row of names is 'system, topic'"),
        (
            {"system": ["s0"], "topic": ["t0"], "estimate": [0.5, 0.6]},
            "mine: number of rows is [1, 1, 2], must be the same in all columns",
        ),
        (
            {"system": ["s0"], "topic": ["t0"], "estimate": [None]},
            "mine, row 1: estimate is None, must be a number in [0, 1]",
        ),
    ],
)
def test_mistakes_from_python_are_told_in_a_line(folder: Path, source: Any, told: str) -> None:
    with pytest.raises(InputError) as caught:
        ESTIMATORS(folder=folder, draws=3, scores={"mine": source})
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_error_of_the_function_itself_is_its_own(folder: Path) -> None:
    def broken(task: Task, navigation: Navigation) -> float:
        raise ZeroDivisionError(task, navigation)

    with pytest.raises(ZeroDivisionError):
        ESTIMATORS(folder=folder, draws=3, scores={"mine": broken})


def test_no_output_replaces_what_is_graded(folder: Path, data: Dataset, tmp_path: Path) -> None:
    mine = written(tmp_path / "mine.csv", rows_of(data))
    before = Path(mine).read_bytes()
    words = [str(folder), "--scores", f"one={mine}", "--csv", mine]
    done = CliRunner().invoke(prum, ["study", "estimators", *words])
    assert done.exit_code != 0
    assert Path(mine).read_bytes() == before
