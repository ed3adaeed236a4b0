"""The view of the study of estimators: a table for each part that the data allow, and a figure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeVar

from prum.experiments.frame.drawing import SOFT, Drawing, curves, paneled, tidy
from prum.experiments.frame.numbers import shown
from prum.experiments.frame.study import StudyResult
from prum.experiments.frame.view import Column, Table, View
from prum.experiments.logs.trials import EVERY, SAFE, TURN
from prum.experiments.statistics.intervals import CONFIDENCE, METHODS, PROPORTIONS
from prum.experiments.statistics.tests import T
from prum.experiments.studies.estimators.recovery import POSTERIOR
from prum.experiments.studies.estimators.resampling import DIFFERENCE, LEVEL, MEAN
from prum.experiments.studies.estimators.scoring import EstimatorRows, EstimatorsRow
from prum.experiments.studies.estimators.study import EstimatorsDesign, EstimatorsFindings
from prum.experiments.studies.estimators.truth import ALL, IN, OUT
from prum.experiments.studies.kit.quantities import (
    Line,
    interval_column,
    lines,
    number_column,
    text_column,
)
from prum.experiments.studies.kit.story import Story

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EstimatorsResult = StudyResult[EstimatorsDesign, EstimatorsRow, EstimatorsFindings]
R = TypeVar("R")
# What is printed as 0 to four decimals.
_PRINTED = 0.5e-4
# Of the groups of rows by numbers of topics: what lines are of, and its heading. Where they do not
# name their subject, each has a table.
_HEADINGS = {
    "topics": {"method": "measure"},
    "coverage": {"method": "interval"},
    "power": {"subject": "true difference", "method": "test"},
    "false alarms": {"subject": "made equal by", "method": "test"},
    "coverage by estimate": {"subject": "mean", "method": "estimate"},
    "power by estimate": {"subject": "true difference", "method": "estimate"},
    "false alarms by estimate": {"subject": "made equal by", "method": "estimate"},
}
# Their tables: group, quantity, format, label.
_BY_TOPICS = (
    ("topics", "tau-b", ".3f", "Kendall's tau-b of rankings by n topics with the true one"),
    ("topics", "tau_ap", ".3f", "tau_AP of rankings by n topics with the true one"),
    ("topics", "best", ".3f", "How often the best of n topics is truly the best"),
    ("coverage", "coverage", ".4f", "Coverage of 95 % intervals by n topics: {}"),
    ("power", "power", ".3f", "Power at 5 % by true difference and n topics"),
    ("false alarms", "rejected", ".4f", "False alarms at 5 % of equal systems"),
    (
        "coverage by estimate",
        "coverage",
        ".3f",
        "Do 95 % intervals of an estimate hold the true mean?",
    ),
    ("power by estimate", "power", ".3f", "Power at 5 % by estimate"),
    ("power by estimate", "wrong sign", ".3f", "How often the worse is found better"),
    ("false alarms by estimate", "rejected", ".3f", "False alarms at 5 % by estimate"),
)


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
            lambda: panels(rows),
        )
        if has_panels(rows)
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
    for group, quantity, form, label in _BY_TOPICS:
        yield from _by_topics(rows, group, quantity, form, label)
    yield from _as_given(rows)
    yield from _pooling(rows, "pooling", "Pools by depth", "depth")
    yield from _pooling(rows, "assessors", "Other assessors", "assessor")
    yield from _pooling(rows, "judges", "Judges who err", "judge")
    for way in (TURN, EVERY, SAFE):
        yield from _links(rows, way)
    yield from _plugged(rows)


def _cell(row: EstimatorsRow | None, form: str) -> str:
    """Return a number with half the width of its interval, if there is one."""
    if row is None or row.half is None:
        return shown(None if row is None else row.value, form)
    return f"{shown(row.value, form)} ± {shown(row.half, form.lstrip('+'))}"


def _uncertain(
    heading: str, row: Callable[[R], EstimatorsRow | None], form: Callable[[R], str] | str
) -> Column[R]:
    """Return the column of numbers with half widths, for which a narrow terminal has no place.

    As data the two are columns of their own.
    """
    of = (lambda _: form) if isinstance(form, str) else form

    def brief(line: R) -> str:
        return shown(getattr(row(line), "value", None), of(line))

    return interval_column(
        heading, row, lambda line: _cell(row(line), of(line)), {" ±": "half"}, brief
    )


def _levels(
    rows: EstimatorRows, group: str, headings: dict[float, str], form: str
) -> Iterator[Column[Line]]:
    """Yield a column for each level, and one of half the width of a line's widest interval."""

    def widest(line: Line) -> float | None:
        halves = [row.half for row in rows.of(group, **line) if row.half is not None]
        return max(halves, default=None)

    for level, heading in headings.items():
        yield number_column(heading, rows.along(group, at=level), form)
    yield Column("±", widest, form)


