"""Grids: from a specification to cells; what their keys depend on; what is refused, in a line."""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.sweeps.cells import Cell, Given, grid
from prum.experiments.sweeps.engine import UserBudget
from prum.experiments.sweeps.specification import SweepSpecification
from prum.simulator import Campaign, Independent, InputError
from prum.simulator.sampling.streams import BLOCK
from tests.specifications import FILES, TOLD, WEB, errors_of, specification
from tests.stores import WEB as CAMPAIGN
from tests.tiers import slow

LINKS = {(x, y): p for x, y, p in CAMPAIGN.navigation.links}
RANKING = ("c", "d", "a", "b")


def cells(campaign: Campaign = CAMPAIGN, **axes: Any) -> list[Cell]:
    return grid([Given(campaign)], **{"estimators": ("simulated",), **axes})


def key(campaign: Campaign = CAMPAIGN, **axes: Any) -> str:
    (cell,) = cells(campaign, **axes)
    return cell.key


def campaign_of(
    ranking: tuple[str, ...] = RANKING,
    ideals: tuple[str, ...] = ("a", "b"),
    size: int = 4,
    links: dict[tuple[str, str], float] = LINKS,
    system: str = "list",
    topic: str = "web",
) -> Campaign:
    """Return a campaign of one list; by default the Web example under another name."""
    return Campaign("mine", {topic: ideals}, {system: {topic: ranking}}, Independent(links), size)


# --- keys -------------------------------------------------------------------------------------


def test_equal_content_has_equal_keys_under_any_names() -> None:
    for other in (
        campaign_of(),
        campaign_of(system="another list", topic="日本"),
        campaign_of(ideals=("b", "a")),
        campaign_of(links=dict(reversed(LINKS.items()))),
    ):
        assert key(other) == key()


@pytest.mark.parametrize(
    "changes",
    [
        {"ranking": ("d", "c", "a", "b")},
        {"ranking": (*RANKING, "a")},
        {"ideals": ("a",)},
        {"size": 5},
        {"links": {}},
        {"links": {("c", "a"): 0.4 + 1e-16}},
        {"navigation": ("walk",)},
        {"estimators": ("exact",)},
        {"estimators": ("prum",)},
        {"estimators": ("no-browsing",)},
        {"seeds": (2,)},
        {"seeds": (2**64 - 1,)},
        {"unranked": ("expected",)},
    ],
    ids=str,
)
def test_what_changes_a_computation_changes_its_key(changes: dict[str, Any]) -> None:
    of_campaign = {"ranking", "ideals", "size", "links"} & changes.keys()
    assert (key(campaign_of(**changes)) if of_campaign else key(**changes)) != key()


def test_another_version_has_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {cell.key for cell in grid([Given(CAMPAIGN)])}
    monkeypatch.setattr("prum.experiments.sweeps.cells.own_version", lambda: "0.0.0")
    assert len(before | {cell.key for cell in grid([Given(CAMPAIGN)])}) == 8


@slow
def test_keys_are_the_same_in_every_process() -> None:
    code = (
        "from tests.unit.experiments.sweeps.test_grid import cells\n"
        "print(*(cell.key for cell in cells(navigation=('independent', 'walk'), seeds=(1, 2))))\n"
    )
    here = [cell.key for cell in cells(navigation=("independent", "walk"), seeds=(1, 2))]
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        printed = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
        assert printed.split() == here


def test_what_does_not_depend_on_browsing_has_one_key_for_all_links() -> None:
    """So two tables of links share it, and both campaigns have rows of it."""
    sources = [Given(CAMPAIGN), Given(campaign_of(links={}))]
    mine = grid(sources, estimators=("no-browsing", "exact"))
    assert [cell.estimator for cell in mine] == ["no-browsing", "exact"] * 2
    assert mine[0].key == mine[2].key
    assert mine[0].content.keys() == {"estimator", "task_key", "version"}
    assert mine[1].key != mine[3].key


# --- cells ------------------------------------------------------------------------------------


def test_every_combination_is_a_cell() -> None:
    two_topics = replace(
        CAMPAIGN,
        ideals={"web": ("a", "b"), "other": ("c",)},
        runs={"one": {"web": ("a",)}, "two": {"web": ("b",), "other": ("c", "d")}},
    )
    axes = {"navigation": ("independent", "walk"), "seeds": (1, 2, 3)}
    axes |= {"unranked": ("sampled", "expected")}
    mine = grid([Given(two_topics)], **axes)
    # Of each list: no-browsing once; under each navigation PRUM, exact and 3 x 2 simulations.
    assert len({cell.key for cell in mine}) == len(mine) == 4 * (1 + 2 * (2 + 3 * 2))
    assert [(cell.topic, cell.system) for cell in mine[:: 1 + 2 * 8]] == [
        ("web", "one"),
        ("web", "two"),
        ("other", "one"),
        ("other", "two"),
    ]
    for cell in mine:
        assert (cell.names["seed"] is None) == (cell.estimator != "simulated")
        assert (cell.navigation == "none") == (cell.estimator == "no-browsing")
    some = grid([Given(two_topics)], **axes, topics=("other",), systems=("two",))
    assert [cell.key for cell in some] == [cell.key for cell in mine[-17:]]
    assert grid([Given(two_topics)], topics=("none",)) == []


