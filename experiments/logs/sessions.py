"""Sessions of people who browse, in columns: where they were, and how they came there.

Numbers stand in the place of names.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.model.errors import check_id


def codes_of(names: Iterable[object], code: Mapping[str, int]) -> Ints:
    """Return the number of each name, -1 for one that has none.

    >>> codes_of(["b", "z"], {"a": 0, "b": 1}).tolist()
    [1, -1]
    """
    return np.array([code.get(name, -1) for name in names], dtype=np.int64)  # type: ignore[call-overload]


def places_in(keys: NDArray[Any], values: NDArray[Any]) -> Ints:
    """Return the places of what is wanted among sorted keys, -1 where it is none of them.

    >>> places_in(np.array([3, 5]), np.array([5, 4])).tolist()
    [1, -1]
    """
    if not len(keys):
        return np.full(len(values), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(keys, values), len(keys) - 1)
    places: Ints = np.where(keys[place] == values, place, -1)
    return places


def rows_of(links: Links, sources: Ints, targets: Ints) -> Ints:
    """Return the row of each pair of numbers of `links.elements`, -1 where there is none.

    Numbers beyond those of the elements, and -1, have no rows.

    >>> links = Links({("a", "b"): 1, ("b", "a"): 1})
    >>> rows_of(links, np.array([1, 0, 0]), np.array([0, 0, -1])).tolist()
    [1, -1, -1]
    """
    size = len(links.elements)
    is_there = (np.minimum(sources, targets) >= 0) & (np.maximum(sources, targets) < size)
    keys = links.sources.astype(np.int64) * size + links.targets
    rows: Ints = np.where(is_there, places_in(keys, sources * size + targets), -1)
    return rows


def expanded(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Return (k, row) for each row of each ``low[k] <= row < high[k]``.

    >>> [part.tolist() for part in expanded(np.array([4, 0]), np.array([6, 1]))]
    [[0, 0, 1], [4, 5, 0]]
    """
    sizes = high - low
    place = np.repeat(np.arange(len(low)), sizes)
    within = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place, low[place] + within


def depths(is_entry: Flags, is_back: Flags) -> Ints:
    """Return how many elements each trail holds after each visit; shape (m,).

    Below 1 where a back click has nothing to go back to. The first visit is an entry.

    >>> depths(np.array([1, 0, 0, 1]) > 0, np.array([0, 0, 1, 0]) > 0).tolist()
    [1, 2, 1, 1]
    """
    height = np.cumsum(np.where(is_back, -1, 1))
    base = height[is_entry] - np.where(is_back[is_entry], -1, 1)
    depth: Ints = height - base[np.cumsum(is_entry) - 1]
    return depth


def led_to(element: Ints, is_entry: Flags, is_back: Flags) -> Ints:
    """Return the element of each visit, that of a back click by the trail; shape (m,).

    A back click leads to what was come to otherwise, in the same path, when the trail was last as
    long as it is after the click.

    >>> visits = np.array([7, 8, 0, 9])
    >>> led_to(visits, np.array([1, 0, 0, 0]) > 0, np.array([0, 0, 1, 0]) > 0).tolist()
    [7, 8, 7, 9]
    """
    path = np.cumsum(is_entry) - 1
    num_paths = int(path[-1]) + 1 if len(path) else 0
    backs = np.bincount(path[is_back], minlength=num_paths)
    rows = np.flatnonzero(backs[path] > 0)
    depth = depths(is_entry, is_back)[rows]
    order = np.argsort(path[rows] * (int(depth.max(initial=0)) + 1) + depth, kind="stable")
    forward = np.where(is_back[rows[order]], 0, np.arange(len(order)))
    last = order[np.maximum.accumulate(forward)]
    whole = element.copy()
    whole[rows[order]] = element[rows[last]]
    return whole


def _numbered(names: Iterable[str], code: dict[str, int]) -> NDArray[np.int32]:
    """Return the number of each name, a new one where it has none yet, and -1 behind them."""
    return np.array([*(code.setdefault(name, len(code)) for name in names), -1], dtype=np.int32)


_COLUMNS: dict[str, Any] = {"element": np.int64, "person": np.int64, "starts": np.int64}
_COLUMNS |= dict.fromkeys(("is_entry", "is_back", "is_cut"), np.bool_)

# How a log calls going back to the element before.
BACK = "<"


