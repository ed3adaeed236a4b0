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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import logsumexp, softmax, xlogy

from prum.experiments.fitting.fitted import FittedNavigation, check_base, plain, with_arrays
from prum.experiments.fitting.fitted_walk import LEAST, FittedWalk, predicted
from prum.experiments.fitting.held_out import Predictions
from prum.experiments.fitting.walk import BASES, WalkEstimator
from prum.experiments.frame.numbers import count
from prum.experiments.logs.counts import Outcomes, StepCounts
from prum.experiments.logs.read import read_sessions
from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import Elements, InputError, Links, Mixture, Navigation
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import whole_number

if TYPE_CHECKING:
    from scipy import sparse

# So many random starts are tried, of which the best is kept.
_STARTS = 3
# Turns of a short run from each start, and of the best one at most; a turn that gains less than so
# many nats a session is the last.
_SHORT, _TURNS, _SETTLED = 12, 150, 1e-4
# Types at most, where their number is chosen; the share of sessions that are held out for that, and
# how many standard errors more types must gain there.
_MOST, _HELD_OUT, _SURE = 6, 0.2, 2.0
# Visits to an element that count for all types alike.
_COMMON = 20.0
# What is counted of each type by itself.
_OWN = ("moves", "stops", "backs", "entries", "first_moves")


@dataclass(frozen=True, slots=True)
class TypesEstimator:
    """Learns types of users who walk, by expectation and maximisation over sessions.

    Parameters
    ----------
    num_types
        How many; None for as many as predict a fifth of the sessions best, which are held out by
        chance, and from which neither types nor what is believed of them is learned: another type
        is taken while it gains more than two standard errors there.
    base, skip_strays
        As of `WalkEstimator`, which learns what all people do.
    seed
        Of the random starts, and of which sessions are held out.

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
    base: str = "features+targets"
    skip_strays: bool = False
    seed: int = 1

    def __post_init__(self) -> None:
        if self.num_types is not None:
            whole_number("num_types", self.num_types, least=1, remedy="give a number")
        check_base(self.base, BASES)

    def fit(self, log: Any, links: Links, elements: Elements | None = None) -> "FittedTypes":
        """Return the types that people's steps tell of; parameters as `WalkEstimator.fit`."""
        sessions = read_sessions(log)
        estimator = WalkEstimator(base=self.base, skip_strays=self.skip_strays)
        walk = estimator.fit(sessions, links, elements)
        number, losses = self.num_types, list[float]()
        if number is None:
            is_held = np.random.default_rng(self.seed).random(len(sessions)) < _HELD_OUT
            kept, held = (sessions.some(np.flatnonzero(part)) for part in (~is_held, is_held))
            try:
                losses, number = self._losses(estimator.fit(kept, links, elements), kept, held)
            except InputError:
                number = 1  # what is left visits no known element
        table = outcome_table(sessions, walk)
        if number > table.shape[0]:
            thing, remedy = "number of types", "give fewer types, or more sessions"
            raise InputError(thing, number, f"be at most {table.shape[0]}", remedy=remedy)
        run = self._run(walk, table, number)
        order = np.argsort(-run.sizes, kind="stable")
        walks, sizes = tuple(run.walks[k] for k in order), tuple(run.sizes[order].tolist())
        return FittedTypes(walk, walks, sizes, tuple(losses))

    def _losses(self, walk: FittedWalk, kept: Sessions, held: Sessions) -> tuple[list[float], int]:
        """Return nats a held-out session for 1, 2, ... types, and the number that is chosen."""
        if not len(held):
            return [], 1
        table, held_table = (outcome_table(part, walk) for part in (kept, held))
        losses = list[Floats]()
        for number in range(1, min(_MOST, len(kept)) + 1):
            run = self._run(walk, table, number)
            losses.append(-logsumexp(held_table @ run.logs + np.log(run.shares), axis=1))
            if number > 1:
                gain = losses[-2] - losses[-1]
                sure = gain.std(ddof=1) / len(gain) ** 0.5 if len(gain) > 1 else np.inf
                if gain.mean() <= _SURE * sure:
                    number -= 1
                    break
        return [float(loss.mean()) for loss in losses], number

    def _run(self, everyone: FittedWalk, table: "sparse.csr_array", number: int) -> "TypesRun":
        """Return the best of several starts, run to the end."""
        rng = np.random.default_rng([self.seed, number])
        belief = everyone if number == 1 else loosened(everyone, _COMMON)
        starts = list[TypesRun]()
        for _ in range(_STARTS if number > 1 else 1):
            # Who does the same begins as the same type, whatever it is.
            likings = rng.standard_normal((table.shape[1], number))
            starts.append(TypesRun(belief, table, softmax(table @ likings, axis=1)).run(_SHORT))
        return max(starts, key=lambda run: run.objective).run(_TURNS)


