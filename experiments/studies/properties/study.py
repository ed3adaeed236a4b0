"""Study: which measure has which property (Table IV), each cell decided by evidence.

Question. Table IV of Piwowarski, Gallinari and Dupret (2007) says of seven measures which of five
properties they have. Does a computation say the same, and what of further properties and measures?

Design. A property is a number of checks; all of them hold: yes, some: partial, none: no. Where half
of it is worth nothing, as with precision and recall, it is yes or no. A check is one of

- two lists and a relation between what the measure says of them, for all measures alike;
- simulated users, whose mean the measure claims to be, at each of its recall values or ranks;
- a search of random small tasks for a counter-example, which is then taken apart until nothing
  more can be left out. That none is found is no proof.

What a measure cannot take in, it does not get: RP knows E3S3 and nothing else; T2I reads on within
a document, 25 irrelevant words far; GRP, GRPng, xCG, nDCG and GradedPRUM take all assessments; GR
and EPRUM those of the ideals; PRUM the ideals. Measures without users do not see links.

Decisions. A measure is read as one number per list, GR at the list's end: what it says at each rank
is not asked. "Already returned" (overlap) means seen for certain: what holds an ideal leads to it
with probability 1 there; with less PRUM rightly pays for showing it to the other users. Table IV is
for XML, so its near misses are those in the ideal's document that reading on may find; others have
a row of their own. That what is found hangs on the order of overlapping results (recall
instability) counts in "stable recall base", not in "overlap".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from prum.experiments.frame.design import Design, Option, Seed
from prum.experiments.frame.study import Advance
from prum.experiments.studies.properties import cases
from prum.experiments.studies.properties.checks import (
    Check,
    CheckKind,
    CheckTrials,
    Evidence,
    Searched,
    Simulated,
    TwoLists,
    alone,
    furthest_out,
    moved_up,
    useless,
)
from prum.experiments.studies.properties.measures import MEASURES, ExaminedMeasure, RankedList

PropertyVerdict = Literal["yes", "partial", "no"]

_DRAWS = "Random tasks that each search tries."
_NOT_WORSE = "score of list a, where the ideal is higher, at least that of list b"

PROPERTIES: Mapping[str, tuple[Check, ...]] = {
    "precision and recall": (
        TwoLists(
            "fewer useless elements before the same finds", cases.FLAT, "hnk", "greater", "nhk"
        ),
        TwoLists("more finds in the same places", cases.FLAT, "hk", "greater", "hn"),
    ),
    "explicit user model": (
        Simulated("users who find one ideal at a time", cases.ONE_EACH, "xna"),
    ),
    "near misses": (
        TwoLists("what holds the ideal", cases.NEAR, "a", "greater", "n"),
        TwoLists("a part of the ideal", cases.NEAR, "b", "greater", "n"),
        TwoLists("the sibling before it", cases.NEAR, "e", "greater", "n"),
    ),
    "overlap": (
        TwoLists("a part of the ideal after it", cases.OUTER, "azb", "at most", "az"),
        TwoLists("the ideal after what holds it", cases.INNER, "azb", "at most", "az"),
        TwoLists("what holds the ideal after it", cases.INNER, "bza", "at most", "bz"),
    ),
    "graded assessments": (
        TwoLists("highly relevant for marginal", cases.GRADES, "hn", "greater", "mn"),
        TwoLists("marginal for irrelevant", cases.GRADES, "hkm", "greater", "hkn"),
    ),
    "exact for its users": (
        Simulated("users who find two ideals at a time", cases.TWO_AT_ONCE, "deoi"),
    ),
    "near misses elsewhere": (
        TwoLists("the sibling after the ideal", cases.NEAR, "g", "greater", "n"),
        TwoLists("a document that links to it", cases.NEAR, "w", "greater", "n"),
    ),
    "best entry points": (
        TwoLists("shows all ideals: recall", cases.ENTRY, "a", "at least", "bc", "recall"),
        TwoLists("shows all ideals: score", cases.ENTRY, "a", "at least", "bc"),
    ),
    "no reward for duplicates": (
        TwoLists("the ideal once more, last", cases.FLAT, "hkh", "at most", "hk"),
        TwoLists("the ideal once more, at once", cases.FLAT, "hhk", "at most", "hk"),
    ),
    "stable recall base": (
        TwoLists(
            "near misses are assessed, too",
            cases.OVERPOPULATED,
            "f",
            "equal",
            "f",
            "recall",
            cases.STRICT,
        ),
        TwoLists("the same elements the other way", cases.DRAMA, "cba", "equal", "abc", "recall"),
    ),
    "monotone": (
        Searched(
            "ideal up past what is useless",
            _NOT_WORSE,
            "at least",
            partial(moved_up, past=useless),
        ),
        Searched(
            "ideal to the top past a lower one",
            _NOT_WORSE,
            "at least",
            partial(moved_up, past=alone),
        ),
    ),
    "bounded": (
        Searched("all scores in [0, 1]", "numbers in [0, 1]", "equal", furthest_out),
        TwoLists(
            "near misses find no more than the ideals",
            cases.OVERPOPULATED,
            "ba",
            "at most",
            "f",
            "found",
        ),
    ),
}
# Those of which a part is worth nothing: yes or no.
_YES_OR_NO = ("precision and recall", "graded assessments")
# Table IV; what follows the verdict is its footnote, which story.md has.
_PAPER = {
    "RP": ("yes", "yes", "no", "no", "no"),
    "GRP": ("yes", "no", "partial", "no", "yes"),
    "GRPng": ("yes", "no", "partial", "partial", "yes"),
    "T2I": ("yes (a)", "yes", "yes", "yes", "no"),
    "xCG": ("yes", "no", "yes (b)", "yes (c)", "yes"),
    "GR": ("no", "yes", "yes", "yes", "yes"),
    "PRUM": ("yes", "yes", "yes", "yes", "no"),
}
PAPER: Mapping[tuple[str, str], str] = {
    (measure, name): cell
    for measure, column in _PAPER.items()
    for name, cell in zip(PROPERTIES, column, strict=False)
}


class PropertiesDesign(Design):
    """Options of the study of properties."""

    draws: Annotated[
        int, Option(_DRAWS, least=1, most=1_000_000, remedy="give a number of tasks")
    ] = 300
    seed: Seed = 1


@dataclass(frozen=True, slots=True)
class PropertiesRow:
    """The outcome of a check of a measure; fields that it did not need are None.

    `topic` is the name of `task`. Scores are of list a and list b, or of the users in place of
    list b, whose standard errors `z` counts.
    """

    measure: str
    property: str
    check: str
    kind: CheckKind
    topic: str | None
    task: str | None
    list_a: str | None
    list_b: str | None
    score_a: float | None
    score_b: float | None
    expected: str
    z: float | None
    holds: bool


@dataclass(frozen=True, slots=True)
class PropertyCell:
    """Whether a measure has a property, here and in the paper, if it is printed there."""

    measure: str
    property: str
    verdict: PropertyVerdict
    paper: str | None
    differs: bool


@dataclass(frozen=True, slots=True)
class PropertiesFindings:
    """The table, and what the fixed topics are."""

    verdicts: list[PropertyCell]
    topics: dict[str, str]


def compute(
    design: PropertiesDesign,
    progress: Advance,
    *,
    measures: Mapping[str, ExaminedMeasure] = MEASURES,
    properties: Mapping[str, Sequence[Check]] = PROPERTIES,
) -> tuple[list[PropertiesRow], PropertiesFindings]:
    """Return the evidence and the table."""
    trials = CheckTrials(design.draws, design.seed)
    rows: list[PropertiesRow] = []
    verdicts: list[PropertyCell] = []
    for number, (name, checks) in enumerate(properties.items()):
        for measure in measures.values():
            evidence = [check.of(measure, trials) for check in checks]
            rows += [
                _row(measure, name, check, result)
                for check, result in zip(checks, evidence, strict=True)
            ]
            verdict = _verdict(name, evidence)
            paper = PAPER.get((measure.name, name))
            differs = paper is not None and paper.split()[0] != verdict
            verdicts.append(PropertyCell(measure.name, name, verdict, paper, differs))
        progress((number + 1) / len(properties))
    topics = {case.name: str(case) for case in (*cases.CASES, *(case for case, _ in cases.KNOWN))}
    return rows, PropertiesFindings(verdicts, topics)


def _verdict(name: str, evidence: Sequence[Evidence]) -> PropertyVerdict:
    held = sum(result.holds for result in evidence)
    if held == len(evidence):
        return "yes"
    return "partial" if held and name not in _YES_OR_NO else "no"


def _row(measure: ExaminedMeasure, name: str, check: Check, result: Evidence) -> PropertiesRow:
    return PropertiesRow(
        measure=measure.name,
        property=name,
        check=check.name,
        kind=check.kind,
        topic=None if result.case is None else result.case.name,
        task=None if result.case is None else str(result.case),
        list_a=_text(result.list_a),
        list_b=_text(result.list_b),
        score_a=result.a,
        score_b=result.b,
        expected=result.expected,
        z=result.z,
        holds=result.holds,
    )


def _text(ranking: RankedList | None) -> str | None:
    return None if ranking is None else " ".join(ranking)
