"""Sessions of several lists by enumeration, in fractions: every path, every order of the rest."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from prum.simulator.model.searching import Rest, Searcher

Path = tuple[Fraction, list[tuple[Fraction, tuple[str, ...]]], set[str], bool]


def of_session(
    actions: Sequence[tuple[Fraction, tuple[str, ...]]],
    ideals: Sequence[str],
    shown: set[str],
    rest: Rest,
) -> list[tuple[Fraction | float, Fraction | float]]:
    """Return (E[new], E[cost]) for r = 1 .. t of one session, the rest in all its orders."""
    budget = None if rest.budget is None else Fraction(rest.budget)
    kept, total = [], Fraction(0)
    for cost, elements in actions:
        if budget is not None and total + cost > budget:
            break
        total += cost
        kept.append((cost, elements))
    seen = {x for _, elements in kept for x in elements if x in ideals}
    orders: list[tuple[str, ...]] = [()]
    if rest.size is not None:
        left = [x for x in ideals if x not in seen]
        size = rest.size - len(shown - set(ideals)) - len(seen)
        # Which places the missing ideals have; in which order they come does not matter.
        orders = [
            tuple(left[places.index(at)] if at in places else "other" for at in range(size))
            for places in combinations(range(size), len(left))
        ]
    found = list[tuple[Fraction | float, Fraction | float]]()
    for r in range(1, len(ideals) + 1):
        news, costs = list[Fraction | float](), list[Fraction | float]()
        for order in orders:
            whole = [*kept, *((Fraction(rest.cost), (x,)) for x in order)]
            have, paid = set[str](), Fraction(0)
            for cost, elements in whole:
                if len(have) >= r:
                    break
                paid += cost
                have |= {x for x in elements if x in ideals}
            news.append(Fraction(len(have)))
            short = len(have) < r
            costs.append(paid if not short else float("inf") if budget is None else budget)
        found.append((_mean(news), _mean(costs)))
    return found


def _mean(values: list[Fraction | float]) -> Fraction | float:
    total = sum(values[1:], start=values[0])
    return total / len(values)


def paths(searcher: Searcher, lists: Sequence[Sequence[str]], ideals: set[str]) -> Iterator[Path]:
    """Yield all that a user may do: how likely, what they pay and see, what lists showed, whether
    they call once more than there are lists. Links must not lead in a circle.
    """

    def fraction(x: float) -> Fraction:
        return Fraction(x)

    def stopping(
        number: int, p: Fraction, done: list, shown: set[str], new: bool
    ) -> Iterator[Path]:
        stop = fraction(searcher.stopping(number, is_new=new))
        if stop:
            yield p * stop, done, shown, False
        if stop < 1 and number == len(lists):
            yield p * (1 - stop), done, shown, True
        elif stop < 1:
            yield from calling(number + 1, p * (1 - stop), done, shown)

    def calling(number: int, p: Fraction, done: list, shown: set[str]) -> Iterator[Path]:
        page = lists[number - 1]
        call = fraction(searcher.call_cost)
        before = {x for _, elements in done for x in elements if x in ideals}
        at_once = tuple(page) if searcher.sees_at_once else ()
        start = [*done, (call, at_once)]
        ends = [(p, start)] if searcher.sees_at_once else looking(number, 1, p, start, opened=False)
        for share, after in ends:
            now = {x for _, elements in after for x in elements if x in ideals}
            yield from stopping(number, share, after, shown | set(page), now > before)

    def looking(
        number: int, rank: int, p: Fraction, done: list, *, opened: bool
    ) -> Iterator[tuple[Fraction, list]]:
        page = lists[number - 1]
        if rank > len(page):
            yield p, done
            return
        q = fraction(searcher.opening(number, rank, after_opened=opened))
        if q < 1:
            yield from looking(number, rank + 1, p * (1 - q), done, opened=False)
        if not q:
            return
        x = page[rank - 1]
        if searcher.opens is None:
            step = [*done, (fraction(searcher.element_cost), (x,))]
            yield from looking(number, rank + 1, p * q, step, opened=True)
            return
        for share, after in browsing(x, p * q, done, None):
            yield from looking(number, rank + 1, share, after, opened=True)

    def browsing(
        x: str, p: Fraction, done: list, before: str | None
    ) -> Iterator[tuple[Fraction, list]]:
        done = [*done, (fraction(searcher.visit_cost), (x,))]
        left = Fraction(1)
        targets = searcher.follows_after.get((before or "", x), searcher.follows.get(x, {}))
        for target, q in targets.items():
            left -= fraction(q)
            yield from browsing(target, p * fraction(q), done, x)
        yield p * left, done

    yield from stopping(0, Fraction(1), [], set(), new=False)


def of_searcher(
    searcher: Searcher, lists: Sequence[Sequence[str]], ideals: Sequence[str], rest: Rest
) -> tuple[list[Fraction | float], list[Fraction | float], Fraction]:
    """Return E[new] and E[cost] for each r, and how likely one call more is made than lists."""
    new: list[Fraction | float] = [Fraction(0)] * len(ideals)
    cost: list[Fraction | float] = [Fraction(0)] * len(ideals)
    beyond = Fraction(0)
    for p, done, shown, goes_on in paths(searcher, lists, set(ideals)):
        beyond += p * goes_on
        for at, (own, paid) in enumerate(of_session(done, ideals, shown, rest)):
            new[at] += p * own
            cost[at] += p * paid
    return new, cost, beyond
