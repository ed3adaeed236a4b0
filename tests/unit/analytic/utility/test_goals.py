"""Users with goals: beside cwl_eval, by hand, by simulated stops, and endless lists summed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.analytic.utility.cwl import goal_law
from prum.analytic.utility.measures import utility
from prum.simulator.model import InputError

# Measure, and what it is in cwl_eval.
BESIDE: dict[str, tuple[str, dict[str, Any], tuple[Any, ...]]] = {
    "INST": ("INSTCWLMetric", {}, (1.0,)),
    "INST, T=0.5": ("INSTCWLMetric", {"T": 0.5}, (0.5,)),
    "INST, T=3.5": ("INSTCWLMetric", {"T": 3.5}, (3.5,)),
    "INSQ": ("INSQCWLMetric", {}, (1.0,)),
    "INSQ, T=0.2": ("INSQCWLMetric", {"T": 0.2}, (0.2,)),
    "BPM": ("BPMCWLMetric", {"depth": 4}, (1.0, 4)),
    "BPM, T=2": ("BPMCWLMetric", {"T": 2, "depth": 30}, (2, 30)),
    "SDCG": ("NDCGCWLMetric", {"depth": 10}, (10,)),
    "NERR8": ("NERReq8CWLMetric", {"depth": 5}, (5,)),
    "NERR9": ("NERReq9CWLMetric", {"depth": 5}, (5,)),
    "NERR10": ("NERReq10CWLMetric", {"p": 0.7}, (0.7,)),
    "NERR11": ("NERReq11CWLMetric", {"T": 2.5}, (2.5,)),
}

GAINS = st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0]), max_size=40)


def by_cwl_eval(name: str, gains: list[float], arguments: tuple[Any, ...]) -> float:
    ruler = pytest.importorskip("cwl.ruler.cwl_ruler")
    ranking = ruler.Ranking("1", np.array(gains), np.full(len(gains), np.nan))
    return float(getattr(ruler, name)(*arguments).measure(ranking))


@pytest.mark.parametrize("name", BESIDE)
@given(gains=GAINS)
def test_the_measures_are_those_of_cwl_eval(name: str, gains: list[float]) -> None:
    metric, settings, arguments = BESIDE[name]
    ours = goal_law(name.split(",")[0], gains, **settings).expected_utility(gains)
    assert ours == pytest.approx(by_cwl_eval(metric, gains, arguments), abs=1e-12)


def test_lists_longer_than_its_depth_are_cut_as_by_cwl_eval() -> None:
    gains = (np.arange(1500) % 3 == 0).astype(float).tolist()
    ours = goal_law("INST", gains, T=30).expected_utility(gains)
    assert ours == pytest.approx(by_cwl_eval("INSTCWLMetric", gains, (30,)), abs=1e-12)
    endless = goal_law("INST", gains, T=30, depth=None).expected_utility(gains)
    assert abs(endless - ours) > 1e-3


@pytest.mark.parametrize("measure", ["INST", "INSQ", "NERR10", "NERR11"])
@pytest.mark.parametrize("T", [0.5, 1.0, 4.0])
def test_endless_lists(measure: str, T: float) -> None:
    """The tail in closed form beside a sum that goes on far, and what integrals say is left."""
    gains = [1.0, 0.0, 0.5, 0.0, 1 / 3]
    exact = goal_law(measure, gains, T=T, depth=None).expected_depth
    far = goal_law(measure, gains, T=T, depth=20_000)
    total = far.expected_depth
    last = float(far.prefix[-1])
    # V_i falls as 1 / i² in all but NERR10: what is left is between V_n (n - c) and V_n (n + c).
    assert total <= exact * (1 + 1e-12)
    assert exact - total == pytest.approx(last * 20_000, rel=3e-3, abs=1e-12)


def test_by_hand() -> None:
    """BPM stops at rank 3, where 1 is reached; INST, T = 1: V is 1, 1/4, 1/9, cut at 3."""
    assert goal_law("BPM", [0, 0.5, 0.5, 1], depth=9).expected_utility([0, 0.5, 0.5, 1]) == (
        pytest.approx(1 / 3)
    )
    inst = goal_law("INST", [1, 0, 1], depth=3).expected_utility([1, 0, 1])
    assert inst == pytest.approx((1 + 1 / 9) / (1 + 1 / 4 + 1 / 9))
    insq = goal_law("INSQ", [], depth=3)
    assert insq.survivors(3) == pytest.approx([1, 4 / 9, 4 / 16])


def test_sdcg_is_dcg_over_that_of_gains_1() -> None:
    gains = [0, 1, 1, 0, 1]
    most = utility("DCG", [1] * 4)
    ours = goal_law("SDCG", gains, depth=4).expected_utility(gains)
    assert ours == pytest.approx(utility("DCG", gains, cutoff=4) / most)


@pytest.mark.parametrize(
    ("measure", "settings", "message"),
    [
        ("IFT", {}, "measure is 'IFT', must be one of INST"),
        ("INST", {"T": 0.4}, "T is 0.4, must be at least .5"),
        ("INSQ", {"T": 0}, "T is 0, must be positive"),
        ("NERR10", {"p": 1}, "p is 1"),
        ("BPM", {"depth": None}, "depth must be given for BPM"),
        ("SDCG", {"depth": 0}, "depth is 0"),
    ],
)
def test_mistakes(measure: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        goal_law(measure, [1, 0], **settings)
    with pytest.raises(InputError, match="gain is 2"):
        goal_law("INST", [2])
