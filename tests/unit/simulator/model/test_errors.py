"""The building blocks of messages: values in a line, and the checks of numbers."""

from fractions import Fraction

import numpy as np
import pytest

from prum.simulator.model import InputError
from prum.simulator.model.errors import proportion, repeated, shown, whole_number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb", "'a\\nb'"),
        (np.float64(0.1), "0.1"),
        (np.float32(0.5), "0.5"),
        (Fraction(1, 2), "0.5"),
        (10**30, "an integer of 100 bits"),
        (-(10**400), "-an integer of 1329 bits"),
        (10**29, "1" + "0" * 29),
        (True, "True"),
        (None, "None"),
        ("x" * 100, "'" + "x" * 58 + "…"),
        (np.zeros((2, 2)), "array([[0., 0.],        [0., 0.]])"),
    ],
)
def test_values_are_shown_on_one_short_line(value: object, text: str) -> None:
    assert shown(value) == text
    assert len(shown(value)) <= 60


@pytest.mark.parametrize("value", [0.5, "1", None, True, np.bool_(True), 0, 11, 10**400, 3 + 0j])
def test_what_is_no_whole_number(value: object) -> None:
    with pytest.raises(InputError, match=r"k is .*, must be a whole number from 1 to 10; x$"):
        whole_number("k", value, least=1, most=10, remedy="x")


def test_whole_numbers() -> None:
    for value in (1, 10, np.int8(3), np.uint64(10)):
        number = whole_number("k", value, least=1, most=10, remedy="x")
        assert number == value
        assert type(number) is int
    assert whole_number("k", 10**400, least=1, remedy="x") == 10**400


@pytest.mark.parametrize(
    "value", ["0.5", None, True, np.bool_(False), -1e-300, 1.5, np.nan, np.inf, 10**400, 0.5j]
)
def test_what_is_no_proportion(value: object) -> None:
    with pytest.raises(InputError, match=r"p is .*, must lie in \[0, 1\]; x$"):
        proportion("p", value, remedy="x")


def test_proportions() -> None:
    for value in (0, 1, 0.25, Fraction(1, 4), np.float32(0.25)):
        assert proportion("p", value, remedy="x") == value
    for value in (0, 1, 0.0, 1.0):
        with pytest.raises(InputError, match="must lie strictly between 0 and 1"):
            proportion("p", value, remedy="x", open_interval=True)


def test_what_stands_twice_is_found_among_many() -> None:
    """Compared two by two, so many take hours."""
    assert repeated([*range(1_000_000), 999_999]) == 999_999
