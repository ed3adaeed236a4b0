"""The view of the study of the papers."""

from collections import Counter

from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.statistics.intervals import normal_factor
from prum.experiments.studies.kit.quantities import attributes
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.paper.printed import TITLES
from prum.experiments.studies.paper.study import (
    PaperDesign,
    PaperFindings,
    PaperRow,
    PaperSlip,
)

PaperResult = StudyResult[PaperDesign, PaperRow, PaperFindings]

_NUMBERS: tuple[Column[PaperRow], ...] = (
    *attributes("where", "what", printed="", ours=".5g"),
    Column("simulated", lambda row: row.simulated, ".4f"),
    Column("± 95 %", lambda row: _half_width(row), ".4f"),
    *attributes("verdict"),
)
_SLIPS: tuple[Column[PaperSlip], ...] = (
    *attributes("where", "printed"),
    Column("should be", lambda slip: slip.should, left=True),
    *attributes("why"),
)


def view(result: PaperResult) -> View:
    """Return all numbers, and the slips."""
    counts = Counter(row.verdict for row in result.rows)
    story = Story.beside(__package__)
    different = counts["different"]
    differ = "differs" if different == 1 else "differ"
    more = f"{story.line('different', n=different, differ=differ)} " if different else ""
    varying = [abs(z) for row in result.rows if (z := _z(row)) is not None]
    papers = [name for name in TITLES if any(row.paper == name for row in result.rows)]
    values = {
        "papers": ", ".join(TITLES[name] for name in papers),
        "numbers": len(result.rows),
        "equal": counts["equal"],
        "slip": counts["slip"],
        "not_given": counts["not given"],
        "different": more,
        "users": result.design.users,
        "seed": result.design.seed,
        "z": max(varying, default=0.0),
        "simulated": len(varying),
    }
    return story.view(
        (
            table
            for name in papers
            for table in (
                Table.of(
                    f"{TITLES[name]}: printed, and ours",
                    [row for row in result.rows if row.paper == name],
                    _NUMBERS,
                    parts=_section,
                ),
                Table.of(
                    f"Slips of {TITLES[name]}",
                    [slip for slip in result.found.slips if slip.paper == name],
                    _SLIPS,
                ),
            )
        ),
        values,
        notes=("notes", "simulated" if varying else None),
    )


def _section(row: PaperRow) -> str:
    return row.where.partition(",")[0]


def _half_width(row: PaperRow) -> float | None:
    return None if row.error is None else normal_factor() * row.error


def _z(row: PaperRow) -> float | None:
    """Return how far users are from the closed form in standard errors, if they vary."""
    if row.simulated is None or not row.error or not isinstance(row.ours, float):
        return None
    return (row.simulated - row.ours) / row.error
