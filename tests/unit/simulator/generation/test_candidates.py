"""Made topics as systems and users meet them: against brute force from the whole structure."""

import json
from dataclasses import fields

import numpy as np
import pytest

from prum.simulator.generation.candidates import GRAIN, Topic, browsed, topics_of
from prum.simulator.generation.dials import Dials, Topics, Users
from prum.simulator.generation.kinds import Flat, Video, Web
from prum.simulator.generation.structures import Structure
from prum.simulator.generation.topics import JudgedTopic, placed
from prum.simulator.model import InputError, Links
from prum.simulator.model.way_names import way_of
from tests.made_collections import KINDS, TREES, digest, made, whole_tree
from tests.tiers import slow

# Each kind with ways of browsing it, the default first.
BROWSED = [
    ("flat", {}),
    ("web", {}),
    ("web", {"kind": "walk"}),
    ("web", {"kind": "exclusive + fading 0.9"}),
    ("xml", {}),
    ("xml", {"way": "structural", "kind": "exclusive + no-revisit"}),
    ("video", {}),
    ("video", {"way": "timeline 0.01"}),
    ("video", {"way": "timeline-steps 0.01"}),
    ("video", {"way": "timeline-steps 0.01", "kind": "independent"}),
    ("chunks", {}),
    ("chunks", {"way": "chunks next 0.5 previous 0.2 parent 0.1 child 0.05"}),
    ("chunks", {"way": "chunks next 0.5", "kind": "walk"}),
    ("chunks", {"way": "tolerance 150.0"}),
    ("chunks", {"way": "tolerance 150.0 falling"}),
]


def contents(topic: Topic) -> tuple[object, ...]:
    """Return a text for each field, equal for equal topics."""
    judged, others = fields(JudgedTopic), fields(Topic)[len(fields(JudgedTopic)) :]
    # The order in which the digests below were made.
    order = [others[0], *judged[:3], others[1], *judged[3:], *others[2:]]
    found = []
    for field in order:
        value = getattr(topic, field.name)
        if isinstance(value, Links):
            found.append(value.key)
        else:
            found.append(value if isinstance(value, str) else digest(value))
    return tuple(found)


def all_links(
    structure: Structure, dials: Dials, ideals: list[str]
) -> dict[tuple[str, str], float]:
    """Return the links of the whole collection, by name."""
    if dials.collection.kind == "web":
        block = structure.block(0)
        sources, targets = structure.names(block.sources), structure.names(block.targets)
        return dict(
            zip(zip(sources, targets, strict=True), block.probabilities.tolist(), strict=True)
        )
    if dials.collection.kind == "flat":
        return {}
    links = way_of(dials.browsing.way or "structural").links(whole_tree(structure), ideals)
    return {(x, y): p for x, y, p in links}


def rounded(probability: float) -> float:
    return round(probability / GRAIN) * GRAIN


@pytest.mark.parametrize(("kind", "users"), BROWSED)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=slow)])
def test_against_brute_force(kind: str, users: dict[str, str], seed: int) -> None:
    structure, dials = made(
        kind,
        seed,
        browsing=Users(**users),
        topics={
            "grades": (0.5, 0.3, 0.2),
            "ideal_grade": 2,
            "intents": 3,
            "candidates": 120,
            "ideals": "best" if kind in TREES and seed == 2 else "leaves",
        },
    )
    names = structure.names(range(structure.num_elements))
    code = {name: number for number, name in enumerate(names)}
    tree = whole_tree(structure) if kind in TREES else None
    for number, topic in enumerate(topics_of(structure, dials, range(20 if seed == 2 else 8))):
        assert topic.name == f"topic{number:02}"
        ideals = set(topic.ideals.tolist())
        grades = dict(zip(topic.relevant.tolist(), topic.grades.tolist(), strict=True))
        assert ideals == {element for element, grade in grades.items() if grade >= 2}
        assert topic.intents.shape == (len(grades), 3)
        links = all_links(structure, dials, structure.names(topic.ideals))
        # What its users follow.
        if kind in TREES:
            assert tree is not None
            held = {tree.documents[ideal] for ideal in ideals}
            expected = {p: v for p, v in links.items() if tree.documents[code[p[0]]] in held}
        else:
            walks = users.get("kind") == "walk"
            expected = {p: v for p, v in links.items() if code[p[1]] in ideals and not walks}
        assert {(x, y): p for x, y, p in topic.links} == expected
        # Who shows what.
        shows: dict[int, list[float]] = {}
        for (x, y), p in links.items():
            if code[y] in ideals and code[x] not in ideals and rounded(p):
                shows.setdefault(code[x], []).append(rounded(p))
        place_of = {element: structure.place(element) for element in range(len(names))}
        entries = set()
        for place in {place_of[element] for element in placed_relevant(dials, structure, number)}:
            sums = {x: sum(ps) for x, ps in shows.items() if place_of[x] == place}
            if sums:
                entries.add(min(sums, key=lambda x: (-sums[x], x)))
        containers = (
            {tree.code[x] for ideal in ideals for x in tree.ancestors(names[ideal])} - ideals
            if tree is not None
            else set()
        )
        candidates = topic.candidates.tolist()
        assert candidates == sorted(set(candidates))
        assert len(candidates) == 120
        assert set(candidates) >= {*grades, *shows, *containers}
        columns = zip(
            candidates,
            topic.relevance.tolist(),
            topic.near_miss.tolist(),
            topic.container.tolist(),
            topic.entry_point.tolist(),
            topic.documents.tolist(),
            topic.afters.tolist(),
            strict=True,
        )
        for element, relevance, near_miss, container, entry_point, document, after in columns:
            share = 1.0 if element in ideals else grades.get(element, 0) / 3
            assert relevance == share
            assert near_miss == np.sqrt(max(shows.get(element, [0.0])))
            assert container == (element in containers)
            assert entry_point == (element in entries)
            if tree is None:
                assert (document, after) == (element, element + 1)
            else:
                assert (document, after) == (tree.documents[element], tree.afters[element])


