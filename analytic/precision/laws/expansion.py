"""Expansions: what a seed shows, by recursion from its ideals back to it.

Let f_h(x) be the probability that a reader at x with h hops left reads no page of a set T. What
lies behind the links of x is read independently as long as no two ways share a link:

    f_0(x) = 1[x not in T],   f_h(x) = 1[x not in T] prod_{x -> z} (1 - p (1 - f_{h-1}(z)))

This holds up to 2 hops, and where no page has two ways to it. At 3 hops it holds given which links
of the seed are followed: pages at level 2 are then read independently, and each of them tosses
links of its own. Beyond, events that rise with the links followed are positively correlated (Harris
1960), so that 1 - f is never too low; nor is the recursion forward from the seed,

    r_h(y) = 1 - prod_{x -> y} (1 - p r_{h-1}(x))
"""

from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from prum.analytic.precision.joint import joint_counts
from prum.analytic.precision.questions import LawQuestion
from prum.analytic.precision.reach import checked_reach
from prum.analytic.precision.seen import changes
from prum.simulator.model import Expansion, Task
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.browsing import browsing_of

if TYPE_CHECKING:
    from scipy import sparse

T = TypeVar("T")

_MOST_IDEALS = 16
# Links of a seed that are uncertain, at 3 hops: 2^12 cases, seconds.
_MOST_UNCERTAIN = 12


class ExpansionLaw:
    """The law of readers who expand each seed."""

    def __init__(self, task: Task, expansion: Expansion) -> None:
        self.task, self.expansion = task, expansion

    @cached_property
    def seeds(self) -> list["_Seed | None"]:
        """The surroundings of each rank; None where an element stands a second time."""
        graph, ranking = _Graph(self.task, self.expansion), self.task.ranking
        return [
            _Seed(graph, element) if ranking.index(element) == rank else None
            for rank, element in enumerate(ranking)
        ]

    def reach(self) -> "sparse.csr_array":
        """Return P(a seed shows an ideal), where it is not known the lower of two upper bounds."""
        from scipy import sparse

        rows = np.zeros((self.task.num_ranked, self.task.num_ideals))
        for row, seed in zip(rows, self.seeds, strict=True):
            if seed is not None:
                row[:] = seed.read() if seed.is_known else seed.bound()
        return sparse.csr_array(rows)

    def factors(self) -> NoReturn:
        """Raise InputError: expansions take no dials but their own."""
        browsing_of(self.expansion)
        raise AssertionError

    def answer(self, question: LawQuestion[T]) -> T | None:
        """Return the answer where seeds are independent and the law of each is known."""
        t, u = self.task.num_ideals, self.task.num_unranked
        seeds = [seed for seed in self.seeds if seed is not None]
        if self.expansion.tosses == "reader" and not all(seed.is_certain for seed in seeds):
            return None
        if self.expansion.hops == 1:
            return question.tossed(changes(checked_reach(self.reach())), u)
        if t > _MOST_IDEALS:
            return None
        sets = (np.arange(1 << t)[:, np.newaxis] >> np.arange(t) & 1).astype(np.bool_)
        within = np.ones((self.task.num_ranked, 1 << t))
        for row, seed in zip(within, self.seeds, strict=True):
            if seed is not None:
                missing = seed.missing(sets)
                if missing is None:
                    return None
                row[:] = missing
        return question.counted(*joint_counts(within)[:2], u, "exact joint")


@lru_cache(maxsize=4)
def _links(expansion: Expansion) -> tuple[Ints, Ints, dict[int, list[tuple[int, float]]]]:
    """Return sources and targets of what is offered, and targets with p by source."""
    starts, targets, probabilities = expansion.offered()
    sources = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    links: dict[int, list[tuple[int, float]]] = {}
    for x, z, p in zip(sources.tolist(), targets.tolist(), probabilities.tolist(), strict=True):
        links.setdefault(x, []).append((z, p))
    return sources, targets, links


class _Graph:
    """What pages offer, as far as it leads to ideals."""

    def __init__(self, task: Task, expansion: Expansion) -> None:
        self.hops, self.decay = expansion.hops, expansion.decay
        self.code = dict(expansion.links.code)
        for ideal in task.ideals:
            self.code.setdefault(ideal, len(self.code))
        self.ideal_of = {self.code[ideal]: x for x, ideal in enumerate(task.ideals)}
        sources, targets, self.links = _links(expansion)
        # near[h]: from where an ideal may be read within h hops.
        near = np.zeros((self.hops + 1, len(self.code)), dtype=np.bool_)
        near[:, list(self.ideal_of)] = True
        for h in range(1, self.hops + 1):
            near[h, sources[near[h - 1, targets]]] = True
        self.near = near.tolist()

    def leading(self, x: int, left: int, seed: int) -> list[tuple[int, float]]:
        """Return the links of a page with so many hops left by which an ideal may be read."""
        part = 1.0 if x == seed else self.decay
        useful = self.near[left - 1]
        links = self.links.get(x, ())
        return [(z, p * part) for z, p in links if z != seed and useful[z] and p * part > 0]