def test_a_cell_says_what_people_call_it() -> None:
    odd = campaign_of(("x → y", " ", "ß"), (" ",), links={}, system="a b", topic="日")
    (cell,) = cells(odd)
    assert (cell.num_ranked, cell.num_ideals) == (3, 1)
    assert str(cell) == (
        "campaign mine, topic 日, system a b, navigation independent, estimator simulated, seed 1, "
        "unranked sampled"
    )
    assert key(odd) != key(campaign_of(("x → y", "  ", "ß"), (" ",), links={}))


# --- specifications ---------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with a campaign of two systems in five ways, and one alone."""
    (tmp_path / "one").write_text("q1 Q0 a 1 2 s\nq1 Q0 b 2 1 s\nq2 Q0 a 1 1 s\n")
    (tmp_path / "zwei").write_text("q1 Q0 b 1 2 s\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 c 2\nq2 0 a 1\n")
    (tmp_path / "links.csv").write_text("source,target,probability\nb,c,.5\n")
    (tmp_path / "tree.csv").write_text(
        "element,parent,length\npage,,90\na,page,30\nb,page,30\nc,page,30\n"
    )
    common = '[[campaigns]]\nruns = ["one", "zwei"]\nqrels = "qrels"\ncollection_size = 10\n'
    (tmp_path / "sweep.toml").write_text(f'{common}links = "links.csv"\n')
    (tmp_path / "trees.toml").write_text(
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
    return tmp_path


def test_paths_start_from_the_file(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (files / "elsewhere").mkdir()
    for folder, path in (
        (files, Path("sweep.toml")),
        (files / "elsewhere", Path("../sweep.toml")),
        (Path("/"), files / "sweep.toml"),
    ):
        monkeypatch.chdir(folder)
        read = SweepSpecification.read(path)
        assert (read.name, read.command) == ("sweep", f"prum sweep {path}")
        assert {file.name for file in read.files()} == {"one", "zwei", "qrels", "links.csv"}
        monkeypatch.chdir("/")  # they stay where they are
        mine = read.cells()
        assert {cell.system for cell in mine} == {"one", "zwei"}
        assert {cell.topic for cell in mine} == {"q1", "q2"}
        assert {cell.source.name for cell in mine} == {"qrels"}


def test_topics_with_links_of_their_own_have_keys_of_their_own(files: Path) -> None:
    keys: dict[str, set[str]] = {}
    for cell in SweepSpecification.read(files / "trees.toml").cells():
        if cell.estimator == "exact":
            keys.setdefault(cell.source.name, set()).add(cell.content["navigation_key"])
    sizes = {name: len(some) for name, some in keys.items()}
    assert sizes == {"table": 1, "reading": 2, "watching": 1, "site": 1, "plain": 1}


def test_tables_become_axes_and_a_budget() -> None:
    assert SweepSpecification.read(specification()).users.budget() == UserBudget(100_000)
    users = {"half_width": 0.25, "confidence": 0.5, "max_users": BLOCK}
    axes = {"navigation": ["walk"], "estimators": ["simulated"], "seeds": [2**64 - 1]}
    read = SweepSpecification.read(specification(grid=axes, users=users))
    assert read.users.budget() == UserBudget(**users)
    (cell,) = read.cells()
    assert (cell.navigation, cell.content["seed"]) == ("walk", 2**64 - 1)
    # Users are in no key.
    (other,) = SweepSpecification.read(specification(grid=axes, users={"num_users": 5})).cells()
    assert other.key == cell.key


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
    axes = {"estimators": ["simulated"], "seeds": list(range(1_000_000))}
    text = json.dumps(specification(grid=axes))
    assert SweepSpecification.model_validate_json(text).grid.seeds[-1] == 999_999


# --- mistakes ---------------------------------------------------------------------------------

TREES = {**FILES, "elements": ["tree.csv"]}
TABLES: list[tuple[dict[str, Any], str]] = [
    ({"user": {}}, "user is {}, must not be there: the name is unknown"),
    ({"users": []}, "users is [], must be an object"),
    ({"users": {"num_users": "5"}}, "users.num_users is '5', must be a valid integer"),
    ({"users": {"num_users": 10**100}}, "users.num_users is an integer of 333 bits, must be"),
    ({"users": {"half_width": float("nan")}}, "users.half_width is nan, must be "),
    ({"users": {"max_users": BLOCK - 1}}, "users.max_users is 16383, must be greater than or"),
    ({"users": {"num_users": 5, "half_width": 0.1}}, "must hold num_users or half_width, not"),
    ({"grid": {"seeds": [1, 1]}}, "grid.seeds is [1, 1], must name 1 once"),
    (
        {"grid": {"navigation": ["walk + fading 2"]}},
        "grid.navigation[0] is 'walk + fading 2', must hold values that fit: fading must lie",
    ),
    (
        {"grid": {"navigation": ["copula .5", "copula 0.5"]}},
        "grid.navigation is ['copula .5', 'copula 0.5'], must name 'copula 0.5' once",
    ),
    ({"campaigns": [WEB, WEB]}, "must have campaigns of different names"),
    ({"campaigns": [WEB, 5]}, "campaigns[1] is 5, must be an object"),
    ({"campaigns": [{**FILES, "runs": ["/a", "/a"]}]}, "campaigns[0].runs is ['/a', '/a'], must"),
    ({"campaigns": [{**TREES, "way": "chunk"}]}, "campaigns[0].way is 'chunk', must be one of"),
    (
        {"campaigns": [{**TREES, "links": "links.csv", "way": "structural"}]},
        "fit: way must be a way of links where links are given beside elements",
    ),
    (
        {"campaigns": [{**FILES, "way": "structural"}]},
        "fit: way must have elements to make links of",
    ),
    ({"campaigns": [{**WEB, "way": "web .5"}]}, "campaigns[0].way is 'web .5', must not be there"),
]


@pytest.mark.parametrize(("tables", "message"), TABLES)
def test_a_mistake_is_told_in_one_line(tables: dict[str, Any], message: str) -> None:
    (line,) = errors_of(specification(**tables))
    assert line.startswith("specification: ")
    assert message in line
    assert line.endswith((TOLD, "'?"))


def test_all_mistakes_are_told_at_once() -> None:
    axes = {"seeds": [1, -1, "x"], "unranked": ["sampled", "none"], "colour": "red"}
    users = {"num_users": 0, "confidence": 2}
    lines = errors_of(specification(grid=axes, users=users, titel="x"))
    paths = [line.removeprefix("specification: ").split(" is ")[0] for line in lines]
    assert sorted(paths) == [
        *("grid.colour", "grid.seeds[1]", "grid.seeds[2]", "grid.unranked[1]"),
        *("titel", "users.confidence", "users.num_users"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"name = '\xff'", "can't decode byte 0xff in position 8"),
        (b"PK\x03\x04" + bytes(100), "at line 1"),
        (b'[[campaigns]]\nexample = "web"\n[users]\nnum_users = 1.0\n', "users.num_users is 1.0"),
    ],
)
def test_mistakes_in_a_file_are_told_with_its_name(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        SweepSpecification.read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_campaigns_that_cannot_be_read_or_browsed_so_are_told(files: Path) -> None:
    text = (files / "trees.toml").read_text()
    (files / "trees.toml").write_text(f'grid.navigation = ["walk", "no-revisit"]\n{text}')
    (line,) = errors_of(files / "trees.toml")
    assert line.startswith("campaigns[0]: navigation is ")
    (files / "links.csv").write_text("source,target,probability\nb,c,1.5\n")
    (line,) = errors_of(files / "sweep.toml")
    assert line.startswith("campaigns[0]: ")
    assert "links.csv, line 2" in line
    (files / "one").unlink()
    (line,) = errors_of(files / "sweep.toml")
    assert line.startswith(f"campaigns[0]: {files / 'one'}: file is 'one', must be ")
    assert "No such file or directory" in line


def test_topics_and_systems_that_no_campaign_has_are_told(files: Path) -> None:
    of_files = {**FILES, "runs": [str(files / "one")], "qrels": str(files / "qrels")}
    axes = {"topics": ["q1", "web", "q9", "q\n"], "systems": ["list", "zwei", "one"]}
    assert errors_of({"campaigns": [of_files, WEB], "grid": axes}) == [
        "grid.topics is 'q9', must be in a campaign; choose from q1, q2, web",
        "grid.topics is 'q\\n', must be in a campaign; choose from q1, q2, web",
        "grid.systems is 'zwei', must be in a campaign; choose from list, one",
    ]
