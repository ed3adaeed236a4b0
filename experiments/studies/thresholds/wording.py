"""The tables of the study of thresholds, and its rows by what they say."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from prum.experiments.studies.study import Study
from prum.experiments.studies.thresholds.power import NUMBERS as POWER_NUMBERS
from prum.experiments.studies.thresholds.scoring import MEASURES
from prum.experiments.studies.thresholds.spreads import FEW, JITTERS, PUSHES
from prum.experiments.studies.wording import number, ratio

NOTES = (
    "Intervals are 95 %: over queries by Student's t, of standard deviations by chi squared, of "
    "queries needed by resampled queries. Those of the shares, by Wilson, are within .05; in files "
    "all are written.",
    "Differences and gaps are those between the better and the worse system, in the mean over "
    "queries. Queries in which a measure has no value are left out; queries needed count them. A "
    f"dash is no value: no query has one (few relevant: none has {FEW} relevant documents or "
    "fewer), or no two values differ.",
)
# More queries than anybody has.
_MOST = 1e6
_THRESHOLDS = {
    "retrieved": "retrieved, .3 to .7",
    "relevant": "relevant, .3 to .7",
    "both": "both together",
}


@dataclass(frozen=True, slots=True)
class Told:
    """A table of text; the first `num_left` columns are words."""

    title: str
    header: tuple[str, ...]
    rows: list[list[str]]
    num_left: int = 1


class Found:
    """The rows of a study by what they say."""

    def __init__(self, study: Study) -> None:
        self._rows = {
            (row["part"], row["level"], row["measure"], row["quantity"]): row for row in study.rows
        }
        self.designs = list(
            dict.fromkeys(row["measure"] for row in study.rows if row["part"] == "sample")
        )
        self.judged = list(
            dict.fromkeys(row["level"] for row in study.rows if row["part"] == "sample")
        )

    def row(self, part: str, level: str, measure: str, quantity: str) -> Any:
        """Return the row of these."""
        return self._rows[part, level, measure, quantity]

    def value(self, part: str, level: str, measure: str, quantity: str) -> float:
        """Return a value, nan if there is none."""
        value = self.row(part, level, measure, quantity)["value"]
        return float("nan") if value is None else float(value)

    def text(self, part: str, level: str, measure: str, quantity: str, digits: int) -> str:
        """Return a value with its interval, if it has one."""
        row = self.row(part, level, measure, quantity)
        if row["value"] is None:
            return "–"
        told = _told(row["value"], digits)
        if row["low"] is None:
            return told
        return f"{told} ({_told(row['low'], digits)} to {_told(row['high'], digits)})"


def _told(value: float | None, digits: int) -> str:
    """Return a number, or that it is too large to mean anything."""
    return "over 10^6" if value is None or value > _MOST else number(value, digits)


def tables(study: Study) -> Iterator[Told]:
    """Yield title, header and rows of each table."""
    found = Found(study)
    yield Told(
        "Estimates moved by up to e: standard deviation, and the same in gaps between two systems",
        (
            "measure",
            "e",
            "of a query",
            "few relevant",
            "range of a query",
            "of the mean",
            "in gaps",
        ),
        [_jitter(found, measure, f"{size:g}") for measure in MEASURES for size in JITTERS],
        num_left=2,
    )
    yield Told(
        "Thresholds moved from .3 to .7: range of each measure",
        ("measure", "threshold", "of a query", "of the mean"),
        [
            [
                measure,
                told,
                found.text("threshold", level, measure, "range of a query", 3),
                found.text("threshold", level, measure, "range of the mean", 3),
            ]
            for measure in MEASURES
            for level, told in _THRESHOLDS.items()
        ],
        num_left=2,
    )
    yield Told(
        "Estimates pushed away from the user's by a share of the way to the next threshold: change",
        ("measure", *(f"{share:g}" for share in PUSHES)),
        [
            [measure, *(found.text("push", f"{s:g}", measure, "change", 4) for s in PUSHES)]
            for measure in MEASURES
        ],
    )
    yield Told(
        "Spread over queries, and over seven systems",
        ("measure", "mean", "sd over queries", "sd over systems", "ratio", "no value"),
        [_variance(found, measure) for measure in MEASURES],
    )
    yield Told(
        "Queries for power .8 at level .05, paired t-test of a better and a worse system",
        ("measure", "difference", "its sd", "by formula", "simulated"),
        [
            [
                measure,
                found.text("power", "", measure, "difference", 4),
                number(found.value("power", "", measure, "sd of differences"), 3),
                found.text("power", "", measure, "queries, formula", 0),
                found.text("power", "", measure, "queries, simulated", 0),
            ]
            for measure in MEASURES
        ],
    )
    yield Told(
        "Share of experiments that find the better system better, by number of queries",
        ("measure", *map(str, POWER_NUMBERS)),
        [
            [
                measure,
                *(number(found.value("power", str(n), measure, "power"), 2) for n in POWER_NUMBERS),
            ]
            for measure in MEASURES
        ],
    )
    yield Told(
        "ADM of a query from some judged documents: bias and root mean squared error",
        ("design", "judged", "bias", "in theory", "error", "in theory"),
        [
            [
                design,
                judged,
                found.text("sample", judged, design, "bias, simulated", 4),
                number(found.value("sample", judged, design, "bias, theory"), 4),
                number(found.value("sample", judged, design, "error, simulated"), 4),
                number(found.value("sample", judged, design, "error, theory"), 4),
            ]
            for design in found.designs
            for judged in found.judged
        ],
    )
    yield Told(
        "Tables 1 and 2 of Mizzaro (2001), printed / by definition",
        ("table", "system", *MEASURES),
        [
            [
                one["table"],
                one["system"],
                *(
                    f"{printed:g} / {computed:.3g}"
                    for printed, computed in zip(one["printed"], one["computed"], strict=True)
                ),
            ]
            for one in study.found["printed"]
        ],
        num_left=2,
    )


def _jitter(found: Found, measure: str, level: str) -> list[str]:
    spread = found.value("jitter", level, measure, "sd of a query")
    gap = found.value("power", "", measure, "difference")
    return [
        measure,
        level,
        found.text("jitter", level, measure, "sd of a query", 4),
        number(found.value("jitter", level, measure, "sd, few relevant"), 4),
        number(found.value("jitter", level, measure, "range of a query"), 4),
        number(found.value("jitter", level, measure, "sd of the mean"), 5),
        number(ratio(spread, gap), 2),
    ]


def _variance(found: Found, measure: str) -> list[str]:
    over_queries = found.value("variance", "", measure, "sd over queries")
    over_systems = found.value("variance", "", measure, "sd over systems")
    return [
        measure,
        found.text("variance", "", measure, "mean", 3),
        found.text("variance", "", measure, "sd over queries", 3),
        number(over_systems, 3),
        number(ratio(over_queries, over_systems), 2),
        number(found.value("variance", "", measure, "no value"), 3),
    ]
