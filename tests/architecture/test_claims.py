"""What commands print is in the register of claims, which holds nothing else, each with a place."""

import re
from collections.abc import Iterable

import pytest

from prum.experiments.commands.main import COMMANDS as COMMANDS_OF_PRUM
from prum.experiments.studies.kit.registry import studies
from tests.answer_cases import planted
from tests.cases import CASES, answer, command_of, shared_folder
from tests.claims import (
    EXACT,
    OPEN,
    PAGE,
    ROOT,
    Claim,
    claims_by,
    claims_of,
    counts,
    page,
    register,
    wordings_of,
)
from tests.end_to_end.test_links_of_documents import anchors
from tests.random_answers import RANDOM, random_answer
from tests.tiers import examples, slow

# Cases of these commands take a tenth of a second.
QUICK = (
    "compare",
    "explore",
    "fit",
    "simulate",
    "study noisy-or",
    "study normal",
)
KNOWN = register()
STORIES = sorted((ROOT / "experiments" / "studies").glob("*/story.md"))
CLAIMS = [claim for claims in KNOWN.values() for claim in claims.values()]


def made(case: str, texts: Iterable[str]) -> set[tuple[str, str]]:
    """Return the claims that a case makes, and how; raise LookupError where one is unknown."""
    claims = claims_by(command_of(case), KNOWN)
    return {wording for text in texts for wording in wordings_of(text, claims)}


@pytest.mark.parametrize(
    "case", [pytest.param(x, marks=[] if command_of(x) in QUICK else [slow]) for x in CASES]
)
def test_what_is_printed_is_claimed(case: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert made(case, answer(case, shared_folder(tmp_path_factory))["texts"])


@pytest.mark.parametrize("command", RANDOM)
def test_what_random_input_prints_is_claimed(command: str) -> None:
    num = examples(30)
    assert sum(bool(made(command, random_answer(command, number))) for number in range(num)) > 9


@slow
def test_what_is_claimed_is_printed(tmp_path_factory: pytest.TempPathFactory) -> None:
    printed, shared = set[tuple[str, str]](), shared_folder(tmp_path_factory)
    for command in RANDOM:
        for number in range(100):
            printed |= made(command, random_answer(command, number))
    for case in CASES:
        printed |= made(case, answer(case, shared)["texts"])
    for case, result in planted().items():
        printed |= made(case, [result.view().headline, *result.view().sentences])
    assert unprinted(CLAIMS, printed) == []


def unprinted(claims: Iterable[Claim], printed: set[tuple[str, str]]) -> list[str]:
    """Return the wordings that are not printed, and stand in no study's story."""
    told = " ".join(map(_bare, (path.read_text("utf-8") for path in STORIES)))
    return [
        f"{claim.name}: {says}"
        for claim in claims
        for says in claim.says
        if (claim.name, says) not in printed and _bare(says) not in told
    ]


def _bare(wording: str) -> str:
    """Return a sentence without the names of what varies, what may be missing, and line breaks."""
    fixed = re.sub(r"{\w+\?}", "", wording)
    return re.sub(r"{[^{}]*}", "{}", " ".join(fixed.split())).rstrip(".")


def test_every_command_and_study_has_a_case_and_claims() -> None:
    commands = {name for some in COMMANDS_OF_PRUM.values() for name in some}
    every = {f"study {name}" for name in studies()} | commands - {"study", "list"}
    assert {command_of(case) for case in CASES} == every
    assert set(KNOWN) == every


# --- where claims are calibrated ------------------------------------------------------------------


def misplaced(claim: Claim) -> str:
    """Return what is wrong with the place where a claim is calibrated, "" if nothing is."""
    place, is_test, name = claim.calibrated.partition("::")
    path, _, anchor = place.partition("#")
    if claim.level.startswith(OPEN):
        return "is calibrated nowhere, and yet there" if place else ""
    if not (ROOT / path).is_file():
        return f"no file {path}"
    text = (ROOT / path).read_text("utf-8")
    if is_test and not re.search(rf"^def {name}\(", text, re.MULTILINE):
        return f"no {name} in {path}"
    return f"no #{anchor} in {path}" if anchor and anchor not in anchors(text) else ""


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_a_claim_is_calibrated_where_it_says(claim: Claim) -> None:
    assert misplaced(claim) == ""
    assert claim.false_if
    assert re.match(rf"{EXACT}|{OPEN}|(the|about|power|1 −|\d)", claim.level)


def test_the_page_is_made_of_the_register() -> None:
    assert PAGE.read_text("utf-8") == page()
    assert counts(KNOWN) in (ROOT / "docs" / "reliability.md").read_text("utf-8")


# --- what these tests find ------------------------------------------------------------------------

ONE = """
[a.best]
says = ["By {measure}, {system} is best.", "{system} is best{by?}."]
false_if = "another system is"
level = "5 %"
calibrated = "tests/claims.py::nothing"
"""
SAME = ONE.replace("a.best", "a.other")


def test_a_sentence_without_a_claim_is_found() -> None:
    claims = claims_by("a", register(ONE))
    assert claims_of("b. 1 is best. By AP, b is best.", claims) == ["a: best", "a: best"]
    with pytest.raises(LookupError, match=r"has no claim: It is nearly so\."):
        claims_of("b is best. It is nearly so.", claims)
    with pytest.raises(LookupError, match="has no claim: b is best, b"):
        claims_of("b is best, b", claims)


def test_a_sentence_of_two_claims_is_found() -> None:
    with pytest.raises(LookupError, match="a: best and a: other both claim: b is best"):
        claims_of("b is best.", claims_by("a", register(ONE + SAME)))
    longer = SAME.replace("is best{", "is best of all{")
    claims = claims_by("a", register(ONE + longer))
    assert claims_of("b is best of all by 3.", claims) == ["a: other"]


def test_a_claim_that_nothing_prints_is_found() -> None:
    (claim,) = claims_by("a", register(ONE))
    first, second = claim.says
    assert unprinted([claim], {("a: best", first)}) == [f"a: best: {second}"]
    assert unprinted([claim], {("a: best", says) for says in claim.says}) == []


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        ("tests/claims.py::nothing", "no nothing in tests/claims.py"),
        ("tests/nowhere.py", "no file tests/nowhere.py"),
        ("docs/reliability.md#nowhere", "no #nowhere in docs/reliability.md"),
        ("docs/reliability.md#killed", ""),
        ("tests/claims.py::register", ""),
    ],
)
def test_a_place_that_is_not_there_is_found(place: str, wrong: str) -> None:
    (claim,) = claims_by("a", register(ONE.replace("tests/claims.py::nothing", place)))
    assert misplaced(claim) == wrong
