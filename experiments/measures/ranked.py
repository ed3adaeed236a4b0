"""Measures of lists that other programs have, by rank and by set: P to nDCG, bpref.

A topic that has no element of the grade `rel` has 0, as by trec_eval 10.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

from numpy.typing import ArrayLike

from prum.analytic.precision.result import ELEVEN_LEVELS
from prum.analytic.ranked.classical import (
    Retrieved,
    accuracy,
    bpref,
    inferred_average_precision,
    judged_at,
    retrieved,
)
from prum.analytic.ranked.scores import (
    compatibility,
    interpolated_precision,
    ndcg,
    precision_at,
    r_precision,
    recall_at,
    reciprocal_rank,
    success_at,
)
from prum.experiments.measures.definition import (
    JUDGED_ONLY,
    REL,
    Curve,
    Definition,
    Expected,
    Parameter,
    proper_share,
    ranks,
    whole,
)
from prum.experiments.measures.following import recall
from prum.experiments.measures.judged import Judged, Ranking
from prum.experiments.measures.spans import reciprocal_rank_of_spans, success_of_spans
from prum.simulator.model.arrays import Floats

_LOG2, _EXPONENTIAL = "log2", "exp-log2"


def _at_ranks(at_rank: Callable[[Ranking, Iterable[str], int], float]) -> Callable[..., Curve]:
    """Return the score of a measure of the first ranks."""

    def score(judged: Judged, ranking: Ranking) -> Curve:
        ideals = judged.ideals
        return Curve.of_ranks(lambda n: at_rank(ranking, ideals, n), max(len(ranking), 1))

    return score


def _f(judged: Judged, ranking: Ranking, beta: float) -> Curve:
    def f_score(n: int) -> float:
        p, r = (of(ranking, judged.ideals, n) for of in (precision_at, recall_at))
        return (beta + 1) * p * r / (beta * p + r) if p > 0 else 0.0

    return Curve.of_ranks(f_score, max(len(ranking), 1))


def _count(ranking: Ranking, ideals: Iterable[str], rank: int) -> float:
    return float(len(set(ideals).intersection(ranking[:rank])))


def _ndcg(judged: Judged, ranking: Ranking, dcg: str) -> Curve:
    worth = judged.gains()
    if dcg == _EXPONENTIAL:
        worth = {element: 2**gain - 1 for element, gain in worth.items()}
    return Curve.of_ranks(lambda n: ndcg(ranking, worth, n))


def _others(judged: Judged) -> frozenset[str]:
    """Return what was judged and is not ideal."""
    return judged.assessed.difference(judged.ideals)


def _precision_at(judged: Judged, ranking: Ranking, relative: bool) -> Curve:
    def precision(n: int) -> float:
        if relative:
            return _count(ranking, judged.ideals, n) / min(n, len(judged.ideals))
        return precision_at(ranking, judged.ideals, n)

    return Curve.of_ranks(precision, max(len(ranking), 1))


def _interpolated(judged: Judged, ranking: Ranking, rounding: Literal["nearest", "up"]) -> Curve:
    def read(levels: ArrayLike) -> Floats:
        return interpolated_precision(ranking, judged.ideals, levels, rounding=rounding)

    return Curve(
        lambda: float(read(ELEVEN_LEVELS).mean()), {"level": lambda level: float(read([level])[0])}
    )


def _set(about: str, read: Callable[..., float], **options: Parameter) -> Definition:
    """Return a measure of all that is retrieved."""
    score = whole(lambda judged, ranking, **more: read(retrieved(ranking, judged.ideals), **more))
    return Definition(about, score, {"rel": REL, **options})


_BINARY = {"rel": REL, "judged_only": JUDGED_ONLY}


def _first(
    about: str, at_rank: Callable[[Ranking, Iterable[str], int], float], method: str, **more: Any
) -> Definition:
    """Return a measure of the first ranks that must be cut off."""
    score, expected = _at_ranks(at_rank), Expected(method)
    return Definition(
        about, score, _BINARY, ("rank",), needs_cutoff=True, expected=expected, **more
    )


CLASSICAL: Mapping[str, Definition] = {
    "P": replace(
        _first("precision at a rank", precision_at, "precision"),
        score=_precision_at,
        options={**_BINARY, "relative": Parameter(bool, False)},
    ),
    "R": replace(
        _first("recall at a rank, or of what a budget lets users read", recall_at, "recall"),
        score=recall,
        cutoffs=("rank", "budget"),
    ),
    "F": Definition(
        "precision and recall at a rank, joined as by SetF",
        _f,
        {"beta": Parameter(float, 1.0, least=0), **_BINARY},
        ("rank",),
    ),
    "NumRelRet": Definition("number of ideals in the list", _at_ranks(_count), _BINARY, ("rank",)),
    "NumRet": Definition("number of elements in the list", whole(lambda _, ranking: len(ranking))),
    "NumRel": Definition("number of ideals", whole(lambda judged, _: len(judged.ideals)), _BINARY),
    "RR": Definition(
        "reciprocal rank of the first ideal",
        ranks(lambda judged, ranking, n: reciprocal_rank(ranking[:n], judged.ideals)),
        _BINARY,
        ("rank",),
        of_spans=reciprocal_rank_of_spans,
        expected=Expected("reciprocal_rank"),
    ),
    "Rprec": Definition(
        "precision at the rank that is the number of ideals",
        whole(lambda judged, ranking: r_precision(ranking, judged.ideals)),
        _BINARY,
        expected=Expected("r_precision", takes_rank=False),
    ),
    "nDCG": Definition(
        "normalised discounted gain, as trec_eval 10; dcg=exp-log2 as gdeval",
        _ndcg,
        {
            "dcg": Parameter(str, _LOG2, choices=(_LOG2, _EXPONENTIAL)),
            "judged_only": JUDGED_ONLY,
        },
        ("rank",),
        needs_ideals=lambda _: False,
        # Of gains 0 and 1 both forms of the setting dcg are the same.
        expected=Expected("ndcg", ("dcg",)),
    ),
}

RETRIEVAL: Mapping[str, Definition] = {
    "Success": _first(
        "whether an ideal stands on the first ranks",
        success_at,
        "success",
        of_spans=success_of_spans,
    ),
    "IPrec": Definition(
        "interpolated precision at recall, as trec_eval 10; uncut: the mean of eleven levels",
        _interpolated,
        {**_BINARY, "rounding": Parameter(str, "nearest", choices=("nearest", "up"))},
        ("level",),
    ),
    "Bpref": Definition(
        "how far ideals stand above judged others, as trec_eval 10",
        whole(lambda judged, ranking: bpref(ranking, judged.ideals, _others(judged))),
        {"rel": REL},
        expected=Expected("bpref", takes_rank=False),
    ),
    "infAP": Definition(
        "AP inferred from a judged sample, as trec_eval 10",
        whole(
            lambda judged, ranking: inferred_average_precision(
                ranking,
                judged.ideals,
                _others(judged),
                frozenset(judged.grades or ()) - judged.assessed,
            )
        ),
        {"rel": REL},
    ),
    "Accuracy": Definition(
        "chance that a listed ideal stands above a listed other, as ir_measures",
        ranks(lambda judged, ranking, n: accuracy(ranking, judged.ideals, n)),
        {"rel": REL},
        ("rank",),
    ),
    "Unjudged": Definition(
        "share of the first ranks that nobody judged, as trec_eval 10",
        ranks(lambda judged, ranking, n: len(set(ranking[:n]).difference(judged.assessed)) / n),
        cutoffs=("rank",),
        needs_cutoff=True,
        better="neither",
        needs_ideals=lambda _: False,
    ),
    "NumNonRelRet": Definition(
        "number of elements in the list that were judged and are not ideal",
        whole(lambda judged, ranking: len(_others(judged).intersection(ranking))),
        {"rel": REL},
        better="less",
    ),
    "Judged": Definition(
        "share of the list that was judged",
        ranks(
            lambda judged, ranking, n: judged_at(
                ranking,
                frozenset(judged.assessments or () if judged.grades is None else judged.grades),
                n,
            )
        ),
        cutoffs=("rank",),
    ),
    "SetP": _set(
        "precision of all retrieved",
        lambda of, relative: of.relative_precision if relative else of.precision,
        relative=Parameter(bool, False),
        judged_only=JUDGED_ONLY,
    ),
    "SetR": _set("recall of all retrieved", lambda result: result.recall),
    "SetF": _set(
        "(beta + 1) P R / (beta P + R) of all retrieved, as trec_eval 10",
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
        whole(lambda judged, ranking, **more: compatibility(ranking, judged.gains(), **more)),
        {
            "p": proper_share(0.95),
            "normalised": Parameter(bool, True),
        },
    ),
}
