"""A topic's judgements, and the elements and links around them, by which lists are scored."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from prum.analytic.precision.reach import Reach
from prum.analytic.precision.seen import Changes, changes
from prum.simulator.collections.costs import LENGTH, units_of
from prum.simulator.collections.linking import Linked
from prum.simulator.collections.qrels import reaches
from prum.simulator.collections.trec import ranked_of
from prum.simulator.model import (
    Assessment,
    Costs,
    Covering,
    Elements,
    Independent,
    InputError,
    Links,
    ListCosts,
    Navigation,
    Task,
    tolerance,
)
from prum.simulator.model.assessments import QUANTISATIONS
from prum.simulator.model.navigation import Shown

# An item of a ranking is an element, or several that are tied; or it is a mapping to scores.
Ranking = Sequence[str]
ElementScores = Mapping[str, float]
RankingLike = Sequence[str | tuple[str, ...]] | ElementScores

# Elements of a collection whose size nobody says: an ideal behind the list is out of reach.
ENDLESS = 2**30

# The kind of browsing of topics that are judged by chunks and gold spans, `Covering`.
BY_SPANS = "spans"

# What a measure takes of a list: its order, its order with ties, or its scores.
Taken = Literal["ranking", "ties", "scores"]


class NoValueError(Exception):
    """A measure has no value on a topic, as strict precision where nothing is strictly relevant."""


@dataclass(frozen=True)
class Collection:
    """The collection that all topics share.

    Parameters
    ----------
    size
        Number of elements, or None if it is not known: then measures of what stands behind a list
        take it for `ENDLESS`, where nobody finds an ideal there.
    elements
        The trees they stand in, if they do.
    linked
        Links, and how they are browsed by default.
    kind
        How people browse, as `navigation_of` names it.
    highest_grade
        The grade that is worth 1: the highest of all judgements, 1 of decimals in [0, 1].
    unsure
        Why judgements do not tell this grade, if they don't.
    costs
        Unit -> what elements cost; with `elements`, their lengths are a unit too.
    browsed
        Kind -> navigations made so far; collections that differ in their size share them.
    """

    size: int | None = None
    elements: Elements | None = None
    linked: Linked = field(default_factory=lambda: Linked(Links({})))
    kind: str = "independent"
    highest_grade: float = 1
    unsure: str = ""
    costs: Mapping[str, Costs] = field(default_factory=dict)
    browsed: dict[str, Navigation | dict[str, Navigation]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.elements is not None and LENGTH not in self.costs:
            object.__setattr__(self, "costs", units_of([self.costs], self.elements))

    def navigation(self, topic: str, kind: str | None) -> Navigation:
        """Return how people browse on a topic."""
        kind = self.kind if kind is None else kind
        if kind not in self.browsed:
            self.browsed[kind] = self.linked.browsed(kind)
        navigation = self.browsed[kind]
        return navigation[topic] if isinstance(navigation, Mapping) else navigation


@dataclass(frozen=True)
class Judged:
    """One topic: its ideals, and its grades or assessments.

    Parameters
    ----------
    topic
        Its name.
    ideals
        The elements that users look for.
    grades
        Element -> grade; or, on two scales, `assessments`.
    collection
        What it shares with other topics.
    subtopics
        Element -> subtopic -> grade, where subtopics were judged; `grades` are then the highest.
    ideal_grade
        The lowest grade of an ideal, as `reaches` reads it, if there are grades.
    intents
        Subtopic -> probability that the user means it; None if all are equally likely.
    preferences
        Pairs (preferred, other), if elements were judged two by two; `grades` are made of them.
    made
        What was made of it so far, by what it is.
    """

    topic: str
    ideals: tuple[str, ...]
    grades: Mapping[str, float] | None
    assessments: Mapping[str, Assessment] | None
    collection: Collection
    subtopics: Mapping[str, Mapping[str, float]] | None = None
    ideal_grade: int = 1
    intents: Mapping[str, float] | None = None
    preferences: tuple[tuple[str, str], ...] | None = None
    made: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what is made, and kept for the next measure."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    def of_last(self, what: Any, ranking: Ranking, make: Callable[[], Any]) -> Any:
        """Return what is made of a list, and kept for the next measure of the same list."""
        last = self.made.get(what)
        if last is None or last[0] is not ranking:
            last = self.made[what] = ranking, make()
        return last[1]

    def of_grade(self, grade: int) -> "Judged":
        """Return the topic with the elements of this grade or a higher one, if any, as ideals."""
        if self.grades is None:
            raise InputError(
                "rel", grade, "be used with judgements by grade", remedy="leave it out"
            )
        grades = self.grades

        def other() -> "Judged":
            ideals = tuple(element for element, x in grades.items() if reaches(x, grade))
            return replace(self, ideals=ideals, ideal_grade=grade)

        judged: Judged = self.once(("ideals", grade), other)
        return judged

    def on_scale(self, measure: str, highest: float | None) -> "Judged":
        """Return the topic with a grade that is worth 1: `highest`, else as judgements tell."""
        collection = self.collection
        if highest is None and not collection.unsure:
            return self
        thing, remedy = f"highest of {measure}", f"write {measure}(highest=10), say"
        if highest is None:
            rule = f"be given: {collection.unsure}"
            raise InputError(thing, None, rule, remedy=remedy)
        if self.grades is None:
            raise InputError(
                thing, highest, "be used with judgements by grade", remedy="leave it out"
            )
        top = max(self.grades.values(), default=0)
        if highest < top:
            rule = f"be at least {top:g}, the highest grade judged"
            raise InputError(thing, highest, rule, remedy="raise it")
        scale = replace(collection, highest_grade=highest, unsure="")
        judged: Judged = self.once(("scale", highest), lambda: replace(self, collection=scale))
        return judged

    @cached_property
    def assessed(self) -> frozenset[str]:
        """The elements that were judged; negative grades mark what was pooled and was not."""
        if self.grades is None:
            return frozenset(self.assessments or ())
        return frozenset(element for element, grade in self.grades.items() if grade >= 0)

    def relevance(self, quantisation: str) -> dict[str, float]:
        """Return what each judged element is worth, in [0, 1].

        Of assessments by the quantisation; of grades the grade as a share of the highest of the
        scale ("generalised"), or 1 for this one and else 0 ("strict"); negative grades are 0. Or of
        grades that say which element the user prefers 1 for the highest of the topic, 0 for the
        lowest, and the others evenly between ("even"; Mizzaro 2001, section 5).
        """
        grades = self.grades or {}
        if quantisation == "even":
            levels = sorted(set(grades.values()))
            if len(levels) < 2:
                rule = "be made of two grades or more"
                raise InputError("quantisation", "even", rule, remedy="take generalised or strict")
            share = dict(zip(levels, np.linspace(0, 1, len(levels)).tolist(), strict=True))
            return {element: share[grade] for element, grade in grades.items()}
        if self.assessments is not None:
            worth = QUANTISATIONS[quantisation]
            return {element: worth(assessment) for element, assessment in self.assessments.items()}
        most = self.collection.highest_grade
        if quantisation == "strict":
            return {element: float(grade == most) for element, grade in grades.items()}
        return {element: max(grade, 0) / most for element, grade in grades.items()}

    def worth(self, quantisation: str) -> dict[str, float]:
        """Return the elements that are worth something, and what; NoValueError if none is."""
        relevance = {x: value for x, value in self.relevance(quantisation).items() if value > 0}
        if not relevance:
            raise NoValueError
        return relevance

    def gains(self) -> Mapping[str, float]:
        """Return whole gains for cumulated gain: grades, or the generalised quantisation."""
        gains: Mapping[str, float] = self.once("gains", self._gains)
        return gains

    def _gains(self) -> Mapping[str, float]:
        if self.grades is None:
            return self.relevance("generalised")
        return {element: float(max(grade, 0)) for element, grade in self.grades.items()}

    def task(self, ranking: Ranking) -> Task:
        """Return the task of a list on this topic, in a collection that is `ENDLESS` if unknown."""
        covering = self.covering
        if covering is not None:
            least = len(set(ranking)) + len(covering.spans)
            return Task(ranking, covering.spans, max(self.collection.size or ENDLESS, least))
        return Task(ranking, self.ideals, self.collection.size or ENDLESS)

    def costs_along(self, ranking: Ranking, unit: str | None) -> ListCosts | None:
        """Return what the ranks of a list cost in a unit; None, each 1, if none is named."""
        if unit is None:
            return None
        if self.covering is not None:
            return self.covering.costs_along(self.task(ranking), unit)
        costs = self.costs_in(unit)
        return None if costs is None else costs.along(self.task(ranking))

    def costs_in(self, unit: str | None) -> Costs | None:
        """Return what elements cost in a unit; None, each 1, if none is named."""
        if unit is None:
            return None
        if unit not in self.collection.costs:
            units = ", ".join(self.collection.costs)
            rule = f"be one of: {units}" if units else "be given, and none is"
            remedy = f"give --costs, a file with a column {unit}"
            raise InputError("unit of cost", unit, rule, remedy=remedy)
        return self.collection.costs[unit]

    @cached_property
    def covering(self) -> Covering | None:
        """The chunks and gold spans of the topic, if it is judged by these."""
        if self.collection.kind != BY_SPANS:
            return None
        covering: Covering | None = self.navigation(None).reading
        return covering

    def needing(self, need: str | None) -> Covering:
        """Return chunks and gold spans for users who need the "whole" of a span, or a "share"."""
        covering = self.covering
        if covering is None:
            remedy = "give --chunks and --spans"
            raise InputError("spans", None, "be given", remedy=remedy)
        return covering if need is None else covering.needing(need)

    def unranked(self, ranking: Iterable[str]) -> int:
        """Return the number of elements outside a list."""
        distinct = set(ranking)
        unranked = (self.collection.size or ENDLESS) - len(distinct)
        if unranked < len(self.ideals) and unranked < len(set(self.ideals) - distinct):
            return self.task(tuple(distinct)).num_unranked  # raises
        return unranked

    @property
    def size(self) -> int:
        """Number of elements in the collection."""
        if self.collection.size is None:
            remedy = "give --collection-size or --elements"
            raise InputError("collection size", None, "be known to this measure", remedy=remedy)
        return self.collection.size

    @property
    def tree(self) -> Elements:
        """The elements."""
        if self.collection.elements is None:
            rule = "be given to measures of nested elements"
            raise InputError("elements", None, rule, remedy="give --elements")
        return self.collection.elements

    def navigation(self, kind: str | None) -> Navigation:
        """Return how people browse on this topic, by default as the collection says."""
        return self.collection.navigation(self.topic, kind)

    def changes(self, ranking: Ranking, kind: str | None) -> tuple[Changes, int] | None:
        """Return what each rank changes and u, if each visit is on its own."""
        navigation = self.navigation(kind).tossed
        if navigation is None:
            return None

        def make() -> tuple[Changes, int]:
            shown: Shown = self.once(("shown", kind), lambda: navigation.showing(self.ideals))
            reach = Reach(len(ranking), len(self.ideals), *shown.along(ranking))
            return changes(reach), self.unranked(ranking)

        made: tuple[Changes, int] = self.of_last(("changes", kind), ranking, make)
        return made

    def reading_on(self, words: float) -> Independent:
        """Return users who read on from an element until an ideal or too much else."""
        reading: Independent = self.once(
            ("reading", words),
            lambda: Independent(tolerance(self.tree, self.ideals, words=words)),
        )
        return reading


def near_misses(
    topics: Iterable[Judged], quantisations: Iterable[str | None]
) -> dict[str, list[str]]:
    """Return what some quantisation credits of each topic beside its ideals.

    >>> topic = Judged("web", ("a",), {"a": 2, "b": 1, "c": 0}, None, Collection(highest_grade=2))
    >>> near_misses([topic], ["generalised", None]), near_misses([topic], ["strict"])
    ({'web': ['b']}, {'web': []})
    """
    named = [quantisation for quantisation in quantisations if quantisation is not None]
    near = {}
    for topic in topics:
        worth = [topic.relevance(quantisation).items() for quantisation in named]
        credited = {element for each in worth for element, value in each if value > 0}
        near[topic.topic] = sorted(credited.difference(topic.ideals))
    return near


def taken(ranking: RankingLike, takes: Taken) -> Any:
    """Return a list as a measure takes it.

    >>> taken({"a": 0.5, "b": 0.5, "c": 0.25}, "ties"), taken([("a", "b"), "c"], "ranking")
    ((Tie('b', 'a'), 'c'), ('a', 'b', 'c'))
    """
    if takes == "scores":
        if not isinstance(ranking, Mapping) and ranking:
            rule, remedy = "have a score for each element", "give a mapping from element to score"
            raise InputError("list", tuple(ranking)[:3], rule, remedy=remedy)
        return ranking or {}
    if takes == "ties":
        return ranked_of(ranking).taken("ties") if isinstance(ranking, Mapping) else ranking
    if isinstance(ranking, Mapping) or set(map(type, ranking)) <= {str}:
        return tuple(ranking)
    return tuple(x for item in ranking for x in ((item,) if isinstance(item, str) else item))
