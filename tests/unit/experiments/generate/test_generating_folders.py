"""Folders of made datasets: the same bytes anywhere, what verifying finds, whole or not at all."""

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.commands import main as cli
from prum.experiments.commands.long_work import WorkerOptions
from prum.experiments.generate.files import NAME
from prum.experiments.generate.jobs import make_system
from prum.experiments.generate.verb import generate_dataset
from prum.experiments.generate.verification import STATES, verify
from prum.experiments.sweeps.workers import Here, Workers
from prum.simulator.model import InputError
from tests.tiers import slow, spread

Content = dict[str, bytes]

BASE: dict[str, Any] = {
    "name": "small",
    "format": "jsonl",
    "topics": {"number": 9, "relevant": [2, 5], "candidates": 100, "intents": 2},
    "systems": [
        {"name": "a", "number": 3, "strength": [1, 3], "near_misses": 0.5, "depth": 20},
        {"name": "b", "target": {"measure": "AP", "value": 0.5, "tolerance": 0.05}},
    ],
    "pool": {"depth": 5},
    "judges": {"number": 1},
    "log": {"users": 12},
    "truth": {"measures": ["PRUM", "AP"]},
}
COLLECTIONS = {
    "flat": {"kind": "flat", "elements": 200},
    "web": {"kind": "web", "elements": 200},
    "xml": {"kind": "xml", "elements": 200},
    "video": {"kind": "video", "elements": 70_000},  # of two blocks
    "chunks": {"kind": "chunks", "elements": 200},
}


def specification(kind: str = "flat", **tables: Any) -> dict[str, Any]:
    return {**BASE, "collection": COLLECTIONS[kind], **tables}


