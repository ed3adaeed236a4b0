"""Browsing: dials that make users differ, or change as they browse; mixtures of types of users."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import InputError, check_id, proportion, proportions
from prum.simulator.model.navigation import Navigation
from prum.simulator.model.population import Beta, OneFactor, Population, Types, checked_shares
from prum.simulator.model.tables import Links
from prum.simulator.model.task import Task

_Pairs = tuple[tuple[str, str], ...]
_DEFAULTS: dict[str, Any] = {
    "population": None,
    "fading": 1.0,
    "satiation": (1.0,),
    "need": (1.0,),
    "documents": (),
    "unranked": False,
}


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Browsing(Navigation):
    """A navigation whose probabilities depend on the user, the rank, and the ideals seen.

    When a user consults their i-th element, having seen s ideals and wanting r, browsing from it
    is multiplied by the factor f = (the user's) * fading[i-1] * satiation[s] * need[r-1]:

    `Independent`
        each visit x -> y happens with f P(x -> y), on its own.
    `Coupled`
        each with f P(x -> y), coupled as before.
    `Walk`
        the user sets off on a path with probability f, and then walks as before.

    So P(x -> y) is multiplied by f in every case. With `OneFactor` this is the P(x -> y) of the
    user, conditional on their z: f stands outside of the copula. An element leads to itself
    whatever the factor. Dials combine freely; with none turned, this is the navigation.

    Parameters
    ----------
    navigation
        `Independent`, `Coupled` or `Walk`.
    population
        How users differ: `Types` or `Beta`, laws of a factor; or `OneFactor`, which correlates all
        visits of a user instead.
    fading
        In [0, 1]; by this factor browsing falls from each consulted element to the next: after n
        elements it is fading^n. Or factors in [0, 1] after 0, 1, 2, ... consulted elements, any law
        of fading; the last holds for all that follow.
    satiation
        Factors in [0, 1] for users who have seen 0, 1, 2, ... ideals when they consult the
        element; the last holds for all that follow. Falling factors: users have had enough. Rising:
        success encourages them.
    need
        Factors in [0, 1] for users who want 1, 2, 3, ... ideals; the last holds for all that
        follow. Where they differ, Hypothesis 2.1 fails.
    documents
        Element -> document: users do not browse from an element if they have consulted another of
        its document before. An element that is not named is a document of its own.
    unranked
        Whether users also browse from the unranked elements, in the random order in which they
        consult them.

    Raises InputError for another navigation or population, factors outside [0, 1], and documents
    that are not pairs of ids.

    >>> from prum.simulator.model import Independent
    >>> browsing = Browsing(Independent({("x", "a"): 0.5}), fading=0.9, need=[0.5, 1])
    >>> browsing
    Browsing(Independent({('x', 'a'): 0.5}), fading=0.9, need=(0.5, 1.0))
    >>> eval(repr(browsing)) == browsing
    True
    """

    navigation: Navigation
    population: Population | None
    fading: float | tuple[float, ...]
    satiation: tuple[float, ...]
    need: tuple[float, ...]
    documents: _Pairs
    unranked: bool

    def __init__(
        self,
        navigation: Navigation,
        population: Population | None = None,
        *,
        fading: float | Iterable[float] = 1.0,
        satiation: Iterable[float] = (1.0,),
        need: Iterable[float] = (1.0,),
        documents: Mapping[str, str] | _Pairs = (),
        unranked: bool = False,
    ) -> None:
        if not getattr(navigation, "takes_dials", False):
            rule = "be Independent, Coupled or Walk"
            remedy = "give the dials of one Browsing together, and each type of a Mixture its own"
            raise InputError("navigation to browse by", navigation, rule, remedy=remedy)
        if population is not None and not isinstance(population, Types | Beta | OneFactor):
            raise InputError(
                "population", population, "be Types, Beta or OneFactor", remedy="try Beta(1, 1)"
            )
        if not isinstance(unranked, bool):
            raise InputError("unranked", unranked, "be True or False", remedy="leave it out")
        values = {
            "navigation": navigation,
            "population": population,
            "fading": _fading(fading),
            "satiation": _factors("satiation", satiation),
            "need": _factors("need", need),
            "documents": _documents(documents),
            "unranked": unranked,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def base(self) -> Navigation:
        """The navigation without dials."""
        return self.navigation

    @property
    def is_tossed(self) -> bool:
        """Whether each visit is on its own, and users are alike and do not change."""
        return self.navigation.is_tossed and {*self.turned} <= {"fading", "documents"}

    @property
    def links(self) -> Links:
        """The table of the navigation."""
        return self.navigation.links

    @property
    def is_plain(self) -> bool:
        """Whether no dial is turned."""
        return all(getattr(self, name) == default for name, default in _DEFAULTS.items())

    @property
    def turned(self) -> tuple[str, ...]:
        """The names of the dials that are turned."""
        return tuple(name for name, value in _DEFAULTS.items() if getattr(self, name) != value)

    def _content(self) -> list[Any]:
        # Laws of populations are told by how they are written.
        dials = [(name, getattr(self, name)) for name in self.turned]
        plain = [[name, repr(x) if name == "population" else x] for name, x in dials]
        return [self.navigation.key, plain]

    def __repr__(self) -> str:
        dials = [
            f"{name}={dict(self.documents) if name == 'documents' else getattr(self, name)!r}"
            for name in self.turned
        ]
        return f"Browsing({', '.join([repr(self.navigation), *dials])})"

    def rank_factors(self, task: Task) -> Floats:
        """Return the factor of each rank, shape (o,): by fading, and 0 in known documents.

        >>> from prum.simulator.model import Independent
        >>> browsing = Browsing(
        ...     Independent({("x", "a"): 0.5}), fading=0.5, documents={"x": "d", "y": "d"}
        ... )
        >>> browsing.rank_factors(Task(["y", "a", "x"], ["a"], 3)).tolist()
        [1.0, 0.5, 0.0]
        """
        factors = self.faded(np.arange(task.num_ranked))
        documents, consulted = dict(self.documents), set[tuple[bool, str]]()
        for rank, element in enumerate(task.ranking):
            document = (element in documents, documents.get(element, element))
            if document in consulted:
                factors[rank] = 0
            consulted.add(document)
        return factors

    def faded(self, consulted: Ints) -> Floats:
        """Return the factor of fading after so many consulted elements.

        >>> from prum.simulator.model import Independent
        >>> hyperbolic = Browsing(Independent({}), fading=[1 / (1 + n) for n in range(4)])
        >>> hyperbolic.faded(np.array([0, 1, 3, 9])).tolist()
        [1.0, 0.5, 0.25, 0.25]
        """
        if isinstance(self.fading, tuple):
            table = np.array(self.fading)
            factors: Floats = table[np.minimum(consulted, len(table) - 1)]
            return factors
        powers: Floats = np.power(self.fading, np.asarray(consulted, dtype=np.float64))
        return powers

    def satiated(self, num_ideals: int) -> Floats:
        """Return the factor for s = 0 .. t - 1 ideals seen, shape (t,)."""
        return _extended(self.satiation, num_ideals)

    def needed(self, num_ideals: int) -> Floats:
        """Return the factor for r = 1 .. t ideals wanted, shape (t,)."""
        return _extended(self.need, num_ideals)


def _extended(factors: tuple[float, ...], length: int) -> Floats:
    return np.array([*factors, *[factors[-1]] * length][:length])


def _factors(thing: str, values: Iterable[float]) -> tuple[float, ...]:
    factors = proportions(thing, values)
    # The last holds for all that follow, so that dials of the same effect are equal.
    while len(factors) > 1 and factors[-1] == factors[-2]:
        factors = factors[:-1]
    return factors


def _fading(value: float | Iterable[float]) -> float | tuple[float, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return proportion("fading", value, remedy="give 1 for none")
    factors = _factors("fading", value)
    # Who never fades browses as without the dial.
    return 1.0 if factors == (1.0,) else factors


def _documents(documents: Mapping[str, str] | _Pairs) -> _Pairs:
    pairs = documents.items() if isinstance(documents, Mapping) else documents
    if not isinstance(documents, Mapping | tuple) or any(
        not isinstance(pair, tuple) or len(pair) != 2 for pair in pairs
    ):
        rule = "be a mapping from element to document"
        raise InputError("documents", documents, rule, remedy="write {element: document}")
    for element, document in pairs:
        check_id("element of documents", element)
        check_id(f"document of {element!r}", document)
    if len(dict(pairs)) < len(pairs):
        raise InputError(
            "documents", documents, "name each element once", remedy="drop the second mention"
        )
    return tuple(sorted(pairs))


@dataclass(frozen=True, init=False, repr=False)
class Mixture(Navigation):
    """Users of several types: a user is of type k with probability `shares[k]`, wherever they are.

    A user's type is drawn once and not at each element: given it they browse by `navigations[k]`,
    and E[CL(r)] and E[C(r)] are the shares' means of those of the types. What a user of unknown
    type visits depends on each other, over all ranks. Where types differ in a factor of
    P(x -> y) alone, `Browsing` with `Types` says the same.

    Parameters
    ----------
    shares
        Of each type, with sum 1.
    navigations
        Of each type: `Independent`, `Coupled`, `Walk`, or `Browsing` with the type's dials.

    Raises InputError for shares that are negative or do not sum to 1, other navigations, or a
    different number of them.

    >>> from prum.simulator.model import Walk
    >>> curious, idle = Walk({("x", "y"): 0.75}), Walk({("x", "y"): 0.25})
    >>> Mixture([0.5, 0.5], [curious, idle])
    Mixture((0.5, 0.5), (Walk({('x', 'y'): 0.75}), Walk({('x', 'y'): 0.25})))
    """

    instead = "take one of its types"
    shares: tuple[float, ...]
    navigations: tuple[Navigation, ...]

    def __init__(self, shares: Iterable[float], navigations: Iterable[Navigation]) -> None:
        weights = checked_shares("shares", shares)
        types = tuple(navigations)
        for of_type in types:
            if _with_dials(of_type) is None:
                rule = "be Independent, Coupled, Walk or Browsing"
                remedy = "give each type such a navigation"
                raise InputError("navigation of a type", of_type, rule, remedy=remedy)
        if len(types) != len(weights):
            rule = f"be as many as the {len(weights)} shares"
            remedy = "give each type a share and a navigation"
            raise InputError("number of navigations", len(types), rule, remedy=remedy)
        object.__setattr__(self, "shares", weights)
        object.__setattr__(self, "navigations", types)

    @cached_property
    def links(self) -> Links:
        """Each link's mean probability over types: that of users whose type is drawn anew there.

        >>> from prum.simulator.model import Walk
        >>> Mixture([0.5, 0.5], [Walk({("x", "y"): 0.75}), Walk({("x", "z"): 0.5})]).links
        Links({('x', 'y'): 0.375, ('x', 'z'): 0.25})
        """
        means = dict[tuple[str, str], float]()
        for share, of_type in zip(self.shares, self.navigations, strict=True):
            for x, y, p in of_type.links:
                means[x, y] = means.get((x, y), 0.0) + share * p
        return Links({pair: min(mean, 1.0) for pair, mean in means.items()})

    @property
    def types(self) -> tuple[Navigation, ...]:
        """How each type browses."""
        return self.navigations

    @property
    def turned(self) -> tuple[str, ...]:
        """The names of the dials that are turned for some type."""
        return tuple(sorted({name for of_type in self.navigations for name in of_type.turned}))

    def _content(self) -> list[Any]:
        return [self.shares, [of_type.key for of_type in self.navigations]]

    def __repr__(self) -> str:
        return f"Mixture({self.shares!r}, {self.navigations!r})"


def browsing_of(navigation: Navigation) -> Browsing:
    """Return a navigation with its dials, or one with none turned.

    Raise InputError for an object that is not a navigation, `Mixture`, whose types have dials of
    their own, and `Covering`, whose ideals are no elements.
    """
    browsing = _with_dials(navigation)
    if browsing is None:
        rule = "be Independent, Coupled, Walk or Browsing"
        remedy = getattr(navigation, "instead", Navigation.instead)
        raise InputError("navigation", navigation, rule, remedy=remedy)
    return browsing


def _with_dials(navigation: Navigation) -> Browsing | None:
    if isinstance(navigation, Browsing):
        return navigation
    return Browsing(navigation) if getattr(navigation, "takes_dials", False) else None
