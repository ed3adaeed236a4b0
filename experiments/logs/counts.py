"""What navigation is learned from: how often people took each link, stopped, and went back.

Where visits are independent, it is how often y was seen from x, and how often tried. A user
consults x and then sees, one after the other, what the user visits from there; what was seen
twice counts once. But who is broken off in the middle has had no turn to see the rest of x. Where
it is known in which order people look, the turn of y came if nothing broke them off, or if they saw
y or what comes after it. It hangs on what was tossed before, never on y's own toss: where visits
are independent, how often y was seen is binomial given how often its turn came. Where no order is
known, those broken off count for nothing, which is right if what they saw does not break them off.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.logs.sessions import Sessions, codes_of, depths, expanded, rows_of
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags, Ints

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """How each visit of a batch ended; arrays of shape (m,).

    Parameters
    ----------
    element
        The element, as a number of those that are known, the links' first; -1 if it is not.
    row
        The row of links along which the person moved on, -1 if they did not.
    goes_back, stops
        Whether they went back, or stopped, as far as that is known.
    is_entry, alone
        Whether a path begins here, and whether there was nothing to go back to.
    """

    element: Ints
    row: Ints
    goes_back: Flags
    stops: Flags
    is_entry: Flags
    alone: Flags

    @classmethod
    def of(cls, sessions: Sessions, links: Links, elements: tuple[str, ...]) -> "Outcomes":
        """Return how visits ended, people who stray taken to enter anew."""
        code = {name: number for number, name in enumerate(elements)}
        element = codes_of(sessions.elements, code)[sessions.element]
        before = np.roll(element, 1)  # means nothing where a path begins
        came = rows_of(links, before, element)
        is_move = ~sessions.is_entry & ~sessions.is_back & (came >= 0)
        is_back = sessions.is_back & ~sessions.is_entry & (np.minimum(element, before) >= 0)
        is_entry = ~is_move & ~is_back
        row = np.append(np.where(is_move, came, -1)[1:], -1)[: len(element)]
        goes_back = np.append(is_back, False)[1:]
        stops = (element >= 0) & (row < 0) & ~goes_back
        stops[sessions.starts[1:][sessions.is_cut] - 1] = False
        return cls(
            element,
            row,
            goes_back,
            stops,
            is_entry & (element >= 0),
            depths(is_entry, is_back) <= 1,
        )

    def table(self, group: Ints, num_groups: int, num_rows: int, size: int) -> "sparse.csr_array":
        """Return how often groups of visits ended in each way: see `OutcomeTable`."""
        from scipy import sparse

        moves = self.row >= 0
        kinds = (
            (moves, self.row),
            (self.stops, num_rows + self.element),
            (self.goes_back, num_rows + size + self.element),
            (moves & ~self.alone, num_rows + 2 * size + self.element),
            (self.is_entry, num_rows + 3 * size + self.element),
        )
        places = np.concatenate([group[chosen] for chosen, _ in kinds])
        columns = np.concatenate([column[chosen] for chosen, column in kinds])
        shape = num_groups, num_rows + 4 * size
        return sparse.csr_array((np.ones(len(places)), (places, columns)), shape=shape)


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
    num_sessions: int
    num_strays: int

    @property
    def moved(self) -> Ints:
        """How often people moved on from each element; shape (len(elements),)."""
        moved = np.bincount(self.links.sources, self.moves, len(self.elements))
        return moved.astype(self.moves.dtype)


def step_counts(
    sessions: Sessions,
    links: Links,
    *,
    elements: Iterable[str] = (),
    skip_strays: bool = False,
) -> StepCounts:
    """Return what is counted in sessions.

    Parameters
    ----------
    elements
        Known ones besides those of the links.
    skip_strays
        Leave out moves along no link and visits of elements without links, rather than refuse
        them. The person is taken to stop before them and to enter anew after them.

    >>> links = Links({("a", "b"): 1, ("a", "c"): 1})
    >>> counts = step_counts(Sessions.of([["a", "b", "<", "c"], ["b"]]), links)
    >>> counts.moves.tolist(), counts.stops.tolist(), counts.backs.tolist()
    ([1, 1], [0, 1, 1], [0, 1, 0])
    """
    names = tuple(dict.fromkeys((*links.elements, *elements)))
    size, first = len(names), ""
    num_strays, num_unknown, num_forward = 0, 0, 0
    ends = np.cumsum([len(links), size, size, size])
    totals, returns = np.zeros(ends[-1] + size), [np.zeros(0, dtype=np.int64)]
    for piece in sessions.pieces(200_000):
        ended = Outcomes.of(piece, links, names)
        element, is_forward = ended.element, ~piece.is_entry & ~piece.is_back
        is_unknown, before = element < 0, np.roll(element, 1)
        strays = np.flatnonzero(is_unknown | (is_forward & ended.is_entry & (before >= 0)))
        if len(strays) and not first:
            pair = [piece.elements[piece.element[x]] for x in (strays[0] - 1, strays[0])]
            first = " -> ".join(map(repr, pair[int(is_unknown[strays[0]]) :]))
        num_strays += len(strays)
        num_unknown += int(is_unknown.sum())
        num_forward += int(is_forward.sum())
        totals += ended.table(np.zeros_like(element), 1, len(links), size).toarray()[0]
        came = np.flatnonzero(ended.goes_back) + 1
        returns.append(element[came - 1] * size + element[came])
    if num_strays and not skip_strays:
        thing = f"number of strays in a log of {num_forward} moves"
        rule = (
            f"be 0, because people move along links: {num_strays - num_unknown} moves are along no "
            f"link, {num_unknown} visits are of elements without links"
        )
        remedy = f"the first is {first}; correct the log or the links, or --skip-strays"
        raise InputError(thing, num_strays, rule, remedy=remedy)
    _check_any(sessions)
    pairs, number = np.unique(np.concatenate(returns), return_counts=True)
    moves, stops, backs, later_moves, entries = np.split(totals.astype(np.int64), ends)
    return StepCounts(
        links=links,
        elements=names,
        moves=moves,
        stops=stops,
        backs=backs,
        entries=entries,
        first_moves=np.bincount(links.sources, moves, size).astype(np.int64) - later_moves,
        returns=np.column_stack([pairs // max(size, 1), pairs % max(size, 1), number]),
        num_sessions=len(sessions),
        num_strays=num_strays,
    )


def _check_any(sessions: Sessions) -> None:
    if not len(sessions):
        raise InputError("log", "empty", "hold a session", remedy="give a log with events")


@dataclass(frozen=True, slots=True, eq=False)
class Consultations:
    """Consultations of elements, from which rows of a table lead on.

    Parameters
    ----------
    low, high
        Of each consultation: x has the rows ``low <= row < high``; shape (n,).
    broken
        Of each consultation: whether the user was broken off in the middle; shape (n,).
    place, row
        Of each sight along a row, as the log has them and each once: in which consultation, and
        which row; shape (k,).
    turns
        Of each row, its place in the order in which people look; None where that is not known.
    last
        Of each consultation, the turn of the last that was seen, -1 if nothing was; shape (n,).
    num_rows
        Of the table.
    """

    low: Ints
    high: Ints
    broken: Flags
    place: Ints
    row: Ints
    turns: Ints | None
    last: Ints
    num_rows: int

    def expanded(self) -> tuple[Ints, Ints]:
        """Return the consultation and the row of each trial that there may be."""
        return expanded(self.low, self.high)

    def seen(self, place: Ints, row: Ints) -> Flags:
        """Return whether it was seen along the row in the consultation."""
        return np.isin(place * self.num_rows + row, self.place * self.num_rows + self.row)

    def turn_came(self, place: Ints, row: Ints) -> Flags:
        """Return whether the row's turn came in the consultation."""
        whole: Flags = ~self.broken[place]
        return whole if self.turns is None else whole | (self.turns[row] <= self.last[place])

    def counts(self) -> tuple[Ints, Ints]:
        """Return by row how often it was seen, and of how many trials."""
        size = self.num_rows
        seen = np.bincount(self.row[self.turn_came(self.place, self.row)], minlength=size)
        whole = ~self.broken
        changes = np.bincount(self.low[whole], minlength=size + 1)
        changes -= np.bincount(self.high[whole], minlength=size + 1)
        tried: Ints = np.cumsum(changes[:size])
        if self.turns is not None:
            consulted = np.flatnonzero(self.broken)
            place, row = expanded(self.low[consulted], self.high[consulted])
            tried += np.bincount(row[self.turn_came(consulted[place], row)], minlength=size)
        return seen, tried


