"""Rules of browsing that had been left open: where a factor stands, and links from x to x."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from prum.analytic import closed_form
from prum.simulator import (
    Browsing,
    Copula,
    Coupled,
    Independent,
    OneFactor,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.sampling.measured.effort import simulate_effort
from prum.simulator.sessions.person import People
from tests.samples import Floats

# P(any false alarm in this file), whatever the seed.
LEVEL = 1e-4 / 8
TASK = Task(["x", "y", "a", "b"], ["a"], 4)
P, FACTOR, RHO = np.array([0.4, 0.6]), 0.5, 0.5


def consulted(visits: Floats) -> float:
    """Return E[C(1)] = 1 + P(not from x) + P(from neither); columns are users' P of the two."""
    z = np.linspace(-9, 9, 20_001)
    density = norm.pdf(z) * (z[1] - z[0])
    given = ndtr((ndtri(visits[:, None]) - np.sqrt(RHO) * z) / np.sqrt(1 - RHO))
    factor = 1.0 if visits is not P else np.array([[1.0], [FACTOR]])
    neither = np.cumprod(1 - factor * given, axis=0)
    return 1 + float((neither * density).sum())


def test_a_factor_stands_outside_of_the_copula() -> None:
    browsing = Browsing(
        Independent({("x", "a"): P[0], ("y", "a"): P[1]}), OneFactor(RHO), fading=FACTOR
    )
    exact = closed_form(TASK, browsing)
    assert exact is not None
    outside, inside = consulted(P), consulted(P * [1, FACTOR])
    assert exact.consulted[0] == pytest.approx(outside, abs=1e-9)
    simulated = simulate(TASK, browsing, num_users=200_000, seed=3)
    error = simulated.consulted_error[0]
    assert abs(simulated.consulted[0] - outside) < norm.isf(LEVEL / 2) * error
    # Negative control: so many users tell the two apart.
    assert abs(simulated.consulted[0] - inside) > norm.isf(LEVEL / 2) * error


LINKS = {("x", "a"): 0.25, ("x", "y"): 0.125, ("y", "b"): 0.5}
TWO = Task(["x", "y", "a", "z"], ["a", "b"], 9)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("coupling", ["independent", "exclusive", "comonotone", Copula(0.5)])
def test_an_element_shows_itself_whatever_a_link_says(coupling: str | Copula, p: float) -> None:
    plain = Independent(LINKS)
    looped = Independent({**LINKS, ("x", "x"): p, ("a", "a"): p})
    for change in (lambda n: n, lambda n: Browsing(n, unranked=True)):
        pair = [change(Coupled(table, coupling)) for table in (plain, looped)]
        first, second = (closed_form(TWO, navigation) for navigation in pair)
        assert first == second
        one, two = (simulate(TWO, navigation, num_users=2_000, seed=1) for navigation in pair)
        assert one.tally == two.tally
    efforts = [simulate_effort(TWO, table, num_users=500, seed=1) for table in (plain, looped)]
    assert repr(efforts[0]) == repr(efforts[1])


@pytest.mark.parametrize("p", [0.5, 1.0])
def test_a_session_takes_no_link_to_oneself(p: float) -> None:
    """Step by step, too: the same people see the same, with such links or without."""
    for change in (lambda n: n, lambda n: Browsing(n, fading=0.8, unranked=True)):
        plain, looped = (
            People(TWO, change(Coupled(Independent(links), "comonotone")), seed=5)
            for links in (LINKS, {**LINKS, ("x", "x"): p, ("a", "a"): p})
        )
        for user in range(200):
            pair = [people.person(user).consultations() for people in (plain, looped)]
            assert list(pair[0]) == list(pair[1])


@pytest.mark.parametrize("population", [None, Types([0.5, 0.5], [0.3, 1])])
def test_dials_know_no_link_to_oneself(population: Types | None) -> None:
    """Users set off, or not, and then stay, go on or stop: as without the links to oneself."""
    first, second = (
        closed_form(TWO, Browsing(Walk(links), population, fading=0.8, satiation=[1, 0.5]))
        for links in (
            {**LINKS, ("x", "x"): 0.5, ("y", "y"): 0.2},
            {("x", "a"): 0.5, ("x", "y"): 0.25, ("y", "b"): 0.625},
        )
    )
    assert first is not None
    assert second is not None
    assert first.consulted == pytest.approx(second.consulted, rel=1e-13)
    assert first.leading == pytest.approx(second.leading, rel=1e-13)


def test_with_one_factor_staying_is_a_move() -> None:
    """P(x -> a) given z, for links .25 to a, .5 to x: q / 3 / (1 - 2 q / 3), q = Phi(.. .75 ..)."""
    task, stay = Task(["x"], ["a"], 2), Walk({("x", "a"): 0.25, ("x", "x"): 0.5})
    z = np.linspace(-9, 9, 20_001)
    density = norm.pdf(z) * (z[1] - z[0])

    def of(moving: float, share: float) -> float:
        q = ndtr((ndtri(moving) - np.sqrt(RHO) * z) / np.sqrt(1 - RHO))
        return float((share * q / (1 - (1 - share) * q)) @ density)

    simulated = simulate(task, Browsing(stay, OneFactor(RHO)), num_users=200_000, seed=4)
    error = simulated.consulted_error[0]
    # E[C(1)] = 2 - P(x -> a), u = 1.
    assert abs(simulated.consulted[0] - (2 - of(0.75, 1 / 3))) < norm.isf(LEVEL / 2) * error
    # Negative control: tossed once, for leaving x at all.
    assert abs(simulated.consulted[0] - (2 - of(0.5, 1.0))) > norm.isf(LEVEL / 2) * error


def test_a_walker_who_stays_goes_on_or_stops_later() -> None:
    stay = 0.5
    looped = Walk({**LINKS, ("x", "x"): stay})
    plain = Walk({**LINKS, ("x", "a"): 0.5, ("x", "y"): 0.25})
    first, second = closed_form(TWO, looped), closed_form(TWO, plain)
    assert first is not None
    assert second is not None
    assert first.consulted == pytest.approx(second.consulted, rel=1e-13)
    assert first.leading == pytest.approx(second.leading, rel=1e-13)
    simulated = simulate(TWO, looped, num_users=100_000, seed=2)
    z = np.abs(simulated.consulted - second.consulted) / simulated.consulted_error
    assert (z < norm.isf(LEVEL / 2)).all()
    # Negative control: a link to itself that meant nothing.
    nothing = closed_form(TWO, Walk(LINKS))
    assert nothing is not None
    z = np.abs(simulated.consulted - nothing.consulted) / simulated.consulted_error
    assert (z > norm.isf(LEVEL / 2)).all()
