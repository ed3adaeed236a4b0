"""What the study of stops says on the terminal and on its page."""

from collections.abc import Mapping
from typing import Any

from prum.experiments.studies.stops.families import FAMILIES
from prum.experiments.studies.stops.samples import BEYOND, EVERY, LAST, TOTALS
from prum.experiments.studies.stops.study import PARAMETERS
from prum.experiments.studies.study import Study
from prum.experiments.studies.wording import number

COLUMNS = (
    "law", "parameters", "held out", "below best", "± 95 %", "above RR", "± 95 %", "variation",
    "beyond",
)  # fmt: skip
PLAIN = {family.name: family.plain for family in FAMILIES}
_TITLES = {
    EVERY: "Every click a stop",
    LAST: "The last click of a search its stop",
    TOTALS: "Totals by rank",
    BEYOND: "Totals by rank, and of all later ranks",
}
_VERDICTS = {
    "best": "RR is best",
    "not best": "RR is not best",
    "open": "RR cannot be told from the best",
}


def title(reading: Mapping[str, Any]) -> str:
    """Return the heading of a reading."""
    of = "" if reading["sessions"] is None else f" of {reading['sessions']:,} sessions"
    return f"{_TITLES[reading['reading']]}: {reading['stops']:,} stops{of}"


def cells(study: Study, reading: Mapping[str, Any]) -> list[list[str]]:
    """Return the table of a reading, a row for each law."""
    rows = [row for row in study.rows if row["reading"] == reading["reading"]]
    return [
        [
            PLAIN[row["law"]],
            _parameters(row),
            number(row["held_out"], 4),
            *_difference(row, "below_best", row["law"] == reading["best"]),
            *_difference(row, "above_rr", row["law"] == "RR"),
            f"{row['total_variation']:.4f}",
            "-" if row["remainder"] is None else f"{row['remainder']:.4f}",
        ]
        for row in rows
    ]


def told(reading: Mapping[str, Any]) -> list[str]:
    """Return the verdict on RR, and how much the best law leaves to be had."""
    verdict = reading["verdict"]
    value, low, high = reading["left_by_best"]
    sentences = [
        "Of the paper's three laws as drawn there (theta .5, base 2), "
        f"{_VERDICTS[verdict['as drawn']]}; with theta and base fitted, "
        f"{_VERDICTS[verdict['parameters fitted']]}. Best of all laws: {PLAIN[reading['best']]}. "
        f"Plain frequencies are {number(value, 4)} ({number(low, 4)} to {number(high, 4)}) per "
        "stop above it."
    ]
    if reading["beyond"] is not None:
        sentences.append(f"Behind the last rank are {reading['beyond']:.4f} of the clicks.")
    return sentences


def left_out(study: Study) -> list[str]:
    """Return what of the log counts, and what does not."""
    log = study.found["log"]
    if log is None:
        return []
    return [
        f"The log: {log['searches']:,} searches in {log['sessions']:,} sessions, "
        f"{log['with_clicks']:,} searches with a click. {log['outside']:,} clicks on urls outside "
        "the list "
        f"and {log['early']:,} before the first search of their session are left out. "
        f"{log['without_stop']:,} searches have no last click: none on the ranks that count, or a "
        f"later rank was clicked last. In {log['last_outside']:,} searches a click outside the "
        "list came last of all; their stop is the last one on it."
    ]


def legend(study: Study) -> list[str]:
    """Return what the columns are, and what is to be held against the numbers."""
    readings = {reading["reading"] for reading in study.found["readings"]}
    lines = [
        "Laws: RBP with theta .5 and DCG with base 2, as in the paper; both fitted; RR; RBP over "
        "theta from Beta(a, b), fitted, where a = b = 1 is RR; uniform over the ranks. "
        "Held out: mean log-likelihood per stop that the law was not fitted to; more is better. "
        "Variation: total variation distance from the frequencies, fitted to all. Beyond: P(k > n) "
        "of the law, n the last rank. After ± of a parameter: its standard error.",
        "A page of n ranks hides who stops behind it. P(k given k ≤ n) is fitted"
        + (
            "; with the clicks of later ranks known, P(k) as it is, and P(k > n)."
            if BEYOND in readings
            else ", so that P(k > n) is what the law says and no click confirms."
        ),
    ]
    if readings & {EVERY, LAST}:
        lines.append(
            "Sessions are held out whole, in ten parts, and intervals are over sessions, the fits "
            "given: stops of one session hang together."
        )
    if readings & {TOTALS, BEYOND}:
        lines.append(
            f"Totals are held out by halves, {study.options['draws']:,} times. Which clicks belong "
            "to one session is unknown, so their intervals, and standard errors, are too narrow."
        )
    lines.append(
        "A click is not a stop; all this compares laws under one reading of clicks. The best law "
        "was chosen on the same numbers that its lead is measured by."
    )
    return lines


def _parameters(row: Mapping[str, Any]) -> str:
    texts = []
    for name in PARAMETERS:
        value, error = row[name], row[f"{name}_se"]
        if value is not None:
            give = "" if error is None else f" ± {error:.2g}"
            texts.append(f"{name} {value:.4g}{give}")
    if row["at_end"]:
        texts.append("at the end of its range")
    return ", ".join(texts)


def _difference(row: Mapping[str, Any], name: str, is_itself: bool) -> tuple[str, str]:
    if is_itself:
        return "-", "-"
    return number(row[name], 4), number(row[f"{name}_high"] - row[name], 4)
