"""Every kind of user by name: ways of browsing with each dial, rules, effort, trust."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product

from prum.simulator import Costs, Independent, Links, Simulation, Stopping, Task, simulate
from prum.simulator.model import ChunkTable, Covering, Navigation, Span
from prum.simulator.model.costs import Exponential
from prum.simulator.model.kinds import navigation_of
from prum.simulator.model.stopping import rule_of
from prum.simulator.sampling.measured.effort import simulate_effort
from prum.simulator.sampling.tally import CONSULTED, CONSULTED_BITS, LEADING, PRODUCT
from prum.simulator.sessions.session import sessions

BASES = ("independent", "exclusive", "comonotone", "copula .5", "walk")
POPULATIONS = ("types .5:.25 .5:1", "beta 1 1", "beta 2 .5", "one-factor .3")
DIALS = ("fading .8", "satiation 1 .5 .2", "need .4 .7 1", "no-revisit", "unranked")
ALL_DIALS = " + ".join(("beta 2 1", *DIALS))
KINDS = tuple(
    f"{base} + {dial}" if dial else base
    for base, dial in product(BASES, ("", *POPULATIONS, *DIALS, ALL_DIALS))
)
EXPANSIONS = ("expansion 2 fan_out 2 decay .5", "expansion 3 both reader")
RULES = ("found 2", "persistence .7", "ranks .1 .2 .3", "fruitless 2", "budget 3", "patience 2")

# An element that is ranked twice, an ideal that is not ranked, links from and to both.
TASK = Task(["x", "a", "x", "é b", "v"], ["a", "b", "z"], 50)
TABLE = Links(
    {("x", "a"): 0.3, ("x", "b"): 0.25, ("x", "w"): 0.3, ("é b", "b"): 0.5, ("é b", "z"): 0.25}
    | {("a", "b"): 0.125, ("w", "z"): 0.5, ("v", "a"): 0.5, ("v", "z"): 0.375}
)
DOCUMENTS = {"x": "1", "a": "1", "b": "2", "é b": "2", "v": "3", "w": "3", "z": "3"}
VALUES = {"a": 1.0, "b": 0.5, "z": 0.25}

# How many users of a seed -> numbers that say what they did.
Users = Callable[[int, int], Iterable[float]]


def browsing(kind: str) -> Navigation:
    """Return a kind of browsing by its name."""
    return navigation_of(kind, TABLE, DOCUMENTS)


def sums(simulation: Simulation) -> Iterable[float]:
    """Return the sums of CL(r), of C(r) and of their products."""
    leading, consulted, products = simulation.tally.sums[[LEADING, CONSULTED, PRODUCT]]
    scale = 1 << CONSULTED_BITS
    return *leading, *(consulted / scale), *(products / scale)


def _browsing(kind: str, num_users: int, seed: int) -> Iterable[float]:
    return sums(simulate(TASK, browsing(kind), num_users=num_users, seed=seed))


def _expected(kind: str, num_users: int, seed: int) -> Iterable[float]:
    run = simulate(TASK, browsing(kind), num_users=num_users, seed=seed, unranked="expected")
    return sums(run)


def _spans(whole: bool, opened: bool, num_users: int, seed: int) -> Iterable[float]:
    rows = {"x": ("d", 0, 60), "é b": ("d", 40, 90), "y": ("d", 90, 130), "v": ("é", 0, 50)}
    spans = {"a": Span("d", 20, 80), "b": Span("d", 70, 120), "z": Span("é", 40, 60)}
    links = {("x", "y"): 0.5, ("v", "é b"): 0.25, ("v", "y"): 0.125} if opened else {}
    covering = Covering(ChunkTable(rows), spans, links=links, whole=whole)
    task = Task(["v", "x", "v", "é b"], ["a", "b", "z"], 50)
    return sums(simulate(task, covering, num_users=num_users, seed=seed))


def _sessions(rule: str, num_users: int, seed: int) -> Iterable[float]:
    costs = Costs(Exponential(1), Exponential(0.5), Exponential(0.25))
    walk, stopping = browsing("walk"), Stopping(rule_of(rule))
    # A process in SimPy for each: fewer of them.
    several = sessions(
        TASK, walk, num_users=num_users // 10, seed=seed, stopping=stopping, costs=costs
    )
    columns = [(one.consulted, one.leading, len(one.events), one.seconds) for one in several]
    return [sum(column) for column in zip(*columns, strict=True)]


def _effort(num_users: int, seed: int) -> Iterable[float]:
    given = simulate_effort(TASK, Independent(TABLE), num_users=num_users, seed=seed, values=VALUES)
    return *given.leading, *given.consulted, *given.effort_precision


USERS: dict[str, Users] = {
    **{kind: partial(_browsing, kind) for kind in (*KINDS, *EXPANSIONS)},
    **{
        f"{kind}, expected behind the list": partial(_expected, kind)
        for kind in ("independent", "beta 2 .5", "copula .5", "walk")
    },
    **{
        f"{'whole' if whole else 'share'} of spans{', opened' * opened}": partial(
            _spans, whole, opened
        )
        for whole, opened in ((False, False), (False, True), (True, True))
    },
    **{f"sessions that stop by {rule}": partial(_sessions, rule) for rule in RULES},
    "effort": _effort,
}
