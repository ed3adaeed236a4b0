"""The view of the study of chunkers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prum.experiments.compare.wording import ends
from prum.experiments.compare.wording import number as printed
from prum.experiments.studies.chunks.study import (
    CHUNKS,
    CRITERIA,
    UNITS,
    ChunkerOrder,
    ChunksDesign,
    ChunksFindings,
    ChunksRow,
    RetrieverDifference,
)
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.kit.study import StudyResult
from prum.experiments.views.drawing import SOFT, Drawing, colour, mark, paneled
from prum.experiments.views.view import Column, Table, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ChunksResult = StudyResult[ChunksDesign, ChunksRow, ChunksFindings]

_BM25 = "BM25"
_HEAD: tuple[Column[ChunksRow], ...] = (
    Column("retriever", lambda row: row.retriever, left=True),
    Column("chunker", lambda row: row.chunker, left=True),
)
_EXACT: tuple[Column[ChunksRow], ...] = (
    *_HEAD,
    Column("chunks", lambda row: row.chunks, ","),
    Column("precision", lambda row: row.precision, ".4f"),
    Column("± 95 %", lambda row: row.precision_high - row.precision, ".4f"),
    Column("noisy-or", lambda row: row.noisy_or, ".4f"),
    Column("error", lambda row: row.error, ".4f"),
    Column("± 95 %", lambda row: row.error_high - row.error, ".4f"),
)
_LISTS: tuple[Column[ChunksRow], ...] = (
    *_HEAD,
    Column("coverage", lambda row: row.coverage, ".4f"),
    Column("± 95 %", lambda row: row.coverage_high - row.coverage, ".4f"),
    Column("within budget", lambda row: row.budgeted, ".4f"),
    Column("± 95 %", lambda row: row.budgeted_high - row.budgeted, ".4f"),
    Column("efficiency", lambda row: row.efficiency, ".4f"),
    Column("± 95 %", lambda row: row.efficiency_high - row.efficiency, ".4f"),
)
# A list's rows, one for each unit.
_Units = tuple[ChunksRow, ...]


def _read(number: int) -> tuple[Column[_Units], ...]:
    """Return what is read in a unit, and half its interval."""
    return (
        Column(UNITS[number], lambda rows: rows[number].read, ",.1f"),
        Column("± 95 %", lambda rows: rows[number].read_high - rows[number].read, ",.1f"),
    )


_READ: tuple[Column[_Units], ...] = (
    Column("retriever", lambda rows: rows[0].retriever, left=True),
    Column("chunker", lambda rows: rows[0].chunker, left=True),
    *(column for number in range(len(UNITS)) for column in _read(number)),
)
_DUELS: tuple[Column[RetrieverDifference], ...] = (
    Column("criterion", lambda duel: duel.criterion, left=True),
    Column("chunker", lambda duel: duel.chunker, left=True),
    Column("BM25 less TF-IDF", lambda duel: duel.difference, "+,.4g"),
    Column("low", lambda duel: duel.low, "+,.4g"),
    Column("high", lambda duel: duel.high, "+,.4g"),
    Column("adjusted p", lambda duel: duel.adjusted, ".4f"),
)
# Retriever, chunker, and the places by each criterion.
_Placed = tuple[str, ...]


def _place(number: int, criterion: str) -> Column[_Placed]:
    return Column(criterion.removesuffix(" read"), lambda at: at[number])


_ORDERS: tuple[Column[_Placed], ...] = (
    Column("retriever", lambda at: at[0], left=True),
    Column("chunker", lambda at: at[1], left=True),
    *(_place(number, criterion) for number, criterion in enumerate(CRITERIA, start=2)),
)
# Smaller errors come from rounding.
_ROUNDING = 1e-12
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
    rows = [row for row in result.rows if row.unit == CHUNKS]
    by_unit = list(zip(*(iter(result.rows),) * len(UNITS), strict=True))
    plain = [row for row in rows if row.retriever == _BM25]
    worst = max(plain, key=lambda row: abs(row.error))
    values = {
        "design": design,
        "questions": rows[0].questions,
        "chunkers": len(plain),
        "off": _off([abs(row.error) for row in plain]),
        "worst_chunker": worst.chunker,
        "best_precision": _leaders(findings, "precision"),
        "best_read": _leaders(findings, "characters read"),
        "best_efficiency": _leaders(findings, "efficiency"),
        "best_budget": _leaders(findings, "within budget"),
        "spans": findings.num_spans,
        "texts": findings.num_texts,
    }
    story = Story.beside(__package__)
    duels = [duel for duel in findings.duels if duel.criterion in _DUELLED]
    return View(
        title=story.title,
        headline=story.line("headline", **values),
        story=story.paragraphs("story", **values),
        figures=story.figure(
            "caption",
            "Place of each chunker by seven criteria",
            lambda: _figure([order for order in findings.orders if order.retriever == _BM25]),
        ),
        notes=story.paragraphs("notes", **values),
        tables=(
            Table.of("Precision by chunks, and noisy-or", rows, _EXACT, parts=_retriever),
            Table.of(f"What the first {design.depth} chunks cover, and the first "
                     f"{design.budget:,} tokens; efficiency", rows, _LISTS, parts=_retriever),
            Table.of("What is read until all is seen", by_unit, _READ,
                     parts=lambda rows: rows[0].retriever),
            Table.of("Places that each chunker can have; the last three by what is read",
                     _placed(findings), _ORDERS,
                     parts=lambda at: at[0]),
            Table.of("Two retrievers of the same chunks", duels, _DUELS,
                     parts=lambda duel: duel.criterion),
        ),
    )  # fmt: skip


def _retriever(row: ChunksRow) -> str:
    return row.retriever


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
    chunkers = sorted(orders[0].chunkers, key=orders[0].chunkers.index)

    def panel(axes: "Axes") -> None:
        for number, chunker in enumerate(chunkers):
            places = [order.chunkers.index(chunker) + 1 for order in orders]
            axes.plot(range(len(orders)), places, marker=mark(number), color=colour(number),
                      linewidth=1.2, markersize=4)  # fmt: skip
            axes.text(len(orders) - 0.9, places[-1], chunker, va="center", color=SOFT)
        axes.set_xticks(
            range(len(orders)),
            [order.criterion.replace(" ", "\n") for order in orders],
        )
        axes.set_yticks(range(1, len(chunkers) + 1))
        axes.invert_yaxis()
        axes.set_title("place")
        axes.grid(visible=False)

    return paneled([panel], columns=1, tall=90 + 40 * len(chunkers))
