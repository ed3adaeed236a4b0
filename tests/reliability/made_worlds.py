"""Worlds for `trust`: systems, topics, links, and users that it is not told of, with its P(x -> y).

Each kind of world depends on something else, and each has three strengths. What `trust` is given
are runs, judgements, the collection's size and P(x -> y), computed from the users themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from tests.reliability.dependent_users import Floats, Users, tossed

STRENGTHS = ("weak", "medium", "strong")


@dataclass(frozen=True, eq=False)
class Topic:
    """One topic: its ideals, every element that a system may rank, and who browses."""

    ideals: tuple[str, ...]
    pool: tuple[str, ...]
    users: Users


@dataclass(frozen=True, eq=False)
class World:
    """What `trust` is given, and who the users are.

    Parameters
    ----------
    kind, strength
        What they depend on, and how much.
    topics
        Name -> topic.
    runs
        System -> topic -> list.
    size
        The collection's.
    """

    kind: str
    strength: str
    topics: Mapping[str, Topic]
    runs: Mapping[str, Mapping[str, list[str]]]
    size: int

    @property
    def correlation(self) -> float | None:
        """The correlation of all visits of a user, where one latent makes it; else None."""
        return _SHARED[self.strength] if self.kind == "one latent" else None

    def given(self) -> dict[str, Any]:
        """Return the arguments of `trust`."""
        links = {
            (element, ideal): p
            for topic in self.topics.values()
            for element in topic.users.sees
            for ideal, p in zip(topic.ideals, _rounded(topic.users.reach(element)), strict=True)
            if element != ideal and p > 0
        }
        qrels = {name: dict.fromkeys(topic.ideals, 1) for name, topic in self.topics.items()}
        return {
            "runs": self.runs,
            "qrels": qrels,
            "links": links,
            "collection_size": self.size,
        }

    def truth(self) -> dict[str, list[Floats]]:
        """Return system -> precision at r = 1 .. t of each topic."""
        return {
            system: [
                topic.users.precision(lists[name], self.size - len(lists[name]))
                for name, topic in self.topics.items()
            ]
            for system, lists in self.runs.items()
        }


def _rounded(reach: Floats) -> list[float]:
    """Return probabilities without what rounding leaves beyond 0 and 1."""
    clipped: list[float] = np.where(reach < 1e-12, 0, np.minimum(reach, 1)).tolist()
    return clipped


# --- users with thresholds -----------------------------------------------------------------------

# Nodes of a latent, by how many latents there are; what of a link's variance they account for.
_NODES = {1: 41, 3: 9}
_SHARED = dict(zip(STRENGTHS, (0.25, 0.6, 0.95), strict=True))


def thresholds(
    rng: np.random.Generator,
    strength: str,
    names: Sequence[str],
    scale: float,
    *,
    latents: int,
    stays: float,
    half: bool = False,
) -> Topic:
    """Return users who follow a link if what they demand passes its threshold.

    With one latent, who demands more follows more of everything, or of `half` of the elements. With
    three, each link weighs them in its own way, up and down.
    """
    ideals, pool, target = _linked(rng, names, scale)
    axis, weights = np.polynomial.hermite_e.hermegauss(_NODES[latents])
    grid = np.stack(np.meshgrid(*[axis] * latents), -1).reshape(-1, latents)
    shares = np.prod(np.stack(np.meshgrid(*[weights] * latents), -1), -1).ravel()
    kept = shares > 1e-9 * shares.max()
    grid, shares = grid[kept], shares[kept] / shares[kept].sum()
    sees = {}
    for place, (element, row) in enumerate(target.items()):
        is_free = half and place % 2 == 0
        size = np.full(len(row), 0.0 if is_free else _SHARED[strength] ** 0.5)
        if latents == 1:
            loadings = size[:, None]
        else:
            drawn = rng.normal(size=(len(row), latents))
            loadings = drawn * (size / np.linalg.norm(drawn, axis=1))[:, None]
        slack = (ndtri(row) + grid @ loadings.T) / (1 - size**2) ** 0.5
        sees[element] = tossed(_with_itself(ndtr(slack), element, ideals))
    return Topic(ideals, pool, Users(shares, stays, sees))


# --- elements whose visits go together or exclude each other --------------------------------------


def apart(rng: np.random.Generator, strength: str, names: Sequence[str], scale: float) -> Topic:
    """Return users whose visits from one element go together, or from the next exclude each other.

    Those of different elements are independent. A share of the users, the larger the stronger,
    does so as far as P(x -> y) allows; the others' visits are independent.
    """
    ideals, pool, target = _linked(rng, names, scale)
    part = {"weak": 0.3, "medium": 0.6, "strong": 1.0}[strength]
    sees = {}
    for place, (element, row) in enumerate(target.items()):
        p = _with_itself(row[np.newaxis].copy(), element, ideals)
        # Each ideal takes an interval of [0, 1): all from 0, or one behind the other.
        starts = np.zeros(len(row)) if place % 2 else (np.cumsum(p[0]) - p[0]) % 1
        ends = starts + p[0]
        cuts = np.unique(np.clip(np.concatenate([starts, ends, ends - 1, [0, 1]]), 0, 1))
        middle = (cuts[1:] + cuts[:-1])[:, np.newaxis] / 2
        inside = (starts <= middle) & (middle < ends) | (middle < ends - 1)
        sets = inside @ (1 << np.arange(len(row)))
        law = np.bincount(sets, np.diff(cuts), 2 ** len(row))
        sees[element] = part * law[np.newaxis] + (1 - part) * tossed(p)
    return Topic(ideals, pool, Users(np.ones(1), 1.0, sees))


# --- persons with tastes -------------------------------------------------------------------------


def tastes(
    rng: np.random.Generator, strength: str, names: Sequence[str], scale: float, *, stays: float
) -> Topic:
    """Return users who like some ideals and not others, and follow links to those they like.

    An ideal is liked with a probability of its own. Who likes it follows a link to it more often
    than who does not; the more so, the stronger.
    """
    ideals, pool, target = _linked(rng, names, scale)
    t = len(ideals)
    liked = rng.uniform(0.15, 0.85, t)
    likes = (np.arange(2**t)[:, None] >> np.arange(t)) & 1
    shares = np.prod(np.where(likes == 1, liked, 1 - liked), axis=1)
    part = {"weak": 0.3, "medium": 0.6, "strong": 1.0}[strength]
    sees = {}
    for element, row in target.items():
        # Of those who like it p + part (most - p) follow; the others make up for the mean.
        of_likers = row + part * (np.minimum(1, row / liked) - row)
        of_others = (row - liked * of_likers) / (1 - liked)
        given = np.clip(np.where(likes == 1, of_likers, of_others), 0, 1)
        sees[element] = tossed(_with_itself(given, element, ideals))
    return Topic(ideals, pool, Users(shares, stays, sees))


# --- walks of order two --------------------------------------------------------------------------

_GOES_ON = 0.85


def walks(
    rng: np.random.Generator, strength: str, names: Sequence[str], scale: float, *, kinds: int
) -> Topic:
    """Return users who walk along links, choosing by the element they are on and the one before.

    With several kinds of users, each has choices of its own and keeps them.
    """
    ideals, pool, _ = _linked(rng, names, scale)
    goes_on = _GOES_ON * scale**0.5
    hubs = [f"{ideals[0]}hub{number}" for number in range(4)]
    later = [*rng.permutation([*hubs, *ideals]).tolist()]
    nodes = [*(element for element in pool if element not in ideals), *later]
    place = {node: number for number, node in enumerate(nodes)}
    first = len(nodes) - len(later)
    targets = {
        node: sorted(
            rng.choice(
                np.arange(max(place[node] + 1, first), len(nodes)),
                min(4, len(nodes) - max(place[node] + 1, first)),
                replace=False,
            ).tolist()
        )
        for node in nodes
    }
    part = {"weak": 0.3, "medium": 0.6, "strong": 1.0}[strength]
    common = {node: rng.dirichlet(np.ones(len(there))) for node, there in targets.items()}
    num = 2 ** len(ideals)
    sees: dict[str, list[Floats]] = {node: [] for node in nodes}
    for _ in range(kinds):
        known: dict[tuple[str, str], Floats] = {}

        def seen(before: str, at: str, known: dict[tuple[str, str], Floats]) -> Floats:
            """Return the law of the set seen by a walk that is on `at`, this one among it."""
            if (before, at) not in known:
                there = targets[at]
                law = np.zeros(num)
                law[0] = 1.0 if not there else 1 - goes_on
                if there:
                    own = rng.dirichlet(np.full(len(there), 0.3))
                    choice = goes_on * ((1 - part) * common[at] + part * own)
                    for p, number in zip(choice.tolist(), there, strict=True):
                        law += p * seen(at, nodes[number], known)
                known[before, at] = _with(law, ideals.index(at)) if at in ideals else law
            return known[before, at]

        for node in nodes:
            sees[node].append(seen(node, node, known))
    shares = np.full(kinds, 1 / kinds)
    return Topic(ideals, pool, Users(shares, 1.0, {x: np.stack(sees[x]) for x in nodes}))


def _with(law: Floats, ideal: int) -> Floats:
    """Return the law of a set that has an ideal for certain."""
    sets = np.arange(len(law))
    return np.bincount(sets | 1 << ideal, weights=law, minlength=len(law))


# --- what all kinds share ------------------------------------------------------------------------


def _linked(
    rng: np.random.Generator, names: Sequence[str], scale: float
) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, Floats]]:
    """Return ideals, elements to rank, and the P(element -> ideal) that are aimed at."""
    t = int(rng.integers(2, 6))
    ideals, gates = tuple(names[:t]), tuple(names[t : t + int(rng.integers(3, 7))])
    target = {}
    for element in (*gates, *ideals):
        leads = rng.random(t) < (0.8 if element in gates else 0.3)
        strong = rng.random(t) < 0.25
        p = np.where(strong, rng.uniform(0.6, 0.95, t), rng.uniform(0.02, 0.5, t))
        target[element] = np.where(leads, scale * p, 0.0)
    return ideals, (*ideals, *gates), target


def _with_itself(given: Floats, element: str, ideals: Sequence[str]) -> Floats:
    if element in ideals:
        given[:, ideals.index(element)] = 1.0
    return given


# Systems among which the one is taken that is nearest to the first, if visits are independent.
_CANDIDATES = 30


def _runs(
    rng: np.random.Generator, topics: Mapping[str, Topic], size: int
) -> dict[str, dict[str, list[str]]]:
    """Return 2 to 4 systems: how they like ideals, what leads to them, and every other element.

    Most of the others are as good as the first, or nearly so, if visits are independent: so their
    order hangs on who the users are.
    """
    depth = int(rng.integers(5, 11))
    independent = {name: topic.users.independent() for name, topic in topics.items()}
    pools = {
        name: (*topic.pool, *(f"{name}n{number}" for number in range(4)))
        for name, topic in topics.items()
    }
    marks = {name: _marks(topics[name], pool) for name, pool in pools.items()}

    def system() -> tuple[float, dict[str, list[str]]]:
        likes, lists = rng.uniform(-1, 1.5, 3), {}
        for name, pool in pools.items():
            score = likes @ marks[name] + rng.normal(size=len(pool)) / 2
            lists[name] = [pool[place] for place in np.argsort(-score).tolist()][:depth]
        values = [
            independent[name].precision(ranking, size - len(ranking)).mean()
            for name, ranking in lists.items()
        ]
        return float(np.mean(values)), lists

    first, lists = system()
    runs = {"s0": lists}
    for number in range(1, int(rng.integers(2, 5))):
        others = [system() for _ in range(_CANDIDATES if rng.random() < 0.7 else 1)]
        runs[f"s{number}"] = min(others, key=lambda other: abs(other[0] - first))[1]
    return runs


def _marks(topic: Topic, pool: Sequence[str]) -> Floats:
    """Return of each element whether it is ideal, how much it leads to others, and every other."""
    ideal = np.array([element in topic.ideals for element in pool], dtype=np.float64)
    sees = topic.users.sees
    leads = np.array([topic.users.reach(one).sum() if one in sees else 0 for one in pool])
    return np.stack([ideal, leads - ideal, np.arange(len(pool)) % 2])


# Makes a topic: strength, names of elements, and how readily users browse.
Maker = Callable[[np.random.Generator, str, Sequence[str], float], Topic]
_SCALES = (1.0, 0.3, 0.05)

MADE: dict[str, Maker] = {
    "one latent": partial(thresholds, latents=1, stays=1.0),
    "one latent, half of the links": partial(thresholds, latents=1, stays=1.0, half=True),
    "three latents": partial(thresholds, latents=3, stays=1.0),
    "three latents, redrawn": partial(thresholds, latents=3, stays=0.5),
    "together or apart": apart,
    "tastes": partial(tastes, stays=1.0),
    "tastes, redrawn": partial(tastes, stays=0.6),
    "order-two walk": partial(walks, kinds=1),
    "walkers who differ": partial(walks, kinds=3),
}


def made_world(number: int, seed: int, kinds: Mapping[str, Maker]) -> World:
    """Return a world: kinds and strengths take turns."""
    rng = np.random.default_rng([seed, number])
    kind = list(kinds)[number % len(kinds)]
    strength = STRENGTHS[number // len(kinds) % len(STRENGTHS)]
    topics = {}
    scale = _SCALES[int(rng.integers(3))]
    for place in range(int(rng.integers(3, 6))):
        name = f"q{place}"
        names = [f"{name}e{one}" for one in range(12)]
        topics[name] = kinds[kind](rng, strength, names, scale)
    size = int(rng.integers(20, 61))
    return World(kind, strength, topics, _runs(rng, topics, size), size)
