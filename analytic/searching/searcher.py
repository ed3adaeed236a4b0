"""What a searcher finds and pays until r ideals are seen: a recursion over calls and ranks.

Whether an ideal is new depends on which were seen, so that the state of a user is a set: of ideals
that may come again, in another list or by a link, with the number of all that were seen. What is
paid in a state of c ideals counts for each r > c, and what is new there as well: so one recursion
has all r. Without a budget what was paid needs no place in the state; with one it has it. Of a
session that is known it is counted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.model.searching import Rest, Searcher, SearchStep

# Sums of costs that a budget just covers differ by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SearchEffort:
    """Expectations over the users of a question, each an array for r = 1 .. t.

    Attributes
    ----------
    reached
        How likely r ideals are seen in the session, within the budget.
    found
        E[new ideals that the session shows until r are seen, or it ends]; the last consultation
        may show more than are wanted.
    spent
        E[what that costs].
    new
        E[new ideals until r are seen]: those of the session, and what the rest of the collection
        adds where it has an end.
    cost
        E[cost until r ideals are seen], that of the rest included; infinite where it may have none.

    The value of r is the ratio of the last two.
    """

    reached: Floats
    found: Floats
    spent: Floats
    new: Floats
    cost: Floats

    @property
    def value(self) -> Floats:
        """E[new ideals] / E[cost], for each r; NaN where nothing is new for nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.new / self.cost

    @classmethod
    def mean(cls, efforts: Iterable["SearchEffort"]) -> "SearchEffort":
        """Return the expectations over several users, each as likely as the others."""
        of_users = list(efforts)
        means = {
            each.name: np.mean([getattr(effort, each.name) for effort in of_users], axis=0)
            for each in fields(cls)
        }
        return cls(**means)


def session_effort(
    consultations: Iterable[SearchStep],
    ideals: Collection[str],
    *,
    shown: int | None = None,
    rest: Rest | None = None,
) -> SearchEffort:
    """Return what one user finds and pays, whose consultations are known.

    Let consultation j cost c_j and show n_j ideals for the first time, F be their sum, and J(r) the
    first j by which r are seen. If F >= r, new = n_1 + .. + n_J(r) and cost = c_1 + .. + c_J(r): an
    element that comes again costs again and shows nothing new.

    If F < r, k = r - F more are looked for in the rest of the collection, u elements in random
    order that hold t - F ideals. The k-th of these stands at place k (u + 1) / (t - F + 1) in the
    mean (as behind a list, PRUM's equation 16), and new = r. In an endless collection cost is
    infinite, and new = F; with a budget B, cost = B.

    With a budget the session ends before the consultation that would cost more in all than B.

    Parameters
    ----------
    consultations
        In their order.
    ideals
        Those of the question, t >= 1.
    shown
        Elements that are not ideal, in the session's lists; by default those consulted.
    rest
        What comes after the session; by default a collection without end.

    Raises InputError without ideals, and for a collection that is too small.

    >>> lists = [SearchStep(1, ("x",)), SearchStep(1, ("x",)), SearchStep(1, ("a",))]
    >>> effort = session_effort(lists, ("a", "b"), rest=Rest(size=4))
    >>> effort.cost.tolist(), effort.value.round(4).tolist()
    ([3.0, 4.5], [0.3333, 0.4444])
    """
    ideal_ids, rest = frozenset(ideals), rest or Rest()
    if not ideal_ids:
        raise InputError("ideals", (), "hold at least one element", remedy="leave the question out")
    t, seen, others = len(ideal_ids), set[str](), set[str]()
    # By r - 1: what was paid and seen when the session had shown r.
    paid, news = list[float](), list[int]()
    total = 0.0
    for cost, elements in consultations:
        if rest.budget is not None and total + cost > rest.budget * (1 + ROUNDING):
            break
        total += cost
        others.update(set(elements) - ideal_ids)
        seen |= ideal_ids.intersection(elements)
        reached = len(seen) - len(paid)
        paid += [total] * reached
        news += [len(seen)] * reached
    num_seen, missing = len(seen), t - len(seen)
    more = np.arange(1.0, missing + 1)
    after: Floats = np.full(missing, np.inf if rest.budget is None else rest.budget)
    gained: Floats = np.full(missing, float(num_seen))
    if rest.size is not None:
        u = rest.unseen(len(others) if shown is None else shown, num_seen, t)
        after = total + rest.cost * more * (u + 1) / (missing + 1)
        gained = num_seen + more
    return SearchEffort(
        reached=np.array([1.0] * num_seen + [0.0] * missing),
        found=np.array([*news, *[num_seen] * missing], dtype=np.float64),
        spent=np.array([*paid, *[total] * missing]),
        new=np.array([*news, *gained], dtype=np.float64),
        cost=np.array([*paid, *after], dtype=np.float64),
    )


