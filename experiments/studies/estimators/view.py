"""The view of the study of estimators: a table for each part that the data allow."""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import NamedTuple

from prum.experiments.logs.trials import EVERY, SAFE, TURN
from prum.experiments.statistics.bootstrap import METHODS as INTERVALS
from prum.experiments.statistics.proportions import METHODS as PROPORTIONS
from prum.experiments.statistics.tests import TESTS
from prum.experiments.studies.estimators import figure
from prum.experiments.studies.estimators.coverage import DIFFERENCE, MEAN
from prum.experiments.studies.estimators.pooling import IN, OUT
from prum.experiments.studies.estimators.power import CENTRED, SWAPPED
from prum.experiments.studies.estimators.recovery import POSTERIOR
from prum.experiments.studies.estimators.rows import EstimatorsRow, Rows
from prum.experiments.studies.estimators.study import EstimatorsDesign, EstimatorsFindings
from prum.experiments.studies.estimators.truth import ALL
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.kit.study import StudyResult
from prum.experiments.views.view import Column, Table, View, shown

Result = StudyResult[EstimatorsDesign, EstimatorsRow, EstimatorsFindings]
_WAYS = (TURN, EVERY, SAFE)


class _Line(NamedTuple):
    """Subject, method and quantity of a line of a table, as in rows."""

    subject: str
    method: str
    quantity: str


def view(result: Result) -> View:
    """Return how far estimates are from the true scores, part by part."""
    rows, findings = Rows(list(result.rows)), result.found
    story = Story.beside(__package__)
    return View(
        title=story.title,
        headline=_headline(story, rows),
        story=story.paragraphs("story"),
        tables=tuple(_tables(rows)),
        figures=story.figure(
            "caption",
            "Kendall's tau-b, coverage and power by number of topics; error of probabilities",
            lambda: figure.panels(rows),
        )
        if figure.has_panels(rows)
        else (),
        notes=(
            *story.paragraphs("data", found=findings, num_systems=len(findings.systems)),
            *findings.notes,
            *story.paragraphs("notes"),
        ),
    )


def _headline(story: Story, rows: Rows) -> str:
    """Return how far each estimate is from the true scores."""
    parts = []
    for rmse in rows.of("truth", subject=ALL, quantity="rmse"):
        bias = rows.row("truth", subject=ALL, method=rmse.method, quantity="bias")
        if bias is not None:
            parts.append(story.line("off", measure=rmse.method, rmse=rmse.value, bias=bias.value))
    return f"{'; '.join(parts)}." if parts else story.line("none")


def _tables(rows: Rows) -> Iterator[Table]:
    """Yield a table for each part that the data allow."""
    yield from _truth(rows)
    yield from _topics(rows)
    yield from _coverage(rows)
    yield from _tests(rows)
    yield from _pooling(rows, "pooling", "Pools by depth", "depth {:g}")
    yield from _pooling(rows, "assessors", "Other assessors", "assessor {:g}")
    for way in _WAYS:
        yield from _links(rows, way)
    yield from _plugged(rows)


def _cell(row: EstimatorsRow | None, form: str) -> str:
    """Return a number with half the width of its interval, if there is one."""
    if row is None or row.half is None:
        return shown(None if row is None else row.value, form)
    return f"{shown(row.value, form)} ± {shown(row.half, form.lstrip('+'))}"


def _text(heading: str, place: int) -> Column[_Line]:
    """Return the column of what lines are of."""
    return Column(heading, lambda line: line[place], left=True)


def _cells(rows: Rows, group: str, level: float, heading: str) -> Column[_Line]:
    """Return the column of a level of biases and counts, each with its interval."""
    forms = {"bias": "+.4f", "topics": ".0f"}

    def cell(line: _Line) -> str:
        return _cell(rows.row(group, at=level, **line._asdict()), forms[line.quantity])

    return Column(heading, cell)


def _plain(
    rows: Rows, group: str, headings: dict[float, str], form: str
) -> Iterator[Column[_Line]]:
    """Yield a column for each level, and one of half the width of a line's widest interval."""

    def value(level: float) -> Column[_Line]:
        def of(line: _Line) -> float | None:
            row = rows.row(group, at=level, **line._asdict())
            return None if row is None else row.value

        return Column(headings[level], of, form)

    def widest(line: _Line) -> float | None:
        halves = [row.half for row in rows.of(group, **line._asdict()) if row.half is not None]
        return max(halves, default=None)

    yield from map(value, headings)
    yield Column("±", widest, form)


def _by_topics(rows: Rows, group: str) -> dict[float, str]:
    return {level: f"n = {level:g}" for level in rows.levels(group)}


def _truth(rows: Rows) -> Iterator[Table]:
    def column(measure: str, quantity: str, form: str) -> Column[str]:
        def cell(subject: str) -> str:
            row = rows.row("truth", subject=subject, method=measure, quantity=quantity)
            return _cell(row, form)

        return Column(f"{measure} {quantity}", cell)

    quantities = (("bias", "+.5f"), ("rmse", ".5f"), ("largest", ".4f"))
    if measures := rows.names("truth"):
        system: Column[str] = Column("system", lambda subject: subject, left=True)
        yield Table.of(
            "One list: estimate less true score, root mean square, largest",
            rows.names("truth", "subject"),
            [system, *(column(name, *form) for name in measures for form in quantities)],
        )


def _topics(rows: Rows) -> Iterator[Table]:
    labels = {
        "tau-b": "Kendall's tau-b of rankings by n topics with the true one",
        "tau_ap": "tau_AP of rankings by n topics with the true one",
        "best": "How often the best of n topics is truly the best",
    }
    for quantity, label in labels.items():
        if measures := rows.names("topics", quantity=quantity):
            yield Table.of(
                label,
                [_Line(ALL, measure, quantity) for measure in measures],
                [_text("measure", 1), *_plain(rows, "topics", _by_topics(rows, "topics"), ".3f")],
            )


