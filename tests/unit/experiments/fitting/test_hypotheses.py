"""Hypotheses about links, compared by evidence."""

import numpy as np
import pytest

from prum.experiments.fitting import WalkEstimator, evidence
from prum.experiments.logs import step_counts
from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import InputError, Links

WEIGHTS = {("a", "b"): 0.7, ("a", "c"): 0.2, ("a", "d"): 0.1, ("b", "a"): 0.3, ("b", "c"): 0.9}


def moves(weights: dict[tuple[str, str], float], num: int, seed: int) -> Sessions:
    rng = np.random.default_rng(seed)
    sessions = list[list[str]]()
    for source in ("a", "b"):
        targets = [y for x, y in weights if x == source]
        shares = np.array([weights[source, y] for y in targets])
        chosen = rng.choice(len(targets), num, p=shares / shares.sum())
        sessions += [[source, targets[place]] for place in chosen]
    return Sessions.of(sessions)


def test_the_more_the_truth_is_believed_the_more_probable_the_log() -> None:
    counts = step_counts([moves(WEIGHTS, 300, seed=1)], Links(WEIGHTS))
    wrong = Links({pair: 1 - p for pair, p in WEIGHTS.items()})
    rows = evidence(counts, {"truth": Links(WEIGHTS), "wrong": wrong})
    by_name = {
        name: [row.log_evidence for row in rows if row.hypothesis == name]
        for name in ("truth", "wrong")
    }
    assert by_name["truth"] == sorted(by_name["truth"])
    assert by_name["wrong"] == sorted(by_name["wrong"], reverse=True)
    assert by_name["truth"][-1] > by_name["wrong"][-1] + 50


def test_without_belief_all_hypotheses_are_alike() -> None:
    counts = step_counts([moves(WEIGHTS, 50, seed=2)], Links(WEIGHTS))
    silent = Links({("q", "r"): 1.0})  # says nothing of these links
    rows = evidence(counts, {"truth": Links(WEIGHTS), "silent": silent}, [0.0])
    assert rows[0].log_evidence == rows[1].log_evidence
    later = evidence(counts, {"silent": silent}, [1000.0])
    assert later[0].log_evidence == rows[0].log_evidence


def test_a_right_hypothesis_of_ones_own_is_the_best_base() -> None:
    learned, links = moves(WEIGHTS, 10, seed=3), Links(dict.fromkeys(WEIGHTS, 1.0))
    held_out = moves(WEIGHTS, 500, seed=4)
    own = WalkEstimator(base=Links(WEIGHTS)).fit(learned, links)
    plain = WalkEstimator(base="uniform").fit(learned, links)
    assert own.choices.log_evidence > plain.choices.log_evidence
    assert own.score(held_out) < plain.score(held_out)


def test_a_negative_concentration_is_refused() -> None:
    counts = step_counts([moves(WEIGHTS, 5, seed=5)], Links(WEIGHTS))
    with pytest.raises(InputError, match="concentration is -1, must be at least 0; try 100"):
        evidence(counts, {"truth": Links(WEIGHTS)}, [-1])
