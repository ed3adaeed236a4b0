"""The properties, the checks that decide them, and the cells that the paper prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from prum.experiments.studies.properties import cases
from prum.experiments.studies.properties.checks import (
    Check,
    Searched,
    Simulated,
    TwoLists,
    alone,
    furthest_out,
    moved_up,
    useless,
)


@dataclass(frozen=True, slots=True)
class Property:
    """A row of the table.

    Parameters
    ----------
    name
        For people to read.
    checks
        All hold: yes.
    grades
        Whether some of them are worth something: partial, where they are not all.
    """

    name: str
    checks: tuple[Check, ...]
    grades: bool = True


_NOT_WORSE = "score of list a, where the ideal is higher, at least that of list b"

PROPERTIES = (
    Property(
        "precision and recall",
        (
            TwoLists("fewer useless elements before the same finds", cases.FLAT, "hnk", "greater",
                     "nhk"),
            TwoLists("more finds in the same places", cases.FLAT, "hk", "greater", "hn"),
        ),
        grades=False,
    ),
    Property(
        "explicit user model",
        (Simulated("users who find one ideal at a time", cases.ONE_EACH, "xna"),),
    ),
    Property(
        "near misses",
        (
            TwoLists("what holds the ideal", cases.NEAR, "a", "greater", "n"),
            TwoLists("a part of the ideal", cases.NEAR, "b", "greater", "n"),
            TwoLists("the sibling before it", cases.NEAR, "e", "greater", "n"),
        ),
    ),
    Property(
        "overlap",
        (
            TwoLists("a part of the ideal after it", cases.OUTER, "azb", "at most", "az"),
            TwoLists("the ideal after what holds it", cases.INNER, "azb", "at most", "az"),
            TwoLists("what holds the ideal after it", cases.INNER, "bza", "at most", "bz"),
        ),
    ),
    Property(
        "graded assessments",
        (
            TwoLists("highly relevant for marginal", cases.GRADES, "hn", "greater", "mn"),
            TwoLists("marginal for irrelevant", cases.GRADES, "hkm", "greater", "hkn"),
        ),
        grades=False,
    ),
    Property(
        "exact for its users",
        (Simulated("users who find two ideals at a time", cases.TWO_AT_ONCE, "deoi"),),
    ),
    Property(
        "near misses elsewhere",
        (
            TwoLists("the sibling after the ideal", cases.NEAR, "g", "greater", "n"),
            TwoLists("a document that links to it", cases.NEAR, "w", "greater", "n"),
        ),
    ),
    Property(
        "best entry points",
        (
            TwoLists("shows all ideals: recall", cases.ENTRY, "a", "at least", "bc", "recall"),
            TwoLists("shows all ideals: score", cases.ENTRY, "a", "at least", "bc"),
        ),
    ),
    Property(
        "no reward for duplicates",
        (
            TwoLists("the ideal once more, last", cases.FLAT, "hkh", "at most", "hk"),
            TwoLists("the ideal once more, at once", cases.FLAT, "hhk", "at most", "hk"),
        ),
    ),
    Property(
        "stable recall base",
        (
            TwoLists("near misses are assessed, too", cases.OVERPOPULATED, "f", "equal", "f",
                     "recall", cases.STRICT),
            TwoLists("the same elements the other way", cases.DRAMA, "cba", "equal", "abc",
                     "recall"),
        ),
    ),
    Property(
        "monotone",
        (
            Searched("ideal up past what is useless", _NOT_WORSE, "at least",
                     partial(moved_up, past=useless)),
            Searched("ideal to the top past a lower one", _NOT_WORSE, "at least",
                     partial(moved_up, past=alone)),
        ),
    ),
    Property(
        "bounded",
        (
            Searched("all scores in [0, 1]", "numbers in [0, 1]", "equal", furthest_out),
            TwoLists("near misses find no more than the ideals", cases.OVERPOPULATED, "ba",
                     "at most", "f", "found"),
        ),
    ),
)  # fmt: skip

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
    (measure, examined.name): cell
    for measure, column in _PAPER.items()
    for examined, cell in zip(PROPERTIES, column, strict=False)
}
