"""Uncertainty of topics and of a learned navigation: against draws, by hand, and what is said."""

import json
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, t

import prum
from prum.analytic import prum_of, row_slopes
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.evaluate.uncertainty import value_that_answers
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import Browsing, Independent, Navigation, Task
from tests.step_posterior import StepPosterior, flat_walk, learned
from tests.tiers import slow

NAMES = [f"e{x:03}" for x in range(24)]
QRELS = {f"q{q}": {NAMES[q]: 1, NAMES[q + 8]: 1, NAMES[q + 15]: 1} for q in range(8)}


@pytest.fixture(scope="module")
def fit() -> StepPosterior:
    rng = np.random.default_rng(1)
    return learned(flat_walk(len(NAMES), 3, rng), 120, rng)


@pytest.fixture(scope="module")
def runs() -> dict[str, dict[str, list[str]]]:
    rng = np.random.default_rng(2)
    made = {
        system: {topic: [str(x) for x in rng.permutation(NAMES)[:4]] for topic in QRELS}
        for system in ("a", "b")
    }
    made["c"] = {topic: [*made["a"][topic][:3], NAMES[int(topic[1:])]] for topic in QRELS}
    return made


def scored(runs: Any, navigation: Any, **options: Any) -> EvaluationResult:
    given = {"measures": "PRUM", "collection_size": 40, **options}
    return prum.evaluate(runs, QRELS, navigation=navigation, **given)


@pytest.fixture(scope="module")
def result(runs: Any, fit: StepPosterior) -> EvaluationResult:
    return scored(runs, fit, measures="PRUM,AP")


def halves(result: EvaluationResult) -> dict[str, SimpleNamespace]:
    """Return halves of intervals by topics, navigation and both, of systems, then of pairs."""
    assert result.uncertainty is not None
    rows = result.uncertainty.rows(result.scores, result.decision)
    return {row.pop(""): SimpleNamespace(**row) for row in rows}


@pytest.mark.parametrize(("num", "within"), [(16, 0.55), pytest.param(200, 0.2, marks=slow)])
def test_navigation_errs_as_draws_of_the_posterior_do(
    runs: Any, fit: StepPosterior, num: int, within: float
) -> None:
    """The error of a deviation is its 1 / sqrt(2 num); means are off by Jensen's bias, small."""
    runs = {"a": runs["a"], "c": runs["c"]}
    draws = np.array(
        [scored(runs, walk).scores.means()[:, 0] for walk in fit.sample_posterior(num, 3)]
    )
    result = scored(runs, fit)
    assert result.uncertainty is not None
    for system, contrast in enumerate(np.eye(2)):
        error = result.uncertainty.error_of(contrast)
        assert draws[:, system].std() == pytest.approx(error, rel=within)
        assert abs(draws[:, system].mean() - result.scores.mean(system, 0)[0]) < 0.5 * error
    each = [result.uncertainty.error_of(contrast) for contrast in np.eye(2)]
    apart = result.uncertainty.error_of(np.array([1.0, -1.0]))
    assert (draws[:, 0] - draws[:, 1]).std() == pytest.approx(apart, rel=within)
    # Lists that share most elements err together: less apart than if each erred by itself.
    assert apart < 0.7 * math.hypot(*each)


def test_parts_of_intervals(result: EvaluationResult) -> None:
    """Halves by topics, navigation and both; more topics do not lessen that of navigation."""
    errors, scores, split = result.uncertainty, result.scores, halves(result)
    assert errors is not None
    factor = float(t.ppf(0.975, len(QRELS) - 1))
    for number, (system, values) in enumerate(zip(scores.systems, scores.of(0), strict=True)):
        row, navigation = split[system], errors.error_of(np.eye(3)[number])
        assert row.topics == pytest.approx(factor * values.std(ddof=1) / len(values) ** 0.5)
        assert row.navigation == pytest.approx(factor * navigation)
        each = errors.deviations[number, :, 0].mean()
        assert each >= navigation > each / len(QRELS) ** 0.5
    for pair in result.decision.pairs:
        row = split[f"{pair.system} − {pair.other}"]
        assert row.topics == pytest.approx((pair.high - pair.low) / 2)
        places = map(result.decision.systems.index, (pair.system, pair.other))
        critical = result.decision.compared.of(*places).critical
        first, second = (np.eye(3)[scores.systems.index(x)] for x in (pair.system, pair.other))
        assert row.navigation == pytest.approx(critical * errors.error_of(first - second))
    for row in split.values():
        assert row.both == pytest.approx(math.hypot(row.topics, row.navigation))


def test_what_navigation_has_no_part_in(runs: Any, fit: StepPosterior) -> None:
    assert scored(runs, fit, measures="AP").uncertainty is None
    assert scored(runs, fit.navigation).uncertainty is None


