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

    `found`, `spent`: new ideals and costs until the session had shown r, or was over. `added`,
    `cost`: new ideals of the rest of the collection; and what was paid in all until r were seen,
    there if need be; infinite where the collection has no end. `has_reached`: whether the session
    showed r.
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
    ideal_ids, rest = frozenset(ideals), rest or Rest()
    if not ideal_ids:
        raise InputError("ideals", (), "hold at least one element", remedy="leave the question out")
    walked = [_walk(searcher, lists, ideal_ids, rest, rng) for _ in range(users)]
    return Searches(*(np.array([user[place] for user in walked]) for place in range(5)))


def _walk(
    searcher: Searcher,
    lists: Sequence[Sequence[str]],
    ideal_ids: frozenset[str],
    rest: Rest,
    rng: np.random.Generator,
) -> tuple[list[float], ...]:
    seen, shown = set[str](), set[str]()
    paid = 0.0
    found_at, paid_at = list[float](), list[float]()
    for price, elements, page in _actions(searcher, lists, ideal_ids, rng):
        shown.update(page)
        if rest.budget is not None and paid + price > rest.budget + rest.budget * _SLACK:
            break
        paid += price
        seen.update(element for element in elements if element in ideal_ids)
        while len(found_at) < len(seen):
            found_at.append(len(seen))
            paid_at.append(paid)
    missing = len(ideal_ids) - len(seen)
    added = [0.0] * len(ideal_ids)
    if rest.budget is not None:
        after = [rest.budget] * missing
    elif rest.size is None:
        after = [float("inf")] * missing
    else:
        size = rest.unseen(len(shown - ideal_ids), len(seen), len(ideal_ids))
        places = np.sort(rng.choice(size, missing, replace=False)) + 1
        after = [paid + rest.cost * float(place) for place in places]
        added[len(seen) :] = [float(number + 1) for number in range(missing)]
    num_found = [*found_at, *[float(len(seen))] * missing]
    reached = [1.0] * len(seen) + [0.0] * missing
    return num_found, [*paid_at, *[paid] * missing], added, [*paid_at, *after], reached


def _actions(
    searcher: Searcher,
    lists: Sequence[Sequence[str]],
    ideal_ids: frozenset[str],
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
            seen |= ideal_ids.intersection(page)
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
                seen |= ideal_ids.intersection((element,))
                continue
            came: str | None = None
            here: str | None = element
            while here is not None:
                yield searcher.visit_cost, (here,), ()
                seen |= ideal_ids.intersection((here,))
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
