"""The view of the study of chunkers."""

from collections.abc import Sequence
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

from prum.experiments.frame.drawing import SOFT, Drawing, curves, paneled
from prum.experiments.frame.numbers import ends
from prum.experiments.frame.numbers import number as printed
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.statistics.simultaneous import OPEN
from prum.experiments.studies.chunks.study import (
    CRITERIA,
    UNITS,
    ChunkerOrder,
    ChunksDesign,
    ChunksFindings,
    ChunksRow,
    RetrieverDifference,
)
from prum.experiments.studies.kit.quantities import attributes
from prum.experiments.studies.kit.story import Story

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ChunksResult = StudyResult[ChunksDesign, ChunksRow, ChunksFindings]

_BM25 = "BM25"
# A list's rows, one for each unit, by chunks first.
_Units = tuple[ChunksRow, ...]


def _text(name: str) -> Column[_Units]:
    return Column(name, lambda rows: getattr(rows[0], name), left=True)


def _with_half(heading: str, name: str, form: str = ".4f", unit: int = 0) -> list[Column[_Units]]:
    """Return the column of a mean, and that of half its interval."""
    value, high = attrgetter(name), attrgetter(f"{name}_high")
    return [
        Column(heading, lambda rows: value(rows[unit]), form),
        Column("± 95 %", lambda rows: high(rows[unit]) - value(rows[unit]), form),
    ]


_HEAD = (_text("retriever"), _text("chunker"))
_EXACT = (
    *_HEAD,
    Column[_Units]("chunks", lambda rows: rows[0].chunks, ","),
    *_with_half("precision", "precision"),
    Column[_Units]("noisy-or", lambda rows: rows[0].noisy_or, ".4f"),
    *_with_half("error", "error"),
)
_LISTS = (
    *_HEAD,
    *_with_half("coverage", "coverage"),
    *_with_half("within budget", "budgeted"),
    *_with_half("efficiency", "efficiency"),
)
_READ = (
    *_HEAD,
    *(
        column
        for number, unit in enumerate(UNITS)
        for column in _with_half(unit, "read", ",.1f", number)
    ),
)


def _end(end: float) -> float:
    """Return an end of an interval as it is printed: one that is 0 and left out is 0."""
    return 0.0 if abs(end) == OPEN else end


_DUELS: tuple[Column[RetrieverDifference], ...] = (
    *attributes("criterion", "chunker"),
    Column("BM25 less TF-IDF", lambda duel: duel.difference, "+,.4g"),
    Column("low", lambda duel: _end(duel.low), "+,.4g"),
    Column("high", lambda duel: _end(duel.high), "+,.4g"),
    Column("adjusted p", lambda duel: duel.adjusted, ".4f"),
)
# Retriever, chunker, and the places by each criterion.
_Placed = tuple[str, ...]
_ORDERS = tuple(
    Column[_Placed](heading.removesuffix(" read"), itemgetter(number), left=number < len(_HEAD))
    for number, heading in enumerate(("retriever", "chunker", *CRITERIA))
)
# Smaller errors come from rounding.
_ROUNDING = 1e-12
# In the story: who leads by which criterion.
_LEADERS = {
    "best_precision": "precision",
    "best_read": "characters read",
    "best_efficiency": "efficiency",
    "best_budget": "within budget",
}
_DUELLED = ("precision", "within budget", "efficiency")


def _off(errors: Sequence[float]) -> str:
    """Return how far off noisy-or is, in words.

    >>> _off([0.0, 0.08]), _off([0.0004, 0.031]), _off([0.02]), _off([1e-17])
    ('off by up to .08', 'off by .0004 to .03', 'off by .02', 'exact')
    """
    least, most = min(errors), max(errors)
    if most < _ROUNDING:
        return "exact"
    if least == most:
        return f"off by {printed(most)}"
    return f"off by {ends(least if least >= _ROUNDING else 0.0, most)}"


def view(result: ChunksResult) -> View:
    """Return precision, what is read and what is covered, orders of chunkers, and retrievers."""
    findings, design = result.found, result.design
    by_unit = list(zip(*(iter(result.rows),) * len(UNITS), strict=True))
    plain = [row for row, *_ in by_unit if row.retriever == _BM25]
    worst = max(plain, key=lambda row: abs(row.error))
    values = {
        "design": design,
        "questions": plain[0].questions,
        "chunkers": len(plain),
        "off": _off([abs(row.error) for row in plain]),
        "worst_chunker": worst.chunker,
        **{name: _leaders(findings, criterion) for name, criterion in _LEADERS.items()},
        "spans": findings.num_spans,
        "texts": findings.num_texts,
    }
    duels = [duel for duel in findings.duels if duel.criterion in _DUELLED]
    orders = [order for order in findings.orders if order.retriever == _BM25]
    return Story.beside(__package__).view(
        (
            Table.of("Precision by chunks, and noisy-or", by_unit, _EXACT, parts=_retriever),
            Table.of(
                f"What the first {design.depth} chunks cover, and the first "
                f"{design.budget:,} tokens; efficiency",
                by_unit,
                _LISTS,
                parts=_retriever,
            ),
            Table.of("What is read until all is seen", by_unit, _READ, parts=_retriever),
            Table.of(
                "Places that each chunker can have; the last three by what is read",
                _placed(findings),
                _ORDERS,
                parts=itemgetter(0),
            ),
            Table.of(
                "Two retrievers of the same chunks",
                duels,
                _DUELS,
                parts=lambda duel: duel.criterion,
            ),
        ),
        values,
        figure=("Place of each chunker by seven criteria", lambda: _figure(orders)),
    )


def _retriever(rows: _Units) -> str:
    return rows[0].retriever


def _leaders(findings: ChunksFindings, criterion: str) -> str:
    """Return the chunkers that can have the first place by a criterion, of BM25."""
    order = next(
        order
        for order in findings.orders
        if order.retriever == _BM25 and order.criterion == criterion
    )
    names = [name for name, place in zip(order.chunkers, order.first, strict=True) if place == 1]
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _placed(findings: ChunksFindings) -> list[_Placed]:
    """Return the places of each retriever's chunkers, those with the best precision first."""
    rows: dict[tuple[str, str], list[str]] = {}
    for order in findings.orders:
        for chunker, first, last in zip(order.chunkers, order.first, order.last, strict=True):
            rows.setdefault((order.retriever, chunker), []).append(f"{first}–{last}")
    listed = [(*key, *places) for key, places in rows.items()]
    return sorted(listed, key=lambda row: row[0])


def _figure(orders: list[ChunkerOrder]) -> Drawing:
    """Return a line for each chunker over the criteria, by its place."""
    lines = {
        chunker: {at: order.chunkers.index(chunker) + 1 for at, order in enumerate(orders)}
        for chunker in orders[0].chunkers
    }

    def panel(axes: "Axes") -> None:
        curves(axes, lines)
        for chunker, places in lines.items():
            axes.text(len(orders) - 0.9, places[len(orders) - 1], chunker, va="center", color=SOFT)
        names = [order.criterion.replace(" ", "\n") for order in orders]
        axes.set_xticks(range(len(orders)), names)
        axes.set_yticks(range(1, len(lines) + 1))
        axes.invert_yaxis()
        axes.set_title("place")
        axes.grid(visible=False)

    return paneled([panel], columns=1, tall=90 + 40 * len(lines))
