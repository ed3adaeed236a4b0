"""How types of users are learned from a log: who browses alike, and how each type does.

Each session is of one type, which nobody sees. Given the type its steps are
those of a walk of the type's own. Expectation and maximisation take turns: how probable each type
is for each session, and each type's walk from sessions counted by that. Of the N visits to an
element a part c = k / (k + N) counts for every type alike, k being `common`, and only the rest for
the type of the session: so where people are few, types are what all people are, where they are
many, types are on their own, and one type is the walk that `WalkEstimator` learns. What that walk
believes beforehand counts for no more than k visits: elements that are alike say little of types.

What rises with every turn is the logarithm of the probability of all sessions, each step to the
power of 1 - c, plus the beliefs (Dirichlet and Beta, those of the one walk, and what counts for
all) as shapes: sum of shape times log probability.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp, softmax

from prum.experiments.fitting.features import LinkFeatures
from prum.experiments.fitting.fitted_types import (
    FittedTypes,
    log_belief,
    log_chances,
    loosened,
    outcome_table,
    shares_of_sizes,
    with_counts,
)
from prum.experiments.fitting.fitted_walk import FittedWalk
from prum.experiments.fitting.walk import WalkEstimator
from prum.experiments.logs.read import sessions_of
from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import Elements, InputError, Links
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import amount, whole_number

if TYPE_CHECKING:
    from scipy import sparse

# Turns of a short run from each start, and of the best one at most; a turn that gains less than so
# many nats a session is the last.
_SHORT, _TURNS, _SETTLED = 12, 150, 1e-4
# The share of sessions that are held out to choose the number of types, and how many standard
# errors more types must gain there.
_HELD_OUT, _SURE = 0.2, 2.0


@dataclass(frozen=True, slots=True)
class TypesEstimator:
    """Learns types of users who walk, by expectation and maximisation over sessions.

    Parameters
    ----------
    num_types
        How many; None for as many as predict a fifth of the sessions best, which are held out by
        chance, and from which neither types nor what is believed of them is learned: another type
        is taken while it gains more than two standard errors there.
    most
        Of types, where their number is chosen.
    common
        Visits to an element that count for all types alike; what is believed beforehand counts no
        more than so many.
    base, skip_strays
        As of `WalkEstimator`, which learns what all people do.
    starts, seed
        So many random starts are tried, by the seed, and the best is kept.

    >>> links = Links({("a", "b"): 1, ("a", "c"): 1})
    >>> log = [["a", "b", "<", "b", "<", "b"], ["a", "c", "<", "c", "<", "c"]] * 40
    >>> types = TypesEstimator(2, base="uniform").fit(log, links)
    >>> [round(share, 2) for share in types.shares]
    [0.5, 0.5]
    >>> one = WalkEstimator(base="uniform").fit(log, links)
    >>> types.score(log) < one.score(log) - 0.3
    True
    """

    num_types: int | None = None
    most: int = 6
    common: float = 20.0
    base: str = "features+targets"
    skip_strays: bool = False
    starts: int = 3
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("most", "starts") + (() if self.num_types is None else ("num_types",)):
            whole_number(name, getattr(self, name), least=1, remedy="give a number")
        amount("common", self.common, positive=True, remedy="give a number of visits")
        WalkEstimator(base=self.base)

    def fit(
        self,
        log: Any,
        links: Links,
        elements: Elements | None = None,
        features: LinkFeatures | None = None,
    ) -> FittedTypes:
        """Return the types that people's steps tell of; parameters as `WalkEstimator.fit`.

        All sessions are kept in memory while they are looked at.
        """
        batches = list(sessions_of(log))
        walk = WalkEstimator(base=self.base, skip_strays=self.skip_strays)
        one = walk.fit(batches, links, elements, features)
        table = outcome_table(batches, one)
        if self.num_types is not None:
            return self._fitted(one, table, self.num_types, ())
        losses, number = self._losses(batches, lambda log: walk.fit(log, links, elements, features))
        return self._fitted(one, table, number, losses)

    def _losses(
        self, batches: list[Sessions], learned: Callable[[list[Sessions]], FittedWalk]
    ) -> tuple[tuple[float, ...], int]:
        """Return nats a held-out session for 1, 2, ... types, and the number that is chosen."""
        kept, held_out = self._split(batches)
        if not any(map(len, kept)) or not any(map(len, held_out)):
            return (), 1
        try:
            one = learned(kept)
            table, held = (outcome_table(part, one) for part in (kept, held_out))
        except InputError:
            # What is left visits no known element.
            return (), 1
        losses = list[Floats]()
        for number in range(1, min(self.most, table.shape[0]) + 1):
            losses.append(-self._run(one, table, number).log_likelihoods(held))
            if number > 1:
                gain = losses[-2] - losses[-1]
                sure = gain.std(ddof=1) / len(gain) ** 0.5 if len(gain) > 1 else np.inf
                if gain.mean() <= _SURE * sure:
                    number -= 1
                    break
        return tuple(float(loss.mean()) for loss in losses), number

    def _split(self, batches: list[Sessions]) -> tuple[list[Sessions], list[Sessions]]:
        """Return the sessions to learn from and those to hold out."""
        rng = np.random.default_rng(self.seed)
        parts = list[Sessions](), list[Sessions]()
        for batch in batches:
            is_held = rng.random(len(batch)) < _HELD_OUT
            for part, chosen in zip(parts, (~is_held, is_held), strict=True):
                part.append(batch.some(np.flatnonzero(chosen)))
        return parts

    def _fitted(
        self, one: FittedWalk, table: "sparse.csr_array", number: int, losses: tuple[float, ...]
    ) -> FittedTypes:
        if number > table.shape[0]:
            thing, remedy = "number of types", "give fewer types, or more sessions"
            raise InputError(thing, number, f"be at most {table.shape[0]}", remedy=remedy)
        run = self._run(one, table, number)
        order = np.argsort(-run.sizes, kind="stable")
        return FittedTypes(
            one,
            tuple(run.walks[k] for k in order),
            tuple(run.sizes[order].tolist()),
            self.common,
            losses,
        )

    def _run(self, one: FittedWalk, table: "sparse.csr_array", number: int) -> "TypesRun":
        """Return the best of several starts, run to the end."""
        rng = np.random.default_rng([self.seed, number])
        belief = one if number == 1 else loosened(one, self.common)

        def start() -> TypesRun:
            # Who does the same begins as the same type, whatever it is.
            likings = rng.standard_normal((table.shape[1], number))
            run = TypesRun(belief, table, self.common, softmax(table @ likings, axis=1))
            return run.run(_SHORT)

        starts = (start() for _ in range(self.starts if number > 1 else 1))
        return max(starts, key=lambda run: run.objective).run(_TURNS)


class TypesRun:
    """Expectation and maximisation from one start.

    Parameters
    ----------
    one
        The walk of all people, whose beliefs are those of each type.
    table
        What people did.
    common
        As of `TypesEstimator`.
    parts
        How probable each type is at first for each group; shape (num_groups, number of types).
    """

    def __init__(
        self, one: FittedWalk, table: "sparse.csr_array", common: float, parts: Floats
    ) -> None:
        from scipy import sparse

        self.one, self.num_groups = one, table.shape[0]
        counts = np.asarray(table.sum(axis=0), dtype=np.float64).ravel()
        m, size = len(one.links), len(one.counts.elements)
        # Of each column the element at which visits ended; and how many ended in a known way.
        element = np.append(one.links.sources.astype(np.int64), np.tile(np.arange(size), 4))
        ended = slice(m + 2 * size)
        visits = np.bincount(element[ended], counts[ended], size)
        part = np.divide(common, common + visits, out=np.zeros_like(visits), where=visits > 0)
        alike = part[element]
        self.own = sparse.csr_array(table @ sparse.diags_array(1 - alike))
        self.shared, self.back = alike * counts, self.own.T.tocsr()
        self.belief = with_counts(one, self.shared)
        self.objective = -np.inf
        self._learn(parts)

    def run(self, turns: int) -> "TypesRun":
        """Take turns until they gain little, so many at most."""
        for _ in range(turns):
            before = self.objective
            self.turn()
            if self.objective - before < _SETTLED * self.num_groups:
                break
        return self

    def turn(self) -> None:
        """Say how probable types are for each group, note the objective, learn types by that."""
        logs = self.own @ self.logs + np.log(self.shares)
        self.objective = float(logsumexp(logs, axis=1).sum() + np.log(self.shares).sum())
        self.objective += sum(log_belief(walk, self.belief) for walk in self.walks)
        self._learn(softmax(logs, axis=1))

    def _learn(self, parts: Floats) -> None:
        expected = self.back @ parts
        self.sizes = parts.sum(axis=0)
        self.shares = shares_of_sizes(self.sizes)
        self.walks = [with_counts(self.one, self.shared + column) for column in expected.T]
        self.logs = np.stack([log_chances(walk) for walk in self.walks], axis=1)

    def log_likelihoods(self, table: "sparse.csr_array") -> Floats:
        """Return the logarithm of the probability of all that each group of a table did."""
        logs: Floats = logsumexp(table @ self.logs + np.log(self.shares), axis=1)
        return logs
