"""The built-in examples: each known by its name, the paper's as they are printed."""

from typing import get_args

import pytest

from prum.simulator import Expansion, Independent, Walk
from prum.simulator.collections.examples import (
    EXAMPLES,
    FIRST_SEEN,
    ExampleName,
    example_campaign,
)
from tests.oracle.enumeration import expectations


def test_names_are_those_of_options() -> None:
    assert tuple(EXAMPLES) == get_args(ExampleName)
    assert all(example.about for example in EXAMPLES.values())


@pytest.mark.parametrize("name", [*EXAMPLES][3:])
def test_an_example_is_called_as_it_is_asked_for(name: str) -> None:
    example = EXAMPLES[name]
    campaign = example.load()
    assert campaign.name == name
    scenarios = [f"scenario-{number}" for number in range(1, 10)]
    assert list(campaign.ideals) == (scenarios if name == "table3" else [name])
    assert campaign.kind == example.kind
    kind = {"fig2": Walk, "notes": Expansion}.get(name, Independent)
    assert {type(campaign.navigation_on(topic)) for topic in campaign.ideals} == {kind}
    named = {x for _, _, task in campaign.tasks() for x in (*task.ranking, *task.ideals)}
    assert named <= set("abcdefghinpxyz")
    tables = [campaign.navigation_on(topic).links for topic in campaign.ideals]
    ends = {end for table in tables for end in table.elements}
    assert named | set(example.assessments) | ends <= (
        set(example.elements.ids) if example.elements else set("abcdefghinpxyz")
    )


def test_the_web_is_fig_5() -> None:
    fig5, web = EXAMPLES["fig5"].load(), example_campaign("web")
    assert fig5.task("list", "fig5").key == web.task("list", "web").key
    assert fig5.navigation == web.navigation


@pytest.mark.parametrize(("number", "ranks"), list(enumerate(FIRST_SEEN, start=1)))
def test_scenarios_are_users_who_all_do_the_same(number: int, ranks: tuple[int, int]) -> None:
    """C(1) and C(2) are the first and the last of the two ranks, by enumeration."""
    campaign, topic = EXAMPLES["table3"].load(), f"scenario-{number}"
    task = campaign.task("list", topic)
    found = expectations(task, campaign.navigation_on(topic))
    assert [one.consulted for one in found] == [min(ranks), max(ranks)]
    assert [one.leading for one in found] == [1, len(set(ranks))]


def test_fig_6_is_the_same_in_words_and_in_scenes() -> None:
    words, scenes = EXAMPLES["fig6"].load(), EXAMPLES["fig6-video"].load()
    assert words.collection_size == 6
    assert words.links == scenes.links
    assert words.elements is not None
    assert (words.way is None, scenes.way is None) == (False, True)
