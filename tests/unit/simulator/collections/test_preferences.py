"""Preference judgements: every form they are given in, what follows of them, mistakes."""

from pathlib import Path

import numpy as np
import pytest

from prum.simulator.collections import read_campaign
from prum.simulator.collections.judgements import judgements_from
from prum.simulator.collections.preferences import (
    Pair,
    Preferences,
    preferences_of_pairs,
    relevance_by_preference,
)
from prum.simulator.model import InputError


def read_preferences(path: Path) -> Preferences:
    return judgements_from(path).preferences or {}


def test_a_judge_of_trec_evals_is_consistent_and_judges_add_up(tmp_path: Path) -> None:
    """a > b in one group and b > c in another give a > c; another judge may contradict."""
    lines = ["a 1", "b 0"], ["b 2.5", "c -1", "d 2.5"], ["c 1", "a 0"]
    groups = [("one", "0"), ("one", "1"), ("two", "0")]
    text = "".join(
        f"q {judge} {group} {line}\n"
        for (judge, group), judged in zip(groups, lines, strict=True)
        for line in judged
    )
    (tmp_path / "prefs").write_text(text + "tied one 0 a 1\ntied one 0 b 1\n")
    found = read_preferences(tmp_path / "prefs")
    first = {("a", "b"), ("b", "c"), ("d", "c"), ("a", "c")}
    assert sorted(found["q"]) == sorted([*first, ("c", "a")])
    assert found["tied"] == ()


def test_circles_of_a_judge_put_nothing_above_itself(tmp_path: Path) -> None:
    text = "q j 0 a 1\nq j 0 b 0\nq j 1 b 1\nq j 1 a 0\n"
    (tmp_path / "prefs").write_text(text)
    assert sorted(read_preferences(tmp_path / "prefs")["q"]) == [("a", "b"), ("b", "a")]


@pytest.mark.parametrize("seed", range(20))
def test_relevance_keeps_every_preference_that_is_in_no_circle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [(f"{a}", f"{b}") for a, b in rng.integers(0, 8, (9, 2)).tolist() if a != b]
    worth = relevance_by_preference(pairs)
    after = {(a, b) for a, b in pairs}
    for _ in range(8):
        after |= {(a, d) for a, b in after for c, d in after if b == c}
    for a, b in pairs:
        assert worth[a] == worth[b] if (b, a) in after else worth[a] > worth[b]
    levels = sorted(set(worth.values()))
    assert levels == pytest.approx(np.linspace(0, 1, len(levels)) if len(levels) > 1 else [0.5])


@pytest.mark.parametrize("number", [2, 3, 7])
def test_an_order_is_even_from_best_to_worst(number: int) -> None:
    pairs = [(f"{i}", f"{j}") for j in range(number) for i in range(j)]
    worth = relevance_by_preference(pairs[::-1])
    assert [worth[f"{i}"] for i in range(number)] == pytest.approx(np.linspace(1, 0, number))
    assert relevance_by_preference([]) == {}


def test_a_campaign_takes_the_upper_half_for_ideals(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("topic,preferred,other\nq,a,b\nq,b,c\n")
    (tmp_path / "run").write_text("q Q0 c 1 1 s\n")
    campaign = read_campaign([tmp_path / "run"], tmp_path / "p.csv", collection_size=9)
    assert campaign.ideals == {"q": ("a", "b")}


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({"q": ["ab"]}, "preference of topic 'q' is 'ab', must be a pair"),
        ({"q": []}, "number of preferences is 0, must be at least 1"),
        ({"q": [("a", "a")]}, "element preferred to 'a' is 'a', must be another one"),
        ({"q": [("a", "")]}, "other is '', must be"),
        ({"q": [("a", 1.5)]}, "other is 1.5, must be"),
    ],
)
def test_mistakes(source: dict[str, list[Pair]], told: str) -> None:
    with pytest.raises(InputError) as caught:
        preferences_of_pairs(source)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q j 0 a 1\nq j 0 b x\n", "line 2: relevance is 'x', must be a finite number"),
        ("q j 0 a 1\nq j 0\n", "line 2: number of columns"),
        ("q j 0 a 1\nq j 0 b 1\n", "number of preferences is 0"),
    ],
)
def test_mistakes_in_files_of_trec_eval(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "prefs").write_text(text)
    with pytest.raises(InputError) as caught:
        read_preferences(tmp_path / "prefs")
    assert told in str(caught.value)
