"""The study of judges: what labels do to P@K, what repairs it, and the rate of its headline."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from prum.experiments.studies.judges import (
    BY_RANK,
    JUDGES,
    MEASURES,
    NAIVE,
    OURS,
    JudgesStudyDesign,
    Labelled,
    compute,
    estimates,
    made_topics,
    scores_of,
)
from prum.simulator.generation.dials import ErringJudges
from prum.simulator.model import InputError
from tests.tiers import slow

SMALL = JudgesStudyDesign(hits=(0.6,), false_alarms=(0.2,), dependences=(0.2,), topics=8, draws=2)
HIT, FALSE = 0.6, 0.2


def row_of(rows: Any, measure: str, method: str) -> Any:
    (row,) = rows[(rows.measure == measure) & (rows.method == method)].itertuples()
    return row


def test_people_who_judge_all_but_two_topics_leave_little_to_the_judge() -> None:
    made = made_topics(20, np.random.default_rng(3))
    labels = Labelled.by(ErringJudges(hit=HIT, false_alarm=FALSE), made, 18, 3, 0)
    for measure, apart in (("AP", 0.06), ("PRUM", 0.05)):
        true = scores_of(measure, made.is_ideal, made.lists).mean(axis=0)
        differences = {}
        for method in (OURS, BY_RANK, NAIVE):
            found = estimates(method, measure, labels)
            both = zip(found, true, strict=True)
            differences[method] = max(abs(one.value - t) for one, t in both)
        assert max(differences[OURS], differences[BY_RANK]) < apart < differences[NAIVE]


def test_a_judge_who_never_errs_is_right_as_it_is() -> None:
    design = JudgesStudyDesign(
        hits=(1.0,), false_alarms=(0.0,), dependences=(0.0,), topics=8, draws=2
    )
    rows, _ = compute(design, lambda _: None, methods=(NAIVE,))
    for measure in MEASURES:
        assert abs(row_of(rows, measure, NAIVE).bias) < 1e-12


def test_too_many_human_topics_are_refused() -> None:
    with pytest.raises(InputError, match="human is 7"):
        JUDGES(topics=8, human=7)


@slow
def test_expected_scores_by_rank_are_less_biased_than_labels() -> None:
    rows, _ = compute(JudgesStudyDesign(hits=(0.5,), dependences=(0.2,)), lambda _: None)
    by = {method: row_of(rows, "AP", method) for method in (NAIVE, OURS, BY_RANK)}
    assert by[BY_RANK].bias_low > by[NAIVE].bias_high
    assert by[BY_RANK].bias_low > by[OURS].bias_high
    assert by[BY_RANK].tau_low > by[NAIVE].tau_high


@slow
def test_the_difference_is_held_at_its_rate() -> None:
    """Intervals of few draws hold the mean of many."""
    ends, values = [], []
    for seed in range(60):
        design = JudgesStudyDesign(
            hits=(0.6,), dependences=(0.2,), topics=6, human=2, draws=5, seed=seed
        )
        only: Any = {"methods": (NAIVE,), "measures": ("AP", "PRUM")}
        _, found = compute(design, lambda _: None, **only)
        ends.append((found.low, found.high))
        values.append(found.difference)
    mean = np.mean(values)
    held = sum(low <= mean <= high for low, high in ends)
    assert stats.binomtest(held, len(ends), 0.95).pvalue > 1e-3
    assert stats.binomtest(held, len(ends), 0.75).pvalue < 1e-2
