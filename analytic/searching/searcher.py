"""What a searcher finds and pays until r ideals are seen: a recursion over calls and ranks.

Whether an ideal is new depends on which were seen, so that the state of a user is a set: of ideals
that may come again, in another list or by a link, with the number of all that were seen. What is
paid in a state of c ideals counts for each r > c, and what is new there as well: so one recursion
has all r. Without a budget what was paid needs no place in the state; with one it has it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from prum.analytic.searching.effort import ROUNDING, SearchEffort
from prum.simulator.model import InputError, Rest, Searcher
from prum.simulator.model.arrays import Floats

# States that are kept at once; and what a user may do before too little is left of them.
_MOST_STATES = 100_000
MANY_SETS = "sets of ideals that users may have seen"
_LEAST = 1e-18


class _State(NamedTuple):
    seen: frozenset[str]
    found: int
    spent: float
    has_opened: bool
    is_new: bool


_States = dict[_State, float]


def searcher_effort(
    searcher: Searcher,
    lists: Sequence[Sequence[str]],
    ideals: Collection[str],
    *,
    rest: Rest | None = None,
) -> tuple[SearchEffort, float]:
    """Return what users who search so find and pay, and how likely they call once more than lists.

    The expectations are those of `session_effort` over all that such users may do. A list that is
    not opened at a rank costs nothing there.

    Parameters
    ----------
    searcher
        How users search.
    lists
        What each call shows, best first; an element may come again. After the last one the session
        is over.
    ideals, rest
        As of `session_effort`.

    Raises
    ------
    InputError
        as `session_effort`; for more than 100,000 sets of ideals that users may have seen.

    >>> half = Searcher(stops=((0, 0), (0.5, 0.5)), opens=(((0.5, 0.5),),), visit_cost=1)
    >>> effort, beyond = searcher_effort(half, [["x", "a"], ["a"]], ["a"])
    >>> effort.reached.tolist(), effort.spent.tolist(), beyond
    ([0.625], [1.125], 0.25)
    """
    recursion = _Recursion(searcher, lists, frozenset(ideals), rest or Rest())
    return recursion.effort(), recursion.beyond


class _Recursion:
    def __init__(
        self,
        searcher: Searcher,
        lists: Sequence[Sequence[str]],
        ideals: frozenset[str],
        rest: Rest,
    ) -> None:
        if not ideals:
            remedy = "leave the question out"
            raise InputError("ideals", (), "hold at least one element", remedy=remedy)
        self.searcher, self.lists, self.ideals, self.rest = searcher, lists, ideals, rest
        # Ideals that may be met once only need not be told apart.
        met = Counter(element for shown in lists for element in shown)
        linked = {target for targets in searcher.follows.values() for target in targets}
        self.again = {x for x in ideals if met[x] > 1 or x in linked}
        t = len(ideals)
        # By the number of ideals that were seen before.
        self.gained, self.paid = np.zeros(t + 1), np.zeros(t + 1)
        self.new, self.cost = np.zeros(t), np.zeros(t)
        self.last = np.zeros(t + 1)
        self.beyond = 0.0

    def effort(self) -> SearchEffort:
        states: _States = {_State(frozenset(), 0, 0.0, False, False): 1.0}
        shown = set[str]()
        states = self._stopped(states, 0, 0)
        for number, elements in enumerate(self.lists, start=1):
            shown.update(set(elements) - self.ideals)
            states = self._called(states, number, elements)
            states = self._stopped(states, number, len(shown))
        self.beyond = sum(states.values())
        for state, p in states.items():
            self._end(state, p, len(shown))
        found, spent = np.cumsum(self.gained)[:-1], np.cumsum(self.paid)[:-1]
        reached = 1 - np.cumsum(self.last)[:-1]
        is_endless = self.rest.size is None and self.rest.budget is None
        cost = np.where(reached < 1 - ROUNDING, np.inf, spent) if is_endless else spent + self.cost
        return SearchEffort(np.clip(reached, 0, 1), found, spent, found + self.new, cost)

    def _stopped(self, states: _States, calls: int, shown: int) -> _States:
        left: _States = {}
        for state, p in states.items():
            stop = self.searcher.stopping(calls, is_new=state.is_new)
            if stop:
                self._end(state, p * stop, shown)
            if stop < 1:
                left[state] = p * (1 - stop)
        return left

    def _called(self, states: _States, number: int, elements: Sequence[str]) -> _States:
        searcher = self.searcher
        at_once = elements if searcher.sees_at_once else ()
        before = _together(
            (state._replace(has_opened=False, is_new=False), p) for state, p in states.items()
        )
        states = self._paid(before, searcher.call_cost, at_once)
        if searcher.sees_at_once:
            return states
        for rank, element in enumerate(elements, start=1):
            after = list[tuple[_State, float]]()
            opened: _States = defaultdict(float)
            for state, p in states.items():
                q = searcher.opening(number, rank, after_opened=state.has_opened)
                if q:
                    opened[state._replace(has_opened=True)] += p * q
                if q < 1:
                    after.append((state._replace(has_opened=False), p * (1 - q)))
            if searcher.opens is None:
                after += self._paid(opened, searcher.element_cost, (element,)).items()
            else:
                after += self._visited(opened, element)
            states = _together(after)
            if len(states) > _MOST_STATES:
                rule = f"be {_MOST_STATES:,} at most"
                raise InputError(MANY_SETS, len(states), rule, remedy="simulate")
        return states

    def _visited(self, states: _States, element: str) -> list[tuple[_State, float]]:
        """Return states of users who have opened an element, and followed links from there."""
        back = list[tuple[_State, float]]()
        at = {element: states}
        while at:
            onward: dict[str, _States] = {}
            for page, here in at.items():
                targets = self.searcher.follows.get(page, {})
                onto = sum(targets.values())
                for state, p in self._paid(here, self.searcher.visit_cost, (page,)).items():
                    back.append((state, p * (1 - onto)))
                    for target, q in targets.items():
                        if p * q > _LEAST:
                            own = onward.setdefault(target, defaultdict(float))
                            own[state] += p * q
            at = onward
        return back

    def _paid(self, states: _States, cost: float, elements: Sequence[str]) -> _States:
        """Return states of users who have paid and seen; who can't pay has ended."""
        after: _States = defaultdict(float)
        budget = self.rest.budget
        for state, p in states.items():
            spent = 0.0
            if budget is not None:
                spent = state.spent + cost
                if spent > budget * (1 + ROUNDING):
                    self._end(state, p, 0)
                    continue
            new = {x for x in elements if x in self.ideals} - state.seen
            self.paid[state.found] += p * cost
            self.gained[state.found] += p * len(new)
            seen, is_new = state.seen | (new & self.again), state.is_new or bool(new)
            told = _State(seen, state.found + len(new), spent, state.has_opened, is_new)
            after[told] += p
        return after

    def _end(self, state: _State, p: float, shown: int) -> None:
        """Take note of users whose session is over, and of what the rest costs them."""
        t, found = len(self.ideals), state.found
        self.last[found] += p
        more: Floats = np.arange(1.0, t - found + 1)
        if self.rest.budget is not None:
            self.cost[found:] += p * (self.rest.budget - state.spent)
        elif self.rest.size is not None:
            u = self.rest.unseen(shown, found, t)
            self.cost[found:] += p * self.rest.cost * more * (u + 1) / (t - found + 1)
            self.new[found:] += p * more


def _together(states: Iterable[tuple[_State, float]]) -> _States:
    whole: _States = defaultdict(float)
    for state, p in states:
        whole[state] += p
    return whole
