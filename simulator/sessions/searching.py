"""Users who search several times in a session, walked one by one, with what they find and pay."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.searching import Rest, Searcher

_SLACK = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Searches:
    """What walked users found and paid, a row for each, a column for r = 1 .. t.

    Attributes
    ----------
    found, spent
        New ideals and costs until the session had shown r, or was over.
    added, cost
        New ideals of the rest of the collection; and what was paid in all until r were seen, there
        if need be; infinite where the collection has no end.
    has_reached
        Whether the session showed r.
    """

    found: Floats
    spent: Floats
    added: Floats
    cost: Floats
    has_reached: Floats


def walk_searches(
    searcher: Searcher,
    lists: Sequence[Sequence[str]],
    ideals: Collection[str],
    *,
    users: int,
    rng: np.random.Generator,
    rest: Rest | None = None,
) -> Searches:
    """Return what so many users find and pay who go through lists as `searcher` does.

    Each user goes through the lists to the end of their session, tossing for whatever they may do;
    if ideals are missing then, the rest of the collection is shuffled and gone through.

    >>> rng = np.random.default_rng(1)
    >>> reader = Searcher(stops=((0, 0), (0, 1)), element_cost=1)
    >>> walk_searches(reader, [["x"], ["a"]], ["a"], users=1, rng=rng).spent.tolist()
    [[2.0]]
    """
    wanted, rest = frozenset(ideals), rest or Rest()
    if not wanted:
        raise InputError("ideals", (), "hold at least one element", remedy="leave the question out")
    walked = [_walk(searcher, lists, wanted, rest, rng) for _ in range(users)]
    return Searches(*(np.array([one[at] for one in walked]) for at in range(5)))


def _walk(
    searcher: Searcher,
    lists: Sequence[Sequence[str]],
    wanted: frozenset[str],
    rest: Rest,
    rng: np.random.Generator,
) -> tuple[list[float], ...]:
    seen, shown = set[str](), set[str]()
    paid = 0.0
    found_at, paid_at = list[float](), list[float]()
    for price, elements, page in _actions(searcher, lists, wanted, rng):
        shown.update(page)
        if rest.budget is not None and paid + price > rest.budget + rest.budget * _SLACK:
            break
        paid += price
        seen.update(element for element in elements if element in wanted)
        while len(found_at) < len(seen):
            found_at.append(len(seen))
            paid_at.append(paid)
    missing = len(wanted) - len(seen)
    added = [0.0] * len(wanted)
    if rest.budget is not None:
        after = [rest.budget] * missing
    elif rest.size is None:
        after = [float("inf")] * missing
    else:
        size = rest.unseen(len(shown - wanted), len(seen), len(wanted))
        places = np.sort(rng.choice(size, missing, replace=False)) + 1
        after = [paid + rest.cost * float(place) for place in places]
        added[len(seen) :] = [float(number + 1) for number in range(missing)]
    found = [*found_at, *[float(len(seen))] * missing]
    reached = [1.0] * len(seen) + [0.0] * missing
    return found, [*paid_at, *[paid] * missing], added, [*paid_at, *after], reached


def _actions(
    searcher: Searcher,
    lists: Sequence[Sequence[str]],
    wanted: frozenset[str],
    rng: np.random.Generator,
) -> Iterator[tuple[float, Sequence[str], Sequence[str]]]:
    """Yield what a user does, one after the other: its price, what is seen, and a list if shown."""
    seen = set[str]()
    calls, is_new = 0, False
    while rng.random() >= searcher.stopping(calls, is_new=is_new) and calls < len(lists):
        page = lists[calls]
        calls += 1
        before, opened = len(seen), False
        if searcher.sees_at_once:
            yield searcher.call_cost, page, page
            seen |= wanted.intersection(page)
        else:
            yield searcher.call_cost, (), page
        for rank, element in enumerate(page, start=1):
            if searcher.sees_at_once:
                break
            opened = rng.random() < searcher.opening(calls, rank, after_opened=opened)
            if not opened:
                continue
            if searcher.opens is None:
                yield searcher.element_cost, (element,), ()
                seen |= wanted.intersection((element,))
                continue
            came: str | None = None
            here: str | None = element
            while here is not None:
                yield searcher.visit_cost, (here,), ()
                seen |= wanted.intersection((here,))
                came, here = here, _next(searcher.following(here, came), rng)
        is_new = len(seen) > before


def _next(targets: Mapping[str, float], rng: np.random.Generator) -> str | None:
    """Return where a user goes from a page, None for back to the list."""
    toss = rng.random()
    for target, probability in targets.items():
        toss -= probability
        if toss < 0:
            return target
    return None
