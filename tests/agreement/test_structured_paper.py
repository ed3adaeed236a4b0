"""The measures PRUM is compared with: what the paper prints.

Section, equation and figure numbers are those of Piwowarski, Gallinari and Dupret (2007).
"""

import numpy as np
import pytest

from prum.analytic import prum, prum_of
from prum.analytic.structured import (
    grp,
    grp_ng,
    t2i,
    xcg,
)
from prum.simulator.model import Assessment, Elements, Independent, Task, structural
from prum.simulator.model.assessments import assessment_of, generalised, on_unit_scale
from tests.agreement.test_structured_numbers import CLOSE

# Fig. 6: leaves of 10 words, other elements 10 words more than what they contain.
DRAMA = Elements(
    {
        "a": (None, 60),
        "b": ("a", 40),
        "c": ("b", 10),
        "d": ("b", 10),
        "e": ("b", 10),
        "f": ("a", 10),
    }
)
JUDGED = {
    element: assessment_of(text)
    for element, text in zip("abc", ("E3S2", "E3S2", "E3S3"), strict=True)
}
WORTH = {element: generalised(found) for element, found in JUDGED.items()}
# Fig. 7: 100 elements, of which a contains b and c.
ENTRY = Elements({"a": (None, 20), "b": ("a", 10), "c": ("a", 10)})
ALL_BEST = {element: Assessment(3, 3) for element in "abc"}


def test_overpopulated_recall_base() -> None:
    """Section 4.1.1: the perfect system, f alone, gets 28.6 % of the recall base of Fig. 3."""
    found = grp(["f"], {"a": 0.75, "b": 0.75, "c": 0.5, "d": 0.5, "f": 1.0}, 4)
    assert round(100 / found.total, 1) == 28.6
    assert found.precision(1.0) == 1.0
    assert float(found.at_levels(1)) == pytest.approx(3.5 / (3.5 + 1.5 * 2.5 / 3.5), abs=CLOSE)


def test_recall_instability() -> None:
    """Section 4.1.1: 1.27 for b then a, above the one ideal; 2/3 for a then b."""
    tree = Elements(
        {
            "a": (None, 100),
            "b": ("a", 10),
            "c": ("a", 10),
            "d": ("a", 10),
            "e": ("a", 10),
            "f": ("a", 10),
        }
    )
    judged = {
        "a": Assessment(2, 2),
        "b": Assessment(2, 2),
        "c": Assessment(1, 1),
        "d": Assessment(1, 1),
        "f": Assessment(3, 3),
    }
    good, bad = (grp_ng(order, judged, tree) for order in (["b", "a"], ["a", "b"]))
    assert good.found[-1] == pytest.approx(2 / 3 + 0.9 * 2 / 3, abs=CLOSE)
    assert f"{good.found[-1]:.2f}" == "1.27"
    assert bad.found == pytest.approx(np.array([2 / 3, 2 / 3]), abs=CLOSE)
    # By appendix C.2 recall is that over the recall base.
    assert good.total == pytest.approx(3, abs=CLOSE)
    assert good.recall[-1] == pytest.approx(1.9 * 2 / 9, abs=CLOSE)


def _prum_on_drama(ranking: list[str]) -> float:
    task = Task(ranking, ["c"], len(DRAMA))
    return float(prum_of(task, Independent(structural(DRAMA, targets=["c"]))).precision[0])


def test_good_engine_for_hierarchical_navigation() -> None:
    """Section 4.2.1, list c, b, a."""
    order = ["c", "b", "a"]
    assert _prum_on_drama(order) == pytest.approx(1, abs=CLOSE)
    assert float(grp(order, WORTH, 3).precision(2.5)) == pytest.approx(0.875, abs=CLOSE)
    found = grp_ng(order, JUDGED, DRAMA)
    assert f"{found.recall[-1]:.2f}" == "0.69"
    assert xcg(order, WORTH, DRAMA).cumulated.tolist() == [1, 1, 1]
    assert found.at_levels(1) == 0


def test_misprinted_precision_of_the_good_engine() -> None:
    """4.2.1 prints .65: the unseen share in place of q(spec). By appendix C.2 it is .722."""
    unseen, length, spec = (10, 30, 20), (10, 40, 60), (3, 2, 2)
    printed = sum(n * n / size for n, size in zip(unseen, length, strict=True)) / 60
    defined = sum(n * on_unit_scale(s) for n, s in zip(unseen, spec, strict=True)) / 60
    assert printed == pytest.approx((10 + 30 * 3 / 4 + 20 / 3) / 60, abs=CLOSE)
    assert f"{printed:.2f}" == "0.65"
    assert defined == pytest.approx(13 / 18, abs=CLOSE)
    found = grp_ng(["c", "b", "a"], JUDGED, DRAMA)
    assert found.precision[-1] == pytest.approx(defined, abs=CLOSE)


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 0.7, 1.0])
def test_bad_engine_for_hierarchical_navigation(alpha: float) -> None:
    """Section 4.2.1, list a, b, c.

    The text says that rank 3 gains more than 1 for alpha < 2/3, rank 2 for alpha < 3/4; by its own
    vector these are 6/7 and 2/3.
    """
    order = ["a", "b", "c"]
    assert f"{_prum_on_drama(order):.4f}" == "0.4068"
    assert f"{float(grp(order, WORTH, 3).at_levels(1)):.2f}" == "0.83"
    found = grp_ng(order, JUDGED, DRAMA)
    assert found.precision == pytest.approx(np.full(3, 2 / 3), abs=CLOSE)
    assert found.recall == pytest.approx(np.full(3, 1 / 3), abs=CLOSE)
    wanted = [0.75, 0.75 + (1 - alpha) * 0.75, 0.75 + (1 - alpha) * 1.75]
    gained = xcg(order, WORTH, DRAMA, alpha=alpha, ideals=["c"])
    assert gained.cumulated == pytest.approx(np.array(wanted), abs=CLOSE)
    assert (gained.normalised[2] > 1) == (alpha < 6 / 7)
    assert (gained.normalised[1] > 1) == (alpha < 2 / 3)


def test_best_entry_point() -> None:
    """Section 4.2.2: a list of a alone, 100 elements, b and c below it ideal."""
    worth = {element: generalised(found) for element, found in ALL_BEST.items()}
    assert prum([[1, 1]], 99).precision[1] == 1
    found = grp(["a"], worth, 99)
    assert found.total == 3
    assert float(found.precision(3)) == pytest.approx(3 / (3 + 97 * 2 / 3), abs=CLOSE)
    assert f"{float(found.precision(3)):.3f}" == "0.044"
    ng = grp_ng(["a"], ALL_BEST, ENTRY)
    assert (ng.precision.tolist(), ng.recall.tolist()) == ([1.0], [pytest.approx(1 / 3)])
    assert ng.at_levels([1 / 3, 0.34, 1]).tolist() == [1, 0, 0]
    for ideals in ((), ("b", "c")):
        gained = xcg(["a"], worth, ENTRY, ideals=ideals)
        assert gained.cumulated.tolist() == [1]
        assert gained.best.tolist() == [1, 2]
        assert gained.normalised_at(2) == 0.5
    # Raghavan's formula credits two ideals to the one element consulted.
    assert t2i([[1, 1]], 99).precision.tolist() == [1, 2]