def _truth(rows: EstimatorRows) -> Iterator[Table]:
    """Yield errors of all lists, a line for each estimate, and of those of each system."""
    columns = (
        _uncertain("bias", rows.along("truth", quantity="bias"), "+.5f"),
        _uncertain("root mean square", rows.along("truth", quantity="rmse"), ".5f"),
        number_column("largest", rows.along("truth", quantity="largest"), ".4f"),
    )
    measures = rows.names("truth", "method")
    if not measures:
        return
    estimate = text_column("estimate", "method")
    yield Table.of(
        "Error per list",
        lines(subject=[ALL], method=measures),
        [estimate, *columns],
    )
    systems = [name for name in rows.names("truth", "subject") if name != ALL]
    yield Table.of(
        "The same, by system",
        lines(method=measures, subject=systems),
        [text_column("system", "subject"), estimate, *columns],
        parts=lambda line: line["method"],
    )


def _by_topics(
    rows: EstimatorRows, group: str, quantity: str, form: str, label: str
) -> Iterator[Table]:
    """Yield the tables of a quantity by number of topics."""
    headings = _HEADINGS[group]
    subjects, methods = (
        rows.names(group, column, quantity=quantity) for column in ("subject", "method")
    )
    names = {DIFFERENCE: "difference of neighbouring systems"}
    for together in [subjects] if "subject" in headings else [[name] for name in subjects]:
        if chosen := lines(subject=together, method=methods, quantity=[quantity]):
            levels = {level: f"n = {level:g}" for level in rows.levels(group)}
            yield Table.of(
                label.format(names.get(together[0], together[0])),
                chosen,
                [
                    *(text_column(heading, column) for column, heading in headings.items()),
                    *_levels(rows, group, levels, form),
                ],
                parts=lambda line: line["subject"],
            )


def _as_given(rows: EstimatorRows) -> Iterator[Table]:
    """Yield how tables of P(x -> y) that were given differ from the true one."""
    if names := rows.names("tables", "subject"):
        yield Table.of(
            "P(x → y) as given, over the pairs of the true table",
            lines(subject=names),
            [
                text_column("table", "subject"),
                number_column("pairs", rows.along("tables", quantity="pairs"), ",.0f"),
                number_column("share that is 0", rows.along("tables", quantity="lacking"), ".3f"),
                _uncertain("bias", rows.along("tables", quantity="bias"), "+.4f"),
                _uncertain("rmse", rows.along("tables", quantity="rmse"), ".4f"),
            ],
        )


