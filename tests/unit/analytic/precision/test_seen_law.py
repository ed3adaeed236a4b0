"""Soundness of `exact` and `prum` where enumeration cannot follow: large, sparse, degenerate.

Equation numbers are those of Piwowarski, Gallinari and Dupret (2007).
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from prum.analytic import (
    PrecisionRecall,
    consulted_pmf,
    exact,
    normal_counts,
    poisson_binomial,
    prum,
)
from prum.analytic.precision.reach import MatrixLike
from tests.tiers import slow, spread

Floats = NDArray[np.float64]
Formula = Callable[[MatrixLike, int], PrecisionRecall]


# --- a second, naive derivation: one dynamic programme per rank -------------------------------


def _counts(factors: Sequence[tuple[float, float]]) -> Floats:
    """Multiply polynomials unseen + seen z."""
    law = np.ones(1)
    for unseen, seen in factors:
        law = np.append(law * unseen, 0) + np.append(0, law * seen)
    return law


def _naive(reach: Floats, u: int, *, noisy_or: bool) -> tuple[Floats, Floats]:
    """Return E[CL(r)] and E[C(r)] by equation (5), each rank's laws computed afresh.

    With `noisy_or` P(F_i > F_{i-1} given F_{i-1} = s) is equation (8); without, it comes from the
    joint law of "seen before i" and "unseen after i" of each ideal.
    """
    t = reach.shape[1]
    leading, consulted = np.zeros(t + 1), np.zeros(t + 1)
    unseen = np.ones(t)
    for row in reach:
        after = unseen * (1 - row)
        before = list(zip(unseen, 1 - unseen, strict=True))
        law = _counts(before)
        if noisy_or:
            nothing_new = np.ones(t + 1)
            for x in range(t):
                others = np.append(_counts(before[:x] + before[x + 1 :]), 0)
                share = np.divide(others, law, out=np.zeros(t + 1), where=law > 0)
                nothing_new *= 1 - (unseen[x] - after[x]) * share
            leading += law * (1 - nothing_new)
        else:
            leading += law - _counts(list(zip(after, 1 - unseen, strict=True)))
        consulted += law
        unseen = after
    last = _counts(list(zip(unseen, 1 - unseen, strict=True)))
    a, c = np.cumsum(leading)[:-1], np.cumsum(consulted)[:-1]
    b, d = np.zeros(t), np.zeros(t)
    for r in range(1, t + 1):
        for s in range(r):
            b[r - 1] += last[s] * (r - s)
            d[r - 1] += last[s] * (r - s) * (u + 1) / (t - s + 1)
    return a + b, c + d


def _is_that_of_the_naive_programme(reach: Floats, u: int, rel: float = 1e-12) -> None:
    for formula, noisy_or in ((exact, False), (prum, True)):
        leading, consulted = _naive(reach, u, noisy_or=noisy_or)
        result = formula(reach, u)
        assert result.leading == pytest.approx(leading, rel=rel)
        assert result.consulted == pytest.approx(consulted, rel=rel)


@slow
@pytest.mark.parametrize("density", spread(3, [0.1, 0.02, 1.0]))
@pytest.mark.parametrize("largest", [1.0, 0.2, 0.01])
def test_tree_equals_dense_programme(density: float, largest: float) -> None:
    """o = 60, t = 40: the tree over the ranks against a fresh computation at each rank."""
    rng = np.random.default_rng(60)
    reach = rng.random((60, 40)) * largest * (rng.random((60, 40)) < density)
    _is_that_of_the_naive_programme(reach, 100)


@slow
def test_tree_equals_dense_programme_with_certain_ideals() -> None:
    rng = np.random.default_rng(61)
    reach = rng.random((60, 40)) * (rng.random((60, 40)) < 0.1)
    reach[rng.integers(0, 60, 30), rng.integers(0, 40, 30)] = 1
    # The naive programme subtracts: it is exact to rounding of the whole, not of each term.
    _is_that_of_the_naive_programme(reach, 100)


@pytest.mark.parametrize("num_events", [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33])
def test_any_number_of_events(num_events: int) -> None:
    """The tree's shape depends on the number of ranks that change anything."""
    reach = np.random.default_rng(num_events).random((num_events, 5)) * 0.5
    _is_that_of_the_naive_programme(reach, 9, rel=1e-13)


