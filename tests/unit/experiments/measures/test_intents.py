"""Subtopics weighed by the probability that users mean them: by hand, by definition, mistakes."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import prum
from prum.analytic.ranked import average_precision, ndcg
from prum.analytic.utility.diversity import greedy, novelty
from prum.experiments.measures.diversity import DIVERSITY
from prum.simulator.model import InputError

QRELS = {"q": {"a": {"1": 2, "2": 0}, "b": {"1": 1}, "c": {"2": 1, "3": 0}}}
RUN = {"run": {"q": ["c", "x", "a"]}}
INTENTS = {"q": {"1": 0.75, "2": 0.25}}
NAMES = [name + "@2" * ("rank" in definition.cutoffs) for name, definition in DIVERSITY.items()]


def values(names: str, intents: object = INTENTS, qrels: object = QRELS) -> list[float]:
    result = prum.evaluate(RUN, qrels, intents=intents, measures=names)
    found: list[float] = result.scores.values[0, 0].tolist()
    return found


def test_by_hand() -> None:
    """Of two ranks one serves intent 2 (.25); of three, the third serves intent 1 (.75)."""
    names = "StRecall@2,P_IA@2,AP_IA,ERR_IA@3,nDCG_IA"
    first = 2 / np.log2(4) / (2 + 1 / np.log2(3))
    wanted = [0.25, 0.25 / 2, 0.25 + 0.75 / 6, (0.25 + 0.75 / 3) / (1 + 0.25 + 1 / 12)]
    assert values(names) == pytest.approx([*wanted, 0.25 + 0.75 * first])
    alike = [0.5, 0.5 / 2, 0.5 + 0.5 / 6, (0.5 + 0.5 / 3) / (1 + 0.25 + 1 / 12)]
    assert values(names, None) == pytest.approx([*alike, 0.5 + 0.5 * first])


def test_equal_probabilities_change_nothing_and_one_intent_alone_is_a_topic() -> None:
    names = ",".join(NAMES)
    np.testing.assert_allclose(values(names, {"q": {"1": 0.5, "2": 0.5}}), values(names, None))
    sure = values("AP_IA,nDCG_IA,StRecall@2", {"q": {"1": 1.0, "2": 0.0}})
    gains = {"a": 2, "b": 1}
    ranking = RUN["run"]["q"]
    assert sure == pytest.approx([average_precision(ranking, gains), ndcg(ranking, gains), 0])
    assert values("AP_IA", {"q": {"1": 0.3, "2": 0.1, "3": 0.6}}) == pytest.approx(values("AP_IA"))


def test_the_greedy_list_takes_the_most_probable_gain_first() -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        pool = (rng.random((3, 4)) < 0.5).astype(float)
        shares = rng.dirichlet(np.ones(3))
        order, interest, left = list[int](), shares.copy(), list(range(4))
        while left:
            best = max(left, key=lambda k: (round(float(interest @ pool[:, k]), 12), -k))
            order.append(best)
            left.remove(best)
            interest = interest * np.where(pool[:, best] > 0, 0.5, 1)
        assert greedy(pool, 0.5, probabilities=shares).tolist() == order
        most = max(
            novelty("RR", pool[:, list(each)], probabilities=shares)
            for each in permutations(range(4))
        )
        mine = novelty("RR", pool[:, order], probabilities=shares)
        assert mine <= most * (1 + 1e-12)
        if pool.any():
            share = novelty("RR", pool[:, order], pool, over="greedy", probabilities=shares)
            assert share == pytest.approx(1)


def test_files_and_frames_hold_them(tmp_path: Path) -> None:
    file = tmp_path / "intents.csv"
    file.write_text("topic,subtopic,probability\nq,1,.75\nq,2,.25\nother,1,1\n")
    frame = pd.DataFrame({"qid": ["q", "q"], "subtopic": [1, 2], "probability": [0.75, 0.25]})
    for intents in (file, str(file), frame):
        assert values("AP_IA,nDCG_IA@2", intents) == values("AP_IA,nDCG_IA@2")
    thirds = {"q": {"1": 0.333, "2": 0.333, "3": 0.333}}
    assert values("AP_IA", thirds) == pytest.approx(values("AP_IA", None))


@pytest.mark.parametrize(
    ("intents", "fault"),
    [
        ({"q": {"1": 0.75, "2": 0.5}}, "sum of probabilities of topic 'q' is 1.25, must be 1"),
        ({"q": {"1": 1.75}}, "probability is 1.75, must be a number in"),
        ({"q": {"1": 1.0}}, "probability of subtopic '2' of topic 'q'"),
        ({"other": {"1": 1.0}}, "judged topic is 'q', must have intents"),
        ({"q": 0.5}, "intents: column 'q' is 0.5"),
        ({"q": {"1": "many"}}, "must be a number in"),
    ],
)
def test_a_mistake_is_named(intents: object, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        values("AP_IA", intents)


def test_who_means_what_nobody_can_serve_has_no_value() -> None:
    assert np.isnan(values("AP_IA,StRecall@2", {"q": {"1": 0, "2": 0, "3": 1.0}})).all()


def test_intents_that_no_measure_reads_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be used with measures of subtopics"):
        values("AP")
    file = tmp_path / "intents.csv"
    file.write_text("topic,subtopic,probability\nq,1,.75\nq,1,.25\n")
    with pytest.raises(InputError, match=r"intents.csv, line 3.*given once"):
        values("AP_IA", file)
