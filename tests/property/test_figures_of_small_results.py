"""Figures of small results, drawn at random: what rounding and empty parts leave is drawn, too."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import prum
from tests.tiers import slow, spread

pytest.importorskip("matplotlib").use("agg")

ELEMENTS = [f"d{number}" for number in range(5)]
PAIRS = dict.fromkeys(permutations(ELEMENTS, 2), 1.0)
# Of which a share stood just outside its interval.
ROUNDED = [["d0", "d1", "d2"], ["d3", "d4"], ["d0", "d1"]]


def sessions(rng: np.random.Generator) -> list[list[str]]:
    return [
        rng.permutation(ELEMENTS)[: rng.integers(2, 5)].tolist() for _ in range(rng.integers(2, 6))
    ]


def collection(rng: np.random.Generator) -> dict[str, Any]:
    """Return two runs, judgements and links of one to three topics."""
    topics = [f"q{number}" for number in range(rng.integers(1, 4))]
    runs = {
        name: {topic: rng.permutation(ELEMENTS)[: rng.integers(1, 5)].tolist() for topic in topics}
        for name in "ab"
    }
    qrels = {topic: {x: int(x == "d0" or rng.random() < 0.4) for x in ELEMENTS} for topic in topics}
    links = {pair: float(rng.choice([1e-9, 0.2, 0.5])) for pair in PAIRS if rng.random() < 0.3}
    return {"runs": runs, "qrels": qrels, "links": links or {("d1", "d0"): 0.5}}


@slow
def test_figures_of_fitted_logs() -> None:
    rng = np.random.default_rng(1)
    logs = [(ROUNDED, ROUNDED), *((sessions(rng), sessions(rng)) for _ in range(2))]
    drawn = 0
    for log, held_out in logs:
        for figure in prum.fit(log, PAIRS, test=held_out, base="uniform").view().figures:
            drawn += "<" in figure.draw().body
    assert drawn > 1


@pytest.mark.parametrize("seed", spread(2, range(2)))
def test_figures_of_everything_else(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given = collection(rng)
    runs = given.pop("runs")
    human = {"q": {f"e{x}": int(x < 2 or rng.random() < 0.5) for x in range(5)}}
    human["q"]["e4"] = 0
    said = {name: {"q": {x: int(rng.random() < 0.5) for x in human["q"]}} for name in "xy"}
    pages = [
        prum.trust(runs, **given, collection_size=9),
        prum.crosscheck(runs, **given, collection_size=9, num_users=64),
        prum.judges(said, human, cases=2),
    ]
    for result in pages:
        assert "<svg" in result.to_html() or not result.view().figures
    scored = prum.evaluate(runs, given["qrels"], measures="AP,RR")
    assert scored.plot().file("out.svg").startswith(b"<?xml")
