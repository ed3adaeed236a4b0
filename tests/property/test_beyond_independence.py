"""Laws of dependent visits, mixed users, bounds and gradients that hold for all input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from prum.analytic import (
    PrecisionBounds,
    PrecisionRecall,
    coupled_within,
    exact,
    exact_joint,
    precision_bounds,
    prum,
)
from prum.simulator.model import InputError
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
