"""Mizzaro's (2001) measures of scores beside relevance: ADM, thresholds, the band of Figure 6."""

from typing import Literal

import numpy as np

from prum.analytic.adm.measures import (
    adm,
    adm_deviation,
    best_constant,
    categorised,
    constant_adm,
    random_adm,
)
from prum.analytic.adm.scales import calibration as calibrated
from prum.analytic.adm.thresholds import BAND, sector_measures, threshold_measures
from prum.experiments.measures.definition import (
    QUANTISATION,
    Curve,
    Definition,
    Parameter,
    proper_share,
)
from prum.experiments.measures.judged import ElementScores, Judged, NoValueError
from prum.experiments.measures.names import Name
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

_BASELINES = ("random", "best")


def estimates_of(
    judged: Judged, scores: ElementScores, calibration: str, quantisation: str
) -> tuple[Floats, Floats]:
    """Return SRE and URE of what is listed or judged, shape (n,) each.

    An element that is not listed has estimate 0, one that is not judged relevance 0.

    Raises
    ------
    InputError
        for a score outside [0, 1] that is not calibrated.
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
        values = np.array(list(scores.values()))
        values = calibrated(calibration, values).of(values)
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
        rule = f"stand without {', '.join(sorted(others))}"
        raise InputError("baseline of ADM", settings["baseline"], rule, remedy="leave it out")


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
    return _known(getattr(read, of))


def _band(
    judged: Judged,
    scores: ElementScores,
    of: Literal["precision", "recall"],
    width: float,
    calibration: str,
    quantisation: str,
) -> Curve:
    sre, ure = estimates_of(judged, scores, calibration, quantisation)
    return _known(getattr(sector_measures(sre, ure, width=width, size=judged.size), of))


def _known(value: float) -> Curve:
    """Return a value; raise NoValueError if a denominator was 0."""
    if np.isnan(value):
        raise NoValueError
    return Curve(lambda: value)


def _threshold() -> Parameter:
    return Parameter(float, 0.5, least=0, most=1)


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
            "retrieved": _threshold(),
            "relevant": _threshold(),
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
