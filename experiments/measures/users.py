"""Users who stop with a goal, as cwl_eval scores them (INST to NERR), or as time runs out (TBG).

GAP and NCU are of users who stop at relevant elements, by grade; EBU of users who click and leave.

Gains of users with a goal are grades, from `min_rel` (worth 0) to `max_rel` (worth 1), which is the
highest grade of the judgements by default; what is beyond them counts as they do. What is unjudged
is worth 0, and so is an element that stands in the list a second time (cwl_eval counts it again). A
topic without gain has 0. TBG is time-biased gain: what a list is worth to users whose patience runs
out by the second.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from prum.analytic.utility.cwl import goal_law
from prum.analytic.utility.graded import (
    browsing_utility,
    cumulated_utility,
    graded_average_precision,
)
from prum.analytic.utility.time_biased import time_biased_gain
from prum.experiments.measures.definition import (
    QUANTISATION,
    REL,
    Curve,
    Definition,
    Parameter,
    proper_share,
    share,
)
from prum.experiments.measures.judged import Judged, NoValueError, Ranking
from prum.simulator.collections.costs import in_words
from prum.simulator.collections.qrels import reaches
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

# The ranks that cwl_eval looks at, whatever the length of the list.
_DEPTH = 1000


def _goal_score(
    judged: Judged,
    ranking: Ranking,
    measure: str,
    min_rel: int,
    max_rel: int | None,
    T: float = 1.0,
    p: float = 0.9,
) -> Curve:
    """Return a measure of one list, at cwl_eval's depth or for users who go no further."""
    highest = 1 if judged.grades is None else judged.collection.highest_grade
    top = highest if max_rel is None else max_rel
    if top <= min_rel:
        rule, remedy = f"be more than min_rel, {min_rel}", "give the highest grade of the scale"
        raise InputError(f"max_rel of {measure}", top, rule, remedy=remedy)
    left = dict(judged.gains())
    by_rank = np.array([left.pop(element, min_rel) for element in ranking], dtype=np.float64)
    gains = (by_rank.clip(min_rel, top) - min_rel) / (top - min_rel)

    def value(depth: int) -> float:
        law = goal_law(measure, gains, T=T, p=p, depth=depth)
        return law.expected_utility(gains)

    return Curve.of_ranks(value, _DEPTH)


_GRADES = {
    "min_rel": Parameter(int, 0, least=0),
    "max_rel": Parameter(int, is_optional=True, least=1),
}
_GOAL = {"T": Parameter(float, 1.0, above=0), **_GRADES}


def _time_biased_gain(
    judged: Judged,
    ranking: Ranking,
    words: float | None,
    click: float,
    click_relevant: float,
    exact: bool,
    **settings: float,
) -> Curve:
    """Return time-biased gain; an element that stands in the list again takes time and gains 0."""
    missing = set(judged.ideals)
    relevance = np.zeros(len(ranking))
    for rank, element in enumerate(ranking):
        relevance[rank] = element in missing
        missing.discard(element)
    lengths = _lengths(judged, ranking) if words is None else np.full(len(ranking), words)

    def value(n: int | None) -> float:
        result = time_biased_gain(
            relevance[:n], lengths[:n], click=(click, click_relevant), **settings
        )
        return result.exact if exact else result.value

    return Curve.of_ranks(value)


def _lengths(judged: Judged, ranking: Ranking) -> Floats:
    words = in_words(judged.collection.costs)
    if words is None:
        rule = "be given where elements with lengths are not"
        remedy = "write TBG(words=500), say, or give --elements"
        raise InputError("words of TBG", None, rule, remedy=remedy)
    for element in ranking:
        if element not in words.lengths:
            remedy = "give elements what they cost, or write TBG(words=500), say"
            raise InputError(f"{words.quantity} of {element!r}", None, "be given", remedy=remedy)
    return np.array([words.lengths[element] for element in ranking], dtype=np.float64)


def _by_rank(ranking: Ranking, worth: Mapping[str, float]) -> tuple[Floats, Floats]:
    """Return what each rank and each judged element are worth; a repeated element nothing."""
    left = dict(worth)
    return np.array([left.pop(x, 0.0) for x in ranking]), np.array(list(worth.values()))


