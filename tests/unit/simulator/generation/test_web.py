"""Made webs: the laws of degrees, of communities, of popular pages, of probabilities."""

import numpy as np
import pytest
from scipy.stats import binomtest

from prum.simulator.generation.blocks import (
    BLOCK,
    Scattering,
    masses,
    ranks_at,
    shared_out,
)
from prum.simulator.generation.draws import Draws
from tests.made_structures import LEVEL, blocks, equal, made, p_of


@pytest.mark.parametrize("following", [0.85, 1.0, 0.001, 0.5000004])
def test_probabilities_are_millionths_that_sum_to_following(following):
    block = made("web", 70_000, following=following).block(0)
    millionths = np.rint(block.probabilities * 1e6)
    distinct, place = np.unique(block.probabilities, return_index=True)
    assert distinct.tolist() == [float(f"{m / 1e6:.6f}") for m in millionths[place]]
    assert (block.probabilities > 0).all()
    sums = np.bincount(block.sources, weights=millionths, minlength=BLOCK)
    assert set(sums[sums > 0]) == {round(following * 1e6)}  # exactly, so never above 1
    assert (sums > 0).mean() > 0.99


def test_shares_are_those_of_squares_of_exponential_numbers():
    units = Draws(1, "shares").units(1000)
    squares = np.log(units) ** 2
    shares = shared_out(np.repeat([3, 9], 500), 0.85, units)
    for half in (slice(0, 500), slice(500, 1000)):
        expected = 850_000 * squares[half] / squares[half].sum()
        assert np.abs(shares[half] - expected).max() < 1 + 500 * expected.max() / 850_000 + 1
    assert shared_out(np.empty(0, dtype=np.int64), 0.85, np.empty(0)).shape == (0,)


def test_links_are_sorted_and_no_page_links_to_itself_or_twice():
    structure = made("web", 70_000, community=4)
    for block in blocks(structure):
        pairs = block.sources * structure.num_elements + block.targets
        assert (np.diff(pairs) > 0).all()
        assert (block.sources != block.targets).all()
        assert ((block.sources >= block.first) & (block.sources < block.first + len(block))).all()
        assert ((block.targets >= 0) & (block.targets < structure.num_elements)).all()


@pytest.mark.parametrize("popularity", [0.0, 0.3, 0.5, 0.9, 0.999, 1.001, 1.5, 2.0, 3.0])
def test_ranks_have_nearly_their_power_law(popularity):
    ranks = np.arange(1.0, 1001)
    law = np.diff(masses(np.arange(0, 1001), popularity)) / (1 - popularity) * ranks**popularity
    assert (law > 1 - 1e-9).all()
    assert law[0] < {1.5: 1.2, 2.0: 1.34, 3.0: 1.78}.get(popularity, 1.1)
    assert (law[1:] - 1 < (law[0] - 1) / 4 + 1e-9).all()
    # The rank where the middle of its mass comes is itself.
    middles = (masses(ranks - 1, popularity) + masses(ranks, popularity)) / 2
    assert np.array_equal(ranks_at(middles, 1000, popularity), ranks - 1)


@pytest.mark.parametrize(
    ("popularity", "choice"), [(0.5, 1.0), (1.5, 1.0), (3.0, 1.0), (0.5, 2.5), (1.5, 1.5)]
)
def test_targets_have_the_law_of_the_dials(popularity, choice):
    n = BLOCK
    dials = {"most_degree": 1, "inside": 0.0, "popularity": popularity, "choice": choice}
    by_page = np.bincount(made("web", n, **dials).block(0).targets, minlength=n)
    by_rank = by_page[Scattering(n, Draws(1, "web", "popularity"))(np.arange(n))]
    edges = np.array([0, 1, 2, 4, 8, 32] + ([1000, 20_000, 50_000] if popularity < 1 else []))
    counts = np.add.reduceat(by_rank, edges)

    def law(exponent, several):
        ends = np.append(edges, n) + 0.5
        share = (ends ** (1 - exponent) - 0.5 ** (1 - exponent)) / (
            (n + 0.5) ** (1 - exponent) - 0.5 ** (1 - exponent)
        )
        return np.diff(1 - (1 - share) ** several)

    assert p_of(counts, law(popularity, choice)) > LEVEL
    # Negative controls.
    assert p_of(counts, law(popularity + 0.1, choice)) < LEVEL
    assert p_of(counts, law(popularity, choice * 1.1)) < LEVEL


def test_popularity_inside_is_that_of_the_community():
    dials = {"most_degree": 1, "community": 10_000, "popularity": 0.5}
    inside = made("web", BLOCK, inside=1.0, popularity_inside=2.0, **dials).block(0)
    other = {**dials, "popularity": 1.7}
    assert equal(inside, made("web", BLOCK, inside=1.0, popularity_inside=2.0, **other).block(0))
    outside = made("web", BLOCK, inside=0.0, **dials).block(0)
    assert equal(outside, made("web", BLOCK, inside=0.0, popularity_inside=2.0, **dials).block(0))
    same = made("web", BLOCK, popularity_inside=0.5, **dials).block(0)
    assert equal(same, made("web", BLOCK, **dials).block(0))
    degrees = np.bincount(inside.targets, minlength=BLOCK)
    firsts = np.unique(inside.places)
    # All pages but itself link to the first rank with two thirds, as the integral has it.
    hits, pages = int(np.maximum.reduceat(degrees, firsts).sum()), BLOCK - len(firsts)
    assert binomtest(hits, pages, 2 / 3).pvalue > LEVEL
    assert binomtest(hits, pages, 0.65).pvalue < LEVEL  # negative control


@pytest.mark.parametrize("n", [1, 2, 3, 100, 1024, 1025, 200_003])
def test_scattering_is_a_bijection(n):
    pages = Scattering(n, Draws(1, "scattering"))(np.arange(n))
    assert np.array_equal(np.sort(pages), np.arange(n))
    if n >= 100:
        assert np.abs(np.corrcoef(np.arange(n), pages)[0, 1]) < 5 / np.sqrt(n)
        assert (pages != Scattering(n, Draws(2, "scattering"))(np.arange(n))).any()


def test_links_into_some_pages():
    structure = made("web", 140_000)
    targets = np.array([0, 7, 65_536, 100_000, 139_999])
    sources, ends, probabilities = structure.links_to(targets)
    expected = {
        (source, target): probability
        for block in blocks(structure)
        for source, target, probability in zip(
            block.sources.tolist(),
            block.targets.tolist(),
            block.probabilities.tolist(),
            strict=True,
        )
        if target in {0, 7, 65_536, 100_000, 139_999}
    }
    found = dict(zip(zip(sources.tolist(), ends.tolist(), strict=True), probabilities, strict=True))
    assert found == expected
    assert len(found) > 10
    assert structure.links_to(np.empty(0, dtype=np.int64))[0].size == 0
