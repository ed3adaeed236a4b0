"""Sampler of users whose browsing depends on rank, success, need or their own factor."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from prum.simulator.model import (
    Browsing,
    Independent,
    InputError,
    Links,
    Navigation,
    OneFactor,
    Task,
)
from prum.simulator.model.arrays import Flags, Floats, Ints, Words
from prum.simulator.model.population import LONGEST_PATH, Beta, Types
from prum.simulator.sampling.kernels import (
    COMONOTONE,
    COPULA,
    EXCLUSIVE,
    INDEPENDENT,
    WALK,
    consultations,
)
from prum.simulator.sampling.streams import CONSULTATIONS, FACTORS, uniform, users_key
from prum.simulator.sampling.ways.mixture import types_of
from prum.simulator.sampling.ways.samplers import KernelBlock, KernelSampler
from prum.simulator.sampling.ways.walk import ending

_CERTAIN = 1 - 1e-9
_MOST_SWEEPS = 1000


class Entries(NamedTuple):
    """Elements that may show an ideal, or make a document known, as in `kernels.h`."""

    salts: Words
    ranks: Ints
    fades: Floats
    own: Ints
    nodes: Ints
    documents: Ints


class StepwiseSampler(KernelSampler):
    """Any browsing: each user consults element by element.

    If users browse differently for different numbers of ideals wanted, each distinct factor of
    `need` is simulated by itself. Elements are tied whose ranks have the same number in `groups`,
    shape (o,).
    """

    purposes = CONSULTATIONS, FACTORS

    def __init__(self, task: Task, browsing: Browsing, groups: Ints | None = None) -> None:
        self.task, self.browsing = task, browsing
        self.key = users_key(task)
        navigation = browsing.navigation
        self.rule, self.rho = _rule(navigation)
        population = browsing.population
        self.one_factor = population.rho if isinstance(population, OneFactor) else 0.0
        links = (navigation.tossed or navigation).links
        self.later = _unranked_elements(task, browsing) if browsing.unranked else ()
        if len(self.later) > task.num_unranked:
            rule = f"be at least the {len(self.later)} that links, ideals and documents name"
            remedy = "count every element in collection_size"
            raise InputError("number of unranked elements", task.num_unranked, rule, remedy=remedy)
        first: dict[str, int] = {}
        for rank, element in enumerate(task.ranking, start=1):
            first.setdefault(element, rank)
        fades = browsing.rank_factors(task)
        documents = dict(browsing.documents)
        code = {document: k for k, document in enumerate(sorted(set(documents.values())))}
        self.known = np.zeros(len(code), dtype=np.bool_)
        self.known[[code[documents[e]] for e in first if e in documents]] = True
        if self.rule == WALK:
            links, self.names, self.ideal_of = ending(links, task.ideals)
            self.starts, self.targets, self.shares, moving = _moves(links)
            node_of = {e: k for e, k in links.code.items() if moving[k] > 0}
            self.moving = self._quantiles(np.where(moving > _CERTAIN, 1.0, moving))
            self.visit_starts, self.ideals, self.margins = _NOTHING
        else:
            nodes = [element for element in (*first, *self.later) if element in links.code]
            self.visit_starts, self.ideals, margins = _visits(task, links, nodes)
            self.margins = self._quantiles(margins)
            # Who consults an element without visits sees it and nothing else.
            sizes = np.diff(self.visit_starts).tolist()
            node_of = {x: k for k, (x, size) in enumerate(zip(nodes, sizes, strict=True)) if size}
            self.starts, self.targets, self.shares = _NOTHING
            self.moving, self.ideal_of = self.shares, self.targets
        self._node_of, self._first, self._fades = node_of, first, fades
        self._documents, self._codes = documents, code
        ideal_set = set(task.ideals)
        ranked = [element for element in first if element in node_of or element in ideal_set]
        if groups is not None:
            # Who shows nothing takes up a place, too.
            ranked = list(first)
        self.groups = np.empty(0, dtype=np.int64) if groups is None else groups
        self.longest_path = LONGEST_PATH if self.one_factor else -1
        self.satiated = browsing.satiated(task.num_ideals)
        is_table = isinstance(browsing.fading, tuple)
        self.fading = 1.0 if is_table else browsing.fading
        self.fades = np.array(browsing.fading if is_table else ())
        self.browses_unranked = browsing.unranked
        self.num_stories = len(self.needs())
        self.listed_entries, self.later_entries = self.entries(ranked), self.entries(self.later)

    def entries(self, elements: Sequence[str]) -> Entries:
        """Return elements as `consultations` takes them."""
        column_of = {ideal: x for x, ideal in enumerate(self.task.ideals)}
        ranks = np.array([self._first.get(element, 0) for element in elements], dtype=np.int64)
        documents = [self._codes.get(self._documents.get(element, ""), -1) for element in elements]
        return Entries(
            np.array([_salt(element) for element in elements], dtype=np.uint64),
            ranks,
            np.append(1.0, self._fades)[ranks],
            np.array([column_of.get(element, -1) for element in elements], dtype=np.int64),
            np.array([self._node_of.get(element, -1) for element in elements], dtype=np.int64),
            np.array(documents, dtype=np.int64),
        )

    def _quantiles(self, probabilities: Floats) -> Floats:
        """Return probabilities as `consultations` takes them: quantiles where users have a z."""
        if not self.one_factor:
            return probabilities
        from scipy.special import ndtri  # slow to load

        quantiles: Floats = ndtri(probabilities)
        return quantiles

    def needs(self) -> list[tuple[float, Ints]]:
        """Return each factor of need, and the indices r - 1 to which it belongs."""
        needed = self.browsing.needed(self.task.num_ideals)
        return [(float(part), np.flatnonzero(needed == part)) for part in np.unique(needed)]

    def users(self, uniform: Floats) -> tuple[Floats, Floats]:
        """Return users' factors and normal numbers z, by their numbers in [0, 1)."""
        population = self.browsing.population
        if population is None:
            return np.ones(len(uniform)), np.zeros(len(uniform))
        if isinstance(population, OneFactor):
            from scipy.special import ndtri

            # Uniform numbers are multiples of 2^-53: the middles of their cells are never 0 or 1.
            return np.ones(len(uniform)), ndtri(uniform + 2.0**-54)
        return factors_of(population, uniform), np.zeros(len(uniform))

    def reached(self, sets: Flags | None = None) -> Floats | None:
        """Return P(a path from a node gets to an ideal), shape (t, nodes); None if not known.

        Or to one of several ideals, for each of `sets` (sets, t). By sweeps over the links, until
        nothing changes; `_MOST_SWEEPS` are not enough where paths are very long. No path starts
        from the ideal itself.
        """
        from scipy.sparse import csr_array

        num_nodes = len(self.ideal_of)
        lengths = np.diff(self.starts)
        sources = np.repeat(np.arange(num_nodes), lengths)
        first = np.repeat(self.starts[:-1][lengths > 0], lengths[lengths > 0])
        before = np.where(np.arange(len(sources)) == first, 0.0, np.roll(self.shares, 1))
        steps = csr_array(
            ((self.shares - before) * self.moving[sources], self.targets, self.starts),
            shape=(num_nodes, num_nodes),
        )
        sets = np.eye(self.task.num_ideals, dtype=np.bool_) if sets is None else sets
        goals = np.where(self.ideal_of >= 0, sets[:, self.ideal_of], False).T
        reached = goals.astype(np.float64)
        for _ in range(_MOST_SWEEPS):
            swept = np.asarray(steps @ reached)
            swept[goals] = 1
            settled = np.allclose(swept, reached, rtol=1e-13, atol=1e-300)
            reached = swept
            if settled:
                return np.ascontiguousarray(np.where(reached > _CERTAIN, 1.0, reached).T)
        return None

    def block(self, seed: int, number: int, *, sampled: bool) -> KernelBlock:
        """Return block `number` of the users of `seed`, from its first user on."""
        if not sampled and (self.browsing.unranked or self.num_stories > 1):
            rule = "be sampled where users browse from unranked elements, or by their need"
            raise InputError("unranked", "expected", rule, remedy="leave it out")
        return super().block(seed, number, sampled=sampled)

    def draw(self, block: KernelBlock) -> None:
        """Draw the next users of a block, once for each factor of need."""
        rooms = block.consulted, block.leading
        factors, normals = self.users(uniform(block.more[0], rooms[0].shape[1]))
        for (need, columns), streams in zip(self.needs(), block.behind, strict=True):
            block.state, block.again = streams
            if self.num_stories > 1:
                block.consulted, block.leading = (np.empty_like(room) for room in rooms)
            consultations(
                self, self.listed_entries, self.later_entries, need, factors, normals, block
            )
            for room, drawn in zip(rooms, (block.consulted, block.leading), strict=True):
                if drawn is not room:
                    room[columns] = drawn[columns]


