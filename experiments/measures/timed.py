"""Time-biased gain: what a list is worth to users whose patience runs out by the second."""

from collections.abc import Mapping

import numpy as np

from prum.analytic.utility.time_biased import time_biased_gain
from prum.experiments.measures.definition import REL, Curve, Definition, Parameter
from prum.experiments.measures.judged import Judged, Ranking
from prum.simulator.collections.costs import in_words
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats


def _score(
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

    def value(n: int) -> float:
        result = time_biased_gain(
            relevance[:n], lengths[:n], click=(click, click_relevant), **settings
        )
        return result.exact if exact else result.value

    return Curve(lambda: value(len(ranking)), {"rank": lambda n: value(int(n))})


def _lengths(judged: Judged, ranking: Ranking) -> Floats:
    words = in_words(judged.collection.costs)
    if words is None:
        raise InputError(
            "words of TBG", None, "be given where elements with lengths are not",
            remedy="write TBG(words=500), say, or give --elements",
        )  # fmt: skip
    for element in ranking:
        if element not in words.lengths:
            remedy = "give elements what they cost, or write TBG(words=500), say"
            raise InputError(f"{words.quantity} of {element!r}", None, "be given", remedy=remedy)
    return np.array([words.lengths[element] for element in ranking], dtype=np.float64)


def _seconds(default: float) -> Parameter:
    return Parameter(float, default, least=0)


def _probability(default: float) -> Parameter:
    return Parameter(float, default, least=0, most=1)


TIMED: Mapping[str, Definition] = {
    "TBG": Definition(
        "time-biased gain, of users who leave after a time",
        _score,
        {
            "rel": REL,
            "words": Parameter(float, is_optional=True, least=0),
            "half_life": Parameter(float, 224.0, least=0, more_than_least=True),
            "judge": _seconds(4.4),
            "per_word": _seconds(0.018),
            "read": _seconds(7.8),
            "click": _probability(0.39),
            "click_relevant": _probability(0.64),
            "save": _probability(0.77),
            "exact": Parameter(bool, False),
        },
        ("rank",),
    )
}
