"""Table IV of PRUM's paper: which measure handles what, decided by small lists and their users.

A property is a number of checks: all of them hold: yes, some: partial, none: no. Of precision and
recall, and of graded assessments, a part is worth nothing. A check is two lists of a topic and
which of them has to score higher, or users whose mean the measure claims to be. What a measure
cannot take in, it does not get: RP knows E3S3 and nothing else; T2I reads on within a document, 25
irrelevant words far; GRP, GRPng and xCG take all assessments; GR those of the ideals; PRUM the
ideals. Measures without users do not see links.

A measure is read as one number per list, GR at the list's end. "Already returned" (overlap) means
seen for certain: what holds an ideal leads to it with probability 1 there; with less PRUM rightly
pays for showing it to the other users. Near misses are those in the ideal's document that reading
on may find.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

from prum.analytic import prum_of, reach_matrix
from prum.analytic.ranked import raghavan
from prum.analytic.structured import generalised_recall, grp, grp_ng, t2i, xcg
from prum.experiments.studies.paper import OwnValue
from prum.simulator import Elements, Independent, Task, tolerance
from prum.simulator.model import Assessment, Navigation
from prum.simulator.model.arrays import Floats
from prum.simulator.model.assessments import assessment_of, generalised, strict_ideals
from prum.simulator.sampling.measured.effort import simulate_effort

RankedList = tuple[str, ...]
Verdict = Literal["yes", "partial", "no"]

# Irrelevant words that a user of T2I bears.
_WORDS = 25.0
_USERS, _SEED = 100_000, 1
# Of one comparison with simulated users; there are fewer than ten.
_LEVEL = 1e-5
_ROUNDING = 1e-9
# Recall levels .01, .02, ..., 1.
_LEVELS = np.arange(1, 101) / 100


@dataclass(frozen=True)
class ExampleTopic:
    """A topic that every measure can score lists on.

    Parameters
    ----------
    elements
        All that lists may name; ten more are in the collection.
    assessments
        What is not assessed is E0S0.
    ideals
        What users look for.
    links
        P(x -> y) of users who browse.
    """

    elements: Elements
    assessments: Mapping[str, Assessment]
    ideals: tuple[str, ...]
    links: Mapping[tuple[str, str], float]

    @cached_property
    def relevance(self) -> dict[str, float]:
        """The worth of each assessed element, by the generalised quantisation."""
        return {element: generalised(marks) for element, marks in self.assessments.items()}

    def task(self, ranking: RankedList, ideals: tuple[str, ...] | None = None) -> Task:
        """Return the list with the ideals, or with others."""
        return Task(ranking, self.ideals if ideals is None else ideals, len(self.elements) + 10)


def reach_of(task: Task, navigation: Navigation) -> Floats:
    """Return P(rank -> ideal), shape (o, t)."""
    return np.asarray(reach_matrix(task, navigation).toarray(), dtype=np.float64)


def judged(**written: str) -> dict[str, Assessment]:
    """Return assessments: `a="E3S3"`."""
    return {element: assessment_of(text) for element, text in written.items()}


_APART = Elements(dict.fromkeys("hkmno", (None, 10.0)))
FLAT = ExampleTopic(_APART, judged(h="E3S3", k="E3S3"), ("h", "k"), {})
GRADES = ExampleTopic(_APART, judged(h="E3S3", k="E3S3", m="E1S1"), ("h", "k", "m"), {})
# Documents with one part each: none leads to two ideals, so Hypothesis 2.3 costs nothing.
ONE_EACH = ExampleTopic(
    Elements(
        {
            "x": (None, 50.0),
            "a": ("x", 10.0, 20.0),
            "y": (None, 50.0),
            "b": ("y", 10.0, 20.0),
            "n": (None, 10.0),
        }
    ),
    judged(a="E3S3", b="E3S3"),
    ("a", "b"),
    {("x", "a"): 0.4, ("y", "b"): 0.6},
)
# f is ideal; a holds it, b is a part of it, e and g stand before and behind it.
NEAR = ExampleTopic(
    Elements(
        {
            "a": (None, 100.0),
            "e": ("a", 10.0, 0.0),
            "f": ("a", 20.0, 20.0),
            "b": ("f", 10.0, 25.0),
            "g": ("a", 10.0, 50.0),
            "n": (None, 10.0),
        }
    ),
    judged(a="E3S2", f="E3S3", b="E1S3"),
    ("f",),
    {("a", "f"): 0.2, ("b", "f"): 0.5, ("e", "f"): 0.3, ("g", "f"): 0.3},
)
# Nearly all of a is b: both are E3S3, and users who are shown a see b.
INNER = ExampleTopic(
    Elements({"a": (None, 100.0), "b": ("a", 90.0), "z": (None, 10.0), "n": (None, 10.0)}),
    judged(a="E3S3", b="E3S3", z="E3S3"),
    ("b", "z"),
    {("a", "b"): 1.0, ("b", "a"): 0.9},
)
OUTER = replace(INNER, ideals=("a", "z"))


# --- measures -----------------------------------------------------------------------------------


class ListScore(NamedTuple):
    """The score of a whole list, and those at recall values, recall levels or ranks."""

    whole: float
    curve: Floats


@dataclass(frozen=True, slots=True)
class ExaminedMeasure:
    """A measure, and its users if it says who they are, whose mean `ListScore.curve` is."""

    score: Callable[[ExampleTopic, RankedList], ListScore]
    users: Callable[[ExampleTopic, RankedList], tuple[Task, Independent]] | None = None
    mean: Literal["precision", "recall"] = "precision"


def _reading(topic: ExampleTopic) -> Independent:
    return Independent(tolerance(topic.elements, topic.ideals, words=_WORDS))


def _raghavan(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    task = _strict(topic, ranking)
    result = raghavan(ranking, task.ideals, task.num_unranked)
    return ListScore(result.average, result.precision)


def _grp(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    result = grp(ranking, topic.relevance, topic.task(ranking).num_unranked)
    return ListScore(result.average, result.at_levels(_LEVELS))


def _grp_ng(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    result = grp_ng(ranking, topic.assessments, topic.elements)
    return ListScore(result.average, result.at_levels(_LEVELS))


def _xcg(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    result = xcg(ranking, topic.relevance, topic.elements, alpha=1.0, ideals=topic.ideals)
    ranks = range(1, max(len(ranking), len(result.best)) + 1)
    curve = np.array([result.normalised_at(n) for n in ranks])
    return ListScore(float(curve.mean()), curve)


def _t2i(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    task = topic.task(ranking)
    result = t2i(reach_of(task, _reading(topic)), task.num_unranked)
    return ListScore(result.average, result.precision)


def _recall(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    values = [topic.relevance[ideal] for ideal in topic.ideals]
    curve = generalised_recall(reach_of(*_browsing(topic, ranking)), values)
    return ListScore(float(curve[-1]) if len(curve) else 0.0, curve)


def _prum(topic: ExampleTopic, ranking: RankedList) -> ListScore:
    result = prum_of(*_browsing(topic, ranking))
    return ListScore(result.average, result.precision)


def _strict(topic: ExampleTopic, ranking: RankedList) -> Task:
    return topic.task(ranking, strict_ideals(topic.assessments))


def _browsing(topic: ExampleTopic, ranking: RankedList) -> tuple[Task, Independent]:
    return topic.task(ranking), Independent(topic.links)


MEASURES: Mapping[str, ExaminedMeasure] = {
    "RP": ExaminedMeasure(_raghavan, lambda *given: (_strict(*given), Independent({}))),
    "GRP": ExaminedMeasure(_grp),
    "GRPng": ExaminedMeasure(_grp_ng),
    "T2I": ExaminedMeasure(_t2i, lambda topic, ranking: (topic.task(ranking), _reading(topic))),
    "xCG": ExaminedMeasure(_xcg),
    "GR": ExaminedMeasure(_recall, _browsing, "recall"),
    "PRUM": ExaminedMeasure(_prum, _browsing),
}


# --- checks -------------------------------------------------------------------------------------


class TwoLists(NamedTuple):
    """List a has to score higher than list b; or no higher, if it `adds_nothing`."""

    topic: ExampleTopic
    list_a: str
    list_b: str
    adds_nothing: bool = False

    def holds(self, measure: ExaminedMeasure) -> bool:
        """Return whether it does."""
        a, b = (measure.score(self.topic, tuple(ranking)).whole for ranking in self[1:3])
        return a <= b + _ROUNDING if self.adds_nothing else a > b + _ROUNDING


class Simulated(NamedTuple):
    """Means of simulated users are what the measure says, at each of its values."""

    topic: ExampleTopic
    list_a: str

    def holds(self, measure: ExaminedMeasure) -> bool:
        """Return whether they are; a measure without users has none."""
        if measure.users is None:
            return False
        topic, ranking = self.topic, tuple(self.list_a)
        task, navigation = measure.users(topic, ranking)
        values = {ideal: topic.relevance[ideal] for ideal in task.ideals}
        effort = simulate_effort(task, navigation, num_users=_USERS, seed=_SEED, values=values)
        mean, error = (getattr(effort, f"{measure.mean}{end}") for end in ("", "_error"))
        apart = np.abs(mean - measure.score(topic, ranking).curve)
        z = np.where(apart <= _ROUNDING, 0, np.inf)
        np.divide(apart, error, out=z, where=error > 0)
        return bool(2 * ndtr(-z.max()) * len(z) >= _LEVEL)


PROPERTIES: Mapping[str, tuple[TwoLists | Simulated, ...]] = {
    # Fewer useless elements before the same finds; more finds in the same places.
    "precision and recall": (TwoLists(FLAT, "hnk", "nhk"), TwoLists(FLAT, "hk", "hn")),
    "explicit user model": (Simulated(ONE_EACH, "xna"),),
    # What holds the ideal, a part of it, the sibling before it.
    "near misses": tuple(TwoLists(NEAR, miss, "n") for miss in "abe"),
    # A part of the ideal after it; the ideal after what holds it; what holds the ideal after it.
    "overlap": (
        TwoLists(OUTER, "azb", "az", adds_nothing=True),
        TwoLists(INNER, "azb", "az", adds_nothing=True),
        TwoLists(INNER, "bza", "bz", adds_nothing=True),
    ),
    # Highly relevant for marginal; marginal for irrelevant.
    "graded assessments": (TwoLists(GRADES, "hn", "mn"), TwoLists(GRADES, "hkm", "hkn")),
}
# Those of which a part is worth nothing: yes or no.
_YES_OR_NO = ("precision and recall", "graded assessments")


def table_four() -> dict[str, OwnValue]:
    """Return the verdict of each cell; of near misses also that on assessed elements alone."""
    return {f"table4 {name} {key}": value for name, key, value in _cells()}


def _cells() -> Iterator[tuple[str, str, OwnValue]]:
    for key, checks in PROPERTIES.items():
        for name, measure in MEASURES.items():
            held = {check.list_a: check.holds(measure) for check in checks}
            assessed = [holds for x, holds in held.items() if x in NEAR.assessments]
            mistaken = verdict(key, assessed) if assessed else None
            yield name, key, OwnValue(verdict(key, [*held.values()]), mistaken=mistaken)


def verdict(key: str, held: list[bool]) -> Verdict:
    """Return whether a measure has a property, of whose checks some held."""
    if all(held):
        return "yes"
    return "partial" if any(held) and key not in _YES_OR_NO else "no"
