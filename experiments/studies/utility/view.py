"""The view of the study of utility."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from prum.experiments.frame.drawing import INK, PRUM, SIMULATED, Drawing, paneled
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import View
from prum.experiments.studies.kit.quantities import attributes, by_part
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.utility.study import (
    VERDICTS,
    StoppedLaw,
    UtilityDesign,
    UtilityFindings,
    UtilityRow,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UtilityResult = StudyResult[UtilityDesign, UtilityRow, UtilityFindings]

_COLUMNS = (
    *attributes("measure", "distribution", "model"),
    *attributes(closed=".5f", simulated=".5f", error=".5f", z=".2f"),
    *attributes("verdict"),
)
# Figure 1 of Carterette (2011): a line of panels for each kind, in two columns.
_KINDS = (("static", ("RBP", "DCG", "RR")), ("dynamic", ("ERR", "AP", "RRR")))
_COLOURS = (PRUM, INK, SIMULATED)
_MARKS = ("o", "s", "^")


def view(result: UtilityResult) -> View:
    """Return closed forms beside simulated means, a table for each part."""
    findings, z = result.found, result.found.largest_z
    verdicts = (f"{count} {VERDICTS[name]}" for name, count in findings.verdicts.items() if count)
    values = {
        "num_rows": len(result.rows),
        "users": result.design.users,
        "verdicts": ", ".join(verdicts),
        "num_tested": findings.num_tested,
        "level": findings.level,
        "largest": "" if z is None else f"; largest |z| {shown(z, '.2f')}",
    }
    return Story.beside(__package__).view(
        by_part(result.rows, _COLUMNS),
        values,
        figure=("Stopping and viewing probabilities over ranks", lambda: _figure(findings.laws)),
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
