"""Cells and columns of the study's tables: numbers with half widths, looked up by line."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from prum.experiments.studies.estimators.rows import EstimatorRows, EstimatorsRow
from prum.experiments.studies.kit.quantities import interval_column
from prum.experiments.views.view import Column, shown

R = TypeVar("R")


class Line(NamedTuple):
    """Subject, method and quantity of a line of a table, as in rows."""

    subject: str
    method: str
    quantity: str


def cell_of(row: EstimatorsRow | None, form: str) -> str:
    """Return a number with half the width of its interval, if there is one."""
    if row is None or row.half is None:
        return shown(None if row is None else row.value, form)
    return f"{shown(row.value, form)} ± {shown(row.half, form.lstrip('+'))}"


def text_column(heading: str, place: int) -> Column[Line]:
    """Return the column of what lines are of."""
    return Column(heading, lambda line: line[place], left=True)


def uncertain_column(
    heading: str,
    row: Callable[[R], EstimatorsRow | None],
    form: Callable[[R], str],
) -> Column[R]:
    """Return the column of numbers with half widths, for which a narrow terminal has no place.

    As data the two are columns of their own.
    """

    def brief(line: R) -> str:
        return shown(getattr(row(line), "value", None), form(line))

    def text(line: R) -> str:
        return cell_of(row(line), form(line))

    return interval_column(heading, row, text, {" ±": "half"}, brief)


def level_column(rows: EstimatorRows, group: str, level: float, heading: str) -> Column[Line]:
    """Return the column of a level of biases and counts, each with its interval."""
    forms = {"bias": "+.4f", "topics": ".0f"}
    return uncertain_column(
        heading,
        lambda line: rows.row(group, at=level, **line._asdict()),
        lambda line: forms[line.quantity],
    )


def plain_columns(
    rows: EstimatorRows, group: str, headings: dict[float, str], form: str
) -> Iterator[Column[Line]]:
    """Yield a column for each level, and one of half the width of a line's widest interval."""

    def value(level: float) -> Column[Line]:
        def of(line: Line) -> float | None:
            row = rows.row(group, at=level, **line._asdict())
            return None if row is None else row.value

        return Column(headings[level], of, form)

    def widest(line: Line) -> float | None:
        halves = [row.half for row in rows.of(group, **line._asdict()) if row.half is not None]
        return max(halves, default=None)

    yield from map(value, headings)
    yield Column("±", widest, form, is_optional=True)


def topic_headings(rows: EstimatorRows, group: str) -> dict[float, str]:
    """Return the heading of each number of topics of a group."""
    return {level: f"n = {level:g}" for level in rows.levels(group)}
