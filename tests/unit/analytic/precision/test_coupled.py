"""Visits that depend on each other: laws of sets against points, known copulas and users."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import integrate, sparse, special

from prum.analytic import coupled_within
from prum.simulator.model import InputError

Ideals = frozenset[int]
# The probability of each set of ideals that a context may show.
Law = dict[Ideals, Fraction]

COUPLINGS = ("independent", "exclusive", "comonotone", 0.3)


def point_law(row: Sequence[Fraction], coupling: str) -> Law:
    """Return the law of the visits of one rank, from equally probable points or tosses."""
    cells = math.lcm(*(p.denominator for p in row), 1)
    law: Law = {}

    def add(shown: Ideals, chance: Fraction) -> None:
        law[shown] = law.get(shown, Fraction(0)) + chance

    if coupling == "independent":
        for outcome in product((False, True), repeat=len(row)):
            chances = (p if hit else 1 - p for p, hit in zip(row, outcome, strict=True))
            chance = math.prod(chances, start=Fraction(1))
            add(frozenset(x for x, hit in enumerate(outcome) if hit), chance)
        return law
    for cell in range(cells):
        point = Fraction(cell, cells)
        if coupling == "comonotone":
            add(frozenset(x for x, p in enumerate(row) if point < p), Fraction(1, cells))
            continue
        ends = [sum(row[:x], Fraction(0)) for x in range(len(row) + 1)]
        turns = [point + turn for turn in range(len(row) + 1)]
        add(
            frozenset(x for x in range(len(row)) if any(ends[x] <= v < ends[x + 1] for v in turns)),
            Fraction(1, cells),
        )
    return law


def table(law: Law, t: int) -> list[Fraction]:
    """Return P(N subset of A) for every A."""
    return [
        sum((p for shown, p in law.items() if all(A >> x & 1 for x in shown)), Fraction(0))
        for A in range(1 << t)
    ]


ROWS: list[list[Fraction]] = [
    [Fraction(text) for text in row.split()]
    for row in (
        "1/2 1/2 0",
        "1/3 1/3 1/3",
        "1/10 1/5 3/10",
        "3/4 3/4 3/4",
        "2/3 1 2/3",
        "1 1 1",
        "0 0 0",
        "0 1/7 0",
        "9/10 1/10 1/2",
        "1/2 1/2 1",
        "99/100 99/100 99/100",
        "1/2 1 3/5",
    )
]


# --- laws of sets -----------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=str)
@pytest.mark.parametrize("coupling", ["independent", "exclusive", "comonotone"])
def test_law_of_the_set_seen_from_a_rank(row: list[Fraction], coupling: str) -> None:
    within = coupled_within([[float(p) for p in row]], coupling)  # type: ignore[arg-type]
    wanted = table(point_law(row, coupling), len(row))
    assert within.shape == (1, 8)
    assert within[0] == pytest.approx([float(value) for value in wanted], abs=1e-15)


@pytest.mark.parametrize("parts", [2, 3, 7, 10, 13, 20])
def test_parts_of_one_never_overlap(parts: int) -> None:
    """Ten times .1 misses 1 by rounding; the table must not."""
    within = coupled_within([[1 / parts] * parts], "exclusive")[0]
    assert within[0] == pytest.approx(0, abs=1e-15)
    assert within[1] == pytest.approx(1 / parts, rel=1e-12)
    assert within[3] == pytest.approx(2 / parts, rel=1e-12)


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.9, 0.99, 0.9999])
def test_copula_of_halves(rho: float) -> None:
    """Orthants of two and three equally correlated normals: Sheppard's formula."""
    within = coupled_within([[0.5, 0.5, 0.5]], rho)[0]
    assert within[0b100] == pytest.approx(1 / 4 + math.asin(rho) / (2 * math.pi), abs=1e-12)
    assert within[0] == pytest.approx(1 / 8 + 3 * math.asin(rho) / (4 * math.pi), abs=1e-12)


