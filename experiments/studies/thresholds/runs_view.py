"""The view of the study of thresholds on runs: each beside the user's estimates, and in pairs."""

import math
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.thresholds.model import THRESHOLD
from prum.experiments.studies.thresholds.of_runs import (
    MEASURES_OF_RUNS,
    MOST_PAIRED,
    SECTORS,
    Changed,
    PlaneCell,
    RunFindings,
)
from prum.experiments.studies.thresholds.runs import RunDocuments
from prum.experiments.studies.thresholds.spreads import JITTERS
from prum.experiments.studies.thresholds.study import ThresholdsDesign
from prum.experiments.studies.thresholds.tables import (
    MEASURE,
    THRESHOLDS,
    QuantityTable,
    Spot,
)
from prum.experiments.views.drawing import PRUM, RULE, SIMULATED, SOFT, Drawing, paneled
from prum.experiments.views.view import Column, Figure, Table, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_PANELS, _MOST_CHANGED = 12, 30
# Tables with a line for each run and measure stand on the terminal for so many runs.
_FEW = 3
_CUTS = ("0.3", "0.4", "0.5", "0.6", "0.7")
_ACROSS = 4
_RUN: Column[Spot] = Column("run", lambda place: place.run, left=True)
_OTHER: Column[Spot] = Column("other", lambda place: place.other, left=True)
_UNJUDGED = {
    "left-out": "left out",
    "irrelevant": "counted as not relevant, those of each run for all runs",
}


def view_of_runs(numbers: QuantityTable, findings: RunFindings, design: ThresholdsDesign) -> View:
    """Return tables of runs, best by ADM first, and each run's URE-SRE plane."""
    means = {
        documents.run: numbers.values("variance", "", "mean", documents.run)
        for documents in findings.documents
    }
    runs = sorted(means, key=lambda run: -means[run]["ADM"])
    values = _told(numbers, findings, design, runs)
    story = Story.beside(__package__)
    is_alone = len(runs) == 1
    return View(
        title=story.title,
        headline=_headline(story, values),
        story=story.paragraphs("story of runs", **values),
        figures=(
            Figure(
                story.line("caption of runs", **values),
                "The user's estimates against the system's, a panel for each run",
                lambda: _figure(findings.cells, runs[:_MOST_PANELS]),
            ),
        ),
        notes=story.paragraphs("notes of runs", None if is_alone else "notes of pairs", **values),
        tables=tuple(_tables(numbers, findings, runs)),
    )


def _headline(story: Story, values: dict[str, Any]) -> str:
    """Return what ADM tells apart, and which run is ahead if one is; of one run its spreads."""
    if values["runs"] == 1:
        return story.line("headline of a run", **values)
    told = story.line("headline of runs", **values)
    return told if values["ahead"] is None else f"{told} {story.line('ahead', **values)}"


def _told(
    numbers: QuantityTable,
    findings: RunFindings,
    design: ThresholdsDesign,
    runs: list[str],
) -> dict[str, Any]:
    """Return the numbers that the story tells."""
    level = f"{JITTERS[1]:g}"
    listed = sum(documents.listed for documents in findings.documents)
    unjudged = sum(documents.unjudged for documents in findings.documents)
    return {
        "best": runs[0],
        "mean": numbers.values("variance", "", "mean", runs[0]),
        "level": level,
        "spreads": numbers.values("jitter", level, "sd of a query", runs[0]),
        "runs": len(runs),
        "topics": len(findings.topics),
        "pairs": math.comb(len(runs), 2),
        "ahead": findings.ahead,
        "apart": numbers.value("order", "", "ADM", "pairs told apart") if len(runs) > 1 else 0,
        "changed": {
            measure: sum(pair.measure == measure for pair in findings.changed)
            for measure in MEASURES_OF_RUNS
        },
        "listed": listed,
        "unjudged": unjudged,
        "what": _UNJUDGED[design.unjudged],
        "calibration": design.calibration,
        "panels": min(len(runs), _MOST_PANELS),
        "most": MOST_PAIRED,
    }


