"""Cells: what their keys depend on, what is computed once, and which cells a grid has."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from prum.experiments.sweeps.cells import Axes, Cell, Given, grid
from prum.simulator import Campaign, Independent
from prum.simulator.collections.examples import example_campaign
from tests.tiers import slow

WEB = example_campaign("web")
SIMULATED = Axes(estimators=("simulated",))


def cells(campaign: Campaign = WEB, axes: Axes = SIMULATED) -> list[Cell]:
    return grid([Given(campaign)], axes)


def key(campaign: Campaign = WEB, axes: Axes = SIMULATED) -> str:
    (cell,) = cells(campaign, axes)
    return cell.key


def campaign_of(
    ranking: tuple[str, ...] = ("c", "d", "a", "b"),
    ideals: tuple[str, ...] = ("a", "b"),
    size: int = 4,
    links: dict[tuple[str, str], float] | None = None,
    system: str = "list",
    topic: str = "web",
) -> Campaign:
    """Return a campaign of one list; by default the Web example under another name."""
    rows = {(x, y): p for x, y, p in WEB.navigation.links} if links is None else links
    return Campaign("mine", {topic: ideals}, {system: {topic: ranking}}, Independent(rows), size)


# --- keys -------------------------------------------------------------------------------------


def test_equal_content_has_equal_keys_under_any_names() -> None:
    links = dict(reversed([((x, y), p) for x, y, p in WEB.navigation.links]))
    for other in (
        campaign_of(),
        campaign_of(system="another list", topic="日本"),
        campaign_of(ideals=("b", "a")),
        campaign_of(links=links),
    ):
        assert key(other) == key()


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(campaign_of(ranking=("d", "c", "a", "b")), id="ranking"),
        pytest.param(campaign_of(ranking=("c", "d", "a", "b", "a")), id="repetition"),
        pytest.param(campaign_of(ideals=("a",)), id="ideals"),
        pytest.param(campaign_of(size=5), id="collection size"),
        pytest.param(campaign_of(links={}), id="links"),
        pytest.param(campaign_of(links={("c", "a"): 0.4 + 1e-16}), id="a bit of a probability"),
    ],
)
def test_other_lists_and_links_have_other_keys(other: Campaign) -> None:
    assert key(other) != key()


@pytest.mark.parametrize(
    "change",
    [
        {"navigation": ("walk",)},
        {"estimators": ("exact",)},
        {"estimators": ("prum",)},
        {"estimators": ("no-browsing",)},
        {"seeds": (2,)},
        {"seeds": (2**64 - 1,)},
        {"unranked": ("expected",)},
    ],
)
def test_other_computations_have_other_keys(change: dict[str, tuple[object, ...]]) -> None:
    assert key(axes=replace(SIMULATED, **change)) != key()


def test_another_version_has_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [cell.key for cell in cells(axes=Axes())]
    monkeypatch.setattr("prum.experiments.sweeps.cells.own_version", lambda: "0.0.0")
    after = [cell.key for cell in cells(axes=Axes())]
    assert len(before) == 4
    assert not set(before) & set(after)


@slow
def test_keys_are_the_same_in_every_process() -> None:
    code = (
        "from prum.experiments.sweeps.cells import *\n"
        "from prum.simulator.collections.examples import example_campaign\n"
        "axes = Axes(navigation=('independent', 'walk'), seeds=(1, 2))\n"
        "print(*(cell.key for cell in grid([Given(example_campaign('web'))], axes)))\n"
    )
    axes = Axes(navigation=("independent", "walk"), seeds=(1, 2))
    here = [cell.key for cell in cells(axes=axes)]
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        told = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
        assert told.split() == here


def test_what_does_not_depend_on_browsing_has_one_key_for_all_links() -> None:
    """So two tables of links share it, and both campaigns have rows of it."""
    axes = Axes(estimators=("no-browsing", "exact"))
    mine = grid([Given(WEB), Given(campaign_of(links={}))], axes)
    assert [cell.estimator for cell in mine] == ["no-browsing", "exact"] * 2
    assert mine[0].key == mine[2].key
    assert mine[1].key != mine[3].key


# --- grids ------------------------------------------------------------------------------------


def test_every_combination_is_a_cell() -> None:
    two_topics = replace(
        WEB,
        ideals={"web": ("a", "b"), "other": ("c",)},
        runs={"one": {"web": ("a",)}, "two": {"web": ("b",), "other": ("c", "d")}},
    )
    axes = Axes(
        navigation=("independent", "walk"), seeds=(1, 2, 3), unranked=("sampled", "expected")
    )
    mine = cells(two_topics, axes)
    # Of each list: no-browsing once; under each navigation PRUM, exact and 3 x 2 simulations.
    assert len(mine) == 4 * (1 + 2 * (2 + 3 * 2))
    assert len({cell.key for cell in mine}) == len(mine)
    assert [(cell.topic, cell.system) for cell in mine[:: 1 + 2 * 8]] == [
        ("web", "one"),
        ("web", "two"),
        ("other", "one"),
        ("other", "two"),
    ]
    for cell in mine:
        assert (cell.names["seed"] is None) == (cell.estimator != "simulated")
        assert (cell.navigation == "none") == (cell.estimator == "no-browsing")
    some = cells(two_topics, replace(axes, topics=("other",), systems=("two",)))
    assert [cell.key for cell in some] == [cell.key for cell in mine[-17:]]
    assert cells(two_topics, replace(axes, topics=("none",))) == []


def test_a_cell_says_what_people_call_it() -> None:
    odd = campaign_of(
        ranking=("x → y", " ", "ß"), ideals=(" ",), links={}, system="a b", topic="日"
    )
    (cell,) = cells(odd)
    assert (cell.num_ranked, cell.num_ideals) == (3, 1)
    assert str(cell) == (
        "campaign mine, topic 日, system a b, navigation independent, estimator simulated, seed 1, "
        "unranked sampled"
    )
    assert key(odd) != key(campaign_of(("x → y", "  ", "ß"), (" ",), links={}))