# States that are kept at once, sets of ideals for which links are solved, moves along links that
# are made one by one, some seconds of each; and what a user may do before too little is left.
_MOST_STATES, _MOST_SETS, _MOST_MOVES = 100_000, 5_000, 2_000_000
MANY_WAYS = "ways that users may have gone"
_LEAST = 1e-18


class _State(NamedTuple):
    seen: frozenset[str]
    ideals: int
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

    Raises InputError as `session_effort`; for more than 100,000 sets of ideals that users may have
    seen, 5,000 that they may have seen by links, and with a budget more than 2,000,000 moves along
    links.

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
        links = (*searcher.follows.values(), *searcher.follows_after.values())
        linked = {target for targets in links for target in targets}
        self.again = {x for x in ideals if met[x] > 1 or x in linked}
        t = len(ideals)
        # By the number of ideals that were seen before.
        self.gained, self.paid = np.zeros(t + 1), np.zeros(t + 1)
        self.new, self.cost = np.zeros(t), np.zeros(t)
        self.last = np.zeros(t + 1)
        self.beyond = 0.0
        self.moves = 0
        self.links = _Links(searcher, ideals)

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
        gained, spent = np.cumsum(self.gained)[:-1], np.cumsum(self.paid)[:-1]
        reached = 1 - np.cumsum(self.last)[:-1]
        is_endless = self.rest.size is None and self.rest.budget is None
        cost = np.where(reached < 1 - ROUNDING, np.inf, spent) if is_endless else spent + self.cost
        return SearchEffort(np.clip(reached, 0, 1), gained, spent, gained + self.new, cost)

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
            _check_few(len(states), _MOST_STATES)
        return states

    def _visited(self, states: _States, element: str) -> Iterable[tuple[_State, float]]:
        """Return states of users who have opened an element, and followed links from there."""
        if not self.searcher.following(element):
            return self._paid(states, self.searcher.visit_cost, (element,)).items()
        step = self._followed if self.rest.budget is None else self._followed_in_turn
        return step(states, element)

    def _followed(self, states: _States, element: str) -> list[tuple[_State, float]]:
        """Return states of users who are back from links; no budget ends their way.

        Let x be how likely they are where in a state, and Q their moves but those to new ideals,
        which lead to another state. They are where y = x + Q'y expected times.
        """
        cost, links = self.searcher.visit_cost, self.links
        back = list[tuple[_State, float]]()
        begin = links.number[None, element]
        mass = {state: {begin: p} for state, p in self._paid(states, cost, (element,)).items()}
        while mass:
            # Nobody unsees an ideal.
            state = min(mass, key=lambda some: some.ideals)
            _check_few(len(links.chains), _MOST_SETS)
            here = links.visits(state.seen, mass.pop(state))
            going: Floats = np.asarray(here @ links.moves)
            self.paid[state.ideals] += cost * float(going.sum())
            back.append((state, float(here @ links.returns)))
            for node in np.flatnonzero(links.is_new(state.seen) & (going > 0)).tolist():
                self.gained[state.ideals] += going[node]
                seen, ideals = state.seen | {links.pages[node]}, state.ideals + 1
                onward = mass.setdefault(state._replace(seen=seen, ideals=ideals, is_new=True), {})
                onward[node] = onward.get(node, 0.0) + float(going[node])
        return back

    def _followed_in_turn(self, states: _States, element: str) -> list[tuple[_State, float]]:
        """Return the same, move by move: what was paid is a part of the state."""
        back = list[tuple[_State, float]]()
        mass: dict[tuple[str | None, str], _States] = {(None, element): states}
        while mass:
            onward: dict[tuple[str | None, str], _States] = {}
            for (before, page), here in mass.items():
                targets = self.searcher.following(page, before)
                self.moves += len(here) * len(targets)
                _check_few(self.moves, _MOST_MOVES)
                onto = sum(targets.values())
                for state, p in self._paid(here, self.searcher.visit_cost, (page,)).items():
                    back.append((state, p * (1 - onto)))
                    for target, q in targets.items():
                        if p * q > _LEAST:
                            arriving = onward.setdefault((page, target), defaultdict(float))
                            arriving[state] += p * q
            mass = onward
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
            self.paid[state.ideals] += p * cost
            self.gained[state.ideals] += p * len(new)
            seen, is_new = state.seen | (new & self.again), state.is_new or bool(new)
            state_after = _State(seen, state.ideals + len(new), spent, state.has_opened, is_new)
            after[state_after] += p
        return after

    def _end(self, state: _State, p: float, shown: int) -> None:
        """Take note of users whose session is over, and of what the rest costs them."""
        t, num_seen = len(self.ideals), state.ideals
        self.last[num_seen] += p
        more: Floats = np.arange(1.0, t - num_seen + 1)
        if self.rest.budget is not None:
            self.cost[num_seen:] += p * (self.rest.budget - state.spent)
        elif self.rest.size is not None:
            u = self.rest.unseen(shown, num_seen, t)
            self.cost[num_seen:] += p * self.rest.cost * more * (u + 1) / (t - num_seen + 1)
            self.new[num_seen:] += p * more


