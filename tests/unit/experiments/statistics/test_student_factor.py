"""Student's factor: the finite sum beside scipy's quantile."""

import pytest
from scipy.special import stdtrit

from prum.experiments.statistics.intervals import student_factor


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 29, 30, 49, 99, 999, 1000, 1001, 2.5])
def test_it_is_the_quantile_of_students_law(freedom):
    assert student_factor(freedom) == pytest.approx(stdtrit(freedom, 0.975), rel=1e-13)


def test_a_neighbour_is_told_apart():
    assert student_factor(999) != pytest.approx(stdtrit(1000, 0.975), rel=1e-13)
