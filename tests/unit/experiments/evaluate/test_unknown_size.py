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
    names, topics = list("abcdxyzuvw"), ("q0", "q1", "q2")
    runs = {
        f"s{number}": {q: rng.permutation(names)[: rng.integers(1, 6)].tolist() for q in topics}
        for number in range(3)
    }
    ideals = {q: rng.permutation(list("abcd"))[: rng.integers(1, 5)].tolist() for q in topics}
    return runs, {topic: dict.fromkeys(of, 1) for topic, of in ideals.items()}


@pytest.mark.parametrize("seed", spread(8, range(8)))
def test_a_smaller_collection_only_raises_the_measures_that_are_named(seed: int) -> None:
    runs, qrels = random_case(np.random.default_rng(seed))
    endless = prum.evaluate(runs, qrels, measures=MEASURES, links=LINKS)
    (said,) = (line for line in endless.remarks if "taken as infinite" in line)
    assert said.endswith(f"raise the mean of {', '.join(endless.scores.measures[:-1])}")
    for size in (10, 11, 30, 1_000, 10**7):
        sized = prum.evaluate(runs, qrels, measures=MEASURES, links=LINKS, collection_size=size)
        assert not any("taken as infinite" in line for line in sized.remarks)
        rise = np.nan_to_num(sized.scores.means() - endless.scores.means())
        assert (rise >= -1e-7).all()
        assert (rise[:, -1] == 0).all()
        assert size < 10**7 or rise.max() < 1e-5


def test_without_such_a_measure_nothing_is_assumed() -> None:
    result = prum.evaluate({"q": ["x", "a"]}, {"q": {"a": 1, "x": 0}}, measures="AP")
    assert result.remarks == ()
    assert "for PRUM give links or elements" in " ".join(result.view().notes)


@pytest.mark.parametrize("measure", ["EPRUM", "ADM(calibration=rank)"])
def test_some_measures_need_the_size(measure: str) -> None:
    with pytest.raises(InputError, match="collection size must be known"):
        prum.evaluate({"q": {"x": 2.0, "a": 1.0}}, {"q": {"a": 1}}, measures=measure)
