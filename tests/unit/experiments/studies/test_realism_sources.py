"""What the study of realism reads, how it tells mistakes, and each statistic by hand."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from prum.experiments.commands.generator import study
from prum.experiments.studies.realism.reading import files_of, read_pairs, read_paths
from prum.experiments.studies.realism.statistics import both, samples
from prum.simulator.collections import read_elements
from prum.simulator.model import InputError
from tests.compared_folders import LINKS, by_hand, folder_of, write_table


def test_a_toml_file_names_the_same_files(tmp_path: Path) -> None:
    folder_of(tmp_path / "[made]")
    (tmp_path / "[made]" / "b.toml").write_text(
        'runs = ["runs/x", "runs/*"]\nqrels = "qrels.txt"\nlinks = "links.jsonl"\n'
        'log = "log.jsonl"\nelements = ["elements.jsonl"]\n'
    )
    own = samples(files_of(tmp_path / "[made]" / "b.toml").read())
    made = samples(files_of(tmp_path / "[made]").read())
    assert set(own) == set(made)
    for name, one in made.items():
        assert own[name].values.tolist() == one.values.tolist()


# What is wrong with a TOML file, and what is said in as many lines.
IN_TOML = {
    "": ["specification is {'name': 'b'}, must name files: links, "],
    "link = 'x'": ["link is 'x', must not be there: the name is unknown"],
    "links = 5\nqrels = ''": ["links is 5, must be", "qrels is '', must be a text"],
    "elements = 'x'": ["elements is 'x', must be a valid array"],
    "elements = []": ["elements is [], must hold something"],
    "ideal_grade = 0\nlinks = 'x'": ["ideal_grade is 0, must be greater than or equal"],
    "links = 'no'\nruns = ['no', 'r*']\nqrels = 'no*'": [
        "links is 'no', must be a file that exists",
        "qrels is 'no*', must be a file",
        "runs[0] is 'no', must be a file",
        "runs[1] is 'r*', must match a file",
    ],
    "elements = ['e.csv', 'e.xml']": ["elements is 'e.csv', must be one table, or XML"],
    "log = 'e.csv'\nclicks = 'e.csv'": ["must name log or clicks, not both"],
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
    ("kind", "text", "told"),
    [
        ("links", "a\tb\tc\n", "f, line 1: line is 'a\\tb\\tc', must be source and target; "),
        ("links", "a b\na\t\n", "f, line 2: line is 'a\\t', must be source and target"),
        ("links", "# nothing\n", "f: number of lines that are not blank is 0, must be"),
        ("paths", "\n", "f: number of lines that are not blank is 0, must be"),
        ("log", '{"user": 1}\n', "f.jsonl, line 1: wrong column names: the row of names is 'user'"),
        ("log", "\n[1]\n", "f.jsonl, line 2: line is '[1]', must be one JSON object"),
        ("log", "", "f.jsonl: number of lines that are not blank is 0"),
    ],
)
def test_mistakes_in_files(tmp_path: Path, kind: str, text: str, told: str) -> None:
    name = "f.jsonl" if kind == "log" else "f"
    (tmp_path / name).write_text(text)
    (tmp_path / "b.toml").write_text(f'{kind} = "{name}"\n')
    with pytest.raises(InputError) as error:
        files_of(tmp_path / "b.toml").read()
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_log_in_parquet_and_a_folder_have_to_be_such(tmp_path: Path) -> None:
    file = tmp_path / "log.parquet"
    file.write_text("no")
    (tmp_path / "b.toml").write_text('log = "log.parquet"')
    with pytest.raises(InputError, match="must be a readable Parquet"):
        files_of(tmp_path / "b.toml").read()
    write_table(file, [{"user": 1}])
    with pytest.raises(InputError, match="row of names is 'user', must be system, user"):
        files_of(tmp_path / "b.toml").read()
    with pytest.raises(InputError, match=r"must be a folder with dataset\.json"):
        files_of(tmp_path)
    (tmp_path / "dataset.json").write_text("[1]")
    with pytest.raises(InputError, match="must be an object"):
        files_of(tmp_path)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--permutations", "-1"), "permutations is -1, must be"),
        (("--csv", "p"), "output file is 'p', must be none of the other files"),
        (("--seed", "-1"), "seed is -1"),
        ((), "statistics that both sides have is 0, must be at least 1; give files of the same"),
    ],
)
def test_mistakes_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p").write_text("a b\n")
    Path("a.toml").write_text('links = "p"\n')
    Path("b.toml").write_text('paths = "p"\n')
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
    found = samples(files_of(folder).read())
    expected = by_hand(ideal_grade)
    assert set(found) == set(expected)
    for name, (values, sizes) in expected.items():
        own = found[name]
        assert sorted(own.values) == pytest.approx(sorted(values)), name
        assert sorted(np.unique(own.groups, return_counts=True)[1]) == sorted(sizes), name


def test_ideals_that_are_all_relevant_elements_are_told_once(tmp_path: Path) -> None:
    one = samples(files_of(folder_of(tmp_path / "one")).read())
    two = samples(files_of(folder_of(tmp_path / "two", ideal_grade=2)).read())
    assert "ideal" not in both(one, one)
    assert {"ideal", "relevant"} <= set(both(one, two))


def test_all_kinds_of_links_are_the_same(tmp_path: Path) -> None:
    named = [",".join(pair) for pair in LINKS]
    texts = {
        "plain.txt": "# links\n\n" + "".join(f"{a}\t{b}\n" for a, b in [*LINKS, LINKS[0]]),
        "plain.tsv": "".join(f"{a}\t{b}\n" for a, b in LINKS),
        "named.tsv": "target\tsource\n" + "".join(f"{b}\t{a}\n" for a, b in LINKS),
        "named.csv": "source,target\n" + "\n".join(named),
        "probable.csv": "source,target,probability\n" + "".join(f"{one},.5\n" for one in named),
        "named.jsonl": "".join(
            json.dumps({"source": a, "target": b}, ensure_ascii=False) + "\n" for a, b in LINKS
        ),
        "quoted.csv": "source,target\n" + "".join(f'"{a}","{b}"\n' for a, b in LINKS),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
        found = read_pairs(tmp_path / name)
        assert (len(found.sources), found.num_pages) == (5, 4), name
        assert sorted(samples({"links": found})["in_degree"].values) == [0, 1, 1, 3], name
    (tmp_path / "blanks").write_text("a  b\nb a\n")
    assert read_pairs(tmp_path / "blanks").num_pages == 2


def test_ids_in_csv_hold_blanks_commas_and_unicode(tmp_path: Path) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["element", "parent", "length"])
    writer.writerows([("a, Ω", "", 9), ("a, Ω / 1", "a, Ω", 4), ('"q"', "a, Ω", 5)])
    (tmp_path / "e.csv").write_text(stream.getvalue(), "utf-8")
    found = samples({"elements": read_elements(tmp_path / "e.csv")})
    assert sorted(found["leaf_length"].values) == [4, 5]


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "paths").write_text("# three\n1 2 1 1\n\nNew York\tRome\tNew York\t\nÅ\n", "utf-8")
    found = samples({"paths": read_paths(tmp_path / "paths")})
    assert found["path_length"].values.tolist() == [4, 3, 1]
    assert found["revisits"].values.tolist() == [2, 1, 0]
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
    found = samples(files_of(tmp_path / "b.toml").read())
    assert found["last_rank"].values.tolist() == [1, 2, 3]
    assert found["last_rank"].groups.tolist() == [0, 0, 1]
    assert found["clicks"].values.tolist() == [3, 1]
