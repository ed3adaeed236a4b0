"""Noisy-or over paragraphs against what people said of documents, and against made-up people."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from prum.analytic import coupled_within
from tests.end_to_end.paragraph_votes import (
    any_marked,
    different_people,
    figures,
    measure,
)
from tests.end_to_end.votes import Votes, read_votes, simulated
from tests.tiers import slow

pytestmark = slow

SETTINGS = {  # any, noisy-or, gap without bias, rho of persons, rho
    "2P-OrdPar-High": (0.612, 0.783, 0.1833, 0.676, 0.788),
    "2P-OrdPar-NoHigh": (0.685, 0.809, 0.1339, 0.454, 0.697),
    "2P-RndPar-High": (0.537, 0.693, 0.1676, 0.517, 0.709),
    "2P-RndPar-NoHigh": (0.676, 0.795, 0.1275, 0.406, 0.676),
}


@pytest.fixture(scope="module")
def votes_file(shared_data: Path) -> Path:
    file = shared_data / "paragraph_votes" / "nyt_paragraph_votes.tsv.gz"
    if not file.is_file():
        pytest.skip(f"no paragraph votes: {file} is missing")
    return file


@pytest.fixture(scope="module")
def settings(votes_file: Path) -> dict[str, Votes]:
    return read_votes(votes_file)


def made_up(rho_person: float, rho: float, *, num_people: int, seed: int) -> Votes:
    """Return votes of people who all judge the same 40 documents of 1 to 7 paragraphs."""
    generator = np.random.default_rng(seed)
    starts = np.concatenate(([0], np.cumsum(generator.integers(1, 8, size=40))))
    shares = generator.uniform(0.05, 0.7, size=starts[-1])
    marked = np.arange(num_people)[:, None] < np.round(shares * num_people)
    judged = np.ones((num_people, 40), dtype=np.bool_)
    return simulated(Votes(marked, judged, starts[:-1]), rho_person, rho, generator)


def evenly(votes: Votes) -> dict[str, float]:
    return figures(votes, *(np.ones(number) for number in votes.judged.shape))


@pytest.mark.parametrize("setting", SETTINGS)
def test_people_agree_with_themselves_more_than_noisy_or_has_it(
    settings: dict[str, Votes], setting: str
) -> None:
    votes = settings[setting]
    assert votes.judged.sum(axis=0).tolist() == [15] * 56
    found = measure(votes, num_resamples=100, seed=1)
    anything, noisy_or, gap, rho_person, rho = SETTINGS[setting]
    assert found["any"].value == pytest.approx(anything, abs=6e-4)
    assert found["noisy-or"].value == pytest.approx(noisy_or, abs=6e-4)
    assert found["gap of different people"].value == pytest.approx(gap, abs=1e-4)
    assert found["rho_person"].value == pytest.approx(rho_person, abs=1e-3)
    assert found["rho"].value == pytest.approx(rho, abs=1e-3)
    for name in ("gap", "gap, documents drawn too", "persons", "documents", "rest"):
        assert found[name].low > 0
    assert found["persons"].value > found["documents"].value
    ordered = ("comonotone", "any", "copula", "person", "noisy-or", "exclusive")
    values = [found[name].value for name in ordered]
    assert values == sorted(values)
    assert found["gap"].bias < 0 < found["gap of different people"].value - found["gap"].value


def test_independent_marks_leave_no_gap() -> None:
    """Negative control: the same measurement on people without any factor."""
    votes = made_up(0, 0, num_people=50, seed=2)
    found = measure(votes, num_resamples=200, seed=1)
    gap = found["gap of different people"]
    assert gap.low < 0 < gap.high
    assert abs(gap.value) < 0.01
    assert found["rho_person"].value < 0.02
    assert found["rho"].value < 0.03


@pytest.mark.parametrize(("rho_person", "rho"), [(0.0, 0.5), (0.4, 0.4), (0.4, 0.7)])
def test_both_factors_are_found_again(rho_person: float, rho: float) -> None:
    """Two thousand people; what they do with documents is predicted from pairs of marks."""
    found = evenly(made_up(rho_person, rho, num_people=2000, seed=3))
    assert found["rho_person"] == pytest.approx(rho_person, abs=0.03)
    assert found["rho"] == pytest.approx(rho, abs=0.03)
    assert found["copula"] == pytest.approx(found["any"], abs=0.005)
    assert found["gap"] > 0.05


def test_a_shared_factor_is_the_copula_of_the_package() -> None:
    p = np.array([0.2, 0.7, 1 / 15, 0.5, 0.0])
    starts = np.array([0, 3])
    for rho in (0.0, 0.3, 0.8):
        law = [1 - coupled_within(part[None, :], rho)[0, 0] for part in (p[:3], p[3:])]
        assert any_marked(p, rho, np.ones(2), starts) == pytest.approx(np.mean(law), abs=1e-10)


def test_different_people_are_all_ways_to_ask_them() -> None:
    unmarked = np.random.default_rng(4).random((5, 3)) < 0.6
    products = [unmarked[list(asked), range(3)].all() for asked in permutations(range(5), 3)]
    assert different_people(unmarked) == pytest.approx(1 - np.mean(products), abs=1e-14)
