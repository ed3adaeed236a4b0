"""The measures PRUM is compared with: degenerate input, limits, scale, mistakes."""

from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from prum.analytic import prum, reach_matrix
from prum.analytic.ranked import (
    raghavan,
    standard_precision_recall,
)
from prum.analytic.structured import (
    eprum,
    generalised_recall,
    graded_prum,
    grp,
    grp_ng,
    overlap,
    t2i,
    xcg,
)
from prum.simulator.model import Assessment, Elements, Independent, InputError, Task, tolerance

CLOSE = 1e-12
TREE = Elements(
    {
        "a": (None, 60),
        "b": ("a", 40),
        "c": ("b", 10),
        "d": ("b", 10),
        "x y": ("a", 10),
        "日本": (None, 20),
    }
)


# --- Raghavan and Cooper ------------------------------------------------------------------------


def test_total_order_is_one_element_a_rank() -> None:
    plain = raghavan(["c", "a", "d", "b"], ["a", "b", "e"], 5)
    tied = raghavan([["c"], ("a",), {"d"}, frozenset("b")], ["a", "b", "e"], 5)
    assert plain == tied
    assert plain.consulted.tolist() == [2, 4, 4 + 1 + 4 / 2]


def test_empty_ranks_are_passed_over() -> None:
    assert raghavan([[], "x", (), "a"], ["a"], 0) == raghavan(["x", "a"], ["a"], 0)
    assert grp([[], "x", "a"], {"a": 1}, 0).precision(1) == 0.5


def test_second_occurrence_is_consulted_and_not_found() -> None:
    assert raghavan(["a", "a", "b"], ["a", "b"], 0).consulted.tolist() == [1, 3]
    assert raghavan(["a", ["a", "b"]], ["a", "b"], 0).consulted.tolist() == [1, 2.5]
    assert standard_precision_recall(["a", "a", "b"], ["a", "b"]).consulted.tolist() == [1, 3]
    found = grp(["a", "a", "b"], {"a": 0.5, "b": 1.0}, 0)
    assert float(found.at_levels(1)) == pytest.approx(1.5 / (1.5 + 0.5 + 1))


# --- GRP ----------------------------------------------------------------------------------------


def test_thirds_reach_their_sum() -> None:
    """Ten thirds sum to a rounding below 10/3: the list, not the unranked part, holds them."""
    relevance = {f"{k}": 1 / 3 for k in range(10)}
    found = grp(list(relevance), relevance, 1000)
    for k in range(1, 11):
        # j = 2 (k - 1) / 3; the last rank holds i = 2/3, k = s = 1/3.
        wanted = (k / 3) / (k / 3 + 2 * (k - 1) / 3 + (2 / 3) * (1 / 3) / (4 / 3))
        assert float(found.precision(k / 3)) == pytest.approx(wanted, abs=1e-9)
    assert float(found.at_levels(1)) > 0.3


def test_levels_are_hundredths() -> None:
    """29 hundredths of 100 ideals are 29 ideals, though 100 * .29 is below 29."""
    relevance = {f"{k}": 1.0 for k in range(100)}
    ranking = [f"{k}" for k in range(100)]
    ranking.insert(28, "late")
    found = grp(ranking, relevance, 0)
    wanted = [(r / (r + (r > 28))) for r in range(1, 101)]
    assert found.at_levels(np.arange(1, 101) / 100) == pytest.approx(np.array(wanted), abs=1e-8)
    assert found.average == pytest.approx(np.mean(wanted), abs=1e-8)


def test_grp_of_an_empty_list_or_one_without_relevance() -> None:
    for ranking in ([], ["x", "x"]):
        found = grp(ranking, {"a": 0.5}, 3)
        j, i, k = len(ranking), 2.5, 0.5
        assert float(found.at_levels(1)) == pytest.approx(0.5 / (0.5 + j + i * 0.5 / (k + 1)))


def test_grp_keeps_the_shape_of_recall() -> None:
    found = grp(["a"], {"a": 1.0}, 0)
    assert found.precision(1).shape == ()
    assert found.precision([[1], [0.5]]).shape == (2, 1)
    for bad in (0, -1, 1.1, np.nan):
        with pytest.raises(InputError, match="recall value 0 is"):
            found.precision(bad)
        with pytest.raises(InputError, match="level 0 is"):
            found.at_levels(bad)


# --- GRPng --------------------------------------------------------------------------------------


