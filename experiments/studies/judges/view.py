"""The view of the study of judges."""

from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View, interval
from prum.experiments.studies.judges.study import JudgesFindings, JudgesRow, JudgesStudyDesign
from prum.experiments.studies.kit.quantities import attributes, with_half
from prum.experiments.studies.kit.story import Story

JudgesStudyResult = StudyResult[JudgesStudyDesign, JudgesRow, JudgesFindings]

_COLUMNS: tuple[Column[JudgesRow], ...] = (
    *attributes("measure", "method"),
    *with_half("bias", "bias", "+.4f", half=".4f"),
    *with_half("coverage", "coverage", ".3f"),
    *with_half("tau", "tau", ".3f"),
)


def view(result: JudgesStudyResult) -> View:
    """Return bias, coverage and tau by judge, and whether browsing helps."""
    design, found = result.design, result.found
    section = "better" if found.low > 0 else "worse" if found.high < 0 else "undecided"
    points = dict.fromkeys((row.hit, row.false_alarm, row.dependence) for row in result.rows)
    tables = [
        Table.of(
            f"Hits {hit:g}, false alarms {false:g}, correlation within topics {within:g}",
            [row for row in result.rows if (row.hit, row.false_alarm, row.dependence) == point],
            _COLUMNS,
            parts=lambda row: row.measure,
        )
        for point in points
        for hit, false, within in [point]
    ]
    values = {
        "design": design,
        "num_judges": len(points),
        "difference": interval(found.difference, found.low, found.high, "+.3f"),
    }
    return Story.beside(__package__).view(tables, values, headline=(section,))
