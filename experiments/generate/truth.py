"""True scores of lists in the world of a dataset, and how strongly a system reaches one."""

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from prum.analytic.precision.of_task import closed_form
from prum.experiments.evaluate.scores import score_runs
from prum.experiments.generate.specification import DatasetSpecification
from prum.experiments.measures.judged import Collection, Judged
from prum.experiments.measures.measure import Measure
from prum.simulator.collections.linking import Linked
from prum.simulator.generation.candidates import Topic
from prum.simulator.generation.dials import Target
from prum.simulator.generation.structures import Structure
from prum.simulator.model import Elements, InputError, Links, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.kinds import navigation_of
from prum.simulator.sampling.sampler import simulate

# Trees of more elements are not held at once: measures of nested elements are refused there.
MOST_NESTED = 200_000


@dataclass(frozen=True, eq=False)
class World:
    """What a worker needs of a dataset.

    `specification`, `topics`: its parts. `links`: all links of a Web on which users walk, if they
    do. `shortened`: the same for each topic, as `shorten_walks` returns them, where no dial of
    browsing needs all links.
    """

    specification: DatasetSpecification
    topics: Sequence[Topic]
    links: Links | None = None
    shortened: Mapping[str, Links] | None = None

    @property
    def admits_shortened(self) -> bool:
        """Whether users walk on a Web, browse from the list alone, and do not differ."""
        words = self.specification.kind.split()
        return self.links is not None and not {"unranked", "one-factor"} & set(words)

    @cached_property
    def structure(self) -> Structure:
        """The structure of the collection."""
        return Structure(self.specification.collection, self.specification.seed)

    @cached_property
    def names(self) -> list[str]:
        """The names of the topics."""
        return [topic.name for topic in self.topics]

    @cached_property
    def navigations(self) -> dict[str, Navigation]:
        """How users browse on each topic, step by step."""
        navigation = self._linked(self.links).browsed(self.specification.kind)
        if isinstance(navigation, Mapping):
            return dict(navigation)
        return dict.fromkeys(self.names, navigation)

    @cached_property
    def judged(self) -> list[Judged]:
        """The topics as measures take them, all with one collection."""
        specification = self.specification
        grades = [self._grades(topic) for topic in self.topics]
        collection = Collection(
            size=specification.collection.elements,
            elements=self._tree(),
            linked=self._linked(self.shortened or self.links),
            kind=specification.kind,
            highest_grade=max(grade for by in grades for grade in by.values()),
        )
        return [
            Judged(topic.name, tuple(self.ids(topic.ideals)), by, None, collection)
            for topic, by in zip(self.topics, grades, strict=True)
        ]

    def navigation_from(self, number: int, listed: Ints) -> Navigation:
        """Return how users who consult some elements browse on a topic, step by step.

        On trees users walk in every document, not only where ideals are.
        """
        specification, topic = self.specification, self.topics[number]
        if not (specification.walks and specification.has_tree):
            return self.navigations[topic.name]
        met = np.union1d(listed, topic.ideals).tolist()
        tree = self.structure.elements(sorted({self.structure.place(x)[0] for x in met}))
        way = specification.way
        links = Links({}) if way is None else way.links(tree, self.ids(topic.ideals))
        return navigation_of(specification.kind, links, tree.document_of)

    def _linked(self, links: Links | Mapping[str, Links] | None) -> Linked:
        """Return links, those of each topic by default, with what they are made of."""
        if links is None:
            links = {topic.name: topic.links for topic in self.topics}
        documents = self._documents if "no-revisit" in self.specification.kind else None
        way = self.specification.way if self.specification.has_tree else None
        return Linked(links if isinstance(links, Links) else dict(links), documents, way=way)

    def ids(self, numbers: Ints) -> list[str]:
        """Return the ids of elements."""
        return self.structure.names(numbers)

    def _grades(self, topic: Topic) -> dict[str, int]:
        return dict(zip(self.ids(topic.relevant), topic.grades.tolist(), strict=True))

    @cached_property
    def _documents(self) -> Mapping[str, str]:
        """The document of each candidate."""
        document_of: dict[str, str] = {}
        for topic in self.topics:
            ids, documents = self.ids(topic.candidates), self.ids(topic.documents)
            document_of.update(zip(ids, documents, strict=True))
        return document_of

    def _tree(self) -> Elements | None:
        specification = self.specification
        if not specification.has_tree or specification.collection.elements > MOST_NESTED:
            return None
        blocks = [self.structure.block(number) for number in range(self.structure.num_blocks)]
        places = np.unique(np.concatenate([block.places for block in blocks]))
        return self.structure.elements(places)


