"""The view of the study of estimators: a table for each part that the data allow, and a figure."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Any

from prum.experiments.frame.drawing import SOFT, curves, paneled, tidy
from prum.experiments.frame.frames import frame_table, turned
from prum.experiments.frame.view import Table, View
from prum.experiments.logs.trials import EVERY, SAFE, TURN
from prum.experiments.statistics.intervals import CONFIDENCE, METHODS, PROPORTIONS
from prum.experiments.statistics.tests import T
from prum.experiments.studies.estimators.recovery import POSTERIOR
from prum.experiments.studies.estimators.resampling import DIFFERENCE, LEVEL, MEAN
from prum.experiments.studies.estimators.truth import ALL, IN, OUT
from prum.experiments.studies.kit.story import Story

Rows = Sequence[Any]
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


def view(result: Any) -> View:
    """Return how far estimates are from the true scores, part by part."""
    rows, findings, story = result.rows, result.found, Story.beside(__package__)
    drawn = _panels(rows)
    label = "Kendall's tau-b, coverage and power by number of topics; error of probabilities"
    return View(
        title=story.title,
        headline=_headline(story, rows, findings.given),
        story=story.paragraphs("story"),
        tables=tuple(_tables(rows)),
        figures=story.figure("caption", label, lambda: paneled(drawn, columns=2, tall=280))
        if drawn
        else (),
        notes=(
            *story.paragraphs("data", found=findings, num_systems=len(findings.systems)),
            *findings.notes,
            *story.paragraphs("notes", "given" if findings.given else None),
        ),
        leads=True,
    )


def _of(rows: Rows, group: str, **what: Any) -> list[Any]:
    """Return the rows of a group with these values."""
    what = {"group": group, **what}
    return [row for row in rows if all(getattr(row, name) == value for name, value in what.items())]


def _names(rows: Rows, group: str, column: str, **what: Any) -> list[Any]:
    """Return the values of a column in a group, as they come first, without empty ones."""
    return [x for x in dict.fromkeys(getattr(row, column) for row in _of(rows, group, **what)) if x]


def _levels(rows: Rows, group: str, **what: Any) -> list[Any]:
    return sorted(_names(rows, group, "at", **what))


def _lines(**values: Sequence[Any]) -> list[dict[str, Any]]:
    """Return lines of every combination of values, those of the last column changing first."""
    return [dict(zip(values, line, strict=True)) for line in product(*values.values())]


def _columns(
    rows: Rows,
    group: str,
    lines: Sequence[Mapping[str, Any]],
    cells: Mapping[str, Mapping[str, Any]],
) -> dict[str, list[Any]]:
    """Return lines as columns, and for each cell x, x_low and x_high of the row of its values.

    Of what neither names, it is the row of all, by no method, at no level.
    """
    default = {"subject": ALL, "method": "", "at": None, "quantity": ""}
    places = {tuple(getattr(row, name) for name in default): row for row in _of(rows, group)}
    columns = turned(lines)
    for name, what in cells.items():
        found = [places.get(tuple({**default, **line, **what}.values())) for line in lines]
        for end, attribute in (("", "value"), ("_low", "low"), ("_high", "high")):
            columns[f"{name}{end}"] = [getattr(row, attribute, None) for row in found]
    return columns


def _quantities(*names: str) -> dict[str, dict[str, str]]:
    return {name: {"quantity": name} for name in names}


def _widest(columns: Mapping[str, Sequence[Any]], names: Sequence[str]) -> list[float | None]:
    """Return half the width of each line's widest interval."""
    halves = [
        [
            None if low is None or high is None else (high - low) / 2
            for low, high in zip(columns[f"{name}_low"], columns[f"{name}_high"], strict=True)
        ]
        for name in names
    ]
    return [
        max((half for half in line if half is not None), default=None)
        for line in zip(*halves, strict=True)
    ]


def _headline(story: Story, rows: Rows, given: Sequence[str]) -> str:
    """Return how far each estimate is from the true scores, those that were given first."""
    parts = []
    biases = {row.method: row.value for row in _of(rows, "truth", subject=ALL, quantity="bias")}
    all_rmse = _of(rows, "truth", subject=ALL, quantity="rmse")
    for rmse in sorted(all_rmse, key=lambda row: row.method not in given):
        section = "exact" if rmse.value is not None and rmse.value < _PRINTED else "off"
        values = {"measure": rmse.method, "rmse": rmse.value, "bias": biases[rmse.method]}
        parts.append(story.line(section, **values))
    return f"{'; '.join(parts)}." if parts else story.line("none")


