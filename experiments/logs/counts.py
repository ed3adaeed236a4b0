"""What navigation is learned from: how often people took each link, stopped, and went back."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from prum.experiments.logs.codes import codes_of, rows_of
from prum.experiments.logs.sessions import Sessions, depths
from prum.simulator.model import InputError, Links, observed_shares
from prum.simulator.model.arrays import Ints


@dataclass(frozen=True, slots=True, eq=False)
class StepCounts:
    """Numbers of steps, of any number of sessions: all that a walk's likelihood needs to know.

    A visit ends in one of three ways: the person moves on along a link, goes back, or stops. The
    last visit of a session that was cut is not counted.

    Parameters
    ----------
    links
        Along which people may move; its probabilities mean nothing here.
    elements
        Those of the links, and others that are known; numbers below refer to them. Those of the
        links come first, in their order.
    moves
        Along each row of `links`; shape (len(links),).
    stops, backs, entries
        At, from and to each element; shape (len(elements),).
    first_moves
        From each element those moves before which there was nothing to go back to; shape
        (len(elements),).
    returns
        Rows (from, to, number) of back clicks; shape (k, 3).
    after
        Rows (element before, row of links, number) of moves whose origin was come to along a link
        from the element before; shape (j, 3). Needed for the second order only; without it (0, 3).
    num_sessions, num_strays
        How many sessions, and how many moves along no link were left out.
    """

    links: Links
    elements: tuple[str, ...]
    moves: Ints
    stops: Ints
    backs: Ints
    entries: Ints
    first_moves: Ints
    returns: Ints
    after: Ints
    num_sessions: int
    num_strays: int

    @property
    def moved(self) -> Ints:
        """How often people moved on from each element; shape (len(elements),)."""
        moved = np.bincount(self.links.sources, self.moves, len(self.elements))
        return moved.astype(self.moves.dtype)

    def shares(self) -> Links:
        """Return the share of visits to x from which people moved on to y, as `observed` has it."""
        visits = (self.moved + self.stops + self.backs)[self.links.sources]
        return self.links.with_probabilities(observed_shares(self.moves, visits))


def step_counts(
    batches: Iterable[Sessions],
    links: Links,
    *,
    elements: Iterable[str] = (),
    second_order: bool = False,
    skip_strays: bool = False,
) -> StepCounts:
    """Return what is counted in sessions, which are looked at batch by batch and not kept.

    Parameters
    ----------
    elements
        Known ones besides those of the links.
    second_order
        Whether to count moves by the element before as well.
    skip_strays
        Leave out moves along no link and visits of elements without links, rather than refuse
        them. The person is taken to stop before them and to enter anew after them.

    Raises
    ------
    InputError
        for a move along no link and an unknown element (how many there are, and the first), and
        without any session.

    >>> links = Links({("a", "b"): 1, ("a", "c"): 1})
    >>> counts = step_counts([Sessions.of([["a", "b", "<", "c"], ["b"]])], links)
    >>> counts.moves.tolist(), counts.stops.tolist(), counts.backs.tolist()
    ([1, 1], [0, 1, 1], [0, 1, 0])
    """
    names = list(dict.fromkeys((*links.elements, *elements)))
    code = {name: place for place, name in enumerate(names)}
    size = len(names)
    moves = np.zeros(len(links), dtype=np.int64)
    stops, backs, entries, first_moves = np.zeros((4, size), dtype=np.int64)
    returns, after = PairCounts(size), PairCounts(len(links))
    num_sessions = num_moves = num_strays = num_unknown = 0
    first_stray = ""
    for batch in batches:
        known = codes_of(batch.elements, code)
        at, is_entry = known[batch.element], batch.is_entry
        before = np.append(-1, at[:-1])  # means nothing where a path begins
        is_move = ~is_entry & ~batch.is_back
        row = rows_of(links, before, at)
        is_unknown = at < 0
        is_stray = is_unknown | (is_move & (before >= 0) & (row < 0))
        num_moves += int(np.count_nonzero(is_move))
        if is_stray.any():
            num_strays += int(np.count_nonzero(is_stray))
            num_unknown += int(np.count_nonzero(is_unknown))
            first_stray = first_stray or _stray(batch, known, int(np.argmax(is_stray)))
            # People who stray enter anew.
            is_entry = is_entry | is_stray | (before < 0)
            is_move &= ~is_entry
        ends = np.append(is_entry[1:], True) & ~is_unknown
        ends[batch.starts[1:][batch.is_cut] - 1] = False
        is_back = batch.is_back & ~is_entry
        moves += np.bincount(row[is_move], minlength=len(moves))
        stops += np.bincount(at[ends], minlength=size)
        entries += np.bincount(at[is_entry & ~is_unknown], minlength=size)
        backs += np.bincount(before[is_back], minlength=size)
        is_first = np.flatnonzero(is_move[1:] & (depths(is_entry, is_back)[:-1] <= 1)) + 1
        first_moves += np.bincount(before[is_first], minlength=size)
        returns.add(before[is_back], at[is_back])
        if second_order:
            twice = np.flatnonzero(is_move[1:] & is_move[:-1]) + 1
            after.add(before[twice - 1], row[twice])
        num_sessions += len(batch)
    if num_strays and not skip_strays:
        thing = f"number of strays in a log of {num_moves} moves"
        rule = (
            f"be 0, because people move along links: {num_strays - num_unknown} moves are along no "
            f"link, {num_unknown} visits are of elements without links"
        )
        remedy = f"the first is {first_stray}; correct the log or the links, or --skip-strays"
        raise InputError(thing, num_strays, rule, remedy=remedy)
    if not num_sessions:
        raise InputError("log", "empty", "hold a session", remedy="give a log with events")
    return StepCounts(
        links,
        tuple(names),
        moves,
        stops,
        backs,
        entries,
        first_moves,
        returns.rows,
        after.rows,
        num_sessions,
        num_strays,
    )


class PairCounts:
    """Numbers of pairs, as they come in; the second of each is below `size`.

    >>> counts = PairCounts(3)
    >>> counts.add(np.array([1, 0]), np.array([2, 2]))
    >>> counts.add(np.array([1]), np.array([2]))
    >>> counts.rows.tolist()
    [[0, 2, 1], [1, 2, 2]]
    """

    def __init__(self, size: int) -> None:
        self._size = max(size, 1)
        # Sorted keys and their numbers; each part is over twice as long as the next, so that a
        # pair is looked at a few times only, however many batches come.
        self._parts: list[tuple[Ints, Ints]] = []

    def add(self, first: Ints, second: Ints) -> None:
        """Count pairs once more."""
        keys, numbers = np.unique(first * self._size + second, return_counts=True)
        self._parts.append((keys, numbers.astype(np.int64)))
        while len(self._parts) > 1 and len(self._parts[-2][0]) <= 2 * len(self._parts[-1][0]):
            self._merge(2)

    @property
    def rows(self) -> Ints:
        """Rows (first, second, number), sorted; shape (k, 3)."""
        if not self._parts:
            return np.zeros((0, 3), dtype=np.int64)
        self._merge(len(self._parts))
        keys, numbers = self._parts[0]
        return np.column_stack([keys // self._size, keys % self._size, numbers])

    def _merge(self, num_parts: int) -> None:
        """Make the last parts one."""
        keys, numbers = map(np.concatenate, zip(*self._parts[-num_parts:], strict=True))
        keys, place = np.unique(keys, return_inverse=True)
        counts = np.bincount(place, numbers, len(keys)).astype(np.int64)
        self._parts[-num_parts:] = [(keys, counts)]


def _stray(batch: Sessions, known: Ints, visit: int) -> str:
    name = batch.elements[batch.element[visit]]
    if known[batch.element[visit]] < 0:
        return repr(name)
    return f"{batch.elements[batch.element[visit - 1]]!r} -> {name!r}"
