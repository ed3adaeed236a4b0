"""Mistakes in specifications: each told in a line of its own, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from prum.experiments.sweeps.specification import SweepSpecification
from prum.simulator import InputError
from prum.simulator.sampling.streams import BLOCK
from tests.specifications import FILES, TOLD, WEB, errors_of, specification

TREES = {**FILES, "elements": ["tree.csv"]}

# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        ({"user": {}}, "user is {}, must not be there: the name is unknown"),
        ({"users": []}, "users is [], must be an object"),
        ({"users": {"num_users": "5"}}, "users.num_users is '5', must be a valid integer"),
        ({"users": {"num_users": 10**100}}, "users.num_users is an integer of 333 bits, must be"),
        ({"users": {"half_width": float("nan")}}, "users.half_width is nan, must be "),
        ({"users": {"max_users": BLOCK - 1}}, "users.max_users is 16383, must be greater than or"),
        (
            {"users": {"num_users": 5, "half_width": 0.1}},
            "users is {'num_users': 5, 'half_width': 0.1}, must hold num_users or half_width, not",
        ),
        ({"grid": {"seeds": [1, 1]}}, "grid.seeds is [1, 1], must name 1 once"),
        (
            {"grid": {"navigation": ["copula 2"]}},
            "grid.navigation[0] is 'copula 2', must hold values that fit: rho must lie in [0, 1]",
        ),
        (
            {"grid": {"navigation": ["walk + fading 2"]}},
            "grid.navigation[0] is 'walk + fading 2', must hold values that fit: fading must lie",
        ),
        (
            {"grid": {"navigation": ["walk + exclusive"]}},
            "must hold one navigation: 'exclusive' at character 8 is a second; ",
        ),
        (
            {"grid": {"navigation": ["copula .5", "copula 0.5"]}},
            "grid.navigation is ['copula .5', 'copula 0.5'], must name 'copula 0.5' once",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(tables: dict[str, Any], told: str) -> None:
    (line,) = errors_of(specification(**tables))
    assert line.startswith("specification: ")
    assert told in line
    assert line.endswith((TOLD, "'?"))


@pytest.mark.parametrize(
    ("campaign", "told"),
    [
        (5, "campaigns[1] is 5, must be an object"),
        ({**FILES, "runs": ["a", "a"]}, "campaigns[1].runs is ['a', 'a'], must name 'a' once"),
        (
            {**TREES, "way": "chunk"},
            "campaigns[1].way is 'chunk', must be one of structural, chunks ",
        ),
        (
            {**TREES, "way": "timeline -1"},
            "campaigns[1].way is 'timeline -1', must hold values that fit: leaving_rate of way "
            "timeline must be a finite number of at least 0",
        ),
        (
            {**TREES, "links": "links.csv", "way": "structural"},
            "fit: way must be a way of links where links are given beside elements",
        ),
        ({**TREES, "way": "web .5"}, "fit: way must have links to make links of"),
        ({**FILES, "way": "structural"}, "fit: way must have elements to make links of"),
        ({**WEB, "way": "web .5"}, "campaigns[1].way is 'web .5', must not be there"),
    ],
)
def test_a_mistake_in_a_campaign_is_told_with_its_number(campaign: Any, told: str) -> None:
    lines = errors_of({"campaigns": [WEB, campaign]})
    assert any(told in line for line in lines)
    assert all(line.endswith((TOLD, "'?")) for line in lines)


def test_all_mistakes_are_told_at_once() -> None:
    lines = errors_of(
        specification(
            grid={"seeds": [1, -1, "x"], "unranked": ["sampled", "none"], "colour": "red"},
            users={"num_users": 0, "confidence": 2},
            titel="x",
        )
    )
    paths = [line.removeprefix("specification: ").split(" is ")[0] for line in lines]
    assert sorted(paths) == [
        "grid.colour",
        "grid.seeds[1]",
        "grid.seeds[2]",
        "grid.unranked[1]",
        "titel",
        "users.confidence",
        "users.num_users",
    ]


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"campaigns = [\nx", "at line 2, column 1"),
        (b"name = 'a'\nname = 'b'", "Cannot overwrite a value"),
        (b"name = '\xff'", "can't decode byte 0xff in position 8"),
        (b"PK\x03\x04" + bytes(100), "at line 1"),
    ],
)
def test_a_file_that_is_no_toml_is_told_with_the_place(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match="must be TOML in UTF-8") as error:
        SweepSpecification.read(path)
    assert str(error.value).startswith(f"{path}: file is 'bad.toml', ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_mistakes_in_a_file_are_told_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('[[campaigns]]\nexample = "web"\n[users]\nnum_users = 1_000.0\n')
    assert errors_of(path) == [f"{path}: users.num_users is 1000.0, must be a valid integer{TOLD}"]
