"""Bounds on precision: no law of visits with the given margins lies outside, r = 1 is attained."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, sparse

from prum.analytic import (
    PrecisionBounds,
    PrecisionRecall,
    coupled_within,
    exact,
    exact_joint,
    precision_bounds,
)
from prum.analytic.precision import kernels
from prum.analytic.precision.bounds import _by_count as by_count
from prum.analytic.precision.reach import checked_reach, unseen_after
from prum.simulator.model import InputError, ListCosts
from tests.tiers import spread
from tests.twins import bounds as twin

Floats = NDArray[np.float64]
SLACK = 1e-9


def _inside(result: PrecisionRecall, bounds: PrecisionBounds, slack: float = SLACK) -> bool:
    return bool(
        (result.consulted >= bounds.consulted_low * (1 - slack)).all()
        and (result.consulted <= bounds.consulted_high * (1 + slack)).all()
        and (result.precision >= bounds.precision_low * (1 - slack)).all()
        and (result.precision <= bounds.precision_high * (1 + slack)).all()
    )


def _masses_to_within(masses: Floats) -> Floats:
    """Return P(N subset of A) from P(N = A), along the last axis."""
    t = masses.shape[-1].bit_length() - 1
    within = masses.copy()
    for x in range(t):
        halves = within.reshape(-1, 2, 1 << x)
        halves[:, 1] += halves[:, 0]
    within[..., -1] = 1
    return np.minimum(within, 1)


def _extreme_laws(p: Floats, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield vertices of the polytope of laws of sets with margins p, in random directions."""
    t = len(p)
    member = (np.arange(1 << t) >> np.arange(t)[:, None] & 1).astype(np.float64)
    while True:
        found = optimize.linprog(
            rng.standard_normal(1 << t),
            A_eq=np.vstack([member, np.ones(1 << t)]),
            b_eq=np.append(p, 1),
            method="highs-ds",
        )
        assert found.status == 0
        law = np.maximum(found.x, 0)
        yield law / law.sum()


def _margins_of(within: Floats) -> Floats:
    """Return the margins that a table of P(N subset of A) has."""
    t = within.shape[1].bit_length() - 1
    every = (1 << t) - 1
    return np.stack([np.clip(1 - within[:, every ^ 1 << x], 0, 1) for x in range(t)], axis=1)


def _margins(o: int, t: int, rng: np.random.Generator) -> Floats:
    """Return margins of every kind: rare, even, certain, impossible; ranked ideals; empty rows."""
    p = rng.random((o, t)) ** rng.choice([0.3, 1, 3])
    p[rng.random((o, t)) < 0.2] = 0
    p[rng.random((o, t)) < 0.1] = 1
    for i in range(o):
        kind = rng.random()
        if kind < 0.15:
            p[i] = np.eye(t)[rng.integers(t)]
        elif kind < 0.25:
            p[i] = 0
    return np.asarray(p)


def _costs(o: int, rng: np.random.Generator) -> ListCosts:
    """Return costs of 1 each, or of ranks that are cheap and dear."""
    if rng.random() < 0.5:
        return ListCosts.units(o)
    return ListCosts(rng.choice([1, 30, 400], o), rng.choice([2, 100]), unit="tokens")


@pytest.mark.parametrize("seed", spread(6, range(25)))
def test_extreme_laws_lie_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    o, t = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    p, u = _margins(o, t, rng), t + int(rng.integers(0, 8))
    costs = _costs(o, rng)
    laws = [_extreme_laws(row, rng) for row in p]
    for _ in range(20):
        within = _masses_to_within(np.array([next(law) for law in laws]))
        # A linear program keeps the margins to its own tolerance.
        margins = _margins_of(within)
        assert margins == pytest.approx(p, abs=1e-6)
        bounds = precision_bounds(margins, u, costs=costs)
        assert _inside(exact_joint(within, u, costs=costs), bounds)


