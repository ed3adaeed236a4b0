"""Made systems: their scores by the law of the dials, their lists by brute force."""

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from prum.simulator.collections import read_run
from prum.simulator.generation.candidates import Topic, topics_of
from prum.simulator.generation.dials import Dependence, Dials, System, Target
from prum.simulator.generation.structures import Structure
from prum.simulator.generation.systems import DECIMALS, NoisySystem, Ranked, systems_of, worths
from prum.simulator.model import InputError
from tests.made_collections import KINDS, TREES, made, whole_tree
from tests.tiers import slow, spread

Floats = NDArray[np.float64]

# P(a false alarm) of one comparison with chance; some forty are made here.
LEVEL = 1e-6
ALL_ROLES: dict[str, Any] = {"near_misses": 0.7, "containers": 0.4, "entry_points": 0.9}


def scored(
    system: System, topics: Sequence[Topic], seed: int = 1, number: int = 0, **dependence: float
) -> NoisySystem:
    """Return one of a system's kind in front of topics."""
    dials = Dials(collection=KINDS["flat"], systems=(system,))
    return NoisySystem(systems_of(dials)[number], topics, Dependence(**dependence), seed)


def topics_for(kind: str, seed: int = 1, **topics: Any) -> tuple[Structure, list[Topic]]:
    structure, dials = made(kind, seed, topics=topics)
    return structure, topics_of(structure, dials, range(dials.topics.number))


def by_candidate(topic: Topic, ranked: Ranked) -> Floats:
    """Return the score of each candidate of a list that holds them all."""
    scores = np.full(len(topic.candidates), np.nan)
    scores[np.searchsorted(topic.candidates, ranked.elements)] = ranked.scores
    assert not np.isnan(scores).any()
    return scores


def noises_of(system: NoisySystem, strength: float) -> Floats:
    """Return the noise of all candidates of all topics, as their scores tell it."""
    found = []
    for number, topic in enumerate(system.topics):
        felt = strength + system.difficulties[number]
        scores = by_candidate(topic, system.ranked(number, strength))
        found.append(scores - felt * worths(topic, system.made.dials))
    return np.concatenate(found)


def is_far(found: float, expected: float, error: float) -> bool:
    return bool(abs(found - expected) > stats.norm.isf(LEVEL / 2) * error)


# --- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_of_several_roles_the_largest_counts(kind: str) -> None:
    _, topics = topics_for(kind, grades=(0.5, 0.5), ideal_grade=2)
    system = System(name="s", **ALL_ROLES)
    several = 0
    for topic in topics:
        rows = zip(
            topic.relevance,
            topic.near_miss,
            topic.container,
            topic.entry_point,
            worths(topic, system),
            strict=True,
        )
        for relevance, near_miss, container, entry_point, worth in rows:
            roles = relevance, 0.7 * near_miss, 0.4 * container, 0.9 * entry_point
            assert worth == max(roles)
            several += sum(role > 0 for role in roles) > 1
        plain = worths(topic, System(name="s"))
        assert (plain == topic.relevance).all()
        assert set(plain.tolist()) <= {0.0, 0.5, 1.0}
    assert bool(several) == (kind != "flat")


def test_scores_are_strength_and_difficulty_times_worth_and_standard_normal_noise() -> None:
    _, topics = topics_for("xml", grades=(0.5, 0.5), candidates=150)
    system = scored(System(name="s", depth=150, **ALL_ROLES), topics, difficulty=1.0)
    for number, topic in enumerate(topics):
        weak, strong = (by_candidate(topic, system.ranked(number, s)) for s in (-1.0, 3.0))
        worth = worths(topic, system.made.dials)
        assert strong - weak == pytest.approx(4 * worth, abs=2 * 10.0**-DECIMALS)
    noises = noises_of(system, 1.5)
    assert noises == pytest.approx(noises_of(system, -7.25), abs=2 * 10.0**-DECIMALS)
    assert stats.kstest(noises, "norm").pvalue > LEVEL
    # Noise is no other than that: not of worth, nor of another spread.
    marked = np.concatenate([worths(topic, system.made.dials) for topic in topics]) > 0
    assert stats.kstest(noises[marked], "norm").pvalue > LEVEL
    assert stats.kstest(1.5 * noises, "norm").pvalue < LEVEL
    assert stats.kstest(noises[marked] + 1, "norm").pvalue < LEVEL


def test_a_system_hangs_on_seed_and_name_alone() -> None:
    _, topics = topics_for("web")
    first = scored(System(name="s"), topics).lists(2.0)
    beside = Dials(collection=KINDS["web"], systems=(System(name="t"), System(name="s")))
    again = NoisySystem(systems_of(beside)[1], topics, Dependence(), 1)
    for one, two in zip(first, again.lists(2.0), strict=True):
        assert (one.elements == two.elements).all()
        assert (one.scores == two.scores).all()
    some = NoisySystem(systems_of(beside)[1], topics, Dependence(), 1).ranked(7, 2.0)
    assert (some.elements == first[7].elements).all()
    for other in (scored(System(name="t"), topics), scored(System(name="s"), topics, seed=2)):
        assert (other.ranked(7, 2.0).scores != first[7].scores).any()


