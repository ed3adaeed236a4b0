"""What a report reads: files of every command, packed ones, pipes; and what it leaves out."""

import bz2
import gzip
import json
import os
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import prum
from prum import InputError
from prum.experiments.commands.main import prum as command
from prum.experiments.report import report
from prum.experiments.report.tables import ReportSummary

RUNS = {
    "one": {"1": ["a", "x", "b"], "2": ["c", "x"]},
    "two": {"1": ["x", "b", "a"], "2": ["x", "c"]},
}
QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
LINKS = {("x", "a"): 0.5, ("x", "c"): 0.4}
SCORES = {"one": {"1": 0.5, "2": 0.25}, "two": {"1": 0.75, "2": 0.5}}
LOG = [
    {"session": str(at), "element": element}
    for at, path in enumerate(("xa", "xc", "xa", "x"))
    for element in path
]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what commands write by --json."""
    import pandas as pd

    folder = tmp_path_factory.mktemp("written")
    given: dict[str, Any] = {"links": LINKS, "collection_size": 9}
    files = {
        "trust": prum.trust(RUNS, QRELS, **given, most_users=1_000, workers=1),
        "evaluate": prum.evaluate(RUNS, QRELS, **given),
        "compare": prum.compare(SCORES),
        "fit": prum.fit(pd.DataFrame(LOG), pd.DataFrame(list(LINKS), columns=["source", "target"])),
        "explore": prum.explore(),
        "study approximations": prum.study("approximations", draws=2, tasks=2, ideals=[2]),
    }
    for name, result in files.items():
        (folder / f"{name}.json").write_text(result.to_json())
    runs = {
        "crosscheck": "crosscheck --users 9",
        "simulate": "simulate --users 9",
        "replay": "simulate --user 0",
    }
    for name, words in runs.items():
        file = folder / f"{name}.json"
        arguments = [*words.split(), "--example", "web", "--json", str(file)]
        command.main(arguments, "prum", standalone_mode=False)
    return folder


def test_what_commands_write_is_read(written: Path) -> None:
    made = report(written)
    assert {one.file: f"{one.kind}.json" for one in made.found.results} == {
        file.name: file.name for file in written.iterdir()
    }
    assert not [note for note in made.notes if "could not be read" in note or "left out" in note]
    for one in made.found.results:
        content = json.loads((written / one.file).read_text())
        assert one.sentence.rstrip(".") == content["headline"].rstrip(".")
        assert (one.version, one.command) == (content["version"], content["command"])
        if not one.outcomes:
            assert one.table is not None
            assert one.table.label == f"{one.file}: {content['tables'][0]['label']}"
            assert [list(row) for row in one.table.rows] == content["tables"][0]["rows"][:12]
    (log,) = (one.table for one in made.found.results if one.kind == "fit")
    assert log is not None
    assert ("sessions", "4") in log.rows
    (page,) = (one for one in made.found.outcomes if one.file == "explore.json")
    assert page.prum[1] < page.exact[1]


def test_a_list_counts_once_whatever_it_is_browsed_by(written: Path) -> None:
    made = report(written / "trust.json")
    content = json.loads((written / "trust.json").read_text())
    ways = len(content["lists"][0]["values"]) - 1
    assert ways > 2
    assert made.headline.startswith(f"Over 4 lists under {ways} ways of browsing PRUM is off by")
    assert [row[1] for row in made.view().tables[0].rows] == ["4"] * ways


def test_a_simulated_value_of_trust_has_its_standard_error(written: Path, tmp_path: Path) -> None:
    content = json.loads((written / "trust.json").read_text())
    values = content["lists"][0]["values"]
    name = next(name for name in values if name != "PRUM")
    precision = values[name]["precision"]
    values[name] = {**values[name], "users": 99, "half": [0.0196] * len(precision)}
    (tmp_path / "x.json").write_text(json.dumps(content))
    first, *others = report(tmp_path).found.outcomes
    assert (first.setting, first.num_users, first.simulated.tolist()) == (name, 99, precision)
    assert first.error == pytest.approx(0.0196 / 1.959964, rel=1e-6)
    largest = ReportSummary.of([first]).largest
    assert largest is not None
    assert largest.half == pytest.approx(0.0196, rel=1e-4)
    assert first.exact != pytest.approx(precision)
    assert not any(one.num_users for one in others)


def test_a_list_of_two_files_is_told_once(written: Path, tmp_path: Path) -> None:
    content = json.loads((written / "trust.json").read_text())
    for file in ("first.json", "second.json"):
        content["command"] = file
        (tmp_path / file).write_text(json.dumps(content))
    assert (
        "second.json: 4 lists stand in another file too, and count once." in report(tmp_path).notes
    )


PACKED = {".json.gz": gzip.compress, "": bz2.compress, ".csv": lambda content: content}


@pytest.mark.parametrize("suffix", PACKED)
def test_files_are_told_by_what_they_hold(written: Path, tmp_path: Path, suffix: str) -> None:
    plain = written / "crosscheck.json"
    (tmp_path / f"x{suffix}").write_bytes(PACKED[suffix](plain.read_bytes()))
    (alone,), (inside,) = (report(p).found.results for p in (tmp_path / f"x{suffix}", tmp_path))
    assert alone.kind == inside.kind == "crosscheck"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_pipe_is_read_once(written: Path, tmp_path: Path, pack: Any) -> None:
    prum.sweep(
        {"campaigns": [{"example": "web"}], "users": {"num_users": 9}}, store=tmp_path / "store"
    )
    for plain in (written / "crosscheck.json", tmp_path / "store"):
        reader, writer = os.pipe()
        content = pack(plain.read_bytes())
        thread = threading.Thread(
            target=lambda end, text: _write(end, text), args=(writer, content)
        )
        thread.start()
        made = report(f"/dev/fd/{reader}")
        thread.join()
        os.close(reader)
        assert made.summary.num_lists == 1


def _write(end: int, content: bytes) -> None:
    with open(end, "wb") as file:
        file.write(content)


def test_loops_and_pipes_of_a_folder_are_left_out(written: Path, tmp_path: Path) -> None:
    shutil.copy(written / "crosscheck.json", tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").symlink_to(".")
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(b"{" * 99)[:-9])
    made = report(tmp_path)
    assert [one.file for one in made.found.results] == ["crosscheck.json"]
    assert made.notes[-1] == "No results that a report shows, and left out: loop, pipe.json."
    assert made.notes[0].startswith("cut.json.gz could not be read: compressed data is")


def changed(content: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return content with another value at a place."""
    inner: Any = content
    *above, last = path.split("/")
    for key in above:
        inner = inner[int(key) if isinstance(inner, list) else key]
    inner[int(last) if isinstance(inner, list) else last] = value
    return content


