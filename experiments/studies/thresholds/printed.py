"""Tables 1 and 2 of Mizzaro (2001) beside what the definitions give."""

from collections.abc import Iterator
from dataclasses import dataclass

from prum.analytic.adm.measures import adm
from prum.analytic.adm.thresholds import threshold_measures


@dataclass(frozen=True, slots=True)
class Printed:
    """A system of a printed table: its estimates, the user's, and the figures P, R, E, ADM."""

    table: str
    system: str
    ure: tuple[float, ...]
    sre: tuple[float, ...]
    figures: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The figures P, R, E, ADM of a system of a printed table: as printed, and by definition."""

    table: str
    system: str
    printed: tuple[float, ...]
    computed: tuple[float, ...]


_FIRST = (0.8, 0.6, 0.4, 0.2, 0.1)
# Figure 5 has no coordinates: of table 2 these are points that give its figures.
_SMALL = (0.68, 0.67, 0.33)
_BIG = (1.0, 0.5)
PRINTED = (
    Printed("1", "IRS1", _FIRST, (0.9, 0.5, 0.5, 0.1, 0.2), (0.67, 1, 0.84, 0.9)),
    Printed("1", "IRS2", _FIRST, (1.0, 0.4, 0.6, 0.0, 0.3), (0.5, 0.5, 0.5, 0.8)),
    Printed("1", "IRS3", _FIRST, (0.8, 0.6, 0.4, 0.2, 1.0), (0.67, 1, 0.84, 0.8)),
    Printed("2 (a)", "IRS1", _SMALL, (0.51, 0.51, 0.51), (0.67, 1, 0.84, 0.83)),
    Printed("2 (a)", "IRS2", _SMALL, (0.51, 0.49, 0.49), (1, 0.5, 0.75, 0.83)),
    Printed("2 (a)", "IRS3", _SMALL, (0.51, 0.49, 0.502), (0.5, 0.5, 0.5, 0.826)),
    Printed("2 (b)", "IRS1", _BIG, _BIG, (1, 1, 1, 1)),
    Printed("2 (b)", "IRS2", _BIG, (0.5, 1.0), (1, 1, 1, 0.5)),
)


def figures() -> Iterator[Recomputed]:
    """Yield each system's figures, as printed and by definition."""
    for system in PRINTED:
        cut = threshold_measures(system.sre, system.ure)
        computed = (cut.precision, cut.recall, cut.e, adm(system.sre, system.ure))
        yield Recomputed(system.table, system.system, system.figures, computed)
