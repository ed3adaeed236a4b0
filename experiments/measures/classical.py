"""The measures of lists that every program has: P, R, F, RR, R-precision and nDCG."""

from collections.abc import Callable, Iterable, Mapping

from prum.analytic.ranked.scores import (
    ndcg,
    precision_at,
    r_precision,
    recall_at,
    reciprocal_rank,
)
from prum.experiments.measures.definition import JUDGED_ONLY, REL, Curve, Definition, Parameter
from prum.experiments.measures.judged import Judged, Ranking
from prum.experiments.measures.names import Name, SettingValue
from prum.experiments.measures.spans import reciprocal_rank_of_spans
from prum.simulator.model import InputError

_LOG2, _EXPONENTIAL = "log2", "exp-log2"
_FORM = "be whole grades and their gains, like {1:5,2:10}"


def _at_ranks(at_rank: Callable[[Ranking, Iterable[str], int], float]) -> Callable[..., Curve]:
    """Return the score of a measure of the first ranks."""

    def score(judged: Judged, ranking: Ranking) -> Curve:
        def at(n: float) -> float:
            return at_rank(ranking, judged.ideals, int(n))

        return Curve(lambda: at(max(len(ranking), 1)), {"rank": at})

    return score


def _f(judged: Judged, ranking: Ranking, beta: float) -> Curve:
    def at(n: float) -> float:
        p, r = (of(ranking, judged.ideals, int(n)) for of in (precision_at, recall_at))
        return (beta + 1) * p * r / (beta * p + r) if p > 0 else 0.0

    return Curve(lambda: at(max(len(ranking), 1)), {"rank": at})


def _count(ranking: Ranking, ideals: Iterable[str], rank: int) -> float:
    return float(len(set(ideals).intersection(ranking[:rank])))


def _length(_: Judged, ranking: Ranking) -> Curve:
    return Curve(lambda: float(len(ranking)))


def _ideals(judged: Judged, _: Ranking) -> Curve:
    return Curve(lambda: float(len(judged.ideals)))


def _reciprocal_rank(judged: Judged, ranking: Ranking) -> Curve:
    return Curve(
        lambda: reciprocal_rank(ranking, judged.ideals),
        {"rank": lambda n: reciprocal_rank(ranking[: int(n)], judged.ideals)},
    )


def _r_precision(judged: Judged, ranking: Ranking) -> Curve:
    return Curve(lambda: r_precision(ranking, judged.ideals))


def _ndcg(judged: Judged, ranking: Ranking, dcg: str, gains: str | None) -> Curve:
    if gains is None:
        worth = judged.gains()
    elif judged.grades is None:
        raise InputError(
            "gains of nDCG", gains, "stand with judgements by grade", remedy="leave them out"
        )
    else:
        table = _table(gains)
        worth = {x: max(table.get(grade, grade), 0.0) for x, grade in judged.grades.items()}
    if dcg == _EXPONENTIAL:
        worth = {element: 2**gain - 1 for element, gain in worth.items()}
    return Curve(lambda: ndcg(ranking, worth), {"rank": lambda n: ndcg(ranking, worth, int(n))})


def _table(written: str) -> dict[int, float]:
    pairs = [pair.split(":") for pair in written.strip("{} ").split(",")]
    return {int(grade): float(gain) for grade, gain in pairs}


def _gains(written: SettingValue) -> SettingValue:
    """Return a table of gains as it is written, in order of grades."""
    try:
        table = _table(str(written))
    except ValueError:
        raise ValueError(_FORM) from None
    if not all(0 <= gain < float("inf") for gain in table.values()):
        raise ValueError(f"{_FORM}, gains of at least 0")
    return ",".join(f"{grade}:{gain:.15g}" for grade, gain in sorted(table.items()))


def _check_gains(name: Name) -> None:
    settings = dict(name.settings)
    if "gains" in settings and settings.get("dcg") == _EXPONENTIAL:
        raise InputError(
            "gains of nDCG", settings["gains"], "stand without dcg=exp-log2",
            remedy="leave one of the two out",
        )  # fmt: skip


_BINARY = {"rel": REL, "judged_only": JUDGED_ONLY}

CLASSICAL: Mapping[str, Definition] = {
    "P": Definition(
        "precision at a rank", _at_ranks(precision_at), _BINARY, ("rank",), needs_cutoff=True
    ),
    "R": Definition(
        "recall at a rank", _at_ranks(recall_at), _BINARY, ("rank",), needs_cutoff=True
    ),
    "F": Definition(
        "precision and recall at a rank, joined as by SetF",
        _f,
        {"beta": Parameter(float, 1.0, least=0), **_BINARY},
        ("rank",),
    ),
    "NumRelRet": Definition("number of ideals in the list", _at_ranks(_count), _BINARY, ("rank",)),
    "NumRet": Definition("number of elements in the list", _length, {}),
    "NumRel": Definition("number of ideals", _ideals, _BINARY),
    "RR": Definition(
        "reciprocal rank of the first ideal",
        _reciprocal_rank,
        _BINARY,
        ("rank",),
        of_spans=reciprocal_rank_of_spans,
    ),
    "Rprec": Definition(
        "precision at the rank that is the number of ideals", _r_precision, _BINARY
    ),
    "nDCG": Definition(
        "normalised discounted gain, as trec_eval; dcg=exp-log2 as gdeval",
        _ndcg,
        {
            "dcg": Parameter(str, _LOG2, choices=(_LOG2, _EXPONENTIAL)),
            "gains": Parameter(str, is_optional=True, form=_gains),
            "judged_only": JUDGED_ONLY,
        },
        ("rank",),
        check=_check_gains,
    ),
}
