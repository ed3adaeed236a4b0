"""Mixtures: users of several types, each of whom browses in a way of their own."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from prum.simulator.model.browsing import Browsing
from prum.simulator.model.errors import InputError
from prum.simulator.model.navigation import Links, Navigation
from prum.simulator.model.population import checked_shares
from prum.simulator.model.task import content_key


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

    Raises
    ------
    InputError
        for shares that are negative or do not sum to 1, other navigations, or a different number
        of them.

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
            if not (isinstance(of_type, Browsing) or getattr(of_type, "takes_dials", False)):
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
        tables = [of_type.links for of_type in self.navigations]
        names = sorted({name for table in tables for name in table.elements})
        code = {name: place for place, name in enumerate(names)}
        keys = []
        for table in tables:
            places = np.array([code[name] for name in table.elements], dtype=np.int64)
            keys.append(places[table.sources] * len(names) + places[table.targets])
        pairs, row = np.unique(np.concatenate(keys), return_inverse=True)
        values = [
            share * table.probabilities for share, table in zip(self.shares, tables, strict=True)
        ]
        means = np.minimum(np.bincount(row, np.concatenate(values), len(pairs)), 1)
        sources, targets = np.divmod(pairs, max(len(names), 1))
        return Links.from_columns(
            [names[k] for k in sources.tolist()], [names[k] for k in targets.tolist()], means
        )

    @property
    def types(self) -> tuple[Navigation, ...]:
        """How each type browses."""
        return self.navigations

    @property
    def turned(self) -> tuple[str, ...]:
        """The names of the dials that are turned for some type."""
        return tuple(sorted({name for of_type in self.navigations for name in of_type.turned}))

    @property
    def key(self) -> str:
        """SHA-256 of the navigation's content."""
        keys = [of_type.key for of_type in self.navigations]
        return content_key(["Mixture", self.shares, keys])

    def __repr__(self) -> str:
        return f"Mixture({self.shares!r}, {self.navigations!r})"


def browsing_of(navigation: Navigation) -> Browsing:
    """Return a navigation with its dials, or one with none turned.

    Raises
    ------
    InputError
        for an object that is not a navigation, `Mixture`, whose types have dials of their own, and
        `Covering`, whose ideals are no elements.
    """
    if isinstance(navigation, Browsing):
        return navigation
    if getattr(navigation, "takes_dials", False):
        return Browsing(navigation)
    rule, remedy = "be Independent, Coupled, Walk or Browsing", Navigation.instead
    remedy = getattr(navigation, "instead", remedy)
    raise InputError("navigation", navigation, rule, remedy=remedy)
