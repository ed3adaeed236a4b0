"""ADM from samples of judged documents, by enumeration; pools of judgements."""

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest

from prum.analytic.adm.measures import (
    adm,
)
from prum.analytic.adm.sampling import (
    HansenHurwitz,
    HorvitzThompson,
    RetrievedOnly,
    SampleDesign,
    SimpleRandom,
    inclusion_of,
)
from prum.analytic.adm.strata import Stratified, allocation
from tests.unit.analytic.adm.test_distance import estimates

# --- samples ------------------------------------------------------------------------------------


RISING = np.array([0.1, 0.2, 0.3, 0.6, 0.5, 0.9, 0.7, 0.8])
WEIGHTS = estimates(4, 4)[0] + 0.1
PI = inclusion_of(estimates(4, 6)[0] + 0.1, 3.5)
# A seed of URE, a design, and all that it may draw, each with its chance, up to a factor.
DESIGNS: dict[str, tuple[int, SampleDesign, list[tuple[Sequence[int], float]]]] = {
    "random": (
        3,
        SimpleRandom(estimates(3, 7)[0], 3, size=10),
        [(some, 1) for some in combinations(range(7), 3)],
    ),
    "strata": (
        2,
        Stratified(RISING, [0.4], [2, 3], size=11),
        [
            ([*low, *high], 1)
            for low in combinations(range(3), 2)
            for high in combinations(range(3, 8), 3)
        ],
    ),
    "with replacement": (
        4,
        HansenHurwitz(estimates(4, 4)[0], WEIGHTS, 3, size=6),
        [(some, WEIGHTS[list(some)].prod()) for some in product(range(4), repeat=3)],
    ),
    "independent inclusion": (
        4,
        HorvitzThompson(estimates(4, 6)[0], PI, size=9),
        [
            (np.flatnonzero(mask).tolist(), np.where(mask, PI, 1 - PI).prod())
            for mask in product([False, True], repeat=6)
        ],
    ),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_estimates_are_unbiased_by_enumeration(name: str) -> None:
    """Mean and variance of the estimate, and the mean of its estimated variance."""
    seed, design, drawn = DESIGNS[name]
    sre = np.asarray(design.sre)
    ure = estimates(seed, len(sre))[1]
    numbers = [np.array(some, dtype=np.int64) for some, _ in drawn]
    chance = np.array([weight for _, weight in drawn])
    chance = chance / chance.sum()
    found = [design.estimate(some, ure[some]) for some in numbers]
    values, squares = (
        np.array(column) for column in zip(*((x.adm, x.error**2) for x in found), strict=True)
    )
    assert chance @ values == pytest.approx(adm(sre, ure, size=design.size))
    assert chance @ (values - chance @ values) ** 2 == pytest.approx(design.variance(ure))
    assert chance @ squares == pytest.approx(design.variance(ure))


def test_what_is_retrieved_is_biased() -> None:
    sre, ure = estimates(0)
    design = RetrievedOnly(sre, 4, size=30)
    top = design.judged
    assert sre[top].min() >= np.delete(sre, top).max()
    found = design.estimate(top[::-1], ure[top[::-1]])
    assert np.isnan(found.error)
    assert found.adm - adm(sre, ure, size=30) == pytest.approx(design.bias(ure))
    assert RetrievedOnly(sre, len(sre)).bias(ure) == pytest.approx(0)


def test_all_judged_is_certain() -> None:
    sre, ure = estimates(0)
    everything = np.arange(len(sre))
    for design in (
        SimpleRandom(sre, len(sre)),
        Stratified(sre, [0.5], np.bincount(sre >= 0.5)),
        HorvitzThompson(sre, np.ones(len(sre))),
    ):
        found = design.estimate(everything, ure)
        assert (found.adm, found.error) == (pytest.approx(adm(sre, ure)), 0)
        assert design.variance(ure) == 0


def test_one_document_does_not_tell() -> None:
    sre, ure = [0.1, 0.2, 0.9], [0.5, 0.5, 0.5]
    designs = (SimpleRandom(sre, 1), HansenHurwitz(sre, sre, 1))
    assert all(np.isnan(design.estimate([0], ure[:1]).error) for design in designs)
    assert np.isnan(Stratified(sre, [0.5], [1, 1]).estimate([0, 2], ure[:2]).error)


@pytest.mark.parametrize(
    "spreads",
    [[1, 1, 1], [0.3, 0.1, 0.05], [0, 0.2, 0.1], [0, 0, 0], [0.5, 0.5, 0.7], [0.8, 0.9, 0.3]],
)
def test_no_allocation_is_better(spreads: list[float]) -> None:
    sizes, number = np.array([3, 8, 6]), 9
    weights = (sizes * np.array(spreads)) ** 2
    least = min(
        float((weights / drawn).sum())
        for drawn in product(*(range(1, size + 1) for size in sizes))
        if sum(drawn) == number
    )
    drawn = allocation(sizes, number, spreads)
    assert drawn.sum() == number
    assert (drawn <= sizes).all()
    assert float((weights / drawn).sum()) == pytest.approx(least)


def test_inclusion_keeps_its_sum() -> None:
    pi = inclusion_of([1, 2, 3, 50, 40], 3)
    assert pi.sum() == pytest.approx(3)
    assert pi.tolist() == pytest.approx([1 / 6, 1 / 3, 1 / 2, 1, 1])
    assert inclusion_of([1, 9], 2).tolist() == [1, 1]
