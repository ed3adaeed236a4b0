"""Every number that Piwowarski, Gallinari and Dupret (2007) print for what the project computes."""

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.analytic import (
    PrecisionRecall,
    closed_form,
    consulted_pmf,
    exact,
    exact_joint,
    poisson_binomial,
    prum,
    prum_of,
    walk_reach,
    walk_within,
)
from prum.analytic.ranked import raghavan, standard_precision_recall, without_browsing
from prum.simulator.model import Independent, Task, Walk

Floats = NDArray[np.float64]

WEB = Task(["c", "d", "a", "b"], ["a", "b"], 4)
WEB_LINKS = Independent({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
WEB_REACH = [[0.4, 0.4], [0.6, 0.4], [1.0, 0.0], [0.0, 1.0]]


def _printed(values: Floats | float, *printed: str) -> None:
    """Require that values, rounded to as many places as were printed, are what was printed."""
    for value, text in zip(np.atleast_1d(values).tolist(), printed, strict=True):
        places = len(text.partition(".")[2])
        assert f"{value:.{places}f}" == text


# --- section 2.2 and 2.3: reach ---------------------------------------------------------------

# Fig. 2: rows and columns x, y, z.
FIG_2 = [[0, 0.5, 0.3], [0, 0, 0.8], [0, 0.12, 0]]


def test_fig_2_reach() -> None:
    """P(x -> y) = .5 + .3 * .12, P(x -> z) = .3 + .5 * .8."""
    assert walk_reach(FIG_2, [0], [1, 2]) == pytest.approx(np.array([[0.536, 0.7]]), abs=1e-15)


def test_fig_2_both() -> None:
    """.436 walking; .3752 under Hypothesis 2.2; .15 from the direct links alone."""

    def both(within: Floats) -> float:
        nothing, only_y, only_z, _ = within
        return float(1 - only_y - only_z + nothing)

    assert both(walk_within(FIG_2, [0], [1, 2])[0]) == pytest.approx(0.436, abs=1e-15)
    for y, z, printed in [(0.536, 0.7, 0.3752), (0.5, 0.3, 0.15)]:
        within = np.array([(1 - y) * (1 - z), 1 - z, 1 - y, 1])
        assert both(within) == pytest.approx(printed, abs=1e-15)


@pytest.mark.parametrize(("ranks", "printed"), [(1, 0.4), (2, 0.94), (3, 0.952)])
def test_fig_4(ranks: int, printed: float) -> None:
    """P(d in S_i) by equation (1): with u = 1, who has not seen d by rank i consults i + 1."""
    reach = np.array([[0.4], [0.9], [0.2]])[:ranks]
    pmf = consulted_pmf(reach, 1, 1)
    assert pmf[-1] == pytest.approx(1 - printed, abs=1e-15)
    assert pmf[:-1].sum() == pytest.approx(printed, abs=1e-15)


# --- section 3: Table III ---------------------------------------------------------------------


def test_table_iii_expectations() -> None:
    """Column Exp: 1, 1.45, 1.75, 2.71; in full 1, 1.4464, 1.7536, 2.7136."""
    result = exact(WEB_REACH, 0)
    _printed(result.leading, "1.0000", "1.7536")
    _printed(result.consulted, "1.4464", "2.7136")
    assert result.leading == pytest.approx(np.array([1, 1.7536]), abs=1e-15)
    assert result.consulted == pytest.approx(np.array([1.4464, 2.7136]), abs=1e-15)


def test_table_iii_precision() -> None:
    _printed(exact(WEB_REACH, 0).precision, "0.691", "0.646")
    _printed(exact(WEB_REACH, 0).precision, "0.69137", "0.64623")
    _printed(prum(WEB_REACH, 0).precision, "0.691", "0.636")
    _printed(prum(WEB_REACH, 0).precision, "0.69137", "0.63561")
    _printed(prum_of(WEB, WEB_LINKS).precision, "0.69137", "0.63561")
    _printed(standard_precision_recall(WEB.ranking, WEB.ideals).precision, "0.333", "0.5")


# --- section 4.2 ------------------------------------------------------------------------------


@pytest.mark.parametrize("r", [1, 2])
def test_equation_19_in_the_unranked_part(r: int) -> None:
    """Equation (19) is r / (r + j + i s / (k + 1)).

    One non-ideal element before (j), 97 non-ideal (i) and 2 ideal (k) elements in the unranked
    part, s = r wanted from it.
    """
    wanted = r / (r + 1 + 97 * r / (2 + 1))
    assert raghavan(["a"], ["b", "c"], 99).precision[r - 1] == pytest.approx(wanted, abs=1e-15)


# --- appendices -------------------------------------------------------------------------------


def test_appendix_a_1_normal_counts() -> None:
    """The normal law is off by at most .01 on average over random draws, m = 10.

    10,000 draws of ten uniform probabilities, as the paper had it; the mean of the largest
    absolute error over s rounds to .01, and single draws exceed it.
    """
    draws = np.random.default_rng(2007).random((10_000, 10))
    largest = np.array(
        [np.abs(poisson_binomial(p, method="normal") - poisson_binomial(p)).max() for p in draws]
    )
    _printed(largest.mean(), "0.01")
    assert largest.max() > 0.015


def test_appendix_b_in_the_list() -> None:
    """precision(r) = r / l_r where the list holds r ideals."""
    ranking = ["n1", "i1", "i2", "n2", "n3", "i3"]
    ranks = [2, 3, 6]
    task = Task(ranking, ["i1", "i2", "i3"], 20)
    wanted = np.arange(1, 4) / ranks
    for result in (
        prum_of(task, Independent({})),
        closed_form(task, Independent({})),
        closed_form(task, Walk({})),
        without_browsing(task),
        standard_precision_recall(task.ranking, task.ideals),
    ):
        assert isinstance(result, PrecisionRecall)
        assert result.precision == pytest.approx(wanted, abs=1e-15)


def test_appendix_b_beyond_the_list() -> None:
    """r / (r + (o - e_o) + (r - e_o) (u - (t - e_o)) / (t - e_o + 1)), as printed."""
    task = Task(["n1", "i1", "n2"], ["i1", "i2", "i3", "i4"], 13)
    o, e, u, t = 3, 1, 10, 4
    r = np.arange(2, t + 1)
    wanted = r / (r + (o - e) + (r - e) * (u - (t - e)) / (t - e + 1))
    for result in (
        prum_of(task, Independent({})),
        closed_form(task, Walk({})),
        raghavan(task.ranking, task.ideals, u),
    ):
        assert isinstance(result, PrecisionRecall)
        assert result.precision[0] == pytest.approx(1 / 2, abs=1e-15)
        assert result.precision[1:] == pytest.approx(wanted, abs=1e-14)
    assert standard_precision_recall(task.ranking, task.ideals).precision.tolist() == [0.5, 0, 0, 0]


# --- the same P(x -> y), three joint laws -----------------------------------------------------

# P(N_i subset of A) for A = {}, {a}, {b}, {a, b}.
OWN = [[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]]
TOSSED = [0.25, 0.5, 0.5, 1]
EXCLUSIVE = [0, 0.5, 0.5, 1]
COMONOTONE = [0.5, 0.5, 0.5, 1]


@pytest.mark.parametrize(
    ("row", "precision"),
    [(TOSSED, 7 / 9), (EXCLUSIVE, 4 / 5), (COMONOTONE, 3 / 4)],
    ids=["independent", "exclusive", "comonotone"],
)
def test_precision_depends_on_the_joint_law(row: list[float], precision: float) -> None:
    """At r = 2: 7/9 independent, 4/5 on one path, 3/4 where both visits happen or neither."""
    assert exact_joint([row, *OWN], 0).precision[1] == pytest.approx(precision, abs=1e-15)
