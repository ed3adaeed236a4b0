"""Ties: lists in which some elements stand in random order."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError, check_id, repeated
from prum.simulator.model.navigation import Navigation
from prum.simulator.model.tables import Links
from prum.simulator.model.task import Task


class Tie(tuple[Any, ...]):
    """Elements of a list that are tied: in a run, `Tie` stands where one element otherwise would.

    A class of its own, for a plain pair in a list may be of an element and its score.

    >>> ["c", Tie("d", "a")]
    ['c', Tie('d', 'a')]
    """

    __slots__ = ()

    def __new__(cls, *elements: Any) -> Self:
        """Take the elements one by one."""
        return super().__new__(cls, elements)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"Tie({', '.join(map(repr, self))})"


# An element, or several that are tied.
TiedItem = str | tuple[str, ...]


@dataclass(frozen=True, init=False, repr=False)
class Tied(Navigation):
    """Users who meet tied elements in random order, and browse from each as they otherwise would.

    Each user draws an order of their own, in which every order of a group of tied elements is
    equally likely, groups independently. E[CL(r)] and E[C(r)] are over users, and so over orders:
    precision is the ratio of these two means, not the mean over orders of each one's precision.

    Parameters
    ----------
    navigation
        `Independent`, `Coupled` or `Walk`.
    lists
        The lists, as `read_tied_run` returns them: a tuple of elements stands where these are tied.
        A task is one of them; its ``ranking`` has the elements one by one, those of a tuple in
        their order there.

    Raises InputError for another navigation, what is no list of elements, an element that stands in
    a list twice, and two lists of the same elements in the same order with other ties.

    >>> from prum.simulator.model import Walk
    >>> tied = Tied(Walk({("c", "a"): 0.4}), [["c", ("d", "a")]])
    >>> tied.groups(Task(["c", "d", "a"], ["a"], 9)).tolist()
    [0, 1, 1]
    >>> eval(repr(tied)) == tied
    True
    """

    is_tied = True
    instead = "leave out ties"
    navigation: Navigation
    lists: tuple[tuple[TiedItem, ...], ...]
    _known: dict[tuple[str, ...], tuple[TiedItem, ...]] = field(compare=False)

    def __init__(self, navigation: Navigation, lists: Iterable[Iterable[TiedItem]]) -> None:
        if not getattr(navigation, "takes_dials", False):
            rule = "be Independent, Coupled or Walk where elements are tied"
            raise InputError("navigation", navigation, rule, remedy="leave out dials, or ties")
        ties_of: dict[tuple[str, ...], tuple[TiedItem, ...]] = {}
        for number, items in enumerate(lists):
            ties = _checked(items, f"list {number} of ties")
            ranking = _flat(ties)
            if ties_of.setdefault(ranking, ties) != ties:
                rule = "have the ties of the other list of these elements in this order"
                remedy = "check the two one by one"
                raise InputError(f"list {number} of ties", ties, rule, remedy=remedy)
        object.__setattr__(self, "navigation", navigation)
        object.__setattr__(self, "lists", tuple(ties_of[ranking] for ranking in sorted(ties_of)))
        object.__setattr__(self, "_known", ties_of)

    @property
    def alone(self) -> "Tied":
        """The same ties for users who do not browse."""
        return Tied(self.navigation.alone, self.lists)

    @property
    def words(self) -> tuple[str, dict[str, Any]]:
        """No words name it: lists do."""
        return "tied", {"navigation": self.navigation}

    @property
    def links(self) -> Links:
        """The table of links."""
        return self.navigation.links

    def _content(self) -> list[Any]:
        return [self.navigation.key, self.lists]

    def groups(self, task: Task) -> Ints:
        """Return a number for each rank, shape (o,): equal where elements are tied.

        Raises InputError for a list that is none of `lists`.
        """
        ties = self._known.get(task.ranking)
        if ties is None:
            if not task.ranking:
                return np.zeros(0, dtype=np.int64)
            rule, remedy = "be one of the lists whose ties are known", "give Tied this list, too"
            raise InputError("ranking", task.ranking, rule, remedy=remedy)
        sizes = [len(item) if isinstance(item, tuple) else 1 for item in ties]
        return np.repeat(np.arange(len(sizes)), sizes)

    def __repr__(self) -> str:
        return f"Tied({self.navigation!r}, {self.lists!r})"


def check_untied(navigation: Navigation, thing: str) -> None:
    """Raise InputError where elements are tied, which `thing` does not go with."""
    if navigation.is_tied:
        rule = "be left out where elements are tied"
        raise InputError(thing, "given", rule, remedy=f"leave out ties, or {thing}")


def _checked(items: Iterable[TiedItem], thing: str) -> tuple[TiedItem, ...]:
    """Return a list, ties of one element as that element."""
    remedy = "give elements, and tuples of those that are tied"
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InputError(thing, items, "be a list of elements", remedy=remedy)
    checked: list[TiedItem] = []
    for item in items:
        group = item if isinstance(item, tuple) else (item,)
        if not group:
            raise InputError(f"group of {thing}", item, "hold an element", remedy=remedy)
        names = tuple(check_id(f"element of {thing}", element) for element in group)
        checked.append(names if len(names) > 1 else names[0])
    if (element := repeated(_flat(checked))) is not None:
        remedy = "drop the second mention"
        raise InputError(f"element of {thing}", element, "stand there once", remedy=remedy)
    return tuple(checked)


def _flat(items: Iterable[TiedItem]) -> tuple[str, ...]:
    return tuple(x for item in items for x in (item if isinstance(item, tuple) else (item,)))
