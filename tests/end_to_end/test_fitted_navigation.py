"""Files of `prum fit` as people type them behind `--navigation`, in every command that takes it."""

import shutil
from pathlib import Path

import pytest

import prum
from tests.commands import called, check_refused, refused
from tests.tiers import slow

LOG = [["hub", "a", "b"], ["hub", "a"], ["hub", "b"], ["hub"]]
RESULT = prum.fit(LOG, [("hub", "a"), ("hub", "b"), ("a", "b")])
STEPS = RESULT.fitted.navigation
GIVEN = ("--qrels", "qrels", "--collection-size", "9")
FITTED, SAME = ("--navigation", "fitted.json"), ("--links", "links.csv", "--navigation", "walk")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.run").write_text("q Q0 x 1 2 s\nq Q0 hub 2 1 s\n")
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 1\n")
    table = RESULT.to_frame()[["source", "target", "probability"]]
    (tmp_path / "links.csv").write_text(table.to_csv(index=False))
    (tmp_path / "fitted.json").write_text(RESULT.to_file())
    return tmp_path


def test_a_file_comes_back_as_it_was(folder: Path) -> None:
    read = prum.read_fitted(folder / "fitted.json")
    assert read.to_dict() == RESULT.fitted.to_dict()
    assert read.sample_posterior(2, 7) == RESULT.fitted.sample_posterior(2, 7)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("trust", "--run", "one.run", *GIVEN, "--workers", "1"), marks=slow),
        pytest.param(("crosscheck", "--run", "one.run", *GIVEN, "--users", "2000"), marks=slow),
        ("simulate", "--run", "one.run", *GIVEN, "--users", "200", "--want", "2"),
        ("simulate", "--user", "0", "--run", "one.run", *GIVEN, "--want", "2"),
    ],
    ids=lambda words: words[0],
)
def test_a_file_stands_for_the_same_links_on_a_walk(folder: Path, words: tuple[str, ...]) -> None:
    fitted, same = (called(*words, *more, folder=folder) for more in (FITTED, SAME))
    assert fitted.returncode == 0, fitted.stderr
    assert fitted.stdout == same.stdout
    dialled = called(*words, "--navigation", "fitted.json + fading .5", folder=folder)
    assert dialled.returncode == 0, dialled.stderr
    assert dialled.stdout != fitted.stdout or words[1] == "--user"


def test_scores_are_those_of_the_same_links_on_a_walk(folder: Path) -> None:
    scores = []
    dialled = ("--navigation", "fitted.json + fading .5")
    for more in (FITTED, SAME, dialled):
        words = ("evaluate", "one.run", *GIVEN, "--csv", "out.csv")
        done = called(*words, *more, folder=folder)
        assert done.returncode == 0, done.stderr
        lines = (folder / "out.csv").read_text().splitlines()
        scores.append([line.split(",")[:4] for line in lines])
    assert scores[0] == scores[1] != scores[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--navigation", "none.json"), "none.json"),
        (("--navigation", "qrels.json"), "qrels.json, line 1: fitted file is"),
        (("--navigation", "fitted.json + walk"), "must be dials where a navigation is given"),
        ((*FITTED, "--json", "fitted.json"), "must be none of the other files"),
    ],
)
def test_mistakes_are_told_in_a_line(folder: Path, words: tuple[str, ...], message: str) -> None:
    shutil.copy(folder / "qrels", folder / "qrels.json")
    refused("crosscheck", "--run", "one.run", *GIVEN, *words, folder=folder, told=(message,))


def test_a_measure_takes_a_file_beside_other_links(folder: Path) -> None:
    names = ("--measures", "PRUM, PRUM(navigation=fitted.json), PRUM(navigation=walk)")
    done = called("evaluate", "one.run", *GIVEN, "--links", "links.csv", *names, folder=folder)
    assert done.returncode == 0, done.stderr
    plain, fitted, walk = done.stdout.split("one.run")[-1].split()[:3]
    assert fitted == walk != plain


def test_a_sweep_crosses_files_with_kinds(folder: Path) -> None:
    inside = folder / "inside"
    inside.mkdir()
    for name in ("one.run", "qrels", "links.csv", "fitted.json"):
        shutil.move(folder / name, inside / name)
    (inside / "grid.toml").write_text(
        "[[campaigns]]\nruns = ['one.run']\nqrels = 'qrels'\nlinks = 'links.csv'\n"
        "collection_size = 9\n[grid]\nnavigation = ['walk', 'fitted.json', "
        "'fitted.json + fading .5']\nestimators = ['prum', 'exact']\n"
    )
    words = ("sweep", "inside/grid.toml", "--workers", "1")
    done = called(*words, "--csv", "rows.csv", folder=folder)
    assert done.returncode == 0, done.stderr
    # What a file says is what the links say, computed once.
    assert "6 cells (4 distinct)" in done.stdout
    rows = (folder / "rows.csv").read_text()
    assert "fitted.json + fading 0.5" in rows
    done = called(*words, "--csv", "inside/fitted.json", folder=folder)
    check_refused(done, ("must be none of the other files",))
    (inside / "fitted.json").unlink()
    done = called(*words, folder=folder)
    assert done.returncode == 2
    assert "campaigns[0]" in done.stderr
    assert "must be one that can be read (No such file or directory)" in done.stderr
