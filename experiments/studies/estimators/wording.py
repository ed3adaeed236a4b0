"""What the study of estimators says on the terminal and on its page: a table for each part."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from prum.experiments.crosscheck.page import PageTable
from prum.experiments.fitting.trials import EVERY, SAFE, TURN
from prum.experiments.statistics.bootstrap import METHODS as INTERVALS
from prum.experiments.statistics.proportions import METHODS as PROPORTIONS
from prum.experiments.statistics.tests import TESTS
from prum.experiments.studies.estimators.coverage import DIFFERENCE, MEAN
from prum.experiments.studies.estimators.pooling import IN, OUT
from prum.experiments.studies.estimators.power import CENTRED, SWAPPED
from prum.experiments.studies.estimators.rows import chosen
from prum.experiments.studies.study import WrittenStudy
from prum.experiments.studies.wording import number

WAYS = (TURN, EVERY, SAFE)


def tables(study: WrittenStudy) -> list[PageTable]:
    """Return a table of each part that the data allow."""
    made = [
        _truth(study),
        *_topics(study),
        *(_coverage(study, subject) for subject in (MEAN, DIFFERENCE)),
        _power(study),
        _false_alarms(study),
        *_pooling(study, "pooling", "Pools by depth", "depth {:g}"),
        *_pooling(study, "assessors", "Other assessors", "assessor {:g}"),
        *_links(study),
        _plugged(study),
    ]
    return [table for table in made if table is not None]


def told(study: WrittenStudy) -> str:
    """Return what was studied."""
    found = study.found
    return (
        f"{found['name']}: {found['topics']:,} topics, {len(found['systems']):,} systems, "
        f"{found['elements']:,} elements, people browse by “{found['browsing']}”. The truth is "
        "ExactPRUM on complete judgements."
    )


def value_of(rows: Any, group: str, **what: Any) -> dict[str, Any] | None:
    """Return the row with these values, if there is one."""
    return next(iter(chosen(rows, group, **what)), None)


def cell(row: dict[str, Any] | None, digits: int, *, signed: bool = False) -> str:
    """Return a number with half the width of its interval, if there is one."""
    if row is None or row["value"] is None:
        return "-"
    text = number(row["value"], digits)
    if signed and row["value"] > 0:
        text = f"+{text}"
    if row["low"] is None or row["high"] is None:
        return text
    return f"{text} ± {(row['high'] - row['low']) / 2:.{digits}f}"


def _short(row: dict[str, Any] | None) -> str:
    """Return a share without its interval."""
    return "-" if row is None or row["value"] is None else number(row["value"], 3)


def levels(study: WrittenStudy, group: str, **what: Any) -> list[float]:
    """Return the levels of a group, ascending."""
    found = {row["at"] for row in chosen(study.rows, group, **what)}
    return sorted(level for level in found if level is not None)


def names(study: WrittenStudy, group: str, column: str = "method", **what: Any) -> list[str]:
    """Return the values of a column in a group, as they come first, without empty ones."""
    return [
        name
        for name in dict.fromkeys(row[column] for row in chosen(study.rows, group, **what))
        if name
    ]


def _truth(study: WrittenStudy) -> PageTable | None:
    measures, subjects = names(study, "truth"), names(study, "truth", "subject")
    if not measures:
        return None

    def row(subject: str, measure: str) -> list[str]:
        def of(quantity: str) -> dict[str, Any] | None:
            return value_of(study.rows, "truth", subject=subject, method=measure, quantity=quantity)

        return [cell(of("bias"), 5, signed=True), cell(of("rmse"), 5), cell(of("largest"), 4)]

    return PageTable(
        "One list: estimate less truth, root mean square, largest",
        ("system", *(f"{m} {q}" for m in measures for q in ("bias", "rmse", "largest"))),
        [
            [subject, *(text for measure in measures for text in row(subject, measure))]
            for subject in subjects
        ],
    )


def _topics(study: WrittenStudy) -> list[PageTable]:
    at = levels(study, "topics")
    labels = {
        "tau-b": "Kendall's tau-b of rankings by n topics with the true one",
        "tau_ap": "tau_AP of rankings by n topics with the true one",
        "best": "How often the best of n topics is the best in truth",
    }
    found = []
    for quantity, label in labels.items():
        rows = [
            [measure, *_plainly(study, "topics", at, 3, method=measure, quantity=quantity)]
            for measure in names(study, "topics", quantity=quantity)
        ]
        if rows:
            found.append(PageTable(label, ("", *(f"n = {n:g}" for n in at), "±"), rows))
    return found


def _across(
    study: WrittenStudy, group: str, at: Sequence[float | None], digits: int, **what: Any
) -> list[str]:
    """Return a number at each level, with its interval."""
    signed = what.pop("signed", False)
    return [cell(value_of(study.rows, group, at=n, **what), digits, signed=signed) for n in at]


def _plainly(
    study: WrittenStudy, group: str, at: Sequence[float | None], digits: int, **what: Any
) -> list[str]:
    """Return a number at each level, and half the width of the widest of their intervals."""
    found = [value_of(study.rows, group, at=n, **what) for n in at]
    widths = [
        (row["high"] - row["low"]) / 2
        for row in found
        if row is not None and row["low"] is not None and row["high"] is not None
    ]
    numbers = ["-" if row is None else number(row["value"], digits) for row in found]
    return [*numbers, number(max(widths), digits) if widths else "-"]


def _coverage(study: WrittenStudy, subject: str) -> PageTable | None:
    at = levels(study, "coverage", subject=subject)
    if not at:
        return None
    label = "difference of neighbouring systems" if subject == DIFFERENCE else subject
    return PageTable(
        f"Coverage of 95 % intervals by n topics: {label}",
        ("", *(f"n = {n:g}" for n in at), "±"),
        [
            [method, *_plainly(study, "coverage", at, 4, subject=subject, method=method,
                              quantity="coverage")]
            for method in INTERVALS
        ],
    )  # fmt: skip


def _power(study: WrittenStudy) -> PageTable | None:
    at = levels(study, "power")
    if not at:
        return None
    return PageTable(
        "Power at 5 % by true difference and n topics",
        ("true difference", "test", *(f"n = {n:g}" for n in at), "±"),
        [
            [label, test, *_plainly(study, "power", at, 3, subject=label, method=test,
                                   quantity="power")]
            for label in names(study, "power", "subject")
            for test in TESTS
        ],
        num_left=2,
    )  # fmt: skip


def _false_alarms(study: WrittenStudy) -> PageTable | None:
    at = levels(study, "false alarms")
    if not at:
        return None
    return PageTable(
        "False alarms at 5 % of equal systems",
        ("made equal by", "test", *(f"n = {n:g}" for n in at), "±"),
        [
            [kind, test, *_plainly(study, "false alarms", at, 4, subject=kind, method=test)]
            for kind in (SWAPPED, CENTRED)
            for test in TESTS
        ],
        num_left=2,
    )


def _pooling(study: WrittenStudy, group: str, title: str, head: str) -> list[PageTable]:
    at = levels(study, group)
    if not at:
        return []
    heads = tuple(head.format(level) for level in at)
    biases = [
        [measure, subject, *_across(study, group, at, 4, subject=subject, method=measure,
                                    quantity="bias", signed=True)]
        for measure in names(study, group)
        for subject in (IN, OUT)
        if chosen(study.rows, group, subject=subject, method=measure)
    ]  # fmt: skip
    taus = [
        [measure, against, *_plainly(study, group, at, 3, method=measure, quantity=quantity)]
        for measure in names(study, group)
        for quantity, against in (("tau-b", "itself, complete"), ("tau-b with truth", "the truth"))
        if chosen(study.rows, group, method=measure, quantity=quantity)
    ]
    kept = ["topics with an ideal", "", *_across(study, group, at, 0, quantity="topics")]
    found = [PageTable(f"{title}: bias", ("", "systems", *heads), [*biases, kept], num_left=2)]
    if taus:
        found.append(PageTable(f"{title}: tau-b", ("", "with", *heads, "±"), taus, num_left=2))
    return found


def _links(study: WrittenStudy) -> list[PageTable]:
    found = []
    for way in WAYS:
        at = levels(study, "links", subject=way)
        if not at:
            continue
        labels = [
            f"{low:g}" if high == low + 1 else f"{low:g} to {high - 1:g}"
            for low, high in pairwise(at)
        ]
        labels += [f"{at[-1]:g} and more", "all"]
        heads = [name for method in PROPORTIONS for name in (method, "by law")]
        found.append(
            PageTable(
                f"P(x → y) from the log, by number of trials: {way}",
                ("trials", "pairs", "bias", "rmse", "by law", *heads),
                [
                    [label, *_link_cells(study, way, level)]
                    for label, level in zip(labels, [*at, None], strict=True)
                ],
            )
        )
    return found


def _link_cells(study: WrittenStudy, way: str, at: float | None) -> list[str]:
    def of(quantity: str, method: str = "") -> dict[str, Any] | None:
        return value_of(study.rows, "links", subject=way, method=method, at=at, quantity=quantity)

    shares = [
        _short(of(quantity, method))
        for method in PROPORTIONS
        for quantity in ("coverage", "binomial coverage")
    ]
    bias, rmse = cell(of("bias"), 4, signed=True), cell(of("rmse"), 4)
    return [cell(of("pairs"), 0), bias, rmse, cell(of("binomial rmse"), 4), *shares]


def _plugged(study: WrittenStudy) -> PageTable | None:
    rows = [
        [measure, way, f"{at:,.0f}", *_plugged_cells(study, measure, way, at)]
        for measure in names(study, "plug-in")
        for way in WAYS
        for at in levels(study, "plug-in", subject=way, method=measure)
    ]
    if not rows:
        return None
    heads = ("", "counted", "users", "bias", "rmse", "of shares", "elsewhere", "tau-b")
    return PageTable("Measures with probabilities from the log", heads, rows, num_left=2)


def _plugged_cells(study: WrittenStudy, measure: str, way: str, at: float) -> list[str]:
    def of(quantity: str) -> dict[str, Any] | None:
        return value_of(
            study.rows, "plug-in", subject=way, method=measure, at=at, quantity=quantity
        )

    return [
        cell(of("bias"), 5, signed=True),
        cell(of("rmse"), 5),
        cell(of("bias of shares"), 5, signed=True),
        cell(of("bias elsewhere"), 5, signed=True),
        cell(of("tau-b"), 3),
    ]
