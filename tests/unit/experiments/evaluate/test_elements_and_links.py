"""Elements and links together: trees for some measures, links for those of users who browse."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import prum
from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.structured import graded_prum
from prum.experiments.evaluate.inputs import read_judged
from prum.experiments.measures.catalogue import MEASURES
from prum.simulator.model import (
    Assessment,
    Elements,
    InputError,
    Task,
    structural,
)
from tests.tiers import slow

# A page of 30 words, in three parts; c is ideal. People who were in a were seen to go on to c.
PAGE = Elements({"p": (None, 30, 0), "a": ("p", 10, 0), "b": ("p", 10, 10), "c": ("p", 10, 20)})
LINKS = {("a", "c"): 0.5}
RUNS = {"given": {"q": ["a", "b"]}}
QRELS = {"q": {"c": 1}}


def scores(measures: str, **given: object) -> dict[str, float]:
    frame = prum.evaluate(RUNS, QRELS, measures=measures, **given).to_frame()  # type: ignore[arg-type]
    return dict(zip(frame["measure"], frame["score"], strict=True))


def test_tolerance_and_measured_links_stand_in_one_table() -> None:
    found = scores("T2I(words=15), PRUM, Overlap@2, RP", elements=PAGE, links=LINKS)
    # From a reader's 15 words b's 10 are irrelevant, and they stop within c's; those who enter at
    # b, the second element, come to c after 10.
    assert found["T2I(words=15.0)"] == pytest.approx(1 / 2)
    # Half see c from a. The others consult b, and then p and c in any order: 2 + 3/2 elements.
    assert found["PRUM"] == pytest.approx(1 / (0.5 * 1 + 0.5 * (2 + 1.5)))
    assert found["Overlap@2"] == 0
    # Without browsing: both listed elements, then 3/2.
    assert found["RP"] == pytest.approx(1 / 3.5)


def test_each_measure_is_what_it_is_with_its_own_file_alone() -> None:
    both = scores("T2I(words=15), PRUM, ExactPRUM, GR@2, xCG@2", elements=PAGE, links=LINKS)
    trees = scores("T2I(words=15), xCG@2", elements=PAGE)
    links = scores("PRUM, ExactPRUM, GR@2", links=LINKS, collection_size=4)
    assert both == {**trees, **links}
    assert scores("PRUM", elements=PAGE)["PRUM"] != links["PRUM"]  # made of the structure


def test_a_way_of_links_is_for_links_and_one_of_elements_is_refused() -> None:
    walked = scores("ExactPRUM", elements=PAGE, links=LINKS, way="web .8")
    assert walked["ExactPRUM"] == pytest.approx(1 / (0.8 * 1 + 0.2 * (2 + 1.5)))
    with pytest.raises(InputError, match="way is 'structural', must be a way of links where"):
        scores("PRUM", elements=PAGE, links=LINKS, way="structural")


# --- near misses ----------------------------------------------------------------------------------

# Fig. 6 of Piwowarski, Gallinari and Dupret (2007): a holds b and f, b holds c, d and e. The good
# engine shows the ideal first.
WORDS = "x" * 10
DRAMA = f"<a>{WORDS}<b>{WORDS}<c>{WORDS}</c><d>{WORDS}</d><e>{WORDS}</e></b><f>{WORDS}</f></a>"
ASSESSED = {
    "fig6": {
        "drama": Assessment(3, 2),
        "drama/b[1]": Assessment(3, 2),
        "drama/b[1]/c[1]": Assessment(3, 3),
    }
}
ENGINES = {
    "good": {"fig6": {"drama/b[1]/c[1]": 0.9, "drama/b[1]": 0.5, "drama": 0.1}},
    "bad": {"fig6": {"drama": 0.9, "drama/b[1]": 0.5, "drama/b[1]/c[1]": 0.1}},
}


@pytest.fixture
def drama(tmp_path: Path) -> Path:
    path = tmp_path / "drama.xml"
    path.write_text(DRAMA)
    return path


def of_engines(measures: str, judged: object = ASSESSED, **given: Any) -> pd.DataFrame:
    frame = prum.evaluate(ENGINES, judged, measures=measures, **given).to_frame()
    return frame.pivot(index="measure", columns="system", values="score")


def test_users_of_a_tree_come_to_near_misses_as_in_the_paper(drama: Path) -> None:
    """By hand: c leads to a and b with 1/6 and 1/4, a to b and c with 2/3 and 1/6."""
    found = of_engines("GR(quantisation=generalised)@1, GradedPRUM, PRUM", elements=drama)
    good, bad = (1 + 0.75 / 6 + 0.75 / 4) / 2.5, (0.75 + 0.75 * 2 / 3 + 1 / 6) / 2.5
    recall = found.loc['GR(quantisation="generalised")@1']
    assert (recall["good"], recall["bad"]) == pytest.approx((good, bad))
    assert found.round(4).loc[["GradedPRUM", "PRUM"], ["good", "bad"]].to_numpy().tolist() == [
        [0.9842, 0.7421],
        [1, 0.4068],
    ]


def test_their_links_give_the_exact_value_of_graded_prum(drama: Path) -> None:
    [topic], _ = read_judged(ASSESSED, elements=[drama], credits=["generalised"])
    values = topic.worth("generalised")
    for engine, wanted in (("good", 0.9910), ("bad", 0.7434)):
        task = Task(tuple(ENGINES[engine]["fig6"]), values, 6)
        reach = reach_matrix(task, topic.navigation(None))
        weights = [values[ideal] for ideal in task.ideals]
        exact = graded_prum(reach, weights, task.num_unranked, estimate="exact")
        assert exact.average == pytest.approx(wanted, abs=5e-5)


# Every measure, those that count what users browse to once for each quantisation.
def _each() -> list[str]:
    names = []
    for name, definition in MEASURES.items():
        if definition.score is definition.of_spans:
            continue
        settings = [f"{key}=20" for key, x in definition.options.items() if key == "words"]
        settings += ["users=50"] if name == "EPRUM" else []
        settings += ["calibration=rank"] if name == "ADM" else []
        kinds = [[]]
        if {"navigation", "quantisation"} <= definition.options.keys():
            kinds += [["quantisation=strict"], ["quantisation=generalised"]]
        cut = "@2" if definition.needs_cutoff else ""
        names += [f"{name}({','.join([*settings, *kind])}){cut}" for kind in kinds]
    return names


GRADES = {"fig6": {"drama": 1, "drama/b[1]": 2, "drama/b[1]/c[1]": 3, "drama/f[1]": 0}}
SUBTOPICS = {"fig6": {x: {"1": grade, "2": 3 - grade} for x, grade in GRADES["fig6"].items()}}


@slow
@pytest.mark.parametrize(
    ("judged", "more"),
    [
        (ASSESSED, {}),
        (ASSESSED, {"ideals": "best"}),
        (GRADES, {"ideal_grade": 3}),
        pytest.param(GRADES, {"ideal_grade": 2}, marks=slow),
        (SUBTOPICS, {"ideal_grade": 3}),
    ],
)
def test_elements_are_worth_what_all_links_between_them_are(
    drama: Path, judged: object, more: dict[str, Any]
) -> None:
    tree = prum.read_xml(drama)
    counted = 0
    for name in _each():
        try:
            given = of_engines(name, judged, elements=tree, links=structural(tree), **more)
        except InputError:
            with pytest.raises(InputError):
                of_engines(name, judged, elements=tree, **more)
            continue
        if name.startswith("IdealsPerCost"):  # what leads to no ideal costs as well
            with pytest.raises(InputError, match="lead to all that is followed"):
                of_engines(name, judged, elements=tree, **more)
            continue
        counted += 1
        found = of_engines(name, judged, elements=tree, **more)
        pd.testing.assert_frame_equal(found, given, check_exact=True)
    assert counted >= 55


def test_who_reads_on_to_an_ideal_meets_near_misses_on_the_way(drama: Path) -> None:
    measures = "GR(quantisation=generalised)@1, GR@1"
    # From the start of a, b begins after 10 words and c, the ideal, after 20.
    for words, seen in ((5, 0.75), (15, 0.75 + 0.75), (25, 0.75 + 0.75 + 1)):
        found = of_engines(measures, elements=drama, way=f"tolerance {words}")["bad"]
        assert found['GR(quantisation="generalised")@1'] == pytest.approx(seen / 2.5)
        assert found["GR@1"] == (words > 20)
    # Who enters at the ideal is inside a and b.
    found = of_engines(measures, elements=drama, way="tolerance 5")["good"]
    assert tuple(found) == (1.0, 1.0)