ElementPair = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class VisitCounts:
    """Numbers of visits and of trials, of any number of sessions.

    Parameters
    ----------
    links
        The pairs that were counted; its probabilities mean nothing here.
    seen, tried
        By row of `links`, how often it was seen, and of how many trials; shape (len(links),).
    elements, entries
        Those of the links, then others, and how often people entered at each.
    num_sessions, num_broken, num_strays
        How many sessions, paths that were broken off, and visits along no link left out.
    """

    links: Links
    seen: Ints
    tried: Ints
    elements: tuple[str, ...]
    entries: Ints
    num_sessions: int
    num_broken: int
    num_strays: int


def consultations(
    sessions: Sessions,
    links: Links,
    *,
    elements: Iterable[str] = (),
    turns: Ints | None = None,
    skip_strays: bool = False,
) -> tuple[Ints, Consultations, int]:
    """Return the elements entered at, what was visited from there, and the number of strays.

    Each path is a consultation of the element entered at; elements are numbers of those of links,
    then of others that are known, -1 for one that is not.

    Parameters
    ----------
    links
        The pairs to count, none of them (x, x): an element always leads to itself.
    elements
        Known ones besides those of the links.
    turns
        Of each row of links, its place in the order in which people look (`turns_of`); None if
        that is not known.
    skip_strays
        Leave out visits along no link and of unknown elements, rather than refuse them.
    """
    names = tuple(dict.fromkeys((*links.elements, *elements)))
    code = {name: place for place, name in enumerate(names)}
    element = codes_of(sessions.elements, code)[sessions.element]
    path = np.cumsum(sessions.is_entry) - 1
    source = element[sessions.is_entry]
    visits = np.flatnonzero(~sessions.is_entry & (source[path] >= 0) & (element != source[path]))
    place = path[visits]
    row = rows_of(links, source[place], element[visits])
    strays = np.append(np.flatnonzero(sessions.is_entry)[source < 0], visits[row < 0])
    if len(strays) and not skip_strays:
        first = int(strays.min())
        stray = [sessions.elements[sessions.element[first]]]
        if not sessions.is_entry[first]:
            stray.insert(0, names[source[path[first]]])
        rule = "be visits along links from where people entered"
        first_stray = " -> ".join(map(repr, stray))
        remedy = f"the first is {first_stray}; correct the log or the links, or --skip-strays"
        raise InputError("number of strays in the log", len(strays), rule, remedy=remedy)
    _check_any(sessions)
    place, row = place[row >= 0], row[row >= 0]
    _, first_sights = np.unique(place * max(len(links), 1) + row, return_index=True)
    first_sights.sort()
    place, row = place[first_sights], row[first_sights]
    broken = np.zeros(len(source), dtype=np.bool_)
    broken[path[sessions.starts[1:][sessions.is_cut] - 1]] = True
    last = np.full(len(source), -1, dtype=np.int64)
    if turns is not None:
        _check_order(links, turns, place, row)
        np.maximum.at(last, place, turns[row])
    # What is unknown, too, has no rows.
    ends = np.append(links.starts, np.full(len(names) + 1, len(links)))
    low = np.where(source < 0, len(names), source)
    seen = Consultations(ends[low], ends[low + 1], broken, place, row, turns, last, len(links))
    return source, seen, len(strays)


