"""What the rows of the study of thresholds say, by place, and the tables of both of its modes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from prum.experiments.studies.thresholds.model import MEASURES
from prum.experiments.studies.thresholds.power import NUMBERS
from prum.experiments.studies.thresholds.rows import RunRow, ThresholdsRow
from prum.experiments.studies.thresholds.spreads import PUSHES
from prum.experiments.views.view import Column, Table, shown

# More queries than anybody has.
_MOST_QUERIES = 1e6
THRESHOLDS = {
    "retrieved": "retrieved, .3 to .7",
    "relevant": "relevant, .3 to .7",
    "both": "both together",
}


class Spot(NamedTuple):
    """The place of a line of a table within its part of the study."""

    measure: str
    level: str = ""
    run: str = ""
    other: str = ""


Columns: TypeAlias = "Sequence[Column[Spot]]"


class QuantityTable:
    """Rows by what they say."""

    def __init__(self, rows: Iterable[ThresholdsRow]) -> None:
        self._rows = {
            (row.part, row.quantity, Spot(row.measure, row.level, *_runs_of(row))): row
            for row in rows
        }
        sampled = [row for row in self._rows.values() if row.part == "sample"]
        self.designs = tuple(dict.fromkeys(row.measure for row in sampled))
        self.judged = tuple(dict.fromkeys(row.level for row in sampled))
        self.pairs = tuple(dict.fromkeys(place[2:] for *_, place in self._rows if place.other))

    def row(self, part: str, level: str, measure: str, quantity: str) -> ThresholdsRow:
        """Return the row of these, of no run."""
        return self._rows[part, quantity, Spot(measure, level)]

    def value(self, part: str, level: str, measure: str, quantity: str, run: str = "") -> float:
        """Return a value, NaN if there is none."""
        row = self._at(part, quantity, Spot(measure, level, run))
        return math.nan if row is None or row.value is None else row.value

    def values(self, part: str, level: str, quantity: str, run: str = "") -> dict[str, float]:
        """Return a value of each measure."""
        return {measure: self.value(part, level, measure, quantity, run) for measure in MEASURES}

    def _at(self, part: str, quantity: str, place: Spot, level: str = "") -> ThresholdsRow | None:
        """Return the row of a quantity at a place, or at another level of it, if there is one."""
        return self._rows.get((part, quantity, place._replace(level=level or place.level)))

    def in_gaps(self, level: str) -> dict[str, float]:
        """Return how many gaps between two systems each measure of a query moves."""
        spreads = self.values("jitter", level, "sd of a query")
        return _ratios(spreads, self.values("power", "", "difference"))

    def over_systems(self) -> dict[str, float]:
        """Return how many times as much each measure varies over queries as over systems."""
        spreads = self.values("variance", "", "sd over queries")
        return _ratios(spreads, self.values("variance", "", "sd over systems"))

    def column(self, part: str, quantity: str, form: str, level: str = "") -> Column[Spot]:
        """Return the column of a quantity, without intervals; of one level if that is given."""
        return Column(
            level or quantity,
            lambda place: getattr(self._at(part, quantity, place, level), "value", None),
            form,
        )

    def intervals(self, part: str, quantity: str, form: str, level: str = "") -> Column[Spot]:
        """Return the same with intervals."""

        def number(place: Spot, name: str) -> float | None:
            return getattr(self._at(part, quantity, place, level), name, None)

        return Column(
            level or quantity,
            lambda place: with_interval(self._at(part, quantity, place, level), form),
            data={
                level or quantity: partial(number, name="value"),
                f"{level or quantity}, low": partial(number, name="low"),
                f"{level or quantity}, high": partial(number, name="high"),
            },
        )

    def jitters(
        self,
        label: str,
        places: Iterable[Spot],
        before: Columns,
        *more: Column[Spot],
        detail: bool = False,
    ) -> Table:
        """Return how far estimates that move by up to e move measures."""
        return Table.of(
            label,
            places,
            [
                *before,
                Column("e", lambda place: place.level, left=True),
                self.intervals("jitter", "sd of a query", ".4f"),
                self.column("jitter", "sd, few relevant", ".4f"),
                self.column("jitter", "range of a query", ".4f"),
                self.column("jitter", "sd of the mean", ".5f"),
                *more,
            ],
            parts=lambda place: place[:1] + place[2:],
            detail=detail,
        )

    def ranges(self, places: Iterable[Spot], before: Columns, *, detail: bool = False) -> Table:
        """Return how far measures go while thresholds move."""
        return Table.of(
            "Thresholds moved from .3 to .7: range of each measure",
            places,
            [
                *before,
                Column("threshold", lambda place: THRESHOLDS[place.level], left=True),
                self.intervals("threshold", "range of a query", ".3f"),
                self.intervals("threshold", "range of the mean", ".3f"),
            ],
            parts=lambda place: place[:1] + place[2:],
            detail=detail,
        )

    def pushes(self, places: Iterable[Spot], before: Columns, *, detail: bool = False) -> Table:
        """Return how measures change if estimates go away from the user's."""
        return Table.of(
            "Estimates pushed away from the user's by a share of the way to the next threshold: "
            "change",
            places,
            [*before, *(self.intervals("push", "change", ".4f", f"{x:g}") for x in PUSHES)],
            parts=lambda place: place[2:],
            detail=detail,
        )

    def needed(
        self, label: str, places: Iterable[Spot], before: Columns, *, detail: bool = False
    ) -> Table:
        """Return how many queries tell two systems apart."""
        return Table.of(
            label,
            places,
            [
                *before,
                self.intervals("power", "difference", ".4f"),
                self.column("power", "sd of differences", ".3f"),
                self.intervals("power", "queries, formula", ".0f"),
                self.intervals("power", "queries, simulated", ".0f"),
            ],
            parts=lambda place: place[2:],
            detail=detail,
        )

    def powers(
        self, label: str, places: Iterable[Spot], before: Columns, *, detail: bool = False
    ) -> Table:
        """Return how often experiments find the better system better."""
        return Table.of(
            label,
            places,
            [*before, *(self.column("power", "power", ".2f", str(count)) for count in NUMBERS)],
            parts=lambda place: place[2:],
            detail=detail,
        )


MEASURE: Column[Spot] = Column("measure", lambda place: place.measure, left=True)


def with_interval(row: ThresholdsRow | None, form: str) -> str:
    """Return the value of a row with its interval, a dash for none."""
    if row is None or row.value is None:
        return shown(None)
    value = _limited(row.value, form)
    if row.low is None:
        return value
    return f"{value} ({_limited(row.low, form)} to {_limited(row.high, form)})"


def _limited(value: float | None, form: str) -> str:
    """Return a number, or that it is too large to mean anything."""
    return "over 10^6" if value is None or value > _MOST_QUERIES else shown(value, form)


def _ratios(values: Mapping[str, float], units: Mapping[str, float]) -> dict[str, float]:
    """Return how many times the unit each value is; NaN if the unit is 0."""
    return {name: values[name] / unit if unit else math.nan for name, unit in units.items()}


def _runs_of(row: ThresholdsRow) -> tuple[str, str]:
    return (row.run, row.other) if isinstance(row, RunRow) else ("", "")
