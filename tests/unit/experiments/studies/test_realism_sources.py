"""What the study of realism reads, and how it tells mistakes."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from prum.experiments.commands.generator import study
from prum.experiments.studies.realism.sources import files_of
from prum.experiments.studies.realism.statistics import samples
from prum.simulator.model import InputError
from tests.compared_folders import folder_of, write_table

# Of a false alarm in any one statistical test below; seeds are fixed, so it comes at once or never.
ALPHA = 1e-4


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
        (("--fit", "o.toml"), "what is to be fitted is 'b.toml', must be a specification"),
        (("--csv", "p"), "output file is 'p', must be none of the other files"),
        (("--fit", "b.toml"), "output file is 'b.toml', must be none of the other files"),
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
