"""What is followed costs: closed forms against all states of all links, and simulated users."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from prum import Browsing, Costs, Coupled, Expansion, Independent, InputError, Task, Walk
from prum.analytic import Reading
from prum.analytic.precision.following import Paid
from prum.simulator.model.costs import Constant
from prum.simulator.sessions import simulate_reading
from tests.agreement.test_expansion import World, enumerated, world
from tests.tiers import spread, spread_rows

PAID: tuple[Paid, ...] = ("again", "once")
COSTS = Costs(
    Constant(0.5), Constant(1), Constant(0.25), 1.0, 3.0, {"s": 2, "a": 5, "b": 1, "c": 0}
)


def of_all_states(here: World, r: int, paid: Paid) -> tuple[list[float], list[float]]:
    """Return E[ideals], E[cost] until r, and by rank, from the law of each rank's set."""
    ranking, ideals = here.task.ranking, {*here.task.ideals}
    laws = [
        {frozenset([x]) if k else None: 1.0} if k else enumerated(x, here.expansion)
        for x, k in zip(ranking, [ranking.index(x) < i for i, x in enumerate(ranking)], strict=True)
    ]
    until, by_rank = [0.0, 0.0], [0.0, 0.0]
    for choice in product(*[law.items() for law in laws]):
        share = float(np.prod([p for _, p in choice]))
        read, paid_for, stopped = frozenset[str](), 0.0, False
        for element, (here_read, _) in zip(ranking, choice, strict=True):
            pages = here_read or frozenset([element])
            charged = pages - read if paid == "once" else pages
            paid_for += 0.5 + 0.25 * len(pages - {element})
            paid_for += sum(1 + COSTS.length_of(page) for page in charged)
            read |= pages
            if not stopped and len(read & ideals) >= r:
                stopped = True
                until[0] += share * len(read & ideals)
                until[1] += share * paid_for
        by_rank[0] += share * len(read & ideals)
        by_rank[1] += share * paid_for
        if not stopped:
            until[0] += share * len(read & ideals)
            until[1] += share * paid_for
    return until, by_rank


@pytest.mark.parametrize("paid", PAID)
def test_costs_are_those_of_all_states(paid: Paid) -> None:
    for number in range(40):
        here = world(number, hops=1 + number % 3)
        reading = Reading(here.task, here.expansion, COSTS)
        for r in range(1, here.task.num_ideals + 1):
            until, by_rank = of_all_states(here, r, paid)
            assert reading.until(r, paid) == pytest.approx(until, abs=1e-11), (number, r)
            assert reading.by_rank(None, paid) == pytest.approx(by_rank, abs=1e-11), number


TOSSED = {("s", "a"): 0.4, ("s", "x"): 0.3, ("t", "x"): 0.5, ("t", "b"): 0.2, ("x", "b"): 0.6}
LIST = Task(["s", "t", "x"], ["a", "b"], 20)
WAYS: list[Any] = [
    Independent(TOSSED),
    Walk(TOSSED),
    Coupled(Independent(TOSSED), "exclusive"),
    Coupled(Independent(TOSSED), "comonotone"),
    Expansion(TOSSED, hops=1),
    Expansion(TOSSED, hops=3, decay=0.6),
]


@pytest.mark.parametrize(
    ("way", "paid"),
    spread_rows(3, product(WAYS, PAID)),
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_simulated_readers_agree(way: Any, paid: Paid) -> None:
    users = simulate_reading(LIST, way, num_users=4_000, seed=1, costs=COSTS, paid=paid)
    reading = Reading(LIST, way, COSTS)
    costs = np.cumsum(reading.along(paid).ranked)
    errors = users.spent.std(axis=0, ddof=1) / len(users.spent) ** 0.5
    assert np.abs(users.spent.mean(axis=0) - costs) == pytest.approx(0, abs=4 * errors.max())
    for r in (1, 2):
        if isinstance(way, Walk | Coupled) and (r > 1 or paid == "once"):
            with pytest.raises(InputError, match="take r=1, paid again"):
                reading.until(r, paid)
            continue
        ideals, cost = reading.until(r, paid)
        value, error = users.ratio(r)
        assert abs(value - ideals / cost) < 4 * error
        # A control: users who pay half a unit more a page.
        assert abs(value - ideals / (cost * 1.2)) > 4 * error


@pytest.mark.parametrize("number", spread(3, range(12)))
def test_simulated_readers_of_any_graph_agree(number: int) -> None:
    here = world(number, hops=1 + number % 3)
    for paid in PAID:
        users = simulate_reading(here.task, here.expansion, num_users=2_000, seed=1, paid=paid)
        for r in range(1, here.task.num_ideals + 1):
            ideals, cost = Reading(here.task, here.expansion).until(r, paid)
            value, error = users.ratio(r)
            assert abs(value - ideals / cost) <= 4.5 * error + 1e-12


def test_a_hub_costs_what_is_behind_it() -> None:
    """41 notes behind a hub, one of which counts: .238 ideals per 1,000 tokens, or 5."""
    notes = [f"n{k:02}" for k in range(41)]
    links = {("hub", note): 1.0 for note in notes} | {("note", "n00"): 1.0}
    tokens = Costs.of(dict.fromkeys(["hub", "note", *notes], 100), unit="tokens")
    way = Expansion(links, hops=1, fan_out=50)
    values = []
    for ranking in (["hub", "note"], ["note", "hub"]):
        ideals, cost = Reading(Task(ranking, ["n00"], 50), way, tokens).until(1)
        values.append(1000 * ideals / cost)
    assert values == pytest.approx([1000 / 4200, 5])


def test_what_has_no_costs_is_refused() -> None:
    for way in (Expansion(TOSSED, tosses="reader"), Browsing(WAYS[1], fading=0.5, need=[0.5])):
        with pytest.raises(InputError, match="for costs of what is read"):
            Reading(LIST, way)
    deep = TOSSED | {("b", "c"): 0.5, ("c", "a"): 0.5, ("s", "c"): 0.1}
    with pytest.raises(InputError, match="few pages and ideals"):
        Reading(LIST, Expansion(deep, 4)).until(1)
    with pytest.raises(InputError, match="tokens of 'b' must be given"):
        Reading(LIST, WAYS[4], Costs.of(dict.fromkeys("stxa", 1), unit="tokens")).along()