def _tables(numbers: QuantityTable, findings: RunFindings, runs: list[str]) -> Iterator[Table]:
    column, intervals = numbers.column, numbers.intervals
    many = len(runs) > _FEW

    def lines(*levels: str) -> Iterator[Spot]:
        for run, measure, level in product(runs, MEASURES_OF_RUNS, levels or ("",)):
            yield Spot(measure, level, run)

    def mean(measure: str) -> Column[Spot]:
        of = intervals("variance", "mean", ".3f")
        return Column(measure, lambda place: of.value(place._replace(measure=measure)))

    with_precision = Counter(row.run for row in findings.scores if row.scores["P"] is not None)
    yield Table.of(
        "At thresholds of 1/2: mean over topics, best ADM first",
        [Spot("", "", run) for run in runs],
        [
            _RUN,
            *map(mean, MEASURES_OF_RUNS),
            Column("topics", lambda _: len(findings.topics)),
            Column("with P", lambda place: with_precision[place.run]),
        ],
    )
    yield _documents(findings.documents, runs)
    yield Table.of(
        "Share of a topic's documents by region: A retrieved and not relevant, B both, C neither, "
        "D relevant and not retrieved",
        [Spot("", "", run) for run in runs],
        [_RUN, *(intervals("sector", "share of documents", ".3f", sector) for sector in SECTORS)],
    )
    both = [_RUN, MEASURE]
    yield Table.of(
        "Mean while thresholds move",
        lines(*THRESHOLDS),
        [
            *both,
            Column("threshold", lambda place: THRESHOLDS[place.level].partition(",")[0], left=True),
            *(
                Column(cut, column("threshold", f"mean at {cut}", ".3f").value, ".3f")
                for cut in _CUTS
            ),
        ],
        parts=lambda place: (place.run, place.measure),
        detail=True,
    )
    yield numbers.ranges(lines(*THRESHOLDS), both, detail=many)
    yield numbers.jitters(
        "A run's own estimates moved by up to e: standard deviation",
        lines(*(f"{size:g}" for size in JITTERS)),
        both,
        detail=many,
    )
    yield numbers.pushes(lines(), both, detail=many)
    yield Table.of(
        "Spread over topics",
        lines(),
        [
            *both,
            intervals("variance", "sd over queries", ".3f"),
            column("variance", "no value", ".3f"),
        ],
        parts=lambda place: place.run,
        detail=many,
    )
    if len(runs) > 1:
        yield from _pairs(numbers, findings)


def _documents(documents: tuple[RunDocuments, ...], runs: list[str]) -> Table:
    columns: list[Column[RunDocuments]] = [
        Column("run", lambda row: row.run, left=True),
        Column("listed", lambda row: row.listed, ","),
        Column("not judged", lambda row: row.unjudged, ","),
        Column("judged, not listed", lambda row: row.unlisted, ","),
        Column("topics without a list", lambda row: len(row.lacks)),
    ]
    by_name = {row.run: row for row in documents}
    return Table.of("Documents of judged topics", [by_name[run] for run in runs], columns)


def _pairs(numbers: QuantityTable, findings: RunFindings) -> Iterator[Table]:
    """Yield what tells two runs apart, and where measures order them differently."""
    before = [_RUN, _OTHER, MEASURE]
    lines = [
        Spot(measure, "", run, other)
        for run, other in numbers.pairs
        for measure in MEASURES_OF_RUNS
    ]
    many = len(numbers.pairs) > _FEW
    yield numbers.needed(
        "Topics for power .8 at level .05, paired t-test of two runs",
        lines,
        before,
        detail=many,
    )
    yield numbers.powers(
        "Share of experiments that find the better run better, by number of topics",
        lines,
        before,
        detail=True,
    )
    yield Table.of(
        "Pairs of runs that two measures order differently",
        [Spot(one, two) for one, two in combinations(MEASURES_OF_RUNS, 2)],
        [
            MEASURE,
            Column("against", lambda place: place.level, left=True),
            numbers.column("order", "pairs in another order", ".0f"),
            numbers.column("order", "pairs both tell apart", ".0f"),
            numbers.column("order", "pairs", ".0f"),
        ],
    )
    columns: list[Column[Changed]] = [
        Column("run", lambda row: row.run, left=True),
        Column("other", lambda row: row.other, left=True),
        Column("measure", lambda row: row.measure, left=True),
        Column("difference", lambda row: row.difference, "+.4f"),
        Column("by ADM", lambda row: row.difference_against, "+.4f"),
    ]
    some = sorted(findings.changed, key=lambda row: -abs(row.difference_against))[:_MOST_CHANGED]
    if some:
        yield Table.of(
            f"Pairs that ADM orders differently: {len(some)} of {len(findings.changed)}, the "
            "farthest apart by ADM",
            some,
            columns,
        )


def _figure(cells: list[PlaneCell], runs: list[str]) -> Drawing:
    """Return the URE-SRE plane of each run; areas of marks are roots of numbers of documents."""

    def panel(axes: "Axes", run: str) -> None:
        _plane(axes, [cell for cell in cells if cell.run == run])
        axes.set_title(run)
        axes.set_ylabel("SRE", labelpad=2)
        axes.set_xlabel("URE", labelpad=1)

    return paneled([partial(panel, run=run) for run in runs], columns=_ACROSS, tall=250)


def _plane(axes: "Axes", cells: list[PlaneCell]) -> None:
    most = max(cell.documents for cell in cells)
    axes.plot([0, 1], [0, 1], color=PRUM, linewidth=1, linestyle=":")
    for draw in (axes.axhline, axes.axvline):
        draw(THRESHOLD, color=RULE, linewidth=0.8)
    axes.scatter(
        [cell.ure for cell in cells],
        [cell.sre for cell in cells],
        [120 * (cell.documents / most) ** 0.5 for cell in cells],
        color=SIMULATED, alpha=0.55, linewidth=0, clip_on=False,
    )  # fmt: skip
    for sector, (is_shown, is_wanted) in SECTORS.items():
        x, y = (0.92 if is_wanted else 0.08), (0.97 if is_shown else 0.03)
        side, edge = ("right" if is_wanted else "left"), ("top" if is_shown else "bottom")
        axes.text(x, y, sector, ha=side, va=edge, color=SOFT)
    axes.set(xlim=(-0.08, 1.08), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
