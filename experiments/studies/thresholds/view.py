"""The view of the study of thresholds: its parts, and the paper's claims."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from prum.analytic.adm.thresholds import BAND
from prum.experiments.frame.drawing import PRUM, SOFT, Drawing, curves, paneled
from prum.experiments.frame.numbers import shortened, shown
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Figure, Table, View
from prum.experiments.studies.kit.quantities import (
    Line,
    QuantityTable,
    interval_column,
    lines,
    number_column,
    text_column,
)
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.thresholds.parts import (
    BANDED,
    FEW,
    JITTERS,
    MEASURES,
    NUMBERS,
    PAPERS,
    POWER,
    PUSHES,
    ThresholdsRow,
)
from prum.experiments.studies.thresholds.runs import BEATEN, OTHERS, PART, TAU, Plane
from prum.experiments.studies.thresholds.study import (
    Recomputed,
    ThresholdsDesign,
    ThresholdsFindings,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ThresholdsResult = StudyResult[ThresholdsDesign, ThresholdsRow, ThresholdsFindings]

Numbers = QuantityTable[ThresholdsRow]

# What nobody would call many, and more than anybody has.
_FEW_QUERIES, _MOST_QUERIES = 10, 1e6
# Panels that a figure of runs has at most, and letters in their titles.
_MOST_PLANES, _LONGEST_NAME = 6, 18
_THRESHOLDS = {
    "retrieved": "retrieved, .3 to .7",
    "relevant": "relevant, .3 to .7",
    "both": "both together",
}
_MEASURE = text_column("measure", "measure")


def view(result: ThresholdsResult) -> View:
    """Return a table for each part, and the paper's claims beside numbers."""
    numbers = QuantityTable(list(result.rows), by="part")
    label = "Spread of measures over e, and power over the number of queries"
    planes, story = result.found.planes, Story.beside(__package__)
    told = story.view(
        (
            *_of_planes(planes),
            *_of_runs(numbers),
            *_tables(numbers),
            _printed(result.found.printed),
        ),
        _claimed(numbers),
        figure=(label, lambda: _figure(numbers)),
        notes=("notes", "claims"),
    )
    return replace(told, figures=(*_plane_figure(planes, story), *told.figures))


def _tables(numbers: Numbers) -> Iterator[Table]:
    """Yield a table for each part of the study; "±" in a format asks for the interval, too."""
    measures = lines(measure=MEASURES, level=[""])

    def column(part: str, heading: str, form: str, **what: str) -> Column[Line]:
        of, number = numbers.along(part, **what), form.removeprefix("±")
        if number == form:
            return number_column(heading, of, form)
        ends = {", low": "low", ", high": "high"}
        return interval_column(heading, of, lambda line: _with_interval(of(line), number), ends)

    def quantities(part: str, forms: Mapping[str, str]) -> Iterator[Column[Line]]:
        return (column(part, name, form, quantity=name) for name, form in forms.items())

    def levels(part: str, quantity: str, form: str, *values: float) -> Iterator[Column[Line]]:
        texts = (f"{value:g}" for value in values)
        return (column(part, text, form, quantity=quantity, level=text) for text in texts)

    jitters = {"sd of a query": "±.4f", "sd, few relevant": ".4f", "range of a query": ".4f"}
    yield Table.of(
        "Estimates moved by up to e: standard deviation, and the same in gaps between two systems",
        lines(measure=MEASURES, level=[f"{size:g}" for size in JITTERS]),
        [
            _MEASURE,
            text_column("e", "level"),
            *quantities("jitter", {**jitters, "sd of the mean": ".5f"}),
            Column(
                "sd in gaps", lambda line: _in_gaps(numbers, line["level"])[line["measure"]], ".2f"
            ),
        ],
        parts=lambda line: line["measure"],
    )
    ranges = {"range of a query": "±.3f", "range of the mean": "±.3f"}
    yield Table.of(
        "Thresholds moved from .3 to .7: range of each measure",
        lines(measure=MEASURES, level=_THRESHOLDS),
        [
            _MEASURE,
            Column("threshold", lambda line: _THRESHOLDS[line["level"]], left=True),
            *quantities("threshold", ranges),
        ],
        parts=lambda line: line["measure"],
    )
    yield Table.of(
        "Estimates pushed away from the user's by a share of the way to the next threshold: change",
        measures,
        [_MEASURE, *levels("push", "change", "±.4f", *PUSHES)],
    )
    spreads = {"mean": "±.3f", "sd over queries": "±.3f", "sd over systems": ".3f"}
    yield Table.of(
        "Spread over queries, and over seven systems",
        measures,
        [
            _MEASURE,
            *quantities("variance", spreads),
            Column("ratio", lambda line: _over_systems(numbers)[line["measure"]], ".2f"),
            *quantities("variance", {"no value": ".3f"}),
        ],
    )
    gaps = {"difference": "±.4f", "sd of differences": ".3f"}
    needed = {"queries, formula": "±.0f", "queries, simulated": "±.0f"}
    yield Table.of(
        "Queries for power .8 at level .05, paired t-test of a better and a worse system",
        measures,
        [_MEASURE, *quantities("power", gaps | needed)],
    )
    yield Table.of(
        "Share of experiments that find the better system better, by number of queries",
        measures,
        [_MEASURE, *levels("power", "power", ".2f", *NUMBERS)],
    )
    designs, judged = (numbers.names("sample", column) for column in ("measure", "level"))
    bias = {"bias, simulated": "±.4f", "bias, theory": ".4f"}
    error = {"error, simulated": ".4f", "error, theory": ".4f"}
    yield Table.of(
        "ADM of a query from some judged documents: bias and root mean squared error",
        lines(measure=designs, level=judged),
        [
            text_column("design", "measure"),
            Column("judged", lambda line: int(line["level"])),
            *quantities("sample", bias | error),
        ],
        parts=lambda line: line["measure"],
    )