WRONG: Mapping[str, tuple[tuple[str, object], ...]] = {
    "crosscheck": (
        ("version", 5),
        ("command", None),
        ("comparisons/0/system", 1),
        ("comparisons/0/r", 7),
        ("comparisons/0/prum", 1e400),
        ("comparisons/0/error", -1),
        ("comparisons", {"a": 1}),
        ("seed", "x"),
        ("campaigns/0/way", [1]),
    ),
    "trust": (("lists/0/values/PRUM/precision", [0.5]), ("dependences/0/name", {}), ("unit", 3)),
    "evaluate": (("means/0/system", 2), ("decision/level", None), ("decision/topics", "x")),
    "fit": (("headline", None), ("tables/0/rows/0", ["sessions"]), ("arguments", None)),
    "explore": (("lists/0/exact", [0.1]), ("navigation", None), ("lists/0/prum", [])),
    "study approximations": (("tables", 5), ("kind", []), ("tables/0/values/0/0", ["a"])),
    "replay": (("tables/0/columns", [3]), ("seed", "x")),
    "simulate": (("tables/0/left", 3), ("num_users", None)),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_content_of_other_types_is_named_and_left_out(
    written: Path, tmp_path: Path, kind: str
) -> None:
    text = (written / f"{kind}.json").read_text()
    shutil.copy(written / f"{'replay' if kind == 'fit' else 'fit'}.json", tmp_path / "good.json")
    for path, value in WRONG[kind]:
        bad = tmp_path / "bad.json"
        bad.write_text(json.dumps(changed(json.loads(text), path, value)))
        made = report(tmp_path)
        assert [one.file for one in made.found.results] == ["good.json"], path
        rule = "bad.json could not be read: content is 'bad.json', must be as a command of prum"
        assert made.notes[0].startswith(rule)
        with pytest.raises(InputError, match=rf"^{bad}: content is 'bad.json', must be as a comm"):
            report(bad)


def test_texts_that_utf8_cannot_hold_are_refused(written: Path, tmp_path: Path) -> None:
    content = json.loads((written / "crosscheck.json").read_text())
    content["comparisons"] = [{**row, "system": "\ud800"} for row in content["comparisons"]]
    (tmp_path / "x.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"x\.json could not be read: .* half of a surrogate"):
        report(tmp_path)


def test_a_file_of_this_folder_is_named_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.json").write_text('{"kind": 1, "headline": 1, "tables": 1}')
    Path("cut.sqlite").write_bytes(b"SQLite format 3\0")
    for name in ("x.json", "cut.sqlite"):
        with pytest.raises(InputError, match=f"^{name}: "):
            report(name)


def test_no_page_replaces_a_result(written: Path, tmp_path: Path) -> None:
    for name in ("replay.json", "fit.json"):
        shutil.copy(written / name, tmp_path)
    (tmp_path / "packed").write_bytes(gzip.compress((tmp_path / "fit.json").read_bytes()))
    for name in ("replay.json", "packed"):
        with pytest.raises(InputError, match="must be none of the other files"):
            command.main(
                ["report", f"{tmp_path}", "--latex", f"{tmp_path / name}"],
                "prum",
                standalone_mode=False,
            )
    for _ in range(2):
        command.main(
            ["report", f"{tmp_path}", "--latex", f"{tmp_path / 'tables.tex'}"],
            "prum",
            standalone_mode=False,
        )
    assert json.loads((tmp_path / "replay.json").read_text())["sentences"]