def _pooling(rows: EstimatorRows, group: str, title: str, head: str) -> Iterator[Table]:
    levels = rows.levels(group)
    if not levels:
        return
    # The first says what all are.
    headings = {level: f"{level:g}" for level in levels} | {levels[0]: f"{head} {levels[0]:g}"}
    measures = rows.names(group, "method")
    forms = {"bias": "+.4f", "topics": ".0f"}
    biases = lines(method=measures, subject=(IN, OUT), quantity=["bias"])
    yield Table.of(
        f"{title}: bias",
        [
            *(line for line in biases if rows.of(group, **line)),
            {"subject": ALL, "method": "", "quantity": "topics"},
        ],
        [
            Column("measure", lambda line: line["method"] or "topics left", left=True),
            Column("systems", lambda line: line["subject"] if line["method"] else "", left=True),
            *(
                _uncertain(
                    heading, rows.along(group, at=level), lambda line: forms[line["quantity"]]
                )
                for level, heading in headings.items()
            ),
        ],
    )
    others = {"tau-b": "itself, complete", "tau-b with truth": "true scores"}
    taus = [line for line in lines(method=measures, quantity=others) if rows.of(group, **line)]
    if taus:
        yield Table.of(
            f"{title}: tau-b",
            taus,
            [
                text_column("measure", "method"),
                Column("with", lambda line: others[line["quantity"]], left=True),
                *_levels(rows, group, headings, ".3f"),
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

    def row(quantity: str, method: str = "") -> Callable[[Line], EstimatorsRow | None]:
        return rows.along("links", quantity=quantity, method=method)

    binomial = row("binomial rmse")
    coverages = [
        number_column(heading, row(quantity, method), ".3f")
        for method in PROPORTIONS
        for heading, quantity in ((method, "coverage"), (f"{method} binomial", "binomial coverage"))
    ]
    yield Table.of(
        f"P(x → y) from the log, by number of trials: {way}",
        lines(subject=[way], at=names),
        [
            Column("trials", lambda line: names[line["at"]], left=True),
            number_column("pairs", row("pairs"), ",.0f"),
            _uncertain("bias", row("bias"), "+.4f"),
            _uncertain("rmse", row("rmse"), ".4f"),
            number_column("binomial rmse", binomial, ".4f"),
            *coverages,
            number_column(POSTERIOR, row("coverage", POSTERIOR), ".3f"),
        ],
    )


def _plugged(rows: EstimatorRows) -> Iterator[Table]:
    """Yield measures with probabilities from the log."""
    ways, measures = (rows.names("plug-in", column) for column in ("subject", "method"))
    chosen = [
        {**line, "at": users}
        for line in lines(method=measures, subject=ways)
        for users in rows.levels("plug-in", **line)
    ]
    if chosen:
        forms = {"bias": "+.5f", "rmse": ".5f", "bias of shares": "+.5f", "bias elsewhere": "+.5f"}
        yield Table.of(
            "Measures with probabilities from the log",
            chosen,
            [
                text_column("measure", "method"),
                text_column("counted", "subject"),
                Column("users", lambda line: line["at"], ",.0f", left=True),
                *(
                    _uncertain(quantity, rows.along("plug-in", quantity=quantity), form)
                    for quantity, form in forms.items()
                ),
                number_column("tau-b", rows.along("plug-in", quantity="tau-b"), ".3f"),
            ],
            parts=lambda line: line["method"],
        )


# Names of lines, and their rows.
_Lines = Sequence[tuple[str, list[EstimatorsRow]]]


@dataclass(frozen=True, slots=True)
class _Panel:
    """A panel: the group of rows it takes, its lines, where the legend is, a level that is drawn.

    Shares run from 0 to 1; errors have a logarithmic axis.
    """

    title: str
    group: str
    lines: Callable[[EstimatorRows], _Lines]
    along: str = "topics"
    legend: Literal["lower right", "lower left", "upper left"] = "lower right"
    level: float | None = None
    kind: Literal["", "shares", "errors"] = ""

    def draw(self, axes: "Axes", rows: EstimatorRows) -> None:
        """Draw a line for each name, over the levels of its rows."""
        if self.level is not None:
            axes.axhline(self.level, color=SOFT, linewidth=0.8)
        lines = {
            name: {
                row.at: row.value
                for row in sorted(own, key=lambda row: row.at or 0)
                if row.at is not None and row.value is not None
            }
            for name, own in self.lines(rows)
        }
        curves(axes, lines)
        levels = sorted({at for line in lines.values() for at in line})
        axes.legend(loc=self.legend, labelspacing=0.25)
        tidy(axes, levels, self.along, y="log" if self.kind == "errors" else "linear")
        if self.kind == "shares":
            axes.set_ylim(-0.02, 1.02)
        axes.set_title(self.title)


def _topics(rows: EstimatorRows) -> _Lines:
    names = rows.names("topics", "method", quantity="tau-b")
    return [(name, rows.of("topics", method=name, quantity="tau-b")) for name in names]


def _coverage(rows: EstimatorRows) -> _Lines:
    what = {"subject": MEAN, "quantity": "coverage"}
    return [(name, rows.of("coverage", method=name, **what)) for name in METHODS]


def _power(rows: EstimatorRows) -> _Lines:
    labels = reversed(rows.names("power", "subject"))
    what = {"method": T, "quantity": "power"}
    return [(label, rows.of("power", subject=label, **what)) for label in labels]


def _recovery(rows: EstimatorRows) -> _Lines:
    lines = [
        (name, rows.of("links", subject=way, quantity=quantity))
        for name, way, quantity in (
            ("its turn came", TURN, "rmse"),
            ("every consultation", EVERY, "rmse"),
            ("binomial law", EVERY, "binomial rmse"),
        )
    ]
    return [(name, line) for name, line in lines if line]


_PANELS = (
    _Panel("Kendall’s tau-b with the true ranking", "topics", _topics),
    _Panel("coverage of 95 % intervals of a mean", "coverage", _coverage, level=CONFIDENCE),
    _Panel(
        "power of the paired t test by true difference",
        "power",
        _power,
        legend="upper left",
        level=LEVEL,
        kind="shares",
    ),
    _Panel(
        "error of P(x → y) from the log",
        "links",
        _recovery,
        along="trials, at least",
        legend="lower left",
        kind="errors",
    ),
)


def has_panels(rows: EstimatorRows) -> bool:
    """Return whether the data allow any panel."""
    return any(rows.of(panel.group) for panel in _PANELS)


def panels(rows: EstimatorRows) -> Drawing:
    """Return the panels that the data allow, two in a line."""
    chosen = [partial(panel.draw, rows=rows) for panel in _PANELS if rows.of(panel.group)]
    return paneled(chosen, columns=2, tall=280)
