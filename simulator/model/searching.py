"""Users who search several times in a session: what they consult, and an agent's habits."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from prum.simulator.model.errors import InputError, amount, proportion, whole_number

# By rank: how likely an element is opened after one that was not, and after one that was.
Opening = tuple[float, float]


class SearchStep(NamedTuple):
    """What a user pays for, and the elements that they see for it, perhaps none."""

    cost: float
    elements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rest:
    """What comes after a session that has not seen enough ideals.

    Parameters
    ----------
    size
        Elements of the collection. Users go on in random order through those that no list showed
        and the ideals that they have not seen. Without it the collection is endless: they find
        nothing more.
    cost
        What an element of the rest costs.
    budget
        What a user can pay in all; the collection is endless then.
    """

    size: int | None = None
    cost: float = 1.0
    budget: float | None = None

    def __post_init__(self) -> None:
        if self.size is not None:
            whole_number("collection size", self.size, least=1, remedy="give its elements")
        amount("cost of an element", self.cost, remedy="give what the log says")
        if self.budget is None:
            return
        amount("budget", self.budget, positive=True, remedy="give what a session may cost")
        if self.size is not None:
            rule = "go without the size of the collection: it ends the search before the rest does"
            raise InputError("budget", self.budget, rule, remedy="leave out one of the two")

    def unseen(self, shown: int, seen: int, ideals: int) -> int:
        """Return how many elements the rest has.

        Parameters
        ----------
        shown
            Elements that are not ideal, in the lists of the session.
        seen, ideals
            Ideals that were seen, and all.
        """
        size = self.size or 0
        if size < shown + ideals:
            rule = f"be at least {shown + ideals}, the elements of one session and the ideals"
            raise InputError("collection size", self.size, rule, remedy="count the whole one")
        return size - shown - seen


@dataclass(frozen=True, slots=True)
class Searcher:
    """How an agent, or a person, goes through lists that come one after the other.

    A session is calls of a search tool, each of which shows a list. The user goes down the list and
    opens elements by rank and call, the more or less likely if they opened the one before. From
    what they opened they follow links, and come back to the list where they left it. After the list
    they stop, by the number of calls and whether the call brought an ideal that was new. When
    there are no more lists the session is over, too.

    Parameters
    ----------
    stops
        How likely they stop after 0, 1, 2, ... calls, (without anything new in the last call,
        with); the last entry is for all further calls.
    opens
        By call and rank how likely an element is opened, after one that was not opened, and after
        one that was; the last entries are for all further calls and ranks. None for those who read
        whatever a list shows.
    follows
        Element -> element -> how likely the user goes there from it; what is left is that they
        return to the list.
    follows_after
        The same for who came by a link: (element before, element) -> element -> how likely. For
        other pairs, and who opened the element in the list, `follows` has it.
    call_cost, element_cost, visit_cost
        What a call costs, an element of its list that is read, and one that is opened or followed.
        Where elements of lists that are read cost nothing besides, they are seen all at once.

    >>> Searcher(stops=((0, 0), (0.5, 1)), element_cost=1).stopping(7, is_new=True)
    1.0
    """

    stops: tuple[Opening, ...]
    opens: tuple[tuple[Opening, ...], ...] | None = None
    follows: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    follows_after: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)
    call_cost: float = 0.0
    element_cost: float = 0.0
    visit_cost: float = 0.0

    def __post_init__(self) -> None:
        for thing, rows in (("stops", [self.stops]), ("opens", self.opens or ())):
            for pairs in rows:
                if not pairs:
                    raise InputError(thing, (), "hold at least one pair", remedy="give one")
                for p in (p for pair in pairs for p in pair):
                    proportion(f"probability of {thing}", p, remedy="give a share")
        for source, targets in (*self.follows.items(), *self.follows_after.items()):
            total = math.fsum(targets.values())
            if min(targets.values(), default=0.0) < 0 or not total < 1:
                thing = f"probabilities of links from {source}"
                rule = "be at least 0 each, and less than 1 together: the user returns to the list"
                raise InputError(thing, total, rule, remedy="give shares")
        for name in ("call_cost", "element_cost", "visit_cost"):
            amount(name, getattr(self, name), remedy="give 0 or more")

    def following(self, page: str, before: str | None = None) -> Mapping[str, float]:
        """Return how likely the user goes where from a page, to which they came from `before`."""
        after_page = None if before is None else self.follows_after.get((before, page))
        return self.follows.get(page, {}) if after_page is None else after_page

    def stopping(self, calls: int, *, is_new: bool) -> float:
        """Return how likely the user stops after so many calls."""
        return float(self.stops[min(calls, len(self.stops) - 1)][is_new])

    def opening(self, call: int, rank: int, *, after_opened: bool) -> float:
        """Return how likely the user opens what is at a rank of a call, both from 1."""
        if self.opens is None:
            return 1.0
        ranks = self.opens[min(call, len(self.opens)) - 1]
        return float(ranks[min(rank, len(ranks)) - 1][after_opened])

    @property
    def sees_at_once(self) -> bool:
        """Whether a list is seen as a whole, when the call is paid for."""
        return self.opens is None and not self.element_cost
