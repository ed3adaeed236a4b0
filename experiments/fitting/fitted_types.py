"""Types of users that were learned: how many are of each, and how each type walks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import xlogy

from prum.experiments.fitting.fitted import FittedNavigation
from prum.experiments.fitting.fitted_walk import LEAST, FittedWalk, predicted
from prum.experiments.fitting.predictions import Predictions
from prum.experiments.logs.counts import Outcomes, StepCounts
from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import Mixture, Navigation
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import whole_number

if TYPE_CHECKING:
    from scipy import sparse

# What is counted of each type by itself.
_OWN = ("moves", "stops", "backs", "entries", "first_moves")


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
    one
        The walk of all people, one type.
    walks
        Of each type, the commonest first; their counts are expectations.
    sizes
        How many sessions are expected to be of each type.
    common
        Visits that what is believed beforehand of each type counts for at most.
    losses
        Nats a held-out session for 1, 2, ... types, where their number was chosen by that.
    """

    one: FittedWalk
    walks: tuple[FittedWalk, ...]
    sizes: tuple[float, ...]
    common: float = np.inf
    losses: tuple[float, ...] = ()

    @property
    def counts(self) -> StepCounts:
        """What the log says of all people."""
        return self.one.counts

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
        links, size = self.one.links, len(self.one.counts.elements)
        num_visits = len(outcomes.at)
        table = outcomes.table(np.arange(num_visits), num_visits, len(links), size)
        # That a path begins here is known before anything else is.
        logs = np.asarray(table @ self._logs)
        before: Floats = np.cumsum(logs, axis=0) - logs
        before -= np.repeat(before[sessions.starts[:-1]], np.diff(sessions.starts), axis=0)
        before += np.log(self.shares)
        return before

    def predict(self, sessions: Sessions) -> Mapping[str, Predictions]:
        """Return what is predicted of steps, stops and back clicks, given the session so far."""
        outcomes = Outcomes.of(sessions, self.one.links, self.one.counts.elements)
        return predicted(self.walks, self._before(sessions, outcomes), sessions, outcomes)

    def check(self, batches: Iterable[Sessions]) -> None:
        """Raise InputError for strays, unless these are left out."""
        self.one.check(batches)

    def sample_posterior(self, n: int, seed: int) -> list[Navigation]:
        """Return mixtures: shares from their Dirichlet law, walks as each type's posterior law."""
        own, *seeds = np.random.SeedSequence(seed).generate_state(len(self.walks) + 1).tolist()
        shares = np.random.default_rng(own).dirichlet(np.array(self.sizes) + 1, n)
        pairs = zip(self.walks, seeds, strict=True)
        walks = zip(*(walk.sample_posterior(n, of_type) for walk, of_type in pairs), strict=True)
        return [Mixture(row / row.sum(), drawn) for row, drawn in zip(shares, walks, strict=True)]

    def variances(self, slopes: Floats, *, more: float = 0.0) -> Floats:
        """Return by source the variance of sums over the mean table; shares count as known."""
        parts = [walk.variances(slopes, more=more) for walk in self.walks]
        summed: Floats = np.square(self.shares) @ np.stack(parts)
        return summed

    @property
    def tried(self) -> Ints:
        """How often people, of whatever type, could have taken each row of `to_links()`."""
        return self.one.tried

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
        return shuffled(parts, rng)

    def summary(self) -> str:
        """Return shares and losses of types, and what all people are as one."""
        shares = ", ".join(f"{share:.3f}" for share in self.shares)
        lines = [
            f"{_types(len(self.walks))} of walkers, shares of sessions {shares}",
        ]
        for number, loss in enumerate(self.losses, start=1):
            chosen = ", chosen" * (number == len(self.walks))
            lines.append(f"{_types(number)}: {loss:.4f} nats per held-out session{chosen}")
        for number, walk in enumerate(self.walks, start=1):
            stops, backs = walk.ends
            visits = walk.counts.moved + walk.counts.backs + walk.counts.stops
            mean = [float(visits @ p / max(visits.sum(), 1)) for p in (stops, (1 - stops) * backs)]
            lines.append(f"type {number}: stop {mean[0]:.3f}, go back {mean[1]:.3f} of visits")
        if len(self.walks) > 1:
            lines.append("intervals take types and priors as known: too narrow on small logs")
        return "\n".join([*lines, "all people as one type:", self.one.summary()])

    def to_dict(self) -> dict[str, Any]:
        """Return the walk of all people, and what is counted of each type."""
        types = [
            {name: np.asarray(getattr(walk.counts, name)).tolist() for name in _OWN}
            for walk in self.walks
        ]
        return {
            "fitted": "types",
            "sizes": list(self.sizes),
            "types": types,
            "common": self.common,
            "losses": list(self.losses),
            "one": self.one.to_dict(),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the types that `to_dict` told of."""
        one = FittedWalk.from_dict(content["one"])
        belief = loosened(one, content["common"]) if len(content["types"]) > 1 else one
        walks = []
        for of_type in content["types"]:
            counts: dict[str, Any] = {
                name: np.array(of_type[name], dtype=np.float64) for name in _OWN
            }
            walks.append(replace(belief, counts=replace(one.counts, **counts)))
        sizes, losses = tuple(content["sizes"]), tuple(content["losses"])
        return cls(one, tuple(walks), sizes, content["common"], losses)


def shares_of_sizes(sizes: Floats) -> Floats:
    """Return the mean shares of types, from how many are expected of each."""
    shares: Floats = (sizes + 1) / (sizes.sum() + len(sizes))
    return shares


def shuffled(parts: list[Sessions], rng: np.random.Generator) -> Sessions:
    """Return the sessions of several batches of the same elements and of nobody known, mixed."""
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    element, is_entry, is_back, person, is_cut = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("element", "is_entry", "is_back", "person", "is_cut")
    )
    starts = np.append(0, np.cumsum(lengths))
    whole = Sessions(parts[0].elements, element, starts, is_entry, is_back, (), person, is_cut)
    return whole.some(rng.permutation(len(lengths)))


def _types(number: int) -> str:
    return f"{number} type{'' if number == 1 else 's'}"


def outcome_table(batches: Iterable[Sessions], walk: FittedWalk) -> "sparse.csr_array":
    """Return how often visits of each session ended in each way, with the columns of `Outcomes`."""
    from scipy import sparse

    links, elements = walk.links, walk.counts.elements
    parts = [
        Outcomes.of(batch, links, elements).table(
            batch.session, len(batch), len(links), len(elements)
        )
        for batch in batches
    ]
    return sparse.csr_array(sparse.vstack(parts, format="csr"))


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
    changed: dict[str, Any] = {
        "moves": counts[:m],
        "stops": stops,
        "backs": backs,
        "entries": entries,
        "first_moves": np.maximum(moved - free, 0),
    }
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


def log_belief(walk: FittedWalk, belief: FittedWalk) -> float:
    """Return the sum of the shapes of a belief times the log probabilities of a walk."""
    s, b = walk.ends
    total = xlogy(belief.shapes, walk.shares).sum()
    for p, (won, lost) in ((s, belief.stop_shapes), (b, belief.back_shapes)):
        total += xlogy(won, p).sum() + xlogy(lost, 1 - p).sum()
    return float(total)