@pytest.mark.parametrize(
    ("measure", "is_told"), [("ExactPRUM", True), ("PRUM", False), ("AP", False)]
)
def test_navigation_that_counts_as_known_is_told(
    runs: Any, fit: StepPosterior, measure: str, is_told: bool
) -> None:
    """Of a walk ExactPRUM has no slopes: intervals without navigation's part say so."""
    result = scored(runs, fit, measures=measure)
    assert any("counts as known, and" in note for note in result.notes) == is_told
    assert any("counts as known, and" in note for note in result.view().notes) == is_told
    assert (result.taken_as_known == (measure,)) == is_told
    # Verdicts count topics alone, whatever is said beside them of navigation.
    assert ("learned navigation as known" in result.view().headline) == (measure != "AP")
    assert scored(runs, fit.navigation, measures=measure).taken_as_known == ()
    walk, visits = fit.navigation, Independent(fit.to_links())
    cases: list[tuple[str, Navigation, str | None]] = [
        ("PRUM", walk, "prum"),
        ("PRUM@0.5", Browsing(walk, fading=0.9), "prum"),
        ("PRUM(counts=normal)", walk, None),
        ("PRUM(navigation=independent)", walk, None),
        ("ExactPRUM", walk, None),
        ("ExactPRUM", visits, "exact"),
        ("ExactPRUM", Browsing(visits, need=[1.0, 0.5]), None),
        ("nDCG", visits, None),
    ]
    for measure, navigation, wanted in cases:
        assert value_that_answers(measure_of(measure), navigation) == wanted


@pytest.mark.parametrize("measure", ["PRUM@r=2", "PRUM@0.5", "PRUM@1"])
def test_precision_at_recall(runs: Any, fit: StepPosterior, measure: str) -> None:
    result = scored({"a": runs["a"]}, fit, measures=measure)
    task = Task(runs["a"]["q0"], list(QRELS["q0"]), 40)
    precision = prum_of(task, fit.navigation).precision
    score = result.scores.values[0, 0, 0]
    r = 1 + int(np.flatnonzero(precision == score)[0])
    error = fit.variances(row_slopes(task, fit.navigation, r)).sum() ** 0.5
    assert result.uncertainty is not None
    assert result.uncertainty.deviations[0, 0, 0] == pytest.approx(error)


def test_one_topic_and_one_system(runs: Any, fit: StepPosterior) -> None:
    result = prum.evaluate(
        {"a": {"q0": runs["a"]["q0"]}},
        {"q0": QRELS["q0"]},
        navigation=fit,
        measures="PRUM",
        collection_size=40,
    )
    (row,) = halves(result).values()
    assert math.isnan(row.topics)
    assert row.both == row.navigation > 0


def test_topics_too_few_to_be_resampled_leave_everything_open(
    runs: Any, fit: StepPosterior
) -> None:
    few = {topic: QRELS[topic] for topic in list(QRELS)[:4]}
    result = prum.evaluate(runs, few, navigation=fit, measures="PRUM", collection_size=40)
    assert [row.both for name, row in halves(result).items() if "−" in name] == [math.inf] * 2
    assert not any("nan" in x for table in result.view().tables for row in table.rows for x in row)


def test_what_is_written(result: EvaluationResult) -> None:
    content = json.loads(result.to_json())["uncertainty"]
    assert (content["source"], content["sessions"]) == ("navigation", 120)
    assert {row[""] for row in content["rows"][:3]} == {"a", "b", "c"}
    frame = result.to_frame()
    browsed = frame["measure"] == "PRUM"
    assert (frame.loc[browsed, "navigation_error"] > 0).all()
    assert frame.loc[~browsed, "navigation_error"].isna().all()
    tables = [table.label for table in result.view().tables]
    assert tables[1].startswith("Where the uncertainty comes from: halves of 95 % intervals by 8")


# Worlds and logs from the law that the fit begins with: posterior intervals cover by right.
TASK = Task(NAMES[:5], [NAMES[9], NAMES[14], NAMES[20]], 40)


def coverage(num_worlds: int, seed: int, share: float = 1.0) -> int:
    """Return how many intervals of PRUM by navigation alone cover PRUM by the true walk."""
    rng = np.random.default_rng(seed)
    covered = 0
    for _ in range(num_worlds):
        walk = flat_walk(len(NAMES), 3, rng)
        fit = learned(walk, 400, rng)
        error = (share * fit.variances(row_slopes(TASK, fit.navigation)).sum()) ** 0.5
        off = prum_of(TASK, fit.navigation).average - prum_of(TASK, walk).average
        covered += abs(off) < 1.96 * error
    return covered


def bounds(num: int) -> tuple[float, float]:
    """Return between what a binomial number of `num` and .95 lies but for one time in 10^4."""
    return float(binom.ppf(5e-5, num, 0.95)), float(binom.ppf(1 - 5e-5, num, 0.95))


@slow
def test_intervals_by_navigation_cover_quickly() -> None:
    """60 worlds; with a quarter of the variance the same test fails."""
    low, high = bounds(60)
    assert low <= coverage(60, 1) <= high
    assert coverage(60, 1, 0.25) < low


@slow
def test_intervals_by_navigation_cover() -> None:
    """200 worlds; with the variance halved the same test fails."""
    low, high = bounds(200)
    assert low <= coverage(200, 2) <= high
    assert coverage(200, 2, 0.5) < low
