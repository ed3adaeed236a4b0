"""Measures of whole orders, against every order of the elements outside the list."""

import math
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest

from prum.analytic.ranked.orders import (
    ndpm,
    normalised_precision,
    normalised_recall,
    sliding_ratio,
)
from prum.simulator.model import InputError

ELEMENTS = tuple("abcdef")


def cases(seed: int) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return lists and ideals among six elements."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(30):
        listed = tuple(rng.permutation(list(ELEMENTS))[: rng.integers(0, 7)].tolist())
        ideals = tuple(rng.permutation(list(ELEMENTS))[: rng.integers(1, 7)].tolist())
        found.append((listed, ideals))
    return found


def orders(listed: tuple[str, ...]) -> list[tuple[str, ...]]:
    rest = [element for element in ELEMENTS if element not in listed]
    return [(*listed, *behind) for behind in permutations(rest)]


@pytest.mark.parametrize(("listed", "ideals"), cases(1))
def test_normalised_recall_is_the_area_between_recall_and_the_best(
    listed: tuple[str, ...], ideals: tuple[str, ...]
) -> None:
    """By its other definition: the share of pairs of an ideal and another in the right order."""
    right = pairs = 0
    for order in orders(listed):
        for x, y in combinations(order, 2):
            if (x in ideals) != (y in ideals):
                pairs += 1
                right += x in ideals
    expected = Fraction(right, pairs) if pairs else Fraction(1)
    unranked = len(ELEMENTS) - len(listed)
    assert normalised_recall(listed, ideals, unranked) == pytest.approx(float(expected))


@pytest.mark.parametrize(("listed", "ideals"), cases(2))
def test_normalised_precision_over_all_orders(
    listed: tuple[str, ...], ideals: tuple[str, ...]
) -> None:
    def loss(order: tuple[str, ...]) -> float:
        return sum(math.log(order.index(ideal) + 1) for ideal in ideals)

    best = loss(ideals)
    worst = loss(tuple(x for x in ELEMENTS if x not in ideals) + ideals)
    mean = float(np.mean([loss(order) for order in orders(listed)]))
    expected = 1 - (mean - best) / (worst - best) if worst > best else 1.0
    unranked = len(ELEMENTS) - len(listed)
    assert normalised_precision(listed, ideals, unranked) == pytest.approx(expected)


def test_a_repeat_is_no_rank_of_its_own() -> None:
    for measure in (normalised_recall, normalised_precision):
        assert measure(["x", "x", "a"], ["a"], 3) == measure(["x", "a"], ["a"], 3)


def test_random_orders_have_one_half() -> None:
    for number in range(1, 6):
        assert normalised_recall((), ELEMENTS[:number], 6) == pytest.approx(0.5)


def test_sliding_ratio_over_the_best_of_all_orders() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        gains = dict(zip(ELEMENTS, rng.integers(0, 4, 6).tolist(), strict=True)) | {"a": 1}
        listed = tuple(rng.permutation(list(ELEMENTS))[:4].tolist())
        for k in range(1, 7):
            best = max(sum(gains[x] for x in order[:k]) for order in permutations(ELEMENTS))
            expected = sum(gains[x] for x in listed[:k]) / best
            assert sliding_ratio(listed, gains, k) == pytest.approx(expected)


def test_ndpm_pair_by_pair() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        grades = {x: int(grade) for x, grade in zip(ELEMENTS, rng.integers(0, 3, 6), strict=True)}
        place = {x: int(rank) for x, rank in zip(ELEMENTS, rng.integers(0, 4, 6), strict=True)}
        ranking = [tuple(x for x in ELEMENTS if place[x] == rank) for rank in range(3)]
        pairs = [(x, y) for x in grades for y in grades if grades[x] > grades[y]]
        if not pairs:
            continue
        wrong = sum(2 * (place[x] > place[y]) + (place[x] == place[y]) for x, y in pairs)
        assert ndpm(ranking, grades) == pytest.approx(wrong / 2 / len(pairs))


def test_what_is_no_input_is_refused() -> None:
    with pytest.raises(InputError, match="preferences is 0, must be at least 1"):
        ndpm(["a"], {"a": 1, "b": 1})
    with pytest.raises(InputError, match="gains is"):
        sliding_ratio(["a"], {"a": 0})
    with pytest.raises(InputError, match="cutoff is 0"):
        sliding_ratio(["a"], {"a": 1}, 0)
    for measure in (normalised_recall, normalised_precision):
        with pytest.raises(InputError, match="unranked"):
            measure(["x"], ["a", "b"], 1)
