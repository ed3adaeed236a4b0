"""The view of the study of robustness: Figures 3 and 4 of the paper, and what it expects."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prum.experiments.frame.drawing import Drawing, curves, paneled
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.studies.kit.quantities import attributes
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.robustness.study import (
    HYPOTHESES,
    Contrast,
    RobustnessDesign,
    RobustnessFindings,
    RobustnessRow,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RobustnessResult = StudyResult[RobustnessDesign, RobustnessRow, RobustnessFindings]


class _Kind(NamedTuple):
    """The words for a kind of less: its name, a level as a heading and in a sentence, its axis."""

    name: str
    heading: str
    less: str
    axis: str


_KINDS = {
    "topics": _Kind("samples of topics", "{:g} topics", "{0:g} of {1} topics", "topics"),
    "pool": _Kind("pools of smaller depth", "depth {:g}", "a pool of depth {0:g}", "pool depth"),
    "judgements": _Kind("second judgements", "{}", "the judgements {0}", ""),
    "assessors": _Kind(
        "assessors who disagree",
        "dial {:g}",
        "an assessor who rejects {0:g} of what is relevant",
        "share rejected",
    ),
}
_PANELS = (("M1", "M2", "M3", "M4"), ("slim tail", "medium tail", "fat tail"))
# Kinds that are drawn, and lines where no measure has a group.
_MOST_DRAWN, _MOST_LINES = 2, 4
_OPEN = "no difference seen"
# A difference of means that are equal may be so large.
_ROUNDING = 1e-12


def view(result: RobustnessResult) -> View:
    """Return tau-a by measure and group for each kind of variation, and what the paper expects."""
    findings = result.found
    num_topics = len(findings.topics)
    taus = [row for row in result.rows if (row.kind, row.level) == _first(result)]
    fat = next(
        (row for row in findings.contrasts if row.hypothesis == "fat against slim tails"), None
    )
    levels = _levels(result)
    figured = dict(islice(levels.items(), _MOST_DRAWN))
    kinds = [_KINDS[kind].name for kind in figured]
    values = {
        "less": _KINDS[taus[0].kind].less.format(taus[0].level, num_topics),
        "least": min(taus, key=lambda row: row.tau_a),
        "most": max(taus, key=lambda row: row.tau_a),
        "num_systems": len(findings.systems),
        "num_topics": num_topics,
        "direction": "more" if fat is not None and fat.difference > 0 else "less",
        "fat": fat,
        "over": "samples of these topics" if taus[0].kind == "topics" else "topics",
        "kinds": ", then by ".join(kinds),
    }
    headline = "plain" if fat is None else "open" if _verdict(fat) == _OPEN else "headline"
    return Story.beside(__package__).view(
        (
            *(_taus(result, kind, levels[kind]) for kind in levels),
            *([_expected(findings.contrasts)] if findings.contrasts else []),
        ),
        values,
        headline=(headline,),
        figure=(f"Kendall's tau-a by {' and by '.join(kinds)}", lambda: _figure(result, figured)),
        notes=("scores" if result.design.scores else "notes", "intervals"),
    )


def _levels(result: RobustnessResult) -> dict[str, list[float | str]]:
    """Return the levels of each kind of variation that there is."""
    levels: dict[str, list[float | str]] = {}
    for row in result.rows:
        of_kind = levels.setdefault(row.kind, [])
        if row.level not in of_kind:
            of_kind.append(row.level)
    return levels


def _first(result: RobustnessResult) -> tuple[str, float | str]:
    """Return the first kind of variation, and its first level."""
    return next((row.kind, row.level) for row in result.rows)


def _tau(result: RobustnessResult, kind: str) -> Callable[[str, float | str], float]:
    """Return what takes a measure, or a group of them, and a level to its (mean) tau-a."""
    taus = {(row.measure, row.level): row.tau_a for row in result.rows if row.kind == kind}

    groups = result.found.groups

    def tau(name: str, level: float | str) -> float:
        return float(np.mean([taus[one, level] for one in groups.get(name, (name,))]))

    return tau


def _taus(result: RobustnessResult, kind: str, levels: list[float | str]) -> Table:
    tau = _tau(result, kind)

    def column(level: float | str) -> Column[str]:
        return Column(_KINDS[kind].heading.format(level), lambda name: tau(name, level), ".3f")

    measure: Column[str] = Column("measure", lambda name: name, left=True)
    return Table.of(
        f"Tau-a by {_KINDS[kind].name}",
        [*result.found.scores, *result.found.groups],
        [measure, *map(column, levels)],
        parts=lambda name: name in result.found.groups,
    )


def _expected(contrasts: list[Contrast]) -> Table:
    expected = {hypothesis.name: hypothesis.expected for hypothesis in HYPOTHESES}
    columns: list[Column[Contrast]] = [
        *attributes("hypothesis"),
        Column("expected", lambda row: expected[row.hypothesis], left=True),
        Column("variation", lambda row: _KINDS[row.kind].heading.format(row.level), left=True),
        *attributes(difference="+.3f", low="+.3f", high="+.3f"),
        Column("here", _verdict, left=True),
    ]
    return Table.of(
        "What the paper expects of the first against the second, as a difference of mean tau-a",
        sorted(contrasts, key=lambda row: list(expected).index(row.hypothesis)),
        columns,
        parts=lambda row: row.hypothesis,
    )


def _verdict(contrast: Contrast) -> str:
    """Return what an interval says of the first beside the second."""
    if contrast.low > _ROUNDING:
        return "firmer"
    return "less firm" if contrast.high < -_ROUNDING else _OPEN


def _figure(result: RobustnessResult, levels: dict[str, list[float | str]]) -> Drawing:
    """Return a line of panels for each kind: models and tails."""

    def panel(axes: "Axes", kind: str, groups: Sequence[str]) -> None:
        tau = _tau(result, kind)
        curves(axes, {one: {level: tau(one, level) for level in levels[kind]} for one in groups})
        if kind == "pool":
            axes.set_xscale("log")
        axes.set_title("Kendall’s tau-a")
        axes.set_xlabel(_KINDS[kind].axis)
        axes.legend()

    known = [[group for group in groups if group in result.found.groups] for groups in _PANELS]
    shown = [groups for groups in known if groups] or [list(result.found.scores)[:_MOST_LINES]]
    return paneled(
        [partial(panel, kind=kind, groups=groups) for kind in levels for groups in shown],
        columns=len(shown),
        tall=270,
    )
