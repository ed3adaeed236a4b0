"""What the study of realism reads, how it tells mistakes, and each statistic by hand."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from prum.experiments.commands.generator import study
from prum.experiments.studies.realism import both, files_of, of_links, samples_of
from prum.simulator import Links
from prum.simulator.model import InputError
from tests.compared_folders import by_hand, folder_of


def test_a_folder_of_files_is_that_of_a_dataset(tmp_path: Path) -> None:
    made = samples_of(folder_of(tmp_path / "[made]", ideal_grade=2), 1)
    (tmp_path / "[made]" / "dataset.json").unlink()
    given = samples_of(tmp_path / "[made]", 2)
    assert {name: sample.values.tolist() for name, sample in given.items()} == {
        name: sample.values.tolist() for name, sample in made.items()
    }


def test_xml_files_are_trees(tmp_path: Path) -> None:
    for name, text in (("a.xml", "<d><p>one two</p><p>three</p></d>"), ("b.xml", "<d>four</d>")):
        (tmp_path / name).write_text(text)
    found = samples_of(tmp_path)
    assert sorted(found["document_size"].values.tolist()) == [1, 3]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), "files is (), must be some of links, elements, qrels, log and runs"),
        (("links.csv", "links.tsv"), "links is ['links.csv', 'links.tsv'], must be one file"),
    ],
)
def test_mistakes_in_a_folder(tmp_path: Path, names: tuple[str, ...], told: str) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    with pytest.raises(InputError) as error:
        files_of(tmp_path)
    assert str(error.value).startswith(f"{tmp_path}: {told}; ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("a b --csv b/log.csv", "output file is 'b/log.csv', must be none of the other files"),
        ("a b/log.csv", "side is 'b/log.csv', must be a folder"),
        ("a b", "statistics that both sides have is 0, must be at least 1; give files of the same"),
    ],
)
def test_mistakes_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in (
        ("a/links.csv", "source,target\na,b\n"),
        ("b/log.csv", "session,element\n1,b\n1,c\n"),
    ):
        Path(path).parent.mkdir()
        Path(path).write_text(text)
    found = CliRunner().invoke(study, ["realism", *words.split()])
    assert isinstance(found.exception, InputError)
    assert told in str(found.exception)


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
    found = samples_of(tmp_path)
    assert found["path_length"].values.tolist() == [4, 1, 2]
    assert found["revisits"].values.tolist() == [1, 0, 0]
    assert found["path_length"].num_groups == 3
