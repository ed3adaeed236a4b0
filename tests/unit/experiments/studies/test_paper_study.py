"""The study of the papers: all numbers explained, and no wrong digit passes."""

import json
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from prum.experiments.studies.paper import PAPER, PaperDesign, compared, explained, own_values
from prum.experiments.studies.paper.carterette import _LAWS, carterette
from prum.experiments.studies.paper.printed import (
    OwnValue,
    OwnValues,
    PaperName,
    PrintedNumber,
    numbers,
    slips,
)
from prum.experiments.studies.paper.table_four import (
    MEASURES,
    ONE_EACH,
    PROPERTIES,
    Simulated,
    verdict,
)
from prum.simulator.collections.examples import EXAMPLES

DESIGN = PaperDesign(of="piwowarski")


@pytest.fixture(scope="module")
def values() -> OwnValues:
    return own_values(DESIGN)


@pytest.fixture(scope="module")
def result(values: OwnValues) -> Any:
    rows = compared(numbers(), values)
    return PAPER.result(DESIGN, rows, SimpleNamespace(slips=explained("piwowarski", values)))


def test_every_number_comes_out_or_is_a_slip(result: Any) -> None:
    counts = Counter(row.verdict for row in result.rows)
    assert counts == {"equal": 199, "slip": 7, "not given": 1}
    assert [row.printed for row in result.rows if row.verdict == "slip"] == [
        "0.691",
        ".66",
        "yes",
        "0.65",
        "65 %",
        "2/3",
        "3/4",
    ]
    (missing,) = (row for row in result.rows if row.verdict == "not given")
    assert (missing.what, missing.ours) == ("P(a → f), right", None)


def _with_wrong_digit(number: PrintedNumber) -> PrintedNumber:
    """Return the number with its last digit one higher, or another word."""
    text = number.printed.removesuffix(" %")
    if not text[-1].isdigit():
        return number._replace(printed={"yes": "no"}.get(text, "yes"))
    wrong = f"{text[:-1]}{(int(text[-1]) + 1) % 10}"
    return number._replace(printed=number.printed.replace(text, wrong))


def test_a_wrong_digit_turns_every_verdict(values: OwnValues) -> None:
    """All printed numbers but one that is not given, each with a planted mistake."""
    right = compared(numbers(), values)
    wrong = compared([_with_wrong_digit(number) for number in numbers()], values)
    passed = [
        other.what
        for row, other in zip(right, wrong, strict=True)
        if row.verdict == other.verdict and row.verdict != "not given"
    ]
    assert passed == []
    # A slip that is corrected is equal; all else is different.
    assert Counter(row.verdict for row in wrong) == {"different": 205, "equal": 1, "not given": 1}


def test_a_wrong_value_of_ours_turns_the_verdict(values: OwnValues) -> None:
    """PRUM for the exact value, and a mistake that does not give what is printed."""
    number = next(number for number in numbers() if number.value == "fig5 prum 2")
    assert compared([number], values)[0].verdict == "equal"
    taken = {**values, "fig5 prum 2": values["fig5 precision 2"]}
    assert compared([number], taken)[0].verdict == "different"
    slip = next(number for number in numbers() if number.slip == "share for specificity")
    assert compared([slip], values)[0].verdict == "slip"
    for mistaken in (None, 0.66):
        own = OwnValue(values[slip.value].value, mistaken=mistaken)
        assert compared([slip], {slip.value: own})[0].verdict == "different"
    assert compared([slip._replace(slip="")], values)[0].verdict == "different"


def test_numbers_name_what_there_is(values: OwnValues) -> None:
    known = {slip["name"] for slip in slips()}
    assert len(known) == len(slips())
    for number in numbers():
        assert number.example in {"", *EXAMPLES}, number
        assert number.slip in {"", *known}, number
        assert number.value in {"", *values}, number
    assert {f"fig{n}" for n in range(1, 8)} <= {number.example for number in numbers()}


def test_slips_say_what_it_should_be(result: Any) -> None:
    explained = {slip.name: slip for slip in result.found.slips}
    assert explained["share for specificity"].should == "0.722"
    assert "0.653" in explained["share for specificity"].why
    assert explained["precision for recall"].should == "69%"
    assert explained["bound of rank 3"].should == "α < 0.857 (6/7)"
    assert explained["other ideals"].should == "over x in {b, c}"
    assert "0.5" in explained["mean for sum"].why
    assert {row.slip for row in result.rows} - {""} <= set(explained)