def _tables(rows: Rows) -> Iterator[Table]:
    """Yield a table for each part that the data allow."""
    yield from _truth(rows)
    for group, quantity, form, label in _BY_TOPICS:
        yield from _by_topics(rows, group, quantity, form, label)
    if names := _names(rows, "tables", "subject"):
        cells = _quantities("pairs", "lacking", "bias", "rmse")
        forms = {"subject": "", "pairs": ",.0f", "lacking": ".3f"}
        yield frame_table(
            "P(x → y) as given, over the pairs of the true table",
            _columns(rows, "tables", _lines(subject=names), cells),
            {**forms, "bias and ±": "+.4f", "rmse and ±": ".4f"},
            names={"subject": "table", "lacking": "share that is 0"},
        )
    yield from _pooling(rows, "pooling", "Pools by depth", "depth")
    yield from _pooling(rows, "assessors", "Other assessors", "assessor")
    yield from _pooling(rows, "judges", "Judges who err", "judge")
    for way in (TURN, EVERY, SAFE):
        yield from _links(rows, way)
    yield from _plugged(rows)


def _truth(rows: Rows) -> Iterator[Table]:
    """Yield errors of all lists, a line for each estimate, and of those of each system."""
    measures = _names(rows, "truth", "method")
    if not measures:
        return
    forms = {"method": "", "bias and ±": "+.5f", "rmse and ±": ".5f", "largest": ".4f"}
    names = {"method": "estimate", "subject": "system", "rmse": "root mean square"}
    cells = _quantities("bias", "rmse", "largest")
    columns = _columns(rows, "truth", _lines(method=measures), cells)
    yield frame_table("Error per list", columns, forms, names=names)
    systems = [name for name in _names(rows, "truth", "subject") if name != ALL]
    columns = _columns(rows, "truth", _lines(method=measures, subject=systems), cells)
    forms = {"subject": "", **forms}
    yield frame_table("The same, by system", columns, forms, names=names, parts="method")


def _by_topics(rows: Rows, group: str, quantity: str, form: str, label: str) -> Iterator[Table]:
    """Yield the tables of a quantity by number of topics."""
    headings = _HEADINGS[group]
    subjects, methods = (
        _names(rows, group, column, quantity=quantity) for column in ("subject", "method")
    )
    names = {DIFFERENCE: "difference of neighbouring systems"}
    levels = {f"n = {at:g}": {"at": at} for at in _levels(rows, group)}
    for together in [subjects] if "subject" in headings else [[name] for name in subjects]:
        if lines := _lines(subject=together, method=methods, quantity=[quantity]):
            columns = _columns(rows, group, lines, levels)
            yield frame_table(
                label.format(names.get(together[0], together[0])),
                columns | {"±": _widest(columns, list(levels))},
                dict.fromkeys(headings, "") | dict.fromkeys((*levels, "±"), form),
                names=headings,
                parts="subject",
            )


def _pooling(rows: Rows, group: str, title: str, head: str) -> Iterator[Table]:
    """Yield bias and tau-b at each depth, or of each judge."""
    levels = _levels(rows, group)
    if not levels:
        return
    # The first says what all are.
    cells = {f"{head} {levels[0]:g}": {"at": levels[0]}}
    cells |= {f"{level:g}": {"at": level} for level in levels[1:]}
    measures = _names(rows, group, "method")
    lines = [
        line
        for line in _lines(method=measures, subject=(IN, OUT), quantity=["bias"])
        if _of(rows, group, **line)
    ]
    columns = _columns(
        rows, group, [*lines, {"method": "", "subject": ALL, "quantity": "topics"}], cells
    )
    columns["method"][-1], columns["subject"][-1] = "topics left", ""
    forms = [*["+.4f"] * len(lines), ".0f"]
    yield frame_table(
        f"{title}: bias",
        columns,
        {"method": "", "subject": ""} | {f"{name} and ±": forms for name in cells},
        names={"method": "measure", "subject": "systems"},
    )
    others = {"tau-b": "itself, complete", "tau-b with truth": "true scores"}
    lines = [
        line for line in _lines(method=measures, quantity=list(others)) if _of(rows, group, **line)
    ]
    if lines:
        columns = _columns(rows, group, lines, cells)
        columns["with"] = [others[line["quantity"]] for line in lines]
        columns["±"] = _widest(columns, list(cells))
        forms_of = {"method": "", "with": ""} | dict.fromkeys((*cells, "±"), ".3f")
        yield frame_table(f"{title}: tau-b", columns, forms_of, names={"method": "measure"})


