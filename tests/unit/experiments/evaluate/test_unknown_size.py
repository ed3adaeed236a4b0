"""What a collection's size could change where it is not known."""

from typing import Any

import numpy as np
import pytest

import prum
from prum.simulator.model import InputError
from tests.tiers import spread

LINKS = {("x", "a"): 0.5, ("b", "c"): 0.3, ("y", "d"): 0.9, ("y", "a"): 0.1}
MEASURES = "PRUM, ExactPRUM, RP, GRP, GradedPRUM, PRUM(navigation=walk), RP@r=2, AP"


def random_case(rng: np.random.Generator) -> tuple[Any, Any]:
    names = list("abcdxyzuvw")
    runs = {
        f"s{number}": {
            f"q{topic}": rng.permutation(names)[: rng.integers(1, 6)].tolist() for topic in range(3)
        }
        for number in range(3)
    }
    qrels = {
        f"q{topic}": dict.fromkeys(rng.permutation(list("abcd"))[: rng.integers(1, 5)].tolist(), 1)
        for topic in range(3)
    }
    return runs, qrels


@pytest.mark.parametrize("seed", spread(8, range(8)))
def test_every_size_lies_between_endless_and_the_rise(seed: int) -> None:
    runs, qrels = random_case(np.random.default_rng(seed))
    result = prum.evaluate(runs, qrels, measures=MEASURES, links=LINKS)
    assert list(result.size_rises) == list(result.scores.measures[:-1])
    endless = result.scores.means()
    for size in (10, 11, 30, 1_000, 10**7):
        sized = prum.evaluate(runs, qrels, measures=MEASURES, links=LINKS, collection_size=size)
        assert not sized.size_rises
        rise = np.nan_to_num(sized.scores.means() - endless)
        assert (rise >= -1e-7).all()
        most = [*result.size_rises.values(), 0.0]
        assert (rise.max(axis=0) <= np.array(most) + 1e-7).all()
        if size == 10**7:
            assert rise.max() < 1e-5


def test_the_rise_is_reached_where_lists_and_judgements_are_the_collection() -> None:
    result = prum.evaluate({"q": ["x", "a"]}, {"q": {"a": 1, "b": 1}}, measures="RP")
    # a at rank 2; b is the only element behind the list: the third to be consulted.
    assert result.scores.means()[0, 0] == pytest.approx((1 / 2) / 2, abs=1e-8)
    assert result.size_rises["RP"] == pytest.approx((2 / 3) / 2, abs=1e-8)
    # No size raises it by more than the remark says.
    assert any("taken as infinite" in line and "RP by up to .34" in line for line in result.remarks)


def test_without_such_a_measure_nothing_is_assumed() -> None:
    result = prum.evaluate({"q": ["x", "a"]}, {"q": {"a": 1, "x": 0}}, measures="AP")
    assert result.size_rises == {}
    assert result.remarks == ()
    assert "for PRUM give links or elements" in " ".join(result.view().notes)


@pytest.mark.parametrize("measure", ["EPRUM", "ADM(calibration=rank)"])
def test_some_measures_need_the_size(measure: str) -> None:
    with pytest.raises(InputError, match="collection size must be known"):
        prum.evaluate({"q": {"x": 2.0, "a": 1.0}}, {"q": {"a": 1}}, measures=measure)


def test_a_size_that_changes_nothing_is_not_mentioned() -> None:
    result = prum.evaluate({"q": ["a", "b"]}, {"q": {"a": 1, "b": 1}}, measures="RP")
    assert not any("endless" in line for line in result.remarks)