def _graded_average_precision(judged: Judged, ranking: Ranking, thresholds: str) -> Curve:
    # A decimal is of the last grade that it `reaches`.
    grades = {x: max(np.floor(grade), reaches(grade, 1)) for x, grade in judged.gains().items()}
    by_rank, judged_grades = _by_rank(ranking, grades)
    levels = np.unique(judged_grades[judged_grades > 0])
    if not len(levels):
        raise NoValueError
    # Thresholds between two grades that were given are all alike.
    sums = levels * (levels + 1) / 2 if thresholds == "grade" else levels
    shares = np.diff(sums, prepend=0.0)
    ranked, judged_at = (np.searchsorted(levels, x, side="right") for x in (by_rank, judged_grades))
    return Curve.of_ranks(lambda n: graded_average_precision(ranked, judged_at, shares, cutoff=n))


def _cumulated_utility(judged: Judged, ranking: Ranking, **settings: Any) -> Curve:
    by_rank, judged_gains = _by_rank(ranking, judged.gains())
    if not judged_gains.any():
        raise NoValueError
    return Curve.of_ranks(lambda n: cumulated_utility(by_rank, judged_gains, cutoff=n, **settings))


def _browsing_utility(
    judged: Judged, ranking: Ranking, quantisation: str, **settings: float
) -> Curve:
    by_rank, _ = _by_rank(ranking, judged.relevance(quantisation))
    ends = {name: (settings[name], settings[f"{name}_relevant"]) for name in ("click", "leave")}
    return Curve.of_ranks(lambda n: browsing_utility(by_rank, cutoff=n, **ends))


def _seconds(default: float) -> Parameter:
    return Parameter(float, default, least=0)


# Measure -> what it is, its settings, and whether it must be cut off.
_GOALS: Mapping[str, tuple[str, Mapping[str, Parameter], bool]] = {
    "INST": (
        "gain per rank, of users who stop as they get the gain T that they want",
        {**_GOAL, "T": Parameter(float, 1.0, least=0.5)},
        False,
    ),
    "INSQ": ("gain per rank, of users who want T and stop whatever they get", _GOAL, False),
    "BPM": ("gain per rank, of users who stop at the gain T or the last rank", _GOAL, True),
    "SDCG": ("DCG over that of full gains", _GRADES, True),
    "NERR8": ("gain per rank, of users who stop as ERR's", _GRADES, True),
    "NERR9": ("gain per rank, of users who stop as ERR's and as 1 / rank falls", _GRADES, True),
    "NERR10": (
        "gain per rank, of users who stop as ERR's and RBP's",
        {"p": proper_share(0.9), **_GRADES},
        False,
    ),
    "NERR11": ("gain per rank, of users who stop as ERR's and INSQ's", _GOAL, False),
}

USERS: Mapping[str, Definition] = {
    **{
        name: Definition(
            about, partial(_goal_score, measure=name), options, ("rank",), needs_cutoff=is_cut
        )
        for name, (about, options, is_cut) in _GOALS.items()
    },
    "GAP": Definition(
        "graded AP: of users who are each content with some grade or a higher one",
        _graded_average_precision,
        {"thresholds": Parameter(str, "equal", choices=("equal", "grade"))},
        ("rank",),
    ),
    "NCU": Definition(
        "cumulative utility of users who stop at relevant elements; stop=uniform: Q, Q-measure",
        _cumulated_utility,
        {
            "stop": Parameter(str, "graded", choices=("uniform", "graded", "rank-biased")),
            "ratio": Parameter(str, "blended", choices=("precision", "blended")),
            "beta": Parameter(float, 1.0, least=0),
            "gamma": Parameter(float, 0.95, above=0, most=1),
        },
        ("rank",),
    ),
    "EBU": Definition(
        "relevance that users click, who leave after clicks with a probability",
        _browsing_utility,
        {
            "click": share(0.39),
            "click_relevant": share(0.64),
            "leave": Parameter(float, least=0, most=1),
            "leave_relevant": Parameter(float, least=0, most=1),
            **QUANTISATION,
        },
        ("rank",),
        by_scale=True,
    ),
    "TBG": Definition(
        "time-biased gain, of users who leave after a time",
        _time_biased_gain,
        {
            "rel": REL,
            "words": Parameter(float, is_optional=True, least=0),
            "half_life": Parameter(float, 224.0, above=0),
            "judge": _seconds(4.4),
            "per_word": _seconds(0.018),
            "read": _seconds(7.8),
            "click": share(0.39),
            "click_relevant": share(0.64),
            "save": share(0.77),
            "exact": Parameter(bool, False),
        },
        ("rank",),
    ),
}