def _coverage(rows: Rows) -> Iterator[Table]:
    labels = {MEAN: MEAN, DIFFERENCE: "difference of neighbouring systems"}
    headings = _by_topics(rows, "coverage")
    for subject in rows.names("coverage", "subject"):
        yield Table.of(
            f"Coverage of 95 % intervals by n topics: {labels[subject]}",
            [_Line(subject, method, "coverage") for method in INTERVALS],
            [_text("interval", 1), *_plain(rows, "coverage", headings, ".4f")],
        )


def _tests(rows: Rows) -> Iterator[Table]:
    """Yield power, and false alarms."""
    if differences := rows.names("power", "subject"):
        headings = _by_topics(rows, "power")
        yield Table.of(
            "Power at 5 % by true difference and n topics",
            [_Line(label, test, "power") for label, test in product(differences, TESTS)],
            [
                _text("true difference", 0),
                _text("test", 1),
                *_plain(rows, "power", headings, ".3f"),
            ],
            parts=lambda line: line.subject,
        )
        yield Table.of(
            "False alarms at 5 % of equal systems",
            [_Line(kind, test, "rejected") for kind, test in product((SWAPPED, CENTRED), TESTS)],
            [
                _text("made equal by", 0),
                _text("test", 1),
                *_plain(rows, "false alarms", headings, ".4f"),
            ],
            parts=lambda line: line.subject,
        )


def _pooling(rows: Rows, group: str, title: str, head: str) -> Iterator[Table]:
    headings = {level: head.format(level) for level in rows.levels(group)}
    if not headings:
        return
    measures = rows.names(group)
    biases = [
        _Line(subject, measure, "bias")
        for measure, subject in product(measures, (IN, OUT))
        if rows.of(group, subject=subject, method=measure)
    ]
    columns: list[Column[_Line]] = [
        Column("measure", lambda line: line.method or "topics with an ideal", left=True),
        Column("systems", lambda line: line.subject if line.method else "", left=True),
        *(_cells(rows, group, level, heading) for level, heading in headings.items()),
    ]
    yield Table.of(f"{title}: bias", [*biases, _Line(ALL, "", "topics")], columns)
    others = {"tau-b": "itself, complete", "tau-b with truth": "true scores"}
    taus = [
        _Line(ALL, measure, quantity)
        for measure, quantity in product(measures, others)
        if rows.of(group, method=measure, quantity=quantity)
    ]
    if taus:
        yield Table.of(
            f"{title}: tau-b",
            taus,
            [
                _text("measure", 1),
                Column("with", lambda line: others[line.quantity], left=True),
                *_plain(rows, group, headings, ".3f"),
            ],
        )


def _links(rows: Rows, way: str) -> Iterator[Table]:
    levels = rows.levels("links", subject=way)
    if not levels:
        return
    names: dict[float | None, str] = {
        low: f"{low:g}" if high == low + 1 else f"{low:g} to {high - 1:g}"
        for low, high in pairwise(levels)
    }
    names |= {levels[-1]: f"{levels[-1]:g} and more", None: "all"}

    def row(level: float | None, quantity: str, method: str) -> EstimatorsRow | None:
        return rows.row("links", subject=way, method=method, at=level, quantity=quantity)

    def mean(quantity: str, form: str) -> Column[float | None]:
        return Column(quantity, lambda level: _cell(row(level, quantity, ""), form))

    def number(heading: str, quantity: str, form: str, method: str = "") -> Column[float | None]:
        def value(level: float | None) -> float | None:
            entry = row(level, quantity, method)
            return None if entry is None else entry.value

        return Column(heading, value, form)

    yield Table.of(
        f"P(x → y) from the log, by number of trials: {way}",
        names,
        [
            Column("trials", names.__getitem__, left=True),
            number("pairs", "pairs", ",.0f"),
            mean("bias", "+.4f"),
            mean("rmse", ".4f"),
            number("binomial rmse", "binomial rmse", ".4f"),
            *(
                number(heading, quantity, ".3f", method)
                for method in PROPORTIONS
                for heading, quantity in (
                    (method, "coverage"),
                    (f"{method} binomial", "binomial coverage"),
                )
            ),
            number(POSTERIOR, "coverage", ".3f", POSTERIOR),
        ],
    )


def _plugged(rows: Rows) -> Iterator[Table]:
    """Yield measures with probabilities from the log."""
    lines = [
        (measure, way, users)
        for measure, way in product(rows.names("plug-in"), rows.names("plug-in", "subject"))
        for users in rows.levels("plug-in", subject=way, method=measure)
    ]

    def column(heading: str, quantity: str, form: str) -> Column[tuple[str, str, float]]:
        def cell(line: tuple[str, str, float]) -> str:
            measure, way, at = line
            row = rows.row("plug-in", subject=way, method=measure, at=at, quantity=quantity)
            return _cell(row, form)

        return Column(heading, cell)

    if lines:
        yield Table.of(
            "Measures with probabilities from the log",
            lines,
            [
                Column("measure", lambda line: line[0], left=True),
                Column("counted", lambda line: line[1], left=True),
                Column("users", lambda line: line[2], ",.0f", left=True),
                column("bias", "bias", "+.5f"),
                column("rmse", "rmse", ".5f"),
                column("bias of shares", "bias of shares", "+.5f"),
                column("bias elsewhere", "bias elsewhere", "+.5f"),
                column("tau-b", "tau-b", ".3f"),
            ],
            parts=lambda line: line[0],
        )
