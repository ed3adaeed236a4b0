"""Measures of a whole order, and of scores beside relevance: the path of Mizzaro (2001) to ADM.

On it stand search length, normalised recall, ndpm, preferences, fallout and E (section 2); of
search length, fallout, E and ndpm less is better, so that none of them decides which run is better.
Of scores there are ADM, thresholds, and the band of Figure 6.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from prum.analytic.adm.measures import (
    BAND,
    adm,
    adm_deviation,
    best_constant,
    categorised,
    constant_adm,
    random_adm,
    sector_measures,
    threshold_measures,
)
from prum.analytic.adm.samples import calibrated
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
from prum.analytic.utility.diversity import Sample
from prum.analytic.utility.laws import stopping
from prum.experiments.measures.definition import (
    JUDGED_ONLY,
    QUANTISATION,
    REL,
    Curve,
    Definition,
    Name,
    Parameter,
    proper_share,
    refused,
    share,
)
from prum.experiments.measures.judged import ElementScores, Judged, NoValueError, Ranking, taken
from prum.experiments.measures.ranked import CLASSICAL
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats


def _search_length(judged: Judged, ranking: Any, words: float | None) -> Curve:
    """Return E[C(r)] - E[CL(r)], of users who do not browse, or who read on for `words`."""
    flat, size = taken(ranking, "ranking"), judged.size
    if words is None:
        expectations = raghavan(ranking, judged.ideals, size - len(set(flat)))
    else:
        task = judged.task(flat)
        expectations = exact(reach_matrix(task, judged.reading_on(words)), task.num_unranked)
    return Curve.of_numbers(expectations.consulted - expectations.leading)


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
    gains = {x: value for x, value in judged.gains().items() if x in judged.assessed}
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

    def score(n: int | None) -> float:
        if not ranking:
            return 0.0
        stops = stopping(law, n=len(ranking[:n]), theta=1 - p)
        return preference_score(stops, ranking[:n], pairs, sample=sample)

    return Curve.of_ranks(score)


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
    return Curve(lambda: 1 - f.whole(), {"rank": lambda n: 1 - f.cuts["rank"](n)})


def _check_persistence(name: Name) -> None:
    """Raise if p, which is RBP's, stands beside another law."""
    settings = dict(name.settings)
    if "p" in settings and settings.get("law", "RBP") != "RBP":
        raise refused(name, "p", "be used with law=RBP")


ORDERS: Mapping[str, Definition] = {
    "ESL": Definition(
        "expected number of elements consulted in vain before the r-th ideal (Cooper)",
        _search_length,
        {
            "words": Parameter(float, is_optional=True, above=0),
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


_BASELINES = ("random", "best")


def estimates_of(
    judged: Judged, scores: ElementScores, calibration: str, quantisation: str
) -> tuple[Floats, Floats]:
    """Return SRE and URE of what is listed or judged, shape (n,) each.

    An element that is not listed has estimate 0, one that is not judged relevance 0.
    """
    estimates = dict(scores)
    if calibration == "none":
        for element, score in scores.items():
            if not 0 <= score <= 1:
                raise InputError(
                    f"score of {element!r}",
                    score,
                    "lie in [0, 1] to be an estimate of relevance",
                    remedy="write calibration=rank or calibration=min-max, as in "
                    "ADM(calibration=rank)",
                )
    elif scores:
        values = calibrated(calibration, list(scores.values()))
        estimates = dict(zip(scores, values.tolist(), strict=True))
    relevance = judged.relevance(quantisation)
    elements = list({**estimates, **relevance})
    return (
        np.array([estimates.get(element, 0.0) for element in elements]),
        np.array([relevance.get(element, 0.0) for element in elements]),
    )


def _adm(
    judged: Judged,
    scores: ElementScores,
    calibration: str,
    quantisation: str,
    deviation: bool,
    relevance: int | None,
    retrieval: int | None,
    baseline: float | str | None,
) -> Curve:
    """Return 1 less the mean distance over all elements of the collection."""
    sre, ure = estimates_of(judged, scores, calibration, quantisation)
    if baseline is not None:
        return Curve(lambda: _baseline(ure, baseline, judged.size))
    if relevance is not None:
        ure = categorised(ure, relevance)
    if retrieval is not None:
        sre = categorised(sre, retrieval)
    measure = adm_deviation if deviation else adm
    return Curve(lambda: measure(sre, ure, size=judged.size))


def _baseline(ure: Floats, baseline: float | str, size: int) -> float:
    if baseline == "random":
        return random_adm(ure, size=size).mean
    if baseline == "best":
        return best_constant(ure, size=size).adm
    return constant_adm(ure, float(baseline), size=size)


def _check_alone(name: Name) -> None:
    """Raise if a baseline, of which only relevance counts, stands beside what is made of scores."""
    settings = dict(name.settings)
    others = settings.keys() - {"baseline", "quantisation", "highest"}
    if "baseline" in settings and others:
        raise refused(name, "baseline", f"be used without {', '.join(sorted(others))}")


def _cut(
    judged: Judged,
    scores: ElementScores,
    of: Literal["precision", "recall", "e", "fallout", "generality"],
    retrieved: float,
    relevant: float,
    calibration: str,
    quantisation: str,
) -> Curve:
    sre, ure = estimates_of(judged, scores, calibration, quantisation)
    read = threshold_measures(sre, ure, retrieved=retrieved, relevant=relevant, size=judged.size)
    return _defined(getattr(read, of))


def _band(
    judged: Judged,
    scores: ElementScores,
    of: Literal["precision", "recall"],
    width: float,
    calibration: str,
    quantisation: str,
) -> Curve:
    sre, ure = estimates_of(judged, scores, calibration, quantisation)
    return _defined(getattr(sector_measures(sre, ure, width=width, size=judged.size), of))


def _defined(value: float) -> Curve:
    """Return a value; raise NoValueError if a denominator was 0."""
    if np.isnan(value):
        raise NoValueError
    return Curve(lambda: value)


_SCORES = {
    "calibration": Parameter(str, "none", choices=("none", "min-max", "rank")),
    **QUANTISATION,
}
_CATEGORIES = Parameter(int, is_optional=True, least=2)

DISTANCES = {
    "ADM": Definition(
        "average distance of estimates and relevance over the collection",
        _adm,
        {
            **_SCORES,
            "deviation": Parameter(bool, False),
            "relevance": _CATEGORIES,
            "retrieval": _CATEGORIES,
            "baseline": Parameter(float, is_optional=True, least=0, most=1, words=_BASELINES),
        },
        takes="scores",
        by_scale=True,
        check=_check_alone,
    ),
    "Threshold": Definition(
        "precision, recall, their mean e, fallout or generality of estimates cut at thresholds",
        _cut,
        {
            "of": Parameter(
                str,
                "precision",
                choices=("precision", "recall", "e", "fallout", "generality"),
            ),
            "retrieved": share(0.5),
            "relevant": share(0.5),
            **_SCORES,
        },
        takes="scores",
        by_scale=True,
    ),
    "Band": Definition(
        "share of retrieved, or of relevant, whose estimates are near relevance (P', R')",
        _band,
        {
            "of": Parameter(str, "precision", choices=("precision", "recall")),
            "width": proper_share(BAND),
            **_SCORES,
        },
        takes="scores",
        by_scale=True,
    ),
}
