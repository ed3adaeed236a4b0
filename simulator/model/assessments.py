"""Assessments of elements on INEX's two scales, what they are worth, and which are ideal."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError, whole_number

_HIGHEST = 3
_TEXT = re.compile(r"E([0-3])S([0-3])")


class Assessment(NamedTuple):
    """How exhaustively an element discusses a topic and how specifically, 0 to 3 each.

    Written like INEX's E3S2: exhaustivity is how much of the topic the element covers, specificity
    how much of the element is about the topic. Either is 0 if and only if the other is.

    >>> str(Assessment(3, 2)), assessment_of("E3S2").specificity
    ('E3S2', 2)
    """

    exhaustivity: int
    specificity: int

    def __str__(self) -> str:
        return f"E{self.exhaustivity}S{self.specificity}"


def assessment_of(text: str, *, place: str = "") -> Assessment:
    """Return the assessment that is written like E3S2."""
    written = _TEXT.fullmatch(text)
    if written is None:
        rule = "be written like E3S2, with 0 to 3 on both scales"
        raise InputError("assessment", text, rule, remedy="correct it", place=place)
    return checked_assessment((int(written[1]), int(written[2])), place=place)


def checked_assessment(assessment: tuple[int, int], *, place: str = "") -> Assessment:
    """Return the assessment of two numbers.

    Raise InputError if either is not a whole number from 0 to 3, or only one of them is 0.
    """
    exhaustivity, specificity = (
        whole_number(name, value, least=0, most=_HIGHEST, remedy="correct it", place=place)
        for name, value in zip(("exhaustivity", "specificity"), assessment, strict=True)
    )
    checked = Assessment(exhaustivity, specificity)
    if (exhaustivity == 0) != (specificity == 0):
        rule, remedy = "be E0S0 if either scale is 0", "correct the other scale"
        raise InputError("assessment", str(checked), rule, remedy=remedy, place=place)
    return checked


def on_unit_scale(level: int) -> float:
    """Return 0, 1/3, 2/3 or 1 for 0, 1, 2 or 3 on either scale.

    The q of GRPng (Piwowarski, Gallinari and Dupret 2007, appendix C.2).
    """
    return level / _HIGHEST


def strict(assessment: Assessment) -> float:
    """Return 1 for E3S3, else 0.

    >>> strict(Assessment(3, 3)), strict(Assessment(3, 2))
    (1.0, 0.0)
    """
    return float(assessment == (_HIGHEST, _HIGHEST))


def generalised(assessment: Assessment) -> float:
    """Return what an element is worth by INEX's generalised quantisation.

    1 for E3S3; .75 for E2S3, E3S2, E3S1; .5 for E1S3, E2S2, E2S1; .25 for E1S1, E1S2; 0 for E0S0
    (Piwowarski, Gallinari and Dupret 2007, appendix C.1).

    >>> [generalised(Assessment(e, 2)) for e in (1, 2, 3)]
    [0.25, 0.5, 0.75]
    """
    return _GENERALISED[assessment]


_GENERALISED = {
    (3, 3): 1.0,
    **dict.fromkeys([(2, 3), (3, 2), (3, 1)], 0.75),
    **dict.fromkeys([(1, 3), (2, 2), (2, 1)], 0.5),
    **dict.fromkeys([(1, 1), (1, 2)], 0.25),
    (0, 0): 0.0,
}

# Ways to turn an assessment into relevance in [0, 1], by name.
QUANTISATIONS: Mapping[str, Callable[[Assessment], float]] = {
    "generalised": generalised,
    "strict": strict,
}


def check_propagation(
    assessments: Mapping[str, Assessment], elements: Elements, *, place: str = ""
) -> None:
    """Raise if assessments contradict the tree: what an element covers, its ancestors cover too.

    Every ancestor of an element with exhaustivity e > 0 is assessed, with at least e.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40)})
    >>> check_propagation({"a": Assessment(1, 1), "b": Assessment(2, 3)}, tree)
    Traceback (most recent call last):
        ...
    prum.simulator.model.errors.InputError: assessment of 'a' is 'E1S1', must be at least as \
exhaustive as E2S3 of 'b', which it contains; assess 'a' at least E2, or 'b' lower
    """
    for element, assessment in assessments.items():
        if element not in elements.code:
            rule, remedy = "be in the table of elements", "check its id, or give all elements"
            raise InputError("assessed element", element, rule, remedy=remedy, place=place)
        parent = int(elements.parents[elements.code[element]])
        if assessment.exhaustivity == 0 or parent < 0:
            continue
        # Each parent is checked against its own children, so all ancestors are.
        above = elements.ids[parent]
        held = assessments.get(above)
        least = f"E{assessment.exhaustivity}"
        if held is None or held.exhaustivity < assessment.exhaustivity:
            raise InputError(
                f"assessment of {above!r}",
                "missing" if held is None else str(held),
                f"be at least as exhaustive as {assessment} of {element!r}, which it contains",
                remedy=f"assess {above!r} at least {least}, or {element!r} lower",
                place=place,
            )


def strict_ideals(assessments: Mapping[str, Assessment]) -> tuple[str, ...]:
    """Return the elements assessed E3S3, sorted.

    They may contain each other.

    >>> strict_ideals({"a": Assessment(3, 2), "c": Assessment(3, 3)})
    ('c',)
    """
    return tuple(sorted(element for element, value in assessments.items() if strict(value)))


def best_on_each_path(relevance: Mapping[str, float], elements: Elements) -> tuple[str, ...]:
    """Return ideals of which none contains another, the best of each path first.

    Of all elements of positive relevance take the most relevant; among equals the deepest, then the
    first in document order. Leave out all that contain it or that it contains, and go on with the
    rest. So every path from a document down holds at most one ideal, and an element is passed over
    only for another, at least as relevant, on its path. Sorted.

    >>> tree = Elements({"a": (None, 60), "b": ("a", 40), "c": ("b", 10), "d": ("a", 10)})
    >>> best_on_each_path({"a": 0.75, "b": 0.75, "c": 1.0, "d": 0.5}, tree)
    ('c', 'd')
    """
    numbered = [(elements.number(x), value) for x, value in relevance.items() if value > 0]
    numbered.sort(key=lambda pair: (-pair[1], -int(elements.depths[pair[0]]), pair[0]))
    holds_ideal = np.zeros(len(elements), dtype=np.bool_)
    chosen = set[int]()
    for number, _ in numbered:
        path = [number]
        while (above := int(elements.parents[path[-1]])) >= 0:
            path.append(above)
        if holds_ideal[number] or not chosen.isdisjoint(path):
            continue
        chosen.add(number)
        holds_ideal[path] = True
    return tuple(sorted(elements.ids[number] for number in chosen))