@pytest.mark.parametrize("num_ideals", [1, 2, 3, 5, 9, 17])
def test_any_number_of_ideals_at_one_rank(num_ideals: int) -> None:
    reach = np.random.default_rng(num_ideals).random((3, num_ideals))
    _is_that_of_the_naive_programme(reach, 20)


# --- bounds that hold for any reach -----------------------------------------------------------


def _is_sound(result: PrecisionRecall, o: int, u: int) -> None:
    r = np.arange(1, result.num_ideals + 1)
    rounding = 1e-9 * r
    assert np.isfinite(result.leading).all()
    assert np.isfinite(result.consulted).all()
    assert (result.leading >= 1 - 1e-9).all()
    assert (result.leading <= r + rounding).all()
    assert (result.leading <= result.consulted * (1 + 1e-12)).all()
    assert (result.consulted <= (o + u) * (1 + 1e-12)).all()
    assert (np.diff(result.leading) >= -1e-9).all()
    assert (np.diff(result.consulted) >= -1e-9).all()
    assert result.consulted_deviation is not None
    assert (result.consulted_deviation >= 0).all()
    assert (result.consulted_deviation <= o + u).all()


@slow
@pytest.mark.parametrize("formula", [exact, prum])
@pytest.mark.parametrize("kind", spread(3, ["with certain ones", "uncertain", "tiny"]))
def test_five_thousand_ideals_ten_thousand_ranks(formula: Formula, kind: str) -> None:
    """Sparse: three entries per rank. Time is O(events x t log), so no dense matrix is feasible."""
    o, t, u = 10_000, 5_000, 20_000
    rng = np.random.default_rng(5000)
    rows, columns = np.repeat(np.arange(o), 3), rng.integers(0, t, 3 * o)
    values = rng.random(3 * o) * (1e-9 if kind == "tiny" else 1)
    if kind == "with certain ones":
        values[rng.random(3 * o) < 0.1] = 1
    # The same cell drawn twice holds one probability, not a sum.
    cells = np.unique(rows * t + columns, return_index=True)[1]
    reach = sparse.csr_array((values[cells], (rows[cells], columns[cells])), shape=(o, t))
    _is_sound(formula(reach, u), o, u)


@pytest.mark.parametrize("formula", [exact, prum])
@pytest.mark.parametrize("p", [1e-300, 1e-17, 1e-9, 0.5, 1 - 1e-9, 1 - 2**-53])
@pytest.mark.parametrize("t", [1, 3, 200])
def test_extreme_probabilities(formula: Formula, p: float, t: int) -> None:
    reach = np.full((20, t), p)
    _is_sound(formula(reach, t + 5), 20, t + 5)


@pytest.mark.parametrize("formula", [exact, prum])
def test_one_ideal_is_a_geometric_search(formula: Formula) -> None:
    """t = 1: E[C(1)] = sum_i prod_{j<=i} (1 - p_j), then (u + 1) / 2 more; one element leads."""
    p = np.random.default_rng(1).random(50) * 0.2
    unseen = np.concatenate(([1], np.cumprod(1 - p)))
    result = formula(p[:, None], 9)
    assert result.leading == pytest.approx(np.ones(1), abs=1e-14)
    assert result.consulted == pytest.approx([unseen[:-1].sum() + unseen[-1] * 5], rel=1e-14)


