"""Measures of a whole order: search length, normalised recall, ndpm, preferences, fallout, E.

They stand between precision and ADM on the path that Mizzaro (2001, section 2) tells. Of search
length, fallout, E and ndpm less is better, so that none of them decides which run is better.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from prum.analytic.precision.independent import exact
from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.ranked.classical import raghavan
from prum.analytic.ranked.orders import (
    PreferenceCounts,
    ndpm,
    normalised_precision,
    normalised_recall,
    preference_counts,
    preference_score,
    sliding_ratio,
)
from prum.analytic.utility.laws import stopping
from prum.analytic.utility.measures import Sample
from prum.experiments.measures.definition import (
    JUDGED_ONLY,
    REL,
    Curve,
    Definition,
    Parameter,
    proper_share,
)
from prum.experiments.measures.judged import Judged, NoValueError, Ranking, taken
from prum.experiments.measures.names import Name
from prum.experiments.measures.ranked import CLASSICAL
from prum.simulator.model import InputError


def _search_length(judged: Judged, ranking: Any, words: float | None) -> Curve:
    """Return E[C(r)] - E[CL(r)], of users who do not browse, or who read on for `words`."""
    flat, size = taken(ranking, "ranking"), judged.size
    if words is None:
        found = raghavan(ranking, judged.ideals, size - len(set(flat)))
    else:
        task = judged.task(flat)
        found = exact(reach_matrix(task, judged.reading_on(words)), task.num_unranked)
    return Curve.of_numbers(found.consulted - found.leading)


def _normalised(
    judged: Judged, ranking: Ranking, measure: Callable[[Ranking, Iterable[str], int], float]
) -> Curve:
    unranked = judged.size - len(set(ranking))
    return Curve(lambda: measure(ranking, judged.ideals, unranked))


def _sliding_ratio(judged: Judged, ranking: Ranking) -> Curve:
    gains = judged.gains()
    if not any(gains.values()):
        raise NoValueError
    return Curve.of_ranks(lambda n: sliding_ratio(ranking, gains, n))


def _ndpm(judged: Judged, ranking: Any) -> Curve:
    if judged.preferences is not None:
        pairs = judged.preferences
        return Curve(lambda: preference_counts(ranking, pairs).distance)
    gains = {x: value for x, value in judged.gains().items() if x in judged.known}
    if len(set(gains.values())) < 2:
        raise NoValueError
    return Curve(lambda: ndpm(ranking, gains))


def _preferred(
    judged: Judged, ranking: Any, measure: str, of: Callable[[PreferenceCounts], float]
) -> Curve:
    pairs = _pairs(judged, measure)
    return Curve.of_ranks(lambda n: of(preference_counts(ranking, pairs, n)))


def _preference_score(
    judged: Judged, ranking: Ranking, law: str, p: float, sample: Sample
) -> Curve:
    pairs = _pairs(judged, "PrefU")

    def at(n: int | None) -> float:
        if not ranking:
            return 0.0
        stops = stopping(law, n=len(ranking[:n]), theta=1 - p)
        return preference_score(stops, ranking[:n], pairs, sample=sample)

    return Curve.of_ranks(at)


def _pairs(judged: Judged, measure: str) -> tuple[tuple[str, str], ...]:
    if judged.preferences is None:
        rule, remedy = f"be preferences for {measure}", "give qrels (topic, preferred, other)"
        raise InputError("judgements", "grades", rule, remedy=f"{remedy}, or take ndpm")
    return judged.preferences


def _fallout(judged: Judged, ranking: Ranking) -> Curve:
    others = judged.size - len(judged.ideals)
    if not others:
        raise NoValueError
    return Curve.of_ranks(lambda n: len(set(ranking[:n]).difference(judged.ideals)) / others)


def _e(judged: Judged, ranking: Ranking, **settings: float) -> Curve:
    f = CLASSICAL["F"].score(judged, ranking, **settings)
    return Curve(lambda: 1 - f.whole(), {"rank": lambda n: 1 - f.at["rank"](n)})


def _check_persistence(name: Name) -> None:
    """Raise if p, which is RBP's, stands beside another law."""
    settings = dict(name.settings)
    if "p" in settings and settings.get("law", "RBP") != "RBP":
        rule, remedy = "stand with law=RBP", "leave one of the two out"
        raise InputError("p of PrefU", settings["p"], rule, remedy=remedy)


ORDERS: Mapping[str, Definition] = {
    "ESL": Definition(
        "expected number of elements consulted in vain before the r-th ideal (Cooper)",
        _search_length,
        {
            "words": Parameter(float, is_optional=True, least=0, more_than_least=True),
            "rel": REL,
        },
        ("level", "recall"),
        takes="ties",
        better="less",
    ),
    "NormR": Definition(
        "normalised recall: how near ideals are to the top of the whole collection",
        partial(_normalised, measure=normalised_recall),
        {"rel": REL},
    ),
    "NormP": Definition(
        "normalised precision: the same by the logarithm of ranks",
        partial(_normalised, measure=normalised_precision),
        {"rel": REL},
    ),
    "SlidingRatio": Definition(
        "gain of the first ranks over that of the best order, without discount (nCG)",
        _sliding_ratio,
        {"judged_only": JUDGED_ONLY},
        ("rank",),
    ),
    "ndpm": Definition(
        "share of the user's preferences among judged elements that the list does not keep",
        _ndpm,
        takes="ties",
        better="less",
    ),
    "PrefP": Definition(
        "share of the preferences between elements of which one is listed that the list keeps",
        partial(_preferred, measure="PrefP", of=lambda counts: counts.precision),
        cutoffs=("rank",),
        takes="ties",
    ),
    "PrefR": Definition(
        "share of all preferences that the list keeps",
        partial(_preferred, measure="PrefR", of=lambda counts: counts.recall),
        cutoffs=("rank",),
        takes="ties",
    ),
    "PrefU": Definition(
        "number of elements met above the last one that users prefer to it (Carterette)",
        _preference_score,
        {
            "law": Parameter(str, "RBP", choices=("RBP", "DCG", "RR")),
            "p": proper_share(0.8),
            "sample": Parameter(str, "all", choices=("all", "one")),
        },
        ("rank",),
        check=_check_persistence,
    ),
    "Fallout": Definition(
        "share of elements that are not ideal that were retrieved",
        _fallout,
        {"rel": REL},
        ("rank",),
        better="less",
    ),
    "E": Definition(
        "van Rijsbergen's E, 1 - F",
        _e,
        CLASSICAL["F"].options,
        ("rank",),
        better="less",
    ),
}
