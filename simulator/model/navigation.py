"""Navigation: what a user does in the context of a consulted element.

`Independent` and `Walk` keep one table of links (source, target, probability) and differ in what a
row means: the former tosses each row on its own, the latter follows at most one row at a time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model.arrays import Counts, Floats, Ints
from prum.simulator.model.errors import InputError, check_each, real_array
from prum.simulator.model.tables import KeyedTable, key_of, places, shown_rows
from prum.simulator.model.task import Task, check_id, check_pair, content_key

if TYPE_CHECKING:
    from prum.simulator.model.covering import Covering

# A row's probabilities come from decimal text or divisions: their sum may miss 1 by rounding.
SUM_TOLERANCE = 1e-9


class Links(KeyedTable):
    """A table of links with probabilities, kept by source and sorted, read-only.

    Parameters
    ----------
    rows
        ``{(source, target): probability}``, or another `Links`.

    Attributes
    ----------
    elements
        The ids that occur, sorted; the arrays below refer to them by number.
    starts, targets, probabilities
        Row k of source i for ``starts[i] <= k < starts[i + 1]``; shapes (n + 1,), (m,), (m,).

    Raises
    ------
    InputError
        for an id that is empty or not text, a probability outside [0, 1], a pair with two rows.

    >>> links = Links({("c", "a"): 0.4, ("c", "b"): 0.4})
    >>> links.elements, links.starts.tolist(), links.targets.tolist()
    (('a', 'b', 'c'), [0, 0, 0, 2], [0, 1])
    """

    elements: tuple[str, ...]
    starts: Ints
    targets: Counts
    probabilities: Floats

    def __init__(self, rows: "Mapping[tuple[str, str], float] | Links") -> None:
        if not isinstance(rows, Links):
            if not isinstance(rows, Mapping):
                rule = "be a mapping {(source, target): probability}"
                remedy = "use Links.from_columns for three columns"
                raise InputError("links", rows, rule, remedy=remedy)
            pairs = [check_pair("a pair of links", pair) for pair in rows]
            sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
            rows = Links.from_columns(sources, targets, list(rows.values()))
        self.__dict__.update(rows.__dict__)

    @classmethod
    def from_columns(
        cls,
        sources: Iterable[str],
        targets: Iterable[str],
        probabilities: ArrayLike,
        *,
        origin: str = "",
        lines: ArrayLike | None = None,
    ) -> Self:
        """Build the table from three columns of equal length.

        `origin` (a file's name) and `lines` (the line of each row) only serve messages.

        >>> Links.from_columns(["c"], ["a"], [0.4])
        Links({('c', 'a'): 0.4})
        """
        source_ids, target_ids = list(sources), list(targets)
        place = places("links", origin, lines)
        values = np.asarray(probabilities)
        if values.ndim != 1:
            remedy = "give one probability for each pair"
            raise InputError("shape of probabilities", values.shape, "be (m,)", remedy=remedy)
        if values.dtype.kind not in "fiu" and values.size:
            raise InputError(
                "probabilities", values.dtype.name, "be numbers", remedy="give a column of numbers"
            )
        values = values.astype(np.float64) + 0.0  # no -0.0: equal tables have equal keys
        if not len(source_ids) == len(target_ids) == len(values):
            raise InputError(
                "columns of links",
                (len(source_ids), len(target_ids), len(values)),
                "be of equal length",
                remedy="give one probability for each pair",
            )
        for row, (source, target) in enumerate(zip(source_ids, target_ids, strict=True)):
            if not (isinstance(source, str) and source and isinstance(target, str) and target):
                check_id("source", source, place=place(row))
                check_id("target", target, place=place(row))
        bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
        if bad.size:
            row = int(bad[0])
            thing = f"probability of {source_ids[row]!r} -> {target_ids[row]!r}"
            rule = "lie in [0, 1]"
            remedy = "correct the row"
            raise InputError(thing, float(values[row]), rule, remedy=remedy, place=place(row))
        elements = tuple(sorted(map(str, set(source_ids).union(target_ids))))
        code = {element: position for position, element in enumerate(elements)}
        source_codes = np.fromiter((code[s] for s in source_ids), np.int32, len(source_ids))
        target_codes = np.fromiter((code[t] for t in target_ids), np.int32, len(target_ids))
        order = np.lexsort((target_codes, source_codes))
        source_codes, target_codes, values = source_codes[order], target_codes[order], values[order]
        twice = np.flatnonzero(
            (source_codes[1:] == source_codes[:-1]) & (target_codes[1:] == target_codes[:-1])
        )
        if twice.size:
            first, second = int(order[twice[0]]), int(order[twice[0] + 1])
            raise InputError(
                "link",
                (source_ids[second], target_ids[second]),
                "be given once",
                remedy=f"keep it or the one in {place(first)}",
                place=place(second),
            )
        table = cls.__new__(cls)
        table.elements = elements
        counts = np.bincount(source_codes, minlength=len(elements))
        table.starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        table.targets, table.probabilities = target_codes, values
        table._origin = origin
        table._lines = None if lines is None else np.asarray(lines, dtype=np.int64)[order]
        for array in (table.starts, table.targets, table.probabilities):
            array.setflags(write=False)
        return table

    def with_probabilities(self, probabilities: ArrayLike) -> Self:
        """Return a table of the same pairs, with other probabilities of its rows.

        Raises
        ------
        InputError
            for a probability outside [0, 1], another number of them.

        >>> Links({("c", "a"): 0.4, ("c", "b"): 0.4}).with_probabilities([0.1, 0.2])
        Links({('c', 'a'): 0.1, ('c', 'b'): 0.2})
        """
        values = real_array(
            "probabilities", probabilities, remedy="give one for each row", shape=(len(self),)
        )
        check_each(
            "probability {}", values, (values >= 0) & (values <= 1), "lie in [0, 1]",
            remedy="correct it",
        )  # fmt: skip
        table = type(self).__new__(type(self))
        table.__dict__.update(self.__dict__)
        table.__dict__.pop("key", None)
        table.probabilities = values + 0.0
        table.probabilities.setflags(write=False)
        return table

    _origin: str
    _lines: Ints | None

    def __len__(self) -> int:
        return len(self.targets)

    def __iter__(self) -> Iterator[tuple[str, str, float]]:
        """Yield (source, target, probability), sorted by ids."""
        for target, source, probability in zip(
            self.targets.tolist(), self.sources.tolist(), self.probabilities.tolist(), strict=True
        ):
            yield self.elements[source], self.elements[target], probability

    @cached_property
    def sources(self) -> Counts:
        """The source of each row, as a number of `elements`; shape (m,)."""
        sources = np.repeat(np.arange(len(self.elements), dtype=np.int32), np.diff(self.starts))
        sources.setflags(write=False)
        return sources

    @cached_property
    def code(self) -> dict[str, int]:
        """The number of each element."""
        return {element: position for position, element in enumerate(self.elements)}

    def place(self, row: int) -> str:
        """Return where row `row` was read, for messages; empty where it was not read."""
        if self._lines is None:
            return self._origin
        return f"{self._origin}, line {int(self._lines[row])}"

    @cached_property
    def key(self) -> str:  # type: ignore[override]
        """SHA-256 of the table."""

        def rows(span: slice) -> Iterator[tuple[str, str, float]]:
            columns = self.sources[span], self.targets[span], self.probabilities[span]
            for source, target, p in zip(*(column.tolist() for column in columns), strict=True):
                yield self.elements[source], self.elements[target], p

        return key_of(len(self), rows)

    def __repr__(self) -> str:
        return f"Links({self._rows_shown()})"

    def _rows_shown(self) -> str:
        return shown_rows((f"({x!r}, {y!r}): {p!r}" for x, y, p in self), len(self))


class Navigation:
    """How users browse: what every navigation says of itself, so that nobody asks for its class."""

    __slots__ = ()

    # Whether users go from link to link.
    is_walk: ClassVar[bool] = False
    # Whether `Browsing` may turn dials on it, and `Mixture` have it as a type.
    takes_dials: ClassVar[bool] = False
    # What to do where one that takes dials is needed.
    instead: ClassVar[str] = "wrap your links in one of them"

    if TYPE_CHECKING:

        @property
        def links(self) -> Links:
            """The table of links."""

        @property
        def key(self) -> str:
            """SHA-256 of the navigation's content."""

    @property
    def base(self) -> "Navigation":
        """What users browse by if no dial is turned."""
        return self

    @property
    def turned(self) -> tuple[str, ...]:
        """The names of the dials that are turned."""
        return ()

    @property
    def tossed(self) -> "Independent | None":
        """The same as independent visits, if it is that: no dials, each visit on its own."""
        return None

    @property
    def is_tossed(self) -> bool:
        """Whether each visit is on its own, with probabilities that the list alone decides."""
        return self.tossed is not None

    @property
    def types(self) -> "tuple[Navigation, ...]":
        """How each type of users browses; nothing where there are no types."""
        return ()

    @property
    def reading(self) -> "Covering | None":
        """How chunks are read, where users read chunks for spans."""
        return None

    @property
    def words(self) -> tuple[str, dict[str, Any]]:
        """What `navigation_of` calls the base: a word, and its arguments."""
        return type(self).__name__.lower(), {}


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Independent(Navigation):
    """Each visit on its own: the user goes from x to y with P(x -> y), whatever else they visit.

    This is Hypothesis 2.2. An element leads to itself with certainty, so a link (x, x) changes
    nothing, coupled or not; on a `Walk` it is a move. Pairs that are not in the table have
    probability 0.

    Parameters
    ----------
    links
        ``{(x, y): P(x -> y)}``, or `Links`.

    Raises
    ------
    InputError
        as `Links`.

    >>> Independent({("c", "a"): 0.4})
    Independent({('c', 'a'): 0.4})
    """

    takes_dials = True
    links: Links

    def __init__(self, links: Mapping[tuple[str, str], float] | Links) -> None:
        table = links if isinstance(links, Links) else Links(links)
        object.__setattr__(self, "links", table)

    @property
    def tossed(self) -> "Independent":
        """Itself."""
        return self

    @property
    def key(self) -> str:
        """SHA-256 of the navigation's content."""
        return content_key(["Independent", self.links.key])

    def __repr__(self) -> str:
        return f"Independent({self.links._rows_shown()})"

    def showing(self, ideals: Sequence[str]) -> "Shown":
        """Return what each element shows of some ideals: the rows of reach of every list.

        >>> Independent({("c", "a"): 0.4}).showing(["a"]).along(["c", "a", "c"])[2].tolist()
        [0.4, 1.0]
        """
        table = self.links
        own = {ideal: column for column, ideal in enumerate(ideals)}
        column_of = np.full(len(table.elements), -1, dtype=np.int64)
        for ideal, column in own.items():
            if (position := table.code.get(ideal)) is not None:
                column_of[position] = column
        columns = column_of[table.targets]
        kept = (columns >= 0) & (table.probabilities > 0) & (table.sources != table.targets)
        sources = table.sources[kept]
        shown = np.unique(sources)
        elements = [table.elements[position] for position in shown.tolist()]
        row_of = {element: row for row, element in enumerate(elements)}
        for ideal in own:
            row_of.setdefault(ideal, len(row_of))
        rows = np.append(np.searchsorted(shown, sources), [row_of[ideal] for ideal in own])
        columns = np.append(columns[kept], list(own.values()))
        probabilities = np.append(table.probabilities[kept], np.ones(len(own)))
        order = np.lexsort((columns, rows))
        starts = np.searchsorted(rows[order], np.arange(len(row_of) + 1))
        return Shown(row_of, starts, columns[order], probabilities[order])

    def reach(self, task: Task) -> tuple[Ints, Ints, Floats]:
        """Return (rank index, ideal index, probability) of each positive entry of a task's reach.

        By rank, then ideal; indices count from 0. A ranked ideal reaches itself with 1. The second
        occurrence of an element reaches nothing: a user browses from an element once.

        >>> task = Task(["c", "a", "c"], ["a"], 2)
        >>> [column.tolist() for column in Independent({("c", "a"): 0.4}).reach(task)]
        [[0, 1], [0, 0], [0.4, 1.0]]
        """
        return self.showing(task.ideals).along(task.ranking)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What each element shows of some ideals; row k for ``starts[k] <= entry < starts[k + 1]``."""

    row_of: Mapping[str, int]
    starts: Ints
    ideals: Ints
    probabilities: Floats

    def along(self, ranking: Sequence[str]) -> tuple[Ints, Ints, Floats]:
        """Return (rank index, ideal index, probability) as `Independent.reach`."""
        first_rank: dict[str, int] = {}
        rank = -1
        for element in filter(self.row_of.__contains__, ranking):
            rank = ranking.index(element, rank + 1)
            first_rank.setdefault(element, rank)
        ranks = np.fromiter(first_rank.values(), np.int64, len(first_rank))
        rows = np.fromiter(map(self.row_of.__getitem__, first_rank), np.int64, len(first_rank))
        sizes = self.starts[rows + 1] - self.starts[rows]
        ends = np.cumsum(sizes)
        entries = np.arange(sizes.sum()) + np.repeat(self.starts[rows] - ends + sizes, sizes)
        return np.repeat(ranks, sizes), self.ideals[entries], self.probabilities[entries]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Walk(Navigation):
    """One path per entry point: from x the user moves on to y with p, or stops.

    From a consulted element the user moves along a link with its probability, and stops with what
    is missing to 1; at the next element they move on or stop again. They see every element of the
    path, then return to the list. Entering the same element a second time leads nowhere new.

    A link (x, x) is such a move: it shows nothing, and the user moves on or stops again. The number
    of these moves is geometric, so the walk shows what it would with p(x, y) / (1 - p(x, x)) for
    every other y, and no link (x, x).

    Where elements lead to each other and nowhere else, with a total of 1 each, nobody ever stops.
    Everybody comes to each of these elements: the walk shows all of them, and ends then.

    Parameters
    ----------
    links
        ``{(x, y): p}``, or `Links`: p is the probability of moving from x straight to y.

    Raises
    ------
    InputError
        as `Links`; for links from one element that sum to more than 1.

    >>> Walk({("x", "y"): 0.5, ("y", "x"): 0.25})
    Walk({('x', 'y'): 0.5, ('y', 'x'): 0.25})
    """

    is_walk = takes_dials = True
    links: Links

    def __init__(self, links: Mapping[tuple[str, str], float] | Links) -> None:
        table = links if isinstance(links, Links) else Links(links)
        moving = np.zeros(len(table.elements))
        np.add.at(moving, table.sources, table.probabilities)
        over = np.flatnonzero(moving > 1 + SUM_TOLERANCE)
        if over.size:
            element = int(over[0])
            raise InputError(
                f"sum of the probabilities of moving from {table.elements[element]!r}",
                float(moving[element]),
                "be at most 1",
                remedy="rescale them, or use independent navigation",
                place=table.place(int(table.starts[element + 1]) - 1),
            )
        object.__setattr__(self, "links", table)

    @property
    def key(self) -> str:
        """SHA-256 of the navigation's content."""
        return content_key(["Walk", self.links.key])

    def __repr__(self) -> str:
        return f"Walk({self.links._rows_shown()})"
