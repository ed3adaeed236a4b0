"""The view of the study of estimators: a table for each part that the data allow."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

from prum.experiments.logs.trials import EVERY, SAFE, TURN
from prum.experiments.statistics.bootstrap import METHODS as INTERVALS
from prum.experiments.statistics.proportions import METHODS as PROPORTIONS
from prum.experiments.statistics.tests import TESTS
from prum.experiments.studies.estimators import figure
from prum.experiments.studies.estimators.cells import (
    Line,
    level_column,
    plain_columns,
    text_column,
    topic_headings,
    uncertain_column,
)
from prum.experiments.studies.estimators.coverage import DIFFERENCE, MEAN
from prum.experiments.studies.estimators.given_view import tables_as_given, tables_by_estimate
from prum.experiments.studies.estimators.pooling import IN, OUT
from prum.experiments.studies.estimators.power import CENTRED, SWAPPED
from prum.experiments.studies.estimators.recovery import POSTERIOR
from prum.experiments.studies.estimators.rows import EstimatorRows, EstimatorsRow
from prum.experiments.studies.estimators.study import EstimatorsDesign, EstimatorsFindings
from prum.experiments.studies.estimators.truth import ALL
from prum.experiments.studies.kit.quantities import number_column
from prum.experiments.studies.kit.story import Story
from prum.experiments.studies.kit.study import StudyResult
from prum.experiments.views.view import Column, Table, View

EstimatorsResult = StudyResult[EstimatorsDesign, EstimatorsRow, EstimatorsFindings]
_WAYS = (TURN, EVERY, SAFE)
# What is printed as 0 to four decimals.
_PRINTED = 0.5e-4


def view(result: EstimatorsResult) -> View:
    """Return how far estimates are from the true scores, part by part."""
    rows, findings = EstimatorRows(list(result.rows)), result.found
    story = Story.beside(__package__)
    return View(
        title=story.title,
        headline=_headline(story, rows, findings.given),
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
            *story.paragraphs("notes", "given" if findings.given else None),
        ),
        leads=True,
    )


def _headline(story: Story, rows: EstimatorRows, given: Sequence[str]) -> str:
    """Return how far each estimate is from the true scores, those that were given first."""
    parts = []
    all_rmse = rows.of("truth", subject=ALL, quantity="rmse")
    for rmse in sorted(all_rmse, key=lambda row: row.method not in given):
        bias = rows.row("truth", subject=ALL, method=rmse.method, quantity="bias")
        if bias is not None:
            section = "exact" if rmse.value is not None and rmse.value < _PRINTED else "off"
            parts.append(story.line(section, measure=rmse.method, rmse=rmse.value, bias=bias.value))
    return f"{'; '.join(parts)}." if parts else story.line("none")


def _tables(rows: EstimatorRows) -> Iterator[Table]:
    """Yield a table for each part that the data allow."""
    yield from _truth(rows)
    yield from _topics(rows)
    yield from _coverage(rows)
    yield from _tests(rows)
    yield from tables_by_estimate(rows)
    yield from tables_as_given(rows)
    yield from _pooling(rows, "pooling", "Pools by depth", "depth")
    yield from _pooling(rows, "assessors", "Other assessors", "assessor")
    for way in _WAYS:
        yield from _links(rows, way)
    yield from _plugged(rows)


def _truth(rows: EstimatorRows) -> Iterator[Table]:
    """Yield errors of all lists, a line for each estimate, and of those of each system."""

    def row(quantity: str) -> Callable[[Line], EstimatorsRow | None]:
        return lambda line: rows.row("truth", **line._replace(quantity=quantity)._asdict())

    columns = (
        uncertain_column("bias", row("bias"), lambda _: "+.5f"),
        uncertain_column("root mean square", row("rmse"), lambda _: ".5f"),
        number_column("largest", row("largest"), ".4f"),
    )
    measures = rows.names("truth", "method")
    if not measures:
        return
    yield Table.of(
        "One list: how far estimates are from its true score",
        [Line(ALL, measure, "") for measure in measures],
        [text_column("estimate", 1), *columns],
    )
    systems = [name for name in rows.names("truth", "subject") if name != ALL]
    yield Table.of(
        "The same, by system",
        [Line(system, measure, "") for measure, system in product(measures, systems)],
        [text_column("system", 0), text_column("estimate", 1), *columns],
        parts=lambda line: line.method,
    )


def _topics(rows: EstimatorRows) -> Iterator[Table]:
    labels = {
        "tau-b": "Kendall's tau-b of rankings by n topics with the true one",
        "tau_ap": "tau_AP of rankings by n topics with the true one",
        "best": "How often the best of n topics is truly the best",
    }
    for quantity, label in labels.items():
        if measures := rows.names("topics", "method", quantity=quantity):
            yield Table.of(
                label,
                [Line(ALL, measure, quantity) for measure in measures],
                [
                    text_column("measure", 1),
                    *plain_columns(rows, "topics", topic_headings(rows, "topics"), ".3f"),
                ],
            )


def _coverage(rows: EstimatorRows) -> Iterator[Table]:
    labels = {MEAN: MEAN, DIFFERENCE: "difference of neighbouring systems"}
    headings = topic_headings(rows, "coverage")
    for subject in rows.names("coverage", "subject"):
        yield Table.of(
            f"Coverage of 95 % intervals by n topics: {labels[subject]}",
            [Line(subject, method, "coverage") for method in INTERVALS],
            [text_column("interval", 1), *plain_columns(rows, "coverage", headings, ".4f")],
        )


def _tests(rows: EstimatorRows) -> Iterator[Table]:
    """Yield power, and false alarms."""
    if differences := rows.names("power", "subject"):
        headings = topic_headings(rows, "power")
        yield Table.of(
            "Power at 5 % by true difference and n topics",
            [Line(label, test, "power") for label, test in product(differences, TESTS)],
            [
                text_column("true difference", 0),
                text_column("test", 1),
                *plain_columns(rows, "power", headings, ".3f"),
            ],
            parts=lambda line: line.subject,
        )
        yield Table.of(
            "False alarms at 5 % of equal systems",
            [Line(kind, test, "rejected") for kind, test in product((SWAPPED, CENTRED), TESTS)],
            [
                text_column("made equal by", 0),
                text_column("test", 1),
                *plain_columns(rows, "false alarms", headings, ".4f"),
            ],
            parts=lambda line: line.subject,
        )


def _pooling(rows: EstimatorRows, group: str, title: str, head: str) -> Iterator[Table]:
    levels = rows.levels(group)
    if not levels:
        return
    # The first says what all are.
    headings = {level: f"{level:g}" for level in levels} | {levels[0]: f"{head} {levels[0]:g}"}
    measures = rows.names(group, "method")
    biases = [
        Line(subject, measure, "bias")
        for measure, subject in product(measures, (IN, OUT))
        if rows.of(group, subject=subject, method=measure)
    ]
    columns: list[Column[Line]] = [
        Column("measure", lambda line: line.method or "topics left", left=True),
        Column("systems", lambda line: line.subject if line.method else "", left=True),
        *(level_column(rows, group, level, heading) for level, heading in headings.items()),
    ]
    yield Table.of(f"{title}: bias", [*biases, Line(ALL, "", "topics")], columns)
    others = {"tau-b": "itself, complete", "tau-b with truth": "true scores"}
    taus = [
        Line(ALL, measure, quantity)
        for measure, quantity in product(measures, others)
        if rows.of(group, method=measure, quantity=quantity)
    ]
    if taus:
        yield Table.of(
            f"{title}: tau-b",
            taus,
            [
                text_column("measure", 1),
                Column("with", lambda line: others[line.quantity], left=True),
                *plain_columns(rows, group, headings, ".3f"),
            ],
        )


def _links(rows: EstimatorRows, way: str) -> Iterator[Table]:
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
        return uncertain_column(quantity, lambda level: row(level, quantity, ""), lambda _: form)

    def number(
        heading: str, quantity: str, form: str, method: str = "", is_optional: bool = False
    ) -> Column[float | None]:
        def value(level: float | None) -> float | None:
            entry = row(level, quantity, method)
            return None if entry is None else entry.value

        return Column(heading, value, form, is_optional=is_optional)

    yield Table.of(
        f"P(x → y) from the log, by number of trials: {way}",
        names,
        [
            Column("trials", names.__getitem__, left=True),
            number("pairs", "pairs", ",.0f"),
            mean("bias", "+.4f"),
            mean("rmse", ".4f"),
            number("binomial rmse", "binomial rmse", ".4f", is_optional=True),
            *(
                number(heading, quantity, ".3f", method, is_optional=True)
                for method in PROPORTIONS
                for heading, quantity in (
                    (method, "coverage"),
                    (f"{method} binomial", "binomial coverage"),
                )
            ),
            number(POSTERIOR, "coverage", ".3f", POSTERIOR),
        ],
    )


def _plugged(rows: EstimatorRows) -> Iterator[Table]:
    """Yield measures with probabilities from the log."""
    lines = [
        (measure, way, users)
        for measure in rows.names("plug-in", "method")
        for way in rows.names("plug-in", "subject")
        for users in rows.levels("plug-in", subject=way, method=measure)
    ]

    def row(quantity: str) -> Callable[[tuple[str, str, float]], EstimatorsRow | None]:
        return lambda line: rows.row(
            "plug-in", subject=line[1], method=line[0], at=line[2], quantity=quantity
        )

    if lines:
        yield Table.of(
            "Measures with probabilities from the log",
            lines,
            [
                Column("measure", lambda line: line[0], left=True),
                Column("counted", lambda line: line[1], left=True),
                Column("users", lambda line: line[2], ",.0f", left=True),
                uncertain_column("bias", row("bias"), lambda _: "+.5f"),
                uncertain_column("rmse", row("rmse"), lambda _: ".5f"),
                uncertain_column("bias of shares", row("bias of shares"), lambda _: "+.5f"),
                uncertain_column("bias elsewhere", row("bias elsewhere"), lambda _: "+.5f"),
                number_column("tau-b", row("tau-b"), ".3f"),
            ],
            parts=lambda line: line[0],
        )
