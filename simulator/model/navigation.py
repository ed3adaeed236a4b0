"""Navigation: what a user does in the context of a consulted element.

`Independent` and `Walk` keep one table of links (source, target, probability) and differ in what a
row means: the former tosses each row on its own, the latter follows at most one row at a time.
`Coupled` makes the tosses from one element depend on each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import InputError, proportion
from prum.simulator.model.tables import Links
from prum.simulator.model.task import Task, content_key

# A row's probabilities come from decimal text or divisions: their sum may miss 1 by rounding.
SUM_TOLERANCE = 1e-9


class Navigation:
    """How users browse: what every navigation says of itself, so that nobody asks for its class."""

    __slots__ = ()

    # Whether users go from link to link.
    is_walk: ClassVar[bool] = False
    # Whether `Browsing` may turn dials on it, and `Mixture` have it as a type.
    takes_dials: ClassVar[bool] = False
    # Whether users meet some elements of a list in random order.
    is_tied: ClassVar[bool] = False
    # What to do where one that takes dials is needed.
    instead: ClassVar[str] = "wrap your links in one of them"

    if TYPE_CHECKING:

        @property
        def links(self) -> Links:
            """The table of links."""

    @property
    def key(self) -> str:
        """SHA-256 of the navigation's content."""
        return content_key([type(self).__name__, *self._content()])

    def _content(self) -> list[Any]:
        """Return as plain data what tells the navigation from others of its kind."""
        return [self.links.key]

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
    def reading(self) -> Any:
        """The same as `Covering`, where users read chunks for spans; else None."""
        return None

    @property
    def expansion(self) -> Any:
        """The same as `Expansion`, where users read level by level; else None."""
        return None

    @property
    def alone(self) -> "Navigation":
        """How users see what a list alone shows, who do not browse."""
        return Independent({})

    @property
    def words(self) -> tuple[str, dict[str, Any]]:
        """What `navigation_of` calls the base: a word, and its arguments."""
        return type(self).__name__.lower(), {}


@dataclass(frozen=True, slots=True, init=False, repr=False)
class _OfLinks:
    """What a navigation has that a table of links says all of."""

    takes_dials = True
    links: Links

    def __init__(self, links: Mapping[tuple[str, str], float] | Links) -> None:
        table = links if isinstance(links, Links) else Links(links)
        object.__setattr__(self, "links", table)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.links._rows_shown()})"


class Independent(_OfLinks, Navigation):
    """Each visit on its own: the user goes from x to y with P(x -> y), whatever else they visit.

    This is Hypothesis 2.2. An element leads to itself with certainty, so a link (x, x) changes
    nothing, coupled or not; on a `Walk` it is a move. Pairs that are not in the table have
    probability 0.

    Parameters
    ----------
    links
        ``{(x, y): P(x -> y)}``, or `Links`.

    Raises InputError as `Links`.

    >>> Independent({("c", "a"): 0.4})
    Independent({('c', 'a'): 0.4})
    """

    __slots__ = ()

    @property
    def tossed(self) -> "Independent":
        """Itself."""
        return self

    def showing(self, ideals: Sequence[str]) -> "Shown":
        """Return what each element shows of some ideals: the rows of reach of every list.

        >>> Independent({("c", "a"): 0.4}).showing(["a"]).along(["c", "a", "c"])[2].tolist()
        [0.4, 1.0]
        """
        table = self.links
        by_ideal = {ideal: column for column, ideal in enumerate(ideals)}
        column_of = np.full(len(table.elements), -1, dtype=np.int64)
        for ideal, column in by_ideal.items():
            if (position := table.code.get(ideal)) is not None:
                column_of[position] = column
        columns = column_of[table.targets]
        kept = (columns >= 0) & (table.probabilities > 0) & (table.sources != table.targets)
        sources = table.sources[kept]
        shown = np.unique(sources)
        elements = [table.elements[position] for position in shown.tolist()]
        row_of = {element: row for row, element in enumerate(elements)}
        for ideal in by_ideal:
            row_of.setdefault(ideal, len(row_of))
        rows = np.append(np.searchsorted(shown, sources), [row_of[ideal] for ideal in by_ideal])
        columns = np.append(columns[kept], list(by_ideal.values()))
        probabilities = np.append(table.probabilities[kept], np.ones(len(by_ideal)))
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


