"""Printed sentences with an error rate: a small command prints each, and a test measures it."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from prum.experiments.commands.main import COMMANDS as COMMANDS_OF_PRUM
from prum.experiments.studies.kit.registry import studies
from tests.answer_cases import planted
from tests.cases import CASES, answer, command_of, shared_folder
from tests.end_to_end.test_links_of_documents import anchors
from tests.tiers import slow

ROOT = Path(__file__).parents[2]
REGISTER = ROOT / "docs" / "claims.toml"
STORIES = sorted((ROOT / "experiments" / "studies").glob("*/story.md"))
# Cases of these commands take a tenth of a second.
QUICK = ("explore",)
# Whose sentences are those of another command, too.
SHARED = {"evaluate": "compare"}
_VARIES = re.compile(r"\{(\w+)(\??)\}")
# What stands before sentences on one of several campaigns.
_CAMPAIGN = r"(?:\S+: )?"


@dataclass(frozen=True)
class Claim:
    """An entry of the register; see its head for what each field is."""

    name: str
    says: tuple[str, ...]
    false_if: str
    level: str
    measured: str

    @cached_property
    def patterns(self) -> list[tuple[int, str, re.Pattern[str]]]:
        """How many letters of each wording are fixed, the wording, and what it matches."""
        return [_pattern(text) for text in self.says]


def _pattern(wording: str) -> tuple[int, str, re.Pattern[str]]:
    def varying(place: re.Match[str]) -> str:
        return _CAMPAIGN if place[1] == "campaign" else f".{'*' if place[2] else '+'}?"

    fixed = "".join(_VARIES.split(wording)[::3])
    escaped = re.sub(r"\\{(\w+)(\\\?)?\\}", varying, re.escape(wording))
    return len(fixed), wording, re.compile(escaped, re.DOTALL)


def register(text: str) -> Mapping[str, list[Claim]]:
    """Return the claims of each command."""
    return {
        command: [
            Claim(f"{command}: {name}", (says,) if isinstance(says, str) else tuple(says), **more)
            for name, claim in claims.items()
            for says, more in [(claim.pop("says"), claim)]
        ]
        for command, claims in tomllib.loads(text).items()
    }


KNOWN = register(REGISTER.read_text("utf-8"))
CLAIMS = [claim for claims in KNOWN.values() for claim in claims]


def claimed(texts: Iterable[str], claims: Iterable[Claim]) -> set[tuple[str, str]]:
    """Return the claims that texts make, and in which words: those with most fixed letters.

    A sentence ends with a full stop and a blank.
    """
    patterns = [(*pattern, claim.name) for claim in claims for pattern in claim.patterns]
    found = set[tuple[str, str]]()
    for text in texts:
        ends = [end.end() for end in re.finditer(r"\.(?= )", text)] + [len(text)]
        for begin in (0, *ends):
            sentences = (text[begin:end].strip() for end in ends if end > begin)
            fits = ([x for x in patterns if x[2].fullmatch(said)] for said in sentences)
            if best := next(filter(None, fits), None):
                _, says, _, name = max(best, key=lambda fit: (fit[0], fit[3], fit[1]))
                found.add((name, says))
    return found


def unprinted(claims: Iterable[Claim], texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the wordings that no text has, and that stand in no study's story."""
    claims = tuple(claims)
    told = " ".join(_bare(path.read_text("utf-8")) for path in STORIES)
    every = {
        (claim.name, says) for claim in claims for says in claim.says if _bare(says) not in told
    }
    return sorted(every - claimed(texts, claims))


def _bare(wording: str) -> str:
    """Return a sentence without the names of what varies, what may be missing, and line breaks."""
    fixed = re.sub(r"{\w+\?}", "", wording)
    return re.sub(r"{[^{}]*}", "{}", " ".join(fixed.split())).rstrip(".")


@pytest.mark.parametrize(
    "command", [pytest.param(x, marks=[] if x in QUICK else [slow]) for x in KNOWN]
)
def test_what_is_claimed_is_printed(command: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    by = {command, *(other for other, shared in SHARED.items() if shared == command)}
    shared = shared_folder(tmp_path_factory)
    texts = [
        text for case in CASES if command_of(case) in by for text in answer(case, shared)["texts"]
    ]
    for case, result in planted().items():
        if command_of(case) in by:
            texts += [result.view().headline, *result.view().sentences]
    assert unprinted(KNOWN[command], texts) == []


def test_every_command_and_study_has_a_case() -> None:
    commands = {name for some in COMMANDS_OF_PRUM.values() for name in some}
    every = {f"study {name}" for name in studies()} | commands - {"study", "list"}
    small = "give each a small run in tests/small_commands.py"
    assert {command_of(case) for case in CASES} == every, small
    assert set(KNOWN) <= every


# --- where claims are measured --------------------------------------------------------------------


def misplaced(measured: str) -> str:
    """Return what is wrong with the place where a claim is measured, "" if nothing is."""
    place, is_test, name = measured.partition("::")
    path, _, anchor = place.partition("#")
    if not (ROOT / path).is_file():
        return f"no file {path}"
    text = (ROOT / path).read_text("utf-8")
    if is_test and not re.search(rf"^def {name}\(", text, re.MULTILINE):
        return f"no {name} in {path}"
    return f"no #{anchor} in {path}" if anchor and anchor not in anchors(text) else ""


def test_claims_are_measured_where_they_say() -> None:
    assert CLAIMS
    for claim in CLAIMS:
        assert misplaced(claim.measured) == "", claim.name
        assert claim.false_if, claim.name
        assert re.search(r"\d|rate", claim.level), claim.name
    for place, wrong in {
        "tests/answer_cases.py::nothing": "no nothing in tests/answer_cases.py",
        "tests/nowhere.py": "no file tests/nowhere.py",
        "docs/statistics.md#nowhere": "no #nowhere in docs/statistics.md",
        "docs/statistics.md#killed": "",
        "tests/answer_cases.py::planted": "",
    }.items():
        assert misplaced(place) == wrong


def test_a_claim_that_nothing_prints_is_found() -> None:
    """Negative control."""
    claim = Claim("best", ("By {measure}, {x} is best.", "{x} is ahead{by?}."), "", "", "")
    first, second = claim.says
    assert unprinted([claim], ["It is so. By AP, b is best. It is nearly so."]) == [
        ("best", second)
    ]
    assert unprinted([claim], ["b is ahead by 3."]) == [("best", first)]
    assert unprinted([claim], ["By AP, b is best.", "b. 1 is ahead."]) == []