def _of_runs(numbers: Numbers) -> Iterator[Table]:
    """Yield how ADM orders the user's own runs, if there are any."""
    levels = numbers.names(PART, "level")
    if not levels:
        return

    def column(name: str) -> Column[Line]:
        of = numbers.along(PART, measure=name, quantity=TAU)
        ends = {", low": "low", ", high": "high"}
        return interval_column(name, of, lambda line: _with_interval(of(line), ".2f"), ends)

    below = numbers.along(PART, measure="ADM", quantity=BEATEN)
    yield Table.of(
        "Your runs: tau-b of their order by ADM with other orders, and how many 0 to all beats",
        lines(level=levels),
        [
            text_column("estimates, documents", "level"),
            *map(column, OTHERS),
            number_column(BEATEN, below, ".0%"),
        ],
        parts=lambda line: line["level"].split(",")[0],
    )


def _of_planes(planes: Sequence[Plane]) -> Iterator[Table]:
    """Yield how many documents of each run lie where, if there are runs."""
    if not planes:
        return
    sectors = ("retrieved, not relevant", "retrieved, relevant", "relevant, not retrieved")

    def of(sector: int) -> Callable[[Plane], int]:
        return lambda plane: plane.sectors[sector]

    yield Table.of(
        f"Your runs in the plane of URE and SRE (estimates by {planes[0].rule}, thresholds 1/2): "
        "documents by sector",
        planes,
        [
            Column("system", lambda plane: plane.system, left=True),
            Column("ADM", lambda plane: plane.adm, ".4f"),
            *(Column(name, of(sector)) for sector, name in enumerate(sectors)),
            Column("P'", lambda plane: plane.precision, ".3f"),
            Column("R'", lambda plane: plane.recall, ".3f"),
        ],
    )


def _plane_figure(planes: Sequence[Plane], story: Story) -> tuple[Figure, ...]:
    """Return the documents of the runs with the highest ADM by URE and SRE, if there are runs."""
    best = sorted(planes, key=lambda plane: -plane.adm)[:_MOST_PLANES]
    names = shortened([plane.system for plane in best], _LONGEST_NAME)
    panels = [
        partial(_plane, plane=plane, name=name) for plane, name in zip(best, names, strict=True)
    ]
    if not panels:
        return ()
    label = "Documents of each run by the user's and the system's estimate of relevance"
    draw = partial(paneled, panels, columns=3, tall=240, share="y")
    return story.figure("planes", label, draw, shown=len(best), number=len(planes))


def _plane(axes: "Axes", plane: Plane, name: str) -> None:
    """Draw a system's documents: the size of a point grows with their number."""
    most = max(number for *_, number in plane.squares)
    x, y, sizes = zip(*((u, s, 4 + 60 * n / most) for u, s, n in plane.squares), strict=True)
    axes.plot((0, 1), (0, 1), color=SOFT, linewidth=0.8)
    for shift in (-BAND, BAND):
        axes.plot((0, 1), (shift, 1 + shift), color=SOFT, linewidth=0.8, linestyle=":")
    axes.scatter(x, y, s=sizes, color=PRUM, alpha=0.6, linewidths=0)
    axes.set_title(f"{name}: ADM {plane.adm:.3f}")
    axes.set_xlabel("URE, the user's estimate", labelpad=3)
    axes.set_ylabel("SRE, the system's")
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(-0.05, 1.05)


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
            *(figures(at, measure) for at, measure in enumerate(PAPERS)),
        ],
        parts=lambda row: row.table,
    )


