"""Traffic: when users come and what they ask by law; and that nobody minds who else is there."""

import gc
import itertools
import math
import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from prum.simulator import Beta, Browsing, Independent, InputError, Task, Walk
from prum.simulator.model.costs import Constant, Costs, Exponential
from prum.simulator.model.stopping import Budget, Found, Fruitless, Patience, Persistence, Stopping
from prum.simulator.sessions import crowd
from prum.simulator.sessions import session as sessions_module
from prum.simulator.sessions.crowd import Entry, Geometric, Poisson, Query
from prum.simulator.sessions.session import Life, play
from tests.tiers import slow, spread
from tests.traffic import traffic

Floats = NDArray[np.float64]

WEB = Task(["c", "d", "a", "b"], ["a", "b"], 4)
LINKS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
DEEP = Task(["x", "a", "y"], ["a", "b", "d"], 12)
COSTS = Costs(Constant(4.4), Exponential(7.8), Exponential(2))


def short(count: int = 1) -> list[Query]:
    """Return queries that one step answers."""
    return [Query(f"q{number}", Task(["a"], ["a"], 1), Independent({})) for number in range(count)]


def sessions_of(entries: Iterable[Entry]) -> dict[tuple[int, int], list[Entry]]:
    found: dict[tuple[int, int], list[Entry]] = {}
    for entry in entries:
        found.setdefault((entry.user, entry.session), []).append(entry)
    return found


def starts(entries: Iterable[Entry]) -> Floats:
    """Return when users came, in their order."""
    firsts = {entry.user: entry.time - entry.event.time for entry in reversed(list(entries))}
    return np.array([firsts[user] for user in sorted(firsts)])


# --- what a user does ---------------------------------------------------------------------------

RULES = {
    "all": None,
    "found": Stopping(Found(1)),
    "persistence": Stopping(Persistence(0.7)),
    "fruitless": Stopping(Fruitless(2)),
    # Ends together with steps; by a common clock rounding would tell them apart.
    "budget": Stopping(Budget(3 * 4.4)),
    "patience": Stopping(Patience(Exponential(20))),
}


@pytest.mark.parametrize("rules", spread(2, RULES.values()), ids=RULES)
@pytest.mark.parametrize(
    "costs",
    [None, COSTS, pytest.param(Costs(Constant(4.4), Constant(0), Constant(0)), marks=slow)],
)
@slow
def test_a_user_does_in_traffic_what_he_does_alone(
    rules: Stopping | None, costs: Costs | None
) -> None:
    queries = [
        Query("web", WEB, Independent(LINKS), rules),
        Query("walk", DEEP, Walk({("x", "a"): 0.5, ("a", "y"): 0.3, ("y", "b"): 0.5}), rules),
        Query("dials", DEEP, Browsing(Independent({("x", "b"): 0.7}), Beta(1, 1)), rules),
    ]
    entries = traffic(
        queries,
        num_users=30,
        first_user=7,
        seed=5,
        costs=costs or Costs.unit(),
        arrivals=Poisson(1000),
        queries_each=Geometric(2),
        pause=Exponential(10),
    )
    by_name = {query.name: query for query in queries}
    found = sessions_of(entries)
    assert len(found) > 40
    for (user, _), told in found.items():
        query = by_name[told[0].query]
        alone = play(query.task, query.navigation, user=user, seed=5, stopping=rules, costs=costs)
        assert tuple(entry.event for entry in told) == alone.events
        assert told[-1].reason == alone.reason
        assert {entry.reason for entry in told[:-1]} <= {None}


def test_nobody_minds_who_else_is_there() -> None:
    def of_user(first: int, count: int, arrivals: Any) -> list[Any]:
        entries = traffic(
            [Query("deep", DEEP, Independent({("x", "b"): 0.5})), *short(3)],
            first_user=first,
            num_users=count,
            seed=2,
            arrivals=arrivals,
            queries_each=Geometric(3),
            costs=COSTS,
            pause=Exponential(5),
        )
        mine = [entry for entry in entries if entry.user == 9]
        return [(e.session, e.query, e.event, e.reason, e.last) for e in mine]

    alone = of_user(9, 1, None)
    assert alone == of_user(0, 40, Poisson(500)) == of_user(9, 3, [5, 5, 1e5])
    many, few = (
        [e for e in traffic(short(), num_users=n, seed=2, arrivals=Poisson(60)) if e.user < 5]
        for n in (300, 5)
    )
    assert many == few


