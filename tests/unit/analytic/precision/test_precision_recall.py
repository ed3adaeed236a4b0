"""The result type of closed forms: ratio, interpolation, averages; precision without browsing."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from prum.analytic import (
    PrecisionRecall,
    exact,
    exact_joint,
    mean_over_topics,
    poisson_binomial,
    walk_reach,
)
from prum.analytic.ranked import raghavan, standard_precision_recall, without_browsing
from prum.simulator.model import InputError, Task


def _curve(*precision: float) -> PrecisionRecall:
    """Return a result with these precisions."""
    return PrecisionRecall(np.array(precision), np.ones(len(precision)))


# --- the type ---------------------------------------------------------------------------------


def test_precision_is_the_ratio_of_expectations() -> None:
    result = PrecisionRecall([1, 1.5, 2.0], [2, 3, 8])
    assert result.precision.tolist() == [0.5, 0.5, 0.25]
    assert result.num_ideals == 3
    assert result.average == pytest.approx(1.25 / 3)
    assert (result.consulted_deviation, result.consulted_skewness) == (None, None)


def test_frozen_and_read_only() -> None:
    given = np.array([1.0, 1.5])
    result = PrecisionRecall(
        given, [2, 3], consulted_deviation=[0, 1], consulted_skewness=[0, -1], method="m"
    )
    given[0] = 7
    assert result.leading.tolist() == [1, 1.5]
    for name in ("leading", "consulted", "consulted_deviation", "consulted_skewness"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(result, name)[0] = 5
        with pytest.raises(FrozenInstanceError):
            setattr(result, name, np.zeros(2))
    with pytest.raises(FrozenInstanceError):
        result.method = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        hash(result)


def test_equality_is_that_of_values() -> None:
    one = PrecisionRecall([1, 2], [2, 3], method="a")
    assert one == PrecisionRecall([1, 2], [2, 3], method="b")
    assert one != PrecisionRecall([1, 2], [2, 4])
    assert one != PrecisionRecall([1, 1], [2, 3])
    assert one != PrecisionRecall([1], [2])
    assert one != (1, 2)
    assert copy.deepcopy(one) == one == pickle.loads(pickle.dumps(one))


def test_repr_shows_six_values() -> None:
    assert repr(_curve(1, 0.5)) == "PrecisionRecall(unnamed, t = 2: precision 1.0000 .5000)"
    shown = repr(_curve(*[0.25] * 7))
    assert shown == "PrecisionRecall(unnamed, t = 7: precision " + ".2500 " * 6 + "...)"


def test_table() -> None:
    frame = PrecisionRecall([1, 1.5], [2, 6]).to_frame()
    assert frame.to_dict("list") == {
        "r": [1, 2],
        "recall": [0.5, 1.0],
        "leading": [1, 1.5],
        "consulted": [2, 6],
        "precision": [0.5, 0.25],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], []), "leading is (0,), must have shape (t,), t >= 1; give a value for each r"),
        ((1, 1), "leading is (), must have shape (t,), t >= 1; give a value for each r"),
        (([[1]], [[1]]), "leading is (1, 1), must have shape (t,), t >= 1; give a value for each"),
        (([1, 2], [1]), "consulted is (1,), must have shape (t,), t >= 1; give a value for each r"),
    ],
)
def test_bad_shapes(arguments: tuple[list[float], list[float]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        PrecisionRecall(*arguments)
    assert str(caught.value).startswith(message)


def test_moments_need_the_same_shape() -> None:
    with pytest.raises(InputError, match=r"consulted_deviation is \(1,\), must have shape"):
        PrecisionRecall([1, 2], [1, 2], consulted_deviation=[0.0])
    with pytest.raises(InputError, match=r"consulted_skewness is \(1,\), must have shape"):
        PrecisionRecall([1, 2], [1, 2], consulted_skewness=[0.0])


NO_NUMBERS: dict[str, Callable[[], object]] = {
    "result": lambda: PrecisionRecall(["a"], [1]),
    "levels": lambda: _curve(1).interpolated(["a"]),
    "joint law": lambda: exact_joint([["a", "b"]], 3),
    "ragged joint law": lambda: exact_joint([[1.0], [1.0, 1.0]], 3),
    "reach": lambda: exact([["a"]], 3),
    "counts": lambda: poisson_binomial(["a"]),
    "moves": lambda: walk_reach([["a"]], [0], [0]),
    "ragged moves": lambda: walk_reach([[0], [0, 1]], [0], [0]),
}


@pytest.mark.parametrize("make", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_what_is_no_number_is_refused_by_the_project(make: Callable[[], object]) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert len(str(caught.value).splitlines()) == 1


# --- interpolation ----------------------------------------------------------------------------


def test_ceiling_rule() -> None:
    """precision(l) = max of precision(r) over r >= l t (Piwowarski et al. 2007, section 3.1)."""
    result = _curve(0.5, 0.25, 0.75, 0.125)
    levels = [0, 0.1, 0.25, 0.26, 0.5, 0.75, 0.76, 1]
    wanted = [0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.125, 0.125]
    assert result.interpolated(levels).tolist() == wanted
    assert _curve(0.75, 0.5, 0.25).interpolated([0, 1 / 3, 0.34, 2 / 3, 0.67]).tolist() == [
        0.75,
        0.75,
        0.5,
        0.5,
        0.25,
    ]


@pytest.mark.parametrize("t", [1, 2, 3, 7, 10, 11, 49, 100, 1000, 99_991])
def test_levels_name_recall_values_despite_rounding(t: int) -> None:
    """r / t, also written as .1 * 3 or 1 - .7, must be recall value r and not r + 1."""
    falling = PrecisionRecall(np.ones(t), np.arange(1, t + 1))
    r = np.unique(np.linspace(1, t, 500).astype(int))
    for levels in (r / t, 1 / t * r, 1 - (t - r) / t):
        assert falling.interpolated(np.clip(levels, 0, 1)).tolist() == (1 / r).tolist()


def test_one_level() -> None:
    assert _curve(0.5, 0.25).interpolated(1).shape == ()
    assert _curve(0.5, 0.25).interpolated(1) == 0.25


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([0, -0.1], "level 1 is -0.1, must lie in [0, 1]; give recall levels, not recall values"),
        ([1, 1.1], "level 1 is 1.1, must lie in [0, 1]; give recall levels, not recall values"),
        ([np.nan], "level 0 is nan, must lie in [0, 1]; give recall levels, not recall values"),
        (2, "level 0 is 2.0, must lie in [0, 1]; give recall levels, not recall values"),
    ],
)
def test_bad_levels(levels: list[float], message: str) -> None:
    with pytest.raises(InputError) as caught:
        _curve(0.5, 0.25).interpolated(levels)
    assert str(caught.value) == message


def test_mean_over_topics_weighs_topics_equally() -> None:
    many, few = _curve(*[0.5] * 9), _curve(1.0)
    assert mean_over_topics([many, few], [0, 0.5, 1]).tolist() == [0.75] * 3
    assert mean_over_topics(iter([many])).tolist() == [0.5] * 11
    with pytest.raises(InputError, match=r"results is \(\), must hold at least one topic"):
        mean_over_topics([])


# --- without browsing -------------------------------------------------------------------------


def test_standard_precision_recall() -> None:
    """precision(r) = r / l_r; 0 where the list holds fewer than r ideals."""
    result = standard_precision_recall(["x", "a", "a", "b"], ["a", "b", "c"])
    assert result.precision.tolist() == [1 / 2, 2 / 4, 0]
    assert result.consulted.tolist() == [2, 4, np.inf]
    assert standard_precision_recall([], ["a"]).precision.tolist() == [0]


def test_average_is_average_precision() -> None:
    """The usual average precision, where every ideal is in the list."""
    result = standard_precision_recall(["a", "x", "b", "y", "c"], ["a", "b", "c"])
    assert result.average == pytest.approx((1 / 1 + 2 / 3 + 3 / 5) / 3)


def test_raghavan_counts_duplicates_as_ranks() -> None:
    assert raghavan(["x", "x", "a"], ["a"], 0).consulted.tolist() == [3]
    assert without_browsing(Task(["x", "x", "a"], ["a"], 2)).consulted.tolist() == [3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], [], 3), "ideals is (), must hold at least one element; leave out topics"),
        ((["a"], ["a", "b", "c"], 1), "unranked is 1, must be at least 2, the ideals that may be"),
        ((["a"], ["a"], -1), "unranked is -1, must be a whole number of at least 0"),
        ((["a"], ["a"], 1.5), "unranked is 1.5, must be a whole number of at least 0"),
    ],
)
def test_bad_raghavan(arguments: tuple[list[str], list[str], int], message: str) -> None:
    with pytest.raises(InputError) as caught:
        raghavan(*arguments)
    assert str(caught.value).startswith(message)


def test_standard_needs_an_ideal() -> None:
    with pytest.raises(InputError, match=r"ideals is \(\), must hold at least one element"):
        standard_precision_recall(["a"], [])
