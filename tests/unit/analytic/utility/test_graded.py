"""GAP, NCU and EBU: as printed, by users who decide one by one, and by what they reduce to."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from prum.analytic.ranked import average_precision
from prum.analytic.utility.graded import (
    browsing_utility,
    cumulated_utility,
    graded_average_precision,
)
from prum.simulator.model import InputError

SEEDS = range(12)


def lists(seed: int) -> tuple[list[int], list[int], list[Fraction]]:
    """Return grades by rank, of all judged elements, and the probabilities of thresholds."""
    rng = np.random.default_rng(seed)
    judged = [*rng.integers(0, 4, 7).tolist(), 1, 3]
    ranked = rng.permutation(judged)[:6].tolist()
    parts = rng.integers(1, 9, 3).tolist()
    return ranked, judged, [Fraction(part, sum(parts)) for part in parts]


@pytest.mark.parametrize("seed", SEEDS)
def test_gap_as_printed_is_a_sum_over_pairs(seed: int) -> None:
    """Of all pairs m <= n: delta = g_1 + .. + g_min(i_m, i_n), over n; over the same of all."""
    ranked, judged, g = lists(seed)

    def to(grade: int) -> Fraction:
        return sum(g[:grade], start=Fraction(0))

    pairs = sum(
        to(min(ranked[m], ranked[n])) / (n + 1) for n in range(len(ranked)) for m in range(n + 1)
    )
    wanted = Fraction(pairs) / sum(map(to, judged), start=Fraction(0))
    shares = list(map(float, g))
    assert graded_average_precision(ranked, judged, shares) == pytest.approx(float(wanted))
    others = graded_average_precision(ranked, judged, shares[::-1])
    assert (others == pytest.approx(float(wanted))) == (g[0] == g[2])


@pytest.mark.parametrize("seed", SEEDS)
def test_of_one_grade_all_are_average_precision(seed: int) -> None:
    ranked, judged, _ = lists(seed)
    names = [f"{n}" for n in range(len(ranked))]
    ideals = [name for name, grade in zip(names, ranked, strict=True) if grade]
    behind = [f"u{n}" for n in range(sum(x > 0 for x in judged) - len(ideals))]
    wanted = average_precision(names, [*ideals, *behind])
    binary, known = np.sign(ranked), np.sign(judged)
    assert graded_average_precision(binary, known, [1]) == pytest.approx(wanted)
    of_users = cumulated_utility(ranked, judged, stop="uniform", ratio="precision")
    assert of_users == pytest.approx(wanted)
    assert cumulated_utility(ranked, judged, stop="uniform", beta=0) == pytest.approx(wanted)
    assert cumulated_utility(binary, known, ratio="precision") == pytest.approx(wanted)
    by_rank = cumulated_utility(binary, known, stop="rank-biased", gamma=1, ratio="precision")
    assert by_rank == pytest.approx(wanted)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("stop", ["uniform", "graded", "rank-biased"])
def test_users_stop_at_one_relevant_element_each(seed: int, stop: str) -> None:
    """All users together, in exact fractions: who stops where, and what they have by then."""
    ranked, judged, _ = lists(seed)
    beta, gamma = Fraction(3, 2), Fraction(3, 4)
    best = sorted((grade for grade in judged if grade), reverse=True)
    weights = {
        "uniform": [Fraction(1)] * len(best),
        "rank-biased": [gamma**n for n in range(len(best))],
    }
    total = Fraction(sum(best)) if stop == "graded" else sum(weights[stop], start=Fraction(0))
    met, gain, wanted = 0, 0, Fraction(0)
    for k, grade in enumerate(ranked, start=1):
        if not grade:
            continue
        met, gain = met + 1, gain + grade
        share = Fraction(grade) if stop == "graded" else weights[stop][met - 1]
        ratio = (met + beta * gain) / (k + beta * sum(best[:k]))
        wanted += share / total * ratio
    found = cumulated_utility(ranked, judged, stop=stop, beta=1.5, gamma=0.75)  # type: ignore[arg-type]
    assert found == pytest.approx(float(wanted))
    assert cumulated_utility(best, judged, stop=stop, gamma=0.5) == pytest.approx(1)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", SEEDS)
def test_users_click_and_leave(seed: int) -> None:
    """Over all patterns of clicks and departures, each with its probability."""
    rng = np.random.default_rng(seed)
    relevance = rng.integers(0, 3, 4) / 2
    click, leave = rng.random(2), rng.random(2)
    clicked = click[0] + relevance * (click[1] - click[0])
    left = leave[0] + relevance * (leave[1] - leave[0])
    wanted = 0.0
    for acts in product(("pass", "stay", "leave"), repeat=4):
        chance, gained, here = 1.0, 0.0, True
        for k, act in enumerate(acts):
            of = {"pass": 1 - clicked[k], "stay": clicked[k] * (1 - left[k])}
            chance *= of.get(act, clicked[k] * left[k])
            gained += relevance[k] * (act != "pass") * here
            here = here and act != "leave"
        wanted += chance * gained
    found = browsing_utility(relevance, click=tuple(click), leave=tuple(leave))
    assert found == pytest.approx(wanted)
    others = browsing_utility(relevance, click=tuple(click), leave=tuple(0.9 * leave))
    assert others != pytest.approx(wanted) or not relevance[1:].any()


def test_what_is_cut_off_and_what_is_empty() -> None:
    assert graded_average_precision([1, 2, 2], [1, 2, 2], [1, 1], cutoff=1) == pytest.approx(1 / 5)
    assert cumulated_utility([2, 1], [2, 1], cutoff=1) == pytest.approx(2 / 3)
    assert browsing_utility([1, 1], click=(0, 1), leave=(0, 0), cutoff=1) == 1
    assert graded_average_precision([], [1], [1]) == cumulated_utility([], [1]) == 0
    assert browsing_utility([], click=(0, 1), leave=(0, 0)) == 0
    assert cumulated_utility([0, 1, 0, 0], [1], ratio="blended") == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: graded_average_precision([1], [0], [1]), "must content some user"),
        (lambda: graded_average_precision([1], [1], [-1]), "threshold is -1"),
        (lambda: graded_average_precision([-1], [1], [1]), "ranked grade is -1"),
        (lambda: cumulated_utility([1], [0]), "must not all be 0"),
        (lambda: cumulated_utility([1], [1], stop="never"), "stop is 'never'"),
        (lambda: cumulated_utility([1], [1], ratio="none"), "ratio is 'none'"),
        (lambda: cumulated_utility([1], [1], stop="rank-biased", gamma=1.5), "gamma is 1.5"),
        (lambda: browsing_utility([2], click=(0, 1), leave=(0, 1)), "relevance is 2"),
        (lambda: browsing_utility([1], click=(0, 2), leave=(0, 1)), "click is 2"),
    ],
)
def test_bad_input(call, told):  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=told):
        call()
