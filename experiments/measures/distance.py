"""Mizzaro's average distance measure in `prum evaluate`: scores beside relevance."""

from collections.abc import Mapping

import numpy as np

from prum.analytic.adm.measures import adm, adm_deviation
from prum.analytic.adm.scales import calibration as calibrated
from prum.experiments.measures.definition import Curve, Definition, Parameter
from prum.experiments.measures.judged import ElementScores, Judged
from prum.simulator.model import QUANTISATIONS, InputError


def _adm(
    judged: Judged, scores: ElementScores, calibration: str, quantisation: str, deviation: bool
) -> Curve:
    """Return 1 less the mean distance over all elements of the collection.

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
                    remedy="write ADM(calibration=rank) or ADM(calibration=min-max)",
                )
    elif scores:
        values = np.array(list(scores.values()))
        values = calibrated(calibration, values).of(values)
        estimates = dict(zip(scores, values.tolist(), strict=True))
    relevance = judged.relevance(quantisation)
    elements = list({**estimates, **relevance})
    vectors = (
        [estimates.get(element, 0.0) for element in elements],
        [relevance.get(element, 0.0) for element in elements],
    )
    measure = adm_deviation if deviation else adm
    return Curve(lambda: measure(*vectors, size=judged.size))


DISTANCES: Mapping[str, Definition] = {
    "ADM": Definition(
        "average distance of estimates and relevance over the collection",
        _adm,
        {
            "calibration": Parameter(str, "none", choices=("none", "min-max", "rank")),
            "quantisation": Parameter(str, "generalised", choices=tuple(QUANTISATIONS)),
            "deviation": Parameter(bool, False),
        },
        takes="scores",
    )
}
