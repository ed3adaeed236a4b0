"""Systems: how they score a topic's candidates, and their lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from prum.simulator.generation.candidates import Topic
from prum.simulator.generation.dials import Dependence, Dials, System, Target
from prum.simulator.generation.draws import Draws
from prum.simulator.generation.structures import Structure
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import repeated

# Scores are rounded as in the file of a run, so that both have the same order.
DECIMALS = 6
# Of a system with neither strength nor target.
_STRENGTH = 2.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A list: numbers of its elements, best first, and their scores; ties by falling id."""

    elements: Ints
    scores: Floats


EMPTY = Ranked(np.empty(0, np.int64), np.empty(0))


@dataclass(frozen=True, slots=True)
class Made:
    """One system of a specification: its name, its dials, and its target, if it has one."""

    name: str
    dials: System
    strength: float | None
    target: Target | None
    value: float | None


def systems_of(dials: Dials) -> list[Made]:
    """Return the systems of a specification one by one.

    Raise InputError if two have the same name.

    >>> from prum.simulator.generation.kinds import Flat
    >>> three = System(name="s", number=3, strength=(1.0, 2.0))
    >>> dials = Dials(collection=Flat(kind="flat", elements=100), systems=(three,))
    >>> [(system.name, system.strength) for system in systems_of(dials)]
    [('s-1', 1.0), ('s-2', 1.5), ('s-3', 2.0)]
    """
    systems = list[Made]()
    for group in dials.systems:
        width, target = len(str(group.number)), group.target
        strengths = group.strength
        if strengths is None and target is None:
            strengths = (_STRENGTH, _STRENGTH)
        for number in range(group.number):
            name = f"{group.name}-{number + 1:0{width}}" if group.number > 1 else group.name
            share = number / max(group.number - 1, 1)
            value = None if target is None else _between(target.value, share)
            systems.append(Made(name, group, _between(strengths, share), target, value))
    if (name := repeated(system.name for system in systems)) is not None:
        remedy = "give another name to one of them"
        raise InputError("name of a system", name, "be its own", remedy=remedy, place="systems")
    return systems


def _between(values: tuple[float, float] | None, share: float) -> float | None:
    """Return the value at a share of the way between two, if there are any."""
    return None if values is None else float(values[0] + (values[1] - values[0]) * share)


class NoisySystem:
    """A system on topics: the worth of candidates and their noise, to be ranked at any strength.

    The same system of the same seed draws the same numbers at every strength, so that a stronger
    system is better on nearly every topic.
    """

    def __init__(
        self, made: Made, topics: Sequence[Topic], dependence: Dependence, seed: int
    ) -> None:
        self.made, self.topics = made, topics
        self._dependence, self._seed = dependence, seed
        draws = Draws(seed, "system", made.name)
        # Drawn first, so that the dials of a list change no other number.
        self._own = draws.normals(len(topics))
        coins = draws.units(len(topics))
        # A run has at least one list.
        self.lacks = (coins < made.dials.missing) & (coins < coins.max(initial=0))

    @cached_property
    def difficulties(self) -> Floats:
        """How much stronger the system is on each topic than on average, (topics,)."""
        dials = self._dependence
        common = np.array([_common(self._seed, topic.name) for topic in self.topics])
        shared = np.sqrt(dials.correlation) * common
        of_system = np.sqrt(1 - dials.correlation) * self._own
        return np.asarray(dials.difficulty * (shared + of_system))

    @cached_property
    def _noises(self) -> list[Floats]:
        dials = self._dependence
        kept = list[Floats]()
        for topic in self.topics:
            size = len(topic.candidates)
            common = Draws(self._seed, "noise", topic.name).normals(size)
            of_system = Draws(self._seed, "noise", topic.name, self.made.name).normals(size)
            kept.append(
                np.sqrt(dials.agreement) * common + np.sqrt(1 - dials.agreement) * of_system
            )
        return kept

    def ranked(self, number: int, strength: float) -> Ranked:
        """Return the list for a topic, by its number among the topics.

        Raise IndexError if there is no such topic.
        """
        if self.lacks[number]:
            return EMPTY
        topic, dials = self.topics[number], self.made.dials
        local = strength + self.difficulties[number]
        scores = np.round(local * worths(topic, dials) + self._noises[number], DECIMALS) + 0.0
        order = _order(topic.candidates, scores)
        if dials.nested < 1:
            coins = Draws(self._seed, "nested", topic.name, self.made.name).units(len(scores))
            order = order[_kept(topic, order, coins < dials.nested, dials.depth)]
        order = order[: dials.depth]
        elements, scores = topic.candidates[order], scores[order]
        if dials.ties:
            coins = Draws(self._seed, "ties", topic.name, self.made.name).units(len(scores))
            return _tied(elements, scores, coins < dials.ties)
        return Ranked(elements, scores)

    def lists(self, strength: float) -> list[Ranked]:
        """Return the lists for all topics."""
        return [self.ranked(number, strength) for number in range(len(self.topics))]


def worths(topic: Topic, dials: System) -> Floats:
    """Return the worth of a topic's candidates to a system, the largest of their roles.

    See `System`; shape (candidates,).
    """
    roles = (
        topic.relevance,
        dials.near_misses * topic.near_miss,
        dials.containers * topic.container,
        dials.entry_points * topic.entry_point,
    )
    return np.asarray(np.max(roles, axis=0))


def _common(seed: int, topic: str) -> float:
    return float(Draws(seed, "difficulty", topic).normals(1)[0])


def _kept(topic: Topic, order: Ints, allowed: Flags, depth: int) -> list[int]:
    """Return the places in the order that a list keeps, as many as it is deep.

    An element that contains another of the list, or lies in one, is kept only if `allowed`.
    """
    # A candidate contains the run of those after it that begin before its own end.
    ends = np.searchsorted(topic.candidates, topic.afters)
    related: dict[int, list[int]] = {}
    for outer in np.flatnonzero(ends > np.arange(len(ends)) + 1).tolist():
        for inner in range(outer + 1, int(ends[outer])):
            related.setdefault(outer, []).append(inner)
            related.setdefault(inner, []).append(outer)
    kept, listed = list[int](), set[int]()
    for place, candidate in enumerate(order.tolist()):
        if not allowed[candidate] and not listed.isdisjoint(related.get(candidate, ())):
            continue
        kept.append(place)
        listed.add(candidate)
        if len(kept) == depth:
            break
    return kept


def _tied(elements: Ints, scores: Floats, equal: Flags) -> Ranked:
    """Return a list in which some elements have the score of the one before them."""
    firsts = np.where(equal, 0, np.arange(len(scores)))
    scores = scores[np.maximum.accumulate(firsts)]
    order = _order(elements, scores)
    return Ranked(elements[order], scores[order])


def _order(elements: Ints, scores: Floats) -> Ints:
    """Return the order of trec_eval 10: by score, then by falling id."""
    return np.lexsort((-elements, -scores))


def all_links(structure: Structure) -> Links:
    """Return all links of a Web, by id."""
    blocks = [structure.block(number) for number in range(structure.num_blocks)]
    return Links.from_columns(
        structure.names(np.concatenate([block.sources for block in blocks])),
        structure.names(np.concatenate([block.targets for block in blocks])),
        np.concatenate([block.probabilities for block in blocks]),
    )
