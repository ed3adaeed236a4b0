"""Where relevant elements of made topics lie: rules, shares, too many of them, the structure."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from prum.simulator.generation.blocks import BLOCK
from prum.simulator.generation.dials import Dials, Topics
from prum.simulator.generation.kinds import Flat, Video, Xml
from prum.simulator.generation.structures import Structure
from prum.simulator.generation.topics import Placed, placed
from prum.simulator.model import InputError
from tests.made_collections import KINDS, TREES, digest, leaves_of, made
from tests.tiers import slow

# Of all tests of shares together.
FAMILY = 1e-3
NUM_SHARES = 16


def is_share(hits: int, tosses: int, share: float) -> bool:
    """Return whether a count does not contradict a probability."""
    return bool(stats.binomtest(hits, tosses, share).pvalue > FAMILY / NUM_SHARES)


def arrays(one: Placed) -> tuple[np.ndarray, ...]:
    return one.relevant, one.grades, one.places


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("placement", ["clustered", "scattered"])
@pytest.mark.parametrize("seed", range(3))
def test_rules_of_placing(kind: str, placement: str, seed: int) -> None:
    structure, dials = made(
        kind, seed, topics={"placement": placement, "grades": (0.6, 0.3, 0.1), "ideal_grade": 3}
    )
    structure, leaves = structure, leaves_of(structure)
    for number in range(40):
        one = placed(structure, dials, number)
        assert 3 <= len(one.relevant) <= 12
        assert (np.diff(one.relevant) > 0).all()
        assert leaves.issuperset(one.relevant.tolist())
        assert one.grades.min() >= 1
        assert one.grades.max() == 3
        assert [tuple(place) for place in one.places.tolist()] == sorted(
            {structure.place(element) for element in one.relevant.tolist()}
        )
        if placement == "clustered" and kind != "flat" and len(one.places) > 4:
            held = [len(leaves.intersection(range(*place))) for place in one.places.tolist()]
            assert sum(held) - max(held) < len(one.relevant)


def test_as_many_places_as_the_dials_say() -> None:
    structure, dials = made("web", topics={"places": (2, 5), "relevant": (6, 9)})
    found = [len(placed(structure, dials, number).places) for number in range(100)]
    assert set(found) == {2, 3, 4, 5}
    dials = dials.model_copy(update={"topics": Topics(places=(5, 5), relevant=(2, 2))})
    assert len(placed(structure, dials, 0).places) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_topic_hangs_on_seed_and_number_alone(kind: str) -> None:
    structure, dials = made(kind)
    once = [arrays(placed(structure, dials, number)) for number in range(8)]
    structure = Structure(dials.collection, dials.seed)
    for number in reversed(range(8)):
        again = arrays(placed(structure, dials, number))
        assert digest(*again) == digest(*once[number])
    assert len({digest(*one) for one in once}) == 8
    other = dials.model_copy(update={"seed": 2})
    assert digest(*arrays(placed(structure, other, 0))) != digest(*once[0])


def test_shares_of_grades() -> None:
    topics = Topics(grades=(0.5, 0.3, 0.2), relevant=(50, 50), placement="scattered")
    dials = Dials(collection=KINDS["flat"], topics=topics)
    structure = Structure(dials.collection, 1)
    grades = np.concatenate([placed(structure, dials, number).grades for number in range(100)])
    counts = np.bincount(grades, minlength=4)[1:].tolist()
    for hits, share in zip(counts, topics.grades, strict=True):
        assert is_share(hits, len(grades), share)
    assert not is_share(counts[0], len(grades), 0.45)


@slow
def test_only_ideals_are_drawn_again() -> None:
    """Of one relevant element grades 2 and 3 keep their proportion, and 1 is not left."""
    topics = Topics(grades=(0.9, 0.06, 0.04), ideal_grade=2, relevant=(1, 1))
    dials = Dials(collection=KINDS["flat"], topics=topics)
    structure = Structure(dials.collection, 1)
    grades = np.concatenate([placed(structure, dials, number).grades for number in range(2000)])
    assert set(grades.tolist()) == {2, 3}
    assert is_share(int((grades == 2).sum()), 2000, 0.6)
    assert not is_share(int((grades == 2).sum()), 2000, 0.5)


@slow
def test_numbers_of_relevant_elements_may_have_a_tail() -> None:
    def numbers(num_topics: int, **dials: Any) -> Any:
        topics = Topics(placement="scattered", relevant=(2, 60), **dials)
        whole = Dials(collection=KINDS["flat"], topics=topics)
        structure = Structure(whole.collection, 1)
        return np.array([len(placed(structure, whole, n).relevant) for n in range(num_topics)])

    found = numbers(1500, relevant_spread=1.0, relevant_median=15.0)
    assert (found.min(), found.max()) == (2, 60)
    for most in (2, 6, 15, 30, 59):
        below = int((found <= most).sum())
        for median, fits in ((15.0, True), (20.0, False)):
            share = stats.norm.cdf(np.log((most + 0.5) / median))
            # Far out a wrong median is hardly seen.
            assert is_share(below, 1500, share) == fits or (not fits and most in (2, 59))
    assert set(numbers(20, relevant_spread=0.0)) == {11}  # the root of 120
    assert set(numbers(20, relevant_spread=0.0, relevant_median=99.0)) == {60}
    plain, told = numbers(20), numbers(20, relevant_spread=None)
    assert np.array_equal(plain, told)
    with pytest.raises(ValueError, match="relevant_spread with relevant_median"):
        Topics(relevant_median=5.0)


def test_places_are_drawn_by_their_size() -> None:
    collection = Video(kind="video", elements=400, scenes=(2, 40))
    dials = Dials(collection=collection, topics=Topics(places=(1, 1), relevant=(1, 1)))
    structure = Structure(collection, 1)
    places = {structure.place(element) for element in range(400)}
    long = {place for place in places if place[1] - place[0] > 25}
    share = sum(after - first for first, after in long) / 400
    found = [tuple(placed(structure, dials, number).places[0].tolist()) for number in range(1000)]
    hits = sum(place in long for place in found)
    assert is_share(hits, 1000, share)
    assert not is_share(hits, 1000, len(long) / len(places))


@slow
def test_scattered_leaves_are_equally_likely() -> None:
    dials = Dials(collection=KINDS["chunks"], topics=Topics(placement="scattered", relevant=(1, 1)))
    structure = Structure(dials.collection, 1)
    leaves = sorted(leaves_of(structure))
    found = np.array([placed(structure, dials, number).relevant[0] for number in range(4000)])
    counts = np.bincount(np.searchsorted(leaves, found), minlength=len(leaves))
    assert stats.chisquare(counts).pvalue > FAMILY / NUM_SHARES
    assert stats.chisquare(counts[: len(leaves) // 2 * 2].reshape(2, -1).sum(axis=1)).pvalue > 1e-4


# --- much that is relevant ----------------------------------------------------------------------


@pytest.mark.parametrize("placement", ["clustered", "scattered"])
@pytest.mark.parametrize(
    "collection",
    [
        Flat(kind="flat", elements=100),
        Video(kind="video", elements=100, scenes=(30, 40)),
    ],
)
def test_nearly_everything_is_relevant(collection: Flat | Video, placement: str) -> None:
    topics = Topics.model_validate({"relevant": (90, 90), "placement": placement}, strict=False)
    dials = Dials(collection=collection, topics=topics)
    structure = Structure(collection, 1)
    one = placed(structure, dials, 0)
    assert len(one.relevant) == 90
    assert leaves_of(structure).issuperset(one.relevant.tolist())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("placement", ["clustered", "scattered"])
def test_more_relevant_than_there_is(kind: str, placement: str) -> None:
    num_leaves = len(leaves_of(made(kind)[0]))
    for number in (num_leaves, num_leaves + 1):
        structure, dials = made(kind, topics={"relevant": (number, number), "placement": placement})
        if number == num_leaves:
            one = placed(structure, dials, 3)
            assert set(one.relevant.tolist()) == leaves_of(structure)
            continue
        with pytest.raises(InputError) as caught:
            placed(structure, dials, 3)
        assert str(caught.value) == (
            f"number of relevant elements of topic 3 is {number}, must be at most {num_leaves}, "
            "the elements without children of the collection; lower relevant of topics, or have "
            "more elements"
        )


# --- elements in any order ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_leaves_and_what_lies_in_what(kind: str) -> None:
    structure, _ = made(kind)
    leaves = leaves_of(structure)
    everything = np.arange(structure.num_elements)
    for element in everything.tolist():
        assert structure.is_leaf(element) == (element in leaves)
        first, after = structure.place(element)
        assert structure.leaves(first, after).tolist() == sorted(
            leaves.intersection(range(first, after))
        )
    if kind not in TREES:
        assert not len(structure.containers(everything))
        return
    firsts = sorted({structure.place(element)[0] for element in everything.tolist()})
    tree = structure.elements(firsts)
    documents, afters = structure.nesting(everything)
    assert documents.tolist() == tree.documents.tolist()
    assert afters.tolist() == tree.afters.tolist()
    for element in everything.tolist():
        above = [tree.code[x] for x in tree.ancestors(tree.ids[element])]
        assert structure.containers(np.array([element])).tolist() == sorted(above)


def test_nesting_across_blocks() -> None:
    collection = Xml(kind="xml", elements=BLOCK + 5000)
    structure = Structure(collection, 1)
    some = np.array([0, 7, BLOCK - 1, BLOCK, BLOCK + 17, BLOCK + 4999])
    documents, afters = structure.nesting(some)
    for element, document, after in zip(
        *(a.tolist() for a in (some, documents, afters)), strict=True
    ):
        assert document == structure.place(element)[0]
        tree = structure.elements([document])
        assert after - document == tree.afters[element - document]