class TypesRun:
    """Expectation and maximisation from one start.

    Parameters
    ----------
    everyone
        The walk of all people, whose beliefs are those of each type.
    table
        What people did.
    parts
        How probable each type is at first for each group; shape (num_groups, number of types).
    """

    def __init__(self, everyone: FittedWalk, table: "sparse.csr_array", parts: Floats) -> None:
        from scipy import sparse

        self.everyone, self.num_groups = everyone, table.shape[0]
        counts = np.asarray(table.sum(axis=0), dtype=np.float64).ravel()
        m, size = len(everyone.links), len(everyone.counts.elements)
        # Of each column the element at which visits ended; and how many ended in a known way.
        element = np.append(everyone.links.sources.astype(np.int64), np.tile(np.arange(size), 4))
        ended = slice(m + 2 * size)
        visits = np.bincount(element[ended], counts[ended], size)
        part = np.divide(_COMMON, _COMMON + visits, out=np.zeros_like(visits), where=visits > 0)
        alike = part[element]
        self.of_types = sparse.csr_array(table @ sparse.diags_array(1 - alike))
        self.shared, self.back = alike * counts, self.of_types.T.tocsr()
        self.belief = with_counts(everyone, self.shared)
        self.objective = -np.inf
        self._learn(parts)

    def run(self, turns: int) -> "TypesRun":
        """Take turns until they gain little, so many at most.

        Each says how probable types are for each group, and learns types by that.
        """
        for _ in range(turns):
            before = self.objective
            logs = self.of_types @ self.logs + np.log(self.shares)
            self.objective = float(logsumexp(logs, axis=1).sum() + np.log(self.shares).sum())
            for walk in self.walks:
                # Of what is believed, shapes times log probabilities.
                self.objective += float(xlogy(self.belief.shapes, walk.shares).sum())
                ends = self.belief.stop_shapes, self.belief.back_shapes
                for p, (won, lost) in zip(walk.ends, ends, strict=True):
                    self.objective += float(xlogy(won, p).sum() + xlogy(lost, 1 - p).sum())
            self._learn(softmax(logs, axis=1))
            if self.objective - before < _SETTLED * self.num_groups:
                break
        return self

    def _learn(self, parts: Floats) -> None:
        expected = self.back @ parts
        self.sizes = parts.sum(axis=0)
        self.shares = shares_of_sizes(self.sizes)
        self.walks = [with_counts(self.everyone, self.shared + column) for column in expected.T]
        self.logs = np.stack([log_chances(walk) for walk in self.walks], axis=1)


