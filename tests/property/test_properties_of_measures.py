"""What measures of structured retrieval have beside Table IV: bounds, order, duplicates, entries.

Random topics of two small documents, and lists of their elements; for each property the measures
that lack it have a counter-example.
"""

from collections.abc import Callable

import numpy as np
import pytest

from prum.analytic.ranked.scores import ndcg
from prum.analytic.structured import eprum, xcg
from prum.experiments.studies.paper.table_four import (
    FLAT,
    MEASURES,
    ExaminedMeasure,
    ExampleTopic,
    ListScore,
    RankedList,
    judged,
    reach_of,
)
from prum.simulator.model import Assessment, Elements, Independent
from prum.simulator.model.assessments import best_on_each_path, generalised
from tests.tiers import drawn, examples

pytestmark = drawn

CLOSE = 1e-9
Drawn = tuple[ExampleTopic, RankedList]


def _eprum(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    values = [topic.relevance[ideal] for ideal in topic.ideals]
    elsewhere = tuple(x for x in topic.elements.ids if x not in ranking)
    reach, other = (
        reach_of(topic.task(some), Independent(topic.links)) for some in (ranking, elsewhere)
    )
    at = eprum(reach, other, values=values)
    return ListScore(float(at.mean()), at)


def _ndcg(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    score = ndcg(ranking, topic.relevance)
    return ListScore(score, np.array([score]))


def _lenient(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    """XCG with half the gain of what was seen before."""
    result = xcg(ranking, topic.relevance, topic.elements, alpha=0.5, ideals=topic.ideals)
    ranks = range(1, max(len(ranking), len(result.best)) + 1)
    at = np.array([result.normalised_at(n) for n in ranks])
    return ListScore(float(at.mean()), at)


EXAMINED = {
    **MEASURES,
    "EPRUM": ExaminedMeasure(_eprum),
    "nDCG": ExaminedMeasure(_ndcg),
    "xCG α=.5": ExaminedMeasure(_lenient),
}


def random_topic(rng: np.random.Generator) -> Drawn:
    """Return a topic and a list: two documents of up to four elements, and n, which is of no use.

    What an element holds its ancestors hold too; one leaf is E3S3. Users browse between any two
    elements but n.
    """
    rows: dict[str, tuple[str | None, float]] = {"n": (None, 10.0)}
    for root, parts in (("a", "bc"), ("d", "ef")):
        rows[root] = (None, 40.0)
        for part in parts[: int(rng.integers(1, 3))]:
            rows[part] = (root, 20.0 if part in "be" else 10.0)
    if rng.random() < 0.5:
        rows["g"] = ("b", 10.0)
    elements = Elements(rows)
    grades = {x: int(rng.integers(0, 4)) for x in rows if not elements.children(x) and x != "n"}
    best = str(rng.choice([*grades]))
    grades[best] = 3
    for x in ("b", "a", "d"):
        grades.setdefault(x, max((grades[y] for y in elements.children(x)), default=0))
    assessments = {
        x: Assessment(grade, 3 if x == best else int(rng.integers(1, 4)))
        for x, grade in grades.items()
        if grade
    }
    worth = {x: generalised(marks) for x, marks in assessments.items()}
    ideals = best_on_each_path(worth, elements)
    pairs = [(x, y) for x in rows for y in ideals if x not in (y, "n") and rng.random() < 0.4]
    chances = rng.choice([0.25, 0.5, 0.75, 1.0], size=len(pairs)).tolist()
    ranked = rng.permutation(list(rows))[: int(rng.integers(2, 6))].tolist()
    topic = ExampleTopic(
        elements, assessments, ideals, dict(zip(pairs[:6], chances[:6], strict=True))
    )
    return topic, tuple(ranked)


DRAWN = [random_topic(np.random.default_rng([7, seed])) for seed in range(examples(240))]
# d holds e, and moves up past it.
PART_FIRST = (
    ExampleTopic(
        Elements(
            {
                "a": (None, 20.0),
                "b": ("a", 10.0),
                "c": ("a", 10.0),
                "d": (None, 20.0),
                "e": ("d", 10.0),
                "f": ("d", 10.0),
                "n": (None, 10.0),
            }
        ),
        judged(a="E3S2", b="E2S2", c="E3S3", d="E3S3", e="E3S1", f="E3S2"),
        ("b", "c", "d"),
        {},
    ),
    ("e", "d", "n", "b", "c"),
)
# o holds i, and users find both at once.
TWO_AT_ONCE = ExampleTopic(
    Elements(
        {
            "d": (None, 60.0),
            "o": ("d", 20.0, 10.0),
            "i": ("o", 10.0, 10.0),
            "e": (None, 10.0),
        }
    ),
    judged(d="E3S1", o="E3S3", i="E3S3"),
    ("i", "o"),
    {("d", "o"): 0.4, ("d", "i"): 0.4, ("e", "o"): 0.6, ("e", "i"): 0.4},
)
# Parts a little less relevant than the ideal that they make up.
PARTS = ExampleTopic(
    Elements({"a": (None, 20.0), "b": ("a", 10.0), "c": ("a", 10.0), "n": (None, 10.0)}),
    judged(a="E3S3", b="E3S2", c="E3S2"),
    ("a",),
    {},
)
# c is ideal and leads to f, e leads there for certain.
LEADING = ExampleTopic(
    Elements(
        {
            "a": (None, 20.0),
            "b": ("a", 10.0),
            "c": ("a", 10.0),
            "d": (None, 20.0),
            "e": ("d", 20.0),
            "f": ("e", 10.0),
        }
    ),
    judged(a="E3S2", b="E3S3", c="E3S1", d="E2S1", e="E1S1", f="E2S1"),
    ("b", "c", "f"),
    {("c", "f"): 0.75, ("e", "f"): 1.0},
)


def score(name: str, topic: ExampleTopic, ranking: RankedList | str) -> float:
    return EXAMINED[name].score(topic, tuple(ranking)).whole


def having(*names: str) -> pytest.MarkDecorator:
    """Return a mark: the measures that do not lack a property."""
    assert set(names) <= set(EXAMINED)
    return pytest.mark.parametrize("name", [one for one in EXAMINED if one not in names])


# --- bounded --------------------------------------------------------------------------------------


@having("T2I", "xCG", "xCG α=.5")
def test_scores_lie_between_0_and_1(name: str) -> None:
    for topic, ranking in [*DRAWN, PART_FIRST, (TWO_AT_ONCE, ("o",)), (PARTS, ("b", "a"))]:
        found = EXAMINED[name].score(topic, ranking)
        assert min(found.whole, *found.curve) >= -CLOSE
        assert max(found.whole, *found.curve) <= 1 + CLOSE


def test_two_of_them_exceed_1() -> None:
    """T2I where one rank shows two; XCG gains .75 for b, then (0 + .75 x 10) / 20 for a's c."""
    assert EXAMINED["T2I"].score(TWO_AT_ONCE, ("o",)).curve.tolist() == [1, 2]
    assert EXAMINED["xCG"].score(PARTS, ("b", "a")).curve == pytest.approx(np.array([0.75, 1.125]))


# --- monotone -------------------------------------------------------------------------------------


def moved_up(drawn: Drawn, past: Callable[[ExampleTopic, RankedList], bool]) -> list[RankedList]:
    """Return the list with an ideal moved up past what is assessed lower, wherever it may be."""
    topic, ranking = drawn
    better = []
    for rank in range(1, len(ranking)):
        above, ideal = ranking[:rank], ranking[rank]
        lower = topic.relevance.get(above[-1], 0.0) < topic.relevance.get(ideal, 0.0)
        if ideal in topic.ideals and above[-1] not in topic.ideals and lower and past(topic, above):
            better.append((*above[:-1], ideal, above[-1], *ranking[rank + 1 :]))
    return better


def useless(_: ExampleTopic, above: RankedList) -> bool:
    return above[-1] == "n"


def alone(_: ExampleTopic, above: RankedList) -> bool:
    return len(above) == 1


def falls(name: str, drawn: Drawn, past: Callable[[ExampleTopic, RankedList], bool]) -> bool:
    topic, ranking = drawn
    before = score(name, topic, ranking)
    return any(score(name, topic, one) < before - CLOSE for one in moved_up(drawn, past))


@having()
def test_an_ideal_that_moves_up_past_what_is_useless_never_costs(name: str) -> None:
    assert sum(bool(moved_up(drawn, useless)) for drawn in DRAWN) > len(DRAWN) // 20
    assert not any(falls(name, drawn, useless) for drawn in DRAWN)


@having("GRPng", "PRUM", "xCG α=.5", "EPRUM")
def test_an_ideal_that_moves_to_the_top_never_costs(name: str) -> None:
    assert not any(falls(name, drawn, alone) for drawn in [*DRAWN, PART_FIRST])


def test_an_ideal_at_the_top_may_cost_what_leads_on() -> None:
    """For PRUM and GRPng: c moves up past e, which shows f for certain, and a past its part b."""
    assert falls("PRUM", (LEADING, ("e", "c")), alone)
    nested = ExampleTopic(
        Elements({"a": (None, 20.0), "b": ("a", 10.0)}), judged(a="E3S3", b="E3S2"), ("a",), {}
    )
    assert falls("GRPng", (nested, ("b", "a")), alone)


# --- duplicates, entries, near misses elsewhere -----------------------------------------------


@having("xCG α=.5")
def test_a_duplicate_adds_nothing(name: str) -> None:
    for ranking in ("hkh", "hhk"):
        assert score(name, FLAT, ranking) <= score(name, FLAT, "hk") + CLOSE
    assert score("xCG α=.5", FLAT, "hkh") > score("xCG α=.5", FLAT, "hk") + CLOSE
