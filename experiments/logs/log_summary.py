"""How people, or machines, browsed by a log: depth, memory, revisits, back clicks, entries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from prum.experiments.logs.sessions import Sessions, depths
from prum.simulator.model.arrays import Floats, Ints

# How much the elements alone weigh against what people did who came the same way.
_WEIGHTS = 2.0 ** np.arange(-3, 15)


# Of so many elements three are one number of 63 bits.
_FEW = 1 << 21


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean of whole numbers, one for each session, and below what half and nine tenths lie."""

    mean: float
    median: int
    most_of_nine: int
    largest: int

    @classmethod
    def of(cls, numbers: Ints) -> "Spread":
        """Return it from how many sessions have 0, 1, 2, ...

        >>> Spread.of(np.array([1, 2, 1]))
        Spread(mean=1.0, median=1, most_of_nine=2, largest=2)
        """
        passed = np.cumsum(numbers)
        half, nine = (int(np.searchsorted(passed, share * passed[-1])) for share in (0.5, 0.9))
        mean = float(numbers @ np.arange(len(numbers)) / passed[-1])
        return cls(mean, half, nine, int(np.flatnonzero(numbers)[-1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSummary:
    """How a log's sessions went, before anything is learned from them.

    Parameters
    ----------
    num_sessions, num_persons, num_elements, num_visits
        People are counted where the log names them, elements where they were visited.
    num_entries, num_moves, num_backs
        Of the visits, those that people came to otherwise than along a link, along one, and by a
        back click.
    num_revisits
        Entries and moves that lead to an element which the session has visited before.
    length, depth
        Visits of a session; and links from its entry to its deepest visit, back clicks going up.
    memory
        Nats by which a move is predicted better if the element before its origin is known, too;
        each move predicted from all others (leave one out). 0 for people without memory.
    remembered
        The share of moves that are predicted better so.
    lost
        What the log of another program tells that is no visit, by name, and how often.

    >>> log = LogSummary.of(Sessions.of([["a", "b", "<", "c"], ["b", "b"]]))
    >>> log.num_moves, log.num_backs, log.num_revisits, log.depth.largest
    (3, 1, 1, 1)
    """

    num_sessions: int
    num_persons: int
    num_elements: int
    num_visits: int
    num_entries: int
    num_moves: int
    num_backs: int
    num_revisits: int
    length: Spread
    depth: Spread
    memory: float
    remembered: float
    lost: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, log: Sessions) -> "LogSummary":
        """Return it for the sessions of a log."""
        size, num_revisits = len(log.elements), 0
        deepest, ways = np.zeros(0, dtype=np.int64), [np.zeros((0, 3), dtype=np.int32)]
        for piece in log.pieces(200_000):
            element, is_move = piece.element, ~piece.is_entry & ~piece.is_back
            _, first = np.unique(piece.session * size + element, return_index=True)
            num_revisits += int((~piece.is_back).sum() - (~piece.is_back[first]).sum())
            deep = depths(piece.is_entry, piece.is_back) - 1
            deepest = np.append(deepest, np.maximum.reduceat(deep, piece.starts[:-1]))
            twice = np.flatnonzero(is_move & np.roll(is_move, 1))
            way = [element[twice - 2], element[twice - 1], element[twice]]
            ways.append(np.column_stack(way).astype(np.int32))
        memory, remembered = _memory(np.concatenate(ways), size)
        return cls(
            num_sessions=len(log),
            num_persons=len(log.persons),
            num_elements=len(log.elements),
            num_visits=len(log.element),
            num_entries=int(log.is_entry.sum()),
            num_moves=int((~log.is_entry & ~log.is_back).sum()),
            num_backs=int(log.is_back.sum()),
            num_revisits=num_revisits,
            length=Spread.of(np.bincount(np.diff(log.starts))),
            depth=Spread.of(np.bincount(deepest)),
            memory=memory,
            remembered=remembered,
            lost=dict(log.lost),
        )


def not_kept(lost: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence on what the log of another program tells beside visits, if anything."""
    if lost:
        counted = ", ".join(f"{name} {number:,}" for name, number in lost.items())
        yield f"Not kept of the log: {counted}."


def _numbered(first: Ints, second: Ints) -> Ints:
    """Return the number of each pair among the different ones."""
    _, pair = np.unique(first * (int(second.max(initial=0)) + 1) + second, return_inverse=True)
    numbers: Ints = pair.ravel().astype(np.int64)
    return numbers


def _memory(ways: Ints, size: int) -> tuple[float, float]:
    """Return nats a move that the element before tells, and the share of moves it tells of.

    Without move i from x to y, come from w, a share of y at x is q = (n_xy - 1 + 1/d) / n_x, where
    d elements were moved to from x; with the element before (n_wxy - 1 + k q) / (n_wx - 1 + k),
    for the k of `_WEIGHTS` that predicts best, or none, which is no memory.
    """
    if not len(ways):
        return 0.0, 0.0
    if size < _FEW:
        keys = (ways[:, 0].astype(np.int64) * size + ways[:, 1]) * size + ways[:, 2]
        del ways
        keys, times = np.unique(keys, return_counts=True)
        before, element, to = keys // size**2, keys // size % size, keys % size
    else:
        (before, element, to), times = np.unique(ways.T, axis=1, return_counts=True)

    def number(group: Ints) -> Floats:
        return np.bincount(group, times).astype(np.float64)[group]

    step = _numbered(element, to)
    _, once = np.unique(step, return_index=True)
    num_targets = np.bincount(element[once], minlength=int(element.max()) + 1)[element]
    share = (number(step) - 1 + 1 / num_targets) / number(element)
    same_way = number(_numbered(before, element))
    best, remembered = 0.0, 0.0
    for weight in _WEIGHTS:
        gain = np.log((times - 1 + weight * share) / (same_way - 1 + weight) / share)
        mean = float(gain @ times / times.sum())
        if mean > best:
            best, remembered = mean, float(times[gain > 0].sum() / times.sum())
    return best, remembered