@pytest.mark.parametrize("rho", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("p", [[0.01, 0.6, 0.3, 0.999], [1e-9, 1 - 1e-9, 0.5, 0.5], [0.02] * 6])
def test_copula_equals_an_adaptive_integral(rho: float, p: list[float]) -> None:
    within = coupled_within([p], rho)[0]
    for A in (0, 1, 2, 5, 6, 9):
        left = [special.ndtri(value) for x, value in enumerate(p) if not A >> x & 1]

        def integrand(z: float, left: list[float] = left) -> float:
            slack = [(math.sqrt(rho) * z - c) / math.sqrt(1 - rho) for c in left]
            return float(np.prod(special.ndtr(slack)) * math.exp(-z * z / 2))

        value, _ = integrate.quad(integrand, -10, 10, epsabs=1e-13, epsrel=1e-13, limit=500)
        assert within[A] == pytest.approx(value / math.sqrt(2 * math.pi), abs=1e-11)


@pytest.mark.parametrize("rho", [0.3, 0.9375, 0.99])
@pytest.mark.parametrize("other", [1e-300, 1e-12, 0.5, 1 - 1e-12, 1 - 2**-53])
def test_copula_keeps_every_margin(rho: float, other: float) -> None:
    """Beside a visit that is nearly certain, products say nothing of the rest."""
    p = [0.1, other, 0.999]
    within = coupled_within([p], rho)[0]
    assert within[[6, 5, 3]] == pytest.approx(1 - np.array(p), abs=1e-12)


def test_copula_between_its_ends() -> None:
    rng = np.random.default_rng(1)
    reach = rng.random((10, 5))
    reach[0] = [0, 1, 0.5, 1, 0.25]
    assert (coupled_within(reach, 0) == coupled_within(reach, "independent")).all()
    assert (coupled_within(reach, 1.0) == coupled_within(reach, "comonotone")).all()
    assert coupled_within(reach, 1e-12) == pytest.approx(
        coupled_within(reach, "independent"), abs=1e-10
    )
    assert coupled_within(reach, 0.9999) == pytest.approx(
        coupled_within(reach, "comonotone"), abs=0.01
    )
    # Slepian: the more correlated, the likelier all stay unseen.
    tables = [coupled_within(reach, rho) for rho in (0, 0.2, 0.5, 0.8, 1)]
    for less, more in pairwise(tables):
        assert (more >= less - 1e-12).all()


# --- users ------------------------------------------------------------------------------------


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_formats_and_empty_lists(coupling: float) -> None:
    reach = np.array([[0.5, 0, 0.25], [0, 0, 0], [1, 0.125, 0]])
    wanted = coupled_within(reach, coupling)
    for form in (sparse.csr_array, sparse.coo_matrix, sparse.csc_array):
        assert (coupled_within(form(reach), coupling) == wanted).all()
    assert (wanted[1] == 1).all()
    assert coupled_within(np.zeros((0, 3)), coupling).shape == (0, 8)


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reach", "coupling", "message"),
    [
        ([[0.5]], "positive", "coupling is 'positive', must be one of ('independent', 'excl"),
        ([[0.5]], 1.5, "coupling is 1.5, must lie in [0, 1]; name one of"),
        ([[0.5]], None, "coupling is None, must lie in [0, 1]; name one of"),
        ([[0.5]], True, "coupling is True, must lie in [0, 1]; name one of"),
        ([[1.5]], "exclusive", "reach[0, 0] is 1.5, must lie in [0, 1]; give probabilities"),
        (np.zeros((1, 21)), "exclusive", "number of ideals is 21, must be at most 20; name fewer"),
        (np.zeros((2**13, 17)), 0.5, "memory of coupled_within is 8589934592, must be at most"),
        ([[0.5, 0.5]], 1 - 1e-9, "coupling is 0.999999999, must be 1 or farther from it; take"),
    ],
)
def test_bad_input(reach: ArrayLike, coupling: float, message: str) -> None:
    with pytest.raises(InputError) as caught:
        coupled_within(reach, coupling)
    assert str(caught.value).startswith(message)