class _Links:
    """Moves along links, between nodes: pages, and pages where it matters where one came from."""

    def __init__(self, searcher: Searcher, ideals: frozenset[str]) -> None:
        from scipy import sparse

        targets = {x for onto in searcher.follows_after.values() for x in onto}
        targets.update(x for onto in searcher.follows.values() for x in onto)
        pages = sorted({*searcher.follows, *targets, *(page for _, page in searcher.follows_after)})
        nodes = [*((None, page) for page in pages), *searcher.follows_after]
        self.number: dict[tuple[str | None, str], int] = {x: row for row, x in enumerate(nodes)}
        self.pages, self.ideals = [page for _, page in nodes], ideals
        rows, columns, shares = list[int](), list[int](), list[float]()
        for row, (before, page) in enumerate(nodes):
            for target, q in searcher.following(page, before).items():
                column = self.number.get((page, target), self.number[None, target])
                rows.append(row)
                columns.append(column)
                shares.append(q)
        size = len(nodes)
        self.moves = sparse.csr_array((shares, (rows, columns)), shape=(size, size))
        self.returns: Floats = 1 - np.asarray(self.moves.sum(axis=1))
        # Ideals that were seen -> what solves for the visits.
        self.chains: dict[frozenset[str], Callable[[Floats], Floats]] = {}

    def is_new(self, seen: frozenset[str]) -> Flags:
        """Return which nodes show an ideal that was not seen."""
        unseen = self.ideals - seen
        return np.array([page in unseen for page in self.pages])

    def visits(self, seen: frozenset[str], begin: Mapping[int, float]) -> Floats:
        """Return how often users are where in the mean, until they return or see what is new."""
        if seen not in self.chains:
            from scipy import sparse
            from scipy.sparse.linalg import splu

            is_seen = sparse.diags_array((~self.is_new(seen)).astype(np.float64))
            matrix = sparse.eye_array(len(self.pages)) - self.moves @ is_seen
            self.chains[seen] = splu(sparse.csc_array(matrix.T)).solve
        x = np.zeros(len(self.pages))
        x[list(begin)] = list(begin.values())
        return self.chains[seen](x)


def _check_few(ways: int, most: int) -> None:
    if ways > most:
        raise InputError(MANY_WAYS, ways, f"be {most:,} at most", remedy="simulate")


def _together(states: Iterable[tuple[_State, float]]) -> _States:
    whole: _States = defaultdict(float)
    for state, p in states:
        whole[state] += p
    return whole
