"""Worlds in which hardly any user strays from the list, and from whose law the truth may differ.

A world is a list and what its users do by the chances that each step of theirs is missed. So the
closed form can be that of other chances than the users': an error is planted in one of them.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from prum.analytic import PrecisionRecall, closed_form
from prum.experiments.crosscheck import Crosscheck, crosscheck
from prum.experiments.crosscheck.inequalities import detectable
from prum.experiments.crosscheck.verdicts import TESTS, Ends, law_of, users_of
from prum.simulator import (
    Browsing,
    Copula,
    Coupled,
    Independent,
    Mixture,
    Simulation,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.model import Navigation

LEVEL = 0.01
Misses = tuple[float, ...]


class World(NamedTuple):
    """A list, how users browse it by the chances of missing each step, and these chances."""

    task: Task
    browsing: Callable[[Misses], Navigation]
    misses: Misses

    def law(self, misses: Misses | None = None) -> PrecisionRecall:
        """Return the closed form."""
        exact = closed_form(self.task, self.browsing(self.misses if misses is None else misses))
        assert exact is not None
        return exact

    def check(
        self, seed: int, truth: Misses | None = None, *, num_users: int = 4_000, most: int = 1 << 18
    ) -> Crosscheck:
        """Return the cross-check of this world's law on users who miss steps as the truth says."""

        def engine(task: Task, _: Navigation, *, num_users: int, seed: int) -> Simulation:
            browsing = self.browsing(self.misses if truth is None else truth)
            return simulate(task, browsing, num_users=num_users, seed=seed)

        return crosscheck(
            self.task,
            self.browsing(self.misses),
            num_users=num_users,
            most_users=most,
            seed=seed,
            level=LEVEL,
            simulate=engine,
        )

    def planted(
        self, step: int, size: float, *, num_users: int = 4_000, most: int = 1 << 18
    ) -> tuple[Misses, int] | None:
        """Return chances of which one differs, so that E[C] does by `size` times what is detected.

        Also the r at which it does, where that is the largest error. None where no chance does.
        """
        exact = self.law()
        law = law_of(exact, Ends.of(self.task, self.browsing(self.misses)))
        assert law is not None
        each = LEVEL / (TESTS * len(law.mean))
        (n,) = users_of([law], 0.1, each, least=num_users, most=most)
        found = detectable(law, n, each)

        def with_miss(logarithm: float) -> Misses:
            changed = 10.0**logarithm
            return tuple(changed if at == step else m for at, m in enumerate(self.misses))

        def off(logarithm: float) -> float:
            relative = (self.law(with_miss(logarithm)).consulted - law.mean) / found
            return float(relative[np.argmax(np.abs(relative))]) - size

        now = float(np.log10(self.misses[step]))
        other = -0.35 if size > 0 else -14.0
        if off(now) * off(other) > 0:
            return None
        chosen = with_miss(brentq(off, now, other, xtol=1e-6))
        return chosen, int(np.argmax(np.abs(self.law(chosen).consulted - law.mean) / found)) + 1


def _chain(rng: np.random.Generator, size: int, misses: Misses) -> World:
    ideals = [f"a{leg}" for leg in range(len(misses))]
    pairs = list(zip(["x", *ideals], ideals, strict=False))
    kind = Walk if rng.random() < 0.5 else Independent

    def browsing(chances: Misses) -> Navigation:
        return kind({pair: 1 - miss for pair, miss in zip(pairs, chances, strict=True)})

    return World(Task(["x"], ideals, size), browsing, misses)


def _exclusive(chances: Misses) -> Coupled:
    shares = {("x", f"a{at}"): (1 - m) / len(chances) for at, m in enumerate(chances)}
    return Coupled(Independent(shares), "exclusive")


def _of_one(size: int, misses: Misses, browsing: Callable[[Misses], Navigation]) -> World:
    ideals = [f"a{at}" for at in range(len(misses))]
    return World(Task(["x", "y"], ideals, size), browsing, misses)


def _links(chances: Misses) -> Independent:
    return Independent({("x", f"a{at}"): 1 - m for at, m in enumerate(chances)})


def _late(chances: Misses) -> Walk:
    return Walk({("v", "c"): 1 - chances[0], ("z", "a"): 0.6687, ("z", "c"): 0.3312})


KINDS: dict[str, Callable[[np.random.Generator, int, Misses], World]] = {
    "chain": _chain,
    "exclusive": lambda _, size, m: _of_one(size, m, _exclusive),
    "exclusive, fading": lambda _, size, m: _of_one(
        size, m, lambda chances: Browsing(_exclusive(chances), fading=0.5)
    ),
    "copula": lambda _, size, m: _of_one(
        size, m, lambda chances: Coupled(_links(chances), Copula(0.3))
    ),
    "mixture": lambda _, size, m: _of_one(
        size,
        m[:2],
        lambda chances: Mixture(
            [1 - chances[0], chances[0]], [_links((chances[1],) * 2), _links((0.7, 0.7))]
        ),
    ),
    "rare type": lambda _, size, m: _of_one(
        size,
        m[:2],
        lambda chances: Browsing(
            _links((chances[1],) * 2), Types([1 - chances[0], chances[0]], [1.0, 0.2])
        ),
    ),
    "late entries": lambda _, size, m: World(Task(["v", "y", "z"], ["a", "c"], size), _late, m[:1]),
}


def world(kind: str, seed: int) -> World:
    """Return a world: 2 to 5 steps, missed by one in 100 to 10^7, of 10^3 to 10^6 elements."""
    rng = np.random.default_rng([seed, *kind.encode()])
    legs = int(rng.integers(2, 6))
    misses = tuple((10.0 ** rng.uniform(-7, -2, legs)).tolist())
    return KINDS[kind](rng, int(10.0 ** rng.uniform(3, 6)), misses)