def test_things_happen_in_order_and_users_go_once() -> None:
    entries = list(
        traffic(short(4), num_users=50, seed=1, arrivals=Poisson(3600), queries_each=Geometric(3))
    )
    assert all(one.time <= two.time for one, two in itertools.pairwise(entries))
    assert Counter(entry.user for entry in entries if entry.last) == dict.fromkeys(range(50), 1)
    found = sessions_of(entries)
    asked = {user: max(session for who, session in found if who == user) for user in range(50)}
    assert sorted(found) == [(x, session) for x in asked for session in range(1, asked[x] + 1)]
    for user, number in asked.items():
        assert len({found[user, session + 1][0].query for session in range(number)}) == number


def test_by_default_users_take_all_queries_one_after_the_other() -> None:
    entries = list(traffic(short(3), num_users=2, seed=1, pause=Constant(10)))
    stops = [(e.user, e.query, e.time) for e in entries if e.reason]
    assert stops == [
        (0, "q0", 1),
        (0, "q1", 12),
        (0, "q2", 23),
        (1, "q0", 24),
        (1, "q1", 35),
        (1, "q2", 46),
    ]


# --- laws ---------------------------------------------------------------------------------------


def exponential_z(gaps: Floats, mean: float) -> Floats:
    """Return z of the first two moments and of the correlation with the next gap."""
    n, units = len(gaps), gaps / mean
    return np.array(
        [
            (units.mean() - 1) * math.sqrt(n),
            ((units**2).mean() - 2) / math.sqrt(20 / n),
            ((units[1:] - 1) * (units[:-1] - 1)).mean() * math.sqrt(n - 1),
        ]
    )


@slow
def test_arrivals_are_a_poisson_process() -> None:
    came = starts(traffic(short(), num_users=4000, seed=3, arrivals=Poisson(120)))
    gaps = np.diff(came, prepend=0)
    assert np.abs(exponential_z(gaps, 30)).max() < 4
    # The same test notices another rate, regularity, and gaps that depend on each other.
    assert abs(exponential_z(gaps, 33)[0]) > 4
    assert abs(exponential_z(np.full(4000, 30.0), 30)[1]) > 4
    assert abs(exponential_z(np.sort(gaps), 30)[2]) > 4


@slow
def test_numbers_of_queries_are_geometric_and_orders_random() -> None:
    num_users, mean = 3000, 2.5
    found = sessions_of(
        traffic(short(40), num_users=num_users, seed=4, queries_each=Geometric(mean))
    )
    numbers = Counter(Counter(user for user, _ in found).values())
    stop = 1 / mean
    law = [stop * (1 - stop) ** k for k in range(5)]
    expected = num_users * np.array([*law, 1 - sum(law)])
    observed = [numbers[k] for k in range(1, 6)]
    observed.append(num_users - sum(observed))
    assert chisquare(observed, expected).pvalue > 1e-4
    assert chisquare(observed, np.roll(expected, 1)).pvalue < 1e-4
    for session in (1, 2):
        asked = Counter(told[0].query for key, told in found.items() if key[1] == session)
        assert len(asked) == 40
        assert chisquare(list(asked.values())).pvalue > 1e-4


# --- memory -------------------------------------------------------------------------------------


@slow
def test_who_has_gone_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: weakref.WeakSet[Life] = weakref.WeakSet()

    class Watched(Life):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            alive.add(self)

    monkeypatch.setattr(crowd, "Life", Watched)
    rules = Stopping(Found(1), Budget(1e9))  # an alarm that outlasts them
    queries = [Query("web", WEB, Independent(LINKS), rules)]
    # Three seconds of a session at most, every ten seconds another.
    entries = traffic(queries, num_users=300, seed=1, arrivals=[10.0 * k for k in range(300)])
    most = 0
    for number, _ in enumerate(entries):
        if number % 200 == 0:
            gc.collect()
            most = max(most, len(alive))
    assert 0 < most <= 2


# --- mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: traffic([], num_users=1, seed=1), "a name of its own"),
        (lambda: traffic([*short(), *short()], num_users=1, seed=1), "a name of its own"),
        (lambda: traffic(short(), num_users=1, seed=-1), "seed is -1"),
        (lambda: traffic(short(), num_users=1, seed=1, pause=3), "pause is 3"),  # type: ignore[arg-type]
    ],
)
def test_what_makes_no_sense_is_refused_at_once(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_who_never_stops_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "MOST_CONSULTED", 100)
    endless = Query("endless", Task([], ["a"], 10**6), Independent({}))
    with pytest.raises(InputError, match="user 3 consulted is 100, must come to an end"):
        list(traffic([endless], num_users=1, first_user=3, seed=1))


def test_times_that_add_up_to_infinity_are_refused() -> None:
    costs = Costs(Constant(1.7e308), Constant(1.7e308), Constant(0))
    with pytest.raises(InputError, match="time is inf, must be finite"):
        list(traffic(short(), num_users=1, seed=1, costs=costs))
