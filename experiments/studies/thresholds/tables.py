"""What the rows of the study of thresholds say, by place, and columns of them."""

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

from prum.experiments.studies.thresholds.model import MEASURES
from prum.experiments.studies.thresholds.rows import ThresholdsRow
from prum.experiments.views.view import Column, shown

# More queries than anybody has.
_MOST_QUERIES = 1e6


class Spot(NamedTuple):
    """The place of a line of a table within its part of the study."""

    measure: str
    level: str = ""


class QuantityTable:
    """Rows by what they say."""

    def __init__(self, rows: Iterable[ThresholdsRow]) -> None:
        self._rows = {(row.part, row.quantity, Spot(row.measure, row.level)): row for row in rows}
        sampled = [row for row in self._rows.values() if row.part == "sample"]
        self.designs = tuple(dict.fromkeys(row.measure for row in sampled))
        self.judged = tuple(dict.fromkeys(row.level for row in sampled))

    def row(self, part: str, level: str, measure: str, quantity: str) -> ThresholdsRow:
        """Return the row of these."""
        return self._rows[part, quantity, Spot(measure, level)]

    def value(self, part: str, level: str, measure: str, quantity: str) -> float:
        """Return a value, NaN if there is none."""
        row = self._at(part, quantity, Spot(measure, level))
        return math.nan if row is None or row.value is None else row.value

    def values(self, part: str, level: str, quantity: str) -> dict[str, float]:
        """Return a value of each measure."""
        return {measure: self.value(part, level, measure, quantity) for measure in MEASURES}

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
