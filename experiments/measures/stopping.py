"""The fifteen measures of users who stop: scores of one list, or of all of a run at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.ranked.classical import standard_precision_recall
from prum.analytic.ranked.scores import average_precision
from prum.analytic.utility.batch import utilities
from prum.analytic.utility.browsed import browsed_utility
from prum.analytic.utility.documents import GAINS, Gain, gains_of
from prum.analytic.utility.laws import STATIC
from prum.analytic.utility.measures import MEASURES as GRID
from prum.analytic.utility.measures import utility, utility_bounds
from prum.experiments.measures.definition import (
    JUDGED_ONLY,
    REL,
    Curve,
    Definition,
    Expected,
    Name,
    Parameter,
    SettingValue,
    proper_share,
    refused,
)
from prum.experiments.measures.judged import Judged, NoValueError, Ranking
from prum.simulator.model import InputError, Task
from prum.simulator.model.arrays import Floats

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
                "be used without gain, highest, theta by grade, normalised and residual",
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
        curve.whole, {**curve.cuts, "rank": lambda n: average_precision(ranking[: int(n)], ideals)}
    )


def _highest(
    judged: Judged, measure: str, grades: Mapping[str, float], gain: Gain, given: float | None
) -> float | None:
    """Return the highest grade of the scale: the one wanted, else that of all judgements."""
    if gain == "binary":
        if given is None:
            return None
        rule = "be used with gain or theta by grade"
        remedy = "leave it out, or write gain=exponential"
        raise InputError(f"highest of {measure}", given, rule, remedy=remedy)
    highest = max(grades.values()) if judged.grades is None else judged.collection.highest_grade
    if given is not None and given < highest:
        raise InputError(
            f"highest of {measure}",
            given,
            f"be at least {highest:g}, the highest grade judged",
            remedy="write ERR(convention=chapelle), or raise it"
            if measure == "ERR"
            else "raise it, or leave it out",
        )
    return float(highest if given is None else given)


def _browsed(
    judged: Judged, ranking: Ranking, measure: str, theta: float, base: float, navigation: str
) -> Curve:
    """Return a measure of users who also browse."""
    way = judged.navigation(navigation)
    if GRID[measure][0] not in STATIC and way.tossed is None:
        rule = "be independent where users stop at what they find"
        remedy = "take RBP, DCG or SumRR and their like, or independent"
        raise InputError(f"navigation of {measure}", navigation, rule, remedy=remedy)
    # How large the collection is doesn't matter.
    reach = reach_matrix(Task(ranking, judged.ideals, len(ranking) + len(judged.ideals)), way)
    return Curve.of_ranks(lambda n: browsed_utility(measure, reach[:n], theta=theta, base=base))


def _grades(judged: Judged, *, binary: bool) -> Mapping[str, float]:
    """Return the grade of each judged element: 1 for ideals and else 0, or as it was given.

    Negative grades mark what was pooled and not judged.
    """
    grades = judged.gains()
    if judged.grades is not None:
        grades = {x: gain for x, gain in grades.items() if x in judged.assessed}
    if binary:
        return {**dict.fromkeys(grades, 0.0), **dict.fromkeys(judged.ideals, 1.0)}
    if not any(grades.values()):
        raise NoValueError
    return grades


_STOPS = {
    "RBP": "each rank alike",
    "DCG": "as the logarithm's steps",
    "RR": "as reciprocal ranks' steps",
    "ERR": "each relevant element alike",
    "AP": "one relevant element at random",
    "RRR": "as SumRR's, at relevant elements",
}
_ABOUT = {
    "RBP": "rank-biased precision, of persistence p",
    "ERR": "expected reciprocal rank, as gdeval (INEX's ERR is GR)",
    "SumRR": "sum of the reciprocal ranks of relevant elements (Carterette's RR)",
}
_COUNTS = {
    "M1": "utility at the stop",
    "M2": "total utility",
    "M3": "reciprocal rank of the stop",
    "M4": "precision at the stop",
}


def scores_together(
    judged: Sequence[Judged],
    rankings: Sequence[Ranking],
    names: Sequence[str],
    cutoff: int | None,
    settings: Mapping[str, Any],
) -> Floats:
    """Return measures of binary relevance of many lists at once, (lists, names)."""
    lengths = np.array([len(ranking) for ranking in rankings])
    relevance = np.zeros((len(rankings), max(1, int(lengths.max()))), dtype=np.bool_)
    for row, (topic, ranking) in enumerate(zip(judged, rankings, strict=True)):
        unseen = set(topic.ideals)
        for rank in [rank for rank, element in enumerate(ranking) if element in unseen]:
            relevance[row, rank] = ranking[rank] in unseen
            unseen.discard(ranking[rank])
    theta = settings.get("theta")
    return utilities(
        list(names),
        relevance,
        [len(topic.ideals) for topic in judged],
        lengths=lengths,
        theta=theta_of(settings.get("p", 0.5), theta),
        base=settings.get("base", 2.0),
        cutoff=cutoff,
        normalised=settings["normalised"],
    )


def _is_plain(settings: Mapping[str, SettingValue]) -> bool:
    plain = settings["gain"] == "binary" and settings.get("theta") not in GAINS
    without = ("highest", "navigation", "rel")
    return plain and not settings["residual"] and all(settings[key] is None for key in without)


def _check(name: Name) -> None:
    """Raise if a setting has no say beside another."""
    settings = dict(name.settings)
    if "p" in settings and "theta" in settings:
        raise refused(name, "theta", "be used without p, which is 1 - theta")
    if "rel" in settings and settings.get("gain", "binary") != "binary":
        raise refused(name, "rel", "be used with gain=binary")
    if "convention" in settings and "highest" in settings:
        raise refused(name, "convention", "be used without highest, which it sets")
    if "convention" in settings and settings.get("theta", "linear") not in GAINS:
        raise refused(name, "convention", "be used without theta, which it sets")
    by_rank = {"gain", "highest", "normalised", "residual", "navigation"} & settings.keys()
    if name.measure == "AP" and by_rank and name.cutoff is not None and name.cutoff.kind != "rank":
        thing = f"cut-off of AP with {min(by_rank)}"
        rule, remedy = "be a rank (@10)", "correct what stands behind @"
        raise InputError(thing, str(name.cutoff), rule, remedy=remedy)


def _satisfied(convention: str, theta: float | str) -> float:
    """Return how likely an ideal, of grade 1, satisfies: as `gains_of` has it."""
    if not isinstance(theta, str):
        return theta
    highest = CONVENTIONS[convention] or 1.0
    return float(gains_of([1.0], theta, highest=highest)[0])


# Where ideals are uncertain.
_EXPECTED = {
    "RBP": Expected("rbp", ("p", "theta"), lambda p, theta: {"p": 1 - theta_of(p, theta)}),
    "DCG": Expected("dcg"),
    "ERR": Expected(
        "err",
        ("convention", "theta"),
        lambda convention, theta: {"stop": _satisfied(convention, theta)},
    ),
}


def _needs_ideals(settings: Mapping[str, SettingValue]) -> bool:
    """Return whether a measure is of ideals, and not of grades."""
    by_grade = settings["gain"] != "binary" or settings.get("theta") in GAINS
    return not by_grade or settings["navigation"] is not None


def _definition(name: str) -> Definition:
    distribution, model = GRID[name]
    gains = (*GAINS, GRADE) if distribution in STATIC else GAINS
    options = {
        "gain": Parameter(str, "binary", choices=gains),
        "highest": Parameter(float, is_optional=True, above=0),
        "normalised": Parameter(bool, False),
        "residual": Parameter(bool, False),
        "navigation": Parameter(str, is_optional=True),
        "rel": REL,
    }
    score: Callable[..., Curve] = stopping_score
    share = Parameter(float, 0.5, above=0, most=1)
    if distribution == "RBP":
        score = persistent_score
        options = {"p": proper_share(0.8), "theta": proper_share(None), **options}
    elif name == "ERR":
        score = satisfied_score
        theta = replace(share, default="exponential", words=GAINS[1:])
        convention = Parameter(str, "gdeval", choices=tuple(CONVENTIONS))
        options = {"convention": convention, "theta": theta, **options}
    elif distribution == "ERR":
        options = {"theta": replace(share, words=GAINS[1:]), **options}
    elif distribution == "DCG":
        options = {"base": Parameter(float, 2.0, above=1), **options}
    return Definition(
        _ABOUT.get(name, f"{_COUNTS[model]}, of users who stop {_STOPS[distribution]}"),
        partial(score, measure=name),
        options,
        ("rank",),
        admits_together=_is_plain,
        needs_ideals=_needs_ideals,
        check=_check,
        expected=_EXPECTED.get(name),
    )


# AP has the same value, and is read at recall too.
STOPPING_MEASURES: Mapping[str, Definition] = {
    name: _definition(name) for name in GRID if name != "AP"
}
_RANKED = _definition("AP")
AVERAGE_PRECISION = Definition(
    "average precision, as trec_eval 10",
    average_precision_score,
    {**_RANKED.options, "judged_only": JUDGED_ONLY},
    ("rank", "level", "recall"),
    needs_ideals=_needs_ideals,
    check=_check,
    expected=Expected("average_precision"),
)