def test_grp_ng_of_empty_lists_and_elements() -> None:
    tree = Elements({"a": (None, 10), "nil": ("a", 0, 5.0)})
    judged = {"a": Assessment(3, 3), "nil": Assessment(3, 3)}
    none = grp_ng([], judged, tree)
    assert (none.found.shape, none.average) == ((0,), 0)
    found = grp_ng(["nil", "a"], judged, tree)
    assert found.found.tolist() == [0, 1]
    assert found.precision.tolist() == [0, 1]
    assert found.recall[-1] == 0.5


def test_grp_ng_of_siblings_that_overlap() -> None:
    chunks = Elements({"p": (None, 30), "1": ("p", 20, 0.0), "2": ("p", 20, 10.0)})
    judged = {"1": Assessment(3, 3), "2": Assessment(3, 3)}
    assert grp_ng(["1", "2"], judged, chunks).found.tolist() == [1, 1.5]
    assert grp_ng(["1", "2", "p"], judged, chunks).found.tolist() == [1, 1.5, 1.5]


# --- xCG ----------------------------------------------------------------------------------------


def test_flat_collections_gain_what_is_relevant() -> None:
    found = xcg(["b", "x", "a"], {"a": 1.0, "b": 0.5, "c": 0.25})
    assert found.gains.tolist() == [0.5, 0, 1]
    assert found.best.tolist() == [1, 1.5, 1.75]
    assert found.normalised == pytest.approx(np.array([0.5, 0.5 / 1.5, 1.5 / 1.75]))
    assert [found.at(n) for n in (1, 3, 9)] == [0.5, 1.5, 1.5]
    assert found.normalised_at(9) == found.normalised_at(3)


@pytest.mark.parametrize("alpha", [0, 0.5, 1])
def test_best_list_scores_one_everywhere(alpha: float) -> None:
    """Also if its ideals contain each other: it gains by the same rules."""
    worth = {"b": 1.0, "c": 0.75, "d": 0.5, "a": 0.5}
    for ideals in (["b", "c", "a"], ["c", "d"], []):
        best = ideals or ["b"]
        found = xcg(sorted(best, key=lambda x: -worth[x]), worth, TREE, alpha=alpha, ideals=ideals)
        assert found.normalised == pytest.approx(np.ones(len(best)), abs=CLOSE)


def test_siblings_that_overlap_by_rounding_pass() -> None:
    worth = {"1": 1.0}
    for start, good in ((10.0, True), (10 - 1e-12, True), (9.9, False)):
        tree = Elements(
            {"p": (None, 30), "1": ("p", 10, 0.0), "nil": ("p", 0, 5.0), "2": ("p", 10, start)}
        )
        if good:
            assert xcg(["1", "2"], worth, tree).gains.tolist() == [1, 0]
        else:
            with pytest.raises(InputError, match=r"end of '1' is 10.0, .* its sibling '2'"):
                xcg(["1"], worth, tree)


# --- tolerance, generalised recall, EPRUM, grades -----------------------------------------------


def test_t2i_of_a_tolerance() -> None:
    page = Elements({"p": (None, 100), "b": ("p", 10, 10.0), "c": ("p", 10, 25.0)})
    links = tolerance(page, ["b", "c"], words=30)
    task = Task(["p"], ["b", "c"], 3)
    reach = reach_matrix(task, Independent(links))
    assert t2i(reach, 2) == t2i(reach.toarray(), 2)
    assert t2i(reach, 2).precision[0] == 1


def test_no_rank_shows_an_ideal() -> None:
    reach = np.zeros((3, 2))
    assert t2i(reach, 5) == raghavan(["x", "y", "z"], ["a", "b"], 5)
    assert generalised_recall(reach).tolist() == [0, 0, 0]
    assert eprum(reach).tolist() == [0, 0]
    assert graded_prum(reach, [1, 1], 5) == prum(reach, 5)


def test_empty_lists() -> None:
    reach = np.zeros((0, 2))
    assert t2i(reach, 2).precision.tolist() == [1, 1]
    assert generalised_recall(reach).shape == (0,)
    assert eprum(reach).tolist() == [0, 0]
    assert graded_prum(reach, [2, 1], 2).precision.tolist() == pytest.approx([4 / 5, 6 / 7])


def test_eprum_of_the_best_list_is_one() -> None:
    assert eprum(np.eye(3)).tolist() == [1, 1, 1]
    # A best entry point first: one element would do, and does.
    assert eprum([[1, 1]]).tolist() == [1, 1]
    # The ideals one by one, where an element outside the list shows both.
    assert eprum(np.eye(2), [[1, 1]]).tolist() == [1, 0.5]
    # The same users: whoever sees both from outside needs one element.
    assert eprum(np.eye(2), [[0.5, 1]]).tolist() == [1, 0.75]


