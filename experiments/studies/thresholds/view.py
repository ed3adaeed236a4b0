"""The view of the study of thresholds: its parts, and the paper's claims."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product, starmap
from typing import TYPE_CHECKING, Any

from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.kit.study import StudyResult
from prum.experiments.studies.thresholds.model import MEASURES
from prum.experiments.studies.thresholds.power import NUMBERS, POWER
from prum.experiments.studies.thresholds.printed import Recomputed
from prum.experiments.studies.thresholds.rows import ThresholdsRow
from prum.experiments.studies.thresholds.spreads import FEW, JITTERS, PUSHES
from prum.experiments.studies.thresholds.study import ThresholdsDesign, ThresholdsFindings
from prum.experiments.studies.thresholds.tables import (
    MEASURE,
    QuantityTable,
    Spot,
    with_interval,
)
from prum.experiments.views.drawing import INK, PRUM, SIMULATED, SOFT, Drawing, mark, paneled
from prum.experiments.views.view import Column, Table, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Result = StudyResult[ThresholdsDesign, ThresholdsRow, ThresholdsFindings]

# What nobody would call many.
_FEW_QUERIES = 10
_THRESHOLDS = {
    "retrieved": "retrieved, .3 to .7",
    "relevant": "relevant, .3 to .7",
    "both": "both together",
}
_COLOURS = (INK, SIMULATED, SOFT, PRUM)


def view(result: Result) -> View:
    """Return a table for each part, and the paper's claims beside numbers."""
    numbers = QuantityTable(result.rows)
    values = _claimed(numbers)
    story = Story.beside(__package__)
    return View(
        title=story.title,
        headline=story.line("headline", **values),
        story=story.paragraphs("story"),
        figures=story.figure(
            "caption",
            "Spread of measures over e, and power over the number of queries",
            lambda: _figure(numbers),
        ),
        notes=story.paragraphs("notes", "claims", **values),
        tables=(*_tables(numbers), _printed(result.found.printed)),
    )


def _tables(numbers: QuantityTable) -> Iterator[Table]:
    """Yield a table for each part of the study."""
    column, intervals = numbers.column, numbers.intervals
    measures = [Spot(name) for name in MEASURES]

    yield Table.of(
        "Estimates moved by up to e: standard deviation, and the same in gaps between two systems",
        starmap(Spot, product(MEASURES, (f"{size:g}" for size in JITTERS))),
        [
            MEASURE,
            Column("e", lambda place: place.level, left=True),
            intervals("jitter", "sd of a query", ".4f"),
            column("jitter", "sd, few relevant", ".4f"),
            column("jitter", "range of a query", ".4f"),
            column("jitter", "sd of the mean", ".5f"),
            Column("sd in gaps", lambda at: numbers.in_gaps(at.level)[at.measure], ".2f"),
        ],
        parts=lambda place: place.measure,
    )
    yield Table.of(
        "Thresholds moved from .3 to .7: range of each measure",
        starmap(Spot, product(MEASURES, _THRESHOLDS)),
        [
            MEASURE,
            Column("threshold", lambda place: _THRESHOLDS[place.level], left=True),
            intervals("threshold", "range of a query", ".3f"),
            intervals("threshold", "range of the mean", ".3f"),
        ],
        parts=lambda place: place.measure,
    )
    yield Table.of(
        "Estimates pushed away from the user's by a share of the way to the next threshold: change",
        measures,
        [MEASURE, *(intervals("push", "change", ".4f", f"{x:g}") for x in PUSHES)],
    )
    yield Table.of(
        "Spread over queries, and over seven systems",
        measures,
        [
            MEASURE,
            intervals("variance", "mean", ".3f"),
            intervals("variance", "sd over queries", ".3f"),
            column("variance", "sd over systems", ".3f"),
            Column("ratio", lambda place: numbers.over_systems()[place.measure], ".2f"),
            column("variance", "no value", ".3f"),
        ],
    )
    yield Table.of(
        "Queries for power .8 at level .05, paired t-test of a better and a worse system",
        measures,
        [
            MEASURE,
            intervals("power", "difference", ".4f"),
            column("power", "sd of differences", ".3f"),
            intervals("power", "queries, formula", ".0f"),
            intervals("power", "queries, simulated", ".0f"),
        ],
    )
    yield Table.of(
        "Share of experiments that find the better system better, by number of queries",
        measures,
        [MEASURE, *(column("power", "power", ".2f", str(count)) for count in NUMBERS)],
    )
    yield Table.of(
        "ADM of a query from some judged documents: bias and root mean squared error",
        starmap(Spot, product(numbers.designs, numbers.judged)),
        [
            Column("design", lambda place: place.measure, left=True),
            Column("judged", lambda place: int(place.level)),
            intervals("sample", "bias, simulated", ".4f"),
            column("sample", "bias, theory", ".4f"),
            column("sample", "error, simulated", ".4f"),
            column("sample", "error, theory", ".4f"),
        ],
        parts=lambda place: place.measure,
    )