def _links(rows: Rows, way: str) -> Iterator[Table]:
    """Yield bias, error and coverage of probabilities from the log, by number of trials."""
    levels = _levels(rows, "links", subject=way)
    if not levels:
        return
    trials = [
        f"{low:g}" if high == low + 1 else f"{low:g} to {high - 1:g}"
        for low, high in pairwise(levels)
    ]
    cells = _quantities("pairs", "bias", "rmse", "binomial rmse")
    forms = {"trials": "", "pairs": ",.0f", "bias and ±": "+.4f", "rmse and ±": ".4f"}
    forms["binomial rmse"] = ".4f"
    for method in PROPORTIONS:
        cells[method] = {"quantity": "coverage", "method": method}
        cells[f"{method} binomial"] = {"quantity": "binomial coverage", "method": method}
    cells[POSTERIOR] = {"quantity": "coverage", "method": POSTERIOR}
    columns = _columns(rows, "links", _lines(subject=[way], at=[*levels, None]), cells)
    columns["trials"] = [*trials, f"{levels[-1]:g} and more", "all"]
    yield frame_table(
        f"P(x → y) from the log, by number of trials: {way}",
        columns,
        forms | {name: ".3f" for name in cells if name not in (*forms, "bias", "rmse")},
    )


def _plugged(rows: Rows) -> Iterator[Table]:
    """Yield measures with probabilities from the log."""
    ways, measures = (_names(rows, "plug-in", column) for column in ("subject", "method"))
    lines = [
        {**line, "at": users}
        for line in _lines(method=measures, subject=ways)
        for users in _levels(rows, "plug-in", **line)
    ]
    if lines:
        cells = _quantities("bias", "rmse", "bias of shares", "bias elsewhere", "tau-b")
        forms = {"method": "", "subject": "", "at": "<,.0f", "bias and ±": "+.5f"}
        forms |= {"rmse and ±": ".5f", "bias of shares and ±": "+.5f"}
        yield frame_table(
            "Measures with probabilities from the log",
            _columns(rows, "plug-in", lines, cells),
            {**forms, "bias elsewhere and ±": "+.5f", "tau-b": ".3f"},
            names={"method": "measure", "subject": "counted", "at": "users"},
            parts="method",
        )


def _panels(rows: Rows) -> list[Any]:
    """Return what draws each panel that the data allow: its lines, legend and level."""
    tau, covered = {"quantity": "tau-b"}, {"subject": MEAN, "quantity": "coverage"}
    powers = {"method": T, "quantity": "power"}
    ways = (
        ("its turn came", TURN, "rmse"),
        ("every consultation", EVERY, "rmse"),
        ("binomial law", EVERY, "binomial rmse"),
    )
    lines = {
        "topics": {
            name: _of(rows, "topics", method=name, **tau)
            for name in _names(rows, "topics", "method", **tau)
        },
        "coverage": {name: _of(rows, "coverage", method=name, **covered) for name in METHODS},
        "power": {
            label: _of(rows, "power", subject=label, **powers)
            for label in reversed(_names(rows, "power", "subject"))
        },
        "links": {
            name: line
            for name, way, quantity in ways
            if (line := _of(rows, "links", subject=way, quantity=quantity))
        },
    }
    options: dict[str, dict[str, Any]] = {
        "topics": {"title": "Kendall’s tau-b with the true ranking"},
        "coverage": {"title": "coverage of 95 % intervals of a mean", "level": CONFIDENCE},
        "power": {
            "title": "power of the paired t test by true difference",
            "legend": "upper left",
            "level": LEVEL,
        },
        "links": {
            "title": "error of P(x → y) from the log",
            "along": "trials, at least",
            "legend": "lower left",
        },
    }
    return [
        partial(_panel, group=group, lines=lines[group], **own)
        for group, own in options.items()
        if _of(rows, group)
    ]


def _panel(
    axes: Any,
    *,
    group: str,
    lines: Mapping[str, Rows],
    title: str,
    along: str = "topics",
    legend: str = "lower right",
    level: float | None = None,
) -> None:
    """Draw a line for each name, over the levels of its rows; errors have a logarithmic axis."""
    if level is not None:
        axes.axhline(level, color=SOFT, linewidth=0.8)
    values = {
        name: {row.at: row.value for row in line if row.at is not None and row.value is not None}
        for name, line in lines.items()
    }
    values = {name: dict(sorted(line.items())) for name, line in values.items()}
    curves(axes, values)
    axes.legend(loc=legend, labelspacing=0.25)
    levels = sorted({at for line in values.values() for at in line})
    tidy(axes, levels, along, y="log" if group == "links" else "linear")
    if group == "power":
        axes.set_ylim(-0.02, 1.02)
    axes.set_title(title)
