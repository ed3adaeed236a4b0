"""Wrong claims of a decision, over many seeds, come at most at its level."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.experiments.compare import Question
from prum.experiments.compare.decision import decide
from prum.experiments.statistics.simultaneous import METHODS, Compared, compared
from tests.tiers import slow
from tests.unit.experiments.compare.made_scores import scores_of

TRUTH: NDArray[np.float64] = np.array([0.0, 0.0, 0.0, 0.4, 0.45])


def errors(
    seed: int, method: str, baseline: str | None, margin: float, level: float = 0.05
) -> tuple[bool, bool, bool]:
    """Return whether any claim of an order, of equivalence, or of a place is wrong."""
    rng = np.random.default_rng(seed)
    values = TRUTH[:, None] + rng.normal(size=20) + rng.normal(size=(5, 20))
    decision = decide(
        scores_of(values),
        Question(baseline=baseline, method=method, level=level, margin=margin, seed=seed),
    )
    truth = dict(zip(decision.systems, TRUTH.tolist(), strict=True))
    names = decision.systems
    pairs = [
        decision.pair(*both)
        for both in (
            [(x, baseline) for x in names if x != baseline]
            if baseline is not None
            else [(x, y) for at, x in enumerate(names) for y in names[:at]]
        )
    ]
    real = [truth[pair.system] - truth[pair.other] for pair in pairs]
    order = any(
        (pair.verdict == "better" and by <= 0) or (pair.verdict == "worse" and by >= 0)
        for pair, by in zip(pairs, real, strict=True)
    )
    alike = any(
        pair.verdict == "equivalent" and abs(by) >= margin
        for pair, by in zip(pairs, real, strict=True)
    )
    above = [(x < TRUTH).sum() for x in TRUTH]
    below = [(x > TRUTH).sum() for x in TRUTH]
    place = any(
        row.first > 1 + more or row.last < 5 - less
        for row, more, less in zip(decision.places, above, below, strict=True)
    )
    return order, alike, place


def rates(
    num: int, method: str, baseline: str | None, margin: float, level: float = 0.05
) -> tuple[int, int, int]:
    wrong = [errors(seed, method, baseline, margin, level) for seed in range(num)]
    order, alike, place = (sum(column) for column in zip(*wrong, strict=True))
    return order, alike, place


SEEDS = 300
# Counts beyond it come by chance once in a thousand times for all tests of this file together.
NUM_TESTS = 4 * 2 * 3


def threshold(num: int) -> float:
    from scipy.stats import binom

    return float(binom.ppf(1 - 0.001 / NUM_TESTS, num, 0.05))


@slow
@pytest.mark.parametrize("baseline", [None, "a"])
@pytest.mark.parametrize("method", METHODS)
def test_wrong_claims_come_at_most_at_the_level(method: str, baseline: str | None) -> None:
    """Of better and worse, of equivalence where the difference is just the margin, of places."""
    order, alike, place = rates(SEEDS, method, baseline, margin=0.45)
    assert order <= threshold(SEEDS)
    assert place <= threshold(SEEDS)
    assert alike <= threshold(SEEDS)


@slow
def test_calibration_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without adjustment for many pairs wrong claims come more often than the level."""

    def each(values: NDArray[np.float64], pairs: NDArray[np.int64], **settings: Any) -> Compared:
        family = compared(values, pairs, **settings)
        half = 2.093 * family.error  # of a single pair on 20 topics
        low, high = family.difference - half, family.difference + half
        return family._replace(low=low, high=high, adjusted=family.p)

    assert rates(40, "bootstrap", None, margin=0.45)[0] <= threshold(40)
    monkeypatch.setattr("prum.experiments.statistics.simultaneous.compared", each)
    order, _, place = rates(40, "bootstrap", None, margin=0.45)
    assert order > threshold(40)
    assert place > threshold(40)


def test_claims_of_equivalence_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is only not shown to differ is no equivalence."""
    monkeypatch.setattr(
        "prum.experiments.compare.decision.Decision.verdict",
        lambda _, low, high: "equivalent" if low <= 0 <= high else "better",
    )
    assert rates(40, "bootstrap", None, margin=0.3)[1] > threshold(40)