@dataclass(frozen=True, slots=True, eq=False)
class Sessions:
    """What people did, session by session: visits of elements, in their order.

    A session is one path or several. Each path begins with an entry, an element that the person
    came to otherwise than along a link: from a ranked list, by its address. What follows was
    come to from the visit before it, along a link or by a back click.

    Parameters
    ----------
    elements
        The names of elements, each once.
    element
        Of each visit, as a number of `elements`; shape (m,).
    starts
        Session s has the visits ``starts[s] <= i < starts[s + 1]``; shape (n + 1,).
    is_entry, is_back
        Of each visit: whether a path begins here, and whether the person came back to it by a back
        click; shape (m,). The first visit of a session is an entry.
    persons, person
        Names of people, and whose each session was, -1 where that is unknown; shape (n,).
    is_cut
        Of each session: whether the log ends before it does, so that nobody is known to have
        stopped at its last visit; shape (n,).
    lost
        What the log of another program tells beside these, by name, and how often.

    >>> two = Sessions.of([["a", "b", "<", "c"], ["b"]])
    >>> [two.elements[visit] for visit in two.element], two.is_back.tolist()
    (['a', 'b', 'a', 'c', 'b'], [False, False, True, False, False])
    """

    elements: tuple[str, ...]
    element: Ints
    starts: Ints
    is_entry: Flags
    is_back: Flags
    persons: tuple[str, ...]
    person: Ints
    is_cut: Flags
    lost: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        sessions: Iterable[Sequence[str]],
        *,
        persons: Iterable[str] | None = None,
        back: str | None = BACK,
    ) -> "Sessions":
        """Return sessions of one path each, from the names of elements; `back` goes back.

        A back click leads to the element that the person came from; clicked again, to the one
        before that.
        """
        names, starts = list[str](), [0]
        for number, session in enumerate(sessions):
            if not len(session):
                rule, remedy = "hold an element", "leave it out"
                raise InputError("session", number, rule, remedy=remedy)
            for name in session:
                if name != back:
                    check_id("element", name, place=f"session {number}")
            names += session
            starts.append(len(names))
        is_entry = np.zeros(len(names), dtype=np.bool_)
        is_entry[starts[:-1]] = True
        is_back = np.array([name == back for name in names], dtype=np.bool_)
        wrong = np.flatnonzero(depths(is_entry, is_back) < 1)
        if len(wrong):
            place = f"session {np.searchsorted(starts, wrong[0], side='right') - 1}"
            rule, remedy = "lead to an element before it", "leave it out"
            raise InputError("back click", back, rule, remedy=remedy, place=place)
        who = [None] * (len(starts) - 1) if persons is None else list(persons)
        if len(who) != len(starts) - 1:
            remedy = "name the person of each session"
            raise InputError("number of persons", len(who), "be that of sessions", remedy=remedy)
        return cls.of_visits(names, starts, is_entry, is_back, who)

    @classmethod
    def of_visits(
        cls,
        names: Sequence[str],
        starts: Sequence[int],
        is_entry: Flags,
        is_back: Flags,
        persons: Sequence[str | None],
        is_cut: Sequence[bool] | None = None,
        lost: Mapping[str, int] = {},
    ) -> "Sessions":
        """Return sessions of visits by name; that of a back click is not looked at."""
        there = zip(names, is_back.tolist(), strict=True)
        code = {name: k for k, name in enumerate(dict.fromkeys(x for x, back in there if not back))}
        people = {name: k for k, name in enumerate(dict.fromkeys(filter(None, persons)))}
        return cls(
            tuple(code),
            led_to(codes_of(names, code), is_entry, is_back),
            np.array(starts, dtype=np.int64),
            is_entry,
            is_back,
            tuple(people),
            codes_of(persons, people),
            np.array([False] * len(persons) if is_cut is None else is_cut, dtype=np.bool_),
            lost,
        )

    @classmethod
    def of_paths(
        cls,
        elements: tuple[str, ...],
        element: Ints,
        starts: Ints,
        is_back: Flags,
        is_cut: Flags | None = None,
    ) -> "Sessions":
        """Return sessions of nobody known, one path each, from their visits, cut or not."""
        is_entry = np.zeros(len(element), dtype=np.bool_)
        is_entry[starts[:-1]] = True
        nobody = np.full(len(starts) - 1, -1)
        cut = nobody >= 0 if is_cut is None else is_cut
        return cls(elements, element, starts, is_entry, is_back, (), nobody, cut)

    @classmethod
    def joined(cls, parts: Iterable["Sessions"]) -> "Sessions":
        """Return the sessions of all parts, each of which is let go before the next is taken.

        >>> list(Sessions.joined(Sessions.of([path]) for path in ("ab", "ca")))
        [('a', 'b'), ('c', 'a')]
        """
        elements, persons = dict[str, int](), dict[str, int]()
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for part in parts:
            columns["element"].append(_numbered(part.elements, elements)[part.element])
            columns["person"].append(_numbered(part.persons, persons)[part.person])
            columns["starts"].append(np.diff(part.starts).astype(np.int32))
            for name in ("is_entry", "is_back", "is_cut"):
                columns[name].append(getattr(part, name))
        whole = {
            name: np.concatenate([np.empty(0, kind), *columns.pop(name)], dtype=kind)
            for name, kind in _COLUMNS.items()
        }
        starts = np.append(0, np.cumsum(whole.pop("starts")))
        return cls(elements=tuple(elements), persons=tuple(persons), starts=starts, **whole)

    def some(self, sessions: Ints) -> "Sessions":
        """Return some sessions, in the order given."""
        begins, ends = self.starts[sessions], self.starts[sessions + 1]
        _, visits = expanded(begins, ends)
        return Sessions(
            self.elements,
            self.element[visits],
            np.append(0, np.cumsum(ends - begins)),
            self.is_entry[visits],
            self.is_back[visits],
            self.persons,
            self.person[sessions],
            self.is_cut[sessions],
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """Yield the elements of each session, back clicks as the elements they led to."""
        for begin, end in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            yield tuple(self.elements[visit] for visit in self.element[begin:end].tolist())

    def pieces(self, visits: int = 20_000) -> "Iterator[Sessions]":
        """Yield whole sessions, some of so many visits at once, so that memory does not grow."""
        cuts = np.flatnonzero(np.diff(self.starts[:-1] // visits)) + 1
        for some in np.split(np.arange(len(self)), cuts):
            yield self.some(some)

    @property
    def session(self) -> Ints:
        """The session of each visit; shape (m,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))
