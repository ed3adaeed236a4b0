"""Elements and links together: trees for some measures, links for those of users who browse."""

import pytest

import prum
from prum.simulator.model import Elements, InputError

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


def test_dials_know_documents_from_elements() -> None:
    once = scores("ExactPRUM", elements=PAGE, links={("b", "c"): 0.5}, navigation="no-revisit")
    # All parts are of one page, and who has consulted a does not browse from b.
    assert once["ExactPRUM"] == pytest.approx(1 / 3.5)


def test_a_way_of_links_is_for_links_and_one_of_elements_is_refused() -> None:
    walked = scores("ExactPRUM", elements=PAGE, links=LINKS, way="web .8")
    assert walked["ExactPRUM"] == pytest.approx(1 / (0.8 * 1 + 0.2 * (2 + 1.5)))
    with pytest.raises(InputError, match="way is 'structural', must be a way of links where"):
        scores("PRUM", elements=PAGE, links=LINKS, way="structural")


def test_links_end_at_elements() -> None:
    with pytest.raises(InputError, match=r"^links: end of a link is 'z', must be among the elem"):
        scores("PRUM", elements=PAGE, links={**LINKS, ("a", "z"): 0.1})
