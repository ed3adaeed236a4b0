"""The law of choices: its slopes by differences, and what it learns of made choices."""

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from prum.experiments.fitting.choices import _Choices, choice_law
from prum.experiments.fitting.laws import log_evidence
from prum.simulator.model import Links
from prum.simulator.model.arrays import Floats, Ints


def graph(size: int, degree: int, seed: int) -> Links:
    rng = np.random.default_rng(seed)
    names = [f"e{number:03d}" for number in range(size)]
    pairs = [(x, y) for x, y in product(names, names) if x != y]
    chosen = rng.choice(len(pairs), size * degree, replace=False)
    return Links({pairs[row]: 1.0 for row in chosen})


def made_moves(links: Links, logits: Floats, k: float, each: int, seed: int) -> Ints:
    """Return moves of `each` people at every element, whose choices are Dirichlet around logits."""
    rng = np.random.default_rng(seed)
    moves = np.zeros(len(links), dtype=np.int64)
    for begin, end in zip(links.starts[:-1], links.starts[1:], strict=True):
        if begin < end:
            q = np.exp(logits[begin:end])
            theta = rng.dirichlet(k * q / q.sum() + 1e-9)
            moves[begin:end] = rng.multinomial(each, theta)
    return moves


def test_slopes_and_curvature_are_those_of_differences() -> None:
    links = graph(12, 4, seed=1)
    rng = np.random.default_rng(2)
    moves = rng.integers(4, size=len(links)) * (links.sources > 2)
    offset = np.where(np.arange(len(links)) % 11 == 3, -np.inf, rng.normal(size=len(links)))
    moves[~np.isfinite(offset)] = 0
    choices = _Choices(links, moves, offset, rng.normal(size=(len(links), 2)))
    precision = rng.uniform(1, 3, 2 + len(choices.targets) + 2)
    place = rng.normal(size=2 + len(choices.targets) + 2) * 0.5
    place[-2:] = 1.2, 0.4
    slopes = choices.negative(place, precision)[1]
    step = 1e-5
    by_difference, bends = np.zeros((2, len(place)))
    for axis in range(len(place)):
        aside = np.zeros(len(place))
        aside[axis] = step
        above, below = (choices.negative(place + way * aside, precision) for way in (1, -1))
        by_difference[axis] = (above[0] - below[0]) / (2 * step)
        bends[axis] = (above[1][axis] - below[1][axis]) / (2 * step)
    np.testing.assert_allclose(slopes, by_difference, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        choices.curvature(place), bends[2:-2] - precision[2:-2], rtol=1e-5, atol=1e-6
    )


def test_weights_concentration_and_the_spread_of_targets_are_recovered() -> None:
    links = graph(100, 12, seed=3)
    rng = np.random.default_rng(4)
    features = rng.normal(size=(len(links), 2))
    worth = rng.normal(0, 0.7, len(links.elements))
    logits = features @ [0.8, -0.3] + worth[links.targets]
    moves = made_moves(links, logits, 15.0, 60, seed=5)
    offset = np.zeros(len(links))
    law = choice_law(
        links, moves, offset=offset, names=("one", "two"), features=features, by_target=True
    )
    assert law.weights["one"] == pytest.approx(0.8, abs=0.1)
    assert law.weights["two"] == pytest.approx(-0.3, abs=0.1)
    assert law.deviation == pytest.approx(0.7, abs=0.15)
    assert np.median(law.concentrations) == pytest.approx(15, rel=0.25)
    # Evidence prefers what made the moves to each part of it.
    parts = [
        choice_law(links, moves, offset=offset),
        choice_law(links, moves, offset=offset, by_target=True),
        choice_law(links, moves, offset=offset, names=("one", "two"), features=features),
    ]
    assert all(part.log_evidence < law.log_evidence - 50 for part in parts)


def test_features_and_targets_that_mean_nothing_are_not_believed_in() -> None:
    links = graph(100, 12, seed=6)
    noise = np.random.default_rng(7).normal(size=(len(links), 1))
    moves = made_moves(links, np.zeros(len(links)), 15.0, 60, seed=8)
    law = choice_law(
        links, moves, offset=np.zeros(len(links)), names=("noise",), features=noise, by_target=True
    )
    assert abs(law.weights["noise"]) < 0.1
    assert law.deviation < 0.12


def test_the_evidence_of_a_plain_law_is_the_integral_over_its_concentrations() -> None:
    links = graph(20, 4, seed=9)
    moves = made_moves(links, np.zeros(len(links)), 5.0, 20, seed=10)
    law = choice_law(links, moves, offset=np.zeros(len(links)))
    degree = np.maximum(np.diff(links.starts), 1)
    middle = np.log(degree[np.diff(links.starts) > 0]).mean()

    def log_belief(k_0: float, g: float) -> float:
        shapes = (np.exp(k_0 + g * (np.log(degree) - middle)) / degree)[links.sources]
        evidence = log_evidence(moves, shapes, links.sources, len(links.elements)).sum()
        return float(evidence + norm.logpdf(k_0, middle, 1.5) + norm.logpdf(g, 1, 1))

    k, g = np.linspace(-3, 6, 61), np.linspace(-4, 6, 61)
    logs = np.array([[log_belief(x, y) for y in g] for x in k])
    whole = logsumexp(logs) + np.log((k[1] - k[0]) * (g[1] - g[0]))
    assert law.log_evidence == pytest.approx(whole, abs=0.1)
    # The negative control: what is most probable alone, nothing integrated out.
    assert abs(law.log_evidence - logs.max()) > 0.1
    # The draws have the moments of the same law.
    parts = np.exp(logs - logs.max()).sum(axis=1)
    mean = float(parts @ k / parts.sum())
    deviation = float(parts @ (k - mean) ** 2 / parts.sum()) ** 0.5
    element = int(np.abs(np.log(degree) - middle).argmin())
    rows = links.sources == element
    of_element = np.log(law.shapes(links)[:, rows].sum(axis=1))
    assert abs(of_element.mean() - mean) < 0.3 * deviation
    assert of_element.std() == pytest.approx(deviation, rel=0.4)
