"""How people, or machines, browsed by a log: depth, memory, revisits, back clicks, entries."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from prum.experiments.logs.sessions import Sessions, depths
from prum.simulator.model.arrays import Floats, Ints

# Counts of triples of elements that are kept before equal ones are put together.
_MOST_TRIPLES = 2_000_000
# How much the elements alone weigh against what people did who came the same way.
_WEIGHTS = 2.0 ** np.arange(-3, 15)


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

    >>> log = LogSummary.of([Sessions.of([["a", "b", "<", "c"], ["b", "b"]])])
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
    def of(cls, batches: Iterable[Sessions]) -> "LogSummary":
        """Return it for batches of sessions, which are looked at one by one and not kept."""
        watch = LogWatch()
        for _ in watch.through(batches):
            pass
        return watch.summary


class LogWatch:
    """Takes note of sessions while they go by: who reads a log once can have both."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._persons, self._lost = set[str](), Counter[str]()
        self._counts = np.zeros(6, dtype=np.int64)
        self._lengths, self._depths = np.zeros((2, 1), dtype=np.int64)
        self._triples = np.zeros((0, 4), dtype=np.int64)

    def through(self, batches: Iterable[Sessions]) -> Iterator[Sessions]:
        """Yield batches of sessions, taking note of them."""
        for batch in batches:
            self._add(batch)
            yield batch

    def _add(self, batch: Sessions) -> None:
        self._lost.update(dict(batch.lost))
        if not len(batch):
            return
        self._persons.update(batch.persons)
        codes = [self._codes.setdefault(name, len(self._codes)) for name in batch.elements]
        at, session = np.array(codes, dtype=np.int64)[batch.element], batch.session
        is_move = ~batch.is_entry & ~batch.is_back
        _, first = np.unique(session * len(self._codes) + at, return_index=True)
        is_again = ~batch.is_back
        is_again[first] = False
        kinds = (batch.is_entry, is_move, batch.is_back, is_again)
        self._counts += [len(batch), len(at), *(int(kind.sum()) for kind in kinds)]
        self._lengths = _added(self._lengths, np.diff(batch.starts))
        deep = depths(batch.is_entry, batch.is_back) - 1
        self._depths = _added(self._depths, np.maximum.reduceat(deep, batch.starts[:-1]))
        twice = np.flatnonzero(is_move & np.roll(is_move, 1) & ~batch.is_entry)
        own = np.stack([at[twice - 2], at[twice - 1], at[twice], np.ones_like(twice)], axis=1)
        self._triples = np.concatenate([self._triples, _together(own)])
        if len(self._triples) > _MOST_TRIPLES:
            self._triples = _together(self._triples)

    @property
    def summary(self) -> LogSummary:
        """What was noted so far."""
        sessions, visits, entries, moves, backs, revisits = self._counts.tolist()
        memory, remembered = _memory(_together(self._triples))
        return LogSummary(
            num_sessions=sessions,
            num_persons=len(self._persons),
            num_elements=len(self._codes),
            num_visits=visits,
            num_entries=entries,
            num_moves=moves,
            num_backs=backs,
            num_revisits=revisits,
            length=Spread.of(self._lengths),
            depth=Spread.of(self._depths),
            memory=memory,
            remembered=remembered,
            lost=dict(sorted(self._lost.items())),
        )


def not_kept(lost: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence on what the log of another program tells beside visits, if anything."""
    if lost:
        counted = ", ".join(f"{name} {number:,}" for name, number in lost.items())
        yield f"Not kept of the log: {counted}."


def _added(numbers: Ints, values: Ints) -> Ints:
    """Return how often each whole number came up, with some more of them."""
    size = max(len(numbers), int(values.max(initial=0)) + 1)
    counted: Ints = np.bincount(values, minlength=size).astype(np.int64)
    counted[: len(numbers)] += numbers
    return counted


def _numbered(first: Ints, second: Ints) -> Ints:
    """Return the number of each pair among the different ones."""
    _, pair = np.unique(first * (int(second.max(initial=0)) + 1) + second, return_inverse=True)
    numbers: Ints = pair.ravel().astype(np.int64)
    return numbers


def _together(triples: Ints) -> Ints:
    """Return rows (before, at, to, number), each triple once."""
    key = _numbered(_numbered(triples[:, 0], triples[:, 1]), triples[:, 2])
    _, first = np.unique(key, return_index=True)
    numbers = np.bincount(key, triples[:, 3], len(first)).astype(np.int64)
    return np.column_stack([triples[first, :3], numbers])


def _memory(triples: Ints) -> tuple[float, float]:
    """Return nats a move that the element before tells, and the share of moves it tells of.

    Without move i from x to y, come from w, a share of y at x is q = (n_xy - 1 + 1/d) / n_x, where
    d elements were moved to from x; with the element before (n_wxy - 1 + k q) / (n_wx - 1 + k),
    for the k of `_WEIGHTS` that predicts best, or none, which is no memory.
    """
    before, at, to, times = triples.T
    if not len(times):
        return 0.0, 0.0

    def number(group: Ints) -> Floats:
        return np.bincount(group, times).astype(np.float64)[group]

    step = _numbered(at, to)
    _, once = np.unique(step, return_index=True)
    num_targets = np.bincount(at[once], minlength=int(at.max()) + 1)[at]
    share = (number(step) - 1 + 1 / num_targets) / number(at)
    same_way = number(_numbered(before, at))
    best, remembered = 0.0, 0.0
    for weight in _WEIGHTS:
        gain = np.log((times - 1 + weight * share) / (same_way - 1 + weight) / share)
        mean = float(gain @ times / times.sum())
        if mean > best:
            best, remembered = mean, float(times[gain > 0].sum() / times.sum())
    return best, remembered
