"""Sessions: the paper's own user, the kernels' users one by one, rules of stopping, time."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from prum.analytic import closed_form
from prum.analytic.stopping import stopped
from prum.experiments.crosscheck import crosscheck_campaigns
from prum.simulator import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    InputError,
    OneFactor,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.collections import built_in_campaign
from prum.simulator.model import Navigation
from prum.simulator.model.costs import Constant, Costs, Exponential
from prum.simulator.model.stopping import (
    RULES,
    Budget,
    Found,
    Fruitless,
    Patience,
    Persistence,
    Ranks,
    Stopping,
    rule_of,
)
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import RandomNumbers, Sfc64
from prum.simulator.sampling.ways.stepwise import StepwiseSampler
from prum.simulator.sessions.engine import simulate_sessions
from prum.simulator.sessions.session import play, sessions
from tests.scripts import scripted
from tests.tiers import slow, spread
from tests.twins.drawing import drawn

TASK = Task(["x", "a", "y", "x", "z"], ["a", "b", "d"], 12)
LINKS = {
    ("x", "a"): 0.5,
    ("x", "b"): 0.3,
    ("x", "d"): 0.9,
    ("y", "b"): 0.5,
    ("y", "d"): 0.5,
    ("z", "a"): 1.0,
    ("q", "b"): 0.7,
    ("q", "d"): 0.2,
    ("a", "b"): 0.4,
    ("d", "b"): 0.3,
}
MOVES = {
    ("x", "a"): 0.5,
    ("x", "b"): 0.3,
    ("a", "x"): 0.5,
    ("a", "y"): 0.2,
    ("y", "d"): 0.5,
    ("z", "y"): 1.0,
    ("q", "b"): 0.7,
    ("q", "d"): 0.2,
    ("b", "y"): 0.4,
    ("d", "q"): 0.3,
}
WAYS = {
    "independent": Independent(LINKS),
    "exclusive": Coupled(Independent(LINKS), "exclusive"),
    "comonotone": Coupled(Independent(LINKS), "comonotone"),
    "copula": Coupled(Independent(LINKS), Copula(0.4)),
    "walk": Walk(MOVES),
}
DIALS = {
    "none": {},
    "beta": {"population": Beta(1, 2)},
    "types": {"population": Types([0.3, 0.7], [0.2, 1])},
    "one factor": {"population": OneFactor(0.5)},
    "fading": {"fading": 0.8},
    "fades, after the list": {"fading": [1, 0.3, 0.9, 0.2, 0.6], "unranked": True},
    "satiation": {"satiation": [0.2, 0.7, 1]},
    "need": {"need": [0.3, 1]},
    "documents": {"documents": {"x": "D", "y": "D", "q": "E", "z": "E", "w": "E"}},
    "unranked": {"unranked": True},
    "several": {"population": Beta(2, 1), "fading": 0.9, "unranked": True, "need": [0.5, 1]},
}
# Users of one block and the next.
USERS = [*range(16_364, 16_404)]


def test_the_papers_first_figure() -> None:
    """Fig. 1: four ideals wanted; F = 0, 1, 2, 2, 4, and they stop at e."""
    task = Task(list("abcde"), list("bfgh"), 11)
    visits = {"c": ["f"], "d": ["f", "i"], "e": ["g", "h"]}
    session = scripted(task, visits, stopping=Stopping(Found(4)))
    assert session.found == (0, 1, 2, 2, 4)
    assert (session.consulted, session.leading, session.reason) == (5, 3, "found")
    last = session.events[-1]
    assert (last.action, last.element, last.rank, last.time) == ("stop", "e", 5, 5.0)
    seen_again = [event for event in session.events if event.ideal and not event.new]
    assert [(event.rank, event.origin, event.element) for event in seen_again] == [(4, "d", "f")]


@pytest.mark.parametrize("dialled", spread(3, itertools.product(WAYS, DIALS)), ids=" + ".join)
def test_a_session_is_the_kernels_user(dialled: tuple[str, str]) -> None:
    """The same C and CL, user by user, for every r, wherever places are keyed by user."""
    way, dials = dialled
    browsing = Browsing(WAYS[way], **DIALS[dials])
    expected = {}
    for block in (0, 1):
        users = StepwiseSampler(TASK, browsing).block(5, block, sampled=True)
        consulted, leading = drawn(users, [16_384], 3)
        for within in range(16_384):
            expected[block * 16_384 + within] = (consulted[within], leading[within])
    compared = 0
    for r in (1, 2, 3):
        told = sessions(
            TASK,
            browsing,
            num_users=len(USERS),
            first_user=USERS[0],
            seed=5,
            stopping=Stopping(Found(r)),
        )
        for user, session in zip(USERS, told, strict=True):
            c, cl = (int(column[r - 1]) for column in expected[user])
            assert session.user == user
            assert session.seconds == session.consulted
            if browsing.unranked or c <= TASK.num_ranked:
                assert (session.consulted, session.leading) == (c, cl)
                compared += 1
            else:
                # The unranked part of a block is drawn in the order of its users.
                assert session.consulted > TASK.num_ranked
    assert compared > 25


@slow
def test_places_after_the_list_have_the_classical_law() -> None:
    task = Task(["x"], ["a", "b"], 9)
    exact = closed_form(task, WAYS["independent"])
    assert exact is not None
    for r in (1, 2):
        told = sessions(
            task, WAYS["independent"], num_users=4_000, seed=3, stopping=Stopping(Found(r))
        )
        consulted, leading = np.array([(s.consulted, s.leading) for s in told]).T
        for values, true in ((consulted, exact.consulted), (leading, exact.leading)):
            error = values.std(ddof=1) / math.sqrt(len(values))
            assert abs(values.mean() - true[r - 1]) <= max(norm.isf(0.0005) * error, 1e-12)


def test_the_same_user_does_the_same_under_every_rule() -> None:
    whole = play(TASK, WAYS["walk"], user=7, seed=2, stopping=Stopping())
    for n in range(1, 6):
        part = play(
            TASK, WAYS["walk"], user=7, seed=2, stopping=Stopping(Ranks([0] * (n - 1) + [1]))
        )
        assert part.events[:-1] == tuple(e for e in whole.events[:-1] if e.rank <= n)
        assert part.reason == "rank"
    assert whole.reason == "end"
    assert whole.consulted == TASK.num_ranked + TASK.num_unranked


# --- rules -------------------------------------------------------------------------------------

NOBODY = Independent({})
LONG = Task([f"e{k}" for k in range(400)], ["never"], 401)


def consulted(stopping: Stopping, num_users: int = 2_000, **more: object) -> np.ndarray:
    told = sessions(LONG, NOBODY, num_users=num_users, seed=1, stopping=stopping, **more)
    return np.array([session.consulted for session in told])


def assert_mean(values: np.ndarray, true: float) -> None:
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert abs(values.mean() - true) < norm.isf(0.0005) * error, (values.mean(), true, error)


def test_who_bears_three_in_a_row_stops_after_the_third() -> None:
    task = Task(["p", "a", "q", "r", "s", "b"], ["a", "b"], 6)
    session = scripted(task, {}, stopping=Stopping(Fruitless(3)))
    assert (session.consulted, session.reason, session.found) == (5, "fruitless", (0, 1, 1, 1, 1))
    patient = scripted(task, {}, stopping=Stopping(Fruitless(4)))
    assert (patient.consulted, patient.reason) == (6, "end")


def test_a_budget_interrupts_and_what_is_done_by_then_counts() -> None:
    costs = Costs(Constant(2), Constant(3), Constant(1))
    task = Task(["x", "y"], ["a"], 3)
    session = scripted(task, {"x": ["p", "q"]}, stopping=Stopping(Budget(9)), costs=costs)
    # Judged at 2, x read at 5, moved to p and read at 9, then on the way to q.
    assert [(e.time, e.action, e.element) for e in session.events] == [
        (2.0, "consult", "x"),
        (5.0, "see", "x"),
        (9.0, "see", "p"),
        (9.0, "stop", "x"),
    ]
    assert session.reason == "budget"
    short = scripted(task, {"x": ["p", "q"]}, stopping=Stopping(Budget(1.5)), costs=costs)
    assert (short.consulted, short.found, short.seconds) == (0, (), 1.5)
    assert_mean(consulted(Stopping(Budget(7.5)), 50).astype(float) + np.arange(50) % 2, 7.5)


@pytest.mark.parametrize(
    ("each", "elements", "budget"), [(0.1, 3, 0.3), (0.7, 3, 2.1), (0.1, 8, 0.8), (4.4, 12, 52.8)]
)
def test_a_budget_that_is_just_spent_finishes_the_element(
    each: float, elements: int, budget: float
) -> None:
    task = Task([f"{k}" for k in range(20)], ["19"], 20)
    costs = Costs(Constant(each), Constant(0), Constant(0))
    session = scripted(task, {}, stopping=Stopping(Budget(budget)), costs=costs)
    assert (session.consulted, session.reason) == (elements, "budget")
    assert session.seconds == budget
    law = stopped(np.zeros((20, 1)), 1, Budget(budget), judge=each)
    assert law.consulted == session.consulted
    less = scripted(task, {}, stopping=Stopping(Budget(budget * (1 - 1e-9))), costs=costs)
    assert less.consulted == elements - 1
    patient = Stopping(Patience(Constant(budget)))
    assert scripted(task, {}, stopping=patient, costs=costs).consulted == elements
    # Whatever is told of it, and where an element takes it in two parts.
    read = Costs(Constant(each), Constant(2 * each), Constant(0))
    for detail in ("every", "named"):
        for spent, number in ((costs, elements), (read, 1)):
            time = budget if number > 1 else float(f"{3 * each:.6g}")
            how = {"stopping": Stopping(Budget(time)), "costs": spent, "detail": detail}
            session = play(task, NOBODY, user=0, seed=1, **how)
            assert (session.consulted, session.seconds) == (number, time)
            sees = [event for event in session.events if event.action == "see"]
            assert detail != "every" or len(sees) == number


def test_random_times_have_their_means() -> None:
    costs = Costs(Exponential(4), Exponential(1.5), Constant(0.5), 0.1, 2.0, {"e1": 12.0})
    stopping = Stopping(Ranks([0, 1]))
    told = list(sessions(LONG, NOBODY, num_users=3_000, seed=6, stopping=stopping, costs=costs))
    seconds = np.array([session.seconds for session in told])
    assert_mean(seconds, 2 * (4 + 1.5) + 0.1 * (2 + 12))
    judged = np.array([session.events[0].time for session in told])
    assert_mean(judged, 4)
    assert_mean((judged - judged.mean()) ** 2, 16)


@pytest.mark.slow
def test_a_user_who_never_stops_is_named() -> None:
    task = Task([], ["a"], 2_000_000)
    with pytest.raises(InputError, match="number of elements that user 4711 consulted is 1000000"):
        play(task, NOBODY, user=4711, seed=1, stopping=Stopping())


def test_rules_by_name() -> None:
    assert list(RULES.forms) == ["found", "persistence", "ranks", "fruitless", "budget", "patience"]
    assert rule_of("ranks .5 .25") == Ranks([0.5, 0.25])
    assert rule_of("patience 60") == Patience(Exponential(60))
    assert eval(repr(Stopping(Found(2), Patience(Exponential(3))))).wanted == 2


def test_quick_numbers_are_numpys() -> None:
    state = np.array([2**64 - 1, 12345678901234567890, 17, 2**64 - 2], dtype=np.uint64)
    quick, numpys = Sfc64(*(int(word) for word in state)), RandomNumbers(state)
    assert [quick.raw() for _ in range(1_000)] == [numpys.raw() for _ in range(1_000)]
    assert [quick.unit() for _ in range(10)] == [numpys.unit() for _ in range(10)]


@slow
def test_sessions_are_an_engine_that_the_crosscheck_takes() -> None:
    """Every test that kernels pass, and a session that sees too much fails it."""
    campaign = built_in_campaign()
    part = replace(
        campaign,
        ideals={topic: campaign.ideals[topic] for topic in list(campaign.ideals)[:2]},
        runs={"pointed": campaign.runs["pointed"]},
    )
    told = crosscheck_campaigns([part], num_users=200, seed=3, simulate=simulate_sessions)
    assert told.verdict == "agrees"
    assert told.num_tested > 10

    def generous(task: Task, navigation: Navigation, *, num_users: int, seed: int) -> Simulation:
        links = {(x, y): min(1.0, 1.3 * p) for x, y, p in navigation.links if x != y}
        return simulate_sessions(task, Independent(links), num_users=num_users, seed=seed)

    wrong = crosscheck_campaigns([part], num_users=200, seed=3, simulate=generous)
    assert wrong.verdict == "disagrees"


@slow
@pytest.mark.parametrize("way", spread(3, WAYS))
def test_sessions_as_an_engine_agree_with_the_closed_form(way: str) -> None:
    browsing = Browsing(WAYS[way], Types([0.5, 0.5], [0.4, 1]), need=[0.5, 1], unranked=True)
    exact = closed_form(TASK, browsing)
    assert exact is not None
    told = simulate_sessions(TASK, browsing, num_users=1_500, seed=8)
    kernels = simulate(TASK, browsing, num_users=1_500, seed=8)
    # Places after the list are keyed by user here: the same users, to the last one.
    assert (told.leading == kernels.leading).all()
    assert (told.consulted == kernels.consulted).all()
    z = (told.consulted - exact.consulted) / told.consulted_error
    assert np.abs(z).max() < norm.isf(0.0005)


LAWS = [Constant(1.0), Constant(0.25), Constant(0.0), Exponential(2.0)]
STOPS = [
    Found(1),
    Found(3),
    Persistence(0.9),
    Persistence(0.99),
    Ranks([0.1] * 3),
    Ranks([0.0] * 20 + [0.5]),
    Fruitless(3),
    Fruitless(20),
    Budget(20.0),
    Budget(3.0),
    Patience(Exponential(50.0)),
]


@pytest.mark.parametrize("trial", spread(21, range(400)))
def test_what_users_do_does_not_depend_on_what_is_told(trial: int) -> None:
    rng = np.random.default_rng(trial)
    task = replace(TASK, collection_size=int(rng.choice([12, 15, 72, 512])))
    way = list(WAYS.values())[trial % len(WAYS)]
    laws = [LAWS[k] for k in rng.integers(len(LAWS), size=3)]
    costs = Costs(*laws, 0.1 * (trial % 3), 2.0, {"x": 3.0, "a": 7.5, "z": 0.0})
    number = int(rng.integers(4))
    stopping = Stopping(*(STOPS[k] for k in rng.permutation(len(STOPS))[:number]))
    chosen = {"num_users": 8, "seed": trial, "stopping": stopping, "costs": costs}
    every = list(sessions(task, way, **chosen))
    assert all(event.elements == 1 for session in every for event in session.events)
    for session, other in zip(sessions(task, way, detail="named", **chosen), every, strict=True):
        end, wanted = session.events[-1], other.events[-1]
        assert (end.rank, end.element, session.reason) == (
            wanted.rank,
            wanted.element,
            other.reason,
        )
        assert session.consulted == other.consulted
        assert (session.leading, session.found) == (other.leading, other.found)
        assert [session.seconds, *session.finds] == pytest.approx(
            [other.seconds, *other.finds], rel=1e-12
        )
        if all(isinstance(law, Constant) for law in laws):
            assert (session.seconds, session.finds) == (other.seconds, other.finds)
        told = [event for event in session.events if event.action == "consult"]
        ranks = [event.rank + event.elements for event in told]
        assert [1, *ranks] == [*(event.rank for event in told), session.consulted + 1]


def test_elements_without_a_name_are_told_together() -> None:
    session = play(Task(["x"], ["a"], 40), Independent({}), user=1, seed=1, detail="named")
    told = [(event.action, event.elements) for event in session.events]
    assert len(told) <= 7
    assert sum(number for action, number in told if action == "consult") == session.consulted > 8
