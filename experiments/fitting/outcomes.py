"""How visits ended, and how probable that is on a walk."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import xlogy

from prum.experiments.fitting.fitted_walk import FittedWalk
from prum.experiments.fitting.predictions import moves_of
from prum.experiments.logs.sessions import Sessions, codes_of, depths
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints

if TYPE_CHECKING:
    from scipy import sparse

# In place of the probability 0: what people did cannot have been impossible.
_LEAST = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """How each visit of a batch ended; arrays of shape (m,).

    Parameters
    ----------
    at
        The element, as a number of those of a walk; -1 if it is unknown.
    row
        The row of links along which the person moved on, -1 if they did not.
    goes_back, stops
        Whether they went back, or stopped, as far as that is known.
    is_entry, alone
        Whether a path begins here, and whether there was nothing to go back to.
    """

    at: Ints
    row: Ints
    goes_back: Flags
    stops: Flags
    is_entry: Flags
    alone: Flags

    @classmethod
    def of(cls, sessions: Sessions, links: Links, elements: tuple[str, ...]) -> "Outcomes":
        """Return how visits ended, people who stray taken to enter anew."""
        code = {name: number for number, name in enumerate(elements)}
        at = codes_of(sessions.elements, code)[sessions.element]
        come, rows = moves_of(sessions, links)
        row = np.full(len(at), -1, dtype=np.int64)
        row[come - 1] = rows
        is_move = np.zeros(len(at), dtype=np.bool_)
        is_move[come] = True
        is_back = sessions.is_back & ~sessions.is_entry & (at >= 0) & (np.append(-1, at[:-1]) >= 0)
        is_entry = ~is_move & ~is_back
        goes_back = np.append(is_back, False)[1:]
        stops = (at >= 0) & (row < 0) & ~goes_back
        stops[sessions.starts[1:][sessions.is_cut] - 1] = False
        return cls(at, row, goes_back, stops, is_entry & (at >= 0), depths(is_entry, is_back) <= 1)

    def table(self, group: Ints, num_groups: int, num_rows: int, size: int) -> "sparse.csr_array":
        """Return how often groups of visits ended in each way: see `OutcomeTable`."""
        from scipy import sparse

        moves = self.row >= 0
        kinds = (
            (moves, self.row),
            (self.stops, num_rows + self.at),
            (self.goes_back, num_rows + size + self.at),
            (moves & ~self.alone, num_rows + 2 * size + self.at),
            (self.is_entry, num_rows + 3 * size + self.at),
        )
        places = np.concatenate([group[chosen] for chosen, _ in kinds])
        columns = np.concatenate([column[chosen] for chosen, column in kinds])
        shape = num_groups, num_rows + 4 * size
        return sparse.csr_array((np.ones(len(places)), (places, columns)), shape=shape)


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeTable:
    """How often visits of each session ended in each way.

    Columns are moves along each row of links; then by element stops, back clicks, moves where there
    was something to go back to, and entries.
    """

    links: Links
    size: int
    matrix: "sparse.csr_array"

    @classmethod
    def of(cls, batches: Iterable[Sessions], walk: FittedWalk) -> "OutcomeTable":
        """Return the table of sessions."""
        from scipy import sparse

        links, elements = walk.links, walk.counts.elements
        size = len(elements)
        parts = [
            Outcomes.of(batch, links, elements).table(batch.session, len(batch), len(links), size)
            for batch in batches
        ]
        return cls(links, size, sparse.csr_array(sparse.vstack(parts, format="csr")))

    @property
    def num_groups(self) -> int:
        """How many sessions there are."""
        return int(self.matrix.shape[0])

    @property
    def element(self) -> Ints:
        """The element at which visits of each column ended."""
        return np.append(self.links.sources.astype(np.int64), np.tile(np.arange(self.size), 4))

    @property
    def counts(self) -> Floats:
        """How often visits ended in each way, in all groups."""
        counts: Floats = np.asarray(self.matrix.sum(axis=0), dtype=np.float64).ravel()
        return counts

    @property
    def visits(self) -> Floats:
        """How many visits of each element ended in a known way."""
        counts, m, n = self.counts, len(self.links), self.size
        ended: Floats = np.bincount(self.links.sources, counts[:m], n) + counts[m : m + n]
        return ended + counts[m + n : m + 2 * n]

    def weighted(self, weights: Floats) -> "sparse.csr_array":
        """Return the matrix with each column times its weight."""
        from scipy import sparse

        return sparse.csr_array(self.matrix @ sparse.diags_array(weights))


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
    """Return a walk of the same beliefs, learned from other counts, by columns of `OutcomeTable`.

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
    """Return the log probability of each column of `OutcomeTable`: a table's product is a group's.

    Where no link leads on, people who came from nowhere stop for sure: what entries have makes up
    for what stops have there.
    """
    s, b = walk.ends
    stop, stay, back, on = (np.log(np.maximum(p, _LEAST)) for p in (s, 1 - s, b, 1 - b))
    moves = np.log(np.maximum(walk.shares, _LEAST)) + stay[walk.links.sources]
    return np.concatenate([moves, stop, stay + back, on, np.where(walk.is_leaf, -stop, 0.0)])


def log_belief(walk: FittedWalk, belief: FittedWalk) -> float:
    """Return the sum of the shapes of a belief times the log probabilities of a walk."""
    s, b = walk.ends
    total = xlogy(belief.shapes, walk.shares).sum()
    for p, (won, lost) in ((s, belief.stop_shapes), (b, belief.back_shapes)):
        total += xlogy(won, p).sum() + xlogy(lost, 1 - p).sum()
    return float(total)


def check_base(base: object, words: tuple[str, ...]) -> None:
    """Raise InputError unless a base is one of some words."""
    if not isinstance(base, str) or base not in words:
        rule = f"be one of {', '.join(words)}"
        raise InputError("base", base, rule, remedy="check the name")
