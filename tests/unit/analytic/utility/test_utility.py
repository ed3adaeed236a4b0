"""Stopping distributions, accumulation models and measures: identities, and what is refused."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.analytic.utility.batch import utilities
from prum.analytic.utility.documents import gains_of
from prum.analytic.utility.laws import (
    DYNAMIC,
    STATIC,
    StoppingLaw,
    beta_stopping,
    mixed_stopping,
    stopping,
)
from prum.analytic.utility.measures import MEASURES, MODELS, accumulate, utility, utility_bounds
from prum.simulator.model import InputError
from tests.tiers import slow

FIG1 = [int(k in (1, 2, 3, 5, 8, 11, 17, 24)) for k in range(1, 25)]
SIX = STATIC + DYNAMIC
CELLS = [(name, model) for name in SIX for model in MODELS]

rankings = st.lists(st.integers(0, 1), max_size=30)
thetas = st.floats(0.01, 0.99)


def test_distributions_of_figure_1() -> None:
    laws = {name: stopping(name, FIG1, 8) for name in SIX}
    assert laws["RBP"].mass[:3].tolist() == [0.5, 0.25, 0.125]
    assert laws["DCG"].mass[0] == pytest.approx(1 - 1 / math.log2(3))
    assert laws["DCG"].remainder == pytest.approx(1 / math.log2(26))
    assert laws["RR"].mass[:3] == pytest.approx([1 / 2, 1 / 6, 1 / 12])
    assert laws["RR"].remainder == 1 / 25
    relevant = np.flatnonzero(FIG1)
    for name, expected in {
        "ERR": 0.5 ** np.arange(1, 9),
        "AP": np.full(8, 1 / 8),
        "RRR": [1 / (j * (j + 1)) for j in range(1, 9)],
    }.items():
        assert laws[name].mass[relevant] == pytest.approx(expected)
        assert np.delete(laws[name].mass, relevant).max() == 0
    assert [laws[name].remainder for name in DYNAMIC] == pytest.approx([0.5**8, 0, 1 / 9])


def test_a_law_knows_its_length_from_either() -> None:
    assert stopping("RR", FIG1).mass.tolist() == stopping("RR", n=24).mass.tolist()
    assert len(stopping("RBP", n=0).mass) == 0
    assert stopping("AP", [0, 0], 0).remainder == 1
    assert not stopping("AP", [0, 0], 0).mass.flags.writeable


def by_users(name: str, ranking: list[int], R: int, theta: float, base: float) -> float:
    """Return what all users have who stop at each rank, as table 1 has it, or behind the list."""
    distribution, model = MEASURES[name]
    left, value, j = 1.0, 0.0, 0
    for k, rel in enumerate(ranking, start=1):
        j += rel
        stops = {
            "RBP": (1 - theta) ** (k - 1) * theta,
            "DCG": 1 / math.log(k + base - 1, base) - 1 / math.log(k + base, base),
            "RR": 1 / (k * (k + 1)),
            "ERR": rel and (1 - theta) ** (j - 1) * theta,
            "AP": rel and 1 / R,
            "RRR": rel and 1 / (j * (j + 1)),
        }[distribution]
        value += stops * {"M1": rel, "M2": j, "M3": 1 / k, "M4": j / k}[model]
        left -= stops
    return value + left * j * (model == "M2")


@pytest.mark.parametrize("seed", range(8))
def test_users_one_by_one(seed: int) -> None:
    """Of one list, and of many at once, whose lengths and numbers of relevant documents differ."""
    rng = np.random.default_rng(seed)
    theta, base = float(rng.uniform(0.05, 0.95)), float(rng.uniform(1.5, 9))
    # The first has more than one block of lists.
    total, n = (9, 12) if seed else (300, 700)
    lengths = rng.integers(0, n + 1, total)
    rows = (rng.random((total, n)) < 0.3) & (np.arange(n) < lengths[:, np.newaxis])
    relevant = rows.sum(axis=1) + rng.integers(0, 9, total)
    settings: dict[str, Any] = {"theta": theta, "base": base}
    settings |= {"cutoff": [None, 3, 20][seed % 3], "normalised": bool(seed % 2)}
    table = utilities(MEASURES, rows, relevant, lengths=lengths, **settings)
    for i in range(0, total, 1 + total // 10):
        length, R = int(lengths[i]), int(relevant[i])
        ranking = rows[i, :length].astype(int).tolist()
        best = [int(k < R) for k in range(max(length, R))]
        for name, value in zip(MEASURES, table[i], strict=True):
            wanted, most = (
                by_users(name, some[: settings["cutoff"]], R, theta, base)
                for some in (ranking, best)
            )
            if settings["normalised"]:
                wanted = wanted / most if most else 0.0
            alone = utility(name, ranking, R, **settings)
            assert (value, alone) == pytest.approx((wanted, wanted), rel=1e-10, abs=1e-12), name


@slow
@given(rankings.filter(len), st.integers(0, 5), thetas, st.integers(1, 40))
def test_normalised_scores_lie_in_the_unit_interval(
    ranking: list[int], outside: int, theta: float, cutoff: int
) -> None:
    R = sum(ranking) + outside
    for cell in CELLS:
        value = utility(cell, ranking, R, theta=theta, cutoff=cutoff, normalised=True)
        assert 0 <= value <= 1 + 1e-12, cell
        best = [1] * R + [0] * 40
        whole = utility(cell, best, R, theta=theta, cutoff=cutoff, normalised=True)
        assert whole == pytest.approx(1 if R or (cell[1] == "M3" and cell[0] in STATIC) else 0)


def test_many_lists_at_once_are_binary() -> None:
    for row, odd in (([0, 1, 2, 0], "2.0"), ([0, 0.5], "0.5"), ([1, 0, -1], "-1.0")):
        with pytest.raises(InputError, match=f"relevance is {odd}, must be 0 or 1"):
            utilities(["AP"], [row], [2])
    plain = (
        utilities(["AP"], [[0.0, 1.0, 0.0]], [2]),
        utilities(["AP"], [[False, True, False]], [2]),
    )
    assert plain[0].tolist() == plain[1].tolist()


def test_a_cut_off_behind_the_list_changes_nothing() -> None:
    for name in MEASURES:
        for normalised in (False, True):
            at = [utility(name, FIG1, 8, cutoff=K, normalised=normalised) for K in (24, 100)]
            assert at == [utility(name, FIG1, 8, normalised=normalised)] * 2
    assert utility("AP", FIG1, 8, cutoff=3) == pytest.approx(3 / 8)
    assert utility("AP", FIG1, 8, cutoff=3, normalised=True) == pytest.approx(1)


def test_gains() -> None:
    assert gains_of([0, 1, 2, 4], "linear").tolist() == [0, 0.25, 0.5, 1]
    assert gains_of([0, 1, 2], "linear", highest=4).tolist() == [0, 0.25, 0.5]
    assert gains_of([0, 1, 2], "exponential").tolist() == [0, 0.25, 0.75]
    assert gains_of([0, 1, 2, None]).tolist() == [0, 1, 1, 0]
    assert gains_of([2, 0], {0: 0, 2: 7}).tolist() == [7, 0]
    assert gains_of([2, 0], lambda grade: grade**2).tolist() == [4, 0]
    assert gains_of([]).tolist() == []


@given(st.lists(st.integers(0, 4), max_size=25), thetas)
def test_graded_laws_sum_to_one(ranking: list[int], theta: float) -> None:
    pool = [*ranking, 4, 3]
    for name in DYNAMIC:
        law = stopping(name, ranking, pool, theta=theta, gain="exponential", highest=4)
        assert law.mass.sum() + law.remainder == pytest.approx(1)
    by_grade = stopping("ERR", ranking, theta="exponential", highest=4)
    stops, reached = (2.0 ** np.array(ranking) - 1) / 16, 1.0
    for p, stop in zip(by_grade.mass, stops, strict=True):
        assert p == pytest.approx(stop * reached)
        reached *= 1 - stop
    assert by_grade.remainder == pytest.approx(reached)


def test_err_by_grade_as_printed_is_no_distribution() -> None:
    # Section 5.1 multiplies theta_g over all grades, and does not ask which is that of rank k.
    ranking, theta = [0, 1, 2, 1], {1: 0.3, 2: 0.8}
    printed = [
        math.prod((1 - theta[g]) ** (ranking[:k].count(g) - 1) * theta[g] for g in (1, 2))
        for k in range(1, 5)
    ]
    assert sum(printed) > 1
    law = stopping("ERR", ranking, theta={0: 0, **theta})
    assert law.mass == pytest.approx([0, 0.3, 0.7 * 0.8, 0.7 * 0.2 * 0.3])
    assert law.remainder == pytest.approx(0.7 * 0.2 * 0.7)


@given(rankings)
def test_uniform_theta_gives_the_reciprocal_distributions(ranking: list[int]) -> None:
    for mixed, name in (("RBP", "RR"), ("ERR", "RRR")):
        one = beta_stopping(mixed, ranking if mixed == "ERR" else None, n=len(ranking))
        other = stopping(name, ranking)
        assert one.mass == pytest.approx(other.mass, rel=1e-12)
        assert one.remainder == pytest.approx(other.remainder)


def test_no_lists_and_no_measures() -> None:
    assert utilities(MEASURES, np.zeros((0, 5)), []).shape == (0, 15)
    assert utilities([], np.zeros((2, 5)), [1, 1]).shape == (2, 0)


def test_residual_of_rbp() -> None:
    # Moffat and Zobel (2008): what the unjudged and all behind the list could still add.
    low, high = utility_bounds("RBP", [1, None, 0, None], theta=0.2, beyond=True)
    assert low == pytest.approx(0.2)
    assert high - low == pytest.approx(0.2 * 0.8 + 0.2 * 0.8**3 + 0.8**4)
    low, high = utility_bounds("RBP", [1, None, 0, None], theta=0.2, beyond=True, cutoff=1)
    assert high - low == pytest.approx(0.8)


def refused(thing: str, call: Callable[[], object]) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert thing in str(caught.value)


def test_bad_input() -> None:
    refused("rank 2: ranked grade is 3.0", lambda: gains_of([0, 3], "linear", highest=2))
    refused("rank 1: ranked grade is 5.0", lambda: gains_of([5], {0: 0, 1: 1}))
    refused("rank 2: ranked grade is -1.0", lambda: utility("RBP", [0, -1]))
    refused("rank 1: gain of grade 1", lambda: gains_of([1], lambda _: -1.0))
    refused("gain is 'cubic'", lambda: gains_of([1], "cubic"))
    refused("highest is 0", lambda: gains_of([1], "linear", highest=0))
    refused("shape", lambda: gains_of([[1]]))
    refused("rank 2: P(k) is -0.1", lambda: StoppingLaw.of([0.5, -0.1]))
    refused("sum of P(k) is 1.1", lambda: StoppingLaw.of([0.6, 0.5]))
    refused("mass", lambda: StoppingLaw.of([[0.6]]))
    for theta in (0, 1, -0.1, float("nan")):
        refused("theta", lambda theta=theta: stopping("RBP", n=3, theta=theta))
        refused("theta", lambda theta=theta: utilities(["RBP"], [[1]], [1], theta=theta))
        refused("theta", lambda theta=theta: utility("ERR", [1], theta=theta))
    refused("theta is 'linear'", lambda: utility("RBP", [1], theta="linear"))
    for base in (1, 0.5, float("nan")):
        refused("base", lambda base=base: utility("DCG", [1], base=base))
    refused("cutoff is 0", lambda: utility("DCG", [1], cutoff=0))
    refused("cutoff is 0", lambda: utilities(["DCG"], [[1]], [1], cutoff=0))
    refused("num_relevant is 1, must be at least 2", lambda: utility("AP", [1, 1], 1))
    refused("list 2: num_relevant is 1", lambda: utilities(["AP"], [[0, 1], [1, 1]], [1, 1]))
    refused("grade 2 is 0, must be at least 1", lambda: utility("AP", [2], [1, 1]))
    refused("num_relevant must be", lambda: utility("AP", [1]))
    refused("num_relevant must be", lambda: utility("RBP", [1], normalised=True))
    refused("num_relevant is 2.5", lambda: utility("AP", [1], 2.5))
    refused("num_relevant is 2, must be grades", lambda: utility("AP", [2, 1], 2, gain="linear"))
    refused("rank 1: theta times gain", lambda: utility("ERR", [1], gain={1: 3}))
    refused("rank 1: gain is 3", lambda: utility("RRR", [1], gain={1: 3}))
    refused("measure is 'NDCG'", lambda: utility("NDCG", [1]))
    refused("distribution is 'XYZ'", lambda: utility(("XYZ", "M1"), [1]))
    refused("measure is", lambda: utility(("RBP",), [1]))  # type: ignore[arg-type]
    refused("measure is 'XYZ'", lambda: utilities(["XYZ"], [[1]], [1]))
    refused("model is 'M5'", lambda: utility(("RBP", "M5"), [1]))
    refused("distribution is 'XYZ'", lambda: stopping("XYZ", n=1))
    refused("relevance must be", lambda: stopping("ERR", n=1))
    refused("n is 2", lambda: stopping("RBP", [1], n=2))
    refused("n is None", lambda: stopping("RBP"))
    law = StoppingLaw.of([0.5])
    refused("gains", lambda: accumulate("M1", law, [1, 2]))
    refused("rank 1: gain is nan", lambda: accumulate("M1", law, [float("nan")]))
    refused("effort", lambda: accumulate("M3", law, [1], effort=lambda _: [1, 2]))
    refused("normalised", lambda: utility((law, "M1"), [1], 1, normalised=True))
    refused("normalised", lambda: utility("ERR", [1], 1, effort=np.log1p, normalised=True))
    refused("beyond", lambda: utility_bounds("DCG", [1], beyond=True))
    refused("relevance is 2.0", lambda: utilities(["AP"], [[2]], [1]))
    refused("relevance is (1,)", lambda: utilities(["AP"], [1], [1]))
    refused("num_relevant is (2,)", lambda: utilities(["AP"], [[1]], [1, 1]))
    refused("num_relevant is 1.5", lambda: utilities(["AP"], [[1]], [1.5]))
    refused("list 1: lengths is 1", lambda: utilities(["AP"], [[0, 1]], [1], lengths=[1]))
    refused("laws", lambda: mixed_stopping([], []))
    refused("ranks of the laws", lambda: mixed_stopping([law, StoppingLaw.of([])], [0.5, 0.5]))
    refused("weights", lambda: mixed_stopping([law], [0.5]))
    refused("weights", lambda: mixed_stopping([law], [0.5, 0.5]))
    refused("a is 0", lambda: beta_stopping("RBP", n=1, a=0))
    refused("name is 'AP'", lambda: beta_stopping("AP", n=1))
    refused("relevance", lambda: beta_stopping("ERR"))