def factors_of(population: Types | Beta, numbers: Floats) -> Floats:
    """Return the factors of users by their numbers in [0, 1)."""
    if isinstance(population, Beta):
        from scipy.special import betaincinv

        factors: Floats = betaincinv(population.a, population.b, numbers)
        return factors
    return np.array(population.factors)[types_of(population.weights, numbers)]


# No visits, or moves, of no nodes.
_NOTHING = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)


_RULES = {"walk": WALK, "exclusive": EXCLUSIVE, "comonotone": COMONOTONE, "copula": COPULA}


def _rule(base: Navigation) -> tuple[int, float]:
    """Return how visits from an element are coupled, and the correlation of a copula."""
    if base.tossed is not None:
        return INDEPENDENT, 0.0
    word, values = base.words
    rho = values.get("rho", 0.0)
    return (COMONOTONE, 0.0) if rho == 1 else (_RULES[word], rho)


def _salt(element: str) -> int:
    """Return 64 bits that name an element in every list."""
    return int.from_bytes(hashlib.sha256(element.encode("utf-8", "surrogatepass")).digest()[:8])


def _unranked_elements(task: Task, browsing: Browsing) -> tuple[str, ...]:
    """Return the unranked elements that may show an ideal, or make a document known, sorted."""
    ranked = set(task.ranking)
    links = browsing.navigation.links
    sources = np.unique(links.sources[links.probabilities > 0])
    linked = {links.elements[k] for k in sources} - ranked
    documents = dict(browsing.documents)
    browsed = {documents[element] for element in linked if element in documents}
    together = {element for element, document in browsing.documents if document in browsed}
    return tuple(sorted((linked | together | set(task.ideals)) - ranked))