def _printed(printed: list[Recomputed]) -> Table:
    def figures(at: int, measure: str) -> Column[Recomputed]:
        return Column(
            measure,
            lambda row: f"{row.printed[at]:g} / {row.computed[at]:.3g}",
            data={
                f"{measure}, printed": lambda row: row.printed[at],
                f"{measure}, computed": lambda row: row.computed[at],
            },
        )

    return Table.of(
        "Tables 1 and 2 of Mizzaro (2001), printed / by definition",
        printed,
        [
            Column("table", lambda row: row.table, left=True),
            Column("system", lambda row: row.system, left=True),
            *(figures(at, measure) for at, measure in enumerate(MEASURES)),
        ],
        parts=lambda row: row.table,
    )


def _claimed(numbers: QuantityTable) -> dict[str, Any]:
    """Return the numbers that the story tells of the paper's claims."""
    level = f"{JITTERS[1]:g}"
    needed = {name: numbers.row("power", "", name, "queries, formula") for name in MEASURES}
    own = needed["ADM"]
    compared = (f"{_compared(own, needed[name])} by {name}" for name in MEASURES[:3])
    judged = numbers.judged[-1]
    errors = {
        design: numbers.value("sample", judged, design, "error, simulated")
        for design in numbers.designs
    }
    best = min(errors, key=errors.__getitem__)
    return {
        "level": level,
        "few": FEW,
        "spreads": numbers.values("jitter", level, "sd of a query"),
        "few_spreads": numbers.values("jitter", level, "sd, few relevant"),
        "gaps": numbers.in_gaps(level),
        "ratios": numbers.over_systems(),
        "needed": ", ".join(f"{name} {with_interval(row, '.0f')}" for name, row in needed.items()),
        "compared": "; ".join(compared),
        "holds": "holds" if _end(own.high) <= _FEW_QUERIES else "does not hold",
        "adm": numbers.value("variance", "", "ADM", "mean"),
        "pushed": numbers.value("push", "1", "ADM", "change"),
        "nothing": numbers.value("variance", "0 to all", "ADM", "mean"),
        "judged": judged,
        "bias": numbers.value("sample", judged, "retrieved only", "bias, simulated"),
        "best": best,
        "error": errors[best],
        "apart": numbers.value("power", "", "ADM", "difference"),
    }


def _compared(own: ThresholdsRow, other: ThresholdsRow) -> str:
    if _end(own.high) < _end(other.low):
        return "fewer than"
    if _end(own.low) > _end(other.high):
        return "more than"
    return "not seen to be fewer or more than"


def _end(end: float | None) -> float:
    """Return an end of an interval; what has none may need any number of queries."""
    return math.inf if end is None else end


def _figure(numbers: QuantityTable) -> Drawing:
    """Return three panels: spread over jitters, the same in gaps, and power by queries."""
    levels = [f"{size:g}" for size in JITTERS]
    spreads = [numbers.values("jitter", level, "sd of a query") for level in levels]
    gaps = [numbers.in_gaps(level) for level in levels]
    shares = [numbers.values("power", str(count), "power") for count in NUMBERS]
    panels = (
        ("sd of a query", "e, how far estimates move", JITTERS, spreads),
        ("in gaps of two systems", "e, how far estimates move", JITTERS, gaps),
        ("power", "queries", NUMBERS, shares),
    )

    def panel(
        axes: "Axes",
        title: str,
        name: str,
        x: Sequence[float],
        values: Sequence[dict[str, float]],
    ) -> None:
        for number, measure in enumerate(MEASURES):
            y, colour = [means[measure] for means in values], _COLOURS[number]
            (line,) = axes.plot(x, y, mark(number) + "-", color=colour, label=measure)
            line.set(markersize=4, linewidth=1.2, clip_on=False)
        if x is NUMBERS:
            axes.axhline(POWER, color=SOFT, linewidth=0.8, linestyle=":")
        axes.set_title(title)
        axes.set_xlabel(name, labelpad=3)
        axes.set_ylim(bottom=0)

    drawn_panels = [
        partial(panel, title=title, name=name, x=x, values=values)
        for title, name, x, values in panels
    ]
    return paneled(drawn_panels, columns=3, tall=240, has_legend=True)
