"""Ways by name: what the words make, how they are told from others, which kinds they admit."""

import pickle
from itertools import pairwise

import pytest

from prum.simulator.model import (
    Elements,
    InputError,
    Links,
    chunks,
    structural,
    timeline,
    tolerance,
    web,
)
from prum.simulator.model.way_names import chosen_way, way_of
from prum.simulator.model.ways import distance, timeline_steps

TREE = Elements({"p": (None, 90), "a": ("p", 30), "b": ("p", 30), "c": ("p", 30), "d": ("b", 10)})
IDEALS = ["b", "c"]
PAIRS = Links({("x", "y"): 0.1, ("x", "z"): 1, ("y", "z"): 0})


def message(call):
    with pytest.raises(InputError) as caught:
        call()
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    assert str(pickle.loads(pickle.dumps(caught.value))) == text
    return text


@pytest.mark.parametrize(
    ("name", "table", "wanted"),
    [
        ("structural", TREE, structural(TREE, targets=IDEALS)),
        ("chunks next .5", TREE, chunks(TREE, next=0.5)),
        (
            "chunks child 1 parent .25 previous .5 next 0",
            TREE,
            chunks(TREE, previous=0.5, parent=0.25, child=1),
        ),
        ("timeline .01", TREE, timeline(TREE, 0.01, targets=IDEALS)),
        ("timeline 0.1 least .5", TREE, timeline(TREE, 0.1, targets=IDEALS, least=0.5)),
        ("timeline-steps 1e-2", TREE, timeline_steps(TREE, 0.01)),
        ("tolerance 30", TREE, tolerance(TREE, IDEALS, words=30)),
        ("tolerance 30 falling", TREE, tolerance(TREE, IDEALS, words=30, falling=True)),
        ("distance 30", TREE, distance(TREE, 30, targets=IDEALS)),
        ("distance 30 inverse", TREE, distance(TREE, 30, inverse=True, targets=IDEALS)),
        ("web .85", PAIRS, web(PAIRS, 0.85)),
    ],
)
def test_words_call_the_function_with_its_parameters(name, table, wanted):
    way = way_of(name)
    assert way.links(table, IDEALS) == wanted
    assert len(wanted) > 0
    assert way.of == ("links" if table is PAIRS else "elements")
    # The name is one that reads the same.
    assert way_of(way.name) == way
    assert pickle.loads(pickle.dumps(way)) == way


def test_what_is_the_same_way_has_the_same_name():
    for one, other in (
        ("chunks next .50 previous 0.2", "chunks  previous .2   next .5"),
        ("timeline 1", "timeline 1.0"),
        ("web .5", "web 5e-1"),
    ):
        assert way_of(one) == way_of(other)
        assert way_of(one).name == way_of(other).name
    names = [way_of(name).name for name in ("chunks next 0", "chunks previous 0", "chunks child 0")]
    assert all(one != other for one, other in pairwise(names))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("chunks next 2", "next of way chunks is 2.0, must lie in [0, 1]"),
        ("timeline-steps inf", "leaving_rate of way timeline-steps is inf, must be a finite"),
        ("tolerance nan falling", "words of way tolerance is nan, must be positive and finite"),
    ],
)
def test_bad_values_name_the_way_before_any_file_is_read(name, told):
    assert message(lambda: way_of(name)).startswith(told)


def test_only_what_is_steps_is_walked():
    for name in ("structural", "timeline .1", "tolerance 5"):
        way = way_of(name)
        assert way.kind == "independent"
        for kind in ("independent", "copula 0.5", "beta 1 1 + fading 0.5", "no-revisit"):
            way.check_kind(kind)
        for kind in ("walk", "walk + fading 0.5"):
            told = message(lambda kind=kind, way=way: way.check_kind(kind))
            assert told.startswith(
                f"navigation is {kind!r}, must not walk along what way {way.word}"
            )
            assert told.endswith("take independent, or a way to walk: chunks, timeline-steps")
    for name, kind in (
        ("chunks next 1", "independent"),
        ("timeline-steps 1", "walk"),
        ("web 1", "walk"),
    ):
        way = way_of(name)
        assert way.kind == kind
        for other in ("walk", "walk + unranked", "independent", "exclusive"):
            way.check_kind(other)
    assert "must be one of" in message(lambda: way_of("structural").check_kind("walks"))


# --- the way of a campaign --------------------------------------------------------------------


def test_the_way_of_a_campaign_by_default():
    assert chosen_way(None, links=False, elements=False) is None
    assert chosen_way(None, links=True, elements=False) is None
    assert chosen_way(None, links=False, elements=True) == way_of("structural")
    assert chosen_way("web .5", links=True, elements=False) == way_of("web .5")
    assert chosen_way(None, links=True, elements=True) is None
    assert chosen_way("web .5", links=True, elements=True) == way_of("web .5")
    assert chosen_way("timeline 1", links=False, elements=True) == way_of("timeline 1")


@pytest.mark.parametrize(
    ("name", "links", "elements", "told"),
    [
        ("structural", True, True, "must be a way of links where links are given beside elements"),
        ("chunks next .5", True, True, "leave out the way or the links, or take web DAMPING"),
        ("web .5", False, True, "must have links to make links of; give links, or take structural"),
        ("web .5", False, False, "must have links to make links of; give links"),
        ("structural", True, False, "must have elements to make links of; give elements, or take"),
        ("structural", False, False, "must have elements to make links of; give elements"),
        ("web 2", False, True, "damping of way web is 2.0"),
        ("webs", True, False, "way is 'webs', must be one of"),
    ],
)
def test_a_way_needs_what_it_makes_links_of(name, links, elements, told):
    assert told in message(lambda: chosen_way(name, links=links, elements=elements))