def _visits(task: Task, links: Links, nodes: list[str]) -> tuple[Ints, Ints, Floats]:
    """Return starts, ideals and margins of the visits from each node, in the order of ideals."""
    column_of = {ideal: x for x, ideal in enumerate(task.ideals)}
    itself = np.array([column_of.get(element, -1) for element in nodes], dtype=np.int64)
    sources, ideals, margins = Independent(links).showing(task.ideals).along(nodes)
    kept = ideals != itself[sources]
    starts = np.searchsorted(sources[kept], np.arange(len(nodes) + 1))
    return starts, ideals[kept], margins[kept]


def _moves(links: Links) -> tuple[Ints, Ints, Floats, Floats]:
    """Return starts, targets and cumulative shares of moves, and the probability of moving on."""
    n = len(links.elements)
    positive = links.probabilities > 0
    sources, probabilities = links.sources[positive], links.probabilities[positive]
    moving = np.zeros(n)
    np.add.at(moving, sources, probabilities)
    starts = np.searchsorted(sources, np.arange(n + 1)).astype(np.int64)
    running = np.append(0.0, np.cumsum(probabilities))
    shares: Floats = (running[1:] - running[starts[sources]]) / moving[sources]
    return starts, links.targets[positive].astype(np.int64), shares, moving
