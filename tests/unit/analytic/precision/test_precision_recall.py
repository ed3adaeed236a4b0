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


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no values": (lambda: PrecisionRecall([], []), "leading is (0,), must have shape (t,), t >= 1"),
    "one value": (lambda: PrecisionRecall(1, 1), "leading is (), must have shape (t,), t >= 1"),  # type: ignore[arg-type]
    "a matrix": (lambda: PrecisionRecall([[1]], [[1]]), "leading is (1, 1), must have shape (t,)"),
    "too few": (lambda: PrecisionRecall([1, 2], [1]), "consulted is (1,), must have shape (t,)"),
    "deviation": (
        lambda: PrecisionRecall([1, 2], [1, 2], consulted_deviation=[0.0]),
        "consulted_deviation is (1,), must have shape",
    ),
    "skewness": (
        lambda: PrecisionRecall([1, 2], [1, 2], consulted_skewness=[0.0]),
        "consulted_skewness is (1,), must have shape",
    ),
    "level below 0": (lambda: _curve(1).interpolated([0, -0.1]), "level 1 is -0.1, must lie in"),
    "level above 1": (lambda: _curve(1).interpolated(2), "level 0 is 2.0, must lie in [0, 1]"),
    "level nan": (lambda: _curve(1).interpolated([np.nan]), "level 0 is nan, must lie in [0, 1]"),
    "no ideal": (lambda: raghavan(["a"], [], 3), "ideals is (), must hold at least one element"),
    "few unranked": (lambda: raghavan(["a"], ["a", "b", "c"], 1), "unranked is 1, must be at"),
    "below 0": (lambda: raghavan(["a"], ["a"], -1), "unranked is -1, must be a whole number of"),
    "not whole": (lambda: raghavan(["a"], ["a"], 1.5), "unranked is 1.5, must be a whole number"),  # type: ignore[arg-type]
    "standard": (lambda: standard_precision_recall(["a"], []), "ideals is (), must hold at least"),
    "result": (lambda: PrecisionRecall(["a"], [1]), "leading"),
    "levels": (lambda: _curve(1).interpolated(["a"]), "levels"),
    "joint law": (lambda: exact_joint([["a", "b"]], 3), "within"),
    "ragged joint law": (lambda: exact_joint([[1.0], [1.0, 1.0]], 3), "within"),
    "reach": (lambda: exact([["a"]], 3), "reach"),
    "counts": (lambda: poisson_binomial(["a"]), "probabilities"),
    "moves": (lambda: walk_reach([["a"]], [0], [0]), "links"),
    "ragged moves": (lambda: walk_reach([[0], [0, 1]], [0], [0]), "links"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value).startswith(message)
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


def test_raghavan_counts_duplicates_as_ranks() -> None:
    assert raghavan(["x", "x", "a"], ["a"], 0).consulted.tolist() == [3]
    assert without_browsing(Task(["x", "x", "a"], ["a"], 2)).consulted.tolist() == [3]