class Walk(_OfLinks, Navigation):
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

    Raises InputError as `Links`; for links from one element that sum to more than 1.

    >>> Walk({("x", "y"): 0.5, ("y", "x"): 0.25})
    Walk({('x', 'y'): 0.5, ('y', 'x'): 0.25})
    """

    __slots__ = ()
    is_walk = True

    def __init__(self, links: Mapping[tuple[str, str], float] | Links) -> None:
        super().__init__(links)
        table = self.links
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


# --- dependence within a context ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Copula:
    """A Gaussian copula with a single factor: the visits of a context are correlated.

    The user visits y from x if sqrt(rho) z + sqrt(1 - rho) e_y <= Phi^-1(P(x -> y)), where z is
    standard normal for the whole context and e_y for each visit. rho = 0 is independence, rho = 1
    comonotone.

    Raises InputError for rho outside [0, 1].

    >>> Copula(0.5)
    Copula(rho=0.5)
    """

    rho: float

    def __post_init__(self) -> None:
        rho = proportion("rho", self.rho, remedy="give a correlation from 0 to 1")
        object.__setattr__(self, "rho", rho)


Coupling = Literal["independent", "exclusive", "comonotone"] | Copula


@dataclass(frozen=True, slots=True)
class Coupled(Navigation):
    """Visits from one entry point that depend on each other; different entry points do not.

    P(x -> y) stays what `navigation` says; each time the user consults an element, the visits from
    it are drawn jointly:

    "independent"
        Each visit on its own: Hypothesis 2.2.
    "exclusive"
        One visit at most, as far as the probabilities allow. They are laid end to end, in the order
        of the ideals, on a circle of length 1; the user visits those whose stretch holds a
        uniformly random point. Where the sum is at most 1, stretches never overlap. Where it is
        more they must: then the number of visits is the sum rounded down or up.
    "comonotone"
        A user who visits y visits all that are more probable: one uniform number for the context.
    Copula(rho)
        Between independent and comonotone.

    An element leads to itself with certainty, whatever else is visited from it.

    Raises InputError for another word, and for a navigation that is not `Independent`.

    >>> Coupled(Independent({("x", "a"): 0.5, ("x", "b"): 0.5}), "exclusive")
    Coupled(navigation=Independent({('x', 'a'): 0.5, ('x', 'b'): 0.5}), coupling='exclusive')
    """

    takes_dials = True
    navigation: Independent
    coupling: Coupling

    def __post_init__(self) -> None:
        words = ("independent", "exclusive", "comonotone")
        if not isinstance(self.coupling, Copula) and self.coupling not in words:
            rule = f"be one of {words} or a Copula"
            remedy = "say how visits from one entry point depend on each other"
            raise InputError("coupling", self.coupling, rule, remedy=remedy)
        if not isinstance(self.navigation, Independent):
            rule = "be Independent"
            remedy = "couple a table of probabilities; what a walk visits depends on its path"
            raise InputError("navigation to couple", self.navigation, rule, remedy=remedy)

    @property
    def tossed(self) -> Independent | None:
        """The same as independent visits, if each visit is on its own."""
        return self.navigation if self.coupling in ("independent", Copula(0)) else None

    @property
    def words(self) -> tuple[str, dict[str, Any]]:
        """The word for the coupling, and rho of a copula."""
        if isinstance(self.coupling, Copula):
            return "copula", {"rho": self.coupling.rho}
        return self.coupling, {}

    @property
    def links(self) -> Links:
        """The table of probabilities."""
        return self.navigation.links

    def _content(self) -> list[Any]:
        coupling = self.coupling
        word = coupling if isinstance(coupling, str) else ["copula", coupling.rho]
        return [self.navigation.key, word]

    def reach(self, task: Task) -> tuple[Ints, Ints, Floats]:
        """Return (rank index, ideal index, P(x -> y)) of each positive entry, as `Independent`."""
        return self.navigation.reach(task)
