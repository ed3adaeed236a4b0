"""Scores of one list by users who stop: the fifteen measures, with their gains and navigation."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.ranked.classical import standard_precision_recall
from prum.analytic.ranked.scores import average_precision
from prum.analytic.utility.browsed import browsed_utility
from prum.analytic.utility.distributions import STATIC
from prum.analytic.utility.documents import GAINS, Gain
from prum.analytic.utility.measures import MEASURES as GRID
from prum.analytic.utility.measures import utility
from prum.analytic.utility.residuals import utility_bounds
from prum.experiments.measures.definition import Curve
from prum.experiments.measures.judged import Judged, NoValueError, Ranking
from prum.simulator.model import InputError, Task

# gdeval's scale, whatever the judgements hold; that of the judgements.
CONVENTIONS = {"gdeval": 4.0, "chapelle": None}
# Grades as they are, which no probability is made of.
GRADE = "grade"


def stopping_score(
    judged: Judged,
    ranking: Ranking,
    measure: str,
    gain: Gain,
    highest: float | None,
    normalised: bool,
    residual: bool,
    navigation: str | None,
    theta: float | Gain = 0.5,
    base: float = 2.0,
) -> Curve:
    """Return a measure of one list, at its end and at a rank."""
    if navigation is not None:
        by_grade = gain != "binary" or highest is not None
        if by_grade or normalised or residual or not isinstance(theta, float):
            raise InputError(
                f"navigation of {measure}",
                navigation,
                "stand without gain, highest, theta by grade, normalised and residual",
                remedy="write ERR(theta=0.5,navigation=...)"
                if measure == "ERR"
                else "leave them out: who browses finds ideals",
            )
        return _browsed(judged, ranking, measure, theta, base, navigation)
    if theta in GAINS and gain == "binary":
        gain = theta  # what satisfies by its grade is worth as much
    grades = _grades(judged, binary=gain == "binary")
    top = _highest(judged, measure, grades, gain, highest)
    if gain == GRADE:
        levels = range(int(top or 0) + 1)  # of what is not judged
        gain = {grade: grade for grade in map(float, (*grades.values(), *levels))}
    by_rank = np.full(len(ranking), np.nan)
    seen = set[str]()
    for rank, element in enumerate(ranking):
        # An element is worth nothing the second time; what is not judged stays open.
        by_rank[rank] = 0.0 if element in seen else grades.get(element, np.nan)
        seen.add(element)

    arguments = measure, by_rank, list(grades.values())
    settings: dict[str, Any] = {
        "theta": theta,
        "base": base,
        "gain": gain,
        "highest": top,
        "normalised": normalised,
    }

    def value(cutoff: int | None) -> float:
        if not residual:
            return utility(*arguments, cutoff=cutoff, **settings)
        beyond = measure == "RBP" and not normalised
        low, high = utility_bounds(*arguments, cutoff=cutoff, beyond=beyond, **settings)
        return high - low

    return Curve.of_ranks(value)


def persistent_score(
    judged: Judged, ranking: Ranking, p: float, theta: float | None, **others: Any
) -> Curve:
    """Return a measure of users who stop at each rank alike."""
    return stopping_score(judged, ranking, theta=theta_of(p, theta), **others)


def theta_of(p: float, theta: float | None) -> float:
    """Return the chance to stop, which may be said by the persistence p = 1 - theta."""
    return 1 - p if theta is None else theta


def satisfied_score(
    judged: Judged,
    ranking: Ranking,
    convention: str,
    theta: float | str,
    gain: Gain,
    highest: float | None,
    navigation: str | None,
    **others: Any,
) -> Curve:
    """Return ERR."""
    if theta in GAINS and navigation is None:
        if judged.grades is None:
            raise InputError(
                "judgements", "assessments", "be grades for ERR", remedy="write ERR(theta=0.5)"
            )
        highest = CONVENTIONS[convention] if highest is None else highest
    return stopping_score(
        judged, ranking, theta=theta, gain=gain, highest=highest, navigation=navigation, **others
    )


def average_precision_score(judged: Judged, ranking: Ranking, **settings: Any) -> Curve:
    """Return AP: trec_eval's if it is plain, read at ranks or at recall."""
    plain = {"gain": "binary", "normalised": False, "residual": False}
    if any(value != plain.get(key) for key, value in settings.items()):
        return stopping_score(judged, ranking, measure="AP", **settings)
    ideals = judged.ideals
    curve = Curve.of_recall(standard_precision_recall(ranking, ideals))
    return Curve(
        curve.whole, {**curve.at, "rank": lambda n: average_precision(ranking[: int(n)], ideals)}
    )


def _highest(
    judged: Judged, measure: str, grades: Mapping[str, float], gain: Gain, wanted: float | None
) -> float | None:
    """Return the highest grade of the scale: the one wanted, else that of all judgements."""
    if gain == "binary":
        if wanted is None:
            return None
        raise InputError(
            f"highest of {measure}",
            wanted,
            "stand with gain or theta by grade",
            remedy="leave it out, or write gain=exponential",
        )
    known = max(grades.values()) if judged.grades is None else judged.collection.highest_grade
    if wanted is not None and wanted < known:
        raise InputError(
            f"highest of {measure}",
            wanted,
            f"be at least {known:g}, the highest grade judged",
            remedy="write ERR(convention=chapelle), or raise it"
            if measure == "ERR"
            else "raise it, or leave it out",
        )
    return float(known if wanted is None else wanted)


def _browsed(
    judged: Judged, ranking: Ranking, measure: str, theta: float, base: float, navigation: str
) -> Curve:
    """Return a measure of users who also browse."""
    way = judged.navigation(navigation)
    if GRID[measure][0] not in STATIC and way.tossed is None:
        raise InputError(
            f"navigation of {measure}",
            navigation,
            "be independent where users stop at what they find",
            remedy="take RBP, DCG or SumRR and their like, or independent",
        )
    # How large the collection is doesn't matter.
    reach = reach_matrix(Task(ranking, judged.ideals, len(ranking) + len(judged.ideals)), way)
    return Curve.of_ranks(lambda n: browsed_utility(measure, reach[:n], theta=theta, base=base))


def _grades(judged: Judged, *, binary: bool) -> Mapping[str, float]:
    """Return the grade of each judged element: 1 for ideals and else 0, or as it was given.

    Negative grades mark what was pooled and not judged.
    """
    grades = judged.gains()
    if judged.grades is not None:
        grades = {x: gain for x, gain in grades.items() if x in judged.known}
    if binary:
        return {**dict.fromkeys(grades, 0.0), **dict.fromkeys(judged.ideals, 1.0)}
    if not any(grades.values()):
        raise NoValueError
    return grades