# --- lists ----------------------------------------------------------------------------------------


def written(topic: str, ids: Sequence[str], ranked: Ranked, path: Path) -> tuple[str, ...]:
    """Return the list that a run's file says."""
    scores = ranked.scores.tolist()
    path.write_text(
        "".join(
            f"{topic} Q0 {element} 1 {score:.{DECIMALS}f} s\n"
            for element, score in zip(ids, scores, strict=True)
        )
    )
    return read_run(path)[topic]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ties", [0.0, 0.5, 1.0])
def test_a_list_is_what_reading_its_run_makes_of_it(kind: str, ties: float, tmp_path: Path) -> None:
    structure, topics = topics_for(kind, number=5)
    nested = 0.5 if kind in TREES else 1.0
    system = scored(System(name="s", depth=40, ties=ties, nested=nested, **ALL_ROLES), topics)
    for number, topic in enumerate(topics):
        ranked = system.ranked(number, 1.0)
        assert len(ranked.elements) == len(set(ranked.elements.tolist())) <= 40
        assert (np.diff(ranked.scores) <= 0).all()
        assert (np.diff(ranked.scores) < 0).any() == (ties < 1)
        ids = structure.names(ranked.elements)
        assert written(topic.name, ids, ranked, tmp_path / "run") == tuple(ids)


@slow
@pytest.mark.parametrize("kind", spread(3, TREES))
def test_without_nested_elements_lists_are_the_greedy_choice(kind: str) -> None:
    structure, topics = topics_for(kind, candidates=120)
    tree = whole_tree(structure)

    def overlap(x: str, y: str) -> bool:
        return x in tree.ancestors(y) or y in tree.ancestors(x)

    tried = met = kept = 0
    for nested in (0.0, 0.4):
        dials = System(name="s", depth=120, containers=0.8, nested=nested)
        system, plain = scored(dials, topics), scored(replace_nested(dials, 1.0), topics)
        for number in range(len(topics)):
            everything = structure.names(plain.ranked(number, 2.0).elements)
            assert len(everything) == 120
            mine = structure.names(system.ranked(number, 2.0).elements)
            chosen, there = list[str](), set(mine)
            for element in everything:
                meets = any(overlap(element, other) for other in chosen)
                if not nested:
                    if not meets:
                        chosen.append(element)
                    continue
                if element in there:
                    chosen.append(element)
                assert meets or element in there
                tried += meets
                kept += meets and element in there
            assert mine == chosen
            met += len(everything) - len(chosen)
            # Deep lists begin like others.
            short = scored(dials.model_copy(update={"depth": 7}), topics)
            assert structure.names(short.ranked(number, 2.0).elements) == mine[:7]
    assert met > 100
    assert tried > 300
    error = sqrt(0.4 * 0.6 / tried)
    assert not is_far(kept / tried, 0.4, error)
    assert is_far(kept / tried, 0.4 + 0.3, error)


def replace_nested(system: System, nested: float) -> System:
    return system.model_copy(update={"nested": nested})


# --- several systems ------------------------------------------------------------------------------


def test_systems_are_spread_between_the_first_and_the_last() -> None:
    target = Target(measure="AP", value=(0.2, 0.6))
    dials = Dials(
        collection=KINDS["flat"],
        systems=(
            System(name="a", number=11, strength=(3.0, 1.0)),
            System(name="b", number=3, target=target),
            System(name="c"),
            System(name="d", strength=(0.5, 0.5)),
            System(name="e", number=2),
        ),
    )
    found = systems_of(dials)
    names = [f"a-{number:02}" for number in range(1, 12)]
    assert [one.name for one in found] == [*names, "b-1", "b-2", "b-3", "c", "d", "e-1", "e-2"]
    assert [one.strength for one in found[:11]] == pytest.approx(np.linspace(3, 1, 11))
    assert [one.strength for one in found[11:]] == [None] * 3 + [2.0, 0.5, 2.0, 2.0]
    assert [one.value for one in found[11:14]] == pytest.approx([0.2, 0.4, 0.6])
    assert all(one.target == target for one in found[11:14])
    assert [one.value for one in found[14:]] == [None] * 4
    assert all(one.dials is dials.systems[0] for one in found[:11])


@pytest.mark.parametrize(
    ("systems", "name"),
    [
        ((System(name="a"), System(name="b"), System(name="a")), "a"),
        ((System(name="a-2"), System(name="a", number=3)), "a-2"),
    ],
)
def test_two_systems_of_one_name_are_refused(systems: tuple[System, ...], name: str) -> None:
    with pytest.raises(InputError, match=f"name of a system is '{name}', must be its own"):
        systems_of(Dials(collection=KINDS["flat"], systems=systems))
