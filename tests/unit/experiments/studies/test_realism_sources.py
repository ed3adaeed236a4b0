"""What the study of realism reads, how it tells mistakes, and each statistic by hand."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from prum.experiments.commands.generator import study
from prum.experiments.studies.realism import both, files_of, samples_of
from prum.experiments.studies.realism.statistics import of_links
from prum.simulator import Links
from prum.simulator.model import InputError
from tests.compared_folders import by_hand, folder_of


def test_a_toml_file_names_the_same_files(tmp_path: Path) -> None:
    folder_of(tmp_path / "[made]")
    (tmp_path / "[made]" / "b.toml").write_text(
        'runs = ["runs/x", "runs/*"]\nqrels = "qrels.txt"\nlinks = "links.jsonl"\n'
        'log = "log.jsonl"\nelements = ["elements.jsonl"]\n'
    )
    own = samples_of(tmp_path / "[made]" / "b.toml")
    made = samples_of(tmp_path / "[made]")
    assert set(own) == set(made)
    for name, one in made.items():
        assert own[name].values.tolist() == one.values.tolist()


# What is wrong with a TOML file, and what is said in as many lines.
IN_TOML = {
    "": ["files is (), must name links, elements, runs, qrels, log, clicks"],
    "link = 'x'": ["link is 'x', must not be there: the name is unknown"],
    "links = 5\nqrels = 6": ["links is 5, must be", "qrels is 6, must be"],
    "elements = 'x'": ["elements is 'x', must be a valid array"],
    "elements = []": ["files is (), must name"],
    "ideal_grade = 0\nlinks = 'x'": ["ideal_grade is 0, must be greater than or equal"],
    "links = 'no'": ["links: name is 'no', must be or match a file"],
    "runs = ['e.xml', 'r*']": ["runs: name is 'r*', must be or match a file"],
    "elements = ['e.csv', 'e.xml']": ["('e.csv', 'e.xml'), must be one table, or XML"],
}


@pytest.mark.parametrize("text", IN_TOML)
def test_mistakes_in_toml(tmp_path: Path, text: str) -> None:
    for name in ("e.csv", "e.xml"):
        (tmp_path / name).write_text("")
    file = tmp_path / "b.toml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        files_of(file)
    for line, one in zip(str(error.value).split("\n"), IN_TOML[text], strict=True):
        assert line.startswith(f"{file}: ")
        assert one in line
        assert "; " in line


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--permutations", "-1"), "permutations is -1, must be"),
        (("--csv", "p.csv"), "output file is 'p.csv', must be none of the other files"),
        (("--seed", "-1"), "seed is -1"),
        ((), "statistics that both sides have is 0, must be at least 1; give files of the same"),
    ],
)
def test_mistakes_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.toml").write_text('links = "p.csv"\n')
    Path("p.csv").write_text("source,target,session,element\na,b,1,b\nb,c,1,c\n")
    Path("b.toml").write_text('log = "p.csv"\n')
    found = CliRunner().invoke(study, ["realism", "a.toml", "b.toml", *words])
    assert isinstance(found.exception, InputError)
    assert told in str(found.exception)
    assert not Path("o.toml").exists()


# --- each statistic, by hand ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize("ideal_grade", [1, 2])
def test_statistics_of_a_folder_are_those_by_hand(
    tmp_path: Path, ideal_grade: int, kind: str
) -> None:
    folder = folder_of(tmp_path / "a b", ideal_grade=ideal_grade, kind=kind)
    found = samples_of(folder)
    expected = by_hand(ideal_grade)
    assert set(found) == set(expected)
    for name, (values, sizes) in expected.items():
        own = found[name]
        assert sorted(own.values) == pytest.approx(sorted(values)), name
        assert sorted(np.unique(own.groups, return_counts=True)[1]) == sorted(sizes), name


def test_ideals_that_are_all_relevant_elements_are_told_once(tmp_path: Path) -> None:
    one = samples_of(folder_of(tmp_path / "one"))
    two = samples_of(folder_of(tmp_path / "two", ideal_grade=2))
    assert "ideal" not in both(one, one)
    assert {"ideal", "relevant"} <= set(both(one, two))


def test_links_of_a_page_to_itself_do_not_count() -> None:
    found = of_links(Links({("a", "b"): 1.0, ("b", "b"): 1.0, ("c", "c"): 1.0}))
    assert found["in_degree"].values.tolist() == [0, 1, 0]
    assert found["out_degree"].values.tolist() == [1, 0, 0]


def test_paths_of_people(tmp_path: Path) -> None:
    rows = [("1", "a"), ("1", "b"), ("1", "<"), ("1", "c"), ("2", "a"), ("3", "b"), ("3", "c")]
    (tmp_path / "log.csv").write_text("session,element\n" + "".join(f"{s},{e}\n" for s, e in rows))
    (tmp_path / "b.toml").write_text('log = "log.csv"\n')
    found = samples_of(tmp_path / "b.toml")
    assert found["path_length"].values.tolist() == [4, 1, 2]
    assert found["revisits"].values.tolist() == [1, 0, 0]
    assert found["path_length"].num_groups == 3


def test_clicks(tmp_path: Path) -> None:
    searches = [
        ("s", 1, "Q", "q", 0, "a", "b", "c"),
        ("s", 2, "C", "c"),
        ("s", 3, "C", "b"),
        ("s", 4, "Q", "r", 0, "a", "b", "c"),
        ("s", 5, "C", "a"),
        ("t", 1, "Q", "q", 0, "a", "b", "c"),
        ("t", 2, "C", "c"),
        ("u", 1, "Q", "q", 0, "a", "b", "c"),
    ]
    (tmp_path / "log").write_text("".join("\t".join(map(str, row)) + "\n" for row in searches))
    (tmp_path / "b.toml").write_text('clicks = "log"\n')
    found = samples_of(tmp_path / "b.toml")
    assert found["last_rank"].values.tolist() == [1, 2, 3]
    assert found["last_rank"].groups.tolist() == [0, 0, 1]
    assert found["clicks"].values.tolist() == [3, 1]