@pytest.mark.parametrize("formula", [exact, prum])
def test_certain_ideals_reached_again_and_again(formula: Formula) -> None:
    """Whatever leads to an ideal seen for certain leads nowhere new."""
    reach = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0.5, 1, 0], [1, 0.3, 0], [1, 1, 1.0]])
    result = formula(reach, 0)
    assert result.leading.tolist() == [1, 2, 3]
    assert result.consulted.tolist() == [2, 3, 6]
    once = reach.copy()
    once[2:, 0] = 0
    once[3:, 1] = 0
    assert formula(once, 0) == result


# --- rows of zeros ----------------------------------------------------------------------------


@pytest.mark.parametrize("formula", [exact, prum])
def test_empty_ranks_only_cost_their_consultation(formula: Formula) -> None:
    """k empty ranks after rank i add k P(F_i < r) to E[C(r)] and nothing to E[CL(r)]."""
    rng = np.random.default_rng(3)
    reach = rng.random((6, 4)) * 0.4
    u = 10
    plain = formula(reach, u)
    for position in range(7):
        unseen = np.prod(1 - reach[:position], axis=0)
        law = _counts(list(zip(unseen, 1 - unseen, strict=True)))
        padded = formula(np.insert(reach, [position] * 1000, 0, axis=0), u)
        assert padded.leading == pytest.approx(plain.leading, rel=1e-14)
        shift = 1000 * np.cumsum(law)[:-1]
        assert padded.consulted - plain.consulted == pytest.approx(shift, rel=1e-12)


@pytest.mark.parametrize("empty", [0, 1_000, 100_000, pytest.param(10_000_000, marks=slow)])
def test_deviation_far_down_the_list(empty: int) -> None:
    """C(1) is o or o - 1, each with 1/2, however long the list: deviation 1/2, no skewness."""
    reach = sparse.coo_array(([0.5, 1.0], ([empty, empty + 1], [0, 0])), shape=(empty + 2, 1))
    result = exact(reach, 0)
    assert result.consulted == pytest.approx([empty + 1.5], rel=1e-15)
    assert result.consulted_deviation == pytest.approx([0.5], rel=1e-3)
    assert result.consulted_skewness == pytest.approx([0], abs=1e-3)


# --- formats of the matrix --------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        sparse.csr_array,
        sparse.coo_array,
        sparse.csc_array,
        sparse.lil_array,
        sparse.csr_matrix,
        sparse.coo_matrix,
        sparse.csc_matrix,
    ],
)
@pytest.mark.parametrize("formula", [exact, prum])
def test_sparse_equals_dense(formula: Formula, form: Callable[[Floats], MatrixLike]) -> None:
    rng = np.random.default_rng(6)
    reach = rng.random((15, 8)) * (rng.random((15, 8)) < 0.3)
    reach[3, 4] = 1
    dense, thin = formula(reach, 20), formula(form(reach), 20)
    assert thin == dense
    assert consulted_pmf(form(reach), 20, 2).tolist() == consulted_pmf(reach, 20, 2).tolist()


def test_stored_zeros_are_zeros() -> None:
    stored = sparse.csr_array((np.array([0.0, 0.5]), ([0, 1], [0, 0])), shape=(2, 1))
    assert stored.nnz == 2
    assert exact(stored, 3) == exact([[0.0], [0.5]], 3)


def test_the_argument_is_left_alone() -> None:
    for reach in (np.full((2, 2), 0.5), sparse.coo_array(np.full((2, 2), 0.5))):
        before = reach.copy()
        exact(reach, 5)
        prum(reach, 5)
        assert (abs(reach - before)).max() == 0


# --- the normal law for counts ----------------------------------------------------------------


