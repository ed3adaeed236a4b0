"""Uncertainty of topics and of a learned navigation: against draws, by hand, and what is said."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import prum
from prum.analytic import prum_of, row_slopes
from prum.experiments.evaluate.result import EvaluationResult
from prum.experiments.evaluate.uncertainty import (
    Uncertainty,
    value_that_answers,
    with_uncertainty,
)
from prum.experiments.frame.view import View
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import Browsing, Independent, Navigation, Task, Walk
from tests.step_posterior import StepPosterior, flat_walk, learned
from tests.tiers import slow

Floats = NDArray[np.float64]

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


def uncertain(result: EvaluationResult) -> Uncertainty:
    assert result.uncertainty is not None
    return result.uncertainty


@pytest.mark.parametrize(("num", "within"), [(40, 0.4), pytest.param(200, 0.2, marks=slow)])
def test_navigation_errs_as_draws_of_the_posterior_do(
    runs: Any, fit: StepPosterior, num: int, within: float
) -> None:
    """The error of a deviation is its 1 / sqrt(2 num); means are off by Jensen's bias, small."""
    runs = {"a": runs["a"], "c": runs["c"]}
    draws = np.array(
        [scored(runs, walk).scores.means()[:, 0] for walk in fit.sample_posterior(num, 3)]
    )
    split = uncertain(scored(runs, fit))
    for system, mean in enumerate(split.means):
        assert draws[:, system].std() == pytest.approx(mean.navigation, rel=within)
        assert abs(draws[:, system].mean() - mean.mean) < 0.5 * mean.navigation
    (pair,) = split.pairs
    assert (draws[:, 0] - draws[:, 1]).std() == pytest.approx(pair.navigation, rel=within)
    # Lists that share most elements err together: less apart than if each erred by itself.
    assert pair.navigation < 0.7 * math.hypot(*(mean.navigation for mean in split.means))


def test_topics_do_not_lessen_what_navigation_leaves_open(
    result: EvaluationResult,
) -> None:
    """The error of a mean by navigation is that of the mean slopes, not one over the root of n."""
    split = uncertain(result)
    for mean, each in zip(split.means, split.errors, strict=True):
        assert each.mean() >= mean.navigation > each.mean() / len(QRELS) ** 0.5


def test_the_interval_holds_both(result: EvaluationResult) -> None:
    from scipy.stats import t

    split, scores = uncertain(result), result.scores.of(0)
    for mean, values in zip(split.means, scores, strict=True):
        assert mean.topics == pytest.approx(values.std(ddof=1) / len(values) ** 0.5)
        half = float(t.ppf(0.975, len(values) - 1)) * math.hypot(mean.topics, mean.navigation)
        assert (mean.low, mean.high) == pytest.approx((mean.mean - half, mean.mean + half))
    for pair, decided in zip(split.pairs, result.decision.pairs, strict=True):
        assert pair.low < decided.low < decided.high < pair.high
        assert pair.known == pytest.approx((decided.high - decided.low) / 2)


def test_sessions_and_topics_that_would_do(runs: Any, fit: StepPosterior) -> None:
    """So many sessions more, and so many topics, leave out 0 by a hair; fewer do not."""
    vague = StepPosterior(fit.links, fit.shapes / 9, fit.stops / 9, fit.visits, fit.num_sessions)
    result = scored({"a": runs["a"], "c": runs["c"]}, vague)
    (pair,) = uncertain(result).pairs
    critical = float(result.decision.compared.compared.critical[0])
    slopes = {
        system: np.mean(
            [
                row_slopes(Task(lists[topic], list(QRELS[topic]), 40), vague.navigation)
                for topic in QRELS
            ],
            axis=0,
        )
        for system, lists in runs.items()
    }
    contrast = slopes[pair.system] - slopes[pair.other]
    assert vague.variances(contrast).sum() ** 0.5 == pytest.approx(pair.navigation)
    if math.isfinite(pair.sessions) and pair.sessions:
        left = vague.variances(contrast, more=pair.sessions / vague.num_sessions).sum()
        half = critical * (pair.topics**2 + left) ** 0.5
        assert half == pytest.approx(abs(pair.difference), rel=1e-3)
    if math.isfinite(pair.topics_needed):
        for topics, enough in ((pair.topics_needed, True), (pair.topics_needed - 1, False)):
            squared = pair.topics**2 * len(QRELS) / topics + pair.navigation**2
            assert (critical * squared**0.5 < abs(pair.difference)) == enough


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
    assert uncertain(result).errors[0, 0] == pytest.approx(error)