def _claimed(numbers: Numbers) -> dict[str, Any]:
    """Return the numbers that the story tells of the paper's claims."""
    level = f"{JITTERS[1]:g}"
    needed = {
        name: row
        for name in MEASURES
        for row in numbers.of("power", measure=name, quantity="queries, formula")
    }
    own = needed["ADM"]
    compared = (f"{_compared(own, needed[name])} by {name}" for name in MEASURES[:3])
    judged = numbers.names("sample", "level")[-1]

    def sampled(design: str, quantity: str) -> float:
        return numbers.value("sample", level=judged, measure=design, quantity=quantity)

    errors = {
        design: sampled(design, "error, simulated") for design in numbers.names("sample", "measure")
    }
    mean = partial(numbers.value, "variance", measure="ADM", quantity="mean")
    best = min(errors, key=errors.__getitem__)
    return {
        "level": level,
        "few": FEW,
        "spreads": _values(numbers, "jitter", level, "sd of a query"),
        "few_spreads": _values(numbers, "jitter", level, "sd, few relevant"),
        "gaps": _in_gaps(numbers, level),
        "ratios": _over_systems(numbers),
        "needed": ", ".join(f"{name} {_with_interval(row, '.0f')}" for name, row in needed.items()),
        "compared": "; ".join(compared),
        "holds": "holds" if _end(own.high) <= _FEW_QUERIES else "does not hold",
        "adm": mean(level=""),
        "pushed": numbers.value("push", level="1", measure="ADM"),
        "banded": _banded(numbers, level, needed),
        "nothing": mean(level="0 to all"),
        "judged": judged,
        "bias": sampled("retrieved only", "bias, simulated"),
        "best": best,
        "error": errors[best],
        "apart": numbers.value("power", measure="ADM", quantity="difference"),
    }


def _banded(numbers: Numbers, level: str, needed: Mapping[str, ThresholdsRow]) -> str:
    """Return how P' and R' answer to small errors, to large ones and to two systems, in words."""
    moved = _values(numbers, "jitter", level, "sd of a query")
    told = []
    for own, classic in zip(BANDED, PAPERS, strict=False):
        change = shown(numbers.value("push", level="1", measure=own), ".3f")
        told.append(
            f"{own} moves by {shown(moved[own], '.3f')}, where {classic} does by "
            f"{shown(moved[classic], '.3f')}, changes by {change}, and needs "
            f"{_with_interval(needed[own], '.0f')} queries, "
            f"{_compared(needed[own], needed[classic])} {classic}"
        )
    return "; ".join(told)


def _values(numbers: Numbers, part: str, level: str, quantity: str) -> dict[str, float]:
    """Return a value of each measure."""
    return {
        measure: numbers.value(part, level=level, measure=measure, quantity=quantity)
        for measure in MEASURES
    }


def _in_gaps(numbers: Numbers, level: str) -> dict[str, float]:
    """Return how many gaps between two systems each measure of a query moves."""
    spreads = _values(numbers, "jitter", level, "sd of a query")
    return _ratios(spreads, _values(numbers, "power", "", "difference"))


def _over_systems(numbers: Numbers) -> dict[str, float]:
    """Return how many times as much each measure varies over queries as over systems."""
    spreads = _values(numbers, "variance", "", "sd over queries")
    return _ratios(spreads, _values(numbers, "variance", "", "sd over systems"))


def _ratios(values: Mapping[str, float], units: Mapping[str, float]) -> dict[str, float]:
    """Return how many times the unit each value is; NaN if the unit is 0."""
    return {name: values[name] / unit if unit else math.nan for name, unit in units.items()}


def _with_interval(row: ThresholdsRow | None, form: str) -> str:
    """Return the value of a row with its interval, a dash for none."""
    if row is None or row.value is None:
        return shown(None)
    value = _limited(row.value, form)
    if row.low is None:
        return value
    return f"{value} ({_limited(row.low, form)} to {_limited(row.high, form)})"


def _limited(value: float | None, form: str) -> str:
    """Return a number, or that it is too large to mean anything."""
    return "over 10^6" if value is None or value > _MOST_QUERIES else shown(value, form)


def _compared(own: ThresholdsRow, other: ThresholdsRow) -> str:
    if _end(own.high) < _end(other.low):
        return "fewer than"
    if _end(own.low) > _end(other.high):
        return "more than"
    return "not seen to be fewer or more than"


def _end(end: float | None) -> float:
    """Return an end of an interval; what has none may need any number of queries."""
    return math.inf if end is None else end


def _figure(numbers: Numbers) -> Drawing:
    """Return three panels: spread over jitters, the same in gaps, and power by queries."""
    levels = [f"{size:g}" for size in JITTERS]
    spreads = [_values(numbers, "jitter", level, "sd of a query") for level in levels]
    gaps = [_in_gaps(numbers, level) for level in levels]
    shares = [_values(numbers, "power", str(count), "power") for count in NUMBERS]
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
        lines = {name: [means[name] for means in values] for name in MEASURES}
        curves(axes, {name: dict(zip(x, y, strict=True)) for name, y in lines.items()})
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
