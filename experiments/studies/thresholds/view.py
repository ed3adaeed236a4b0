"""The view of the study of thresholds: its parts, and the paper's claims."""

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import product, starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from prum.experiments.report.drawing import INK, PRUM, SIMULATED, SOFT, Drawing, drawn, legend, mark
from prum.experiments.report.view import Column, Table, View, shown
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.kit.study import StudyResult
from prum.experiments.studies.thresholds.model import MEASURES
from prum.experiments.studies.thresholds.power import NUMBERS, POWER
from prum.experiments.studies.thresholds.printed import Recomputed
from prum.experiments.studies.thresholds.rows import ThresholdsRow
from prum.experiments.studies.thresholds.spreads import FEW, JITTERS, PUSHES
from prum.experiments.studies.thresholds.study import ThresholdsDesign, ThresholdsFindings

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Result = StudyResult[ThresholdsDesign, ThresholdsRow, ThresholdsFindings]

# What nobody would call many, and more queries than anybody has.
_FEW_QUERIES, _MOST_QUERIES = 10, 1e6
_THRESHOLDS = {
    "retrieved": "retrieved, .3 to .7",
    "relevant": "relevant, .3 to .7",
    "both": "both together",
}
_COLOURS = (INK, SIMULATED, SOFT, PRUM)


class _Place(NamedTuple):
    """The place of a line of a table within its part of the study."""

    measure: str
    level: str


class _Numbers:
    """Rows by what they say."""

    def __init__(self, rows: Iterable[ThresholdsRow]) -> None:
        self._rows = {(row.part, row.level, row.measure, row.quantity): row for row in rows}
        sampled = [row for row in self._rows.values() if row.part == "sample"]
        self.designs = tuple(dict.fromkeys(row.measure for row in sampled))
        self.judged = tuple(dict.fromkeys(row.level for row in sampled))

    def row(self, part: str, level: str, measure: str, quantity: str) -> ThresholdsRow:
        """Return the row of these."""
        return self._rows[part, level, measure, quantity]

    def value(self, part: str, level: str, measure: str, quantity: str) -> float:
        """Return a value, NaN if there is none."""
        value = self.row(part, level, measure, quantity).value
        return math.nan if value is None else value

    def values(self, part: str, level: str, quantity: str) -> dict[str, float]:
        """Return a value of each measure."""
        return {measure: self.value(part, level, measure, quantity) for measure in MEASURES}

    def in_gaps(self, level: str) -> dict[str, float]:
        """Return how many gaps between two systems each measure of a query moves."""
        spreads = self.values("jitter", level, "sd of a query")
        return _ratios(spreads, self.values("power", "", "difference"))

    def over_systems(self) -> dict[str, float]:
        """Return how many times as much each measure varies over queries as over systems."""
        spreads = self.values("variance", "", "sd over queries")
        return _ratios(spreads, self.values("variance", "", "sd over systems"))

    def column(self, part: str, quantity: str, form: str, level: str = "") -> Column[_Place]:
        """Return the column of a quantity, without intervals; of one level if that is given."""
        return Column(
            level or quantity,
            lambda place: self.value(part, level or place.level, place.measure, quantity),
            form,
        )

    def intervals(self, part: str, quantity: str, form: str, level: str = "") -> Column[_Place]:
        """Return the same with intervals."""

        def text(place: _Place) -> str:
            row = self.row(part, level or place.level, place.measure, quantity)
            return _with_interval(row, form)

        return Column(level or quantity, text)


def view(result: Result) -> View:
    """Return a table for each part, and the paper's claims beside numbers."""
    numbers = _Numbers(result.rows)
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


def _ratios(values: Mapping[str, float], units: Mapping[str, float]) -> dict[str, float]:
    """Return how many times the unit each value is; NaN if the unit is 0."""
    return {name: values[name] / unit if unit else math.nan for name, unit in units.items()}


def _with_interval(row: ThresholdsRow, form: str) -> str:
    if row.value is None:
        return shown(None)
    value = _limited(row.value, form)
    if row.low is None:
        return value
    return f"{value} ({_limited(row.low, form)} to {_limited(row.high, form)})"


def _limited(value: float | None, form: str) -> str:
    """Return a number, or that it is too large to mean anything."""
    return "over 10^6" if value is None or value > _MOST_QUERIES else shown(value, form)


def _tables(numbers: _Numbers) -> Iterator[Table]:
    """Yield a table for each part of the study."""
    column, intervals = numbers.column, numbers.intervals
    measure: Column[_Place] = Column("measure", lambda place: place.measure, left=True)
    measures = [_Place(name, "") for name in MEASURES]

    yield Table.of(
        "Estimates moved by up to e: standard deviation, and the same in gaps between two systems",
        starmap(_Place, product(MEASURES, (f"{size:g}" for size in JITTERS))),
        [
            measure,
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
        starmap(_Place, product(MEASURES, _THRESHOLDS)),
        [
            measure,
            Column("threshold", lambda place: _THRESHOLDS[place.level], left=True),
            intervals("threshold", "range of a query", ".3f"),
            intervals("threshold", "range of the mean", ".3f"),
        ],
        parts=lambda place: place.measure,
    )
    yield Table.of(
        "Estimates pushed away from the user's by a share of the way to the next threshold: change",
        measures,
        [measure, *(intervals("push", "change", ".4f", f"{share:g}") for share in PUSHES)],
    )
    yield Table.of(
        "Spread over queries, and over seven systems",
        measures,
        [
            measure,
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
            measure,
            intervals("power", "difference", ".4f"),
            column("power", "sd of differences", ".3f"),
            intervals("power", "queries, formula", ".0f"),
            intervals("power", "queries, simulated", ".0f"),
        ],
    )
    yield Table.of(
        "Share of experiments that find the better system better, by number of queries",
        measures,
        [measure, *(column("power", "power", ".2f", str(count)) for count in NUMBERS)],
    )
    yield Table.of(
        "ADM of a query from some judged documents: bias and root mean squared error",
        starmap(_Place, product(numbers.designs, numbers.judged)),
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
        return Column(measure, lambda row: f"{row.printed[at]:g} / {row.computed[at]:.3g}")

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


def _claimed(numbers: _Numbers) -> dict[str, Any]:
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
        "needed": ", ".join(f"{name} {_with_interval(row, '.0f')}" for name, row in needed.items()),
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


def _figure(numbers: _Numbers) -> Drawing:
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

    def fill(figure: "Canvas") -> None:
        for place, (title, name, x, values) in enumerate(panels):
            axes = figure.add_axes((0.06 + 0.33 * place, 0.15, 0.26, 0.62), facecolor="none")
            for number, measure in enumerate(MEASURES):
                y, colour = [means[measure] for means in values], _COLOURS[number]
                (line,) = axes.plot(x, y, mark(number) + "-", color=colour, label=measure)
                line.set(markersize=4, linewidth=1.2, clip_on=False)
            if x is NUMBERS:
                axes.axhline(POWER, color=SOFT, linewidth=0.8, linestyle=":")
            axes.set_title(title, loc="left", fontsize=9, color=SOFT, pad=7)
            axes.set_xlabel(name, labelpad=3)
            axes.set_ylim(bottom=0)
            for side in ("top", "right", "left"):
                axes.spines[side].set_visible(False)
        legend(figure, figure.axes[0])

    return drawn(fill, 620, 240)
