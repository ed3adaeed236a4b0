"""Expected scores under uncertain ideals: beside every set of ideals, and simulated ones."""

from typing import Any

import numpy as np
import pytest

from prum.analytic.expected import UncertainIdeals
from prum.analytic.expected.scores import nodes_for, others_pmf
from prum.analytic.precision import poisson_binomial
from prum.experiments.measures.judged import Collection, Judged
from prum.experiments.measures.measure import measure_of
from prum.simulator.model import InputError
from prum.simulator.sampling.measured.judged_sets import JudgedSets, every_set, simulate_sets
from tests.tiers import slow

MEASURES = (
    *("AP", "AP@3", "P@5", "R@4", "RR", "RR@2", "Success@2", "Rprec", "nDCG", "nDCG@3", "Bpref"),
    *('nDCG(dcg="exp-log2")@4', "RBP", "RBP(p=0.5)@3", "DCG", "DCG@2", "ERR", "ERR(theta=0.7)"),
    *('ERR(convention="chapelle")@4', "RBP(theta=0.3)"),
)
COLLECTION = Collection()


def case(seed: int, num: int) -> tuple[Any, Any, Any]:
    """Return probabilities, some of them 0, 1 or equal, who is judged, and a list with repeats."""
    rng = np.random.default_rng(seed)
    p = rng.random(num)
    if seed % 2:
        p[:4] = 0, 1, 0.5, 0.5
    listed = rng.permutation(num)[: num - 2]
    listed[2] = -1
    return p, rng.random(num) < (0.7 if seed % 3 else 1.1), listed


def ordinary(name: str, is_ideal: Any, judged: Any, listed: Any) -> float:
    """Return what a list scores where ideals are known; 0 where there is none."""
    measure = measure_of(name)
    if name == "Bpref":
        is_ideal = is_ideal & judged
    ideals = tuple(f"e{row}" for row in np.flatnonzero(is_ideal))
    if not ideals:
        return 0.0
    grades = {f"e{row}": int(is_ideal[row]) for row in np.flatnonzero(judged | is_ideal)}
    topic = Judged("q", ideals, grades, None, COLLECTION)
    ranking = tuple(f"e{row}" if row >= 0 else "none" for row in listed)
    return measure.curve(topic, ranking).read(measure.name.cutoff)


def differences(seed: int, num: int, shift: float = 0.0) -> dict[str, float]:
    """Return closed forms less the mean over every set of ideals, by measure."""
    p, judged, listed = case(seed, num)
    sets, shares = every_set(p)
    exact = UncertainIdeals(np.clip(p + shift, 0, 1), judged)
    drawn = JudgedSets(sets, judged)
    found = {}
    for name in MEASURES:
        scores = [ordinary(name, is_ideal, judged, listed) for is_ideal in sets]
        np.testing.assert_allclose(measure_of(name).expected(drawn, listed), scores, atol=1e-13)
        closed = measure_of(name).expected(exact, listed)
        found[name] = closed - float(np.dot(scores, shares))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_closed_forms_are_means_over_every_set(seed: int) -> None:
    for name, difference in differences(seed, 5).items():
        assert abs(difference) < 1e-12, name


@slow
@pytest.mark.parametrize("seed", [4, 5])
def test_closed_forms_are_means_over_every_set_of_twelve(seed: int) -> None:
    for name, difference in differences(seed, 12).items():
        assert abs(difference) < 1e-12, name


def test_other_probabilities_have_other_means() -> None:
    for name, difference in differences(0, 5, shift=1e-6).items():
        assert abs(difference) > 1e-9, name


@pytest.mark.parametrize("num", [1, 2, 60, 700])
def test_fewer_nodes_are_as_good_as_all(num: int) -> None:
    rng = np.random.default_rng(num)
    values = np.unique(np.append(rng.random(num - 1), 1.0))
    counts = np.ones(num, dtype=np.int64)
    nodes, weights = nodes_for(values, counts)
    assert len(nodes) <= max(1, -(-num // 2))
    law = poisson_binomial(values)
    inverse = float((law[1:] / np.arange(1, num + 1)).sum())
    generating = np.prod(1 + np.multiply.outer(nodes - 1, values), axis=1)
    assert float(weights @ (generating / nodes)) == pytest.approx(inverse, rel=1e-12)


def test_leaving_one_out_is_the_law_of_the_others() -> None:
    p = np.concatenate([np.random.default_rng(1).random(80), [1.0, 1.0, 1e-9, 0.5]])
    values = np.unique(p)
    first, rows = others_pmf(p, values)
    for value, row in zip(values, rows, strict=True):
        at = int(np.flatnonzero(p == value)[0])
        others = poisson_binomial(np.delete(p, at))
        expected = np.append(others, np.zeros(rows.shape[1]))[first : first + rows.shape[1]]
        np.testing.assert_allclose(row, expected, atol=1e-15)


def z_scores(shift: float, num_sets: int = 20_000) -> list[float]:
    """Return how far simulated judges' means are from closed forms, in standard errors."""
    rng = np.random.default_rng(7)
    p, judged = rng.random(60) ** 3, rng.random(60) < 0.8
    listed = rng.permutation(60)[:40]
    exact = UncertainIdeals(p * (1 - shift), judged)
    drawn = JudgedSets(simulate_sets(p, "q", num_sets=num_sets, seed=1), judged)
    found = []
    for name in MEASURES:
        scores = measure_of(name).expected(drawn, listed)
        error = scores.std(ddof=1) / num_sets**0.5
        found.append((scores.mean() - measure_of(name).expected(exact, listed)) / error)
    return found


# Bonferroni's level .001 of so many.
CRITICAL = 4.25


def test_simulated_judges_agree_with_closed_forms() -> None:
    assert max(map(abs, z_scores(0.0))) < CRITICAL


def test_simulated_judges_reject_other_probabilities() -> None:
    assert max(map(abs, z_scores(0.05))) > CRITICAL


def test_lists_without_anything() -> None:
    topic = UncertainIdeals([0.0, 0.0])
    empty = UncertainIdeals([0.4, 1.0])
    drawn = JudgedSets([[False, False], [True, False]])
    for name in MEASURES:
        of = measure_of(name).expected
        assert of(topic, np.array([0, 1])) == 0
        assert of(empty, np.array([], dtype=np.int64)) == 0
        assert of(drawn, np.array([], dtype=np.int64)).tolist() == [0, 0]


def test_probabilities_as_grades_are_another_number() -> None:
    p = np.array([0.9, 0.5, 0.2, 0.7])
    hits = np.cumsum(p) * p / np.arange(1, 5)
    assert abs(UncertainIdeals(p).average_precision([0, 1, 2, 3]) - hits.sum() / p.sum()) > 0.05


def test_settings_and_cutoffs_without_a_closed_form_have_none() -> None:
    topic, listed = UncertainIdeals([0.5]), np.array([0])
    for name in ("AP@0.5", "AP@r=1", "P(rel=2)@5", "RBP(residual=true)", "PRUM", "xCG@3"):
        assert measure_of(name).expected(topic, listed) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 1.5],), "probability is 1.5, must lie in \\[0, 1\\]"),
        (([np.nan],), "probabilit"),
        (([0.5], [True, False]), "shape of is_judged"),
    ],
)
def test_what_is_no_probability_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        UncertainIdeals(*arguments)