@lru_cache(maxsize=1)
def unpacked(world: bytes) -> World:
    """Return a world that was pickled, once in each process that uses it."""
    loaded: World = pickle.loads(world)
    return loaded


# Users are simulated in parts of equal size, so that the error of any of their means is known.
_PARTS = 20
# Far from the users of any log, which is compared with these.
_FIRST_USER = 16_384 * 10**6
# Scores are rounded for a file, below what any machine's rounding could change.
DECIMALS = 9
_METHODS = "U9"
# The measure that is simulated where it has no closed form.
_TRUE = "ExactPRUM"


@dataclass(frozen=True, eq=False, slots=True)
class TrueScores:
    """The true scores of a system, each of shape (topics, measures).

    `errors` are standard errors: 0 where a score is computed. `methods` says how.
    """

    values: Floats
    errors: Floats
    methods: NDArray[np.str_]


def scores_of(
    world: World,
    lists: Sequence[tuple[str, ...]],
    measures: Sequence[Measure],
    *,
    system: str,
) -> TrueScores:
    """Return the true scores of a system's lists, one for each topic.

    Raise InputError naming system and topic, if a measure lacks something; if a measure has no
    value on a topic.
    """
    shape = len(lists), len(measures)
    values, errors = np.zeros(shape), np.zeros(shape)
    methods = np.full(shape, "computed", dtype=_METHODS)
    independent = world.judged[0].navigation(None).tossed is not None
    # Where visits are independent there is a quick formula.
    apart = [
        number
        for number, measure in enumerate(measures)
        if not independent and _is_true_precision(measure)
    ]
    others = [number for number in range(len(measures)) if number not in apart]
    if others:
        run = system, dict(zip(world.names, lists, strict=True))
        chosen = [measures[number] for number in others]
        values[:, others] = score_runs([run], world.judged, chosen).values[0]
    for number in apart:
        values[:, number], errors[:, number], methods[:, number] = _browsed(
            world, lists, measures[number]
        )
    without = np.argwhere(np.isnan(values))
    if len(without):
        topic, number = (int(index) for index in without[0])
        thing = f"{measures[number]} of topic {world.names[topic]}"
        rule = "have a value on every topic"
        remedy = "take the measure without cut-off"
        raise InputError(thing, None, rule, remedy=remedy, place=f"system {system}")
    return TrueScores(np.round(values, DECIMALS), np.round(errors, DECIMALS), methods)


def _is_true_precision(measure: Measure) -> bool:
    return measure.name.measure == _TRUE and "navigation" not in dict(measure.name.settings)


def _browsed(
    world: World, lists: Sequence[tuple[str, ...]], measure: Measure
) -> tuple[Floats, Floats, NDArray[np.str_]]:
    """Return true precisions of people who browse in a way for which there may be no formula.

    By topic, with their errors and methods.
    """
    if measure.name.cutoff is not None:
        rule, remedy = f"be {_TRUE} as a whole where people browse so", f"write {_TRUE}"
        raise InputError("measure", str(measure), rule, remedy=remedy, place="truth.measures")
    values, errors = np.zeros(len(lists)), np.zeros(len(lists))
    methods = np.full(len(lists), "computed", dtype=_METHODS)
    for topic, (judged, ranking) in enumerate(zip(world.judged, lists, strict=True)):
        task, navigation = judged.task(ranking), judged.navigation(None)
        law = closed_form(task, navigation)
        if law is not None:
            values[topic] = law.average
        else:
            values[topic], errors[topic] = _simulated(world, task, navigation)
            methods[topic] = "simulated"
    return values, errors, methods


