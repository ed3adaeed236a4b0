"""How an agent goes through several lists, learned from sessions: calls, openings, links, costs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from prum.experiments.logs.trajectories.trajectory import Action, Trajectory
from prum.simulator.model.searching import Searcher

# Calls and ranks that have probabilities of their own; those after them share one.
CALLS_THAT_STOP, CALLS_THAT_OPEN, RANKS = 10, 3, 10
Price = Callable[[Trajectory], Iterable[float]]
_Key = tuple[int, ...]
# An element, and the one from which a link led there; None if it was opened.
_Came = tuple[str | None, str]


def fit_searcher(
    sessions: Collection[Trajectory],
    ideals: Mapping[str, Collection[str]],
    *,
    reads: bool,
    by_element: bool,
    price: Price,
) -> Searcher | None:
    """Return how the users of these sessions search, None if there is no call.

    Shares are what was counted, with one more observation of the share that is less fine: of a stop
    after a call of this number, with something new or without, that of all calls like it; of an
    opening at a rank, by call and by whether the rank before was opened, that of the rank; of a
    link after the one that led to its page, that of the link. Of links of a page the one more
    observation is that the user returned. Sessions that were cut short did not stop after their
    last call.

    Parameters
    ----------
    ideals
        Those of each question.
    reads
        Whether users see whatever lists show; else what they open.
    by_element
        Whether elements are what is counted: 1 for each that is read or visited.
    price
        What each action of a session cost.

    >>> one = Trajectory("s", "q", (Action("list", ("x", "a")), Action("list", ("b",))))
    >>> made = fit_searcher([one], {"q": "a"}, reads=True, by_element=True, price=lambda _: (0, 0))
    >>> made.stops[:3], made.element_cost
    (((0.0, 0.0), (0.75, 0.125), (0.875, 0.25)), 1.0)
    """
    stops, opens = _Shares(), _Shares()
    visits, followed = Counter[_Came](), Counter[tuple[_Came, str]]()
    paid, num = defaultdict[str, float](float), Counter[str]()
    for session in sessions:
        # What was done before the first list is left out.
        calls = list[tuple[tuple[str, ...], list[Action]]]()
        for action, cost in zip(session.actions, price(session), strict=True):
            paid["list" if reads or action.kind == "list" else "visit"] += cost
            num[action.kind] += 1
            if action.kind == "list":
                calls.append((action.elements, []))
            elif calls:
                calls[-1][1].append(action)
        topic_ideals, seen = set(ideals.get(session.topic, ())), set[str]()
        if calls or not session.is_cut:
            stops.add((0,), not calls)
        for number, (shown, actions) in enumerate(calls, start=1):
            consulted = set(shown) if reads else set[str]()
            consulted |= {x for action in actions for x in action.elements}
            new = topic_ideals.intersection(consulted) - seen
            seen |= new
            is_last = number == len(calls)
            if not (is_last and session.is_cut):
                stops.add((1, int(bool(new)), min(number, CALLS_THAT_STOP)), is_last)
            if not reads:
                _opened(opens, number, shown, actions)
                _followed(visits, followed, actions)
    if not num["list"]:
        return None
    never, ranks = stops.share((0,), 0.0), range(1, RANKS + 1)
    by_call = (
        (stops.fine((1, 0, number)), stops.fine((1, 1, number)))
        for number in range(1, CALLS_THAT_STOP + 1)
    )
    opens_by_call = tuple(
        tuple((opens.fine((rank, 0, call)), opens.fine((rank, 1, call))) for rank in ranks)
        for call in range(1, CALLS_THAT_OPEN + 1)
    )
    follows, follows_after = _links(visits, followed)
    return Searcher(
        stops=((never, never), *by_call),
        opens=None if reads else opens_by_call,
        follows=follows,
        follows_after=follows_after,
        call_cost=0.0 if by_element else paid["list"] / num["list"],
        element_cost=1.0 if reads and by_element else 0.0,
        visit_cost=1.0 if by_element else paid["visit"] / max(num["open"] + num["follow"], 1),
    )


class _Shares:
    """Counts of what happened and might have, by keys; of keys that begin alike, too."""

    def __init__(self) -> None:
        self._times, self._trials = Counter[_Key](), Counter[_Key]()

    def add(self, key: _Key, happened: bool) -> None:
        for size in range(len(key) + 1):
            self._times[key[:size]] += happened
            self._trials[key[:size]] += 1

    def share(self, key: _Key, otherwise: float) -> float:
        trials = self._trials[key]
        return self._times[key] / trials if trials else otherwise

    def fine(self, key: _Key) -> float:
        """Return the share of a key, drawn to that of the keys that begin alike, and so on."""
        share = self.share(key[:1], self.share((), 0.0))
        for size in range(2, len(key) + 1):
            prefix = key[:size]
            share = (self._times[prefix] + share) / (self._trials[prefix] + 1)
        return share


def _opened(opens: _Shares, number: int, shown: Sequence[str], actions: Iterable[Action]) -> None:
    left = Counter(x for action in actions if action.kind == "open" for x in action.elements)
    before = False
    for rank, element in enumerate(shown, start=1):
        is_opened = left[element] > 0  # an element that stands there again, if opened again
        left[element] -= is_opened
        opens.add((min(rank, RANKS), int(before), min(number, CALLS_THAT_OPEN)), is_opened)
        before = is_opened


def _followed(
    visits: Counter[_Came], followed: Counter[tuple[_Came, str]], actions: Iterable[Action]
) -> None:
    """Count visits of pages, and links that were followed from there."""
    trail = list[_Came]()
    for action in actions:
        if action.kind == "back":
            trail[-1:] = []
        elif action.kind == "open" or not trail:
            trail = [(None, action.elements[0])]
        else:
            source = action.origin or trail[-1][1]
            goes_back = trail[-1][1] != source
            while trail and trail[-1][1] != source:
                trail.pop()
            trail = trail or [(None, source)]
            visits[trail[-1]] += goes_back
            followed[trail[-1], action.elements[0]] += 1
            trail.append((source, action.elements[0]))
        visits.update(trail[-1:])


def _links(
    visits: Mapping[_Came, int], followed: Mapping[tuple[_Came, str], int]
) -> tuple[dict[str, dict[str, float]], dict[tuple[str, str], dict[str, float]]]:
    """Return how likely links are followed: by the page, and by that and the one before."""
    pages, links = Counter[str](), Counter[tuple[str, str]]()
    for (_, page), times in visits.items():
        pages[page] += times
    for ((_, page), target), times in followed.items():
        links[page, target] += times
    follows: dict[str, dict[str, float]] = {}
    for (page, target), times in links.items():
        follows.setdefault(page, {})[target] = times / (pages[page] + 1)
    after = {
        (before, page): {
            target: (followed.get(((before, page), target), 0) + share) / (times + 1)
            for target, share in follows[page].items()
        }
        for (before, page), times in visits.items()
        if before is not None and page in follows
    }
    return follows, after
