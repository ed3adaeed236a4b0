"""Laws of dependent visits, mixed users, bounds and gradients that hold for all input."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from prum.analytic import (
    PrecisionBounds,
    PrecisionRecall,
    coupled_within,
    exact,
    exact_joint,
    exact_mixture,
    mixture,
    precision_bounds,
    precision_gradient,
    prum,
)
from prum.simulator.model import Beta, InputError, OneFactor
from tests.populations import exact_of
from tests.tiers import examples

Floats = NDArray[np.float64]

PROBABILITIES = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 0.1, 1e-300, 1e-12, 1 - 1e-12, 1 - 2**-53]),
    st.floats(0, 1),
)
COUPLINGS = st.one_of(
    st.sampled_from(["independent", "exclusive", "comonotone", 0, 1]), st.floats(0, 0.99)
)
SLACK = 1e-9

quick = settings(max_examples=examples(100))
slow = settings(max_examples=examples(30))


@st.composite
def reaches(draw: st.DrawFn, most_ranks: int = 6, most_ideals: int = 5) -> Floats:
    o, t = draw(st.integers(0, most_ranks)), draw(st.integers(1, most_ideals))
    cells = draw(st.lists(PROBABILITIES, min_size=o * t, max_size=o * t))
    return np.array(cells, dtype=np.float64).reshape(o, t)


def _inside(result: PrecisionRecall, bounds: PrecisionBounds) -> bool:
    return bool(
        (result.consulted >= bounds.consulted_low * (1 - SLACK)).all()
        and (result.consulted <= bounds.consulted_high * (1 + SLACK)).all()
        and (result.precision >= bounds.precision_low * (1 - SLACK)).all()
        and (result.precision <= bounds.precision_high * (1 + SLACK)).all()
    )


def _is_sound(result: PrecisionRecall) -> bool:
    r = np.arange(1, result.num_ideals + 1)
    assert result.consulted_deviation is not None
    assert result.consulted_skewness is not None
    return bool(
        (result.leading >= 1 - SLACK).all()
        and (result.leading <= r * (1 + SLACK)).all()
        and (result.consulted >= result.leading * (1 - SLACK)).all()
        and np.isfinite(result.consulted_deviation).all()
        and not np.isnan(result.consulted_skewness).any()
    )


@quick
@given(reaches(12, 6), st.integers(0, 30))
def test_any_reach_matrix_is_priced_or_refused(reach: Floats, u: int) -> None:
    unseen = int(((1 - reach).prod(axis=0) > 0).sum())
    for formula in (exact, prum):
        if u < unseen:
            with pytest.raises(InputError, match=f"unranked is {u}, must be at least {unseen}"):
                formula(reach, u)
        else:
            result = formula(reach, u)
            assert _is_sound(result)
            assert (result.consulted_deviation <= (len(reach) + u) / 2 * (1 + SLACK)).all()  # type: ignore[operator]


# --- couplings --------------------------------------------------------------------------------


@quick
@given(reaches(), COUPLINGS, st.integers(0, 9))
def test_every_coupling_is_a_law_inside_the_bounds(
    reach: Floats, coupling: float, spare: int
) -> None:
    o, t = reach.shape
    within = coupled_within(reach, coupling)
    every = (1 << t) - 1
    masses = within.copy()
    for x in range(t):
        assert within[:, every ^ 1 << x] == pytest.approx(1 - reach[:, x], abs=1e-11)
        halves = masses.reshape(o, 1 << (t - 1 - x), 2, 1 << x)
        halves[:, :, 1] -= halves[:, :, 0]
    assert masses.min(initial=0) > -1e-11
    result = exact_joint(within, t + spare)
    assert _is_sound(result)
    assert _inside(result, precision_bounds(reach, t + spare))


# --- mixtures ---------------------------------------------------------------------------------


@quick
@given(st.lists(st.tuples(reaches(4, 1), st.floats(0.01, 1)), min_size=1, max_size=4))
def test_precision_of_a_mixture_lies_between_those_of_its_types(
    types: list[tuple[Floats, float]],
) -> None:
    o = min(len(reach) for reach, _ in types)
    results = [exact(reach[:o], 3) for reach, _ in types]
    weights = np.array([weight for _, weight in types])
    weights /= weights.sum()
    mixed = exact_mixture([reach[:o] for reach, _ in types], weights, 3)
    assert _is_sound(mixed)
    assert mixed.precision[0] >= min(one.precision[0] for one in results) * (1 - SLACK)
    assert mixed.precision[0] <= max(one.precision[0] for one in results) * (1 + SLACK)
    back = mixture(results[::-1], weights[::-1])
    assert back.consulted == pytest.approx(mixed.consulted, rel=1e-12)


@quick
@given(reaches(), st.floats(0, 1), st.floats(0, 1))
def test_mixing_in_steps(reach: Floats, share: float, factor: float) -> None:
    """A mixture of mixtures is the mixture of all."""
    one, two = exact(reach, 7), exact(reach * factor, 7)
    inner = mixture([one, two], [share, 1 - share])
    nested = mixture([inner, two], [0.5, 0.5])
    flat = mixture([one, two], [share / 2, 1 - share / 2])
    assert nested.leading == pytest.approx(flat.leading, rel=1e-12)
    assert nested.consulted == pytest.approx(flat.consulted, rel=1e-12)
    assert nested.consulted_deviation is not None
    assert nested.consulted_deviation == pytest.approx(flat.consulted_deviation, rel=1e-7, abs=1e-7)


@slow
@given(reaches(4, 3), st.floats(0.05, 20), st.floats(0.05, 20))
def test_a_varied_population_finds_its_first_ideal_later(reach: Floats, a: float, b: float) -> None:
    """Jensen: P(no visit so far) = prod (1 - f p) is convex in the factor f."""
    varied = exact_of(reach, 6, Beta(a, b))
    alike = exact(reach * (a / (a + b)), 6)
    assert _is_sound(varied)
    assert varied.consulted[0] >= alike.consulted[0] * (1 - SLACK)


@slow
@given(reaches(4, 3), st.floats(0, 0.9))
def test_one_factor_delays_the_first_ideal(reach: Floats, rho: float) -> None:
    """Slepian, over all ranks; with one rank it is the copula of that context."""
    correlated = exact_of(reach, 6, OneFactor(rho))
    assert _is_sound(correlated)
    assert correlated.consulted[0] >= exact(reach, 6).consulted[0] * (1 - SLACK)
    if len(reach) == 1:
        joint = exact_joint(coupled_within(reach, rho), 6)
        assert correlated.leading == pytest.approx(joint.leading, rel=1e-8)
        assert correlated.consulted == pytest.approx(joint.consulted, rel=1e-8)


# --- gradients --------------------------------------------------------------------------------


@quick
@given(reaches(), st.integers(0, 9), st.data())
def test_gradient_is_the_slope_of_an_affine_change(
    reach: Floats, spare: int, data: st.DataObject
) -> None:
    """E[CL] and E[C] are affine in every entry: their slopes are those between 0 and 1."""
    assume(reach.size)
    o, t = reach.shape
    i, x = data.draw(st.integers(0, o - 1)), data.draw(st.integers(0, t - 1))
    u = t + spare
    one, zero = reach.copy(), reach.copy()
    one[i, x], zero[i, x] = 1, 0
    now, least, most = exact(reach, u), exact(zero, u), exact(one, u)
    leading, consulted = most.leading - least.leading, most.consulted - least.consulted
    wanted = (leading - now.precision * consulted) / now.consulted
    slopes = [precision_gradient(reach, u, r)[i, x] for r in range(1, t + 1)]
    assert slopes == pytest.approx(wanted, rel=1e-8, abs=1e-12)
