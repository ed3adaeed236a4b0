"""Lists without browsing, as trec_eval and ir_measures score them: bpref, IPrec, sets and others.

Of a grade `rel` that no element of the topic has they are 0, as by trec_eval. What else differs
between the tools and here is that an element may stand in a list twice, and that a topic which a
run lacks is an empty list: worth 0.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.result import ELEVEN_LEVELS
from prum.analytic.ranked.incomplete import bpref, inferred_average_precision, judged_at
from prum.analytic.ranked.nearest_ideal import compatibility
from prum.analytic.ranked.scores import interpolated_precision, success_at
from prum.analytic.ranked.sets import Retrieved, retrieved
from prum.experiments.measures.definition import Curve, Definition, Parameter
from prum.experiments.measures.judged import Judged, Ranking
from prum.experiments.measures.wanted import JUDGED_ONLY, REL, listed, wanted
from prum.simulator.model.arrays import Floats


def _others(judged: Judged, ideals: tuple[str, ...]) -> frozenset[str]:
    """Return what was judged and is not ideal."""
    return judged.known.difference(ideals)


def _bpref(judged: Judged, ranking: Ranking, rel: int | None) -> Curve:
    ideals = wanted(judged, rel)
    return Curve(lambda: bpref(ranking, ideals, _others(judged, ideals)) if ideals else 0.0)


def _inferred(judged: Judged, ranking: Ranking, rel: int | None) -> Curve:
    ideals = wanted(judged, rel)
    pooled = frozenset(judged.grades or ()) - judged.known

    def value() -> float:
        others = _others(judged, ideals)
        return inferred_average_precision(ranking, ideals, others, pooled) if ideals else 0.0

    return Curve(value)


def _judged_at(judged: Judged, ranking: Ranking) -> Curve:
    known = frozenset(judged.assessments or () if judged.grades is None else judged.grades)
    return Curve(
        lambda: judged_at(ranking, known), {"rank": lambda n: judged_at(ranking, known, int(n))}
    )


def _success(judged: Judged, ranking: Ranking, rel: int | None, judged_only: bool) -> Curve:
    ideals, rest = wanted(judged, rel), listed(judged, ranking, judged_only)

    def at_rank(n: float) -> float:
        return success_at(rest, ideals, int(n)) if ideals else 0.0

    return Curve(lambda: at_rank(max(len(rest), 1)), {"rank": at_rank})


def _interpolated(judged: Judged, ranking: Ranking, rel: int | None, judged_only: bool) -> Curve:
    ideals, rest = wanted(judged, rel), listed(judged, ranking, judged_only)

    def at(levels: ArrayLike) -> Floats:
        return interpolated_precision(rest, ideals, levels) if ideals else np.zeros(1)

    return Curve(
        lambda: float(at(ELEVEN_LEVELS).mean()), {"level": lambda level: float(at([level])[0])}
    )


def _of_set(
    judged: Judged,
    ranking: Ranking,
    rel: int | None,
    read: Callable[..., float],
    judged_only: bool = False,
    **settings: object,
) -> Curve:
    ideals, rest = wanted(judged, rel), listed(judged, ranking, judged_only)
    return Curve(lambda: read(retrieved(rest, ideals), **settings) if ideals else 0.0)


def _precision(result: Retrieved, relative: bool) -> float:
    return result.relative_precision if relative else result.precision


def _compatibility(judged: Judged, ranking: Ranking, p: float, normalised: bool) -> Curve:
    gains = judged.gains()
    return Curve(lambda: compatibility(ranking, gains, p=p, normalised=normalised))


def _set(about: str, read: Callable[..., float], **options: Parameter) -> Definition:
    return Definition(about, partial(_of_set, read=read), {**REL, **options})


RETRIEVAL: Mapping[str, Definition] = {
    "Success": Definition(
        "whether an ideal stands on the first ranks",
        _success,
        {**REL, **JUDGED_ONLY},
        ("rank",),
        needs_cutoff=True,
    ),
    "IPrec": Definition(
        "interpolated precision at recall, as trec_eval 9; uncut: the mean of eleven levels",
        _interpolated,
        {**REL, **JUDGED_ONLY},
        ("level",),
    ),
    "Bpref": Definition("how far ideals stand above judged others, as trec_eval", _bpref, REL),
    "infAP": Definition("AP inferred from a judged sample, as trec_eval", _inferred, REL),
    "Judged": Definition("share of the list that was judged", _judged_at, cutoffs=("rank",)),
    "SetP": _set(
        "precision of all retrieved", _precision, relative=Parameter(bool, False), **JUDGED_ONLY
    ),
    "SetR": _set("recall of all retrieved", lambda result: result.recall),
    "SetF": _set(
        "(beta + 1) P R / (beta P + R) of all retrieved, as trec_eval",
        Retrieved.f,
        beta=Parameter(float, 1.0, least=0),
        **JUDGED_ONLY,
    ),
    "SetAP": _set(
        "precision times recall of all retrieved",
        lambda result: result.average_precision,
        **JUDGED_ONLY,
    ),
    "Compat": Definition(
        "compatibility: rank-biased overlap with the nearest ideal list",
        _compatibility,
        {
            "p": Parameter(float, 0.95, least=0, most=1, more_than_least=True),
            "normalised": Parameter(bool, True),
        },
    ),
}