class _Seed:
    """What is behind one seed."""

    def __init__(self, graph: _Graph, element: str) -> None:
        self.graph, self.seed = graph, graph.code.get(element, -1)
        # Pages by their least hop, with the links by which they lead on.
        self.levels: list[dict[int, list[tuple[int, float]]]] = []
        level, reached = [self.seed], {self.seed}
        for left in range(graph.hops, 0, -1):
            self.levels.append({x: graph.leading(x, left, self.seed) for x in level})
            behind = {z for links in self.levels[-1].values() for z, _ in links}
            level = sorted(behind - reached)
            reached |= behind
        self.is_tree = sum(len(x) for by in self.levels for x in by.values()) == len(reached) - 1
        probabilities = [p for by in self.levels for links in by.values() for _, p in links]
        self.is_certain = all(p == 1 for p in probabilities)

    def missing(self, allowed: Flags) -> Floats | None:
        """Return P(no other ideal is read than those allowed), shape (k,); allowed (k, t).

        None where it is not known.
        """
        if not self.is_known:
            return None
        hops = self.graph.hops
        if hops <= 2 or self.is_tree or self.is_certain:
            return self._back(self.seed, hops, allowed)
        return self._given_first(self.levels[0][self.seed], allowed)

    @property
    def is_known(self) -> bool:
        """Whether the law of what is read has a closed form."""
        first = self.levels[0][self.seed]
        few = self.graph.hops == 3 and sum(p < 1 for _, p in first) <= _MOST_UNCERTAIN
        return self.graph.hops <= 2 or self.is_tree or self.is_certain or few

    def read(self) -> Floats:
        """Return P(an ideal is read), shape (t,), forward: r_h; at 3 hops given the first links."""
        graph, first = self.graph, self.levels[0][self.seed]
        is_split = self.is_known and graph.hops == 3 and not (self.is_tree or self.is_certain)
        shares: Floats | float = 1.0
        followed: dict[int, Any] = dict(first)
        if is_split:
            states = np.array([*product(*[(1,) if p == 1 else (0, 1) for _, p in first])], float)
            chances = np.array([p for _, p in first])
            shares = np.where(states > 0, chances, 1 - chances).prod(axis=1)
            followed = {z: states[:, k] for k, (z, _) in enumerate(first)}
        read: dict[int, Any] = {self.seed: 1.0}
        for left in range(graph.hops, 0, -1):
            missed: dict[int, Any] = {}
            for x, r in read.items():
                for z, p in graph.leading(x, left, self.seed):
                    chance = followed[z] if x == self.seed else p * r
                    missed[z] = missed.get(z, 1.0) * (1 - chance)
            read |= {z: 1 - q for z, q in missed.items()}
        ideals = np.zeros(len(graph.ideal_of))
        for page, x in graph.ideal_of.items():
            ideals[x] = np.dot(shares, read[page] + 0 * shares) if page in read else 0.0
        return np.minimum(ideals, 1)

    def bound(self) -> Floats:
        """Return the lower of two upper bounds of P(an ideal is read), shape (t,)."""
        t = len(self.graph.ideal_of)
        back = 1 - self._back(self.seed, self.graph.hops, ~np.eye(t, dtype=np.bool_))
        return np.minimum(back, self.read())

    def _is_allowed(self, x: int, allowed: Flags) -> Floats:
        """Return whether a page is no ideal, or one that is allowed."""
        ideal = self.graph.ideal_of.get(x)
        return np.ones(len(allowed)) if ideal is None else allowed[:, ideal].astype(np.float64)

    def _back(self, x: int, left: int, allowed: Flags) -> Floats:
        """Return f_left(x)."""
        missing = self._is_allowed(x, allowed)
        for z, p in self.graph.leading(x, left, self.seed) if left else ():
            missing = missing * (1 - p * (1 - self._back(z, left - 1, allowed)))
        return missing

    def _given_first(self, first: list[tuple[int, float]], allowed: Flags) -> Floats:
        """Return P(no other ideal is read) at 3 hops, over what is followed from the seed."""
        second = {x: self.graph.leading(x, 2, self.seed) for x, _ in first}
        behind = sorted({z for links in second.values() for z, _ in links})
        beyond = {w: 1 - self._back(w, 1, allowed) for w in behind}
        total = np.zeros(len(allowed))
        for followed in product(*[(True,) if p == 1 else (True, False) for _, p in first]):
            pages = {x for (x, _), there in zip(first, followed, strict=True) if there}
            share = 1.0
            for (_, p), there in zip(first, followed, strict=True):
                share *= p if there else 1 - p
            missing = self._is_allowed(self.seed, allowed)
            unread = dict.fromkeys(behind, 1.0)
            for x in pages:
                missing = missing * self._is_allowed(x, allowed)
                for w, p in second[x]:
                    unread[w] *= 1 - p
            for w in set(behind) - pages:
                missing = missing * (1 - (1 - unread[w]) * beyond[w])
            total += share * missing
        return np.minimum(total, 1)


law = ExpansionLaw
