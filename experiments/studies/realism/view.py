"""The view of the study of realism: both sides, and how far they lie apart."""

import math
from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from prum.experiments.frame.drawing import INK, PRUM, Drawing, paneled
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.statistics.distances import MOST_GROUPS, MOST_POINTS
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.realism.statistics import PLAIN
from prum.experiments.studies.realism.study import (
    FIRST,
    SECOND,
    RealismDesign,
    RealismFindings,
    RealismRow,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RealismResult = StudyResult[RealismDesign, RealismRow, RealismFindings]
CurvePoints = dict[str, list[list[float]]]

_LEVEL = 0.05
_COLUMNS = 3
# Where the largest value is so many times the median, the axis is logarithmic.
_HEAVY = 20
_LINES: dict[str, dict[str, Any]] = {
    FIRST: {"color": INK, "linewidth": 1.6},
    SECOND: {"color": PRUM, "linewidth": 1.3, "linestyle": "--"},
}


def view(result: RealismResult) -> View:
    """Return what differs, and the samples."""
    story, design, findings = Story.beside(__package__), result.design, result.found
    rows = result.rows
    cut = dict.fromkeys(row.statistic for row in rows if row.drawn_a is not None)
    has_many = any(min(row.values_a, row.values_b) > MOST_POINTS for row in rows)
    return View(
        title=story.title,
        headline=_verdict(story, rows, design.permutations),
        story=story.paragraphs("story", found=findings),
        figures=story.figure(
            "caption",
            "Empirical distribution functions of both sides, a panel for each statistic",
            lambda: _figure(findings.curves),
        ),
        notes=story.paragraphs(
            "distances",
            "permutations" if design.permutations else None,
            "twice" if any(row.made_twice is not None for row in rows) else None,
            "drawn" if cut else None,
            "points" if design.permutations and has_many else None,
            design=design,
            drawn=", ".join(cut),
            most_groups=MOST_GROUPS,
            most_points=MOST_POINTS,
        ),
        tables=(
            _distances(rows),
            Table.of("Samples, A and B", rows, _SAMPLES),
            Table.of("Statistics", rows, _MEANINGS),
        ),
    )


def _verdict(story: Story, rows: Sequence[RealismRow], permutations: int) -> str:
    """Return how many statistics differ, what could not be shown, and which lies farthest apart."""
    holm = {row.statistic: (row.wasserstein_holm, row.least_p) for row in rows}
    tested = {name: (p, least) for name, (p, least) in holm.items() if p is not None and least}
    num_different = sum(p <= _LEVEL for p, _ in tested.values())
    # The next that Holm's method would reject is multiplied by as many as are left.
    left = len(tested) - num_different
    hidden = [name for name, (p, least) in tested.items() if p > _LEVEL < least * left]
    key = "tested" if tested else "untested"
    if tested and len(hidden) == len(tested):
        key = "too few groups"
        if len(hidden) / (1 + permutations) > _LEVEL:
            key = "too few permutations"
    parts = [
        story.line(
            key,
            number=len(rows),
            tested=len(tested),
            different=num_different or "None",
            differ="differs" if num_different == 1 else "differ",
            permutations=permutations,
            needed=math.ceil(len(tested) / _LEVEL),
        )
    ]
    if key == "tested" and hidden:
        parts.append(story.line("hidden", hidden=", ".join(hidden)))
    far = max(rows, key=lambda row: -1 if row.wasserstein_sd is None else row.wasserstein_sd)
    if far.wasserstein_sd:
        farthest = f"{far.statistic} ({PLAIN[far.statistic]})"
        parts.append(story.line("farthest", farthest=farthest, apart=far.wasserstein_sd))
    constant = [row.statistic for row in rows if row.wasserstein_sd is None and row.wasserstein]
    if constant:
        parts.append(story.line("constant", constant=", ".join(constant)))
    return f"{'; '.join(parts)}."


class _Digits(Column[RealismRow]):
    """A column of numbers with three significant digits, or all before the point."""

    def text(self, row: RealismRow) -> str:
        """Return the value of a row for people."""
        value = self.value(row)
        return shown(value, ",.0f" if isinstance(value, float) and abs(value) >= 100 else ".3g")


def _plain(*columns: tuple[str, str, str]) -> list[Column[RealismRow]]:
    """Return columns: heading, field, and a format, three digits by default."""
    return [
        Column(heading, attrgetter(name), form) if form else _Digits(heading, attrgetter(name))
        for heading, name, form in columns
    ]


_STATISTIC = Column[RealismRow]("statistic", lambda row: row.statistic, left=True)
_DISTANCES = (
    _STATISTIC,
    Column[RealismRow]("unit", lambda row: row.unit, left=True),
    *_plain(
        ("KS", "ks", ".3f"),
        ("KS p", "ks_p", ".2g"),
        ("KS Holm", "ks_holm", ".2g"),
        ("Wasserstein", "wasserstein", ""),
        ("in sd of A", "wasserstein_sd", ".3f"),
        ("Wasserstein p", "wasserstein_p", ".2g"),
        ("Wasserstein Holm", "wasserstein_holm", ".2g"),
    ),
)
# How far two that are made alike lie apart.
_TWICE = _plain(("made twice", "made_twice_sd", ".3f"))
_SAMPLES = (
    _STATISTIC,
    *_plain(
        *(
            (f"{name} {side}", f"{name}_{side.lower()}", form)
            for name, form in (("groups", ","), ("values", ","), ("median", ""), ("mean", ""))
            for side in "AB"
        )
    ),
)
_MEANINGS = (_STATISTIC, Column[RealismRow]("meaning", lambda row: PLAIN[row.statistic], left=True))


def _distances(rows: Sequence[RealismRow]) -> Table:
    again = _TWICE if any(row.made_twice is not None for row in rows) else []
    return Table.of("Distances of A and B", rows, [*_DISTANCES, *again])


def _figure(curves: dict[str, CurvePoints]) -> Drawing:
    """Return a panel for each statistic, with a line for each side."""
    panels = [partial(_panel, name=name, sides=sides) for name, sides in curves.items()]
    return paneled(panels, columns=_COLUMNS, tall=170, has_legend=True)


def _panel(axes: "Axes", name: str, sides: CurvePoints) -> None:
    from matplotlib.ticker import MaxNLocator

    for label, (points, values) in sides.items():
        # A step up at each point, from 0 at the first.
        axes.step([points[0], *points], [0, *values], where="post", label=label, **_LINES[label])
    axes.set_title(name)
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
    if _is_heavy(sides):
        # Zeros lie left of all on it.
        least = min(point for points, _ in sides.values() for point in points if point > 0)
        axes.set_xscale("symlog", linthresh=least)
        axes.set_xlim(left=0)
        axes.minorticks_off()
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5))


def _is_heavy(sides: CurvePoints) -> bool:
    """Return whether values spread over orders of magnitude, on either side."""
    for points, values in sides.values():
        median = next(p for p, share in zip(points, values, strict=True) if share >= 0.5)
        if points[0] < 0:
            return False
        if points[-1] > 1 and points[-1] > _HEAVY * median > 0:
            return True
    return False
