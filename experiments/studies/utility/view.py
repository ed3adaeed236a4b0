"""The view of the study of utility."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from prum.experiments.frame.study import StudyResult
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.utility.study import (
    VERDICTS,
    StoppedLaw,
    UtilityDesign,
    UtilityFindings,
    UtilityRow,
)
from prum.experiments.views.drawing import INK, PRUM, SIMULATED, Drawing, paneled
from prum.experiments.views.view import Column, Table, View, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UtilityResult = StudyResult[UtilityDesign, UtilityRow, UtilityFindings]

_COLUMNS: tuple[Column[UtilityRow], ...] = (
    Column("measure", lambda row: row.measure, left=True),
    Column("distribution", lambda row: row.distribution, left=True),
    Column("model", lambda row: row.model, left=True),
    Column("closed", lambda row: row.closed, ".5f"),
    Column("simulated", lambda row: row.simulated, ".5f"),
    Column("error", lambda row: row.error, ".5f"),
    Column("z", lambda row: row.z, ".2f"),
    Column("verdict", lambda row: row.verdict, left=True),
)
# Figure 1 of Carterette (2011): a line of panels for each kind, in two columns.
_KINDS = (("static", ("RBP", "DCG", "RR")), ("dynamic", ("ERR", "AP", "RRR")))
_COLOURS = (PRUM, INK, SIMULATED)
_MARKS = ("o", "s", "^")


def view(result: UtilityResult) -> View:
    """Return closed forms beside simulated means, a table for each part."""
    findings, z = result.found, result.found.largest_z
    verdicts = (f"{count} {VERDICTS[name]}" for name, count in findings.verdicts.items() if count)
    story = Story.beside(__package__)
    return View(
        title=story.title,
        headline=story.line(
            "headline",
            num_rows=len(result.rows),
            users=result.design.users,
            verdicts=", ".join(verdicts),
            num_tested=findings.num_tested,
            level=findings.level,
            largest="" if z is None else f"; largest |z| {shown(z, '.2f')}",
        ),
        story=story.paragraphs("story"),
        figures=story.figure(
            "caption",
            "Stopping and viewing probabilities over ranks",
            lambda: _figure(findings.laws),
        ),
        notes=story.paragraphs("notes"),
        tables=tuple(
            Table.of(part, (row for row in result.rows if row.part == part), _COLUMNS)
            for part in dict.fromkeys(row.part for row in result.rows)
        ),
    )


def _figure(laws: dict[str, StoppedLaw]) -> Drawing:
    """Return four panels: static and dynamic distributions, stopping and viewing."""

    def panel(
        axes: "Axes",
        title: str,
        names: Sequence[str],
        curves: Sequence[Sequence[Sequence[float]]],
    ) -> None:
        for name, (closed, users), colour, mark in zip(
            names, curves, _COLOURS, _MARKS, strict=True
        ):
            ranks = range(1, len(closed) + 1)
            axes.plot(ranks, closed, "-", color=colour, linewidth=1, label=name)
            axes.plot(ranks, users, mark, color=colour, markersize=2.5, markeredgewidth=0)
        axes.set_title(title)
        axes.set_xlabel("k, rank")
        axes.legend()

    panels = []
    for kind, names in _KINDS:
        chosen = [laws[name] for name in names]
        stopping = [(law.stopping, law.stopped) for law in chosen]
        viewing = [(law.viewing, law.viewed) for law in chosen]
        panels += [
            partial(panel, title=f"{kind}: P(k), stopping", names=names, curves=stopping),
            partial(panel, title=f"{kind}: F(k), viewing", names=names, curves=viewing),
        ]
    return paneled(panels, columns=2, tall=260)