def test_one_topic_and_one_system(runs: Any, fit: StepPosterior) -> None:
    result = prum.evaluate(
        {"a": {"q0": runs["a"]["q0"]}},
        {"q0": QRELS["q0"]},
        navigation=fit,
        measures="PRUM",
        collection_size=40,
    )
    (mean,) = uncertain(result).means
    assert math.isnan(mean.topics)
    assert mean.high - mean.mean == pytest.approx(1.96 * mean.navigation, rel=1e-3)
    assert not uncertain(result).pairs


def test_topics_too_few_to_be_resampled_leave_everything_open(
    runs: Any, fit: StepPosterior
) -> None:
    few = {topic: QRELS[topic] for topic in list(QRELS)[:4]}
    result = prum.evaluate(runs, few, navigation=fit, measures="PRUM", collection_size=40)
    for pair in uncertain(result).pairs:
        assert (pair.low, pair.high) == (-math.inf, math.inf)
        assert (pair.sessions, pair.topics_needed, pair.known) == (math.inf,) * 3
    told = result.view()
    assert any("cannot be resampled: too few topics" in sentence for sentence in told.sentences)
    assert not any("nan" in cell for table in told.tables for row in table.rows for cell in row)


def test_what_is_written(result: EvaluationResult) -> None:
    content = json.loads(result.to_json())["uncertainty"]
    assert (content["measure"], content["sessions"], content["topics"]) == ("PRUM", 120, 8)
    assert [mean["system"] for mean in content["means"]] == ["a", "b", "c"]
    frame = result.to_frame()
    browsed = frame["measure"] == "PRUM"
    assert (frame.loc[browsed, "navigation_error"] > 0).all()
    assert frame.loc[~browsed, "navigation_error"].isna().all()
    tables = [table.label for table in result.view().tables]
    assert tables[1].startswith("Where the uncertainty comes from: halves of 95 % intervals by 8")


SENTENCES = {
    "apart, with what the log leaves open of navigation": {"sessions": 0.0},
    "about 1,300 sessions more (10.8 times the log) would tell": {"sessions": 1300.0},
    "more than 1,000,000 sessions more": {"sessions": 3e6},
    "topics alone leave ± .30; about 210 topics would, with this log": {"topics_needed": 210.0},
    "topics alone leave ± .30; nor would any number of topics": {},
    "what such a log never shows leaves too much open; nor would": {"known": 0.05},
}


@pytest.mark.parametrize("said", SENTENCES)
def test_sentences(said: str, result: EvaluationResult) -> None:
    split = uncertain(result)
    own = {"sessions": np.inf, "topics_needed": np.inf, "known": 0.3, **SENTENCES[said]}
    given = {"difference": 0.2, "low": -0.1, "high": 0.5, **own}
    pair = SimpleNamespace(**{**vars(split.pairs[0]), **given})
    view = with_uncertainty(
        View("", "", (), (result.view().tables[0],)), replace(split, pairs=(pair,))
    )
    assert said in view.sentences[0]


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
    from scipy.stats import binom

    return float(binom.ppf(5e-5, num, 0.95)), float(binom.ppf(1 - 5e-5, num, 0.95))


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


def test_num_sessions_is_that_of_the_log(fit: StepPosterior) -> None:
    fit = StepPosterior(fit.links, fit.shapes, fit.stops, fit.visits, 7)
    assert fit.num_sessions == 7
    assert isinstance(fit.counts, SimpleNamespace)
    assert isinstance(fit.navigation, Walk)
