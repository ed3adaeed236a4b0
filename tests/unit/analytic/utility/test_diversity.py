"""Novelty and diversity: worked numbers, the TREC Web track's program, best rankings of a few."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from prum.analytic.utility.diversity import (
    fresh_gains,
    geometric,
    greedy,
    intent_aware,
    novelty,
    subtopic_recall,
)
from prum.analytic.utility.laws import StoppingLaw, stopping
from prum.analytic.utility.measures import accumulate
from prum.simulator.model import InputError

Floats = NDArray[np.float64]
alpha_ndcg = partial(novelty, "DCG", over="greedy")


def judged(seed: int, num_intents: int = 3, num_documents: int = 7) -> Floats:
    rng = np.random.default_rng(seed)
    relevance = (rng.random((num_intents, num_documents)) < 0.4).astype(float)
    relevance[np.arange(num_intents), rng.integers(0, num_documents, num_intents)] = 1
    return relevance


def alpha_dcg(relevance: Floats, order: Iterable[int], alpha: float) -> float:
    """By definition: gain sum_i rel_i (1 - alpha)^(times seen) at each rank, over log2(k + 1)."""
    times, total = np.zeros(len(relevance)), 0.0
    for rank, document in enumerate(order, start=1):
        total += float(relevance[:, document] @ (1 - alpha) ** times) / np.log2(rank + 1)
        times += relevance[:, document]
    return total


# --- other programs -----------------------------------------------------------------------------


def ndeval(
    relevance: Floats,
    order: list[int],
    measures: list[str],
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> dict[str, float]:
    pyndeval: Any = pytest.importorskip("pyndeval")
    qrels = [
        pyndeval.SubtopicQrel("1", str(i + 1), f"d{k:02}", 1)
        for i, k in zip(*np.nonzero(relevance), strict=True)
    ]
    run = [pyndeval.ScoredDoc("1", f"d{k:02}", -float(rank)) for rank, k in enumerate(order)]
    settings = {"measures": measures, "alpha": alpha, "beta": beta}
    found: dict[str, float] = pyndeval.ndeval(qrels, run, **settings)["1"]
    return found


NOVELTY: dict[str, dict[str, Any]] = {
    "alpha-DCG": {"discount": "DCG", "over": "possible"},
    "alpha-nDCG": {"discount": "DCG", "over": "greedy"},
    "ERR-IA": {"discount": "RR", "over": "possible"},
    "nERR-IA": {"discount": "RR", "over": "greedy"},
    "NRBP": {"discount": "RBP", "over": "possible"},
    "nNRBP": {"discount": "RBP", "over": "greedy"},
}


@pytest.mark.parametrize("name", NOVELTY)
@given(
    seed=st.integers(0, 1000),
    alpha=st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0]),
    beta=st.sampled_from([0.1, 0.5, 0.8]),
    length=st.integers(1, 14),
)
def test_all_of_the_web_tracks_program(
    name: str, seed: int, alpha: float, beta: float, length: int
) -> None:
    relevance = judged(seed, num_intents=4, num_documents=14)
    order = np.random.default_rng([seed, 1]).permutation(14)[:length].tolist()
    for cutoff in (None,) if "RBP" in name else (1, 3, 10, 20):
        written = name if cutoff is None else f"{name}@{cutoff}"
        theirs = ndeval(relevance, order, [written], alpha=alpha, beta=beta)[written]
        if cutoff == 1 and NOVELTY[name]["over"] == "possible":
            theirs /= len(relevance)  # it forgets to
        ours = novelty(
            ranked=relevance[:, order],
            judged=relevance[:, ::-1],
            cutoff=cutoff,
            alpha=alpha,
            beta=beta,
            **NOVELTY[name],
        )
        assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_subtopic_recall_and_the_means_over_intents(seed: int) -> None:
    relevance = judged(seed, num_intents=4, num_documents=14)
    order = np.random.default_rng([seed, 1]).permutation(14)[:6].tolist()
    theirs = ndeval(relevance, order, ["strec@3", "MAP-IA", "P-IA@3"])
    ranked, each = relevance[:, order], np.full(4, 0.25)
    assert subtopic_recall(ranked, cutoff=3) == theirs["strec@3"]
    laws = [
        stopping("AP", row, int(pool.sum())) for row, pool in zip(ranked, relevance, strict=True)
    ]
    ours = intent_aware("M4", laws, ranked, each)
    assert ours == pytest.approx(theirs["MAP-IA"], abs=1e-12)
    assert ranked[:, :3].mean() == pytest.approx(theirs["P-IA@3"], abs=1e-12)


@pytest.mark.parametrize(("discount", "law"), [("DCG", "DCG"), ("RR", "RR"), ("RBP", "RBP")])
def test_novelty_by_definition(discount: str, law: str) -> None:
    """Counted document by document, and possible gains summed far."""
    relevance, alpha, beta = judged(5), 0.3, 0.7
    by_rank = {
        "DCG": lambda k: 1 / np.log2(k + 1),
        "RR": lambda k: 1 / k,
        "RBP": lambda k: beta ** (k - 1),
    }[law]
    total, times = 0.0, np.zeros(3)
    for k in range(1, 8):
        total += by_rank(k) * float(relevance[:, k - 1] @ (1 - alpha) ** times)
        times += relevance[:, k - 1]
    settings = {"alpha": alpha, "beta": beta}
    assert novelty(discount, relevance, **settings) == pytest.approx(total)
    most = 3 * sum(by_rank(k) * (1 - alpha) ** (k - 1) for k in range(1, 301))
    cutoff = None if law == "RBP" else 300
    share = novelty(discount, relevance, over="possible", cutoff=cutoff, **settings)
    assert share == pytest.approx(total / most)


def test_nothing_is_gained_by_an_empty_list() -> None:
    nothing = np.zeros((2, 0))
    assert novelty("DCG", nothing, [[1], [1]], over="greedy") == 0
    assert novelty("RBP", nothing, over="possible") == 0
    assert subtopic_recall(nothing) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"discount": "ERR"}, "discount is 'ERR', must be one of RBP, DCG, RR"),
        ({"over": "possible"}, 'cutoff must be given for DCG over "possible"'),
        ({"over": "best"}, "over is 'best'"),
        ({"over": "greedy"}, "judged"),
        ({"cutoff": 0}, "cutoff is 0"),
        ({"discount": "RBP", "beta": 1}, "beta is 1"),
        ({"alpha": 2}, "alpha is 2"),
    ],
)
def test_mistakes_of_novelty(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        novelty(**{"discount": "DCG", "ranked": [[1, 0]], **settings})


def test_the_web_tracks_program_breaks_ties_by_descending_id() -> None:
    """Of equal gains its ideal ranking takes the last id; which one is taken tells afterwards."""
    differ = 0
    for seed in range(20):
        relevance = judged(seed, num_intents=4, num_documents=14)
        order = np.random.default_rng([seed, 1]).permutation(14).tolist()
        theirs = ndeval(relevance, order, ["alpha-nDCG@10"])["alpha-nDCG@10"]
        ranked = relevance[:, order]
        assert alpha_ndcg(ranked, relevance[:, ::-1], cutoff=10) == pytest.approx(theirs, abs=1e-12)
        differ += abs(alpha_ndcg(ranked, relevance, cutoff=10) - theirs) > 1e-6
    assert differ > 0


# --- alpha-nDCG ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
def test_alpha_ndcg_by_definition(seed: int, alpha: float) -> None:
    relevance = judged(seed)
    best = greedy(relevance, alpha)
    order = np.random.default_rng([seed, 2]).permutation(7)[:5]
    expected = alpha_dcg(relevance, order, alpha) / alpha_dcg(relevance, best, alpha)
    assert alpha_ndcg(relevance[:, order], relevance, alpha=alpha) == pytest.approx(expected)


def test_greedy_may_miss_the_best() -> None:
    """d0 shows four intents; d1 and d2 three each, all six together."""
    relevance = np.zeros((6, 3))
    relevance[[0, 1, 3, 4], 0] = 1
    relevance[[0, 1, 2], 1] = 1
    relevance[[3, 4, 5], 2] = 1
    assert greedy(relevance, 1.0).tolist() == [0, 1, 2]
    ranked = relevance[:, [1, 2]]
    assert alpha_ndcg(ranked, relevance, alpha=1.0, cutoff=2) > 0.97
    many = alpha_dcg(relevance, [0, 1], 1.0), alpha_dcg(relevance, [1, 2], 1.0)
    assert many == pytest.approx((4 + 1 / np.log2(3), 3 + 3 / np.log2(3)))
    assert many[1] > many[0]
    assert alpha_ndcg(ranked, relevance, alpha=1.0, cutoff=2) == pytest.approx(many[1] / many[0])


def test_nothing_relevant() -> None:
    assert alpha_ndcg([[0, 0]], [[0, 0]]) == 0


# --- intents and redundancy -----------------------------------------------------------------------


def test_redundancy_as_a_law() -> None:
    law = stopping("RR", n=3)
    assert fresh_gains([1, 1, 0, 1], law) == pytest.approx([1, 1 / 2, 0, 1 / 3])
    assert fresh_gains([1, 1], StoppingLaw.of([1, 0])).tolist() == [1, 0]
    same = fresh_gains([[0.5, 1]], geometric(0))
    assert same.tolist() == [[0.5, 1.0]]
    assert fresh_gains([0, 0], geometric(0.5)).tolist() == [0, 0]


def test_one_law_for_all_intents() -> None:
    relevance, law = judged(5), stopping("DCG", n=7)
    one = intent_aware("M2", law, relevance, [0.2, 0.3, 0.5])
    assert one == pytest.approx(accumulate("M2", law, np.array([0.2, 0.3, 0.5]) @ relevance))


# --- input --------------------------------------------------------------------------------------

ONE = stopping("RR", n=2)


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ([0.5, 0.4], "probabilities is [0.5, 0.4], must be nonnegative with sum 1"),
        ([1.5, -0.5], "must be nonnegative with sum 1"),
        ([np.nan, 1], "must be nonnegative with sum 1"),
        ([1], "probabilities is (1,), must have shape (2,)"),
    ],
)
def test_probabilities_that_are_none(shares: list[float], told: str) -> None:
    with pytest.raises(InputError) as caught:
        intent_aware("M1", ONE, [[1, 0], [0, 1]], shares)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: intent_aware("M1", [ONE], [[1, 0], [0, 1]], [0.5, 0.5]),
        lambda: intent_aware("M1", ONE, [1, 0], [1]),
        lambda: fresh_gains([1, 1, 1], ONE),
        lambda: fresh_gains([1, 1], lambda r: r / 2),
        lambda: fresh_gains([1, 1], lambda _: [1]),
        lambda: fresh_gains([-1], geometric(0.5)),
        lambda: geometric(1.5),
        lambda: alpha_ndcg([[0.5]], [[1]]),
        lambda: alpha_ndcg([[1]], [[1], [0]]),
        lambda: alpha_ndcg([[1]], [[1]], cutoff=0),
    ],
)
def test_bad_input(bad: Any) -> None:
    with pytest.raises(InputError):
        bad()