@pytest.mark.parametrize("seed", range(30))
def test_any_law_lies_inside_the_bounds_of_its_margins(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    o, t = int(rng.integers(1, 7)), int(rng.integers(1, 6))
    masses = rng.dirichlet(np.full(1 << t, rng.choice([0.02, 0.1, 1])), o)
    within = _masses_to_within(masses)
    costs = _costs(o, rng)
    bounds = precision_bounds(_margins_of(within), 2 * t, costs=costs)
    assert bounds.unit == costs.unit
    assert _inside(exact_joint(within, 2 * t, costs=costs), bounds)


@pytest.mark.parametrize("seed", spread(10, range(60)))
def test_kernel_equals_its_twin(seed: int) -> None:
    """The hull by bridges, and Newton's method r by r, as all pairs of counts would have it."""
    rng = np.random.default_rng(2000 + seed)
    o, t = int(rng.integers(1, 12)), int(rng.integers(1, 10))
    p, u = _margins(o, t, rng), t + int(rng.integers(0, 100))
    costs = _costs(o, rng)
    low, high, least, most = twin.bounds(p, u, costs)
    bounds = precision_bounds(p, u, costs=costs)
    # Means of F_i alone may bound E[C(r)] closer.
    assert (bounds.consulted_low >= low * (1 - 1e-12)).all()
    assert (bounds.consulted_high <= high * (1 + 1e-12)).all()
    each = np.append(costs.ranked, costs.unranked)
    wanted = np.maximum(least, each.min() / bounds.consulted_high)
    assert bounds.precision_low == pytest.approx(wanted, rel=1e-12)
    by_r = each.max() * np.arange(1, t + 1) / bounds.consulted_low
    wanted = np.minimum(most, np.minimum(1, by_r))
    assert bounds.precision_high == pytest.approx(wanted, rel=1e-12)


def test_programs_equal_their_twin() -> None:
    """Without what the means of F_i say: ranks that show nothing, certain and rare ideals."""
    rng = np.random.default_rng(8)
    p = _margins(30, 12, rng) * (rng.random((30, 12)) < 0.3) * rng.choice([0.1, 1], (30, 1))
    entries = checked_reach(p)
    ranks, starts = np.unique(entries.ranks, return_index=True)
    n, t, u = len(ranks), 12, 40
    whole, mean, some = np.zeros((n, 3), np.int64), np.zeros((n, 3, t + 1)), np.zeros((n, t + 1))
    starts = np.append(starts, len(entries.ranks))
    kernels.margins(starts, entries.ideals, entries.probabilities, t, whole, mean, some)
    gaps, out = np.diff(ranks, prepend=-1, append=30) - 1.0, np.empty((4, t))
    recall = np.arange(1, t + 1)
    kernels.bounds(t, u, gaps, whole, mean, some, np.ones(n), 1.0, recall, out)
    for values, wanted in zip(out, twin.bounds(p, u, ListCosts.units(30)), strict=True):
        assert values == pytest.approx(wanted, rel=1e-12)


def test_some_recall_values() -> None:
    rng = np.random.default_rng(9)
    p = _margins(20, 9, rng)
    every, some = precision_bounds(p, 30), precision_bounds(p, 30, recall=[2, 5, 9])
    assert some.recall.tolist() == [2, 5, 9]
    for name in ("consulted_low", "consulted_high", "precision_low", "precision_high"):
        assert (getattr(some, name) == getattr(every, name)[[1, 4, 8]]).all()
    assert every.average_low == every.precision_low.mean()
    assert some.average_high == some.precision_high.mean()


@pytest.mark.parametrize("seed", range(20))
def test_first_ideal_is_sharp(seed: int) -> None:
    """Fréchet: exclusive visits leave out as few users as can be, comonotone ones as many."""
    rng = np.random.default_rng(seed)
    o, t = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    p = _margins(o, t, rng) * rng.choice([0.3, 1])
    bounds = precision_bounds(p, 9)
    apart = exact_joint(coupled_within(p, "exclusive"), 9)
    together = exact_joint(coupled_within(p, "comonotone"), 9)
    assert bounds.consulted_low[0] == pytest.approx(apart.consulted[0], rel=1e-11)
    assert bounds.consulted_high[0] == pytest.approx(together.consulted[0], rel=1e-11)
    assert bounds.precision_high[0] == pytest.approx(apart.precision[0], rel=1e-11)
    assert bounds.precision_low[0] == pytest.approx(together.precision[0], rel=1e-11)


@pytest.mark.parametrize("seed", range(20))
def test_first_ideal_is_sharp_in_costs(seed: int) -> None:
    """Each rank shows something to as few or to as many as can be: one of these is the extreme."""
    rng = np.random.default_rng([3, seed])
    o, t = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    p = _margins(o, t, rng) * rng.choice([0.3, 1])
    costs = ListCosts(rng.choice([1, 30, 400], o), 50)
    bounds = precision_bounds(p, 9, costs=costs)
    apart, together = (coupled_within(p, kind) for kind in ("exclusive", "comonotone"))
    values = [
        exact_joint(np.where(np.array(kinds)[:, None], apart, together), 9, costs=costs)
        for kinds in product([True, False], repeat=o)
    ]
    for name in ("consulted", "precision"):
        firsts = [getattr(value, name)[0] for value in values]
        assert getattr(bounds, f"{name}_low")[0] == pytest.approx(min(firsts), rel=1e-11)
        assert getattr(bounds, f"{name}_high")[0] == pytest.approx(max(firsts), rel=1e-11)


def test_costs_of_one_change_no_bound() -> None:
    p = _margins(20, 9, np.random.default_rng(9))
    plain, units = precision_bounds(p, 30), precision_bounds(p, 30, costs=ListCosts.units(20))
    for name in ("consulted_low", "consulted_high", "precision_low", "precision_high"):
        assert (getattr(plain, name) == getattr(units, name)).all()
    with pytest.raises(InputError, match="number of costs is 3, must be 20"):
        precision_bounds(p, 30, costs=ListCosts.units(3))


def test_laws_of_other_margins_are_noticed() -> None:
    """Negative control: a rank browsed a little more, or less, than the margins say."""
    p = np.array([[0.2, 0.3], [0.1, 0.4]])
    bounds = precision_bounds(p, 5)
    for change, coupling in ((0.01, "exclusive"), (-0.01, "comonotone")):
        assert _inside(exact_joint(coupled_within(p, coupling), 5), bounds)  # type: ignore[arg-type]
        other = exact_joint(coupled_within(p + change, coupling), 5)  # type: ignore[arg-type]
        assert not _inside(other, bounds)


@pytest.mark.parametrize("seed", spread(4, range(12)))
def test_counts_are_bounded_as_closely_as_their_means_allow(seed: int) -> None:
    """Each P(F_i < r), and what is left behind the list, by a linear program over laws of F."""
    rng = np.random.default_rng([11, seed])
    o, t = int(rng.integers(2, 5)), int(rng.integers(3, 6))
    p, u = _margins(o, t, rng), t + int(rng.integers(0, 9))
    unseen = unseen_after(checked_reach(p).dense())
    costs = _costs(o, rng)
    wanted = np.arange(1, t + 1)
    counted = by_count(unseen, u, wanted, costs)

    def best(worth: Floats, row: Floats, sign: int) -> float:
        s = np.arange(int((row == 0).sum()), int((row < 1).sum()) + 1)
        mean = float(np.clip((1 - row).sum(), s[0], s[-1]))
        found = optimize.linprog(
            sign * worth[s], A_eq=np.vstack([s, np.ones(len(s))]), b_eq=[mean, 1]
        )
        assert found.status == 0
        return sign * float(found.fun)

    for side, sign in zip(counted, (1, -1), strict=True):
        for r in wanted.tolist():
            s = np.arange(t + 1)
            # Behind the list, in random order: r - s more of t - s ideals among u.
            draws = np.maximum(r - s, 0) * (u + 1) / (t - s + 1)
            at_ranks = [best((s < r) * 1.0, row, sign) for row in unseen[:-1]]
            behind = best(draws, unseen[-1], sign)
            value = float(costs.ranked @ at_ranks) + costs.unranked * behind
            assert side[r - 1] == pytest.approx(value, rel=1e-6, abs=1e-9)


def test_nothing_unknown_leaves_one_value() -> None:
    """One ideal; no browsing; all certain; nothing reached; no list at all."""
    cases: list[tuple[ArrayLike, int]] = [
        ([[0.3], [0.0], [0.6]], 4),
        ([[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]], 5),
        ([[1, 1, 1]], 0),
        (np.zeros((3, 2)), 6),
        (np.zeros((0, 2)), 6),
        ([[0.5, 0], [0, 1]], 3),
    ]
    for reach, u in cases:
        bounds, truth = precision_bounds(reach, u), exact(reach, u)
        assert bounds.consulted_low[0] == pytest.approx(truth.consulted[0], rel=1e-11)
        assert bounds.consulted_high[0] == pytest.approx(truth.consulted[0], rel=1e-11)
        assert bounds.precision_low == pytest.approx(truth.precision, rel=1e-11)
        assert bounds.precision_high == pytest.approx(truth.precision, rel=1e-11)


def test_a_real_sized_list() -> None:
    rng = np.random.default_rng(3)
    reach = rng.random((100, 8)) * 0.3 * (rng.random((100, 8)) < 0.2)
    reach[10] = np.eye(8)[3]
    bounds = precision_bounds(sparse.csr_array(reach), 50)
    for coupling in ("independent", "exclusive", "comonotone", 0.5):
        assert _inside(exact_joint(coupled_within(reach, coupling), 50), bounds)
    assert (bounds.precision_low > 0).all()
    assert (bounds.precision_high <= 1).all()


def test_a_large_list() -> None:
    """Hundreds of ideals: independent visits, and users who all browse or do not."""
    rng = np.random.default_rng(4)
    reach = rng.random((300, 200)) * 0.1 * (rng.random((300, 200)) < 0.05)
    recall = [1, 10, 60]
    bounds = precision_bounds(sparse.csr_array(reach), 5000, recall=recall)
    truth = exact(reach, 5000)
    assert (bounds.precision_low <= truth.precision[np.array(recall) - 1]).all()
    assert (bounds.precision_high >= truth.precision[np.array(recall) - 1]).all()


@pytest.mark.parametrize(
    ("reach", "unranked", "message"),
    [
        ([[1.5]], 1, "reach[0, 0] is 1.5, must lie in [0, 1]; give probabilities"),
        ([[0.5, 0.5]], 1, "unranked is 1, must be at least 2, the ideals that may be unseen"),
        ([0.5], 1, "reach is (1,), must have shape (o, t); give o rows"),
    ],
)
def test_bad_input(reach: ArrayLike, unranked: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        precision_bounds(reach, unranked)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("recall", "message"),
    [
        ([], "recall is (), must hold a recall value; leave it out for all"),
        ([3], "r is 3, must be a whole number from 1 to 2; give a number of ideals"),
        (2, "recall is 2, must be several recall values; leave it out for all"),
    ],
)
def test_bad_recall(recall: list[int], message: str) -> None:
    with pytest.raises(InputError) as caught:
        precision_bounds([[0.5, 0.5]], 2, recall=recall)
    assert str(caught.value).startswith(message)