def _check_order(links: Links, turns: Ints, place: Ints, row: Ints) -> None:
    """Raise InputError if people saw along rows in another order."""
    back = np.flatnonzero((turns[row][1:] <= turns[row][:-1]) & (place[1:] == place[:-1]))
    if len(back):
        pair = row[back[0] : back[0] + 2]
        later, sooner = (links.elements[y] for y in links.targets[pair])
        value = f"{sooner!r} before {later!r} from {links.elements[links.sources[pair[0]]]!r}"
        rule, remedy = "be that in which people look", "correct it, or give none"
        raise InputError("order of links", value, rule, remedy=remedy)


def visit_counts(
    sessions: Sessions, links: Links, *, elements: Iterable[str] = (), **how: Any
) -> VisitCounts:
    """Return what is counted in sessions; parameters as `consultations`.

    >>> sessions = Sessions.of([["x", "a", "<", "a"], ["x", "a", "<", "b"], ["x"]])
    >>> counts = visit_counts(sessions, Links({("x", "a"): 1, ("x", "b"): 1}))
    >>> counts.seen.tolist(), counts.tried.tolist()
    ([2, 1], [3, 3])
    """
    names = tuple(dict.fromkeys((*links.elements, *elements)))
    source, consulted, num_strays = consultations(sessions, links, elements=names, **how)
    entries = np.bincount(source[source >= 0], minlength=len(names))
    if not entries.any():
        rule, remedy = "be at least 1", "check the names of elements"
        raise InputError("number of entries at known elements", 0, rule, remedy=remedy)
    seen, tried = consulted.counts()
    num_broken = int(consulted.broken.sum())
    return VisitCounts(links, seen, tried, names, entries, len(sessions), num_broken, num_strays)


def turns_of(links: Links, order: Iterable[ElementPair]) -> Ints:
    """Return the place of each row of links in an order of pairs.

    >>> turns_of(Links({("x", "a"): 1, ("x", "b"): 1}), [("x", "b"), ("x", "a")]).tolist()
    [1, 0]
    """
    turn_of = {pair: turn for turn, pair in enumerate(order)}
    pairs = [(x, y) for x, y, _ in links]
    for pair in pairs:
        if pair not in turn_of:
            rule = "be in the order in which people look"
            raise InputError("link", pair, rule, remedy="add it to the order")
    return np.array([turn_of[pair] for pair in pairs], dtype=np.int64)
