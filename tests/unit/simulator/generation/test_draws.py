"""Draws: streams by name, their laws, and the numbers that every NumPy must give."""

import numpy as np
import pytest
from scipy.stats import chisquare

from prum.simulator.generation.draws import Draws
from prum.simulator.model import InputError

# One family-wise level for the tests of laws below.
LEVEL = 0.01 / 6


def p_of(counts, probabilities):
    """Return the p-value of counts under a law."""
    expected = np.sum(counts) * np.asarray(probabilities) / np.sum(probabilities)
    return chisquare(counts, expected).pvalue


# --- names ------------------------------------------------------------------------------------


def test_a_name_is_a_stream():
    streams = [
        (1, ()),
        (1, ("a",)),
        (2, ("a",)),
        (1, ("a", 1)),
        (1, ("a", "1")),
        (1, ("a1",)),
        (1, (1, "a")),
        (2**64 - 1, ("a",)),
    ]
    firsts = [tuple(Draws(seed, *names).below(2**32, 2).tolist()) for seed, names in streams]
    assert len(set(firsts)) == len(firsts)
    for (seed, names), first in zip(streams, firsts, strict=True):
        assert tuple(Draws(seed, *names).below(2**32, 2).tolist()) == first


def test_a_stream_goes_on():
    whole, parts = Draws(1, "x").units(7), Draws(1, "x")
    assert np.concatenate((parts.units(3), parts.units(4))).tolist() == whole.tolist()
    assert Draws(1, "x").units(7, 1).ravel().tolist() == whole.tolist()
    assert Draws(1, "x").units() == whole[0]


def test_numbers_that_every_machine_gives():
    draws = Draws(20_261, "golden", 7)
    assert draws.below(10**6, 3).tolist() == [995995, 860163, 653566]
    assert [unit.hex() for unit in draws.units(2).tolist()] == [
        "0x1.082b6fa53fa2ap-2",
        "0x1.1f1e6b06ad386p-2",
    ]
    assert [number.hex() for number in draws.normals(2).tolist()] == [
        "0x1.8e43c58e44c76p-1",
        "-0x1.f1b7ff9212b81p-2",
    ]
    assert draws.picks([0.2, 0.3, 0.5], 8).tolist() == [1, 1, 0, 2, 2, 0, 2, 1]
    assert draws.subset(10**7, 4).tolist() == [2987346, 4317952, 4459081, 6209503]
    assert draws.subset(6, 4).tolist() == [0, 1, 3, 5]
    assert draws.order(6).tolist() == [0, 4, 3, 5, 2, 1]


# --- numbers ----------------------------------------------------------------------------------


class Given:
    """Raw numbers that are given."""

    def __init__(self, *raw):
        self.raw = np.array(raw, dtype=np.uint64)

    def random_raw(self, size):
        raw, self.raw = self.raw[:size], self.raw[size:]
        return raw


def given(*raw):
    draws = Draws(1)
    draws._bits = Given(*raw)
    return draws


def test_units_are_never_0_or_1():
    units = given(0, 2**64 - 1, 2**63).units(3)
    assert units.tolist() == [2.0**-53, 1 - 2.0**-53, 0.5 + 2.0**-53]


@pytest.mark.parametrize("bound", [1, 2, 3, 1000, 2**31, 2**32 - 1, 2**32])
def test_whole_numbers_are_high_parts_of_products(bound):
    raw = [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 0x9E3779B97F4A7C15]
    expected = [number * bound >> 64 for number in raw]
    assert given(*raw).below(bound, len(raw)).tolist() == expected


def test_picks_follow_weights():
    weights = [0, 3, 1, 0, 0.5, 0]
    counts = np.bincount(Draws(1, "picks").picks(weights, 45_000), minlength=6)
    assert counts[[0, 3, 5]].tolist() == [0, 0, 0]
    assert p_of(counts[[1, 2, 4]], [3, 1, 0.5]) > LEVEL
    assert p_of(counts[[1, 2, 4]], [3, 1.1, 0.5]) < LEVEL  # negative control
    assert given(0, 2**64 - 1).picks(weights, 2).tolist() == [1, 4]


# --- subsets and orders -----------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(0, 0), (1, 1), (5, 0), (5, 2), (5, 5), (1000, 501), (9, 8)])
def test_subsets_are_sorted_and_distinct(n, k):
    subset = Draws(1, "subset").subset(n, k)
    assert subset.dtype == np.int64
    assert len(subset) == k
    assert (np.diff(subset) > 0).all()
    assert ((subset >= 0) & (subset < n)).all()


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        *(("below", (bound, 2)) for bound in (0, -1, 2**32 + 1, np.array([3, 0]))),
        *(("picks", (x, 2)) for x in ([], [0, 0], [-1, 2], [float("nan")], [float("inf"), 1])),
        *(("subset", (5, k)) for k in (-1, 6)),
    ],
)
def test_what_cannot_be_drawn(method, arguments):
    with pytest.raises(InputError, match=r"bound of random numbers|weights|size of a subset"):
        getattr(Draws(1, "x"), method)(*arguments)
