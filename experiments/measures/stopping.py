"""The fifteen measures of users who stop, in `prum evaluate`: one list, or all of a run at once."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.utility.batch import utilities
from prum.analytic.utility.browsed import browsed_utility
from prum.analytic.utility.distributions import STATIC
from prum.analytic.utility.grades import Gain
from prum.analytic.utility.measures import MEASURES as GRID
from prum.analytic.utility.measures import utility
from prum.analytic.utility.residuals import utility_bounds
from prum.experiments.measures.definition import Curve, Definition, Parameter
from prum.experiments.measures.judged import Judged, NoValueError, Ranking
from prum.experiments.measures.names import Setting
from prum.simulator.model import Independent, InputError, Task
from prum.simulator.model.arrays import Floats

_GAINS = ("binary", "linear", "exponential")
_STOPS = {
    "RBP": "each rank alike",
    "DCG": "as the logarithm's steps",
    "RR": "as reciprocal ranks' steps",
    "ERR": "each relevant element alike",
    "AP": "one relevant element at random",
    "RRR": "as RR, at relevant elements",
}
_NOTES = {"RR": "the sum of rel_k / k (Carterette 2011), not the reciprocal rank"}
_COUNTS = {
    "M1": "utility at the stop",
    "M2": "total utility",
    "M3": "reciprocal rank of the stop",
    "M4": "precision at the stop",
}


def _score(
    judged: Judged,
    ranking: Ranking,
    measure: str,
    theta: float | Gain,
    base: float,
    gain: Gain,
    highest: float | None,
    normalised: bool,
    residual: bool,
    navigation: str | None,
) -> Curve:
    """Return a measure of one list, at its end and at a rank."""
    if navigation is not None:
        by_grade = gain != "binary" or highest is not None
        if by_grade or normalised or residual or not isinstance(theta, float):
            raise InputError(
                f"navigation of {measure}",
                navigation,
                "stand without gain, highest, theta by grade, normalised and residual",
                remedy="leave them out: who browses finds ideals",
            )
        return _browsed(judged, ranking, measure, theta, base, navigation)
    if theta in _GAINS and gain == "binary":
        gain = theta  # what satisfies by its grade is worth as much
    grades = _grades(judged, binary=gain == "binary")
    top = _highest(judged, measure, grades, gain, highest)
    by_rank = np.full(len(ranking), np.nan)
    seen = set[str]()
    for rank, element in enumerate(ranking):
        # An element is worth nothing the second time; what is not judged stays open.
        by_rank[rank] = 0.0 if element in seen else grades.get(element, np.nan)
        seen.add(element)

    def value(cutoff: int | None) -> float:
        arguments = measure, by_rank, list(grades.values())
        if not residual:
            return utility(
                *arguments, theta=theta, base=base, gain=gain, highest=top, cutoff=cutoff,
                normalised=normalised,
            )  # fmt: skip
        low, high = utility_bounds(
            *arguments, theta=theta, base=base, gain=gain, highest=top, cutoff=cutoff,
            normalised=normalised, beyond=measure == "RBP" and not normalised,
        )  # fmt: skip
        return high - low

    return Curve(lambda: value(None), {"rank": lambda n: value(int(n))})


def _highest(
    judged: Judged, measure: str, grades: Mapping[str, float], gain: Gain, wanted: float | None
) -> float | None:
    """Return the highest grade of the scale: the one wanted, else that of all judgements."""
    if gain == "binary":
        if wanted is None:
            return None
        raise InputError(
            f"highest of {measure}", wanted, "stand with gain or theta by grade",
            remedy="leave it out, or write gain=exponential",
        )  # fmt: skip
    known = max(grades.values()) if judged.grades is None else judged.collection.highest_grade
    if wanted is not None and wanted < known:
        raise InputError(
            f"highest of {measure}", wanted, f"be at least {known:g}, the highest grade judged",
            remedy="raise it, or leave it out",
        )  # fmt: skip
    return float(known if wanted is None else wanted)


def _browsed(
    judged: Judged, ranking: Ranking, measure: str, theta: float, base: float, navigation: str
) -> Curve:
    """Return a measure of users who also browse."""
    way = judged.navigation(navigation)
    if GRID[measure][0] not in STATIC and not isinstance(way, Independent):
        raise InputError(
            f"navigation of {measure}",
            navigation,
            "be independent where users stop at what they find",
            remedy="take RBP, DCG or RR and their like, or independent",
        )
    # How large the collection is doesn't matter.
    reach = reach_matrix(Task(ranking, judged.ideals, len(ranking) + len(judged.ideals)), way)

    def value(n: int) -> float:
        return browsed_utility(measure, reach[:n], theta=theta, base=base)

    return Curve(lambda: value(len(ranking)), {"rank": lambda n: value(int(n))})


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


def scores_together(
    judged: Sequence[Judged],
    rankings: Sequence[Ranking],
    names: Sequence[str],
    cutoff: int | None,
    *,
    theta: float,
    base: float,
    normalised: bool,
) -> Floats:
    """Return measures of binary relevance of many lists at once, (lists, names)."""
    lengths = np.array([len(ranking) for ranking in rankings])
    relevance = np.zeros((len(rankings), max(1, int(lengths.max()))), dtype=np.bool_)
    for row, (topic, ranking) in enumerate(zip(judged, rankings, strict=True)):
        wanted = set(topic.ideals)
        for rank in [rank for rank, element in enumerate(ranking) if element in wanted]:
            relevance[row, rank] = ranking[rank] in wanted
            wanted.discard(ranking[rank])
    return utilities(
        list(names), relevance, [len(topic.ideals) for topic in judged], lengths=lengths,
        theta=theta, base=base, cutoff=cutoff, normalised=normalised,
    )  # fmt: skip


def _is_plain(settings: Mapping[str, Setting]) -> bool:
    plain = settings["gain"] == "binary" and settings["theta"] not in _GAINS
    return (
        plain and not settings["residual"] and settings["navigation"] is settings["highest"] is None
    )


def _definition(name: str) -> Definition:
    distribution, model = GRID[name]
    by_grade = _GAINS[1:] if distribution == "ERR" else ()
    return Definition(
        f"{_COUNTS[model]}, of users who stop {_STOPS[distribution]}",
        partial(_score, measure=name),
        {
            "theta": Parameter(float, 0.5, words=by_grade, least=0, most=1, more_than_least=True),
            "base": Parameter(float, 2.0, least=1, more_than_least=True),
            "gain": Parameter(str, "binary", choices=_GAINS),
            "highest": Parameter(float, is_optional=True, least=0, more_than_least=True),
            "normalised": Parameter(bool, False),
            "residual": Parameter(bool, False),
            "navigation": Parameter(str, is_optional=True),
        },
        ("rank",),
        admits_together=_is_plain,
        note=_NOTES.get(name, ""),
    )


# AP is there already, read at recall.
STOPPING_MEASURES: Mapping[str, Definition] = {
    name: _definition(name) for name in GRID if name != "AP"
}
