"""Made topics: where relevant elements lie, their grades and assessments, intents."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from prum.simulator.generation.blocks import BLOCK
from prum.simulator.generation.dials import Dials, Topics
from prum.simulator.generation.kinds import Xml
from prum.simulator.generation.structures import Structure
from prum.simulator.generation.topics import JudgedTopic, Placed, intents_of, judged, placed
from prum.simulator.model import Assessment, Elements, InputError
from prum.simulator.model.assessments import best_on_each_path, check_propagation, generalised
from tests.made_collections import KINDS, TREES, digest, leaves_of, made, whole_tree
from tests.tiers import spread

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


def test_numbers_of_relevant_elements_may_have_a_tail() -> None:
    def numbers(num_topics: int, **dials: Any) -> Any:
        topics = Topics(placement="scattered", relevant=(2, 60), **dials)
        whole = Dials(collection=KINDS["flat"], topics=topics)
        structure = Structure(whole.collection, 1)
        return np.array([len(placed(structure, whole, n).relevant) for n in range(num_topics)])

    found = numbers(300, relevant_spread=1.0, relevant_median=15.0)
    assert (found.min(), found.max()) == (2, 60)
    for most in (6, 15, 30):
        below = int((found <= most).sum())
        assert is_share(below, 300, stats.norm.cdf(np.log((most + 0.5) / 15.0)))
        assert not is_share(below, 300, stats.norm.cdf(np.log((most + 0.5) / 25.0)))
    assert set(numbers(20, relevant_spread=0.0)) == {11}  # the root of 120
    assert set(numbers(20, relevant_spread=0.0, relevant_median=99.0)) == {60}
    with pytest.raises(ValueError, match="relevant_spread with relevant_median"):
        Topics(relevant_median=5.0)


# --- much that is relevant ----------------------------------------------------------------------


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


GRADES = [(1.0,), (0.5, 0.5), (0.5, 0.3, 0.2), (0.0, 0.0, 1.0)]


def assessments_by_brute_force(
    tree: Elements, relevant: dict[int, int], levels: int
) -> dict[int, tuple[int, int]]:
    """Return number -> (exhaustivity, specificity), from sets of words and by recursion."""

    def words(number: int) -> set[int]:
        start = int(tree.starts[number])
        return set(range(start, start + int(tree.lengths[number])))

    def exhaustive(number: int) -> int:
        if number in relevant:
            return {1: (3,), 2: (2, 3), 3: (1, 2, 3)}[levels][relevant[number] - 1]
        below = [exhaustive(tree.code[x]) for x in tree.children(tree.ids[number])]
        if sum(e > 0 for e in below) >= 2:
            return min(3, max(below) + 1)
        return max(below, default=0)

    found = dict[int, tuple[int, int]]()
    for number in range(len(tree)):
        inside = [leaf for leaf in relevant if number <= leaf < tree.afters[number]]
        if not inside:
            continue
        share = len(set().union(*map(words, inside))) / len(words(number))
        specific = 3 if share >= 2 / 3 else 2 if share >= 1 / 3 else 1
        found[number] = (exhaustive(number), specific)
    return found


def by_name(names: list[str], one: JudgedTopic) -> dict[str, Assessment]:
    scales = zip(one.exhaustivity.tolist(), one.specificity.tolist(), strict=True)
    return {
        names[number]: Assessment(*both)
        for number, both in zip(one.assessed.tolist(), scales, strict=True)
    }


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("grades", spread(3, GRADES))
@pytest.mark.parametrize("ideals", ["leaves", "best"])
def test_assessments_against_brute_force(kind: str, grades: tuple[float, ...], ideals: str) -> None:
    for seed, relevant in ((1, (3, 12)), (2, (20, 60))):
        structure, dials = made(
            kind, seed, topics={"grades": grades, "ideals": ideals, "relevant": relevant}
        )
        tree = whole_tree(structure)
        names = list(tree.ids)
        for number in range(15):
            where = placed(structure, dials, number)
            one = judged(structure, dials, where)
            leaves = dict(zip(where.relevant.tolist(), where.grades.tolist(), strict=True))
            expected = assessments_by_brute_force(tree, leaves, len(grades))
            assert one.assessed.tolist() == sorted(expected)
            scales = zip(one.exhaustivity.tolist(), one.specificity.tolist(), strict=True)
            assert list(scales) == [expected[element] for element in sorted(expected)]
            assessments = by_name(names, one)
            check_propagation(assessments, tree)
            assert all(one.specificity[np.isin(one.assessed, where.relevant)] == 3)
            if ideals == "leaves":
                assert one.relevant is where.relevant
                assert one.grades is where.grades
                continue
            worth = {name: generalised(found) for name, found in assessments.items()}
            best = best_on_each_path(worth, tree)
            assert [names[element] for element in one.relevant.tolist()] == list(best)
            # Ideal grade 1: all of them are.
            assert one.ideals.tolist() == one.relevant.tolist()


def test_some_best_elements_are_no_leaves() -> None:
    structure, dials = made(
        "xml", topics={"grades": (0.5, 0.3, 0.2), "ideals": "best", "relevant": (40, 40)}
    )
    found = [
        judged(structure, dials, placed(structure, dials, number)).ideals for number in range(10)
    ]
    assert any(not structure.is_leaf(ideal) for ideals in found for ideal in ideals.tolist())
    # Leaves that are as good as can be are better than what contains them.
    alike = dials.model_copy(update={"topics": Topics(ideals="best", relevant=(40, 40))})
    where = placed(structure, alike, 0)
    assert judged(structure, alike, where).ideals.tolist() == where.relevant.tolist()


@pytest.mark.parametrize("kind", ["flat", "web"])
def test_the_best_need_trees(kind: str) -> None:
    structure, dials = made(kind, topics={"ideals": "best"})
    with pytest.raises(InputError, match=rf"topics: ideals is 'best', must be leaves in .* {kind}"):
        judged(structure, dials, placed(structure, dials, 0))


# --- intents --------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_intents", [1, 2, 5, 64])
@pytest.mark.parametrize("num_relevant", [1, 2, 5, 40])
def test_intents(num_intents: int, num_relevant: int) -> None:
    _, dials = made("flat", topics={"intents": num_intents, "intents_shared": 0.0})
    serves = intents_of(dials, 3, num_relevant)
    assert serves.shape == (num_relevant, num_intents)
    assert (serves.sum(axis=1) == 1).all()
    assert serves.any(axis=0).sum() >= min(num_intents, num_relevant)
    shared = dials.model_copy(update={"topics": Topics(intents=num_intents, intents_shared=1.0)})
    assert intents_of(shared, 3, num_relevant).all()
