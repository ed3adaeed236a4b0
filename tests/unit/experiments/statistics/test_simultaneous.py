"""Families of comparisons: each number a second time, by loops, by definition and by scipy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from prum.experiments.statistics.simultaneous import METHODS, OPEN, Compared, compared, places
from prum.simulator.model import InputError
from tests.tiers import examples
from tests.unit.experiments.statistics.families import LEVEL, all_pairs, made


def agrees(family: Compared, level: float = LEVEL) -> bool:
    """Return whether intervals leave out 0 exactly where the adjusted p is below the level."""
    shown = (family.low > 0) | (family.high < 0)
    return bool((shown == (family.adjusted < level)).all())


# --- what holds for every method ------------------------------------------------------------------

scores = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 5), st.integers(2, 9)),
    elements=st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 0.1 + 0.2]),
)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=examples(30), deadline=None)
@given(values=scores, level=st.sampled_from([0.05, 0.2, 0.5]), seed=st.integers(0, 9))
def test_an_interval_and_its_p_never_disagree(
    method: str, values: Any, level: float, seed: int
) -> None:
    pairs = all_pairs(len(values))
    family = compared(values, pairs, method=method, level=level, draws=39, seed=seed)
    assert agrees(family, level)
    assert (family.low <= family.difference).all()
    assert (family.difference <= family.high).all()
    assert ((family.p <= family.adjusted + 1e-12) & (family.adjusted <= 1)).all()
    alike = family.error == 0
    is_point = family.low[alike] == family.high[alike]
    is_decided = (family.adjusted[alike] < level) | (family.difference[alike] == 0)
    assert is_point.tolist() == is_decided.tolist()
    first, last = places(len(values), pairs, family)
    assert ((first >= 1) & (last <= len(values))).all()
    means = values.mean(axis=1)
    # Scores that differ by rounding are equal.
    assert (first <= 1 + (means > means[:, None] + 1e-9).sum(axis=1)).all()
    assert (last >= len(values) - (means < means[:, None] - 1e-9).sum(axis=1)).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_seed_is_a_result(method: str) -> None:
    values, pairs = made(4, 12, 3), all_pairs(4)
    one, same, other = (
        compared(values, pairs, method=method, draws=99, seed=seed) for seed in (1, 1, 2)
    )
    assert one.adjusted.tolist() == same.adjusted.tolist()
    assert (one.adjusted.tolist() == other.adjusted.tolist()) == (method == "Holm")


@pytest.mark.parametrize("method", METHODS)
def test_equal_differences_are_points_and_not_resampled(method: str) -> None:
    values = made(3, 15, 5, 0.4)
    copies = np.vstack([values, values[0], values[1] + 0.3])
    pairs = all_pairs(5)
    family = compared(copies, pairs, method=method, draws=499)
    at = {tuple(pair): row for row, pair in enumerate(pairs.tolist())}
    same, moved = at[0, 3], at[1, 4]
    assert (family.error[same], family.p[same], family.adjusted[same]) == (0, 1, 1)
    assert (family.low[same], family.high[same]) == (0, 0)
    signs = 2.0**-14
    assert (family.error[moved], family.p[moved]) == (0, signs)
    assert family.adjusted[moved] == 9 * signs
    assert family.low[moved] == family.high[moved] == pytest.approx(-0.3)
    assert (family.error > 0).sum() == 8
    kept = np.array([row for row in range(10) if row not in (same, moved)])
    without = compared(copies, pairs[kept], method=method, draws=499)
    assert family.adjusted[kept].tolist() == without.adjusted.tolist()
    none = compared(copies, pairs[[same]], method=method)
    assert none.adjusted.tolist() == [1]


@pytest.mark.parametrize("method", METHODS)
def test_too_few_topics_say_nothing(method: str) -> None:
    one = compared(np.array([[0.5], [0.25]]), np.array([[0, 1]]), method=method)
    assert one.difference.tolist() == [0.25]
    empty = compared(np.empty((2, 0)), np.array([[0, 1]]), method=method)
    assert np.isnan(empty.difference).all()
    for family in (one, empty):
        assert np.isnan([family.error, family.low, family.high, family.p, family.adjusted]).all()
        assert np.isnan(family.critical).all()
        assert [x.tolist() for x in places(2, np.array([[0, 1]]), family)] == [[1, 1], [2, 2]]
    nothing = compared(made(2, 5, 1), np.empty((0, 2), dtype=np.int64), method=method)
    assert nothing.adjusted.shape == (0,)


@pytest.mark.parametrize(
    ("message", "score", "options"),
    [
        ("values is nan, must be finite", np.nan, {}),
        ("method is 'T', must be one of bootstrap", 1.0, {"method": "T"}),
        ("level is 1, must", 1.0, {"level": 1}),
    ],
)
def test_bad_input_is_named(message: str, score: float, options: Any) -> None:
    with pytest.raises(InputError) as caught:
        compared(np.array([[1.0, score], [1.0, 2.0]]), np.array([[0, 1]]), **options)
    assert message in str(caught.value)


# --- what resamples lose --------------------------------------------------------------------------


@pytest.mark.parametrize(("num_topics", "is_binary"), [(7, True), (12, True), (12, False)])
def test_a_pair_with_many_equal_differences_is_tested_by_signs_where_scores_are_binary(
    num_topics: int, is_binary: bool
) -> None:
    values = made(3, num_topics, 6, 2)
    values = np.vstack([values, values[0] - 0.5])
    values[3, 0] += 1 if is_binary else 0.7
    pairs = all_pairs(4)
    family = compared(values, pairs)
    lost = int(np.flatnonzero((pairs == [0, 3]).all(axis=1))[0])
    assert family.is_lost.tolist() == [row == lost for row in range(6)]
    p = stats.binomtest(1, num_topics).pvalue if is_binary else 1
    assert family.p[lost] == pytest.approx(p)
    assert family.adjusted[lost] == pytest.approx(min(6 * p, 1))
    is_shown = is_binary and num_topics == 12
    assert (6 * p < LEVEL) == is_shown
    # Student's interval by Bonferroni's inequality, which leaves out 0 only where the test does.
    differences = values[0] - values[3]
    critical = stats.t.isf(LEVEL / 6 / 2, num_topics - 1) if is_binary else np.inf
    mean, half = differences.mean(), critical * stats.sem(differences)
    assert family.critical[lost] == pytest.approx(critical)
    assert family.high[lost] == pytest.approx(min(mean + half, 1) if is_binary else np.inf)
    assert family.low[lost] == pytest.approx(mean - half if is_shown else min(mean - half, 0))
    assert (family.low[lost] > 0) == is_shown
    others = np.delete(np.arange(6), lost)
    assert (family.adjusted[others] < 1).any()
    assert np.isfinite(family.critical[others]).all()


# --- Holm -----------------------------------------------------------------------------------------


def holm_by_definition(values: Any, pairs: Any, level: float) -> tuple[Any, Any, Any]:
    """Step down in either direction, one hypothesis at a time, and bound as the papers say."""
    n, m = values.shape[1], len(pairs)
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    x, s = differences.mean(axis=1), stats.sem(differences, axis=1)
    ends = []
    rejected = np.zeros(m, dtype=bool)
    for sign in (1, -1):
        left = set(range(m))
        while left:
            best = max(left, key=lambda row: sign * x[row] / s[row])
            if sign * x[best] / s[best] <= stats.t.isf(level / 2 / len(left), n - 1):
                break
            left.remove(best)
        c = stats.t.isf(level / 2 / (len(left) or m), n - 1)
        bound = sign * x - c * s
        if left:
            bound = np.array([bound[row] if row in left else 0.0 for row in range(m)])
        else:
            bound = np.maximum(bound, 0)
        ends.append(sign * bound)
        rejected[[row for row in range(m) if row not in left]] = True
    return ends[0], ends[1], rejected


@pytest.mark.parametrize("apart", [0.0, 0.4, 0.8, 3.0])
@pytest.mark.parametrize("reverse", [False, True])
def test_holm_steps_down_and_bounds_by_definition(apart: float, reverse: bool) -> None:
    values, pairs = made(4, 15, 7, apart), all_pairs(4)
    pairs = pairs[:, ::-1] if reverse else pairs
    family = compared(values, pairs, method="Holm")
    low, high, rejected = holm_by_definition(values, pairs, LEVEL)
    assert family.low == pytest.approx(low, abs=1e-12)
    assert family.high == pytest.approx(high, abs=1e-12)
    assert (family.adjusted < LEVEL).tolist() == rejected.tolist()
    assert agrees(family)
    if apart == 3.0:  # all in one direction: no bound is 0
        assert np.abs([family.low, family.high]).min() > 1e-3
    if apart == 0.8:
        assert (OPEN in np.abs(family.low)) != (OPEN in np.abs(family.high))


# --- places ---------------------------------------------------------------------------------------


def test_places_count_who_is_better_and_who_is_worse() -> None:
    nan = np.full(4, np.nan)
    low = np.array([0.1, -0.2, -0.5, -1])
    high = np.array([0.4, 0.1, -0.1, 1])
    family = Compared(nan, nan, low, high, nan, nan, nan, nan > 0)
    # 0 above 1, 3 above 0; 0 and 2, 1 and 2 undecided.
    pairs = np.array([[0, 1], [0, 2], [0, 3], [1, 2]])
    assert [x.tolist() for x in places(4, pairs, family)] == [[2, 2, 1, 1], [3, 4, 4, 3]]


# --- a variance that topics share ----------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_shared_variance_adds_to_that_of_topics(method: str) -> None:
    values, pairs = made(3, 12, 3, 0.8), all_pairs(3)
    plain = compared(values, pairs, method=method, draws=499)
    none = compared(values, pairs, method=method, draws=499, shared=np.zeros(3))
    for at, one in enumerate((plain.low, plain.high, plain.p, plain.adjusted)):
        assert one.tolist() == (none.low, none.high, none.p, none.adjusted)[at].tolist()
    wide = compared(values, pairs, method=method, draws=499, shared=3 * plain.error**2)
    np.testing.assert_allclose(wide.error, 2 * plain.error)
    np.testing.assert_allclose(wide.difference, plain.difference)
    assert agrees(wide)
    assert (wide.p > plain.p).all()
    if method == "Holm":
        t = plain.difference / (2 * plain.error)
        np.testing.assert_allclose(wide.p, 2 * stats.t.sf(np.abs(t), 11))
    else:
        np.testing.assert_allclose(wide.high - wide.low, 2 * (plain.high - plain.low))