def test_what_people_see(result: Any) -> None:
    seen = result.view()
    assert (
        "Of the 207 numbers and words in Piwowarski, Gallinari and Dupret (2007), 199"
        in seen.headline
    )
    assert seen.headline.endswith("1 number cannot be computed from the text.")
    assert [len(table.rows) for table in seen.tables] == [207, len(slips())]
    row = replace(result.rows[0], verdict="different")
    assert "1 number differs" in replace(result, rows=(row,)).view().headline
    content = json.loads(result.to_json())
    assert content["command"] == ("prum study paper --of piwowarski --seed 1")
    assert content["rows"][0]["example"] == "fig1"


# --- Table IV ---------------------------------------------------------------------------------


def test_users_who_are_others_are_noticed() -> None:
    """Negative control: the users follow links half as often as the measure has it."""
    prum, check = MEASURES["PRUM"], Simulated(ONE_EACH, "xynab")
    users = prum.users
    assert users is not None
    weaker = replace(ONE_EACH, links={pair: p / 2 for pair, p in ONE_EACH.links.items()})
    assert check.holds(prum)
    assert not check.holds(replace(prum, users=lambda _, ranking: users(weaker, ranking)))
    assert not check.holds(replace(prum, users=None))


@pytest.mark.parametrize(
    ("key", "expected"),
    [("precision and recall", "no"), ("near misses", "yes"), ("graded assessments", "no")],
)
def test_a_measure_that_reads_from_below_has_other_verdicts(key: str, expected: str) -> None:
    prum = MEASURES["PRUM"]
    planted = replace(prum, score=lambda topic, ranking: prum.score(topic, ranking[::-1]))
    held = [check.holds(planted) for check in PROPERTIES[key]]
    assert verdict(key, held) == expected


# --- the other two papers ---------------------------------------------------------------------

OTHERS: tuple[PaperName, ...] = ("carterette", "mizzaro")


@pytest.fixture(scope="module")
def others() -> dict[PaperName, OwnValues]:
    return {paper: own_values(DESIGN, paper=paper) for paper in OTHERS}


def test_the_other_papers_come_out(others: dict[PaperName, OwnValues]) -> None:
    counts = {
        paper: Counter(row.verdict for row in compared(numbers(paper), others[paper], paper))
        for paper in OTHERS
    }
    assert counts["carterette"] == {"equal": 51, "slip": 3, "different": 1, "not given": 15}
    assert counts["mizzaro"] == {"equal": 22, "slip": 3, "not given": 15}
    carterettes = compared(numbers("carterette"), others["carterette"], "carterette")
    (apart,) = (row for row in carterettes if row.verdict == "different")
    assert (apart.printed, apart.ours) == ("0.847", 0.859)


@pytest.mark.parametrize("paper", OTHERS)
def test_a_wrong_digit_of_theirs_turns_every_verdict(
    others: dict[PaperName, OwnValues], paper: PaperName
) -> None:
    for number in numbers(paper):
        if not number.value or number.slip == "two of one measure":
            continue
        right, wrong = compared([number, _with_wrong_digit(number)], others[paper])
        assert right.verdict in ("equal", "slip")
        assert right.verdict != wrong.verdict, number


def test_a_formula_of_another_law_is_not_identical(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control of `identical`: theta a hundredth too high in what is printed."""
    law = _LAWS["ERR"]
    monkeypatch.setitem(_LAWS, "ERR", lambda at: law(at._replace(theta=at.theta + 0.01)))
    values = carterette()
    for name in ("law ERR", "ERR", "EPR"):
        assert values[name].startswith("off by")
    assert values["law RBP"] == values["RRAP"] == "identical"


def test_their_slips_say_what_it_should_be(others: dict[PaperName, OwnValues]) -> None:
    said = {slip.name: slip for paper in OTHERS for slip in explained(paper, others[paper])}
    assert "on our lists they are identical" in said["two of one measure"].why
    assert said["least of each type"].should == "RBP, RR"
    assert said["rounded parts"].should == "0.83"
    assert said["one digit"].should == "0.80 and 0.82"
    assert "the product is 0 at every rank" in said["product over grades"].why
