"""Measures of chunks by gold spans, whose characters count once, whatever chunks overlap."""

from collections.abc import Callable, Mapping

from prum.analytic.spans.measures import (
    ListCoverage,
    char_precision_at,
    coverage_at,
    efficiency,
    first_touch,
    iou_at,
    list_coverage,
    touched_at,
)
from prum.experiments.measures.definition import Curve, Definition, Parameter
from prum.experiments.measures.judged import Judged, Ranking
from prum.simulator.model import InputError
from prum.simulator.model.costs import num_paid
from prum.simulator.model.covering import NEEDS

NEED = Parameter(str, is_optional=True, choices=NEEDS, of="spans")


def shown_of(judged: Judged, ranking: Ranking) -> ListCoverage:
    """Return what a list covers, rank by rank; the last list's is kept for the next measure."""
    shown: ListCoverage = judged.of_last(
        "spans", ranking, lambda: list_coverage(judged.task(ranking), judged.needing(None))
    )
    return shown


def _first_chunks(at_rank: Callable[[ListCoverage, int], float]) -> Callable[..., Curve]:
    """Return the score of a measure of the first chunks: so many, or what a budget buys."""

    def score(judged: Judged, ranking: Ranking) -> Curve:
        def of_first(n: float) -> float:
            return at_rank(shown_of(judged, ranking), int(n))

        def within(budget: float, unit: str) -> float:
            chunks = judged.needing(None).chunks
            n = num_paid(chunks.amount(unit)[chunks.numbers(ranking)], budget)
            return of_first(n) if n else 0.0

        return Curve(lambda: of_first(max(len(ranking), 1)), {"rank": of_first}, within)

    return score


def _first_touch_at(shown: ListCoverage, k: int) -> float:
    return first_touch(shown) if touched_at(shown, k) else 0.0


def _efficiency(judged: Judged, ranking: Ranking, need: str | None) -> Curve:
    def whole() -> float:
        value = efficiency(judged.task(ranking), judged.needing(need))
        if value is None:
            raise too_many_openings("Efficiency")
        return value

    return Curve(whole)


def too_many_openings(measure: str) -> InputError:
    """Return what is raised where chunks that are opened have no closed form."""
    return InputError(
        f"way of {measure}",
        "openings that show parts of several spans",
        "have a closed form",
        remedy="take PRUM, or simulate it: prum crosscheck",
    )


success_of_spans = _first_chunks(touched_at)
reciprocal_rank_of_spans = _first_chunks(_first_touch_at)
_coverage = _first_chunks(coverage_at)
_char_precision = _first_chunks(char_precision_at)
_iou = _first_chunks(iou_at)

SPANS: Mapping[str, Definition] = {
    "Coverage": Definition(
        "mean share of the spans that the chunks cover",
        _coverage,
        cutoffs=("rank", "budget"),
        of_spans=_coverage,
        note="counts all spans equally; chunking_evaluation's recall weights them by length",
    ),
    "CharPrecision": Definition(
        "characters of spans covered, each once, over characters read",
        _char_precision,
        cutoffs=("rank", "budget"),
        of_spans=_char_precision,
        note="of a question this is chunking_evaluation's precision",
    ),
    "IoU": Definition(
        "characters covered of spans over characters of chunks or spans, each once",
        _iou,
        cutoffs=("rank", "budget"),
        of_spans=_iou,
        note="counts text that chunks repeat once; chunking_evaluation's IoU adds it up",
    ),
    "Efficiency": Definition(
        "characters of spans over those read until all are seen",
        _efficiency,
        {"need": NEED},
        of_spans=_efficiency,
        counts_unlisted=True,
    ),
}
