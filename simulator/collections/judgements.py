"""Judgements and runs in either form: TREC's tables, or INEX's assessments and submissions."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from prum.simulator.collections.inex import is_xml, read_inex_assessments
from prum.simulator.collections.qrels import read_assessments
from prum.simulator.model.assessments import (
    Assessment,
    best_on_each_path,
    check_propagation,
    generalised,
    strict_ideals,
)
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import Opened

# A line of qrels, with its grade or assessment, and one of a run.
_JUDGEMENT = re.compile(rb"(?:[^ \t]+[ \t]+){3}([+-]?[0-9]+|E[^ \t]*)")
_RETRIEVED = re.compile(rb"(?:[^ \t]+[ \t]+){4}[+-.0-9eE]+[ \t]+[^ \t]+")

# Which elements are ideal by assessments: those assessed E3S3, or the best of each path.
IdealChoice = Literal["strict", "best"]

Assessed = Mapping[str, Mapping[str, Assessment]]


def assessed_in(file: Opened) -> Assessed | None:
    """Return the assessments of each topic, of INEX or in qrels; None if a file holds grades.

    Raises
    ------
    InputError, OSError
        as `read_inex_assessments` and `read_assessments`.
    """
    if is_xml(file.beginning, _JUDGEMENT):
        return read_inex_assessments(file)
    line = _JUDGEMENT.fullmatch(file.beginning.strip())
    return read_assessments(file) if line and line[1].startswith(b"E") else None


def is_trec_qrels(file: Opened) -> bool:
    """Return whether a file begins as TREC qrels do."""
    return _JUDGEMENT.fullmatch(file.beginning.strip()) is not None


def is_submission(file: Opened) -> bool:
    """Return whether a run is a submission of INEX, in XML, and not TREC's."""
    return is_xml(file.beginning, _RETRIEVED)


def assessed_ideals(
    assessed: Assessed, tree: Elements | None, choice: str, *, place: str
) -> dict[str, tuple[str, ...]]:
    """Return the ideals of each topic; those of "best" by the generalised quantisation.

    Raises
    ------
    InputError
        as `check_propagation`; for another choice, and for paths without elements.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40)})
    >>> judged = {"1": {"a": Assessment(3, 3), "b": Assessment(3, 3)}}
    >>> [assessed_ideals(judged, tree, choice, place="") for choice in ("strict", "best")]
    [{'1': ('a', 'b')}, {'1': ('b',)}]
    """
    if choice not in get_args(IdealChoice):
        rule = f"be one of {', '.join(get_args(IdealChoice))}"
        raise InputError("ideals", choice, rule, remedy="choose one")
    if tree is None and choice == "best":
        rule = "be chosen on paths of elements"
        raise InputError("ideals", choice, rule, remedy="give --elements")
    ideals = {}
    for topic, assessments in assessed.items():
        if tree is not None:
            check_propagation(assessments, tree, place=f"{place}, topic {topic}")
        if tree is None or choice == "strict":
            ideals[topic] = strict_ideals(assessments)
        else:
            worth = {element: generalised(found) for element, found in assessments.items()}
            ideals[topic] = best_on_each_path(worth, tree)
    return ideals
