"""People: the elements that a user consults one after the other, and what they see from each.

What a user does from an element depends on the seed, the user and the element alone, as in
`prum.simulator.sampling.kernels.consultations`: the same user does the same there in every list.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from prum.simulator.model import Mixture, Navigation, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.mixture import browsing_of
from prum.simulator.sampling.kernels import WALK
from prum.simulator.sampling.numbers import Numbers, Sfc64
from prum.simulator.sampling.steps import Row, User, identity, rows
from prum.simulator.sampling.streams import BLOCK, CONSULTATIONS, FACTORS, TYPES, stream, users_key
from prum.simulator.sampling.ways.mixture import seed_of_type, types_of
from prum.simulator.sampling.ways.stepwise import StepwiseSampler

# In place of elements, for the user's numbers for stopping and for times.
_STOPPING, _TIMES = 0x73746F70, 0x74696D65


class Consultation(NamedTuple):
    """A consulted element, and what the user sees from it: pairs of (origin, element).

    The first is the element itself, with origin "". Unranked elements that no file names are "",
    and show nothing: so many of them in a row, the first at this rank.
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
        entries = rows(self.table.listed_entries)
        self.listed = {row[1]: row for row in entries}
        ranked = set(task.ranking)
        self.later = self.table.later or tuple(x for x in task.ideals if x not in ranked)
        self.later_rows = rows(self.table.entries(self.later))
        self.named = {row[0]: name for row, name in zip(self.later_rows, self.later, strict=True)}
        self._block = lru_cache(maxsize=2)(self._block_of)

    def person(self, user: int, wanted: int | None = None) -> "Person":
        """Return a user by number, who wants so many ideals: by default all."""
        number, within = divmod(user, BLOCK)
        key, factors, normals = self._block(number)
        need = self.browsing.needed(wanted or self.task.num_ideals)[-1]
        return Person(
            self,
            User(
                self.table,
                identity(key, within),
                float(factors[within]) * float(need),
                float(normals[within]),
            ),
        )

    def _block_of(self, number: int) -> tuple[int, Floats, Floats]:
        key = int(stream(self.seed, self.table.key, number, CONSULTATIONS)[0])
        if self.browsing.population is None:
            return key, np.ones(BLOCK), np.zeros(BLOCK)
        own = Numbers(stream(self.seed, self.table.key, number, FACTORS))
        return key, *self.table.users(np.array([own.unit() for _ in range(BLOCK)]))


class PeopleOfTypes:
    """The users of a seed, each of a type, facing one list."""

    def __init__(self, task: Task, mixture: Mixture, seed: int) -> None:
        self.shares, self.seed, self.key = mixture.shares, seed, users_key(task)
        self.types = [
            People(task, way, seed_of_type(seed, k)) for k, way in enumerate(mixture.navigations)
        ]
        self._chosen = lru_cache(maxsize=2)(self._chosen_of)

    def person(self, user: int, wanted: int | None = None) -> "Person":
        """Return a user by number, who wants so many ideals: by default all."""
        number, within = divmod(user, BLOCK)
        return self.types[int(self._chosen(number)[within])].person(user, wanted)

    def _chosen_of(self, number: int) -> Ints:
        own = Numbers(stream(self.seed, self.key, number, TYPES))
        return types_of(self.shares, np.array([own.unit() for _ in range(BLOCK)]))


def people_of(task: Task, navigation: Navigation, seed: int) -> People | PeopleOfTypes:
    """Return the users of a seed, facing one list."""
    if isinstance(navigation, Mixture):
        return PeopleOfTypes(task, navigation, seed)
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
        task, browsing = people.task, people.browsing
        satiated = browsing.satiated(task.num_ideals)
        wanted, seen = set(task.ideals), set[str]()
        consulted = set[str]()

        def look(element: str, rank: int, row: Row, fade: float) -> Consultation:
            salt, _, _, _, node, _ = row
            part = user.factor * fade * float(satiated[min(len(seen), task.num_ideals - 1)])
            shown = [("", element), *self._browse(element, salt, node, part)]
            seen.update(target for _, target in shown if target in wanted)
            return Consultation(rank, element, shown)

        for rank, element in enumerate(task.ranking, start=1):
            if element in consulted or rank not in people.listed:
                yield Consultation(rank, element, [("", element)])
            else:
                row = people.listed[rank]
                yield look(element, rank, row, row[2])
            consulted.add(element)
        known = people.table.known.tolist()
        rank = task.num_ranked
        for row, place in user.later(people.later_rows):
            if between := task.num_ranked + place - rank:
                yield Consultation(rank + 1, "", (), between)
            rank += between + 1
            fade, document = browsing.fading ** float(rank - 1), row[5]
            if not browsing.unranked or (document >= 0 and known[document]):
                fade = 0.0
            if document >= 0:
                known[document] = True
            yield look(people.named[row[0]], rank, row, fade)
        if rest := task.num_ranked + task.num_unranked - rank:
            yield Consultation(rank + 1, "", (), rest)

    def _browse(self, element: str, salt: int, node: int, part: float) -> Iterator[tuple[str, str]]:
        """Yield (origin, element) of what the user sees beside the element itself."""
        if node < 0 or part <= 0:
            return
        people, user = self.people, self._user
        if people.table.rule != WALK:
            for ideal in user.visits(salt, node, part):
                yield element, people.task.ideals[ideal]
            return
        names, here = people.table.names, element
        for target in user.path(salt, node, part):
            yield here, names[target]
            here = names[target]


@dataclass(frozen=True, slots=True)
class Script:
    """A user who follows a script: from each element they see its visits, in order."""

    task: Task
    visits: Mapping[str, Sequence[str]]

    def consultations(self) -> Iterator[Consultation]:
        """Yield the elements of the list."""
        for rank, element in enumerate(self.task.ranking, start=1):
            shown = [(element, target) for target in self.visits.get(element, ())]
            yield Consultation(rank, element, [("", element), *shown])

    def stopping(self) -> Sfc64:
        """Return numbers that are always the same."""
        return Sfc64(1, 2, 3, 1)

    def times(self) -> Sfc64:
        """Return numbers that are always the same."""
        return Sfc64(3, 2, 1, 1)