def test_eprum_takes_sums_of_tenths() -> None:
    """.1 + .2 is not .3: levels are reached but for rounding, whatever the order."""
    found = eprum(np.eye(4), values=[0.1, 0.2, 0.3, 0.4], levels=[0.1, 0.3, 0.6, 1])
    assert found == pytest.approx(np.array([1, 1 / 2, 2 / 3, 1]))


# --- results and mistakes -----------------------------------------------------------------------


def test_results_are_read_only() -> None:
    found = grp_ng(["a"], {"a": Assessment(1, 1)}, TREE)
    gained = xcg(["a"], {"a": 1.0})
    general = grp(["a"], {"a": 1.0}, 0)
    for array in (found.found, found.precision, gained.gains, gained.best, general.ranks.sizes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2
    with pytest.raises(FrozenInstanceError):
        general.total = 3  # type: ignore[misc]


ONE = {"a": 1.0}
NEAR = {"a": Assessment(1, 1)}
MISTAKES: Mapping[str, tuple[Callable[[], object], str]] = {
    "no ideal": (lambda: raghavan(["a"], [], 3), "ideals is"),
    "text as list": (lambda: raghavan("abc", ["a"], 3), "ranking is 'abc', must be a sequence"),
    "text as ideals": (lambda: raghavan(["a"], "ab", 3), "ideals is 'ab', must be a sequence"),
    "tied twice": (lambda: raghavan([["a", "a"]], ["a"], 3), "rank 1: tied elements"),
    "empty id": (lambda: raghavan(["a", ""], ["a"], 3), "rank 2: ranked element is ''"),
    "number as id": (lambda: standard_precision_recall([3], ["a"]), "element 1 of ranking"),  # type: ignore[list-item]
    "u too small": (lambda: raghavan(["a"], ["a", "b"], 0), "must be at least 1"),
    "q above 1": (lambda: grp([], {"a": 2.0}, 3), "relevance of 'a' is 2.0, must lie in"),
    "q is 0": (lambda: grp([], {"a": 0.0}, 3), "relevance is"),
    "u too small for q": (lambda: grp([], {"a": 0.1, "b": 0.1, "c": 0}, 1), "be at least 2"),
    "not in table": (lambda: grp_ng(["q"], NEAR, TREE), "element is 'q'"),
    "judged not in table": (lambda: grp_ng(["a"], {"q": Assessment(1, 1)}, TREE), "element is 'q'"),
    "no assessment": (lambda: grp_ng(["a"], {"a": Assessment(4, 1)}, TREE), "of 'a': exhaustivity"),
    "all E0S0": (lambda: grp_ng(["a"], {"a": Assessment(0, 0)}, TREE), "assessments is"),
    "alpha": (lambda: xcg(["a"], ONE, alpha=1.5), "alpha is 1.5"),
    "xCG not in table": (lambda: xcg(["q"], ONE, TREE), "element is 'q'"),
    "worthless ideal": (lambda: xcg(["a"], ONE, TREE, ideals=["b"]), "relevance of ideal 'b' is 0"),
    "rank 0": (lambda: xcg(["a"], ONE).at(0), "n is 0"),
    "uncertain": (lambda: t2i([[1, 0], [0, 0.5]], 3), r"reach\[1, 1\] is 0.5, must be 0 or 1"),
    "T2I u": (lambda: t2i([[1, 0]], 0), "must be at least 1"),
    "values": (lambda: generalised_recall([[1, 0]], [1]), "values is .1,., must have shape"),
    "negative": (lambda: generalised_recall([[1, 0]], [1, -1]), r"values\[1\] is -1"),
    "all 0": (lambda: generalised_recall([[1, 0]], [0, 0]), "not all be 0"),
    "too uncertain": (lambda: eprum(np.full((17, 1), 0.5)), "uncertain visits is 17"),
    "other ideals": (lambda: eprum([[1, 0]], [[1]]), "columns of elsewhere is 1"),
    "worthless": (lambda: eprum([[1, 0]], values=[1, 0]), r"values\[1\] is 0"),
    "level": (lambda: eprum([[1, 0]], levels=[0, 1]), "level 0 is 0"),
    "one level": (lambda: eprum([[1, 0]], levels=0.5), "must have shape"),
    "many ideals": (lambda: eprum(np.eye(17)), "number of ideals is 17"),
    "estimate": (lambda: graded_prum([[1]], [1], 0, estimate="no"), "estimate is 'no'"),  # type: ignore[arg-type]
    "graded u": (lambda: graded_prum([[0, 0.5]], [1, 2], 1), "must be at least 2"),
    "overlap not in table": (lambda: overlap(["q"], TREE), "element is 'q'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake: str) -> None:
    made, message = MISTAKES[mistake]
    with pytest.raises(InputError, match=message):
        made()