@dataclass(frozen=True, eq=False)
class FittedTypes(FittedNavigation):
    """Users of several types, each of whom walks by probabilities that a log tells of.

    Of what a log leaves open, it is taken to be known which sessions are of which type (by their
    probability), and what is believed beforehand: `variances` and posterior draws are those of
    walks learned from so many sessions of each type.

    What is predicted of a session rests on what it held before: each type is as probable as its
    share times the probability of that.

    Parameters
    ----------
    everyone
        The walk of all people, one type.
    walks
        Of each type, the commonest first; their counts are expectations.
    sizes
        How many sessions are expected to be of each type.
    losses
        Nats a held-out session for 1, 2, ... types, where their number was chosen by that.
    """

    everyone: FittedWalk
    walks: tuple[FittedWalk, ...]
    sizes: tuple[float, ...]
    losses: tuple[float, ...]

    @property
    def counts(self) -> StepCounts:
        """What the log says of all people."""
        return self.everyone.counts

    @property
    def shares(self) -> tuple[float, ...]:
        """Of each type, in the mean of a Dirichlet law that began with shape 1."""
        return tuple(shares_of_sizes(np.array(self.sizes)).tolist())

    @cached_property
    def navigation(self) -> Mixture:
        """Each type's walk in the mean, and the shares."""
        return Mixture(self.shares, [walk.navigation for walk in self.walks])

    @cached_property
    def _logs(self) -> Floats:
        return np.stack([log_chances(walk) for walk in self.walks], axis=1)

    def _before(self, sessions: Sessions, outcomes: Outcomes) -> Floats:
        """Return the log of each type's share and of what came before each visit; (m, types)."""
        links, size = self.everyone.links, len(self.everyone.counts.elements)
        num_visits = len(outcomes.element)
        table = outcomes.table(np.arange(num_visits), num_visits, len(links), size)
        # That a path begins here is known before anything else is.
        logs = np.asarray(table @ self._logs)
        before: Floats = np.cumsum(logs, axis=0) - logs
        before -= np.repeat(before[sessions.starts[:-1]], np.diff(sessions.starts), axis=0)
        before += np.log(self.shares)
        return before

    def predict(self, sessions: Sessions) -> Mapping[str, Predictions]:
        """Return what is predicted of steps, stops and back clicks, given the session so far."""
        outcomes = Outcomes.of(sessions, self.everyone.links, self.everyone.counts.elements)
        return predicted(self.walks, self._before(sessions, outcomes), sessions, outcomes)

    def check(self, sessions: Sessions) -> None:
        """Raise InputError for strays, unless these are left out."""
        self.everyone.check(sessions)

    def sample_posterior(self, n: int, seed: int) -> list[Navigation]:
        """Return mixtures: shares from their Dirichlet law, walks as each type's posterior law."""
        of_types, *seeds = np.random.SeedSequence(seed).generate_state(len(self.walks) + 1).tolist()
        shares = np.random.default_rng(of_types).dirichlet(np.array(self.sizes) + 1, n)
        pairs = zip(self.walks, seeds, strict=True)
        walks = zip(*(walk.sample_posterior(n, of_type) for walk, of_type in pairs), strict=True)
        return [Mixture(row / row.sum(), drawn) for row, drawn in zip(shares, walks, strict=True)]

    def variances(self, slopes: Floats) -> Floats:
        """Return by source the variance of sums over the mean table; shares count as known."""
        parts = [walk.variances(slopes) for walk in self.walks]
        summed: Floats = np.square(self.shares) @ np.stack(parts)
        return summed

    @property
    def tried(self) -> Ints:
        """How often people, of whatever type, could have taken each row of `to_links()`."""
        return self.everyone.tried

    def row_variances(self) -> Floats:
        """Return the variance of each row of the mean table; shares count as known."""
        parts = np.stack([walk.row_variances() for walk in self.walks])
        variances: Floats = np.square(self.shares) @ parts
        return variances

    def simulate(self, num_sessions: int, seed: int) -> Sessions:
        """Return sessions, each of a type that is drawn; see `FittedWalk.simulate`."""
        whole_number("number of sessions", num_sessions, least=1, remedy="try 1000")
        rng = np.random.default_rng(seed)
        numbers = rng.multinomial(num_sessions, self.shares)
        seeds = rng.integers(2**63, size=len(self.walks)).tolist()
        parts = [
            walk.simulate(int(number), of_type)
            for walk, number, of_type in zip(self.walks, numbers, seeds, strict=True)
            if number
        ]
        starts = np.append(0, np.cumsum(np.concatenate([np.diff(part.starts) for part in parts])))
        element, is_back, is_cut = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("element", "is_back", "is_cut")
        )
        made = Sessions.of_paths(self.counts.elements, element, starts, is_back, is_cut)
        return made.some(rng.permutation(num_sessions))

    def summary(self) -> str:
        """Return shares and losses of types, and what all people are as one."""
        shares = ", ".join(f"{share:.3f}" for share in self.shares)
        lines = [f"{count(len(self.walks), 'type')} of walkers, shares of sessions {shares}"]
        for number, loss in enumerate(self.losses, start=1):
            chosen = ", chosen" * (number == len(self.walks))
            lines.append(f"{count(number, 'type')}: {loss:.4f} nats per held-out session{chosen}")
        for number, walk in enumerate(self.walks, start=1):
            stops, backs = walk.ends
            visits = walk.counts.moved + walk.counts.backs + walk.counts.stops
            mean = [float(visits @ p / max(visits.sum(), 1)) for p in (stops, (1 - stops) * backs)]
            lines.append(f"type {number}: stop {mean[0]:.3f}, go back {mean[1]:.3f} of visits")
        if len(self.walks) > 1:
            lines.append("intervals take types and priors as known: too narrow on small logs")
        return "\n".join([*lines, "all people as one type:", self.everyone.summary()])

    def to_dict(self) -> dict[str, Any]:
        """Return the walk of all people, and what is counted of each type."""
        counts = (plain(walk.counts) for walk in self.walks)
        types = [{name: of_type[name] for name in _OWN} for of_type in counts]
        return {
            "fitted": "types",
            "sizes": list(self.sizes),
            "types": types,
            "common": _COMMON,
            "losses": list(self.losses),
            "one": self.everyone.to_dict(),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the types that `to_dict` told of."""
        everyone = FittedWalk.from_dict(content["one"])
        belief = loosened(everyone, content["common"]) if len(content["types"]) > 1 else everyone
        walks = []
        for of_type in content["types"]:
            counts = replace(everyone.counts, **with_arrays(of_type, np.float64))
            walks.append(replace(belief, counts=counts))
        sizes, losses = tuple(content["sizes"]), tuple(content["losses"])
        return cls(everyone, tuple(walks), sizes, losses)


def shares_of_sizes(sizes: Floats) -> Floats:
    """Return the mean shares of types, from how many are expected of each."""
    shares: Floats = (sizes + 1) / (sizes.sum() + len(sizes))
    return shares


def outcome_table(sessions: Sessions, walk: FittedWalk) -> "sparse.csr_array":
    """Return how often visits of each session ended in each way, with the columns of `Outcomes`."""
    links, elements = walk.links, walk.counts.elements
    outcomes = Outcomes.of(sessions, links, elements)
    return outcomes.table(sessions.session, len(sessions), len(links), len(elements))


def loosened(walk: FittedWalk, most: float) -> FittedWalk:
    """Return a walk whose beliefs count for so many visits at most, and as known."""
    ends: dict[str, Any] = {
        name: tuple(shape * min(1.0, most / sum(shapes)) for shape in shapes)
        for name in ("stops", "leaf_stops", "backs")
        for shapes in [getattr(walk, name)]
    }
    concentrations = np.minimum(walk.choices.concentrations, most)
    law = replace(walk.choices, concentrations=concentrations, draws=None)
    return replace(walk, choices=law, draws=None, **ends)


def with_counts(walk: FittedWalk, counts: Floats) -> FittedWalk:
    """Return a walk of the same beliefs, learned from other counts, by columns of `outcome_table`.

    Where back clicks lead is left as it was.
    """
    m, n = len(walk.links), len(walk.counts.elements)
    stops, backs, free, entries = counts[m:].reshape(4, n)
    moved = np.bincount(walk.links.sources, counts[:m], n)
    changed: Any = dict(zip(_OWN, (counts[:m], stops, backs, entries), strict=False))
    changed["first_moves"] = np.maximum(moved - free, 0)
    return replace(walk, counts=replace(walk.counts, **changed))


def log_chances(walk: FittedWalk) -> Floats:
    """Return the log probability of each column of `outcome_table`: a table's product is a group's.

    Where no link leads on, people who came from nowhere stop for sure: what entries have makes up
    for what stops have there.
    """
    s, b = walk.ends
    stop, stay, back, on = (np.log(np.maximum(p, LEAST)) for p in (s, 1 - s, b, 1 - b))
    moves = np.log(np.maximum(walk.shares, LEAST)) + stay[walk.links.sources]
    return np.concatenate([moves, stop, stay + back, on, np.where(walk.is_leaf, -stop, 0.0)])