def test_normal_counts_without_the_noisy_or_are_exact_with_another_law() -> None:
    """Every law of a count taken from its definition, rank by rank."""
    rng = np.random.default_rng(8)
    o, t, u = 7, 14, 40
    reach = rng.random((o, t)) * (rng.random((o, t)) < 0.7) * 0.6
    # From the second rank on more than ten ideals are uncertain; from the first on, to be sure.
    reach[0] = 0.1 + 0.3 * rng.random(t)

    def law(p: np.ndarray) -> np.ndarray:
        return poisson_binomial(p, method="normal")

    seen = np.vstack([np.zeros(t), 1 - np.cumprod(1 - reach, axis=0)])
    counts = [np.eye(t + 1)[0], *(law(seen[i]) for i in range(1, o + 1))]
    leading, consulted = np.zeros(t), np.zeros(t)
    for r in range(1, t + 1):
        for i in range(1, o + 1):
            either = seen[i - 1] + 1 - seen[i]
            given = seen[i - 1] / either
            alike = law(given) if i > 1 else np.eye(t + 1)[0]
            stay = np.minimum(either.prod() * alike, counts[i - 1])
            leading[r - 1] += (counts[i - 1] - stay)[:r].sum()
            consulted[r - 1] += counts[i - 1][:r].sum()
        for s in range(r):
            leading[r - 1] += counts[o][s] * (r - s)
            consulted[r - 1] += counts[o][s] * (r - s) * (u + 1) / (t - s + 1)
    normal = normal_counts(reach, u)
    assert normal.leading == pytest.approx(leading, rel=1e-9)
    assert normal.consulted == pytest.approx(consulted, rel=1e-9)
    # Near the truth, but not the truth; with few ideals it is.
    off = np.abs(normal.precision - exact(reach, u).precision).max()
    assert 1e-6 < off < 0.05
    assert normal_counts(reach[:, :9], u).precision == pytest.approx(
        exact(reach[:, :9], u).precision, rel=1e-12
    )


def _normal_counts_of(seen: Floats) -> Floats:
    """Return the law of F by appendix A.1, exact for at most 10 uncertain ideals."""
    uncertain = seen[(seen > 0) & (seen < 1)]
    law = poisson_binomial(uncertain, method="normal" if len(uncertain) > 10 else "exact")
    certain = int((seen == 1).sum())
    out = np.zeros(len(seen) + 1)
    out[certain : certain + len(law)] = law
    return out


@pytest.mark.parametrize("strength", [0.02, 0.2, 1.0])
def test_normal_counts_are_equation_8_word_by_word(strength: float) -> None:
    """The law without an ideal is that of the others, computed anew from all of them."""
    rng = np.random.default_rng(5)
    for _ in range(12):
        o, t = rng.integers(1, 40, 2)
        reach = rng.random((o, t)) * strength * (rng.random((o, t)) < rng.random())
        for x in np.flatnonzero(rng.random(t) < 0.3):
            reach[rng.integers(o), x] = 1
        seen, leading = np.zeros(t), np.zeros(t + 1)
        for row in reach:
            law, nothing_new = _normal_counts_of(seen), np.ones(t + 1)
            for x in np.flatnonzero((1 - seen) * row):
                without = np.append(_normal_counts_of(np.delete(seen, x)), 0)
                joint = (1 - seen[x]) * row[x] * without
                share = np.divide(joint, law, out=np.zeros(t + 1), where=law > 0)
                nothing_new *= 1 - np.minimum(share, 1)
            leading += law * (1 - nothing_new)
            seen = seen + (1 - seen) * row
        last = _normal_counts_of(seen)[:t]
        expected = np.cumsum(leading[:t]) + np.cumsum(np.cumsum(last))
        found = prum(reach, t, counts="normal").leading
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_normal_counts_are_near() -> None:
    """Appendix A.1, above ten uncertain ideals: near PRUM, not equal, and of sound size."""
    rng = np.random.default_rng(7)
    reach = rng.random((40, 30)) * 0.2 * (rng.random((40, 30)) < 0.5)
    exactly, normal = prum(reach, 100), prum(reach, 100, counts="normal")
    assert normal != exactly
    error = np.abs(normal.precision - exactly.precision)
    assert 1e-6 < error.max() < 0.02