def placed_relevant(dials: Dials, structure: Structure, number: int) -> list[int]:
    return placed(structure, dials, number).relevant.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_topic_hangs_on_nothing_but_its_number(kind: str) -> None:
    structure, dials = made(kind)
    whole = [contents(topic) for topic in topics_of(structure, dials, range(6))]
    some = [contents(topic) for topic in topics_of(structure, dials, [4, 1])]
    assert some == [whole[4], whole[1]]
    assert len(set(whole)) == 6
    assert topics_of(structure, dials, []) == []
    other = made(kind, 2)
    assert contents(topics_of(*other, [4])[0]) != whole[4]


# --- degenerate collections -----------------------------------------------------------------------


def narrowed(dials: Dials, **topics: object) -> Dials:
    """Return dials with values that their rules would refuse, or not."""
    return dials.model_copy(update={"topics": dials.topics.model_copy(update=topics)})


def test_the_strongest_near_misses_are_kept() -> None:
    structure, dials = made("web", topics={"relevant": (8, 12), "candidates": 200})
    number, left_out = 14, 0
    for whole, few in zip(
        topics_of(structure, dials, range(10)),
        topics_of(structure, narrowed(dials, candidates=number), range(10)),
        strict=True,
    ):
        shown = whole.near_miss > 0
        order = sorted(
            zip((-whole.near_miss[shown]).tolist(), whole.candidates[shown].tolist(), strict=True)
        )
        best = [element for _, element in order][: number - len(whole.relevant)]
        left_out += len(order) > len(best)
        assert few.candidates.tolist() == sorted([*whole.relevant.tolist(), *best])
    assert left_out > 5


@pytest.mark.parametrize("placement", ["clustered", "scattered"])
def test_nearly_everything_is_relevant(placement: str) -> None:
    for collection in (
        Flat(kind="flat", elements=100),
        Web(kind="web", elements=100),
        Video(kind="video", elements=100, scenes=(40, 50)),
    ):
        topics = Topics.model_validate({"relevant": (90, 90), "placement": placement}, strict=False)
        dials = Dials(collection=collection, topics=topics)
        (topic,) = topics_of(Structure(collection, 1), dials, [0])
        assert len(topic.ideals) == 90
        assert len(topic.candidates) == 100
        more = narrowed(dials, relevant=(101, 101))
        with pytest.raises(
            InputError, match="relevant elements of topic 0 is 101, must be at most"
        ):
            topics_of(Structure(collection, 1), more, [0])


# --- ways of browsing -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "users", "expected", "is_walk"),
    [
        ("flat", {}, "independent", False),
        ("flat", {"kind": "fading 0.9 + no-revisit"}, "fading 0.9 + no-revisit", False),
        ("web", {"kind": "walk + fading 0.9"}, "walk + fading 0.9", True),
        ("xml", {}, "independent", False),
        ("video", {"way": "timeline-steps 0.01"}, "walk", True),
        ("video", {"way": "timeline-steps 0.01", "kind": "independent"}, "independent", False),
        ("chunks", {"way": "chunks next 0.5"}, "independent", False),
    ],
)
def test_how_people_browse(kind: str, users: dict[str, str], expected: str, is_walk: bool) -> None:
    _, dials = made(kind, browsing=Users(**users))
    found = browsed(dials)
    assert (found.kind, found.is_walk) == (expected, is_walk)
    assert (found.way is None) == (kind in ("flat", "web"))


@pytest.mark.parametrize(
    ("kind", "users", "message"),
    [
        ("flat", {"way": "structural"}, "for a collection of kind flat: it has no links"),
        ("web", {"way": "web 0.85"}, "for a collection of kind web: it has links"),
        ("xml", {"way": "web 0.85"}, "must have links to make links of"),
        ("xml", {"kind": "walk"}, "not walk along what way structural gives"),
        ("web", {"kind": "no-revisit"}, "documents of no-revisit"),
    ],
)
def test_what_cannot_be_browsed(kind: str, users: dict[str, str], message: str) -> None:
    structure, dials = made(kind, browsing=Users(**users))
    with pytest.raises(InputError) as caught:
        topics_of(structure, dials, [0])
    assert str(caught.value).startswith("browsing: ")
    assert message in str(caught.value)


# --- numbers that stay ----------------------------------------------------------------------------

GOLDEN = {
    "flat": "18166978805fa522256309898f73b9c13fa4cb1363fd1a5d172c3c29dbe29b33",
    "web": "b1b14b10ecc315716ea1fc05afe4dfe25d3892f36fd35427aafb244cc5f44ad0",
    "xml": "bb6930c091bae24dc365dc6505e155cd185a1f1761a8e88aea3764228b548669",
    "video": "cf5893391f60e19a517d37e088699d736d3f0ae2ffbeaa86e88ff6a922de1056",
    "chunks": "543a2ee015f799151743b4091986916f9b5b5a104e7c58846af979cd607a5480",
}


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_stay(kind: str) -> None:
    structure, dials = made(kind, topics={"grades": (0.6, 0.4), "intents": 3})
    (topic,) = topics_of(structure, dials, [12])
    text = json.dumps(contents(topic))
    assert digest(np.frombuffer(text.encode(), dtype=np.uint8)) == GOLDEN[kind]