def _simulated(world: World, task: Task, navigation: Navigation) -> tuple[float, float]:
    """Return precision's mean over recall values, and its standard error, from simulated users."""
    each = world.specification.truth.users // _PARTS
    users = range(_FIRST_USER, _FIRST_USER + each * _PARTS, each)
    seed = world.specification.seed
    parts = [
        simulate(task, navigation, num_users=each, first_user=first, seed=seed, threads=1)
        for first in users
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    means = np.array([part.precision.mean() for part in parts])
    return float(whole.precision.mean()), float(means.std(ddof=1) / np.sqrt(_PARTS))


# Strengths are multiples of this: the same number on every machine.
_STEP = 2.0**-12
_LEAST, _MOST = -20.0, 20.0
_FIRST, _WIDTH = 2.0, 1.0


@dataclass(frozen=True, slots=True)
class Reached:
    """A strength, and the mean score that it reaches."""

    strength: float
    mean: float


def calibrated(
    name: str, target: Target, value: float, mean_at: Callable[[float], float]
) -> Reached:
    """Return a strength at which the mean is `value`, up to the tolerance.

    By false position (the Illinois variant) between strengths of -20 and 20, beginning around 2;
    the mean grows with strength, except for steps where elements of a list change places.

    Raise InputError if no strength reaches the value, or it lies between two steps of the mean;
    with the closest mean.

    >>> target = Target(measure="AP", value=0.5, tolerance=0.01)
    >>> calibrated("s", target, 0.5, lambda strength: strength / 10)
    Reached(strength=5.0, mean=0.5)
    """
    tried: dict[float, float] = {}

    def tried_mean(strength: float) -> float:
        if strength not in tried:
            tried[strength] = mean_at(strength)
        return tried[strength]

    def close() -> Reached | None:
        strength = min(tried, key=lambda strength: (abs(tried[strength] - value), strength))
        near = abs(tried[strength] - value) <= target.tolerance
        return Reached(strength, tried[strength]) if near else None

    low = high = _FIRST
    width = _WIDTH
    tried_mean(_FIRST)
    while tried_mean(low) > value and low > _LEAST:
        high, low, width = low, max(low - width, _LEAST), 2 * width
    while tried_mean(high) < value and high < _MOST:
        low, high, width = high, min(high + width, _MOST), 2 * width
    below, above, moved = tried_mean(low) - value, tried_mean(high) - value, 0
    while (pair := close()) is None:
        if below > 0 or above < 0 or high - low <= _STEP:
            raise _not_reached(name, target, value, tried)
        middle = low + (high - low) * below / (below - above) if below < above else low
        middle = round(middle / _STEP) * _STEP
        if not low < middle < high:
            middle = round((low + high) / 2 / _STEP) * _STEP
        there = tried_mean(middle) - value
        # An end that stays twice counts half, since otherwise it would stay for ever.
        if there < 0:
            above, moved = above / 2 if moved < 0 else above, -1
            low, below = middle, there
        else:
            below, moved = below / 2 if moved > 0 else below, 1
            high, above = middle, there
    return pair


def _not_reached(name: str, target: Target, value: float, tried: dict[float, float]) -> InputError:
    closest = min(tried.values(), key=lambda mean: abs(mean - value))
    return InputError(
        f"target of system {name}",
        value,
        f"be a mean {target.measure} it can reach within {target.tolerance:g}, with these topics "
        f"and its other dials: from {min(tried.values()):.4f} to {max(tried.values()):.4f}",
        remedy=f"ask for {closest:.9g}, the closest, or allow more tolerance",
    )
