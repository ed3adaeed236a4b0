"""People: the elements that a user consults one after the other, and what they see from each.

What a user does from an element depends on the seed, the user and the element alone, as in
`prum.simulator.sampling.kernels.consultations`: the same user does the same there in every list.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from prum.simulator.model import Expansion, Independent, Mixture, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.browsing import browsing_of
from prum.simulator.sampling.kernels import INDEPENDENT, WALK
from prum.simulator.sampling.steps import StepRow, User, identity, rows
from prum.simulator.sampling.streams import (
    BLOCK,
    CONSULTATIONS,
    FACTORS,
    TYPES,
    RandomNumbers,
    Sfc64,
    stream,
    users_key,
)
from prum.simulator.sampling.ways.expansion import pages_of
from prum.simulator.sampling.ways.mixture import seed_of_type, types_of
from prum.simulator.sampling.ways.stepwise import StepwiseSampler

# In place of elements, for the user's numbers for stopping and for times.
_STOPPING, _TIMES = 0x73746F70, 0x74696D65


class Consultation(NamedTuple):
    """A consulted element, and what the user sees from it: pairs of (origin, element).

    The first is the element itself, with origin "". Or a stretch: so many elements behind the list
    that have no name, the first at this rank, from which nothing is seen.
    """

    rank: int
    element: str
    shown: Sequence[tuple[str, str]]
    elements: int = 1


class People:
    """The users of a seed, facing one list."""

    def __init__(self, task: Task, navigation: Navigation, seed: int) -> None:
        browsing = browsing_of(navigation)
        self.task, self.browsing, self.seed = task, browsing, seed
        self.table = StepwiseSampler(task, browsing)
        self.course = _course(task, rows(self.table.listed_entries))
        ranked = set(task.ranking)
        self.later = self.table.later or tuple(x for x in task.ideals if x not in ranked)
        self.later_rows = rows(self.table.entries(self.later))
        self.named = {row[0]: name for row, name in zip(self.later_rows, self.later, strict=True)}
        self.wanted, self.satiated = frozenset(task.ideals), _to_each(browsing.satiated, task)
        self.chances = self._chances()
        self._needed = _to_each(browsing.needed, task)
        self._block = lru_cache(maxsize=2)(self._block_of)

    def person(self, user: int, goal: int | None = None) -> "Person":
        """Return a user by number, who wants so many ideals: by default all."""
        number, within = divmod(user, BLOCK)
        key, factors, normals = self._block(number)
        need = self._needed[min(goal or len(self._needed), len(self._needed)) - 1]
        return Person(
            self,
            User(
                self.table,
                identity(key, within),
                float(factors[within]) * need,
                float(normals[within]),
            ),
        )

    def browse(self, user: User, element: str, row: StepRow, part: float) -> list[tuple[str, str]]:
        """Return (origin, element) of what a user sees beside an element itself, in order."""
        salt, node = row[0], row[4]
        if node < 0 or part <= 0:
            return []
        if self.chances is not None:
            unit = user.numbers(salt).unit
            return [(element, ideal) for ideal, p in self.chances[node] if unit() < part * p]
        if self.table.rule != WALK:
            ideals = self.task.ideals
            return [(element, ideals[ideal]) for ideal in user.visits(salt, node, part)]
        path = [element, *(self.table.names[target] for target in user.path(salt, node, part))]
        return list(itertools.pairwise(path))

    def _chances(self) -> list[list[tuple[str, float]]] | None:
        """Return by node each ideal with its probability, if all users visit each by itself."""
        if self.table.rule != INDEPENDENT or self.table.one_factor:
            return None
        visits = zip(self.table.ideals.tolist(), self.table.margins.tolist(), strict=True)
        pairs = [(self.task.ideals[x], p) for x, p in visits]
        starts = self.table.visit_starts.tolist()
        return [pairs[first:last] for first, last in itertools.pairwise(starts)]

    def _block_of(self, number: int) -> tuple[int, Floats, Floats]:
        key = int(stream(self.seed, self.table.key, number, CONSULTATIONS)[0])
        if self.browsing.population is None:
            return key, np.ones(BLOCK), np.zeros(BLOCK)
        numbers = RandomNumbers(stream(self.seed, self.table.key, number, FACTORS))
        return key, *self.table.users(np.array([numbers.unit() for _ in range(BLOCK)]))


class ExpandingPeople(People):
    """The readers of a seed who expand what they consult."""

    def __init__(self, task: Task, expansion: Expansion, seed: int) -> None:
        super().__init__(task, Independent({}), seed)
        self.pages = pages_of(expansion)
        self.course = _course(task, rows(self.table.entries(list(dict.fromkeys(task.ranking)))))

    def browse(self, user: User, element: str, _: StepRow, part: float) -> list[tuple[str, str]]:
        """Return (origin, page) of what a user reads behind an element, level by level."""
        return self.pages.behind(element, user.identity) if part > 0 else []


class PeopleOfTypes:
    """The users of a seed, each of a type, facing one list."""

    def __init__(self, task: Task, mixture: Mixture, seed: int) -> None:
        self.shares, self.seed, self.key = mixture.shares, seed, users_key(task)
        self.types = [
            People(task, way, seed_of_type(seed, k)) for k, way in enumerate(mixture.navigations)
        ]
        self._chosen = lru_cache(maxsize=2)(self._chosen_of)

    def person(self, user: int, goal: int | None = None) -> "Person":
        """Return a user by number, who wants so many ideals: by default all."""
        number, within = divmod(user, BLOCK)
        return self.types[int(self._chosen(number)[within])].person(user, goal)

    def _chosen_of(self, number: int) -> Ints:
        numbers = RandomNumbers(stream(self.seed, self.key, number, TYPES))
        return types_of(self.shares, np.array([numbers.unit() for _ in range(BLOCK)]))


def people_of(task: Task, navigation: Navigation, seed: int) -> People | PeopleOfTypes:
    """Return the users of a seed, facing one list."""
    if isinstance(navigation, Mixture):
        return PeopleOfTypes(task, navigation, seed)
    if navigation.expansion is not None:
        return ExpandingPeople(task, navigation.expansion, seed)
    return People(task, navigation, seed)


class Person:
    """One user facing a list."""

    def __init__(self, people: People, user: User) -> None:
        self.people, self._user = people, user

    def stopping(self) -> Sfc64:
        """Return the random numbers for stopping."""
        return self._user.numbers(_STOPPING)

    def times(self) -> Sfc64:
        """Return the random numbers for times."""
        return self._user.numbers(_TIMES)

    def consultations(self) -> Iterator[Consultation]:
        """Yield what the user would consult without stopping, to the end of the collection."""
        people, user = self.people, self._user
        task, browsing, ideals = people.task, people.browsing, people.wanted
        seen = set[str]()

        def look(plain: Consultation, row: StepRow, fade: float) -> Consultation:
            part = user.factor * fade * people.satiated[min(len(seen), task.num_ideals - 1)]
            if plain.element in ideals:
                seen.add(plain.element)
            visits = people.browse(user, plain.element, row, part)
            if not visits:
                return plain
            seen.update(target for _, target in visits if target in ideals)
            return plain._replace(shown=[*plain.shown, *visits])

        for consultation, row in people.course:
            yield consultation if row is None else look(consultation, row, row[2])
        is_known = people.table.known.tolist()
        rank = task.num_ranked
        for row, place in user.later(people.later_rows):
            if between := task.num_ranked + place - rank:
                yield Consultation(rank + 1, "", (), between)
            rank += between + 1
            fade, document = float(browsing.faded(np.array(rank - 1))), row[5]
            if not browsing.unranked or (document >= 0 and is_known[document]):
                fade = 0.0
            if document >= 0:
                is_known[document] = True
            name = people.named[row[0]]
            yield look(Consultation(rank, name, [("", name)]), row, fade)
        if rest := task.num_ranked + task.num_unranked - rank:
            yield Consultation(rank + 1, "", (), rest)


def _course(task: Task, entries: list[StepRow]) -> list[tuple[Consultation, StepRow | None]]:
    """Return what everybody consults in a list, with the rows of elements that lead somewhere."""
    row_at = {row[1]: row for row in entries}
    return [
        (Consultation(rank, element, [("", element)]), row_at.get(rank))
        for rank, element in enumerate(task.ranking, start=1)
    ]


def _to_each(factors: Callable[[int], Floats], task: Task) -> list[float]:
    of_ideals: list[float] = factors(task.num_ideals).tolist()
    return of_ideals
