"""Lists without browsing, as trec_eval and ir_measures score them: bpref, IPrec, sets and others.

A topic that has no element of the grade `rel` has 0, as by trec_eval.
"""

from collections.abc import Callable, Mapping
from functools import partial

from numpy.typing import ArrayLike

from prum.analytic.precision.result import ELEVEN_LEVELS
from prum.analytic.ranked.incomplete import bpref, inferred_average_precision, judged_at
from prum.analytic.ranked.nearest_ideal import compatibility
from prum.analytic.ranked.scores import interpolated_precision, success_at
from prum.analytic.ranked.sets import Retrieved, retrieved
from prum.experiments.measures.definition import (
    JUDGED_ONLY,
    REL,
    Curve,
    Definition,
    Parameter,
    proper_share,
)
from prum.experiments.measures.judged import Judged, Ranking
from prum.experiments.measures.spans import success_of_spans
from prum.simulator.model.arrays import Floats


def _others(judged: Judged) -> frozenset[str]:
    """Return what was judged and is not ideal."""
    return judged.known.difference(judged.ideals)


def _bpref(judged: Judged, ranking: Ranking) -> Curve:
    return Curve(lambda: bpref(ranking, judged.ideals, _others(judged)))


def _inferred(judged: Judged, ranking: Ranking) -> Curve:
    pooled = frozenset(judged.grades or ()) - judged.known
    return Curve(
        lambda: inferred_average_precision(ranking, judged.ideals, _others(judged), pooled)
    )


def _judged_at(judged: Judged, ranking: Ranking) -> Curve:
    known = frozenset(judged.assessments or () if judged.grades is None else judged.grades)
    return Curve(
        lambda: judged_at(ranking, known), {"rank": lambda n: judged_at(ranking, known, int(n))}
    )


def _success(judged: Judged, ranking: Ranking) -> Curve:
    def at_rank(n: float) -> float:
        return success_at(ranking, judged.ideals, int(n))

    return Curve(lambda: at_rank(max(len(ranking), 1)), {"rank": at_rank})


def _interpolated(judged: Judged, ranking: Ranking) -> Curve:
    def at(levels: ArrayLike) -> Floats:
        return interpolated_precision(ranking, judged.ideals, levels)

    return Curve(
        lambda: float(at(ELEVEN_LEVELS).mean()), {"level": lambda level: float(at([level])[0])}
    )


def _of_set(
    judged: Judged, ranking: Ranking, read: Callable[..., float], **settings: object
) -> Curve:
    return Curve(lambda: read(retrieved(ranking, judged.ideals), **settings))


def _precision(result: Retrieved, relative: bool) -> float:
    return result.relative_precision if relative else result.precision


def _compatibility(judged: Judged, ranking: Ranking, p: float, normalised: bool) -> Curve:
    gains = judged.gains()
    return Curve(lambda: compatibility(ranking, gains, p=p, normalised=normalised))


def _set(about: str, read: Callable[..., float], **options: Parameter) -> Definition:
    return Definition(about, partial(_of_set, read=read), {"rel": REL, **options})


_BINARY = {"rel": REL, "judged_only": JUDGED_ONLY}

RETRIEVAL: Mapping[str, Definition] = {
    "Success": Definition(
        "whether an ideal stands on the first ranks",
        _success,
        _BINARY,
        ("rank",),
        needs_cutoff=True,
        of_spans=success_of_spans,
    ),
    "IPrec": Definition(
        "interpolated precision at recall, as trec_eval 9; uncut: the mean of eleven levels",
        _interpolated,
        _BINARY,
        ("level",),
    ),
    "Bpref": Definition(
        "how far ideals stand above judged others, as trec_eval", _bpref, {"rel": REL}
    ),
    "infAP": Definition("AP inferred from a judged sample, as trec_eval", _inferred, {"rel": REL}),
    "Judged": Definition("share of the list that was judged", _judged_at, cutoffs=("rank",)),
    "SetP": _set(
        "precision of all retrieved",
        _precision,
        relative=Parameter(bool, False),
        judged_only=JUDGED_ONLY,
    ),
    "SetR": _set("recall of all retrieved", lambda result: result.recall),
    "SetF": _set(
        "(beta + 1) P R / (beta P + R) of all retrieved, as trec_eval",
        Retrieved.f,
        beta=Parameter(float, 1.0, least=0),
        judged_only=JUDGED_ONLY,
    ),
    "SetAP": _set(
        "precision times recall of all retrieved",
        lambda result: result.average_precision,
        judged_only=JUDGED_ONLY,
    ),
    "Compat": Definition(
        "compatibility: rank-biased overlap with the nearest ideal list",
        _compatibility,
        {
            "p": proper_share(0.95),
            "normalised": Parameter(bool, True),
        },
    ),
}
