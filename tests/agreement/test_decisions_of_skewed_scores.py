"""Decisions on skewed and discrete scores claim falsely at most at their level.

Of made scores; `python -m tests.reliability.decisions` has more of them, and real ones.
"""

import pytest
from scipy.stats import binom

from tests.reliability.decisions import (
    CENTRED,
    LEVEL,
    TILTED,
    made,
    method,
    rates,
)
from tests.tiers import slow, spread_rows

SCORES = made()
FEWER, MORE = 40, 250
CELLS = [
    (measure, systems, topics)
    for measure in ("AP", "RR", "P@1", "Success@5")
    for systems, topics in ((2, 12), (5, 15), (5, 30))
]
families = pytest.mark.parametrize("num_families", [FEWER, pytest.param(MORE, marks=slow)])


def most(num_families: int) -> float:
    """Return what chance exceeds once in 1,000 times in all cells together."""
    return float(binom.ppf(1 - 1e-3 / len(CELLS), num_families, LEVEL)) / num_families


@pytest.mark.parametrize(("measure", "systems", "topics"), spread_rows(5, CELLS))
@families
def test_false_claims_come_at_most_at_the_level(
    measure: str, systems: int, topics: int, num_families: int
) -> None:
    found = rates(SCORES[measure], TILTED, systems, topics, num_families, method("bootstrap"))
    print(f"{measure}, {systems} systems, {topics} topics: {found}")
    assert found.false <= most(num_families)
    assert found.missed <= most(num_families)


@slow
def test_a_method_that_claims_too_much_is_caught() -> None:
    """Student's t, of systems of unlike skewness on few topics."""
    found = {
        name: rates(SCORES["AP"], CENTRED, 15, 8, 150, method(name)).false
        for name in ("bootstrap", "Holm")
    }
    print(found)
    assert found["bootstrap"] <= most(150) < found["Holm"]
