"""Specifications: files they name, what they mean, and their schema."""

import json
import pickle
from pathlib import Path

import pytest

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.specification import SweepSpecification
from prum.simulator.generation.specifications import SpecificationError
from prum.simulator.sampling.streams import BLOCK
from tests.specifications import FILES, WEB, errors_of, specification


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with a campaign of two systems, where the next one is q2."""
    (tmp_path / "one").write_text("q1 Q0 a 1 2 s\nq1 Q0 b 2 1 s\nq2 Q0 a 1 1 s\n")
    (tmp_path / "zwei").write_text("q1 Q0 b 1 2 s\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 c 2\nq2 0 a 1\n")
    (tmp_path / "links.csv").write_text("source,target,probability\nb,c,.5\n")
    (tmp_path / "sweep.toml").write_text(
        '[[campaigns]]\nruns = ["one", "zwei"]\nqrels = "qrels"\nlinks = "links.csv"\n'
        "collection_size = 10\n"
    )
    return tmp_path


# --- files ------------------------------------------------------------------------------------


def test_paths_start_from_the_file(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (files / "elsewhere").mkdir()
    for folder, path in (
        (files, Path("sweep.toml")),
        (files / "elsewhere", Path("../sweep.toml")),
        (Path("/"), files / "sweep.toml"),
    ):
        monkeypatch.chdir(folder)
        read = SweepSpecification.read(path)
        assert read.name == "sweep"
        assert read.command == f"prum sweep {path}"
        monkeypatch.chdir("/")  # they stay where they are
        cells = read.cells()
        assert {cell.system for cell in cells} == {"one", "zwei"}
        assert {cell.topic for cell in cells} == {"q1", "q2"}
        assert {cell.source.name for cell in cells} == {"qrels"}


def test_files_of_a_campaign_that_are_missing_or_bad(files: Path) -> None:
    specification = SweepSpecification.read(files / "sweep.toml")
    (files / "links.csv").write_text("source,target,probability\nb,c,1.5\n")
    (line,) = errors_of(files / "sweep.toml")
    assert line.startswith("campaigns[0]: ")
    assert "links.csv, line 2" in line
    (files / "one").unlink()
    with pytest.raises(SpecificationError) as error:
        specification.cells()
    (line,) = str(error.value).split("\n")
    assert line.startswith(f"campaigns[0]: {files / 'one'}: file is 'one', must be ")
    assert "No such file or directory" in line


def test_topics_and_systems_that_no_campaign_has_are_told(files: Path) -> None:
    content = {
        "campaigns": [{**FILES, "runs": [str(files / "one")], "qrels": str(files / "qrels")}, WEB],
        "grid": {"topics": ["q1", "web", "q9", "q\n"], "systems": ["list", "zwei", "one"]},
    }
    assert errors_of(content) == [
        "grid.topics is 'q9', must be in a campaign; choose from q1, q2, web",
        "grid.topics is 'q\\n', must be in a campaign; choose from q1, q2, web",
        "grid.systems is 'zwei', must be in a campaign; choose from list, one",
    ]


def test_campaigns_need_names_of_their_own() -> None:
    (line,) = errors_of({"campaigns": [WEB, WEB]})
    assert "must have campaigns of different names" in line


# --- elements and ways ------------------------------------------------------------------------


@pytest.fixture
def trees(files: Path) -> Path:
    """Return the folder with trees beside the links, each a campaign of its own."""
    (files / "tree.csv").write_text(
        "element,parent,length\npage,,90\na,page,30\nb,page,30\nc,page,30\n"
    )
    common = '[[campaigns]]\nruns = ["one", "zwei"]\nqrels = "qrels"\ncollection_size = 10\n'
    (files / "trees.toml").write_text(
        "".join(
            f'{common}name = "{name}"\n{given}\n'
            for name, given in (
                ("table", 'elements = ["tree.csv"]'),
                ("reading", 'elements = ["tree.csv"]\nway = "tolerance 60."'),
                ("watching", 'elements = ["tree.csv"]\nway = "timeline-steps .1"'),
                ("site", 'links = "links.csv"\nway = "web .8"'),
                ("plain", 'links = "links.csv"'),
            )
        )
    )
    return files


def test_topics_with_links_of_their_own_have_keys_of_their_own(trees: Path) -> None:
    read = SweepSpecification.read(trees / "trees.toml")
    keys: dict[str, set[str]] = {}
    for cell in read.cells():
        if cell.estimator == "exact":
            keys.setdefault(cell.source.name, set()).add(cell.content["navigation_key"])
    assert {name: len(some) for name, some in keys.items()} == {
        "table": 1,
        "reading": 2,
        "watching": 1,
        "site": 1,
        "plain": 1,
    }


# --- what a specification means -----------------------------------------------------------------


def test_users_left_out_are_100_000() -> None:
    assert SweepSpecification.read(specification()).users.budget() == UserBudget(100_000)


def test_tables_become_axes_and_a_budget() -> None:
    read = SweepSpecification.read(
        specification(
            grid={"navigation": ["walk"], "estimators": ["simulated"], "seeds": [2**64 - 1]},
            users={"half_width": 0.25, "confidence": 0.5, "max_users": BLOCK},
        )
    )
    assert read.users.budget() == UserBudget(half_width=0.25, confidence=0.5, max_users=BLOCK)
    (cell,) = read.cells()
    assert (cell.navigation, cell.content["seed"]) == ("walk", 2**64 - 1)


def test_keys_do_not_depend_on_users() -> None:
    keys = {
        tuple(cell.key for cell in SweepSpecification.read(specification(users=users)).cells())
        for users in ({}, {"num_users": 5}, {"half_width": 0.1})
    }
    assert len(keys) == 1


def test_a_source_travels_as_itself(files: Path) -> None:
    """A worker must see the same campaign, from whatever folder."""
    for content in (specification(), files / "sweep.toml"):
        for source in SweepSpecification.read(content).campaigns:
            again = pickle.loads(pickle.dumps(source))
            assert again == source
            assert hash(again) == hash(source)
            assert again.load().ideals == source.load().ideals


def test_a_grid_of_many_seeds_is_checked() -> None:
    """Each seed once: compared two by two, so many take hours."""
    content = {
        "campaigns": [{"example": "fig6"}],
        "grid": {"estimators": ["simulated"], "seeds": list(range(1_000_000))},
        "users": {"num_users": 10},
    }
    text = json.dumps(content)
    assert SweepSpecification.model_validate_json(text).grid.seeds[-1] == 999_999


def test_ways_to_browse_that_a_campaign_does_not_admit_are_told(trees: Path) -> None:
    text = (trees / "trees.toml").read_text()
    (trees / "walks.toml").write_text(f'grid.navigation = ["walk", "no-revisit"]\n{text}')
    (line,) = errors_of(trees / "walks.toml")
    assert line.startswith("campaigns[0]: navigation is ")
