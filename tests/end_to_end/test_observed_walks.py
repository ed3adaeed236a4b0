"""Walks of people against noisy-or and walks without memory, and made-up walks against both."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.end_to_end.observed_walks import (
    Estimate,
    Played,
    Steps,
    estimate,
    place,
    read_places,
)
from tests.tiers import slow

pytestmark = slow

Found = dict[str, dict[str, Estimate]]


@pytest.fixture(scope="module")
def source(shared_data: Path) -> Path:
    folder = shared_data / "wikispeedia"
    if not folder.is_dir():
        pytest.skip(f"no Wikispeedia data: {folder} is missing")
    return folder


# --- people -----------------------------------------------------------------------------------


def test_players_at_large_see_ideals_together(source: Path) -> None:
    places, num_games = read_places(source, num_topics=4, towards=False, most=100)
    assert num_games == 51_312 + 24_875 - 8_113
    assert [len(at.entries) for at in places] == [10] * 4
    found = estimate(places, num_games, num_resamples=5, seed=1)
    assert found["any"]["games"].value == pytest.approx(0.1776, abs=1e-4)
    assert found["any"]["noisy-or"].value == pytest.approx(0.1988, abs=1e-4)
    assert found["precision"]["games"].value == pytest.approx(0.3013, abs=1e-4)
    assert found["precision"]["prum"].value == pytest.approx(0.3110, abs=1e-4)
    for name, more in (("any", 1), ("precision at 1", 1), ("two or more", -1)):
        assert more * found[name]["noisy-or"].error > found[name]["noisy-or"].half_width
    assert found["precision"]["prum"].error > found["precision"]["prum"].half_width


def test_players_who_look_for_one_ideal_see_one(source: Path) -> None:
    places, num_games = read_places(source, num_topics=12, towards=True, most=100)
    found = estimate(places, num_games, num_resamples=5, seed=1)
    assert found["any"]["games"].value == pytest.approx(0.8836, abs=1e-4)
    assert found["any"]["noisy-or"].value == pytest.approx(0.7802, abs=1e-4)
    assert found["precision"]["games"].value == pytest.approx(0.7181, abs=1e-4)
    assert found["precision"]["prum"].value == pytest.approx(0.6522, abs=1e-4)
    for name, more in (("any", -1), ("precision at 1", -1), ("two or more", 1)):
        assert more * found[name]["noisy-or"].error > found[name]["noisy-or"].half_width
    assert found["precision"]["prum"].error < -found["precision"]["prum"].half_width
    assert abs(found["any"]["markov apart"].error) < abs(found["any"]["noisy-or"].error)


# --- made-up walks ----------------------------------------------------------------------------

ENTRY, IDEALS, BETWEEN = 0, (1, 2, 3), 4


def independent(generator: np.random.Generator) -> Iterator[int]:
    """From the entry to each ideal by the toss of a coin of its own."""
    yield ENTRY
    chosen = generator.random(3) < (0.3, 0.5, 0.2)
    yield from generator.permutation(np.array(IDEALS)[chosen]).tolist()


def without_memory(generator: np.random.Generator) -> Iterator[int]:
    """To one of the ideals, evenly, or to what is between; stopping everywhere with .2."""
    page = ENTRY
    while True:
        yield page
        if generator.random() < 0.2:
            return
        page = int(generator.choice([other for other in (*IDEALS, BETWEEN) if other != page]))


def of_made_up(kind: object, *, seed: int, num_games: int = 4000) -> Found:
    generator = np.random.default_rng(seed)
    assert callable(kind)
    played = [Played(tuple(kind(generator)), IDEALS[0]) for _ in range(num_games)]
    at = place(played, IDEALS, Steps(played, range(num_games)))
    return estimate([at], num_games, num_resamples=100, seed=seed)


def within_noise(one: Estimate) -> bool:
    """Two tests for each of two quantities, at .05 together: 2.5 standard deviations."""
    return abs(one.error) < one.half_width * 2.5 / 1.96


def test_independent_visits_are_noisy_or_and_no_walk() -> None:
    """Negative control: where 2.2 holds nothing is found against it."""
    found = of_made_up(independent, seed=11)
    for name in ("any", "two or more"):
        assert within_noise(found[name]["noisy-or"])
        assert not within_noise(found[name]["exclusive"])
        assert not within_noise(found[name]["comonotone"])
    assert within_noise(found["precision"]["noisy-or"])
    assert not within_noise(found["two or more"]["markov apart"])


def test_walks_without_memory_are_their_transitions_and_not_noisy_or() -> None:
    found = of_made_up(without_memory, seed=12)
    for name in ("any", "two or more", "precision"):
        assert within_noise(found[name]["markov"])
        assert within_noise(found[name]["markov apart"])
        assert not within_noise(found[name]["noisy-or"])