def content_of(folder: Path) -> Content:
    """Return the bytes of each file below a folder, hidden ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class _Late(Future[Any]):
    """The future of a job that runs when one of all is wanted."""

    def __init__(self, run: Callable[[], None]) -> None:
        super().__init__()
        self._run_all = run

    def result(self, timeout: float | None = None) -> Any:
        self._run_all()
        return super().result(timeout)


class Backwards(Here):
    """Runs what it was given last first, as late as it can."""

    num_workers = 3

    def __init__(self) -> None:
        self._waiting: list[tuple[_Late, Callable[..., Any], tuple[Any, ...]]] = []
        self.most = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        future = _Late(self._run_all)
        self._waiting.append((future, function, arguments))
        self.most = max(self.most, len(self._waiting))
        return future

    def _run_all(self) -> None:
        while self._waiting:
            future, function, arguments = self._waiting.pop()
            future.set_result(function(*arguments))


# --- the same bytes -------------------------------------------------------------------------------


@slow
@pytest.mark.parametrize("kind", spread(3, COLLECTIONS))
def test_the_order_in_which_jobs_are_done_changes_no_byte(kind: str, tmp_path: Path) -> None:
    workers = Backwards()
    generate_dataset(specification(kind), tmp_path / "one")
    generate_dataset(specification(kind), tmp_path / "two", workers=workers)
    assert workers.most > 3
    one, two = content_of(tmp_path / "one"), content_of(tmp_path / "two")
    assert one == two
    generate_dataset(specification(kind, seed=2), tmp_path / "three")
    other = content_of(tmp_path / "three")
    assert other.keys() == one.keys()
    same = {name for name, content in one.items() if other[name] == content}
    assert not same


def test_a_system_changes_nothing_of_the_others(tmp_path: Path) -> None:
    alone = [BASE["systems"][1]]
    generate_dataset(specification("web"), tmp_path / "one")
    generate_dataset(specification("web", systems=alone), tmp_path / "two")
    one, two = content_of(tmp_path / "one"), content_of(tmp_path / "two")
    for name in ("links.jsonl", "topics.jsonl", "qrels.txt", "navigation.jsonl", "runs/b"):
        assert one[name] == two[name]


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    told: dict[str, list[tuple[int, int]]] = {}
    generate_dataset(
        specification("web"),
        tmp_path / "made",
        progress=lambda what, done, number: told.setdefault(what, []).append((done, number)),
    )
    assert list(told) == ["structure", "topics", "systems", "log"]
    for steps in told.values():
        assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
        assert {number for _, number in steps} == {len(steps)}


# --- verifying ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "made"
    generate_dataset(specification("web"), folder)
    return folder


@pytest.fixture
def copied(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "copy"))


def states_of(folder: Path) -> dict[str, str]:
    """Return what is found of the files that are not the same."""
    found = verify(folder)
    assert found.notes == ()
    bad: dict[str, str] = {name: state for name, state in found.states.items() if state != "same"}
    assert found.is_same == (not bad)
    assert set(bad.values()) <= set(STATES)
    return bad


@pytest.mark.parametrize("name", ["runs/a-2", "qrels.txt", "links.jsonl"])
def test_a_changed_byte_is_found(name: str, copied: Path) -> None:
    path = copied / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert states_of(copied) == {name: "changed"}


def test_missing_and_unknown_files_are_found(copied: Path) -> None:
    (copied / "runs" / "b").rename(copied / "runs" / "c")
    (copied / "log.jsonl").unlink()
    (copied / ".hidden").touch()
    assert states_of(copied) == {
        "runs/b": "missing",
        "log.jsonl": "missing",
        "runs/c": "unknown",
        ".hidden": "unknown",
    }


def edited(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / NAME
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def test_another_seed_in_the_description_is_found(copied: Path) -> None:
    before = (copied / NAME).read_bytes()
    edited(copied, lambda content: content.update(seed=3))
    assert states_of(copied) == {NAME: "different"}
    (copied / NAME).write_bytes(before)
    edited(copied, lambda content: content["specification"].update(seed=3))
    found = states_of(copied)
    assert set(found.values()) == {"different"}
    assert found.keys() == content_of(copied).keys()


def test_a_file_that_is_described_as_it_is_but_made_otherwise_is_found(copied: Path) -> None:
    from prum.experiments.generate.files import checksum

    (copied / "scores.csv").write_text("forged\n")
    (copied / "own.txt").write_text("mine\n")

    def forge(content: dict[str, Any]) -> None:
        content["files"]["scores.csv"]["sha256"] = checksum(copied / "scores.csv")
        content["files"]["own.txt"] = {"bytes": 5, "sha256": checksum(copied / "own.txt")}
        del content["files"]["qrels.txt"]

    edited(copied, forge)
    assert states_of(copied) == {
        "scores.csv": "different",
        "own.txt": "different",
        "qrels.txt": "unknown",
        NAME: "different",
    }


def test_other_versions_are_told(copied: Path) -> None:
    edited(copied, lambda content: content.update(version="0.0.1", made_with={"nowhere": "3"}))
    found = verify(copied)
    assert found.states[NAME] == "different"
    assert found.notes[0].startswith("made by prum 0.0.1, here is ")
    assert found.notes[1] == "made by nowhere 3, here is none"


def test_verifying_leaves_the_dataset_and_nothing_else(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    before = content_of(copied)
    verify(copied)
    assert content_of(copied) == before
    assert os.listdir(temporary) == []
    with pytest.raises(InputError, match=r"be a folder with dataset\.json"):
        verify(temporary)


def _replace(folder: Path, put: Callable[[Path], object]) -> None:
    """Put something in the place of a file."""
    (folder / "qrels.txt").unlink()
    put(folder / "qrels.txt")


def _link_to_the_same(folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    shutil.copy(folder / "qrels.txt", elsewhere)
    _replace(folder, lambda path: path.symlink_to(elsewhere))


def _link_to_the_same_runs(folder: Path) -> None:
    (folder / "runs").rename(folder.parent / "elsewhere")
    (folder / "runs").symlink_to("../elsewhere")


NO_FILES = {"alias": "qrels.txt", "folder": "runs", "dangling": "nowhere", "itself": "itself"}


def _add_what_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for name, target in NO_FILES.items():
        (folder / name).symlink_to(target)


@pytest.mark.parametrize(
    ("change", "states"),
    [
        (_add_what_is_no_file, dict.fromkeys(("pipe", *NO_FILES), "unknown")),
        (lambda folder: _replace(folder, os.mkfifo), {"qrels.txt": "changed"}),
        (lambda folder: _replace(folder, Path.mkdir), {"qrels.txt": "missing"}),
        (_link_to_the_same, {"qrels.txt": "changed"}),
        (
            _link_to_the_same_runs,
            {
                "runs": "unknown",
                "runs/a-1": "missing",
                "runs/a-2": "missing",
                "runs/a-3": "missing",
                "runs/b": "missing",
            },
        ),
    ],
)
def test_whatever_the_dataset_has_not_is_reported(
    copied: Path, change: Callable[[Path], object], states: dict[str, str]
) -> None:
    change(copied)
    assert states_of(copied) == states


# --- refused --------------------------------------------------------------------------------------

# What is refused only when it comes to that, with what is told.
OUT_OF_REACH = {
    "name": "z",
    "target": {"measure": "AP", "value": 1, "tolerance": 0.01},
    "missing": 0.6,
}
LATE = {
    "target": (
        specification(systems=[*BASE["systems"], OUT_OF_REACH]),
        r"target of system z is 1\.0, must be a mean AP it can reach",
    ),
    "relevant": (
        specification("xml", topics={**BASE["topics"], "relevant": [190, 190]}),
        "number of relevant elements of topic 0 is 190, must be at most",
    ),
    "walk": (
        specification("chunks", browsing={"way": "chunks next .6 child .6", "kind": "walk"}),
        r"browsing: sum of the probabilities of moving from .* is .*, must be at most 1",
    ),
    "measure": (
        specification(truth={"measures": ["AP", "PRUM@r=5"]}),
        r"system a-1: PRUM@r=5 of topic topic\d must have a value",
    ),
    "elements": (
        specification("web", truth={"measures": ["T2I(words=30)"]}),
        "elements must be given to measures of nested elements",
    ),
}


@pytest.mark.parametrize("case", LATE)
def test_what_is_refused_leaves_nothing(case: str, tmp_path: Path) -> None:
    content, told = LATE[case]
    with pytest.raises(InputError, match=told):
        generate_dataset(content, tmp_path / "made")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("copy", "must be new or empty; name another, or remove it"),
        ("other", "must be new or empty; name another, or remove it"),
        ("file", "must be new or empty; name another, or remove it"),
        ("missing/made", "must lie in a folder that exists; create"),
        ("file/made", "must lie in a folder that exists; create"),
    ],
)
def test_places_that_no_dataset_can_take_are_refused_before_the_work(
    place: str, told: str, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = copied.parent
    (room / "other").mkdir()
    (room / "other" / "letter.txt").write_text("dear")
    (room / "file").write_text("old")
    before = content_of(room)
    monkeypatch.setattr("prum.experiments.generate.verb._Making.made", None)
    with pytest.raises(InputError, match=told) as caught:
        generate_dataset(specification(), room / place)
    assert str(caught.value).startswith("output folder is '")
    assert content_of(room) == before


class Dying(Here):
    """Loses each job that computes a system."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        if getattr(function, "func", None) is make_system:
            lost: Future[Any] = Future()
            lost.set_exception(BrokenExecutor("a process died"))
            return lost
        return super().submit(function, *arguments)


def test_a_job_whose_worker_goes_away_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BrokenExecutor):
        generate_dataset(specification(), "made", workers=Dying())
    # The command says so in a line.
    Path("spec.toml").write_text('[collection]\nkind = "flat"\nelements = 1000\n')
    monkeypatch.setattr(WorkerOptions, "chosen", lambda _: Dying())
    monkeypatch.setattr("sys.argv", ["prum", "generate", "spec.toml", "-o", "made"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 70
    told = capsys.readouterr()
    assert told.out == ""
    assert (
        told.err == "prum: not computed: a process died; more memory or fewer --workers may help\n"
    )
    assert sorted(os.listdir()) == ["spec.toml"]


class Interrupted(Here):
    """Is interrupted at one of its jobs."""

    def __init__(self, left: int) -> None:
        self._left = left

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        return super().submit(function, *arguments)


@pytest.mark.parametrize("jobs", [0, 1, 5, 10, 13])
def test_an_interrupt_at_any_job_leaves_nothing(jobs: int, tmp_path: Path) -> None:
    workers: Workers = Interrupted(jobs)
    with pytest.raises(KeyboardInterrupt):
        generate_dataset(specification("xml"), tmp_path / "made", workers=workers)
    assert os.listdir(tmp_path) == []
