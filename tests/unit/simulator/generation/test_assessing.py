"""Judgements of made topics: up the tree against brute force, ideals, intents, who errs."""

import numpy as np
import pytest

from prum.simulator.generation.dials import Topics
from prum.simulator.generation.topics import (
    JudgedTopic,
    exhaustivity_of,
    grade_of,
    intents_of,
    judged,
    placed,
)
from prum.simulator.model import Assessment, Elements, InputError
from prum.simulator.model.assessments import best_on_each_path, check_propagation, generalised
from tests.made_collections import TREES, made, whole_tree
from tests.tiers import spread

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


def test_grades_and_exhaustivity() -> None:
    for levels in (1, 2, 3):
        grades = np.arange(1, levels + 1)
        scale = exhaustivity_of(grades, levels)
        assert scale[-1] == 3
        assert (np.diff(scale) == 1).all()
        assert grade_of(scale, levels).tolist() == grades.tolist()


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
