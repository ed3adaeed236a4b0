"""The view of the study of stops."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from prum.experiments.frame.drawing import INK, PRUM, SIMULATED, SOFT, Drawing, paneled
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View, interval
from prum.experiments.studies.kit.quantities import attributes
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.stops.samples import BEYOND, EVERY, LAST, TOTALS
from prum.experiments.studies.stops.study import (
    PARAMETERS,
    FamilyVerdict,
    Reading,
    StopsDesign,
    StopsFindings,
    StopsRow,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

StopsResult = StudyResult[StopsDesign, StopsRow, StopsFindings]

_TITLES = {
    EVERY: "Every click a stop",
    LAST: "The last click of a search its stop",
    TOTALS: "Totals by rank",
    BEYOND: "Totals by rank, and of all later ranks",
}
_PANELS = {
    EVERY: "every click",
    LAST: "last click of a search",
    TOTALS: "totals",
    BEYOND: "totals, later ranks counted",
}
_VERDICTS: dict[FamilyVerdict, str] = {
    "best": "RR is best",
    "not best": "RR is not best",
    "open": "neither is certain",
}
# A colour for each kind of law; without parameter dashed, fitted solid.
_LINES = {
    "RBP .5": (SIMULATED, "--"),
    "RBP": (SIMULATED, "-"),
    "DCG 2": (SOFT, "--"),
    "DCG": (SOFT, "-"),
    "RR": (PRUM, "--"),
    "Beta": (PRUM, "-"),
}
_LEAST_SHARE = 1e-4


def view(result: StopsResult) -> View:
    """Return the fits to each reading, what they say of RR, and what to hold against them."""
    readings, log = result.found.readings, result.found.log
    verdicts = [reading.verdict["parameters fitted"] for reading in readings]
    count = {name: verdicts.count(name) for name in _VERDICTS}
    has_later = any(reading.beyond is not None for reading in readings)
    sections = (
        None if log is None else "log",
        "columns",
        "cut or not" if has_later else "cut",
        None if log is None else "sessions",
        None if result.design.totals is None else "totals",
        "lost",
        "caution",
    )
    story = Story.beside(__package__)
    return View(
        title=story.title,
        headline=story.line("headline", readings=len(readings), count=count),
        story=story.paragraphs("story"),
        figures=story.figure(
            "caption",
            "Shares of clicks by rank, and stopping distributions fitted to them",
            lambda: _figure(readings),
        ),
        notes=(
            *(_verdict(story, reading, result.rows) for reading in readings),
            *story.paragraphs(*sections, log=log, draws=result.design.draws),
        ),
        tables=(
            *(_laws(result, reading) for reading in readings),
            *(_by_rank(reading) for reading in readings),
        ),
    )


def _title(reading: Reading) -> str:
    of = "" if reading.sessions is None else f" of {reading.sessions:,} sessions"
    return f"{_TITLES[reading.reading]}: {reading.stops:,} stops{of}"


def _verdict(story: Story, reading: Reading, rows: Sequence[StopsRow]) -> str:
    """Return the verdict on RR, which laws may be best, and how much these leave to be had."""
    near = [
        row.law
        for row in rows
        if row.reading == reading.reading and row.below_best_low <= 0 and row.law != reading.best
    ]
    return " ".join(
        story.paragraphs(
            "reading",
            None if reading.beyond is None else "later ranks",
            title=_title(reading),
            drawn=_VERDICTS[reading.verdict["as drawn"]],
            fitted=_VERDICTS[reading.verdict["parameters fitted"]],
            best=reading.best,
            near=", ".join(near) or "no other",
            left=interval(*reading.left_by_best, ".4f"),
            beyond=reading.beyond,
        ),
    )


def _laws(result: StopsResult, reading: Reading) -> Table:
    """Return a row for each law; a law has no difference from itself."""
    columns: list[Column[StopsRow]] = [
        *attributes("law"),
        Column("parameters", _parameters, left=True),
        *attributes(held_out=".4f"),
        *_apart(reading.best, "below best", "below_best"),
        *_apart("RR", "above RR", "above_rr"),
        *attributes(total_variation=".4f", remainder=".4f"),
    ]
    rows = (row for row in result.rows if row.reading == reading.reading)
    return Table.of(_title(reading), rows, columns)


def _apart(law: str, heading: str, name: str) -> tuple[Column[StopsRow], Column[StopsRow]]:
    """Return the columns of a difference from a law, and of its interval."""

    def value(row: StopsRow) -> float | None:
        return None if row.law == law else float(getattr(row, name))

    def half(row: StopsRow) -> float | None:
        return None if row.law == law else getattr(row, f"{name}_high") - getattr(row, name)

    return Column(heading, value, ".4f"), Column("± 95 %", half, ".4f")


def _parameters(row: StopsRow) -> str:
    texts = []
    for name in PARAMETERS:
        value, error = getattr(row, name), getattr(row, f"{name}_se")
        if value is not None:
            texts.append(f"{name} {value:.4g}" + ("" if error is None else f" ± {error:.2g}"))
    if row.at_end:
        texts.append("at the end of its range")
    return ", ".join(texts)


def _by_rank(reading: Reading) -> Table:
    """Return counts, shares and fitted probabilities."""
    last = len(reading.counts) - 1

    def rank(at: int) -> str:
        return "later" if at == last and reading.beyond is not None else str(at + 1)

    def law(name: str) -> Column[int]:
        return Column(name, lambda at: reading.fitted[name][at], ".4f")

    columns: list[Column[int]] = [
        Column("rank", rank, left=True),
        Column("stops", lambda at: reading.counts[at], ","),
        Column("share", lambda at: reading.empirical[at], ".4f"),
        *map(law, reading.fitted),
        Column("lost", lambda at: reading.lost[at] if at < len(reading.lost) else None, ".2g"),
    ]
    return Table.of(f"P(k) by rank: {_title(reading)}", range(last + 1), columns, detail=True)


def _figure(readings: list[Reading]) -> Drawing:
    """Return two panels for each reading: P(k) on a linear and on a logarithmic scale."""
    panels = [
        partial(_panel, reading=reading, scale=scale)
        for reading in readings
        for scale in ("linear", "log")
    ]
    return paneled(panels, columns=2, tall=230, has_legend=True)


def _panel(axes: "Axes", reading: Reading, scale: str) -> None:
    # The cell of all later ranks is no rank.
    num_ranks = len(reading.counts) - (reading.beyond is not None)
    ranks = range(1, num_ranks + 1)
    for law, (colour, style) in _LINES.items():
        (line,) = axes.plot(ranks, reading.fitted[law][:num_ranks], color=colour, label=law)
        line.set(linestyle=style, linewidth=1.2)
    shares = reading.empirical[:num_ranks]
    axes.plot(ranks, shares, "o", color=INK, markersize=3.5, markeredgewidth=0, label="clicks")
    axes.set_yscale(scale)
    if scale == "log":
        least = min((share for share in shares if share > 0), default=_LEAST_SHARE)
        axes.set_ylim(max(least / 10, _LEAST_SHARE), 1)
    else:
        axes.set_ylim(0, None)
        axes.set_title(_PANELS[reading.reading])
    axes.set_xticks(list(ranks)[:: max(1, num_ranks // 10)])
    axes.set_xlabel("k, rank", labelpad=3)
    axes.minorticks_off()
